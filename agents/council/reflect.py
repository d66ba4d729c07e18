"""What dissents and outcomes of the past suggest: at most one change of a weight, with its evidence.

The tally is code; a model may phrase it afterwards. Weights follow outcomes by themselves. What is
proposed here goes beyond: a juror that was alone and right tells more than one that was right with all
others, and one that is alone and wrong again and again costs attention. A person decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...memory.council_records import Result, Told
from .records import Case, Kind, Opinion, Verdict, Vote
from .weights import TOLD_LEAST, TOLD_MOST, told_factor

ENOUGH = 2
"""Real dissents under which nothing is proposed."""
MARGIN = 2
"""By how many it must have been right more often than wrong, or the other way."""
RAISE = 1.25
LOWER = 0.8

_GO = (Vote.PASS, Vote.WARN)


@dataclass(frozen=True, slots=True)
class Past:
    """A council that has a verdict."""

    number: int
    topic: str
    case: Case
    verdict: Verdict
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class Dissent:
    """One time that a juror stood against the verdict with a reason of its own."""

    council: int
    name: str
    topic: str
    reason: str
    right: bool | None
    """None while nobody has said how it turned out."""


@dataclass(slots=True)
class Tally:
    """How one juror's dissents on a topic turned out."""

    name: str
    topic: str
    dissents: list[Dissent] = field(default_factory=list[Dissent])

    @property
    def right(self) -> int:
        """Dissents that turned out right."""
        return sum(one.right is True for one in self.dissents)

    @property
    def wrong(self) -> int:
        """Dissents that turned out wrong."""
        return sum(one.right is False for one in self.dissents)

    @property
    def known(self) -> tuple[Dissent, ...]:
        """Those whose outcome is known."""
        return tuple(one for one in self.dissents if one.right is not None)


