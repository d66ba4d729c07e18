"""The API of what councils learn: who may sit and how much they count, proposals, calibration."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field

from ..agents.council.calibration import ENOUGH
from ..agents.council.codec import from_json, to_json
from ..agents.council.families import family_of
from ..agents.council.learning import how_reliable, propose
from ..agents.council.perspectives import PLANS, PRESETS
from ..agents.council.reflect import Proposal, Refusal
from ..agents.council.weights import ANY, read_lesson, record_of, weigh
from ..memory.council_records import Answer, NothingOpen, Suggested
from .api_council import chamber_of
from .council_fields import change, proposal, reliability
from .host import Host
from .standing import ledger_of, work_of
from .wire import Fields, Json, Number

if TYPE_CHECKING:
    from ..memory.work import Work


class LessonIn(BaseModel):
    """A weight that a person sets, as ``juror | topic | factor``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    lesson: Annotated[str, Field(min_length=1, max_length=500)]


def add_council_learning(app: FastAPI, host: Host) -> None:
    """Add ``/v1/council`` to the application."""

    @app.get("/v1/council/jurors")
    async def jurors() -> Json:
        chamber = chamber_of(host)
        there, absent = await chamber.who_is_there()
        away = {one.juror.name: one.why for one in absent}
        pool = [*there, *(one.juror for one in absent)]
        names = [(one.name, one.family) for one in pool]

        def look() -> list[Fields]:
            return [
                _juror(work_of(host), name, family, away.get(name, "")) for name, family in names
            ]

        return Json({"jurors": await asyncio.to_thread(look)})

    @app.get("/v1/council/choices")
    async def choices() -> Json:
        council = host.settings.council
        own = {name: tuple(each) for name, each in council.presets.items()}
        ours = {one.name: tuple(each.name for each in one.perspectives) for one in PRESETS.values()}
        return Json(
            {
                "modes": [{"name": str(mode), **asdict(plan)} for mode, plan in PLANS.items()],
                "presets": [
                    {"name": name, "perspectives": names} for name, names in (ours | own).items()
                ],
                "mode": str(council.mode),
                "preset": council.preset,
            }
        )

    @app.get("/v1/council/weights")
    async def weights() -> Json:
        work = work_of(host)

        def look() -> Fields:
            return {
                "weights": _weights(work),
                "changes": [change(one) for one in work.lessons.changes()],
            }

        return Json(await asyncio.to_thread(look))

    @app.get("/v1/council/calibration")
    async def calibration() -> Json:
        found = await asyncio.to_thread(how_reliable, work_of(host))
        outcomes = await asyncio.to_thread(work_of(host).lessons.outcomes)
        return Json(
            {
                "outcomes": len(outcomes),
                "enough": ENOUGH,
                "said": [reliability(one) for one in found],
            }
        )

    @app.post("/v1/council/learn")
    async def learn(asked: LessonIn) -> Json:
        told = read_lesson(asked.lesson)
        work = work_of(host)
        number = await asyncio.to_thread(work.lessons.tell, told, "told", time.time())
        text = f"{told.juror} counts ×{told.factor:g} on {_topic(told.topic)}"
        await _note(host, "weight set", text, number)
        return Json({"change": number, "text": text})

    @app.delete("/v1/council/learn/{number}")
    async def unlearn(number: Number) -> Json:
        undone = await asyncio.to_thread(work_of(host).lessons.undo, number, time.time())
        text = f"{undone.told.juror} no longer counts ×{undone.told.factor:g} on {_topic(undone.told.topic)}"
        await _note(host, "weight taken back", text, number)
        return Json({"change": number, "text": text})

    @app.post("/v1/council/reflect")
    async def reflect() -> Json:
        return Json(await asyncio.to_thread(_reflected, work_of(host)))

    @app.post("/v1/council/proposals/{number}/approve")
    async def approve(number: Number) -> Json:
        work = work_of(host)

        def agree() -> tuple[int, Proposal]:
            wanted = from_json(Proposal, _open(work, number).proposal)
            return work.lessons.approve(number, wanted.told, time.time()), wanted

        made, wanted = await asyncio.to_thread(agree)
        text = f"{wanted.juror} counts ×{wanted.factor:g} on {_topic(wanted.topic)}"
        await _note(host, "weight set", text, made)
        return Json({"proposal": number, "change": made, "text": text})

    @app.post("/v1/council/proposals/{number}/dismiss")
    async def dismiss(number: Number) -> Json:
        await asyncio.to_thread(work_of(host).lessons.dismiss, number, time.time())
        return Json({"proposal": number})


