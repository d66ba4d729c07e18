"""A text in parts, each under the headings that lead to it."""

from __future__ import annotations

from dataclasses import dataclass

from .formats import Format
from .headings import Heading, headings


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under a heading, up to the next one."""

    under: tuple[str, ...]
    """The headings that lead to it, its own last; without the document's title."""
    text: str


@dataclass(frozen=True, slots=True)
class Outline:
    """A document in parts."""

    title: str
    """Empty where it has no heading."""
    sections: tuple[Section, ...]
    """Those that say something. What stands before the first heading, or right under the title,
    is under none."""


def outline(text: str, format_: Format) -> Outline:
    """Return the parts of a document. Its title is its first heading, where none before is higher
    and none like it stands above."""
    found = headings(text, format_)
    lines = text.split("\n")
    title = found[0].title if found else ""
    sections: list[Section] = []
    above: list[Heading] = []

    def add(start: int, end: int) -> None:
        body = "\n".join(lines[start:end]).strip("\n").rstrip()
        if body.strip():
            sections.append(Section(tuple(heading.title for heading in above), body))

    add(0, found[0].first if found else len(lines))
    for place, heading in enumerate(found):
        if place:
            above = [higher for higher in above if higher.level < heading.level]
            above.append(heading)
        add(heading.end, found[place + 1].first if place + 1 < len(found) else len(lines))
    return Outline(title, tuple(sections))
