"""What stays open in tickets and pull requests: what waits for the person, and what for others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ...ingest.sources.transcript import Turn
from .calendar import day_of, when, words_for
from .half_done import STALE
from .reading import Reading, people_of, references
from .records import Fact, Section
from .wording import MOST, counted, cut, listed

_IN_PROGRESS = re.compile(r"progress|review|doing|started|develop|testing|blocked", re.IGNORECASE)
"""What trackers call a ticket that somebody works on."""


def waiting(items: Iterable[Reading]) -> Iterator[Fact]:
    """Yield what of these is open and the person's, or waits for them."""
    tickets: list[Reading] = []
    old: list[Reading] = []
    for one in items:
        if one.item.closed is not None:
            continue
        if one.is_pull and one.written:
            if one.period.until - one.item.changed > STALE:
                old.append(one)
            else:
                yield _pull(one)
        elif (asked := one.asked()) is not None:
            if one.period.until - asked.at <= STALE:
                yield _asked(one, asked.at)
        elif not one.is_pull and one.held and _IN_PROGRESS.search(one.item.state):
            tickets.append(one)
    if tickets:
        yield _tickets(tickets)
    if old:
        yield _old(old)


def _pull(one: Reading) -> Fact:
    said = one.unanswered
    verdicts = one.verdicts()
    asked = {who: at for who, (what, at) in verdicts.items() if what == "changes requested"}
    unanswered = {who: at for who, at in asked.items() if at > one.answered}
    approved = [who for who, (what, _) in verdicts.items() if what == "approved"]
    if unanswered:
        who = listed(list(unanswered), 2)
        at = max(unanswered.values())
        move = f"answer {who} on {one.name}: changes were requested {_when(one, at)}"
        return _mine(
            one, 1.3, f"waits for you: {who} asked for changes {_when(one, at)}", said, move
        )
    if said:
        who, at = listed(people_of(said), 2), said[-1].at or 0
        move = f"answer {who} on {one.name}"
        return _mine(one, 1.2, f"waits for you: {who} wrote {_when(one, at)}", said, move)
    if one.failed:
        move = f"see why {one.failed} failed on {one.name}"
        return _mine(one, 1.2, f"waits for you: checks failed: {one.failed}", (), move)
    if one.item.state == "draft":
        return _mine(one, 0.7, f"is a draft{_since(one, _last_state(one))}")
    if approved and not asked:
        who = listed(approved, 2)
        move = f"merge {one.name}: {who} approved it"
        return _mine(one, 1.1, f"is approved by {who} and not merged", (), move)
    last = max([one.answered, *(change.at for change in one.item.changes)])
    names = [change.value for change in one.item.changes if change.field == "reviewer"]
    waits = [*asked, *(name for name in dict.fromkeys(names) if name not in verdicts)]
    by = f" by {listed(waits, 2)}" if waits else ""
    return _mine(one, 0.6, f"waits for a review{by}{_since(one, last)}")


def _mine(
    one: Reading, weight: float, what: str, said: Sequence[Turn] = (), move: str = ""
) -> Fact:
    return Fact(
        key=f"open:{one.item.ref}",
        section=Section.HALF_DONE,
        text=cut(f"{one.name} {what}", MOST),
        references=references(one, said),
        weight=weight,
        topic="waiting" if move else "open_pull",
        repo=one.item.repo or None,
        details=tuple(f"{each.who}: {cut(each.text, 120)}" for each in said[:20]),
        move=cut(move, MOST),
        behind=f"item:{one.item.ref}",
        # Days pass without anything being new.
        state=f"{one.item.state} {one.verdicts()} {one.failed} {len(said)} {one.answered}",
    )


def _asked(one: Reading, at: int) -> Fact:
    who = one.item.author or "somebody"
    return Fact(
        key=f"open:{one.item.ref}",
        section=Section.HALF_DONE,
        text=cut(f"{one.name} by {who} waits for your review{_since(one, at)}", MOST),
        references=(one.reference,),
        weight=1.2,
        topic="waiting",
        repo=one.item.repo or None,
        move=cut(f"review {one.name}: {who} waits for it{_since(one, at)}", MOST),
        state=f"{at}",
        behind=f"item:{one.item.ref}",
    )


def _tickets(tickets: Sequence[Reading]) -> Fact:
    order = sorted(tickets, key=lambda one: (-one.item.changed, one.item.ref))
    first = order[0]
    if len(order) == 1:
        text = f"{first.name} is {first.item.state}{_since(first, _last_state(first))}"
    else:
        names = listed([one.name for one in order], 3)
        text = f"{counted(len(order), 'ticket')} of yours are in progress: {names}"
    return Fact(
        key="open:tickets",
        section=Section.HALF_DONE,
        text=cut(text, MOST),
        references=tuple(one.reference for one in order[:3]),
        weight=0.6,
        topic="in_progress",
        repo=first.item.repo or None if len(order) == 1 else None,
        details=tuple(f"{one.name}: {one.item.state}" for one in order[:20]),
        state=" ".join(sorted(f"{one.item.ref}={one.item.state}" for one in order)),
        behind=f"item:{first.item.ref}" if len(order) == 1 else "",
    )


def _old(old: Sequence[Reading]) -> Fact:
    names = listed([one.name for one in old], 2)
    text = f"{counted(len(old), 'older pull request')} of yours are still open: {names}"
    if len(old) == 1:
        text = f"{old[0].name} is still open, unchanged{_since(old[0], old[0].item.changed)}"
    return Fact(
        key="open:old",
        section=Section.HALF_DONE,
        text=cut(text, MOST),
        references=tuple(one.reference for one in old[:3]),
        weight=0.3,
        topic="open_pull",
        details=tuple(one.name for one in old[:20]),
        state=" ".join(sorted(one.item.ref for one in old)),
    )


def _last_state(one: Reading) -> int:
    states = [change.at for change in one.item.changes if change.field == "state"]
    return max([one.item.time, *states])


def _when(one: Reading, at: int) -> str:
    return when(at, one.period.until, one.period.zone)


def _since(one: Reading, at: int) -> str:
    """Return `` since Monday``; nothing where it is of today."""
    words = words_for(day_of(at, one.period.zone), one.period.day)
    return f" {words}" if words.startswith("since") else ""
