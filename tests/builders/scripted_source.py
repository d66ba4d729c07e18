"""A source whose pages a test writes down."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from hermes.ingest.sources.contract import Contact, Offered, Page
from hermes.memory.errors import HermesError
from hermes.memory.records import Item

CHAT = Contact("chat.example", "messages of two channels")


@dataclass
class Scripted:
    """Yields the pages that come behind a cursor, which is a page's number, and then perhaps raises.

    A page may also be something that is called when its turn comes.
    """

    pages: Sequence[Page | Callable[[], Page]]
    raises: HermesError | None = None
    hosts: tuple[Contact, ...] = (CHAT,)
    given: list[str] = field(default_factory=list[str])
    """The cursors that it was asked with."""

    def contacts(self) -> tuple[Contact, ...]:
        """Return the hosts it was made with."""
        return self.hosts

    def discover(self) -> tuple[Offered, ...]:
        """Return one channel."""
        return (Offered("payments", True),)

    def fetch(self, cursor: str, should_stop: Callable[[], bool]) -> Iterator[Page]:
        """Yield what comes behind the cursor."""
        self.given.append(cursor)
        done = int(cursor or 0)
        for number, page in enumerate(self.pages[done:], start=done + 1):
            if should_stop():
                return
            page = page if isinstance(page, Page) else page()
            yield replace(page, cursor=str(number), done=number, total=len(self.pages))
        if self.raises is not None:
            raise self.raises


def page(*items: Item, gone: Sequence[str] = (), notes: Sequence[str] = ()) -> Page:
    """Return a page of some messages."""
    return Page(items, tuple(gone), unit="messages", notes=tuple(notes))
