"""LanceDB at arm's length: imported when first used, quiet, with bounded caches, errors translated.

pyarrow has no type stubs and lancedb's are partial, so their objects are ``Any`` here and in the
modules built on this one; nothing of them leaves memory/.
"""

from __future__ import annotations

import importlib
import logging
import os
import re
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

from . import lance_client
from .errors import HermesError, NoSpace, ReadOnly, StoreDamaged, StoreUnreachable

T = TypeVar("T")

logger = logging.getLogger(__name__)

_INDEX_CACHE_BYTES = 512 << 20
_METADATA_CACHE_BYTES = 32 << 20
_ATTEMPTS = 5
_importing = threading.Lock()
"""Two threads that import LanceDB at once meet in its circular imports, and one fails."""


def pyarrow() -> Any:
    """Import pyarrow."""
    with _importing:
        return importlib.import_module("pyarrow")


def lancedb(name: str = "") -> Any:
    """Import lancedb, or a module of it. Takes half a second; call it as late as can be."""
    # Rust reads it once, at import; it would warn on stderr of what is no one's concern.
    os.environ.setdefault("LANCEDB_LOG", "error")
    with _importing:
        lance_client.spare()
        return importlib.import_module(f"lancedb.{name}" if name else "lancedb")


def connect(uri: str, storage_options: Mapping[str, str] | None) -> Any:
    """Connect to the database at ``uri``: every read sees what another process has committed."""
    with translated(uri):
        return lancedb().connect(uri, **_options(storage_options))


async def connect_async(uri: str, storage_options: Mapping[str, str] | None) -> Any:
    """Do what `connect` does, for use in an event loop."""
    return await lancedb().connect_async(uri, **_options(storage_options))


def _options(storage_options: Mapping[str, str] | None) -> dict[str, Any]:
    return {
        "read_consistency_interval": timedelta(0),
        "storage_options": dict(storage_options) if storage_options else None,
        # The default caches grow without bound in a process that lives for weeks.
        "session": lancedb().Session(
            index_cache_size_bytes=_INDEX_CACHE_BYTES,
            metadata_cache_size_bytes=_METADATA_CACHE_BYTES,
        ),
    }


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
        logger.info("%s says: %s", uri, error)  # its own words are for who looks into the log
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
    if _DAMAGE.search(text):
        return StoreDamaged(uri, _what_is_wrong(text))
    if _FAILED.search(text):
        if "://" not in uri:
            return StoreDamaged(uri, _what_is_wrong(text))
        said = _REMOTE.search(text)
        first = _RUST.sub("", text.splitlines()[0]).removeprefix("lance error: ")[:200]
        return StoreUnreachable(uri, said[0] if said else first)
    return None


def _what_is_wrong(text: str) -> str:
    """Say in words what Lance means; it speaks of its own source, and seldom of the file."""
    named = _FILE.search(_RUST.sub("", text))
    name = named[0] if named else "a file of it"
    if re.search(r"[Nn]ot ?[Ff]ound|os error 2\b", text):
        return f"{name} is missing"
    if re.search(r"size 0|too small|failed to fill|end of file|Invalid range", text):
        return f"{name} is cut short"
    return f"{name} does not hold what it should"


_FILE = re.compile(r"[^\s/,:'\"]+\.(?:lance|idx|manifest|txn)(?![\w./])")
_RUST = re.compile(r",? ?/\S+\.rs:\d+(?::\d+)?")
"""Where in Lance's source an error arose."""


_DAMAGE = re.compile(
    r"Invalid range|size 0|orrupt|magic|size is too small|failed to (?:decode|fill)|protobuf"
    r"|does not exist in the dataset schema|[Nn]o field named"
    r"|out of bounds|end of file|os error 2\b|[Nn]ot ?[Ff]ound.*\.(?:lance|idx|manifest|txn)"
)
_REMOTE = re.compile(
    r"Connection refused|timed out|dns error|certificate|NoSuchBucket|AccessDenied|Forbidden"
    r"|InvalidAccessKeyId|SignatureDoesNotMatch"
)
_FAILED = re.compile(
    r"LanceError\(IO\)|sending request|Generic S3|onnect|NoSuchBucket|AccessDenied"
)
