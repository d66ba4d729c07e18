"""A pull request, as GitHub's JSON tells it, into the item that memory keeps."""

from __future__ import annotations

from dataclasses import replace

from ....memory.records import Item, ItemKind
from ..ticket import Person, item_of
from .accounts import Naming, account_of
from .bundle import Bundle, Place
from .fields import inner, many
from .issues import ticket_of
from .links import links_of_pull


def pull_item(bundle: Bundle, place: Place, name: Naming) -> Item:
    """Return a pull request with its reviews, remarks on lines, conversation and commits."""
    ticket = ticket_of(bundle, place, name)
    return item_of(
        replace(
            ticket,
            kind=ItemKind.PULL,
            others=(*ticket.others, *_asked(bundle, name)),
            links=links_of_pull(bundle, place),
        )
    )


def _asked(bundle: Bundle, name: Naming) -> list[Person]:
    """Return those whose reviews are still waited for."""
    found = [account_of(each) for each in many(bundle.data, "requested_reviewers")]
    for each in many(bundle.data, "reviewRequests"):
        found.append(account_of(inner(each, "requestedReviewer") or each))
    return [name(who) for who in found if who.login]
