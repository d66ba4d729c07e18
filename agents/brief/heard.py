"""What people wrote to the person meanwhile: on their pull requests, in tickets, where they are named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ...memory.dates import MONTHS
from ...memory.records import Item, ItemKind
from .records import Fact, Found, Person, Reference, RefKind, Scope, Section
from .wording import MOST, counted, cut, listed, quoted, with_title

_TURN = re.compile(
    r"^(?P<who>[^\n:()]{1,80}) \((?P<day>\d{1,2}) (?P<month>[A-Z][a-z]+) (?P<year>\d{4})"
    r" (?P<time>\d\d:\d\d)(?:, (?P<aside>[^\n)]*))?\): (?P<said>.*)$",
    re.MULTILINE,
)
_MINUTE = 60
"""Turns are dated to the minute."""
_TELLING = 90
"""Characters of what somebody said."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody said, as it stands in an item."""

    who: str
    at: int
    said: str
    aside: str = ""
    """On what it was said, or what became of it: ``approved``."""


def heard(scope: Scope) -> Found:
    """Return what others said and did that concerns the person, in whatever source."""
    if scope.everybody or not scope.person.known:
        return Found()
    repos = tuple(repo.id for repo, _ in scope.repos)
    since = int(scope.period.since)
    items = scope.memory.index.items.find(since=since, repos=(*repos, ""))
    facts: list[Fact] = []
    for item in items:
        facts += facts_of(item, names_in(item, scope.person), since, int(scope.period.until))
    return Found(tuple(facts))


def names_in(item: Item, person: Person) -> frozenset[str]:
    """Return the names that the person has in an item."""
    by_address = {name for name, mail in item.people if mail and mail.lower() in person.emails}
    if item.email and item.email.lower() in person.emails:
        by_address.add(item.author)
    return frozenset({*person.names, *by_address} - {""})


def facts_of(item: Item, mine: frozenset[str], since: int, until: int) -> Iterator[Fact]:
    """Yield what of an item concerns somebody with these names, between two seconds."""
    turns = [
        turn
        for turn in turns_of(item.text)
        if since - _MINUTE < turn.at < until and turn.who not in mine
    ]
    is_mine = item.author in mine
    if item.kind is ItemKind.PULL and is_mine and turns:
        yield _reviewed(item, turns)
    yield from _handed(item, mine, since, until)
    called = [turn for turn in turns if _calls(turn.said, mine)]
    if called and not (item.kind is ItemKind.PULL and is_mine):
        yield _mentioned(item, called)
    elif turns and item.kind is not ItemKind.PULL and (is_mine or item.assignee in mine):
        yield _answered(item, turns)


def turns_of(text: str) -> list[Turn]:
    """Return what was said, each with who said it and when."""
    found: list[Turn] = []
    for match in _TURN.finditer(text):
        hour, minute = match["time"].split(":")
        month = match["month"].lower()
        if month not in MONTHS:
            continue
        day = (int(match["year"]), MONTHS.index(month) + 1, int(match["day"]))
        try:
            at = datetime(*day, int(hour), int(minute), tzinfo=UTC)
        except ValueError:  # words that look like a date
            continue
        found.append(Turn(match["who"], int(at.timestamp()), match["said"], match["aside"] or ""))
    return found


def _reviewed(item: Item, turns: Sequence[Turn]) -> Fact:
    who = listed(list(dict.fromkeys(turn.who for turn in turns)), 3)
    approved = [turn for turn in turns if _is(turn, "approved")]
    changes = [turn for turn in turns if _is(turn, "asked for changes")]
    did = f"left {counted(len(turns), 'comment')} on"
    if changes:
        did = "asked for changes on"
    elif approved:
        did = "approved"
    text = f"{who} {did} your {item.key} {quoted(item.title)}"
    telling = next((turn.said for turn in turns if not _is_word(turn)), "")
    return _fact(
        item,
        "review",
        with_title(text, telling) if telling else text,
        1.8 if changes else 1.6,
        turns,
        move="" if approved and not changes else f"answer what was said on {item.key}",
    )


def _is(turn: Turn, verdict: str) -> bool:
    return verdict in (turn.aside, turn.said.rstrip("."))


def _is_word(turn: Turn) -> bool:
    """Whether all that was said is a verdict."""
    return turn.said in ("approved.", "asked for changes.")


def _handed(item: Item, mine: frozenset[str], since: int, until: int) -> Iterator[Fact]:
    """Tell of what was given to the person, and where what they have was moved to."""
    news = [change for change in item.changes if since <= change.at < until]
    for change in news:
        if change.field == "reviewer" and change.value in mine:
            text = f"your review of {item.key} {quoted(item.title)} is asked for"
            yield _fact(item, "asked", text, 1.7, (), move=f"review {item.key}")
            break
    given = [change for change in news if change.field == "assignee" and change.value in mine]
    if given and item.assignee in mine and item.closed is None and item.author not in mine:
        text = f"{item.key} {quoted(item.title)} was assigned to you"
        yield _fact(item, "assigned", text, 1.7, (), move=f"look at {item.key}")
        return
    moved = [change for change in news if change.field == "state"]
    if moved and (item.assignee in mine or (item.kind is ItemKind.PULL and item.author in mine)):
        begun = moved[-1].at == item.time
        if not begun:
            text = f"{item.key} {quoted(item.title)} is now {moved[-1].value}"
            yield _fact(item, "moved", text, 1.1, ())


def _mentioned(item: Item, turns: Sequence[Turn]) -> Fact:
    who = listed(list(dict.fromkeys(turn.who for turn in turns)), 2)
    text = f"{who} mentioned you in {_place(item)}"
    return _fact(item, "mention", with_title(text, turns[-1].said), 1.5, turns)


def _answered(item: Item, turns: Sequence[Turn]) -> Fact:
    who = listed(list(dict.fromkeys(turn.who for turn in turns)), 2)
    verb = "commented on" if item.kind is ItemKind.TICKET else "answered in"
    text = f"{who} {verb} {_place(item)}"
    return _fact(item, "answer", with_title(text, turns[-1].said), 1.2, turns)


def _place(item: Item) -> str:
    if item.key:
        return f"{item.key} {quoted(item.title)}"
    channel, colon, title = item.title.partition(": ")
    return f"{channel} {quoted(title)}" if colon and channel.startswith("#") else quoted(item.title)


def _fact(
    item: Item, topic: str, text: str, weight: float, turns: Sequence[Turn], move: str = ""
) -> Fact:
    kind: RefKind = "pull" if item.kind is ItemKind.PULL else "ticket" if item.key else "url"
    shown = item.key or item.source
    return Fact(
        key=f"{topic}:{item.ref}",
        section=Section.OVERNIGHT,
        text=cut(text, MOST),
        references=(Reference(kind, shown, item.url or item.ref),),
        weight=weight,
        topic=topic,
        repo=item.repo or None,
        details=tuple(f"{turn.who}: {cut(turn.said, _TELLING)}" for turn in turns[:20]),
        move=move,
        state=f"{item.changed}",
    )


def _calls(said: str, mine: frozenset[str]) -> bool:
    """Whether words are to, or of, the person: their whole name, or the first one behind an @."""
    for name in mine:
        first = re.escape(name.split()[0])
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)|@{first}\b", said, re.IGNORECASE):
            return True
    return False
