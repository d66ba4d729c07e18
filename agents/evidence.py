"""The numbered sources of one answer: what was shown, and therefore what may be cited."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from ..memory.edits import edited_on
from ..memory.records import Chunk, Commit, Item, Kind
from .answer_events import SourceRef


@dataclass(frozen=True, slots=True)
class Source:
    """A source with the text that claims are checked against."""

    ref: SourceRef
    text: str
    """The message, the diff, or what a tool returned; already redacted."""
    email: str = ""

    @property
    def number(self) -> int:
        """What ``[n]`` refers to."""
        return self.ref.number


SaidOf = Callable[[str, str], str]
"""(repository, sha or item's reference) → what is known of it besides what it says."""


@dataclass(slots=True)
class Evidence:
    """Sources in the order they were shown, numbered from 1. The same thing keeps its number."""

    said_of: SaidOf = lambda repo, ref: ""
    _sources: list[Source] = field(default_factory=list[Source])
    _numbers: dict[tuple[str, str, str, str], int] = field(
        default_factory=dict[tuple[str, str, str, str], int]
    )

    def __iter__(self) -> Iterator[Source]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)

    def get(self, number: int) -> Source | None:
        """Given a number, return its source, or None."""
        return self._sources[number - 1] if 0 < number <= len(self._sources) else None

    def add_chunk(self, chunk: Chunk) -> Source:
        """Number a passage that recall found."""
        return self._add(
            key=(chunk.repo, chunk.ref, chunk.path, f"{chunk.kind}:{chunk.part}"),
            ref=SourceRef(
                number=0,
                repo=chunk.repo,
                sha=chunk.ref,
                time=chunk.time,
                author=chunk.author,
                path=chunk.path,
                subject=chunk.title,
                kind=str(chunk.kind),
                source=chunk.source,
            ),
            text=chunk.text,
            email=chunk.email,
            edited=edited_on(chunk.edited),
        )

    def add_commit(self, commit: Commit) -> Source:
        """Number a commit of the structured index. It shares its number with its message."""
        return self._add(
            key=(commit.repo, commit.sha, "", f"{Kind.MESSAGE}:0"),
            ref=SourceRef(
                number=0,
                repo=commit.repo,
                sha=commit.sha,
                time=commit.time,
                author=commit.author,
                path="",
                subject=commit.subject,
                kind="commit",
            ),
            text=commit.subject,
            email=commit.email,
        )

    def add_item(self, item: Item) -> Source:
        """Number a discussion, a ticket, a pull request or a document, whole."""
        return self._add(
            key=(item.repo, item.ref, "", f"{item.kind}:"),
            ref=SourceRef(
                number=0,
                repo=item.repo,
                sha=item.ref,
                time=item.changed,
                author=item.author,
                path="",
                subject=f"{item.key} {item.title}".strip(),
                kind=str(item.kind),
                source=item.source,
            ),
            text=f"{item.title}\n{item.text}",
            email=item.email,
        )

    def add_text(self, ref: SourceRef, text: str, *, view: str) -> Source:
        """Number what a tool returned. ``view`` tells two views of one file apart."""
        return self._add(
            key=(ref.repo, ref.sha, ref.path, f"{ref.kind}:{view}"), ref=ref, text=text, email=""
        )

    def _add(
        self,
        *,
        key: tuple[str, str, str, str],
        ref: SourceRef,
        text: str,
        email: str,
        edited: str = "",
    ) -> Source:
        known = self._numbers.get(key)
        if known is not None:
            return self._sources[known - 1]
        number = len(self._sources) + 1
        said = "; ".join(filter(None, (self.said_of(ref.repo, ref.sha), edited)))
        source = Source(
            ref=replace(ref, number=number, said=said),
            text=text,
            email=email,
        )
        self._sources.append(source)
        self._numbers[key] = number
        return source