@dataclass(frozen=True, slots=True)
class Proposal:
    """One change of a weight, for a person to approve or dismiss."""

    juror: str
    topic: str
    before: float
    factor: float
    right: int
    wrong: int
    evidence: tuple[Dissent, ...]
    text: str
    """In plain words; a model may put it better, with these numbers."""

    @property
    def councils(self) -> tuple[int, ...]:
        """The councils that it rests on."""
        return tuple(sorted({one.council for one in self.evidence}))

    @property
    def told(self) -> Told:
        """What its approval sets."""
        return Told(self.juror, self.topic, self.factor)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing is proposed."""

    why: str
    hint: str = ""


def reflect(
    past: Iterable[Past],
    told: Sequence[Told] = (),
    answered: Mapping[tuple[str, str], Collection[int]] | None = None,
) -> Proposal | Refusal:
    """Return the change that has most evidence, or why there is none.

    ``answered`` has, by juror and topic, the councils that earlier proposals rested on: what a
    person has answered is not proposed again from the same evidence.
    """
    used = answered or {}
    tallies = tally(past)
    fresh = [
        Tally(
            one.name,
            one.topic,
            [
                each
                for each in one.dissents
                if each.council not in used.get((one.name, one.topic), ())
            ],
        )
        for one in tallies
    ]
    enough = [one for one in fresh if len(one.dissents) >= ENOUGH]
    if not enough:
        most = max((len(one.dissents) for one in fresh), default=0)
        return Refusal(
            f"no juror has {ENOUGH} real dissents on a topic that were not answered yet (most: {most})",
            "a real dissent stands against the verdict with a reason of its own",
        )
    known = [one for one in enough if len(one.known) >= ENOUGH]
    if not known:
        first = min(each.council for one in enough for each in one.dissents if each.right is None)
        return Refusal(
            f"dissents there are, but of fewer than {ENOUGH} of one juror it is known who was right",
            f"tell how it turned out: `hermes council outcome {first} right|wrong|mixed`",
        )
    told_one_way = [one for one in known if abs(one.right - one.wrong) >= MARGIN]
    if not told_one_way:
        return Refusal("dissenters were right about as often as wrong")
    best = min(
        told_one_way,
        key=lambda one: (-abs(one.right - one.wrong), -len(one.known), one.name, one.topic),
    )
    return _proposal(best, told)


def _proposal(best: Tally, told: Sequence[Told]) -> Proposal | Refusal:
    before = told_factor(best.name, best.topic, told)
    raised = best.right > best.wrong
    factor = round(min(TOLD_MOST, max(TOLD_LEAST, before * (RAISE if raised else LOWER))), 4)
    if factor == before:
        return Refusal(f"{best.name} is as far {'up' if raised else 'down'} as it goes already")
    about = f" on {best.topic}" if best.topic else ""
    text = (
        f"{'Raise' if raised else 'Lower'} {best.name}{about} from ×{before:g} to ×{factor:g}: of"
        f" {len(best.known)} dissents with a known outcome it was right in {best.right} and wrong"
        f" in {best.wrong}."
    )
    return Proposal(best.name, best.topic, before, factor, best.right, best.wrong, best.known, text)


def tally(past: Iterable[Past]) -> tuple[Tally, ...]:
    """Return the real dissents of every juror by topic, by name; one for each council."""
    tallies: dict[tuple[str, str], Tally] = {}
    for one in sorted(past, key=lambda each: each.number):
        for dissent in dissents(one):
            key = dissent.name, dissent.topic
            tallies.setdefault(key, Tally(*key)).dissents.append(dissent)
    return tuple(tallies[key] for key in sorted(tallies))


def dissents(past: Past) -> tuple[Dissent, ...]:
    """Return who stood against the verdict with a reason of its own, once for each juror.

    One that gave in without a new reason dissented too; one that was persuaded did not.
    """
    found: dict[str, Dissent] = {}
    for opinion in _stands(past):
        side = _side(past, opinion)
        reason = _own_reason(opinion)
        if reason and opinion.juror.name not in found and _against(past, opinion, side):
            name = opinion.juror.name
            found[name] = Dissent(past.number, name, past.topic, reason, _right(past, side))
    return tuple(found[name] for name in sorted(found))


def _stands(past: Past) -> list[Opinion]:
    """Return what each seat stands for: its last opinion, or of one that conformed its first."""
    conformed = {one.seat for one in past.case.shifts if one.conforms}
    stands: dict[str, Opinion] = {}
    for one in sorted(past.case.opinions, key=lambda each: (each.round, each.juror.seat)):
        if one.juror.seat not in conformed or one.juror.seat not in stands:
            stands[one.juror.seat] = one
    return [stands[seat] for seat in sorted(stands)]


def _side(past: Past, opinion: Opinion) -> str:
    if past.case.kind is Kind.JUDGMENT:
        return str(opinion.vote)
    place = (opinion.juror.seat, opinion.round)
    return next((one.side for one in past.case.placements if (one.seat, one.round) == place), "")


def _against(past: Past, opinion: Opinion, side: str) -> bool:
    if opinion.vote is Vote.ABSTAIN or not past.verdict.side or not side:
        return False
    if past.case.kind is Kind.JUDGMENT:
        return (opinion.vote in _GO) != (past.verdict.vote in _GO)
    return side != past.verdict.side


def _right(past: Past, side: str) -> bool | None:
    """Return whether a dissent turned out right; None where the outcome does not tell."""
    if past.result in (None, Result.MIXED):
        return None
    if past.result is Result.RIGHT:
        return False
    if past.case.kind is Kind.JUDGMENT:
        # Of a WARN that was wrong it is not known whether it was too strict or too lenient.
        return None if past.verdict.vote is Vote.WARN or side == Vote.DISAGREE else True
    return True if len(past.verdict.sides) == 2 else None


def _own_reason(opinion: Opinion) -> str:
    said = (opinion.insight, *opinion.reasons, *(one.title for one in opinion.findings))
    return next((text for text in said if text.strip()), "")
