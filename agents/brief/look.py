"""What is read of a repository for a brief, once for all sources.

Nothing of the repository is run and nothing is written into it. Trees and commits are compared by
git; the worktree is compared by us (see worktree.py), since git would run clean filters for that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ...memory.records import Repo

Edit = Literal["changed", "new", "deleted", "staged", "conflict"]


@dataclass(frozen=True, slots=True)
class File:
    """A file that a commit touches; lines are None where they were not counted."""

    path: str
    added: int | None = None
    removed: int | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """One commit, as the brief sees it. Times are seconds since 1970."""

    sha: str
    parents: tuple[str, ...]
    author: str
    email: str
    """Both as .mailmap has them; the address in lower case."""
    at: int
    """When it was authored."""
    committed: int
    subject: str
    body: str = ""
    """The beginning of it."""
    files: tuple[File, ...] = ()
    """Empty for a merge."""
    tickets: tuple[str, ...] = ()

    @property
    def is_merge(self) -> bool:
        """Whether it has several parents."""
        return len(self.parents) > 1

    @property
    def short(self) -> str:
        """As a person writes it."""
        return self.sha[:7]


@dataclass(frozen=True, slots=True)
class Branch:
    """A local branch with work that is not on the main one."""

    name: str
    tip: str
    upstream: str
    """As ``origin/x``; empty if it has none."""
    gone: bool
    """Its upstream is not there any more."""
    ahead: int
    """Commits that no remote has; of a repository without remotes those not on the main branch."""
    behind: int
    """Commits of its upstream that it has not."""
    commits: tuple[Done, ...]
    """Those that are not on the main branch, newest first; few of them."""
    current: bool = False

    @property
    def paths(self) -> frozenset[str]:
        """All files that its commits touch."""
        return frozenset(file.path for done in self.commits for file in done.files)


@dataclass(frozen=True, slots=True)
class Stash:
    """Work that was put aside."""

    number: int
    sha: str
    at: int
    text: str
    """As git words it: ``WIP on main: 3f2a9c1 Add x``, ``On main: my words``."""
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changed:
    """A file with work that is not committed."""

    path: str
    edits: frozenset[Edit]
    at: float | None
    """When it was changed last; None if it is not there."""
    notes: tuple[str, ...] = ()
    """TODO and FIXME lines that are new in it: ``41: FIXME handle jitter``."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What git is in the middle of."""

    kind: str
    """``rebase``, ``merge``, ``cherry-pick``, ``revert``, ``bisect`` or ``am``."""
    since: float
    branch: str = ""
    onto: str = ""
    """The sha that is rebased onto, or merged."""
    step: str = ""
    """``2 of 5``."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A working tree as it is now."""

    path: Path
    branch: str
    """Empty where HEAD is on none."""
    head: str
    """Empty before the first commit."""
    changed: tuple[Changed, ...] = ()
    operation: Operation | None = None
    main: bool = True
    """Not a linked worktree."""


@dataclass(frozen=True, slots=True)
class News:
    """What came to the main branch from others."""

    name: str
    """``main``, or ``origin/main``."""
    commits: tuple[Done, ...] = ()
    """Newest first: what the person's own work does not build upon."""
    forced: tuple[str, str] | None = None
    """The sha that was on it, and the one that took its place, if it was force-pushed."""
    branches: tuple[tuple[str, tuple[Done, ...]], ...] = ()
    """New work of others on other remote branches."""


@dataclass(frozen=True, slots=True)
class Look:
    """One repository, read."""

    repo: Repo
    own: tuple[Done, ...] = ()
    """The person's commits of the period on any local branch, newest first; in a team's brief
    everybody's."""
    branches: tuple[Branch, ...] = ()
    stashes: tuple[Stash, ...] = ()
    trees: tuple[Tree, ...] = ()
    news: News = field(default_factory=lambda: News("main"))
    lately: frozenset[str] = frozenset()
    """Files that the person touched in the last week."""
    merges: tuple[Done, ...] = ()
    """All merges of the period, without files."""
    graph: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The parents of all commits of the period."""
    main: tuple[str, ...] = ()
    """Where the main branch stands, as each remote and this repository have it."""
    again: frozenset[str] = frozenset()
    """Commits of branches that are on the main one in another shape, and told of as that."""
    failed: str = ""
    """Why it could not be read, in words."""
    partly: Sequence[str] = ()
    """What of it could not be read, in words."""
