"""What a source is: it says whom it contacts and what it offers, and brings items page by page.

A source knows nothing of memory. Whoever fetches writes a page's items, then its cursor; killed in
between, the page comes again and is in memory once, since an item is known by its reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ...memory.errors import HermesError
from ...memory.records import Item

Options = Mapping[str, Any]
"""What a person said when adding a source, as JSON can hold it. Never a token: only its name."""


@dataclass(frozen=True, slots=True)
class Contact:
    """A host that a source may contact, and why."""

    host: str
    why: str


@dataclass(frozen=True, slots=True)
class Offered:
    """Something that can be read: a channel, a team, a repository, a file."""

    name: str
    wanted: bool
    """Whether it is read, as the source is set up."""
    why: str = ""
    """Why not: ``a private channel: name it to read it``."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some items, and where to go on after them."""

    items: tuple[Item, ...] = ()
    gone: tuple[str, ...] = ()
    """References of items that are not there any more."""
    cursor: str | None = None
    """What `Source.fetch` is to be given after this page; None: as before it."""
    done: int = 0
    total: int | None = None
    """How much was read of how much, in ``unit``; None where that is not known."""
    unit: str = ""
    """``messages``, ``files``."""
    notes: tuple[str, ...] = ()
    """What was left out, and why, one line each."""
    is_gone: Callable[[str], bool] | None = None
    """Beside ``gone``, of a source that keeps no names: asked of each reference that it brought,
    before the next page is."""


class Source(Protocol):
    """One place that items come from, as a person has set it up."""

    def contacts(self) -> tuple[Contact, ...]:
        """Return every host that may be contacted; none for what is read from disk."""
        ...

    def discover(self) -> tuple[Offered, ...]:
        """Look what there is to read. Raise SourceRefused, SourceAway or SourceBroken."""
        ...

    def fetch(self, cursor: str, should_stop: Callable[[], bool]) -> Iterator[Page]:
        """Yield what is new or changed since ``cursor`` (empty: all there is), page by page.

        A page takes a bounded amount of memory. Between pages and requests ``should_stop`` is
        looked at; once it is true, no more pages come. Raise SourceRefused, SourceAway or
        SourceBroken; what was yielded by then stays good.
        """
        ...


class SourceRefused(HermesError):
    """It will not work until a person changes something: a token, a scope, a name."""

    code = "source_refused"


class SourceAway(HermesError):
    """It can't be reached now, or asks for patience; it comes back by itself."""

    code = "source_away"

    def __init__(self, message: str, *, hint: str = "", after: float | None = None) -> None:
        """``after``: seconds to wait, where it has said so."""
        super().__init__(message, hint=hint)
        self.after = after


class SourceBroken(HermesError):
    """What it gave is not what it should be: a damaged archive, a table of another kind."""

    code = "source_broken"
