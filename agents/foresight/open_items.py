"""What is open, for everybody or for one person, and what somebody said about a topic."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ...ingest.sources.transcript import Turn, turns
from ...memory.records import Item, ItemKind
from ..answer_events import iso_day
from ..brief.mine import Names, logins_of, names_in
from ..brief.person import NOBODY
from ..brief.records import Person
from ..brief.wording import counted, listed, quoted
from ..reasons import shorten
from ..words import overlap, question_terms
from ..written import quoted as in_words
from .asked import Asked
from .asked_items import OfItems, Which
from .ground import Ground, Told, cites, local_day, told

MOST = 8
MOST_SAID = 6
_QUOTE = 200
_HELD = 0.5
"""Share of a topic's words that a turn, or what it answers, has to hold."""
_OPEN = (ItemKind.TICKET, ItemKind.PULL)
_TALK = (*_OPEN, ItemKind.THREAD)
_KINDS = {Which.TICKETS: _OPEN[:1], Which.PULLS: _OPEN[1:], Which.REVIEW: _OPEN[1:]}
_WORDS = {ItemKind.TICKET: "ticket", ItemKind.PULL: "pull request"}
_BROUGHT_BY = {ItemKind.TICKET: ("linear", "github"), ItemKind.PULL: ("github",)}
_VERDICT = re.compile(r"(?:approved|changes requested) by (?P<who>.+)")


def tell_items(asked: Asked, ground: Ground) -> Told | None:
    """Return the answer; None where it names nobody that is known, or nothing bears on the topic."""
    wanted = asked.items
    if wanted is None or ground.filters.path is not None:
        return None
    person = Person()
    if wanted.who == "me":
        person = ground.asker()
        if not person.known:
            return Told(told([f"{NOBODY[0].upper()}{NOBODY[1:]}."]).texts, relevant=False)
    elif wanted.who:
        person = _called(wanted.who, ground)
        if not person.known:
            return None
    if wanted.which is Which.SAID:
        return _said(wanted, person, ground)
    return _open(wanted, person, ground)


def _called(part: str, ground: Ground) -> Person:
    """Return whoever has these words in their name, or this before the @ of their address."""
    index, words = ground.memory.index, _plain(part).split()
    known = [(each.name, each.email) for each in index.authors()] + index.items.people()
    for item in index.items.find(kinds=_OPEN, open_only=True):
        known += [*item.people, (item.assignee, "")]
    found = [
        (name, email)
        for name, email in known
        if set(words) <= set(_plain(name).split())
        or _plain(part) in (_plain(email), _plain(email).partition("@")[0])
    ]
    return Person(
        frozenset(name for name, _ in found if name),
        frozenset(email.lower() for _, email in found if email),
    )


