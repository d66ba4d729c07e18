"""Our block in a shell's file of its own: put in, brought up to date, and taken out again.

The first line says how the block came into the file, so that taking it out leaves every other byte
as it was. Pure: bytes in, bytes out.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Literal

from .script import VERSION

State = Literal["missing", "installed", "older", "elsewhere", "changed"]
Way = Literal["new", "empty", "after", "joined", "before"]
"""How the block came: into a file that was not there, that was empty, behind a line, behind a line
that had no end, or in front of everything."""

ABOUT = "# Prints hermes' brief once a day. `hermes shell uninstall` takes this out again.\n"
_MARK = re.compile(
    rb"^# >>> hermes (\d+) ([0-9a-f]{16}) (new|empty|after|joined|before) >>>\r?\n"
    rb"(.*?)^# <<< hermes <<<(?:\r?\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
_WAYS: dict[bytes, Way] = {
    b"new": "new",
    b"empty": "empty",
    b"after": "after",
    b"joined": "joined",
    b"before": "before",
}
_ANY = re.compile(rb"^# (?:>>>|<<<) hermes ", re.MULTILINE)
_OUTPUT_ENDS = b"p10k-instant-prompt"
"""Behind this prompt's first lines zsh's start may not print any more."""


@dataclass(frozen=True, slots=True)
class Found:
    """Our block in a file. ``start`` and ``end`` are what taking it out takes."""

    way: Way
    start: int
    """Where the block's first line begins."""
    end: int
    body: bytes
    whole: bool
    """Nobody has changed it since."""


def block(script: bytes, way: Way) -> bytes:
    """Return the lines between and with the marks."""
    body = ABOUT.encode() + script
    mark = b"# >>> hermes %d %s %s >>>\n" % (VERSION, _digest(body), way.encode())
    return mark + body + b"# <<< hermes <<<\n"


def state_of(content: bytes, script: bytes, folder: bytes) -> State:
    """Say how the block stands in a file's content. ``folder``: the brief's, as it stands in the
    script. ``older``: of another version; ``elsewhere``: for another folder; ``changed``: someone
    edited it, or it is there more than once."""
    found = _find(content)
    if found is None:
        return "changed" if _ANY.search(content) else "missing"
    if not found.whole:
        return "changed"
    if found.body == ABOUT.encode() + script:
        return "installed"
    return "older" if folder in found.body else "elsewhere"


def put(content: bytes | None, script: bytes) -> bytes:
    """Return a file's content (None: there is no file) with the block in it, of just this script.

    What someone changed in the block is left as it is.
    """
    if content is None:
        return block(script, "new")
    found = _find(content)
    if found is not None and found.whole and found.body != ABOUT.encode() + script:
        return content[: found.start] + block(script, found.way) + content[found.end :]
    if _ANY.search(content):
        return content
    if not content:
        return block(script, "empty")
    if _OUTPUT_ENDS in content:
        return block(script, "before") + content
    # The empty line keeps us off a last line that ends in a backslash.
    if content.endswith(b"\n"):
        return content + b"\n" + block(script, "after")
    return content + b"\n\n" + block(script, "joined")


def take_out(content: bytes) -> bytes | None:
    """Return a file's content as it was before the block; None if there was no file. A block that
    someone changed stays."""
    found = _find(content)
    if found is None or not found.whole:
        return content
    before, after = content[: found.start], content[found.end :]
    newline = b"\r\n" if content[: found.end].endswith(b"\r\n") else b"\n"
    if found.way in ("after", "joined"):
        before = before.removesuffix(newline)
    if found.way == "joined" and not after:
        before = before.removesuffix(newline)
    left = before + after
    return None if found.way == "new" and not left else left


def _find(content: bytes) -> Found | None:
    """Return the one block; None if there is none, or not exactly one."""
    mark = _MARK.search(content)
    if mark is None or len(_ANY.findall(content)) != 2:
        return None
    body = mark[4].replace(b"\r\n", b"\n")  # an editor may have changed the whole file
    return Found(_WAYS[mark[3]], mark.start(), mark.end(), body, mark[2] == _digest(body))


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:16].encode()
