"""How much a juror counts on a topic, from who was right.

Counts, not multiplicative updates: a juror's weight is the logarithm of its odds of being right
(optimal for independent voters: Nitzan and Paroush 1982), with the chance taken from a Beta posterior.
Counts do not depend on the order of outcomes, so one that was recorded wrongly is taken back by
leaving it out, and "right 12 of 15" is a reason that a person can check. Few outcomes on a topic
lean on the juror's record on all topics, and that on ``EXPECTED``.

A juror is judged by its first, independent vote: one that follows the majority in the second round
would else earn what the majority knew.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...memory.council_records import Result, Score, Told
from ...memory.errors import HermesError
from .records import Case, Kind, Opinion, Verdict, Vote, Weight

EXPECTED = 0.7
"""How often a juror that nothing is known of is held to be right; its weight is 1."""
STRENGTH = 8.0
"""Outcomes that an expectation is worth."""
LEAST = 0.25
MOST = 3.0
"""Bounds of what is earned: nobody is silenced, and nobody alone outvotes a jury."""
TOLD_LEAST = 0.1
TOLD_MOST = 5.0
"""Bounds of what a person may set."""
ANY = "*"
"""Every topic."""


class NotALesson(HermesError):
    """What should be learnt can't be read."""

    code = "bad_lesson"

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(
            f"can't learn from {text!r}: {reason}",
            hint='as in `hermes council learn "hermes3:8b | security | 1.5"`',
        )


def score(case: Case, verdict: Verdict, result: Result, topic: str) -> tuple[Score, ...]:
    """Given how a verdict turned out, return how right each juror was, once for each seat.

    Of a judgment, PASS and FAIL are opposites and WARN is half of both. Of a choice between more than
    two, a wrong verdict says nothing about who chose another: only who chose it is scored.
    """
    if result is Result.MIXED or not verdict.side:
        return ()
    first: dict[str, Opinion] = {}
    for one in sorted(case.opinions, key=lambda one: (one.round, one.juror.seat)):
        first.setdefault(one.juror.seat, one)
    sides = {(one.seat, one.round): one.side for one in case.placements}
    labels = {side.label for side in verdict.sides}
    scores: list[Score] = []
    for seat, one in sorted(first.items()):
        if one.vote is Vote.ABSTAIN:
            continue
        if case.kind is Kind.JUDGMENT:
            value = _of_vote(one.vote, verdict.vote, right=result is Result.RIGHT)
        else:
            side = sides.get((seat, one.round), "")
            value = _of_side(side, verdict.side, labels, right=result is Result.RIGHT)
        if value is not None:
            scores.append(Score(one.juror.name, topic, value))
    return tuple(scores)


def _of_vote(vote: Vote, verdict: Vote, *, right: bool) -> float | None:
    ladder = {Vote.PASS: 0.0, Vote.WARN: 0.5, Vote.FAIL: 1.0}
    if vote not in ladder or verdict not in ladder:
        return None
    if verdict is Vote.WARN and not right:
        return 0.0 if vote is Vote.WARN else None  # it may have been too strict or too lenient
    off = abs(ladder[vote] - ladder[verdict])
    return 1.0 - off if right else off


def _of_side(side: str, verdict: str, labels: set[str], *, right: bool) -> float | None:
    if not side:
        return None
    if side == verdict:
        return 1.0 if right else 0.0
    if right:
        return 0.0
    return 1.0 if len(labels) == 2 else None


@dataclass(frozen=True, slots=True)
class Record:
    """How often a juror was right on a topic."""

    right: float
    of: int
    chance: float
    """Of being right the next time: the mean of its Beta posterior."""

    @property
    def words(self) -> str:
        """``right 12 of 15``."""
        return f"right {self.right:g} of {self.of}" if self.of else "no outcome yet"


def record_of(name: str, topic: str, scores: Iterable[Score]) -> Record:
    """Return how a juror did on a topic, or on all of them."""
    mine = [one for one in scores if one.juror == name]
    if topic == ANY:
        values = [one.value for one in mine]
        return Record(sum(values), len(values), _posterior(EXPECTED, values))
    here = [one.value for one in mine if one.topic == topic]
    everywhere = _posterior(EXPECTED, [one.value for one in mine if one.topic != topic])
    return Record(sum(here), len(here), _posterior(everywhere, here))


def _posterior(expected: float, values: Sequence[float]) -> float:
    return (expected * STRENGTH + sum(values)) / (STRENGTH + len(values))


def weigh(
    names: Iterable[str], topic: str, scores: Sequence[Score], told: Sequence[Told] = ()
) -> tuple[Weight, ...]:
    """Return the weight of each juror on a topic, and why, by name."""
    weights: list[Weight] = []
    for name in sorted(set(names)):
        record = record_of(name, topic, scores)
        value = _earned(record.chance)
        basis = record.words
        if not record.of and any(one.juror == name for one in scores):
            basis = f"{record_of(name, ANY, scores).words} on other topics"
        factor = told_factor(name, topic, told)
        if factor != 1.0:
            value = min(TOLD_MOST, max(TOLD_LEAST, value * factor))
            basis = f"{basis}, set to ×{factor:g}"
        weights.append(Weight(name, round(value, 4), basis))
    return tuple(weights)


def _earned(chance: float) -> float:
    bounded = min(0.99, max(0.01, chance))
    odds = math.log(bounded / (1 - bounded)) / math.log(EXPECTED / (1 - EXPECTED))
    return min(MOST, max(LEAST, odds))


def told_factor(name: str, topic: str, told: Iterable[Told]) -> float:
    """Return the factor that was set for a juror: of the topic before that of every topic, the
    last one said; 1 if none was."""
    mine = [one for one in told if one.juror in (name, name.partition(":")[2])]
    for wanted in (topic, ANY):
        for one in reversed(mine):
            if one.topic == wanted:
                return one.factor
    return 1.0


def read_lesson(text: str) -> Told:
    """Given ``juror | topic | factor``, return it. Raise NotALesson."""
    parts = [part.strip() for part in text.split("|")]
    if len(parts) != 3 or not all(parts):
        raise NotALesson(text, "it needs a juror, a topic and a factor with | between")
    name, topic, number = parts
    try:
        factor = float(number.removeprefix("×").removeprefix("x"))
    except ValueError:
        raise NotALesson(text, f"{number!r} is no number") from None
    if not TOLD_LEAST <= factor <= TOLD_MOST:
        raise NotALesson(text, f"the factor is from {TOLD_LEAST:g} to {TOLD_MOST:g}")
    return Told(name, ANY if topic.lower() in ("any", "all", ANY) else topic.lower(), factor)
