"""Who somebody is of whom a source knows the address alone: called as git knows them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..memory.index import Index
from ..memory.records import Item


def named(index: Index, items: Sequence[Item]) -> list[Item]:
    """Return the items with a name for everybody who is called by the first part of their address,
    where a commit of that address has one."""
    bare = {who[1].casefold() for item in items for who in _people(item) if _is_bare(*who)}
    names = index.names_of(bare) if bare else {}
    return [_named(item, names) for item in items] if names else list(items)


def _people(item: Item) -> list[tuple[str, str]]:
    return [(item.author, item.email), *item.people]


def _is_bare(name: str, email: str) -> bool:
    return bool(name) and "@" in email and name == email.partition("@")[0]


def _named(item: Item, names: Mapping[str, str]) -> Item:
    known = {
        name: names[email.casefold()]
        for name, email in _people(item)
        if _is_bare(name, email) and email.casefold() in names
    }
    if not known:
        return item
    text = item.text
    for name, full in known.items():
        text = re.sub(
            rf"^{re.escape(name)}(?= \(|:)", full.replace("\\", r"\\"), text, flags=re.MULTILINE
        )
    return replace(
        item,
        text=text,
        author=known.get(item.author, item.author),
        assignee=known.get(item.assignee, item.assignee),
        people=tuple((known.get(name, name), email) for name, email in item.people),
        changes=tuple(
            replace(change, value=known.get(change.value, change.value))
            if change.field == "assignee"
            else change
            for change in item.changes
        ),
    )
