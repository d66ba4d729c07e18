"""Councils as objects on the wire: a row of a list, and all of one."""

from __future__ import annotations

import json

from ..agents.council.codec import NotARecord, from_json, to_json
from ..agents.council.docket import Docket
from ..agents.council.learning import Reliability
from ..agents.council.minutes import minutes_of
from ..agents.council.records import Juror, Opinion, Verdict
from ..agents.council.report import Minutes, probability_words, state_words, to_markdown
from ..memory.council_records import Change, Council, Spoken, Suggested
from ..memory.work import Work
from .wire import Fields


def plain(record: object) -> Fields:
    """Return a record of the council as an object."""
    fields: Fields = json.loads(to_json(record))
    return fields


def row(work: Work, council: Council) -> Fields:
    """Return a council as a list shows it."""
    decided = work.councils.verdict(council.id)
    outcome = work.lessons.outcome(council.id)
    fields: Fields = {
        "id": council.id,
        "repo": council.repo,
        "question": council.question,
        "topic": council.topic,
        "mode": council.mode,
        "progress": str(council.progress),
        "asked": council.asked,
        "ended": council.ended,
        "state": None,
        "words": "",
        "side": "",
        "decision": "",
        "outcome": str(outcome.result) if outcome is not None else None,
    }
    if decided is not None:
        verdict = from_json(Verdict, decided.verdict)
        fields |= {
            "state": str(verdict.state),
            "words": state_words(verdict),
            "side": verdict.side,
            "decision": verdict.decision,
        }
    return fields


def whole(work: Work, council: Council) -> Fields:
    """Return all of one council, as far as it got. Raise NotARecord."""
    docket = from_json(Docket, council.packet)
    packet = docket.packet
    spoken = work.councils.opinions(council.id)
    outcome = work.lessons.outcome(council.id)
    minutes = minutes_of(work, council)
    summary = work.councils.summary(council.id)
    return row(work, council) | {
        "kind": str(packet.kind),
        "options": list(packet.options),
        "target": packet.target,
        "preset": docket.preset,
        "jury": [_seat(juror) for juror in docket.jury],
        "opinions": [_opinion(one) for one in spoken],
        "evidence": [
            {"kind": one.kind, "ref": one.ref, "characters": len(one.text)} for one in packet.pieces
        ],
        "touched": [plain(one) for one in packet.touched],
        "prior": [plain(one) for one in packet.prior],
        "left_out": list(packet.left_out),
        "notices": list(docket.notices),
        "rounds": len(work.councils.rounds(council.id)),
        "verdict": None if minutes is None else _verdict(minutes),
        "note": outcome.note if outcome is not None else "",
        "cost": _cost(spoken, council, work),
        "summary": None if summary is None else plain(summary),
        "markdown": "" if minutes is None else to_markdown(minutes),
    }


def _verdict(minutes: Minutes) -> Fields:
    verdict = minutes.verdict
    weights = {one.name: {"value": one.value, "basis": one.basis} for one in minutes.case.weights}
    return plain(verdict) | {
        "words": state_words(verdict),
        "probability_words": probability_words(verdict.probability),
        "weights": weights,
    }


def _opinion(spoken: Spoken) -> Fields:
    opinion = from_json(Opinion, spoken.opinion)
    return plain(opinion) | {
        "seat": spoken.seat,
        "seconds": spoken.seconds,
        "tokens_in": spoken.tokens_in,
        "tokens_out": spoken.tokens_out,
    }


def _seat(juror: Juror) -> Fields:
    return {
        "seat": juror.seat,
        "name": juror.name,
        "family": juror.family,
        "perspective": juror.perspective,
    }


def _cost(spoken: list[Spoken], council: Council, work: Work) -> Fields:
    """Return what a council took. ``seconds`` is how long a person waited, ``juror_seconds`` what
    its jurors took together."""
    rounds = work.councils.rounds(council.id)
    waited = sum(one.ended - one.began for one in rounds if one.ended is not None)
    models = sorted({one.juror for one in spoken if not one.juror.startswith("rule:")})
    return {
        "tokens_in": sum(one.tokens_in for one in spoken),
        "tokens_out": sum(one.tokens_out for one in spoken),
        "seconds": waited,
        "juror_seconds": sum(one.seconds for one in spoken),
        "models": models,
    }


def change(one: Change) -> Fields:
    """Return a change of weights."""
    return {
        "id": one.id,
        "juror": one.told.juror,
        "topic": one.told.topic,
        "factor": one.told.factor,
        "why": one.why,
        "at": one.at,
        "undone": one.undone,
    }


def proposal(one: Suggested) -> Fields:
    """Return a proposal with its evidence."""
    fields: Fields = json.loads(one.proposal)
    return {
        "id": one.id,
        "juror": one.juror,
        "topic": one.topic,
        "text": fields["text"],
        "before": fields["before"],
        "factor": fields["factor"],
        "evidence": fields["evidence"],
        "answer": str(one.answer),
        "at": one.at,
    }


def reliability(one: Reliability) -> Fields:
    """Return how what was said came true."""
    return {
        "name": one.name,
        "n": one.n,
        "brier": one.brier,
        "error": one.error,
        "rows": [plain(each) for each in one.rows],
    }


def rows(work: Work, councils: list[Council]) -> list[Fields]:
    """Return councils as a list shows them; one that can't be read says so and hides no other."""
    found: list[Fields] = []
    for council in councils:
        try:
            found.append(row(work, council))
        except NotARecord as error:
            found.append({"id": council.id, "question": council.question, "problem": error.message})
    return found
