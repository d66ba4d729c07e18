"""What a question names to the letter: what is behind its shas, tickets and symbols."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .hits import TextSearch
from .memory import Memory
from .question import FEW, Asked
from .records import Commit, Filters, Kind
from .tokens import terms

SYMBOL_LIFT = 0.05
"""What a symbol adds to a commit's score where the question says more than the symbol."""
_SYMBOLS = 4
_HOLDERS = 200


class Exact(IntEnum):
    """Kinds of exact match, the surest last: they rank in this order, above all else."""

    SYMBOL = 0
    TICKET = 1
    SHA = 2
    ITEM = 3
    """The ticket or pull request itself that is named, in a question about little else."""


@dataclass(frozen=True, slots=True)
class Pin:
    """Why a commit or an item comes first."""

    kind: Exact
    name: str


def named_commits(
    memory: Memory, asked: Asked, filters: Filters
) -> tuple[dict[str, Pin], list[str]]:
    """Return the commits, inside the filters, whose sha or ticket is named, the tickets themselves
    and the discussions about them; also the names that nothing has."""
    pins: dict[str, Pin] = {}
    unknown: list[str] = []
    for kind, names in ((Exact.SHA, asked.shas), (Exact.TICKET, asked.tickets)):
        for name in names:
            found = (
                memory.index.resolve_sha(name, filters.repos)
                if kind is Exact.SHA
                else memory.index.commits_by_ticket(name, filters.repos)
            )
            admitted = [commit.sha for commit in found if _admits(filters, commit)]
            if kind is Exact.TICKET:
                about = memory.index.items.selected(filters, _HOLDERS, ticket=name)
                admitted += [item.ref for item in about]
                if _is_about(asked, name):
                    itself = (item for item in about if item.key.casefold() == name.casefold())
                    pins |= {item.ref: Pin(Exact.ITEM, name) for item in itself}
            for ref in admitted:
                pins.setdefault(ref, Pin(kind, name))
            if not admitted:
                unknown.append(name)
    return pins, unknown


def symbol_searches(
    asked: Asked, of_messages: Filters, of_contexts: Filters
) -> list[tuple[str, TextSearch]]:
    """Return the searches for chunks that hold a named symbol whole, each with its symbol."""
    return [
        (symbol, TextSearch(kind, symbol, filters, _HOLDERS))
        for symbol in asked.symbols[:_SYMBOLS]
        for kind, filters in ((Kind.MESSAGE, of_messages), (Kind.CONTEXT, of_contexts))
    ]


def _is_about(asked: Asked, name: str) -> bool:
    """Whether a question asks for little but the ticket that it names."""
    covered = set(terms(name))
    return sum(term not in covered for term in asked.terms) <= FEW


def _admits(filters: Filters, commit: Commit) -> bool:
    who = f"{commit.author} {commit.email}".casefold()
    return (
        filters.source in (None, "git")
        and (filters.author is None or filters.author.casefold() in who)
        and (filters.since is None or commit.time >= filters.since)
        and (filters.until is None or commit.time <= filters.until)
        and (filters.refs is None or commit.sha in filters.refs)
    )
