"""The gate before a model: turns, lanes, people first, against a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from hermes.agents.contract import Lane, Preempted
from hermes.agents.models.call import Call
from hermes.agents.models.gate import FORGOTTEN, PATIENCE, PREEMPTIONS, Gate
from hermes.agents.models.ollama import OllamaModel
from hermes.agents.models.protocol import (
    Busy,
    ChatModel,
    Delta,
    Message,
    ModelState,
    Unreachable,
    Usage,
)
from hermes.agents.models.timing import Timeouts
from hermes.tests.servers.ollama import OllamaServer, Reply

ASKED = [Message("user", "why")]
PATIENT = Timeouts(connect=5.0, first=20.0, between=20.0, total=60.0)


class Paced:
    """A model that writes a piece whenever the test says so."""

    name = "paced"
    context_tokens = 4_096

    def __init__(self) -> None:
        self.pace = asyncio.Semaphore(0)
        self.order: list[str] = []
        self.closed = 0

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Mapping[str, Any] | None = None,
        stop: Sequence[str] = (),
    ) -> AsyncGenerator[Delta]:
        self.order.append(messages[0].content)
        try:
            for _ in range(max_tokens):
                await self.pace.acquire()
                yield Delta("a ")
            yield Delta("", Usage(7, max_tokens))
        finally:
            self.closed += 1

    async def ready(self) -> ModelState:
        return ModelState(True, True)


async def ask(model: ChatModel, text: str, tokens: int = 2) -> str:
    found: list[str] = []
    stream = model.stream([Message("user", text)], max_tokens=tokens)
    async with aclosing(stream) as deltas:
        async for delta in deltas:
            found.append(delta.text)
    return "".join(found)


async def settled() -> None:
    """Let everything run that can."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_calls_take_turns_by_lane_and_then_by_arrival() -> None:
    model = Paced()
    gate = Gate(model)
    asks = [
        ("first", Lane.SCHEDULED),
        ("scheduled", Lane.SCHEDULED),
        ("reactive", Lane.REACTIVE),
        ("reactive too", Lane.REACTIVE),
    ]
    async with asyncio.TaskGroup() as group:
        for text, lane in asks:
            group.create_task(ask(gate.model("indexer", lane), text))
            await settled()
        assert gate.load == {"running": 1, "waiting": 3}
        for _ in range(8):
            model.pace.release()
    assert model.order == ["first", "reactive", "reactive too", "scheduled"]
    assert gate.load == {"running": 0, "waiting": 0}


async def test_as_many_run_at_once_as_the_server_can() -> None:
    model = Paced()
    gate = Gate(model, parallel=2)
    async with asyncio.TaskGroup() as group:
        for text in ("one", "two", "three"):
            group.create_task(ask(gate.model("indexer", Lane.REACTIVE), text))
        await settled()
        assert gate.load == {"running": 2, "waiting": 1}
        for _ in range(6):
            model.pace.release()


async def test_a_person_takes_the_turn_of_background_work_on_the_server_too() -> None:
    calls: list[Call] = []
    with OllamaServer() as server:
        gate = Gate(OllamaModel("hermes3:8b", url=server.url, timeouts=PATIENT), host=server.url)
        server.script(Reply(["All ", "about"], then="hang"), Reply(["Because."]))
        background = gate.model(
            "synthesizer", Lane.SCHEDULED, job=4, prompt="themes@1", on_call=calls.append
        )
        stream = background.stream(ASKED, max_tokens=900)
        assert (await anext(stream)).text == "All "
        person = gate.model("qa", Lane.ON_DEMAND, on_call=calls.append)
        assert await ask(person, "why?") == "Because."
        assert server.client_left.wait(10)
        with pytest.raises(Preempted):
            await anext(stream)
    first, second = calls
    assert (second.agent, second.job, second.outcome) == ("synthesizer", 4, "preempted")
    assert (second.prompt, second.host, second.tokens_out) == ("themes@1", server.url, 1)
    assert (first.agent, first.outcome, first.tokens_out) == ("qa", "ok", 1)


async def test_the_least_urgent_gives_way_and_a_person_to_nobody() -> None:
    model = Paced()
    gate = Gate(model, parallel=2)
    reactive = asyncio.create_task(ask(gate.model("a", Lane.REACTIVE), "reactive"))
    scheduled = asyncio.create_task(ask(gate.model("b", Lane.SCHEDULED), "scheduled"))
    await settled()
    people = [asyncio.create_task(ask(gate.model("qa", Lane.ON_DEMAND), "1"))]
    await settled()
    assert scheduled.done()
    assert not reactive.done()
    people += [asyncio.create_task(ask(gate.model("qa", Lane.ON_DEMAND), t)) for t in ("2", "3")]
    await settled()
    assert reactive.done()
    assert gate.load == {"running": 2, "waiting": 1}
    for task in (reactive, scheduled):
        with pytest.raises(Preempted):
            await task
    for _ in range(6):
        model.pace.release()
    await asyncio.gather(*people)


