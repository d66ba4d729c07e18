"""A ticket as Linear's API has it, made the item that memory keeps."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....memory.records import Item, ItemChange, Link, LinkKind
from ..github.fields import Json, inner, many, moment, text
from ..ticket import NOBODY, Comment, Person, Ticket, item_of

_GITHUB = re.compile(
    r"https://github\.com/([\w.-]+/[\w.-]+)/(?:pull|issues)/([1-9]\d{0,8})(?:[/?#]|$)"
)


def ref_of(key: str) -> str:
    """Return the reference of the ticket that people call ``key``."""
    return f"linear:{key}"


def read(issue: Json, comments: Sequence[Json], history: Sequence[Json]) -> Item | None:
    """Return the item of a ticket with all its comments and changes; None where it says too little
    to be one."""
    key, begun = text(issue, "identifier"), moment(issue, "createdAt")
    if not key or begun is None:
        return None
    said = tuple(
        Comment(_who(each, "user", "externalUser"), moment(each, "createdAt"), text(each, "body"))
        for each in comments
    )
    edits = [moment(each, "updatedAt", "createdAt") or 0 for each in comments]
    return item_of(
        Ticket(
            source="linear",
            ref=ref_of(key),
            key=key,
            title=text(issue, "title"),
            author=_who(issue, "creator", "externalUserCreator"),
            time=begun,
            changed=max([moment(issue, "updatedAt") or begun, *edits]),
            description=text(issue, "description"),
            labels=tuple(text(each, "name") for each in many(issue, "labels")),
            comments=said,
            changes=tuple(_changes(issue, history, begun)),
            state=text(inner(issue, "state"), "name"),
            closed=moment(issue, "completedAt", "canceledAt"),
            assignee=_person(inner(issue, "assignee")),
            url=text(issue, "url"),
            links=tuple(_links(issue)),
        )
    )


def _who(data: Json, *names: str) -> Person:
    """Return who did something: a person, one of another program, or a program."""
    found = (_person(inner(data, name)) for name in (*names, "botActor"))
    return next((who for who in found if who[0]), NOBODY)


def _person(data: Json) -> Person:
    return text(data, "name"), text(data, "email")


def _changes(issue: Json, history: Sequence[Json], begun: int) -> list[ItemChange]:
    """Return what became of its state and assignee, from the beginning on: the first change says
    what it was before."""
    ordered = sorted(history, key=lambda each: moment(each, "createdAt") or begun)
    found: list[ItemChange] = []
    states = [each for each in ordered if inner(each, "toState")]
    first = inner(states[0], "fromState") if states else inner(issue, "state")
    if name := text(first, "name"):
        found.append(ItemChange(begun, "state", name))
    found += [
        ItemChange(
            moment(each, "createdAt") or begun, "state", text(inner(each, "toState"), "name")
        )
        for each in states
    ]
    given = [each for each in ordered if text(each, "fromAssigneeId", "toAssigneeId")]
    first = inner(given[0], "fromAssignee") if given else inner(issue, "assignee")
    if name := text(first, "name"):
        found.append(ItemChange(begun, "assignee", name))
    found += [
        ItemChange(
            moment(each, "createdAt") or begun, "assignee", text(inner(each, "toAssignee"), "name")
        )
        for each in given
    ]
    return found


def _links(issue: Json) -> list[Link]:
    found = [Link(LinkKind.BRANCH, text(issue, "branchName"))]
    found += [
        Link(LinkKind.ITEM, _target(text(each, "url"))) for each in many(issue, "attachments")
    ]
    others = [inner(issue, "parent"), *(inner(e, "relatedIssue") for e in many(issue, "relations"))]
    found += [
        Link(LinkKind.ITEM, ref_of(key)) for each in others if (key := text(each, "identifier"))
    ]
    return [link for link in found if link.target]


def _target(url: str) -> str:
    """Return what an attached address is called in memory: a pull request by its reference."""
    found = _GITHUB.match(url)
    return f"github:{found[1]}#{found[2]}" if found else url
