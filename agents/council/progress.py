"""What happens while a council sits, step by step; as objects for whoever follows it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .records import Opinion, Vote


@dataclass(frozen=True, slots=True)
class RoundBegan:
    """A round begins. The first is everybody's; a later one is a debate."""

    round: int
    seats: tuple[str, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Asking:
    """A juror is being asked."""

    round: int
    seat: str


@dataclass(frozen=True, slots=True)
class Trying:
    """A juror is asked again: its answer could not be counted, or broke off."""

    round: int
    seat: str
    what: str


@dataclass(frozen=True, slots=True)
class Heard:
    """A juror has spoken."""

    round: int
    seat: str
    vote: Vote
    position: str
    confidence: float
    insight: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Away:
    """A juror gave no opinion; another takes its seat, or nobody does."""

    round: int
    seat: str
    why: str
    replaced_by: str = ""


@dataclass(frozen=True, slots=True)
class Settled:
    """Who is still to speak can't change who wins any more, and is not waited for."""

    round: int
    seats: tuple[str, ...]


Step = RoundBegan | Asking | Trying | Heard | Away | Settled

_NAMES = {
    RoundBegan: "round",
    Asking: "asking",
    Trying: "trying",
    Heard: "heard",
    Away: "away",
    Settled: "settled",
}


def to_object(step: Step) -> dict[str, Any]:
    """Return a step as an object that JSON can hold."""
    return {"type": _NAMES[type(step)]} | asdict(step)


def heard(opinion: Opinion, seconds: float) -> Heard:
    """Return what is told of an opinion while others are still to come."""
    return Heard(
        opinion.round,
        opinion.juror.seat,
        opinion.vote,
        opinion.position,
        opinion.confidence,
        opinion.insight or next(iter(opinion.reasons), ""),
        seconds,
    )
