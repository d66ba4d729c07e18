"""Which repositories and commits a question is about."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..ingest.git.command import Git
from ..ingest.git.errors import GitError
from ..ingest.git.history import commits_of
from ..memory.errors import HermesError
from ..memory.records import Filters, Repo
from .requests import FiltersIn


class NoSuchRepo(HermesError):
    """A repository is named that memory does not hold, or not clearly enough."""

    code = "not_in_memory"


class NoSuchBranch(HermesError):
    """A branch is named that none of the repositories has."""

    code = "no_branch"


def to_filters(
    asked: FiltersIn, cwd: str | None, repos: Sequence[Repo]
) -> tuple[Filters, tuple[str, ...]]:
    """Given what a caller asked, return the filters of recall, and notes for the person.

    Raise NoSuchRepo, NoSuchBranch, or a GitError if a branch can't be resolved.
    """
    notes: tuple[str, ...] = ()
    if asked.repos:
        chosen = [find_repo(name, repos) for name in asked.repos]
    else:
        chosen, notes = _around(cwd, repos)
    refs = None
    if asked.branch is not None:
        refs = _commits_of(asked.branch, chosen or repos)
    filters = Filters(
        repos=tuple(repo.id for repo in chosen),
        source=asked.source,
        path=asked.path,
        author=asked.author,
        since=asked.since,
        until=asked.until,
        refs=refs,
    )
    return filters, notes


def find_repo(name: str, repos: Sequence[Repo]) -> Repo:
    """Given an id, a name or a path, return the repository it means. Raise NoSuchRepo."""
    found = [repo for repo in repos if name in (repo.id, repo.path, repo.worktree)]
    found = found or [repo for repo in repos if repo.name == name]
    if not found and os.path.isabs(name):
        home = common_dir(Path(name))
        found = [repo for repo in repos if home is not None and repo.path == str(home)]
    if len(found) == 1:
        return found[0]
    if found:
        paths = ", ".join(repo.worktree or repo.path for repo in found)
        raise NoSuchRepo(f"several repositories are called {name}", hint=f"name one: {paths}")
    known = ", ".join(repo.name for repo in repos) or "none yet"
    raise NoSuchRepo(f"no repository {name} is in memory", hint=f"known: {known}")


def common_dir(folder: Path) -> Path | None:
    """Given a folder, return the git directory of the repository around it, shared by its
    worktrees; None if there is none. Reads a few small files: running git would cost a question
    more than finding its answer does."""
    for place in (folder, *folder.parents):
        entry = place / ".git"
        if entry.is_dir():
            return entry.resolve()
        if entry.is_file():
            return _linked(entry)
        if (place / "HEAD").is_file() and (place / "objects").is_dir():
            return _shared(place)
    return None


def _linked(entry: Path) -> Path | None:
    """Given a ``.git`` file (of a worktree or a submodule), return the common git directory."""
    text = entry.read_text(encoding="utf-8", errors="surrogateescape")
    if not text.startswith("gitdir: "):
        return None
    return _shared(entry.parent / text.removeprefix("gitdir: ").rstrip("\n"))


def _shared(git_dir: Path) -> Path:
    pointer = git_dir / "commondir"
    if pointer.is_file():
        text = pointer.read_text(encoding="utf-8", errors="surrogateescape")
        git_dir = git_dir / text.rstrip("\n")
    return git_dir.resolve()


def _around(cwd: str | None, repos: Sequence[Repo]) -> tuple[list[Repo], tuple[str, ...]]:
    home = common_dir(Path(cwd)) if cwd is not None else None
    if home is None:
        return [], ()
    for repo in repos:
        if repo.path == str(home) or Path(repo.path).resolve() == home:
            return [repo], ()
    if not repos:
        return [], ()
    return [], (
        "this repository is not in memory; all others are searched (hermes up adds this one)",
    )


def _commits_of(branch: str, repos: Sequence[Repo]) -> frozenset[str]:
    """Given a branch, return the commits it reaches in those of the repositories that have it."""
    found: set[str] = set()
    missing: list[GitError] = []
    for repo in repos:
        try:
            found |= commits_of(Git.open(repo.path), branch)
        except GitError as error:
            missing.append(error)
    if len(missing) == len(repos):
        names = ", ".join(repo.name for repo in repos) or "memory"
        raise NoSuchBranch(
            f"there is no branch {branch} in {names}",
            hint=missing[0].message if missing else "add a repository with hermes up",
        )
    return frozenset(found)
