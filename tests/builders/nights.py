"""Nights over a made-up life, in one process, and what is measured of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path

from hermes.agents.themes.folder import ThemesFolder
from hermes.agents.themes.records import Page
from hermes.daemon.consolidating import Limits, Nights, Report
from hermes.ingest.git.command import Git
from hermes.ingest.git.history import root_commit
from hermes.ingest.git.ingest import ingest
from hermes.ingest.items import take_in
from hermes.memory.embedders.protocol import Embedder
from hermes.memory.memory import Memory
from hermes.memory.recall import recall
from hermes.memory.records import Filters, Repo
from hermes.memory.work import Work

from .life_records import Life, Superseded

NEAR = 0.9
"""Share of their words, numbers aside, from which on two texts say nearly the same (Dice)."""
_SHA = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Likes:
    """Of so many texts, how many repeat one before them: to the letter, or nearly."""

    texts: int
    exact: int
    near: int

    def __add__(self, other: Likes) -> Likes:
        return Likes(self.texts + other.texts, self.exact + other.exact, self.near + other.near)

    @property
    def near_rate(self) -> float:
        """The share that repeats another nearly."""
        return self.near / self.texts if self.texts else 0.0


@dataclass
class Living:
    """A life taken into a home of its own."""

    life: Life
    home: Path
    embedder: Embedder | None = None
    zone: tzinfo = UTC
    nights: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.memory = Memory.open(self.home / "memory", embedder=self.embedder, write=True)
        self.work = Work(self.home / "work.db")
        self.themes = ThemesFolder(self.home / "themes")
        self.git = Git.open(self.life.path)
        self.repo: Repo = self.memory.index.add_repo(
            "shop", str(self.git.common_dir), str(self.life.path), root_commit(self.git)
        )

    def close(self) -> None:
        """Close memory and work."""
        self.memory.close()
        self.work.close()

    def take_in(self) -> None:
        """Read the repository, what people wrote, and what became of tests and documents."""
        self.read()
        take_in(self.memory, self.life.items(self.repo.id))
        self.life.record(self.work, self.repo.id)
        self.memory.fill_vectors()

    def read(self) -> None:
        """Read the repository."""
        ingest(self.git, self.memory, self.repo)

    def night(self, limits: Limits | None = None) -> Report:
        """Do a night, the one after the last day."""
        nights = Nights(
            self.memory, self.work, self.themes, self.home, 0, self.zone, self.life.end + 3 * 3600
        )
        return nights.run(limits or Limits())

    def files(self) -> dict[str, bytes]:
        """Return the files of the themes, the git repository's own aside."""
        root = self.themes.path
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file() and ".git" not in path.parts
        }

    def pages(self) -> list[Page]:
        """Return all pages of themes."""
        return [*self.themes.pages(None, weeks=False), *self.themes.pages(None, weeks=True)]

    # Measures

    def unresolved(self) -> list[str]:
        """Return the references of themes, and of their lines, that lead nowhere."""
        told = {
            (page.repo, ref)
            for page in self.pages()
            for theme in page.themes
            for ref in (
                *theme.references,
                *(ref for line in (*theme.what, *theme.why) for ref in line.references),
            )
        }
        return sorted(ref for repo, ref in told if not self._resolves(repo, ref))

    def _resolves(self, repo: str, ref: str) -> bool:
        if _SHA.fullmatch(ref):
            return self.memory.index.commit(repo, ref) is not None
        if ref.startswith("test:"):
            test, _, number = ref.removeprefix("test:").rpartition("@")
            return any(str(e.id) == number for e in self.work.runs.episodes(repo, test=test))
        if re.fullmatch(r"D\d+", ref):
            return self.work.proposals.get(int(ref[1:])).repo == repo
        return self.memory.index.items.get(ref) is not None

    def unfounded(self) -> list[str]:
        """Return the lines of themes that rest on nothing."""
        return [
            line.text
            for page in self.pages()
            for theme in page.themes
            for line in (*theme.what, *theme.why)
            if not line.references
        ]

    def self_derived(self) -> list[str]:
        """Return what memory holds that is made of themes, and the themes made of themes."""
        from_git_and_people = {"git", *(item.source for item in self.life.items(""))}
        sources = set(self.memory.store.column("chunks", "source").to_pylist())
        keys = {theme.key for page in self.pages() for theme in page.themes}
        told = {r for page in self.pages() for theme in page.themes for r in theme.references}
        return sorted((sources - from_git_and_people) | (keys & told))

    def repeated_in_pages(self) -> Likes:
        """Measure the titles of each page's themes, and the lines of each theme."""
        total = Likes(0, 0, 0)
        for page in self.pages():
            total += likes([theme.title for theme in page.themes])
            for theme in page.themes:
                total += likes([line.text for line in (*theme.what, *theme.why)])
        return total

    def repeated_in_recall(self, questions: Sequence[str], k: int = 10) -> Likes:
        """Measure what each question brings back; a commit and what took it back are two things."""
        back = self.life.truths.turning
        total = Likes(0, 0, 0)
        for question in questions:
            found = recall(self.memory, question, Filters(), k).passages
            told = [p.chunk for p in found if p.chunk.ref not in back]
            total += likes([f"{chunk.title}\n{chunk.text}" for chunk in told])
        return total

    def not_closed(self) -> list[Superseded]:
        """Return what is superseded and has no end date, or another one."""
        return [each for each in self.life.truths.superseded if not self._is_closed(each)]

    def _is_closed(self, told: Superseded) -> bool:
        if told.relation == "holds":
            mark = self.memory.index.marks.of([told.subject]).get((self.repo.id, told.subject))
            return mark is not None and mark.ended is not None
        facts = self.memory.index.facts.of(told.subject, relation=told.relation)
        return any(
            (fact.value, fact.since, fact.until) == (told.value, told.since, told.until)
            for fact in facts
        )

    def folded(self) -> dict[str, str]:
        """Return what is folded, and into what."""
        marks = [*self.memory.index.marks.all(self.repo.id), *self.memory.index.marks.all("")]
        return {mark.ref: mark.folded_into for mark in marks if mark.folded_into}


def likes(texts: Sequence[str]) -> Likes:
    """Count the texts that repeat one before them."""
    seen: list[tuple[str, frozenset[str]]] = []
    exact = near = 0
    for text in texts:
        words = frozenset(_plain_words(text))
        if any(text == other for other, _ in seen):
            exact += 1
        elif any(_dice(words, others) >= NEAR for _, others in seen):
            near += 1
        seen.append((text, words))
    return Likes(len(texts), exact, near)


def _plain_words(text: str) -> Iterator[str]:
    for word in re.findall(r"\w+", text.casefold()):
        yield re.sub(r"\d+", "0", word)


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0
