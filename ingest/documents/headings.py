"""Where the sections of a text begin, in each of the formats that documents are written in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt

from .formats import Format


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, and the lines it takes, from 0: ``first`` to before ``end``."""

    level: int
    """1 is the highest."""
    title: str
    first: int
    end: int


def headings(text: str, format_: Format) -> list[Heading]:
    """Return the headings of a text in their order."""
    return list(_READERS[format_](text))


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": 20}).disable("inline")


_LONGEST = 500
"""Characters of a title that are read."""
_EXPLICIT_ID = re.compile(r"\s*\{[^{}]*#[\w-]+[^{}]*\}\s*$")
LINK = re.compile(
    r"!?\[((?:[^\[\]]|\[[^\[\]]{0,200}\]){0,500})\]"
    r"(?:\((?:[^()\n]|\([^()\n]{0,200}\)){0,1000}\)|\[[^\[\]\n]{0,200}\])"
)
"""A Markdown link or picture; its first group is what a reader sees. One may stand in another."""
_EMPHASIS = re.compile(r"(\*\*|__|\*|(?<!\w)_)(?=\S)(.+?)(?<=\S)\1(?!\w)")


def _markdown(text: str) -> Iterator[Heading]:
    tokens = _parser().parse(text)
    for place, token in enumerate(tokens):
        # A heading in a list or in a quotation is part of those, and begins nothing.
        if token.type == "heading_open" and token.level == 0 and token.map is not None:
            title = plain_title(tokens[place + 1].content)
            yield Heading(int(token.tag[1]), title, token.map[0], token.map[1])


def plain_title(text: str) -> str:
    """Return a title without what Markdown makes it look like."""
    text = _EXPLICIT_ID.sub("", text[:_LONGEST])
    text = LINK.sub(r"\1", LINK.sub(r"\1", text))
    text = _EMPHASIS.sub(r"\2", text)
    return " ".join(text.replace("`", "").replace("\\", "").split())


_UNDERLINE = re.compile(r"^([!-/:-@\[-`{-~])\1{2,}\s*$")
_ROLE = re.compile(r":[\w:.+-]+:`([^`<]*?)(?:\s*<[^`]*>)?`")


def _underlined(text: str) -> Iterator[Heading]:
    """reStructuredText: a line that is underlined, at the left edge; each new style of line is a
    level deeper. In plain text people write the same."""
    lines = text.split("\n")
    styles: list[tuple[str, bool]] = []
    for number in range(1, len(lines)):
        under = _UNDERLINE.match(lines[number])
        title = lines[number - 1]
        if not under or not title.strip() or _UNDERLINE.match(title):
            continue
        over = number > 1 and lines[number - 2].rstrip() == lines[number].rstrip()
        if title[0].isspace() and not over:
            continue
        before = number - 3 if over else number - 2
        if before >= 0 and lines[before].strip():
            continue  # a row of a table, a paragraph's last line
        if len(under[0].rstrip()) < min(len(title.strip()), 4) or len(title) > 300:
            continue
        style = (under[1], over)
        if style not in styles:
            styles.append(style)
        plain = _ROLE.sub(r"\1", title.strip()).replace("`", "").replace("*", "")
        first = number - 2 if over else number - 1
        yield Heading(styles.index(style) + 1, " ".join(plain.split()), first, number + 1)


_ASCIIDOC = re.compile(r"^(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*$")
_BLOCK = re.compile(r"^(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|/{4,}|\+{4,}|`{3,}|\|={3,})[^\n]*$")


def _asciidoc(text: str) -> Iterator[Heading]:
    block = ""
    for number, line in enumerate(text.split("\n")):
        if found := _BLOCK.match(line):
            if not block:
                block = found[1]
            elif block == found[1]:
                block = ""
        elif not block and (heading := _ASCIIDOC.match(line)):
            yield Heading(len(heading[1]), plain_title(heading[2]), number, number + 1)


_READERS: Mapping[Format, Callable[[str], Iterator[Heading]]] = {
    Format.MARKDOWN: _markdown,
    Format.NOTEBOOK: _markdown,  # was made Markdown when it was read
    Format.RST: _underlined,
    Format.PLAIN: _underlined,
    Format.ASCIIDOC: _asciidoc,
}
