"""What is remembered of councils: the records, and the ways in which asking for one can fail."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .errors import HermesError

SOURCE = "council"
"""What brought it, of items that tell what a council decided: found and cited like a discussion, and no
evidence for what else is derived, since models said it."""


class Progress(StrEnum):
    """How far a council is."""

    RUNNING = "running"
    DONE = "done"
    ABANDONED = "abandoned"
    """The daemon went away meanwhile, or a person stopped it."""


class Result(StrEnum):
    """How a verdict turned out."""

    RIGHT = "right"
    WRONG = "wrong"
    MIXED = "mixed"

    @property
    def share(self) -> float:
        """How much of it was right, 0..1."""
        return {"right": 1.0, "wrong": 0.0, "mixed": 0.5}[self]


class Answer(StrEnum):
    """What became of a proposal."""

    OPEN = "open"
    APPROVED = "approved"
    DISMISSED = "dismissed"


class NoSuchCouncil(HermesError):
    """A number is named that no council has."""

    code = "no_such_id"

    def __init__(self, number: int) -> None:
        super().__init__(f"there is no council {number}", hint="`hermes council list` shows them")


class NoVerdict(HermesError):
    """A council has no verdict yet, so it can't have turned out in any way."""

    code = "no_verdict"

    def __init__(self, number: int) -> None:
        super().__init__(
            f"council {number} has no verdict",
            hint=f"`hermes council show {number}` tells how far it got",
        )


class NothingOpen(HermesError):
    """A proposal is answered that is not open, or a change taken back that does not hold."""

    code = "no_such_id"


@dataclass(frozen=True, slots=True)
class Council:
    """One question that was asked."""

    id: int
    repo: str
    topic: str
    mode: str
    question: str
    packet: str
    progress: Progress
    asked: float
    ended: float | None


@dataclass(frozen=True, slots=True)
class Spoken:
    """One juror's opinion of one round, and what it took."""

    round: int
    seat: str
    juror: str
    opinion: str
    at: float
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True)
class Sitting:
    """When one round was held."""

    round: int
    began: float
    ended: float | None


@dataclass(frozen=True, slots=True)
class Decided:
    """A verdict and all that it depends on."""

    council: int
    state: str
    support: float
    at: float
    case: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Summarized:
    """A verdict in a model's words, beside the rules' own."""

    text: str = ""
    """Empty: the rules' words stand."""
    model: str = ""
    why: str = ""
    """Why they stand."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a verdict turned out, as a person said."""

    council: int
    topic: str
    result: Result
    note: str
    at: float
    support: float
    """The verdict's."""


@dataclass(frozen=True, slots=True)
class Score:
    """How right one juror was in one case whose outcome is known."""

    juror: str
    topic: str
    value: float
    """1 right, 0 wrong, 0.5 half right."""


@dataclass(frozen=True, slots=True)
class Told:
    """A factor that a person set for a juror on a topic, or approved."""

    juror: str
    """``ollama:hermes3:8b``, or the model alone."""
    topic: str
    factor: float


@dataclass(frozen=True, slots=True)
class Change:
    """One change of weights, as its history lists it."""

    id: int
    told: Told
    why: str
    at: float
    undone: float | None
    """When it was taken back."""


@dataclass(frozen=True, slots=True)
class Suggested:
    """A proposal that waits for an answer, or had one."""

    id: int
    juror: str
    topic: str
    proposal: str
    evidence: tuple[int, ...]
    """Councils that it rests on."""
    answer: Answer
    at: float
    answered: float | None
    told: int | None
    """The change of weights that its approval made."""
