"""LanceDB at arm's length: imported when first used, quiet, with bounded caches, errors translated.

pyarrow has no type stubs and lancedb's are partial, so their objects are ``Any`` here and in the
modules built on this one; nothing of them leaves memory/.
"""

from __future__ import annotations

import importlib
import os
import re
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

from .errors import HermesError, NoSpace, ReadOnly, StoreDamaged, StoreUnreachable

T = TypeVar("T")

_INDEX_CACHE_BYTES = 256 << 20
_METADATA_CACHE_BYTES = 32 << 20
_ATTEMPTS = 5
_importing = threading.Lock()
"""Two threads that import LanceDB at once meet in its circular imports, and one fails."""


def pyarrow() -> Any:
    """Import pyarrow."""
    with _importing:
        return importlib.import_module("pyarrow")


def lancedb(name: str = "") -> Any:
    """Import lancedb, or a module of it. Takes a second; call it as late as can be."""
    # Rust reads it once, at import; it would warn on stderr of what is no one's concern.
    os.environ.setdefault("LANCEDB_LOG", "error")
    with _importing:
        return importlib.import_module(f"lancedb.{name}" if name else "lancedb")


def connect(uri: str, storage_options: Mapping[str, str] | None) -> Any:
    """Connect to the database at ``uri``: every read sees what another process has committed."""
    module = lancedb()
    with translated(uri):
        return module.connect(
            uri,
            read_consistency_interval=timedelta(0),
            storage_options=dict(storage_options) if storage_options else None,
            # The default caches grow without bound in a process that lives for weeks.
            session=module.Session(
                index_cache_size_bytes=_INDEX_CACHE_BYTES,
                metadata_cache_size_bytes=_METADATA_CACHE_BYTES,
            ),
        )


@contextmanager
def translated(uri: str) -> Generator[None]:
    """Turn what Lance says into an error a person can act on; a bug of ours stays what it is."""
    try:
        yield
    except HermesError:
        raise
    except (RuntimeError, OSError, ValueError) as error:
        known = _meaning(str(error), uri)
        if known is None:
            raise
        raise known from error


def committed(action: Callable[[], T]) -> T:
    """Run a change of a table, again when another writer's commit came in between."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return action()
        except (RuntimeError, OSError, ValueError) as error:
            if "ommit conflict" not in str(error):
                raise
    return action()


def _meaning(text: str, uri: str) -> HermesError | None:
    if re.search(r"No space left|os error 28\b|File too large|os error 27\b|quota", text):
        return NoSpace(uri)
    if re.search(r"Read-only file system|Permission denied|os error (?:30|13)\b", text):
        return ReadOnly(uri)
    reason = text.splitlines()[0][:200]
    if _DAMAGE.search(text):
        return StoreDamaged(uri, reason)
    if _FAILED.search(text):
        if "://" not in uri:
            return StoreDamaged(uri, reason)
        said = _REMOTE.search(text)
        return StoreUnreachable(uri, said[0] if said else reason)
    return None


_DAMAGE = re.compile(
    r"Invalid range|size 0|orrupt|magic|size is too small|failed to (?:decode|fill)|protobuf"
    r"|out of bounds|end of file|os error 2\b|[Nn]ot ?[Ff]ound.*\.(?:lance|idx|manifest|txn)"
)
_REMOTE = re.compile(
    r"Connection refused|timed out|dns error|certificate|NoSuchBucket|AccessDenied|Forbidden"
    r"|InvalidAccessKeyId|SignatureDoesNotMatch"
)
_FAILED = re.compile(
    r"LanceError\(IO\)|sending request|Generic S3|onnect|NoSuchBucket|AccessDenied"
)