def _plain(text: str) -> str:
    """Return a name in small letters without accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in parts if not unicodedata.combining(each))


# What is open


def _open(wanted: OfItems, person: Person, ground: Ground) -> Told:
    kinds, index = _KINDS.get(wanted.which, _OPEN), ground.memory.index
    filters = ground.filters
    items = index.items.find(
        kinds=kinds,
        repos=(*ground.ids, ""),
        since=filters.since,
        until=filters.until,
        open_only=True,
    )
    aliases = index.items.called(person.emails) | logins_of(person)
    found = [item for item in items if _meant(item, wanted, names_in(item, person, aliases))]
    if not found:
        what = " or ".join(_WORDS[kind] for kind in kinds)
        text = f"Memory knows no open {what}{_of(wanted, person)}."
        return Told(told([text, *_unread(kinds, ground)]).texts, relevant=False)
    counts = [
        counted(number, f"open {_WORDS[kind]}")
        for kind in kinds
        if (number := sum(item.kind is kind for item in found))
    ]
    texts = [f"{listed(counts)}{_of(wanted, person, len(found))}:"]
    texts += [_line(item, ground) for item in found[:MOST]]
    if len(found) > MOST:
        texts.append(f"- and {len(found) - MOST} more.")
    return told(texts)


def _of(wanted: OfItems, person: Person, number: int = 1) -> str:
    """Say of tickets and pull requests whose they are, or who is to review them."""
    own = wanted.who == "me"
    who = listed(sorted(person.names))
    if wanted.which is Which.REVIEW:
        by = f" by {'you' if own else who}" if wanted.who else ""
        wait = "waits" if number == 1 else "wait"
        return f" that {wait} for a review{by}"
    if not wanted.who:
        return ""
    if wanted.which is Which.ASSIGNED:
        return f" assigned to {'you' if own else who}"
    return " of yours" if own else f" of {who}"


def _meant(item: Item, wanted: OfItems, names: Names) -> bool:
    if wanted.which is Which.REVIEW:
        waited_for = _waited_for(item)
        if wanted.who:
            return any(names.have(each) for each in waited_for)
        reviewed = any(change.field == "review" for change in item.changes)
        return item.state != "draft" and (bool(waited_for) or not reviewed)
    if not wanted.who:
        return True
    if item.kind is ItemKind.PULL and wanted.which is not Which.ASSIGNED:
        return names.have(item.author) or names.have(item.assignee)
    return names.have(item.assignee)


def _waited_for(item: Item) -> list[str]:
    """Return whose reviews were asked for and not given since."""
    given = {
        said["who"]: change.at
        for change in item.changes
        if change.field == "review" and (said := _VERDICT.fullmatch(change.value))
    }
    asked = [change for change in item.changes if change.field == "reviewer"]
    waits = [change.value for change in asked if given.get(change.value, -1) < change.at]
    return list(dict.fromkeys(waits))


def _line(item: Item, ground: Ground) -> str:
    states = [change.at for change in item.changes if change.field == "state"]
    since = local_day(states[-1] if states else item.time)
    if item.kind is ItemKind.PULL:
        whose = f"by {item.author or 'somebody'}"
        waits = _waited_for(item)
        whose += f", waits for a review by {listed(waits, 2)}" if waits else ""
    else:
        whose = f"assigned to {item.assignee or 'nobody'}"
    cite = cites([ground.cite_item(item)])
    named = f"{item.key} {quoted(item.title)}".strip()
    return f"- {named} is {item.state or 'open'} since {since}, {whose} {cite}."


def _unread(kinds: Sequence[ItemKind], ground: Ground) -> list[str]:
    """Say which kinds no source brings, and how one is added."""
    added = {row.kind for row in ground.memory.index.sources.all()}
    missing = [kind for kind in kinds if added.isdisjoint(_BROUGHT_BY[kind])]
    return [
        f"No source of {_WORDS[kind]}s is added: hermes sources add {' or '.join(_BROUGHT_BY[kind])}."
        for kind in missing
    ]


# What was said


def _said(wanted: OfItems, person: Person, ground: Ground) -> Told | None:
    items, terms = ground.memory.index.items, question_terms(wanted.topic)
    aliases = items.called(person.emails) | logins_of(person)
    filters = ground.filters
    found: list[tuple[bool, int, Turn, Item]] = []
    for item in items.find(kinds=_TALK, repos=(*ground.ids, ""), since=filters.since):
        names = names_in(item, person, aliases)
        opening, said = turns(item.text, [name for name, _ in item.people])
        if opening and item.kind is not ItemKind.THREAD:
            said.insert(0, Turn(item.author, item.time, opening))
        before = item.title
        for each in said:
            itself, at = overlap(each.text, terms) >= _HELD, each.at or item.time
            bears = itself or overlap(before, terms) >= _HELD
            within = (filters.since or 0) <= at and (filters.until is None or at < filters.until)
            if bears and within and names.have(each.who):
                found.append((itself, at, each, item))
            before = f"{item.title} {each.text}"
    if not found:
        return None
    found.sort(key=lambda one: (one[0], one[1]), reverse=True)
    texts: list[str] = []
    for _, at, each, item in found[:MOST_SAID]:
        place = f"{item.key} {quoted(item.title)}" if item.key else quoted(item.title)
        cite = cites([ground.cite_item(item)])
        words = in_words(shorten(each.text, _QUOTE))
        texts.append(f"{each.who} said on {iso_day(at)} in {place}: {words} {cite}.")
    if len(found) > MOST_SAID:
        texts.append(f"And {len(found) - MOST_SAID} times more.")
    return told(texts, terms)
