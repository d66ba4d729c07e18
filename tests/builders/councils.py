"""Councils of the past, put into ``work.db`` as a daemon leaves them: asked, answered, decided, turned out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hermes.agents.council.case import make_case
from hermes.agents.council.codec import to_json
from hermes.agents.council.docket import Docket
from hermes.agents.council.learning import curve_on, set_outcome, weights_on
from hermes.agents.council.perspectives import Mode
from hermes.agents.council.records import Absent, Kind, Opinion, Packet
from hermes.agents.council.verdict import decide
from hermes.memory.council_records import Result, Spoken
from hermes.memory.work import Work


@dataclass(frozen=True, slots=True)
class Held:
    """One council that was held, and how it turned out."""

    question: str
    opinions: Sequence[Opinion]
    packet: Packet = field(default_factory=lambda: Packet("", Kind.JUDGMENT))
    result: Result | None = None
    note: str = ""
    absent: tuple[Absent, ...] = ()
    notices: tuple[str, ...] = ()
    topic: str = "general"
    seconds: float = 4.0
    tokens: tuple[int, int] = (1_180, 160)


def hold(work: Work, held: Held, at: float, repo: str = "") -> int:
    """Store a council as one that was held at that time; return its number."""
    from dataclasses import replace

    packet = replace(held.packet, question=held.question, topic=held.topic)
    jury = tuple(one.juror for one in held.opinions if one.round == 1 and not one.juror.is_rule)
    rounds = max((one.round for one in held.opinions), default=1)
    docket = Docket(
        packet,
        Mode.STANDARD,
        held.topic,
        rounds=1,
        jury=jury,
        absent=held.absent,
        notices=held.notices,
    )
    councils = work.councils
    number = councils.open(repo, held.topic, "standard", held.question, to_json(docket), at)
    for round in range(1, rounds + 1):
        councils.begin_round(number, round, at + (round - 1) * held.seconds)
    read, written = held.tokens
    for one in held.opinions:
        spoken = Spoken(
            one.round,
            one.juror.seat,
            one.juror.name,
            to_json(one),
            at + one.round * held.seconds,
            0.0 if one.juror.is_rule else held.seconds,
            0 if one.juror.is_rule else read,
            0 if one.juror.is_rule else written,
        )
        councils.hear(number, spoken)
    for round in range(1, rounds + 1):
        councils.end_round(number, round, at + round * held.seconds)
    names = {one.juror.name for one in held.opinions}
    case = make_case(
        packet,
        held.opinions,
        absent=held.absent,
        weights=weights_on(work, names, held.topic),
        curve=curve_on(work, held.topic),
    )
    verdict = decide(case)
    ended = at + rounds * held.seconds
    councils.decide(
        number, str(verdict.state), verdict.support, to_json(case), to_json(verdict), ended
    )
    if held.result is not None:
        set_outcome(work, number, held.result, held.note, ended + 86_400)
    return number
