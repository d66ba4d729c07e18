"""What the parts of the council hand to each other. All of it can be written as JSON (codec.py).

Three numbers are kept apart everywhere: how many agree (``Agreement``), how sure they say they are
(``Claimed``), and how often verdicts like this one were right (``Probability``, or none:
uncalibrated).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

RULE_FAMILY = "rule"
"""The family of jurors that are code, not models."""


class Vote(StrEnum):
    """What a juror says to the decision that it recommends."""

    PASS = "PASS"
    """Go ahead."""
    WARN = "WARN"
    """Go ahead with care."""
    FAIL = "FAIL"
    """Don't."""
    DISAGREE = "DISAGREE"
    """The evidence itself points both ways."""
    ABSTAIN = "ABSTAIN"
    """Nothing to say to this packet."""


class State(StrEnum):
    """Where a verdict stands."""

    PASS = "PASS"
    WARN = "WARN"
    FAIL = "FAIL"
    DISAGREE = "DISAGREE"
    NEEDS_HUMAN = "NEEDS_HUMAN"
    """All agree, and one family alone or on a critical path; or nobody had an opinion."""

    @property
    def words(self) -> str:
        """As a person reads it."""
        return "unanimous: needs a human check" if self is State.NEEDS_HUMAN else str(self)


class Severity(StrEnum):
    """How much a finding matters."""

    CRITICAL = "critical"
    SIGNIFICANT = "significant"
    MINOR = "minor"
    NOTE = "note"

    @property
    def serious(self) -> bool:
        """Whether a FAIL on it stops the decision."""
        return self in (Severity.CRITICAL, Severity.SIGNIFICANT)

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Severity).index(self)


class Kind(StrEnum):
    """What sort of answer a question wants."""

    JUDGMENT = "judgment"
    """Yes or no: is it safe to merge? Sides are votes."""
    CHOICE = "choice"
    """One of the options that it names. Sides are options."""
    OPEN = "open"
    """Anything: how should we …? Sides are made of the positions themselves."""


@dataclass(frozen=True, slots=True)
class Juror:
    """One seat: who judges, and from which perspective."""

    provider: str
    """``ollama``, ``openai``, ``command``, ``rule``."""
    model: str
    family: str = ""
    """Whose weights it grew from (families.py); empty if unknown."""
    perspective: str = ""
    digest: str = ""
    """Of the weights, where the server tells it: the same model under two names."""

    @property
    def name(self) -> str:
        """Who is trusted: ``ollama:hermes3:8b``, whatever the perspective."""
        return f"{self.provider}:{self.model}"

    @property
    def seat(self) -> str:
        """Which seat it sits on: ``ollama:hermes3:8b/Red``."""
        return f"{self.name}/{self.perspective}" if self.perspective else self.name

    @property
    def is_rule(self) -> bool:
        """Whether it is code, not a model."""
        return self.family == RULE_FAMILY


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a juror holds for or against the decision."""

    title: str
    severity: Severity
    evidence: tuple[str, ...] = ()
    """References into the packet; a finding without any is shown as such."""
    recommendation: str = ""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one juror said in one round."""

    juror: Juror
    vote: Vote
    position: str
    """In its own words: ``Postgres``, ``merge after the backfill``."""
    confidence: float
    """As it says itself, 0..1."""
    insight: str = ""
    """The one thing that decides it."""
    reasons: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    decision: str = ""
    """What it recommends to do."""
    missing: tuple[str, ...] = ()
    """Evidence that would have helped."""
    round: int = 1

    @property
    def serious(self) -> tuple[Finding, ...]:
        """Its critical and significant findings."""
        return tuple(one for one in self.findings if one.severity.serious)


@dataclass(frozen=True, slots=True)
class Absent:
    """A juror that was asked and gave no opinion."""

    juror: Juror
    why: str
    replaced_by: str = ""
    """The seat that took its place; empty if none did."""


