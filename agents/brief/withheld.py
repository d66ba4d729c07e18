"""What was read of a repository without what is forgotten: git still has it, and the brief reads git."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...memory.sieve import Sieve
from .look import Branch, Changed, Done, File, Look, Stash


def without(look: Look, sieve: Sieve) -> Look:
    """Return what is left of a look; itself where nothing is to be left out."""
    if not sieve:
        return look
    return replace(
        look,
        own=_commits(look.own, sieve),
        branches=tuple(_branch(branch, sieve) for branch in look.branches),
        stashes=tuple(_stash(stash, sieve) for stash in look.stashes),
        trees=tuple(
            replace(tree, changed=tuple(_changed(tree.changed, sieve))) for tree in look.trees
        ),
        news=replace(
            look.news,
            commits=_commits(look.news.commits, sieve),
            branches=tuple(
                (name, left)
                for name, commits in look.news.branches
                if (left := _commits(commits, sieve))
            ),
        ),
        lately=frozenset(path for path in look.lately if not sieve.is_path(path)),
        merges=_commits(look.merges, sieve),
    )


def _commits(commits: Iterable[Done], sieve: Sieve) -> tuple[Done, ...]:
    return tuple(
        replace(
            done,
            subject=sieve.clean(done.subject),
            body=sieve.clean(done.body),
            files=tuple(_files(done.files, sieve)),
        )
        for done in commits
        if not sieve.is_person(done.author, done.email)
        and not any(rule.is_of("git", done.at) for _, rule in sieve.rules)
    )


def _files(files: Iterable[File], sieve: Sieve) -> Iterable[File]:
    return (file for file in files if not sieve.is_path(file.path))


def _branch(branch: Branch, sieve: Sieve) -> Branch:
    return replace(branch, commits=_commits(branch.commits, sieve))


def _stash(stash: Stash, sieve: Sieve) -> Stash:
    paths = tuple(path for path in stash.paths if not sieve.is_path(path))
    return replace(stash, text=sieve.clean(stash.text), paths=paths)


def _changed(changed: Iterable[Changed], sieve: Sieve) -> Iterable[Changed]:
    for each in changed:
        if not sieve.is_path(each.path):
            yield replace(each, notes=tuple(map(sieve.clean, each.notes)))