async def test_reactive_work_cancels_nothing() -> None:
    model = Paced()
    gate = Gate(model)
    first = asyncio.create_task(ask(gate.model("a", Lane.SCHEDULED), "scheduled"))
    await settled()
    second = asyncio.create_task(ask(gate.model("b", Lane.REACTIVE), "reactive"))
    await settled()
    for _ in range(4):
        model.pace.release()
    assert list(await asyncio.gather(first, second)) == ["a a ", "a a "]


async def test_work_that_was_cancelled_again_and_again_is_let_finish() -> None:
    model = Paced()
    now = 1_000.0
    gate = Gate(model, clock=lambda: now)

    async def meet_a_person() -> asyncio.Task[str]:
        background = asyncio.create_task(ask(gate.model("b", Lane.SCHEDULED, job=9), "background"))
        await settled()
        person = asyncio.create_task(ask(gate.model("qa", Lane.ON_DEMAND), "person"))
        await settled()
        for _ in range(4):
            model.pace.release()
        await person
        await settled()
        return background

    for _ in range(PREEMPTIONS):
        with pytest.raises(Preempted):
            await (await meet_a_person())
        while not model.pace.locked():
            await model.pace.acquire()
    now += PATIENCE
    assert await (await meet_a_person()) == "a a "


async def test_a_patience_that_is_a_day_old_counts_for_nobody() -> None:
    model = Paced()
    now = 1_000.0
    gate = Gate(model, clock=lambda: now)

    async def is_cancelled(job: int) -> bool:
        background = asyncio.create_task(ask(gate.model("b", Lane.REACTIVE, job=job), "background"))
        await settled()
        person = asyncio.create_task(ask(gate.model("qa", Lane.ON_DEMAND), "person"))
        await settled()
        for _ in range(4):
            model.pace.release()
        await person
        await asyncio.wait({background})
        while not model.pace.locked():
            await model.pace.acquire()
        return isinstance(background.exception(), Preempted)

    assert [await is_cancelled(job=9) for _ in range(PREEMPTIONS)] == [True] * PREEMPTIONS
    now += FORGOTTEN + 1
    assert await is_cancelled(job=10)
    assert await is_cancelled(job=9), "its earlier turns are forgotten with the day"


async def test_who_waits_can_leave_and_nobody_is_held_up_by_it() -> None:
    model = Paced()
    gate = Gate(model)
    calls: list[Call] = []
    running = asyncio.create_task(ask(gate.model("a", Lane.REACTIVE), "one"))
    await settled()
    leaving = asyncio.create_task(ask(gate.model("b", Lane.REACTIVE, on_call=calls.append), "two"))
    last = asyncio.create_task(ask(gate.model("c", Lane.REACTIVE), "three"))
    await settled()
    leaving.cancel()
    for _ in range(4):
        model.pace.release()
    await asyncio.gather(running, last)
    assert model.order == ["one", "three"]
    assert [(call.outcome, call.seconds) for call in calls] == [("cancelled", 0.0)]


async def test_who_leaves_in_the_moment_of_the_turn_loses_it_to_nobody() -> None:
    model = Paced()
    gate = Gate(model)
    running = asyncio.create_task(ask(gate.model("a", Lane.REACTIVE), "one", 1))
    await settled()
    leaving = asyncio.create_task(ask(gate.model("b", Lane.REACTIVE), "two"))
    await settled()
    model.pace.release()
    await running
    leaving.cancel()
    await settled()
    assert gate.load == {"running": 0, "waiting": 0}


async def test_waiting_has_an_end() -> None:
    gate = Gate(Paced())
    running = asyncio.create_task(ask(gate.model("a", Lane.REACTIVE), "one"))
    await settled()
    with pytest.raises(Busy, match="busy with other work for 0.01 s"):
        await ask(gate.model("b", Lane.REACTIVE, wait=0.01), "two")
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert gate.load == {"running": 0, "waiting": 0}


async def test_closing_an_answer_early_ends_it_on_the_server_and_frees_the_turn() -> None:
    calls: list[Call] = []
    with OllamaServer() as server:
        gate = Gate(OllamaModel("hermes3:8b", url=server.url, timeouts=PATIENT))
        server.script(Reply(["one ", "two"], then="hang"))
        model = gate.model("qa", Lane.ON_DEMAND, on_call=calls.append)
        async with aclosing(model.stream(ASKED, max_tokens=50)) as deltas:
            await anext(deltas)
        assert server.client_left.wait(10)
    assert gate.free
    assert [call.outcome for call in calls] == ["cancelled"]


async def test_a_slow_reader_does_not_hold_the_turn() -> None:
    model = Paced()
    gate = Gate(model)
    for _ in range(2):
        model.pace.release()
    slow = gate.model("a", Lane.REACTIVE).stream([Message("user", "slow")], max_tokens=2)
    await anext(slow)
    await settled()
    assert gate.free
    assert [delta.text async for delta in slow] == ["a ", ""]


async def test_an_error_reaches_its_caller_and_is_written_down_by_its_code() -> None:
    with OllamaServer() as server:
        gate = Gate(OllamaModel("hermes3:8b", url=server.url, timeouts=PATIENT))
    calls: list[Call] = []
    with pytest.raises(Unreachable):
        await ask(gate.model("qa", Lane.ON_DEMAND, on_call=calls.append), "why")
    assert [call.outcome for call in calls] == ["model_unreachable"]
    assert gate.free
