"""Tickets and pull requests: what state they were in since when, and which discussions are over
because what they are about is closed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ...memory.records import DatedFact, Item, ItemKind, Mark

CLOSED_WEIGHT, OVER_WEIGHT = 0.95, 0.9
"""Share of the score that is left to a closed ticket, and to a discussion of one: what was decided
there still explains why, but what is open comes first."""
STATE, ASSIGNEE = "state", "assignee"

_DAY = 86_400


def subject_of(item: Item) -> str:
    """Return what facts about a ticket or a pull request are of: ``ticket:ENG-17``, ``pull:#482``."""
    return f"{item.kind.value}:{item.key or item.ref}"


def facts(repo: str, items: Iterable[Item]) -> list[DatedFact]:
    """Return the states and assignees of tickets and pull requests, each with its time.

    Where a source tells of no changes, what is so now counts since the item was begun.
    """
    found: dict[tuple[str, str, int, str], DatedFact] = {}
    for item in sorted(items, key=lambda item: item.ref):
        if item.kind not in (ItemKind.TICKET, ItemKind.PULL):
            continue
        now = {STATE: item.state, ASSIGNEE: item.assignee}
        for relation in (STATE, ASSIGNEE):
            steps = [(c.at, c.value) for c in item.changes if c.field == relation]
            if not steps and now[relation]:
                steps = [(item.time, now[relation])]
            for fact in _dated(repo, item, relation, steps):
                # As the table has it: one value at one moment, whatever its case.
                key = (fact.subject.casefold(), relation, fact.since, fact.value)
                found[key] = fact
    return list(found.values())


def _dated(
    repo: str, item: Item, relation: str, steps: Sequence[tuple[int, str]]
) -> list[DatedFact]:
    told: list[tuple[int, str]] = []
    for at, value in steps:
        if told and told[-1][0] == at:
            told.pop()  # at the same moment the last word counts
        if not told or told[-1][1] != value:
            told.append((at, value))
    ends = [*(at for at, _ in told[1:]), None][: len(told)]
    return [
        DatedFact(
            repo,
            subject_of(item),
            relation,
            value,
            at,
            item.ref,
            until=end,
            ended_by="" if end is None else item.ref,
        )
        for (at, value), end in zip(told, ends, strict=True)
        if value
    ]


def marks(repo: str, items: Iterable[Item], tickets: Iterable[Item]) -> list[Mark]:
    """Return the marks of closed tickets, and of discussions that ended before all that they name
    was closed.

    ``tickets``: the tickets and pull requests of every repository; a name that several of them
    have, and none in the discussion's own, stands for none.
    """
    named: dict[str, list[Item]] = defaultdict(list)
    for ticket in tickets:
        if ticket.key:
            named[ticket.key.casefold()].append(ticket)
    found: list[Mark] = []
    for item in sorted(items, key=lambda item: item.ref):
        if item.kind in (ItemKind.TICKET, ItemKind.PULL):
            if item.closed is not None and not _merged(item):
                found.append(_closed(repo, item))
        elif item.kind is ItemKind.THREAD and item.tickets:
            about = [_meant(item, named.get(key.casefold(), ())) for key in item.tickets]
            mark = _over(repo, item, about)
            if mark is not None:
                found.append(mark)
    return found


def _merged(item: Item) -> bool:
    """A merged pull request is not over: what it says is now so."""
    return item.kind is ItemKind.PULL and "merge" in item.state.casefold()


def _closed(repo: str, item: Item) -> Mark:
    return Mark(
        repo,
        item.ref,
        weight=CLOSED_WEIGHT,
        ended=item.closed,
        ended_by=item.ref,
        why="closed",
    )


def _meant(thread: Item, tickets: Sequence[Item]) -> Item | None:
    own = [ticket for ticket in tickets if ticket.repo == thread.repo]
    meant = own or tickets
    return meant[0] if len(meant) == 1 else None


def _over(repo: str, thread: Item, about: Sequence[Item | None]) -> Mark | None:
    closed = [ticket for ticket in about if ticket is not None and ticket.closed is not None]
    if len(closed) < len(about):
        return None  # something of it is open, or not known
    last = max(closed, key=lambda ticket: (ticket.closed or 0, ticket.ref))
    if last.closed is None or thread.changed > last.closed + _DAY:
        return None  # they went on talking: it is about more than that
    return Mark(
        repo,
        thread.ref,
        weight=OVER_WEIGHT,
        ended=last.closed,
        ended_by=last.ref,
        why=f"{last.key} was closed",
    )
