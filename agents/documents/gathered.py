"""What a reader of one format collects while it goes through a document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .conventions import ignored_lines, past_paragraphs
from .mentions import in_block, in_span
from .places import Source
from .records import Document, Mention, Sample, Thing

MAX_MENTIONS = 50_000
"""Of one document; what follows is not looked at."""


@dataclass(slots=True)
class Gathered:
    """The parts of a document, as far as they were found."""

    lines: list[str]
    mentions: list[Mention] = field(default_factory=list[Mention])
    links: list[Mention] = field(default_factory=list[Mention])
    samples: list[Sample] = field(default_factory=list[Sample])
    anchors: list[str] = field(default_factory=list[str])
    past: set[int] = field(default_factory=set[int])
    source: Source = field(init=False)
    _slugs: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self.source = Source("\n".join(self.lines))

    def span(self, text: str, offsets: Sequence[int], role: str = "") -> None:
        """Take what a piece of inline code names; ``offsets`` are those of its characters.

        A name of several words that the source breaks has no place of its own, and is left out.
        """
        flat = re.sub(r"[\t\n]", " ", text)
        for mention in in_span(flat, 1, 0, role):
            first, last = mention.column, mention.column + len(mention.name) - 1
            if last < len(offsets) and self.source.text.startswith(mention.name, offsets[first]):
                line, column = self.source.place(offsets[first])
                self._add(replace(mention, line=line, column=column))

    def block(self, language: str, text: str, line: int) -> None:
        """Take what a block of code names; ``line`` is its first. It may be indented."""
        parts = text.split("\n")
        for mention in in_block(language, text, line):
            whole = self.lines[mention.line - 1] if mention.line <= len(self.lines) else ""
            part = parts[mention.line - line]
            shift = len(whole.rstrip()) - len(part.rstrip())
            if not whole.startswith(mention.name, mention.column + shift):
                # Tabs were made blanks: the name as often as it stood before.
                times = len(re.findall(re.escape(mention.name), part[: mention.column]))
                found = [each.start() for each in re.finditer(re.escape(mention.name), whole)]
                if times >= len(found):
                    continue
                shift = found[times] - mention.column
            self._add(replace(mention, column=mention.column + shift))

    def _add(self, mention: Mention) -> None:
        if len(self.mentions) < MAX_MENTIONS:
            self.mentions.append(mention)

    def link(self, target: str, line: int, column: int) -> None:
        """Take a link."""
        if target:
            thing = Thing.ANCHOR if target.startswith("#") else Thing.LINK
            self.links.append(Mention(thing, target, line, column))

    def heading(self, text: str) -> None:
        """Take a heading: its anchor as code hosts and static sites make it."""
        slug = slug_of(text)
        count = self._slugs.get(slug, 0)
        self._slugs[slug] = count + 1
        self.anchors += [slug, squeezed(slug)]
        if count:
            self.anchors += [f"{slug}-{count}", f"{slug}_{count}"]

    def document(self, path: str, text: str) -> Document:
        """Return what was found."""
        return Document(
            path=path,
            text=text,
            mentions=tuple(dict.fromkeys(self.mentions)),
            samples=tuple(self.samples),
            anchors=tuple(dict.fromkeys(self.anchors)),
            ignored=frozenset(ignored_lines(self.lines)),
            past=frozenset(self.past | past_paragraphs(self.lines)),
            links=tuple(dict.fromkeys(self.links)),
        )


def slug_of(heading: str) -> str:
    """Return the anchor that code hosts make of a heading."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def squeezed(slug: str) -> str:
    """Return an anchor as static site generators and Sphinx write it."""
    return re.sub(r"-+", "-", re.sub(r"[^a-z0-9]+", "-", slug)).strip("-")
