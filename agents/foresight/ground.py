"""What answers to everyday questions are told from, and how their sources are numbered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from ...ingest.git.command import Git
from ...memory.memory import Memory
from ...memory.records import Chunk, Commit, Filters, Item, Repo, chunk_id
from ...memory.standing import said_of
from ...memory.test_records import Run
from ...memory.work import Work
from ..answer_events import TEST, SourceRef, Text
from ..brief.records import Person
from ..evidence import Evidence, Source
from ..themes.records import Page
from ..words import find_marks

_CITED = re.compile(r"\[(\d+)\]")

Pages = Callable[[str, date, date], Sequence[Page]]
"""(repository, first day, last day) → the pages of themes of weeks and days in between."""


@dataclass(frozen=True, slots=True)
class Told:
    """An answer by rule."""

    texts: tuple[Text, ...]
    relevant: bool = True
    """False: there is nothing of what was asked about, and the answer says so."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What is there to tell from, for one question. Calls take milliseconds; for a thread."""

    memory: Memory
    work: Work | None
    """None where no daemon runs: then nothing is known of tests."""
    repos: Sequence[Repo]
    """Those asked about."""
    filters: Filters
    gits: Mapping[str, Git]
    pages: Pages
    now: datetime
    """Local, naive."""
    evidence: Evidence = field(default_factory=Evidence)
    asker: Callable[[], Person] = Person
    """Who asks, by settings and git; nobody where that is not known."""

    def __post_init__(self) -> None:
        self.evidence.said_of = self._said_of

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the repositories asked about."""
        return tuple(repo.id for repo in self.repos)

    def name_of(self, repo: str) -> str:
        """Return what a repository is called."""
        return next((each.name for each in self.repos if each.id == repo), repo)

    def messages(self, commits: Sequence[Commit]) -> dict[str, str]:
        """Return the messages of commits by their shas, without numbering them."""
        ids = {chunk_id(commit.repo, commit.sha, "", 0): commit.sha for commit in commits}
        found = self.memory.store.fetch(list(ids)) if ids else {}
        return {ids[key]: chunk.text for key, chunk in found.items()}

    def cite(self, commit: Commit) -> Source:
        """Number a commit; its text is its message."""
        return self.cite_all((commit,))[0]

    def cite_all(self, commits: Sequence[Commit]) -> list[Source]:
        """Number commits, their messages read at once."""
        ids = [chunk_id(commit.repo, commit.sha, "", 0) for commit in commits]
        chunks: Mapping[str, Chunk] = self.memory.store.fetch(ids) if ids else {}
        return [
            self.evidence.add_chunk(chunks[key]) if key in chunks else self.evidence.add_commit(one)
            for key, one in zip(ids, commits, strict=True)
        ]

    def cite_item(self, item: Item) -> Source:
        """Number a ticket, a pull request or a discussion."""
        return self.evidence.add_item(item)

    def cite_run(self, run: Run, test: str, said: str) -> Source:
        """Number what a run says of a test."""
        ref = SourceRef(
            number=0,
            repo=run.repo,
            sha=f"run {run.id}",
            time=int(run.at),
            author=run.framework,
            path=test.partition("::")[0],
            subject=said,
            kind=TEST,
            source="tests",
        )
        return self.evidence.add_text(ref, f"{test}\n{said}", view=test)

    def _said_of(self, repo: str, ref: str) -> str:
        marks = self.memory.index.marks
        twins = marks.folded_into((ref,)).get((repo, ref), ())
        return said_of(marks.of((ref,)).get((repo, ref)), twins)

    def cited(self, texts: Iterable[str]) -> tuple[SourceRef, ...]:
        """Return the sources that texts cite, by their numbers."""
        numbers = {int(number) for text in texts for number in _CITED.findall(text)}
        return tuple(each.ref for each in self.evidence if each.number in numbers)


def cites(sources: Iterable[Source]) -> str:
    """Return ``[1] [2]``, each once."""
    return " ".join(dict.fromkeys(f"[{source.number}]" for source in sources))


def told(texts: Sequence[str], wanted: frozenset[str] = frozenset()) -> Told:
    """Return sentences as an answer, with the words marked that were asked about."""
    return Told(tuple(Text(text, find_marks(text, wanted)) for text in texts))


def local_day(at: float) -> str:
    """Return the local day, ISO form."""
    return datetime.fromtimestamp(at).date().isoformat()


def local_minute(at: float) -> str:
    """Return the local day and minute: ``2026-11-30 14:03``."""
    return datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M")
