"""What items lead to: first what their source knew for sure, then what their text names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..memory.index import Index
from ..memory.records import Item, ItemKind, Link, LinkKind
from .git.branch_names import ticket_of
from .mentions import mentions, paths_in, record_key


def linked(index: Index, items: Sequence[Item]) -> list[Item]:
    """Return the items with all that they name; a decision record without a key gets its number."""
    words = [paths_in(f"{item.title}\n{item.text}") for item in items]
    files = index.files_among(set[str]().union(*words))
    return [
        _linked(item, {path for path in some if not item.repo or item.repo in files.get(path, ())})
        for item, some in zip(items, (some & files.keys() for some in words), strict=True)
    ]


def _linked(item: Item, files: set[str]) -> Item:
    key = item.key
    if item.kind is ItemKind.DOCUMENT and not key:
        key = record_key(item.path) or ""
    source, _, place = item.ref.partition(":")
    home = place.partition("#")[0] if source == "github" else ""
    said = mentions(f"{item.title}\n{item.text}", home=home, paths=files)
    branches = [link.target for link in item.links if link.kind is LinkKind.BRANCH]
    named = (*item.tickets, *filter(None, map(ticket_of, branches)), *said.tickets)
    tickets: dict[str, str] = {}
    for ticket in named:
        if ticket.casefold() != key.casefold():
            tickets.setdefault(ticket.casefold(), ticket)
    links = dict.fromkeys((*item.links, *(link for link in said.links if _is_away(link, item))))
    return replace(item, key=key, tickets=tuple(tickets.values()), links=tuple(links))


def _is_away(link: Link, item: Item) -> bool:
    """Whether a link leads to something else than the item itself."""
    return link.target.casefold() not in (item.ref.casefold(), item.path.casefold())
