"""Discussions and tickets as sources would hand them to memory, made up."""

from __future__ import annotations

from collections.abc import Sequence

from hermes.memory.records import Item, ItemChange, ItemKind

SAM = ("Sam Ito", "sam@example.org")
KIM = ("Kim Noor", "kim@example.org")
BEGUN = 1_700_000_000
"""When thread number 0 was begun; each next one is a minute younger, and half a minute long."""


def thread(
    number: int,
    text: str = "",
    *,
    repo: str = "",
    source: str = "slack",
    people: Sequence[tuple[str, str]] = (SAM, KIM),
    tickets: Sequence[str] = (),
    time: int | None = None,
) -> Item:
    """Return a discussion; the first of its people began it."""
    begun = BEGUN + 60 * number if time is None else time
    text = text or f"thread number{number}\nKim Noor: and an answer"
    return Item(
        source=source,
        ref=f"{source}:C024/{number}",
        kind=ItemKind.THREAD,
        repo=repo,
        title=text.partition("\n")[0],
        text=text,
        author=people[0][0],
        email=people[0][1],
        time=begun,
        changed=begun + 30,
        url=f"https://chat.example/archives/C024/p{number}",
        tickets=tuple(tickets),
        people=tuple(people),
    )


def ticket(
    key: str,
    title: str,
    text: str = "",
    *,
    repo: str = "",
    source: str = "linear",
    time: int = BEGUN,
    assignee: str = "",
    changes: Sequence[ItemChange] = (),
    state: str = "In Progress",
    closed: int | None = None,
) -> Item:
    """Return a ticket that Sam wrote."""
    return Item(
        source=source,
        ref=f"{source}:{key}",
        kind=ItemKind.TICKET,
        repo=repo,
        title=title,
        text=text or title,
        author=SAM[0],
        email=SAM[1],
        time=time,
        changed=max([time, closed or 0, *(change.at for change in changes)]),
        key=key,
        state=state,
        closed=closed,
        assignee=assignee,
        url=f"https://tracker.example/{key}",
        people=(SAM,),
        changes=tuple(changes),
    )
