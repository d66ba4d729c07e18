"""What the person has done in tickets and pull requests: tickets finished, reviews given."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .reading import Reading
from .records import Fact, Section
from .wording import MOST, counted, cut

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
