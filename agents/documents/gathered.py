"""What a reader of one format collects while it goes through a document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from .conventions import ignored_lines, past_paragraphs
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
    _slugs: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, mentions: Iterable[Mention]) -> None:
        """Take mentions, up to the limit."""
        for mention in mentions:
            if len(self.mentions) >= MAX_MENTIONS:
                return
            if placed := self._placed(mention):
                self.mentions.append(placed)

    def _placed(self, mention: Mention) -> Mention | None:
        """Return a mention where it really stands: code that is wrapped goes on a line below."""
        name = mention.name.removesuffix("()")
        for number in range(mention.line, min(mention.line + 3, len(self.lines) + 1)):
            line = self.lines[number - 1]
            if number == mention.line and line.startswith(name, mention.column):
                return mention
            if mention.thing is Thing.SETTING and name.startswith("[") and number == mention.line:
                return mention
            at = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", line)
            if at:
                return replace(mention, line=number, column=at.start())
        return None

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

    def find(self, text: str, line: int, end: int, column: int = 0) -> tuple[int, int] | None:
        """Return line and column where a text stands in lines ``line`` to ``end`` (from 1, the
        end left out), from ``column`` of the first on; line breaks and spaces count alike."""
        first = text.split("\n", 1)[0] if "\n" in text else text
        for number in range(max(line, 1), min(end, len(self.lines) + 1)):
            at = self.lines[number - 1].find(first, column if number == line else 0)
            if at >= 0:
                return number, at
        words = text.split()
        if len(words) < 2:
            return None
        for number in range(max(line, 1), min(end, len(self.lines))):
            part = self.lines[number - 1]
            for cut in range(len(words) - 1, 0, -1):
                head = " ".join(words[:cut])
                if part.rstrip().endswith(head) and (
                    self.lines[number].strip().startswith(" ".join(words[cut:]))
                ):
                    return number, len(part.rstrip()) - len(head)
        return None

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