def _topic(topic: str) -> str:
    return "every topic" if topic == ANY else topic


async def _note(host: Host, what: str, text: str, number: int) -> None:
    """Write a change of weights into the journal."""
    journal = ledger_of(host).journal
    fields: Fields = {"change": number}
    await asyncio.to_thread(
        lambda: journal.append("council", what, time.time(), text=text, fields=fields)
    )


def _open(work: Work, number: int) -> Suggested:
    for one in work.lessons.suggested(Answer.OPEN):
        if one.id == number:
            return one
    raise NothingOpen(
        f"there is no open proposal {number}",
        hint="`hermes council reflect` makes one if there is reason to",
    )


def _reflected(work: Work) -> Fields:
    """Return the one proposal that is open; made now, if there is reason to."""
    found = propose(work)
    standing = work.lessons.suggested(Answer.OPEN)
    if isinstance(found, Refusal):
        if standing:
            return {"proposal": proposal(standing[0]), "why": "", "hint": ""}
        return {"proposal": None, "why": found.why, "hint": found.hint}
    text = to_json(found)
    for one in standing:
        if one.proposal == text:
            return {"proposal": proposal(one), "why": "", "hint": ""}
    number = work.lessons.suggest(found.juror, found.topic, text, found.councils, time.time())
    return {"proposal": proposal(_open(work, number)), "why": "", "hint": ""}


def _weights(work: Work) -> list[Fields]:
    """Return how much each juror that anything is known of counts, by topic."""
    scores, told = work.lessons.scores(), work.lessons.told()
    topics = sorted({one.topic for one in scores} | {one.topic for one in told} - {ANY})
    full = {one.juror for one in scores}
    bare = {one.juror for one in told} - {name.partition(":")[2] for name in full}
    names = sorted(full | bare)
    found: list[Fields] = []
    for topic in [*topics, *([ANY] if any(one.topic == ANY for one in told) else [])]:
        for one in weigh(names, topic, scores, told):
            record = record_of(one.name, topic, scores)
            said = any(
                each.topic == topic and each.juror in (one.name, one.name.partition(":")[2])
                for each in told
            )
            if record.of or said:
                found.append(
                    {"juror": one.name, "topic": topic, "weight": one.value, "basis": one.basis}
                )
    return found


@dataclass(frozen=True, slots=True)
class _Took:
    councils: int
    seconds: float
    tokens_in: float
    tokens_out: float


def _juror(work: Work, name: str, family: str, away: str) -> Fields:
    scores, told = work.lessons.scores(), work.lessons.told()
    record = record_of(name, ANY, scores)
    topics = sorted(
        {one.topic for one in scores if one.juror == name}
        | {
            one.topic
            for one in told
            if one.juror in (name, name.partition(":")[2]) and one.topic != ANY
        }
    )
    took = _took(work, name)
    return {
        "name": name,
        "family": family or family_of(name.partition(":")[2]),
        "away": away,
        "right": record.right,
        "of": record.of,
        "trust": {topic: weigh((name,), topic, scores, told)[0].value for topic in topics},
        "councils": took.councils,
        "seconds": took.seconds,
        "tokens_in": took.tokens_in,
        "tokens_out": took.tokens_out,
    }


def _took(work: Work, name: str) -> _Took:
    """Return what one answer of a juror takes, on average of what is known."""
    spoken = [
        one
        for council in work.councils.find()
        for one in work.councils.opinions(council.id)
        if one.juror == name
    ]
    return _Took(
        len(spoken),
        _mean(one.seconds for one in spoken),
        _mean(float(one.tokens_in) for one in spoken),
        _mean(float(one.tokens_out) for one in spoken),
    )


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known) if known else 0.0
