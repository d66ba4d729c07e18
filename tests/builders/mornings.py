"""A morning: repositories, a memory and what agents found out, for the facts of a brief."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from hermes.agents.brief.calendar import day_of
from hermes.agents.brief.records import Fact, Found, Period, Person, Scope
from hermes.agents.brief.sources import gather
from hermes.ingest.git.command import Git
from hermes.memory.memory import Memory
from hermes.memory.records import Repo
from hermes.memory.work import Work

from .git import ALEX, SAM, RepoBuilder

NOW = int(datetime(2025, 3, 4, 8, 42, tzinfo=UTC).timestamp())
"""A Tuesday."""
SINCE = int(datetime(2025, 3, 3, 4, 0, tzinfo=UTC).timestamp())
HOUR = 3600
YESTERDAY = NOW - 17 * HOUR
"""15:42 of the Monday."""
LAST_NIGHT = NOW - 9 * HOUR
LONG_AGO = NOW - 60 * 86_400
ME = Person(frozenset({"Sam Doe"}), frozenset({"sam@example.com"}))

__all__ = ["ALEX", "HOUR", "LAST_NIGHT", "LONG_AGO", "ME", "NOW", "SAM", "YESTERDAY", "Morning"]


@dataclass
class Morning:
    """Sam's repositories on a Tuesday at 08:42, and what is told of them."""

    folder: Path
    person: Person = ME
    builders: list[RepoBuilder] = field(default_factory=list[RepoBuilder])

    def __post_init__(self) -> None:
        self.work = Work(self.folder / "work.db")
        self.memory = Memory.open(self.folder / "memory", embedder=None, write=True)

    def close(self) -> None:
        """Close memory and work."""
        self.memory.close()
        self.work.close()

    def shared(self, name: str = "shop") -> tuple[RepoBuilder, RepoBuilder]:
        """Make a repository that Sam and Alex share: return Sam's clone and Alex's."""
        origin = RepoBuilder(self.folder / f"{name}.git", bare=True)
        sam = self.add(name)
        sam.git("remote", "add", "origin", str(origin.path))
        sam.commit(
            {"queue/retry.py": "a = 1\nb = 2\nc = 3\n", "web/login.py": "x = 1\n"},
            "Begin",
            when=LONG_AGO,
        )
        sam.git("push", "--quiet", "--set-upstream", "origin", "main", environment=dated(LONG_AGO))
        alex = RepoBuilder(self.folder / f"{name}-alex", existing=True)
        sam.git("clone", "--quiet", str(origin.path), str(alex.path))
        return sam, alex

    def add(self, name: str = "shop") -> RepoBuilder:
        """Make a repository of Sam's."""
        builder = RepoBuilder(self.folder / name)
        self.builders.append(builder)
        return builder

    def scope(self, *, since: int = SINCE, everybody: bool = False) -> Scope:
        """Return what the brief is made from."""
        repos: list[tuple[Repo, Git]] = []
        for builder in self.builders:
            git = Git.open(builder.path)
            worktree = None if git.worktree is None else str(git.worktree)
            repos.append(
                (
                    Repo(
                        builder.path.name, builder.path.name, str(git.common_dir), worktree, None, 0
                    ),
                    git,
                )
            )
        period = Period(day_of(NOW, UTC), since, NOW, "since yesterday", UTC)
        return Scope(self.memory, self.work, repos, self.person, period, everybody)

    def found(
        self, *, since: int = SINCE, everybody: bool = False, held: Sequence[Fact] = ()
    ) -> Found:
        """Return what is so."""
        return gather(self.scope(since=since, everybody=everybody), held)

    def facts(self, prefix: str = "", *, everybody: bool = False) -> list[Fact]:
        """Return the facts whose keys begin so."""
        return [
            fact for fact in self.found(everybody=everybody).facts if fact.key.startswith(prefix)
        ]

    def texts(self, prefix: str = "", *, everybody: bool = False) -> list[str]:
        """Return their sentences."""
        return [fact.text for fact in self.facts(prefix, everybody=everybody)]

    def as_person(self, person: Person) -> None:
        """Have it be for somebody else."""
        self.person = replace(person)


def dated(when: int) -> dict[str, str]:
    """Return an environment in which git's records have this time."""
    people: dict[str, str] = {}
    for role in ("AUTHOR", "COMMITTER"):
        people |= {
            f"GIT_{role}_NAME": "Sam Doe",
            f"GIT_{role}_EMAIL": "sam@example.com",
            f"GIT_{role}_DATE": f"{when} +0000",
        }
    return people


def edit(builder: RepoBuilder, path: str, text: str, when: int = YESTERDAY) -> None:
    """Write a file as if it had been saved then."""
    builder.write({path: text})
    os.utime(builder.path / path, (when, when))