@dataclass(frozen=True, slots=True)
class Placement:
    """The side that an opinion was counted for."""

    seat: str
    round: int
    side: str
    """An option, ``both``, ``neither``, a position, or a vote; empty if it could not be told."""
    how: str
    """``vote``, ``position``, ``reasons`` (the position was vague), or ``unclear``."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A juror that changed its mind between two rounds."""

    seat: str
    round: int
    before: Vote
    after: Vote
    side_before: str
    side_after: str
    reason: str
    """The new reason, in its words; empty if there is none."""
    dropped: tuple[Finding, ...] = ()
    """Serious findings that it no longer holds."""

    @property
    def conforms(self) -> bool:
        """Whether it changed without a new reason: it counts less."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class Weight:
    """How much a juror counts on the topic; 1 is one that nothing is known of."""

    name: str
    value: float
    basis: str = ""
    """Why, in words: ``right 12 of 15``."""


@dataclass(frozen=True, slots=True)
class Curve:
    """How often verdicts were right, by how much supported them (calibration.py)."""

    first: float
    """The logit of the support at the first knot."""
    step: float
    values: tuple[float, ...]
    """The probability at each knot, 0..1."""
    near: tuple[float, ...]
    """Outcomes with about the support of each knot."""
    n: int
    """Outcomes in all."""
    topic: str = ""
    """Empty: of every topic."""

    def at(self, support: float) -> tuple[float, float]:
        """Given a support between 0 and 1 (both excluded), return how often such was right and
        how many outcomes were about there; beyond the ends, as at the ends."""
        place = (math.log(support / (1 - support)) - self.first) / self.step
        place = min(max(place, 0.0), len(self.values) - 1.0)
        low = min(int(place), len(self.values) - 2)
        share = place - low
        return (
            self.values[low] * (1 - share) + self.values[low + 1] * share,
            self.near[low] * (1 - share) + self.near[low + 1] * share,
        )


@dataclass(frozen=True, slots=True)
class Case:
    """All that a verdict depends on: the same case gives the same verdict, to the byte."""

    kind: Kind
    opinions: tuple[Opinion, ...]
    """Of every round, one for each seat and round."""
    repeated: tuple[str, ...] = ()
    """Seats that gave several answers in one round."""
    placements: tuple[Placement, ...] = ()
    shifts: tuple[Shift, ...] = ()
    weights: tuple[Weight, ...] = ()
    """Jurors that are not named count 1."""
    absent: tuple[Absent, ...] = ()
    critical: str = ""
    """Why an agreement needs a human check here: a path, a preset; empty if it does not."""
    curve: Curve | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How they voted: who stands behind the verdict, or the largest side where none carries."""

    agreeing: int
    of: int
    share: float
    """By weight, 0..1."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """How sure the jurors of the verdict's side say they are; says nothing about being right."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Probability:
    """How often verdicts with this much support were right, from outcomes."""

    value: float
    near: int
    """Outcomes with about as much support: its sample size."""
    n: int
    """Outcomes that were looked at in all."""
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """Jurors that hold the same."""

    label: str
    seats: tuple[str, ...]
    weight: float
    share: float
    votes: tuple[Vote, ...]
    """Of its jurors, each once, worst first."""
    reasons: tuple[str, ...]
    """Their key insights, who counts most first."""
    confident: bool
    """Whether one of them is highly confident."""


@dataclass(frozen=True, slots=True)
class Raised:
    """A finding and who raised it."""

    finding: Finding
    seats: tuple[str, ...]
    withdrawn: bool = False
    """Given up in the debate without a new reason: it stands."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the council says, and exactly why."""

    rules: str
    """The version of the rules that made it."""
    state: State
    vote: Vote
    """What the state rests on: of NEEDS_HUMAN, what they all said."""
    side: str
    """What carries: a vote, an option, a position; empty if nothing does."""
    decision: str
    why: tuple[str, ...]
    """The rules that applied, in words, the deciding one first."""
    agreement: Agreement
    claimed: Claimed | None
    probability: Probability | None
    """None: uncalibrated."""
    support: float
    """What calibration goes by, 0..1: the share of the weight behind the verdict, drawn to one half
    by as much as one vote weighs. Not a probability."""
    sides: tuple[Side, ...]
    """The heaviest first."""
    dissent: tuple[str, ...]
    """Labels of the sides against the verdict; all of them where none carries."""
    findings: tuple[Raised, ...]
    """The most severe first."""
    missing: tuple[str, ...]
    """Evidence that jurors asked for."""
    shifts: tuple[Shift, ...]
    undecided: tuple[str, ...]
    """Seats whose position could not be told."""
    abstained: tuple[str, ...]
    absent: tuple[Absent, ...]
    duplicates: tuple[str, ...]
    """Seats that were not counted, each with the one that was: ``b counted as a``."""
    families: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of evidence of a packet."""

    kind: str
    """``requirement``, ``file``, ``log``, ``test``, ``pull``, ``commit``, ``discussion``."""
    ref: str
    """What findings cite it by."""
    text: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Touched:
    """What a diff does to one file."""

    path: str
    kind: str
    """``added``, ``changed``, ``removed``, ``renamed``."""
    added: int
    removed: int
    old_path: str = ""
    aside: bool = False
    """Generated, lock, vendored or minified: nobody reads its lines."""


@dataclass(frozen=True, slots=True)
class DependencyChange:
    """A dependency that a diff declares otherwise."""

    name: str
    before: str
    """Its version; empty if it is new, or if none is told."""
    after: str
    path: str
    kind: str
    """``added``, ``removed``, ``changed``."""


@dataclass(frozen=True, slots=True)
class Prior:
    """Something of the past that bears on the question."""

    kind: str
    """``incident``, ``revert``, ``verdict``, ``decision``."""
    ref: str
    at: str
    """A day, ``2026-11-30``."""
    title: str
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Packet:
    """The evidence and the question, the same for every juror."""

    question: str
    kind: Kind
    options: tuple[str, ...] = ()
    """What a choice is between, as the question names them."""
    topic: str = ""
    """What trust goes by: a preset's name, or an area."""
    target: str = ""
    """What is judged: ``PR #482``, ``main..HEAD``."""
    constraints: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    pieces: tuple[Piece, ...] = ()
    diff: str = ""
    """As far as it fits; ``touched`` is whole."""
    touched: tuple[Touched, ...] = ()
    dependencies: tuple[DependencyChange, ...] = ()
    prior: tuple[Prior, ...] = ()
    critical: str = ""
    """As of a case."""
    left_out: tuple[str, ...] = ()
    """What did not fit."""
