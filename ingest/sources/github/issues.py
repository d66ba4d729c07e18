"""An issue, as GitHub's JSON tells it, into the item that memory keeps."""

from __future__ import annotations

from dataclasses import replace

from ....memory.records import Item
from ..ticket import NOBODY, Ticket, item_of
from .accounts import Naming, account
from .bundle import Bundle, Place, page_of
from .fields import Json, as_list, as_object, moment, text
from .history import assignees_of, changes_of, closed_at, state_of
from .links import links_of_issue
from .talk import comments_of, readable


def issue_item(bundle: Bundle, place: Place, name: Naming) -> Item:
    """Return an issue with its conversation and history."""
    return item_of(replace(ticket_of(bundle, place, name), links=links_of_issue(bundle, place)))


def ticket_of(bundle: Bundle, place: Place, name: Naming) -> Ticket:
    """Return what issues and pull requests have in common."""
    data = bundle.data
    opened = moment(data, "created_at", "createdAt") or moment(data, "updated_at", "updatedAt") or 0
    assignees = assignees_of(bundle, name)
    return Ticket(
        source="github",
        ref=place.ref(bundle.number),
        key=f"#{bundle.number}",
        title=text(data, "title"),
        author=name(account(data, "user", "author")),
        time=opened,
        changed=moment(data, "updated_at", "updatedAt") or opened,
        description=readable(text(data, "body"), name),
        labels=labels_of(data),
        comments=comments_of(bundle, name),
        changes=changes_of(bundle, opened, name),
        state=state_of(bundle),
        closed=closed_at(bundle),
        assignee=assignees[0] if assignees else NOBODY,
        others=tuple(assignees[1:]),
        url=page_of(data),
        repo=place.repo,
    )


def labels_of(data: Json) -> tuple[str, ...]:
    """Return the names of its labels; old issues have them as mere text."""
    labels = as_list(data.get("labels"))
    names = [each if isinstance(each, str) else text(as_object(each), "name") for each in labels]
    return tuple(name for name in names if name)
