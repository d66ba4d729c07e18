"""Where in a file its changed lines are: the definition, or the heading of a document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...ingest.symbols import Symbol
from .records import FileChange, Hunk

_RANGE = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_MARKDOWN = re.compile(r"^#{1,6}\s+(?P<title>\S.*?)\s*#*$")
_UNDERLINE = re.compile(r"^([=\-~^\"'#*+`.])\1{2,}\s*$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_REFERENCE = re.compile(r"\s*\{#[^}]*\}$|^\(?#+\)?")


def headings(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the headings of a Markdown or reStructuredText document, with their line from 1."""
    fenced = False
    for number, line in enumerate(lines, 1):
        if _FENCE.match(line):
            fenced = not fenced
        if fenced:
            continue
        match = _MARKDOWN.match(line)
        if match is not None:
            yield number, _REFERENCE.sub("", match["title"])
        elif (
            number < len(lines)
            and _UNDERLINE.match(lines[number])
            and line.strip()
            and line[:1] not in " \t-*|>"
            and len(lines[number].rstrip()) >= min(len(line.rstrip()), 4)
        ):
            yield number, line.strip()


def with_headings(file: FileChange, text: str) -> FileChange:
    """Give the hunks of a document the heading that their first changed line stands under."""
    found = list(headings(text.splitlines()))
    return replace(
        file,
        hunks=tuple(
            replace(
                hunk, section=next((title for line, title in reversed(found) if line <= at), "")
            )
            for hunk in file.hunks
            for at in [first_line(hunk)]
        ),
    )


def with_definitions(file: FileChange, found: Sequence[Symbol]) -> FileChange:
    """Give the hunks of code the innermost definition that holds their first changed line."""
    hunks: list[Hunk] = []
    for hunk in file.hunks:
        at = first_line(hunk)
        inside = [one for one in found if one.line <= at <= one.end and one.kind != "constant"]
        inner = min(inside, key=lambda one: one.end - one.line, default=None)
        hunks.append(replace(hunk, section=inner.name if inner is not None else ""))
    return replace(file, hunks=tuple(hunks))


def first_line(hunk: Hunk) -> int:
    """Return the number of a hunk's first changed line in the new file, from 1."""
    match = _RANGE.match(hunk.header)
    before = next((n for n, line in enumerate(hunk.lines) if line[0] in "+-"), 0)
    return (int(match[1]) if match is not None else 1) + before
