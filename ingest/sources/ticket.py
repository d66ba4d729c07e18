"""What every tracker's tickets have in common, and the item that memory keeps of one.

A tracker's own module reads its format into a `Ticket`; pull requests are made of the same parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...memory.records import Item, ItemChange, ItemKind, Link
from .transcript import transcript, turn

Person = tuple[str, str]
"""A name and an address; either may be empty."""

NOBODY: Person = ("", "")


@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody wrote on a ticket."""

    who: Person
    at: int | None
    text: str
    where: str = ""
    """What it is about, or what became of it: ``src/pool.py:40``, ``approved``."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket or a pull request, read from whatever format."""

    source: str
    ref: str
    key: str
    title: str
    author: Person
    time: int
    """When it was opened."""
    changed: int
    description: str = ""
    labels: tuple[str, ...] = ()
    comments: tuple[Comment, ...] = ()
    changes: tuple[ItemChange, ...] = ()
    state: str = ""
    closed: int | None = None
    assignee: Person = NOBODY
    others: tuple[Person, ...] = ()
    """Who else has a part in it: further assignees, those asked for a review."""
    url: str = ""
    links: tuple[Link, ...] = ()
    repo: str = ""
    kind: ItemKind = ItemKind.TICKET


def item_of(ticket: Ticket) -> Item:
    """Return what memory keeps of a ticket: its description and comments oldest first, who took
    part, and what became of its fields."""
    comments = sorted(ticket.comments, key=lambda comment: comment.at or ticket.time)
    turns = [turn(each.who[0], each.at, each.text, each.where) for each in comments]
    labels = f"Labels: {', '.join(ticket.labels)}" if ticket.labels else ""
    wrote = [each.who for each in comments]
    return Item(
        source=ticket.source,
        ref=ticket.ref,
        kind=ticket.kind,
        repo=ticket.repo,
        title=ticket.title.strip() or ticket.key,
        text=transcript(transcript(ticket.description, [labels]), turns),
        author=ticket.author[0],
        email=ticket.author[1],
        time=ticket.time,
        changed=max(ticket.changed, ticket.time),
        key=ticket.key,
        state=ticket.state,
        closed=ticket.closed,
        assignee=ticket.assignee[0],
        url=ticket.url,
        people=_each_once([ticket.author, *wrote, ticket.assignee, *ticket.others]),
        changes=tuple(sorted(ticket.changes, key=lambda change: change.at)),
        links=tuple(dict.fromkeys(ticket.links)),
    )


def _each_once(people: Iterable[Person]) -> tuple[Person, ...]:
    """Return people once each; who is known by an address is not named without it too."""
    known = {name for name, email in people if email}
    found = [each for each in people if each[1] or (each[0] and each[0] not in known)]
    return tuple(dict.fromkeys(found))
