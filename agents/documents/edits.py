"""A document's text as git keeps it: its lines, changes of single lines, and what they come to."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Sequence

from ...memory.drift import Edit

CONTEXT = 3
"""Lines around a change that a diff shows."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def decode(data: bytes) -> str | None:
    """Given a file's bytes, return its text, from which `encode` makes the same bytes again,
    whatever it is encoded in; None for what is no text (UTF-16 too: no line could be changed by
    itself)."""
    return None if b"\0" in data else data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Given a text that `decode` returned, or one made from it, return its bytes."""
    return text.encode("utf-8", "surrogateescape")


def readable(text: str) -> str:
    """Return a text as documents are read: with ``\\n`` at the ends of lines, whose numbers and
    columns stay."""
    return text.replace("\r\n", "\n")


def digest(data: bytes) -> str:
    """Return what stands for a document's content."""
    return hashlib.sha256(data).hexdigest()


def lines_of(text: str) -> list[str]:
    """Return the lines with their ends. Only ``\\n`` ends one, as for git."""
    return _LINE.findall(text)


def edits_of(before: str, after: str) -> tuple[Edit, ...]:
    """Given two texts, return the changes of lines that lead from one to the other."""
    old, new = lines_of(before), lines_of(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        Edit(a1 + 1, tuple(old[a1:a2]), tuple(new[b1:b2]))
        for tag, a1, a2, b1, b2 in matcher.get_opcodes()
        if tag != "equal"
    )


def apply(text: str, edits: Sequence[Edit]) -> str | None:
    """Given a text and changes, return the changed text; None where a line is not as it was."""
    lines = lines_of(text)
    for edit in sorted(edits, key=lambda each: each.line, reverse=True):
        start = edit.line - 1
        if tuple(lines[start : start + len(edit.old)]) != edit.old:
            return None
        lines[start : start + len(edit.old)] = edit.new
    return "".join(lines)


def with_line_ends(edits: Sequence[Edit], end: str) -> tuple[Edit, ...]:
    """Given changes of a text whose lines end in ``\\n``, return those of the same text with other
    line ends."""

    def turned(lines: Sequence[str]) -> tuple[str, ...]:
        return tuple(
            line.removesuffix("\n") + end if line.endswith("\n") else line for line in lines
        )

    return tuple(Edit(edit.line, turned(edit.old), turned(edit.new)) for edit in edits)


def unified(path: str, before: str | None, edits: Sequence[Edit]) -> list[str]:
    """Given a document and its changes, return the lines of a diff without their ends. Without the
    document's text the diff has no context."""
    head = [f"--- a/{path}", f"+++ b/{path}"]
    after = None if before is None else apply(before, edits)
    if before is None or after is None:
        return [*head, *(line for edit in edits for line in _bare(edit))]
    told = difflib.unified_diff(
        [line.rstrip("\r\n") for line in lines_of(before)],
        [line.rstrip("\r\n") for line in lines_of(after)],
        n=CONTEXT,
        lineterm="",
    )
    return [*head, *list(told)[2:]]


def _bare(edit: Edit) -> list[str]:
    return [
        f"@@ -{edit.line},{len(edit.old)} +{edit.line},{len(edit.new)} @@",
        *(f"-{line.rstrip()}" for line in edit.old),
        *(f"+{line.rstrip()}" for line in edit.new),
    ]
