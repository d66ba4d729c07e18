"""What the person has done in tickets and pull requests: tickets finished, reviews given."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from ...memory.records import Item, ItemKind
from .reading import Reading
from .records import Fact, Period, Section
from .wording import MOST, counted, cut, listed, quoted

GIVEN_UP = re.compile(r"cancel|duplicate|won.?t|declin|reject|not planned|triage", re.IGNORECASE)
"""How trackers say that a ticket is closed and was not done."""


def done_on(one: Reading) -> Iterator[Fact]:
    """Yield what of an item the person finished since they last worked."""
    since, until = one.period.since, one.period.until
    closed = one.item.closed
    if (
        not one.is_pull
        and one.held
        and closed is not None
        and since <= closed < until
        and not GIVEN_UP.search(one.item.state)
    ):
        yield _fact(one, "closed", f"{one.name} is {one.item.state or 'closed'}", f"{closed}")
    if not one.is_pull or one.written:
        return
    said = [each for each in one.turns if since <= (each.at or 0) < until]
    said = [each for each in said if one.mine.have(each.who)]
    verdicts = [
        change.value.partition(" by ")[0]
        for change in one.item.changes
        if change.field == "review"
        and since <= change.at < until
        and one.mine.have(change.value.partition(" by ")[2])
    ]
    if verdicts:
        yield _fact(one, "reviewed", f"reviewed {one.name}: {verdicts[-1]}", verdicts[-1])
    elif said:
        text = f"left {counted(len(said), 'comment')} on {one.name}"
        yield _fact(one, "reviewed", text, f"{len(said)}")


def done_by_all(items: Iterable[Item], period: Period) -> Iterator[Fact]:
    """Yield who finished which tickets, and reviewed which pull requests, a line for each person."""
    closed: defaultdict[str, list[Item]] = defaultdict(list)
    reviewed: defaultdict[str, list[Item]] = defaultdict(list)
    for item in items:
        ended = item.closed is not None and period.since <= item.closed < period.until
        if item.kind is ItemKind.TICKET and ended and not GIVEN_UP.search(item.state):
            closed[item.assignee].append(item)
        for change in item.changes:
            who = change.value.partition(" by ")[2]
            if change.field == "review" and period.since <= change.at < period.until:
                reviewed[who] += [] if item in reviewed[who] else [item]
    for who in sorted({*closed, *reviewed} - {""}):
        done = [
            f"{verb} {listed([item.key for item in items], 4)}"
            for verb, items in (("finished", closed[who]), ("reviewed", reviewed[who]))
            if items
        ]
        told = [*closed[who], *reviewed[who]]
        yield Fact(
            key=f"items:{who}",
            section=Section.FINISHED,
            text=cut(f"{who} {' and '.join(done)}", MOST),
            weight=0.6,
            topic="reviewed",
            details=tuple(f"{item.key} {quoted(item.title)}" for item in told[:20]),
            state=" ".join(item.ref for item in told),
        )


def _fact(one: Reading, topic: str, text: str, state: str) -> Fact:
    return Fact(
        key=f"{topic}:{one.item.ref}",
        section=Section.FINISHED,
        text=cut(text, MOST),
        references=(one.reference,),
        weight=0.8 if topic == "closed" else 0.7,
        topic=topic,
        repo=one.item.repo or None,
        state=state,
    )
