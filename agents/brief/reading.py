"""An item as somebody reads it who takes part: what is theirs, what others said and did meanwhile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...ingest.sources.transcript import Turn, turns
from ...memory.records import Item, ItemChange, ItemKind
from .mine import Names, calls
from .records import Period, Reference, RefKind
from .wording import path_ref, quoted

MINUTE = 60
"""Turns are dated to the minute."""
_TITLE = 60
_VERDICT = re.compile(r"(?P<what>approved|changes requested) by (?P<who>.+)")
_WORDS = frozenset(("approved.", "asked for changes."))
"""Turns that only say what a verdict says."""
_LINES = re.compile(r":\d+(?:-\d+)?$")


@dataclass(frozen=True, slots=True)
class Reading:
    """An item, and how it concerns somebody."""

    item: Item
    mine: Names
    opening: str
    """What opens it: a ticket's description."""
    turns: tuple[Turn, ...]
    """Those with a time, oldest first."""
    period: Period
    pushed: int = 0
    """When the person last committed to it; 0 if never, or not as far as memory knows."""

    @property
    def is_pull(self) -> bool:
        """Whether it is a pull request."""
        return self.item.kind is ItemKind.PULL

    @property
    def written(self) -> bool:
        """Whether it is the person's own."""
        return self.mine.have(self.item.author)

    @property
    def held(self) -> bool:
        """Whether it is assigned to the person."""
        return self.mine.have(self.item.assignee)

    @property
    def answered(self) -> int:
        """When the person last wrote in it, or added to it; 0 if never."""
        said = [each.at for each in self.turns if each.at and self.mine.have(each.who)]
        return max([*said, self.pushed, self.item.time if self.written else 0])

    def new(self, at: int | None) -> bool:
        """Say whether something was then that the person has not answered, since they last worked."""
        since, until = int(self.period.since) - MINUTE, self.period.until
        return at is not None and since <= at < until and at > self.answered

    @property
    def fresh(self) -> list[Turn]:
        """What others said meanwhile; verdicts without a word are no turns here."""
        said = self.turns
        if self.opening and not self.written:
            said = (Turn(self.item.author, self.item.time, self.opening), *said)
        return [
            each
            for each in said
            if self.new(each.at) and not self.mine.have(each.who) and each.text not in _WORDS
        ]

    @property
    def unanswered(self) -> list[Turn]:
        """What others said, at whatever time, after the person last wrote in it."""
        return [
            each
            for each in self.turns
            if (each.at or 0) > self.answered
            and not self.mine.have(each.who)
            and each.text not in _WORDS
        ]

    def changes(self, field: str) -> list[ItemChange]:
        """Return what became of a field meanwhile, but for what it was at the beginning."""
        return [
            change
            for change in self.item.changes
            if change.field == field
            and self.period.since <= change.at < self.period.until
            and change.at > self.item.time
        ]

    def verdicts(self) -> dict[str, tuple[str, int]]:
        """Return what each reviewer said last, ``approved`` or ``changes requested``, and when."""
        found: dict[str, tuple[str, int]] = {}
        for change in self.item.changes:
            said = _VERDICT.fullmatch(change.value) if change.field == "review" else None
            if said is not None and change.at < self.period.until:
                found[said["who"]] = (said["what"], change.at)
        return {who: said for who, said in found.items() if not self.mine.have(who)}

    def asked(self) -> ItemChange | None:
        """Return that the person's review is asked for, unless they gave it since."""
        asked = [
            change
            for change in self.item.changes
            if change.field == "reviewer" and self.mine.have(change.value)
        ]
        if not asked or self.item.closed is not None or self.written:
            return None
        verdicts = [
            change.at
            for change in self.item.changes
            if change.field == "review" and self.mine.have(change.value.partition(" by ")[2])
        ]
        last = max([self.answered, *verdicts])
        return asked[-1] if asked[-1].at > last or not last else None

    @property
    def failed(self) -> str:
        """Return which checks fail; empty if none does."""
        checks = [change.value for change in self.item.changes if change.field == "checks"]
        last = checks[-1] if checks and self.item.closed is None else ""
        return last.removeprefix("failed: ") if last.startswith("failed") else ""

    def calling(self, said: Sequence[Turn]) -> list[Turn]:
        """Return those turns that are to the person."""
        others = [name for name, _ in self.item.people]
        return [each for each in said if calls(each.text, self.mine, others)]

    # How it is told.

    @property
    def name(self) -> str:
        """``#482 “Count in Redis”``; of a discussion, where it is and how it begins."""
        item = self.item
        if item.key:
            return f"{item.key} {quoted(item.title, _TITLE)}"
        place, colon, title = item.title.partition(": ")
        if colon and (place.startswith("#") or place == "direct message"):
            return f"{place} {quoted(title, _TITLE)}"
        return quoted(item.title, _TITLE)

    @property
    def reference(self) -> Reference:
        """What ``hermes show`` finds it by."""
        kind: RefKind = "pull" if self.is_pull else "ticket" if self.item.key else "thread"
        return Reference(kind, self.item.key or self.item.ref, self.item.ref)


def read(item: Item, mine: Names, period: Period, pushed: int = 0) -> Reading:
    """Read an item for somebody with these names."""
    names = [item.author, *(name for name, _ in item.people)]
    opening, said = turns(item.text, [name for name in names if name])
    dated = tuple(each for each in said if each.at is not None)
    return Reading(item, mine, opening, dated, period, pushed)


def people_of(said: Sequence[Turn]) -> list[str]:
    """Return who said something, once each, in order."""
    return list(dict.fromkeys(each.who for each in said))


def file_of(said: Sequence[Turn]) -> str:
    """Return the first file that is spoken of; empty if none is."""
    places = (_LINES.sub("", each.where) for each in said)
    return next((place for place in places if "." in place or "/" in place), "")


def references(one: Reading, said: Sequence[Turn]) -> tuple[Reference, ...]:
    """Return what a fact about an item rests on."""
    file = file_of(said)
    return (one.reference, path_ref(file)) if file else (one.reference,)


def words_of(each: Turn) -> str:
    """Return what somebody said, without the lines of code below it."""
    return " ".join(
        line.strip() for line in each.text.splitlines() if not line.startswith(("    ", ">", "```"))
    )


def asks(said: Sequence[Turn]) -> bool:
    """Say whether anybody asks something."""
    return any("?" in words_of(each) for each in said)
