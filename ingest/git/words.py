"""How a file's change reads: bytes into text, stubs, and a diff's two heading lines."""

from __future__ import annotations

import re
from functools import lru_cache

from ...memory.records import Content, FileChange
from ..assignments import key_lines
from ..redaction import cover

_WHAT = {
    Content.BINARY: "binary file",
    Content.GENERATED: "generated file",
    Content.VENDORED: "vendored file",
    Content.LOCK: "lock file",
    Content.MINIFIED: "minified file",
    Content.EXCLUDED: "excluded file",
    Content.LARGE: "large change",
    Content.SUBMODULE: "submodule",
    Content.TEXT: "file",
}

_DONE = {
    "A": "added",
    "M": "changed",
    "D": "deleted",
    "R": "renamed",
    "C": "copied",
    "T": "changed in type",
}

_KEY_FILE = re.compile(
    r"\.(?:pem|key|ppk|p8|asc|gpg|keystore)$|(?:^|/)id_(?:rsa|dsa|ecdsa|ed25519)$"
)

_SUBPROJECT = re.compile(r"^([+-])Subproject commit ([0-9a-f]{7,64})", re.MULTILINE)


@lru_cache(maxsize=65_536)
def decode_path(path: bytes) -> str:
    """Decode a path; a byte that is no UTF-8 shows as ``\\xe9``."""
    return path.decode("utf-8", "backslashreplace")


def decode_text(text: bytes) -> str:
    """Decode text as UTF-8, or where that fails as Latin-1; no character is NUL."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError as error:
        if len(text) - error.start < 4 and error.reason == "unexpected end of data":
            decoded = text[: error.start].decode()  # only cut within a character
        else:
            decoded = text.decode("latin-1")
    return decoded.replace("\0", "\N{REPLACEMENT CHARACTER}") if "\0" in decoded else decoded


def hidden_key(path: str, hunks: bytes) -> bytes:
    """Return the diff of a file; of one that by its name is a key, without the key's lines."""
    if hunks and _KEY_FILE.search(path):
        return cover(hunks, list(key_lines(hunks)))
    return hunks


def with_header(change: str, path: str, old_path: str | None, text: str) -> str:
    """Put the two lines that name a file before its hunks, as a unified diff has them."""
    before = "/dev/null" if change == "A" else f"a/{old_path or path}"
    after = "/dev/null" if change == "D" else f"b/{path}"
    return f"--- {before}\n+++ {after}\n{text}"


def submodule_line(path: str, text: str) -> str:
    """Say from which commit to which a submodule moved."""
    moved = {sign: sha[:12] for sign, sha in _SUBPROJECT.findall(text)}
    return f"{path}: submodule {moved.get('-', 'none')} → {moved.get('+', 'none')}"


def stub_line(file: FileChange, size: int | None, modes: tuple[str, str]) -> str:
    """Say in one line what happened to a file whose content is not kept.

    ``size`` is in bytes. ``modes`` are git's, before and after.
    """
    came = "" if file.old_path is None else f" from {file.old_path}"
    said = [f"{_WHAT[file.content]} {_DONE.get(file.change, 'changed')}{came}"]
    if file.added is not None and file.removed is not None:
        said.append(f"+{file.added} -{file.removed} lines")
    elif size is not None:
        said.append(f"{size:,} bytes")
    if file.change == "M" and modes[0] != modes[1]:
        said.append(f"mode {modes[0]} → {modes[1]}")
    return f"{file.path}: {', '.join(said)}"
