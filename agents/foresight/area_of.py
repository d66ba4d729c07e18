"""Which part of a repository a person means: by its path, by the name of a folder or a file, or by
the scope that subjects begin with."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ...memory.index import Index
from ...memory.records import Commit
from ...memory.tokens import terms
from ..brief.grouping import scope_in
from ..commits.paths import role_of
from ..themes.records import Theme
from ..words import overlap

MOST_PATHS = 8
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_PATH_LIKE = re.compile(r"/|\.[A-Za-z]\w{0,5}$")


@dataclass(frozen=True, slots=True)
class Area:
    """A part of the repositories asked about."""

    name: str
    """As it is called in the answer; empty for everything."""
    paths: tuple[str, ...] = ()
    """Files and folders; empty where no path is called so."""
    words: frozenset[str] = frozenset()
    """Terms of its name, by which scopes and titles are compared."""
    by_words: bool = False
    """It was not given as a path."""

    @property
    def everything(self) -> bool:
        """Whether nothing is left out."""
        return not self.name

    def holds(self, path: str) -> bool:
        """Say whether a file lies in it."""
        return self.everything or any(
            path == each or path.startswith(f"{each}/") for each in self.paths
        )

    def is_named_by(self, commit: Commit) -> bool:
        """Say whether a commit's subject names it: ``fix(payments): …``; where the area is called
        by words rather than by a path, anywhere."""
        scope = scope_in(commit.subject)
        if not self.words:
            return False
        if scope and frozenset(terms(scope)) == self.words:
            return True
        return self.by_words and overlap(commit.subject, self.words) == 1.0

    def is_about(self, theme: Theme, shas: Collection[str]) -> bool:
        """Say whether a theme is about it: by its key or its title, or since at least half of its
        commits are among ``shas``, which are the area's. One that only touched it is not."""
        if self.everything:
            return True
        commits = [ref for ref in theme.references if is_sha(ref)]
        if commits and 2 * len(frozenset(commits).intersection(shas)) >= len(commits):
            return True
        _, _, named = theme.key.partition(":")
        return bool(self.words) and (
            frozenset(terms(named)) == self.words or overlap(theme.title, self.words) == 1.0
        )


def is_sha(reference: str) -> bool:
    """Say whether a reference of a theme is a commit's."""
    return _SHA.fullmatch(reference) is not None


def area_of(subject: str, index: Index, repos: Sequence[str]) -> Area:
    """Given an area as it was typed, return it; without paths where none is called so."""
    bare = subject.strip("/").removeprefix("./")
    if not bare:
        return Area("")
    words = _words(bare)
    if index.path_exists(bare, repos):
        return Area(bare + ("/" if subject.endswith("/") else ""), (bare,), words)
    if _PATH_LIKE.search(subject):
        ends = [path for path in index.paths(repos) if f"/{path}".endswith(f"/{bare}")]
        return Area(bare, tuple(ends[:MOST_PATHS]), words)
    # A stem may differ from the word in its last letter: "librari".
    parts = [term if term.isdigit() or len(term) < 4 else term[:-1] for term in words]
    paths = index.paths_holding(parts, repos) if words else []
    return Area(bare, _called(paths, words), words, by_words=True)


def _words(name: str) -> frozenset[str]:
    """Return the terms of the last part of a path, or of words."""
    last = name.rpartition("/")[2]
    stem = last.rpartition(".")[0] if _PATH_LIKE.search(last) else last
    return frozenset(terms(stem or last))


def _called(paths: Iterable[str], words: frozenset[str]) -> tuple[str, ...]:
    """Return the folders and files that are called so, outermost first; those of tests and
    documents only where there are no others."""
    found: dict[str, None] = {}
    for path in paths:
        parts = path.split("/")
        for place, part in enumerate(parts):
            if _words(part) == words:
                found["/".join(parts[: place + 1])] = None
                break
    code = [path for path in found if role_of(path) == "code"] or list(found)
    return tuple(sorted(code, key=lambda path: (path.count("/"), path))[:MOST_PATHS])
