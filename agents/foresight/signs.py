"""What a repository shows in the evening of the questions of the next day."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from ...memory.memory import Memory
from ...memory.records import Commit, Filters, Item, ItemKind, Repo
from ...memory.test_records import Colour
from ...memory.work import Work
from ..brief.pulls import squashed
from ..brief.records import Person
from ..brief.refs import Refs, read_refs
from ..brief.worktree import read_tree
from ..commits.ready import worktrees_of
from ..commits.tickets import of_branch
from .predict import Signs

DAYS = 21
"""Days of commits that are looked at."""
TICKET_DAYS = 5
"""Days of one's own commits of which tickets are asked about."""
CLOSED_DAYS = 3
"""Days for which a ticket is still asked about once it is closed."""
MOST_COMMITS = 500


def signs_of(
    memory: Memory, work: Work, repo: Repo, git: Git | None, person: Person, now: datetime
) -> Signs:
    """Read them. Blocking; what git can't tell is left out."""
    since = int((now - timedelta(DAYS)).timestamp())
    commits = memory.index.newest(Filters((repo.id,), since=since), MOST_COMMITS)
    plain = [commit for commit in commits if not commit.is_merge]
    own = [commit for commit in plain if person.wrote(commit.author, commit.email)]
    refs = None
    if git is not None:
        with suppress(GitError):
            refs = read_refs(git)
    red = work.runs.standings(repo.id, (Colour.RED,), 50)
    return Signs(
        repo=repo.id,
        own=own,
        all=plain,
        open_paths=[] if git is None or refs is None else _open_paths(git, refs),
        red=[each.test for each in red],
        any_runs=bool(work.runs.latest(repo.id, 1)),
        tickets=_tickets(memory, repo, own, refs, person, now),
    )


def _open_paths(git: Git, refs: Refs) -> list[str]:
    found: list[str] = []
    for worktree in worktrees_of(git)[:1]:
        with suppress(GitError, OSError):
            head, branch = refs.stands(worktree.at())
            found = [each.path for each in read_tree(git, worktree, head, branch).changed]
    return found


def _tickets(
    memory: Memory,
    repo: Repo,
    own: Sequence[Commit],
    refs: Refs | None,
    person: Person,
    now: datetime,
) -> list[str]:
    """Return open tickets: assigned to the person, of their branches, of their last commits."""
    items = memory.index.items
    waiting = items.find(
        kinds=(ItemKind.TICKET, ItemKind.PULL), repos=(repo.id, ""), open_only=True, limit=500
    )
    found = [item.key for item in waiting if item.key and _is_theirs(item, person)]
    fresh = now.timestamp() - DAYS * 86_400
    for ref in [] if refs is None else refs.local:
        ticket = of_branch(ref.short) if ref.committed >= fresh else None
        found += [ticket.key] if ticket is not None else []
    merged: list[str] = []
    for commit in own:
        if commit.time >= now.timestamp() - TICKET_DAYS * 86_400:
            pull = squashed(commit.subject)
            found += [key for key in commit.tickets[:2] if key != pull]
            merged += [pull] if pull else []
    found += merged
    keys = list(dict.fromkeys(key.upper() for key in found))
    closed = {
        item.key.upper(): item.closed
        for key in keys
        for item in items.by_key(key, (repo.id,))
        if item.closed is not None
    }
    lately = now.timestamp() - CLOSED_DAYS * 86_400
    return [
        *(key for key in keys if key not in closed),
        *(key for key in keys if key in closed and closed[key] >= lately),
    ]


def _is_theirs(item: Item, person: Person) -> bool:
    if item.assignee:
        return item.assignee in person.names
    return item.kind is ItemKind.PULL and person.wrote(item.author, item.email)
