"""A pull request, as GitHub's JSON tells it, into the item that memory keeps."""

from __future__ import annotations

from dataclasses import replace

from ....memory.records import Item, ItemKind
from ..ticket import item_of
from .accounts import Naming
from .bundle import Bundle, Place
from .history import asked_of
from .issues import ticket_of
from .links import links_of_pull


def pull_item(bundle: Bundle, place: Place, name: Naming) -> Item:
    """Return a pull request with its reviews, remarks on lines, conversation and commits."""
    ticket = ticket_of(bundle, place, name)
    return item_of(
        replace(
            ticket,
            kind=ItemKind.PULL,
            others=(*ticket.others, *asked_of(bundle, name)),
            links=links_of_pull(bundle, place),
        )
    )
