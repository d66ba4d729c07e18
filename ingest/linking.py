"""What items lead to: first what their source knew for sure, then what their text names. And what
commits lead to that were read before that was noted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..memory.index import Index
from ..memory.memory import Memory
from ..memory.records import Item, ItemKind, Link, LinkKind
from ..memory.unlinked import Names
from .git.branch_names import ticket_of
from .mentions import mentions, mentions_of_commit, paths_in, record_key

AT_ONCE = 500
"""Messages that are looked at, and written down, at once."""


def link_commits(
    memory: Memory,
    should_stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> int:
    """Note what the commits name that were read before that was noted; return how many they were.

    Their messages are in memory as they were read, so git is not asked, and what is forgotten stays
    so. May be stopped, or killed, and called again.
    """
    unlinked = memory.index.unlinked
    total = unlinked.count()
    done = 0
    while not should_stop() and (some := unlinked.some(AT_ONCE)):
        messages = memory.store.texts([commit.message for commit in some])
        said = {commit: Names() for commit in some}
        for commit in some:
            if (message := messages.get(commit.message)) is not None:
                found = mentions_of_commit(message)
                said[commit] = Names(found.tickets, found.links)
        unlinked.note(said)
        done += len(some)
        on_progress(done, total)
    return done


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
