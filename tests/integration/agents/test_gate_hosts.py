"""Several hosts of one model, and what keeps it in their memory."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from hermes.agents.contract import Lane
from hermes.agents.models.gate import Gate
from hermes.agents.models.hosts import FIRST_REST, Host, Hosts
from hermes.agents.models.ollama import OllamaModel
from hermes.agents.models.ollama_server import OllamaServer as Server
from hermes.agents.models.protocol import ChatModel, Message, TimedOut, Unreachable
from hermes.agents.models.timing import Timeouts
from hermes.agents.models.warm import KeepWarm
from hermes.tests.servers.ollama import OllamaServer, Reply

PATIENT = Timeouts(connect=5.0, first=20.0, between=20.0, total=60.0)
HASTY = Timeouts(connect=5.0, first=0.3, between=0.3, total=5.0)
CONTEXT = 8_192


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def hosts_at(
    *urls: str, clock: Clock | None = None, timeouts: Timeouts = PATIENT
) -> tuple[Hosts, list[str]]:
    """Return the hosts, and what they say."""
    said: list[str] = []

    def say(what: str, text: str, fields: dict[str, Any]) -> None:
        said.append(what)

    models = [
        OllamaModel("hermes3:8b", url=url, context_tokens=CONTEXT, timeouts=timeouts)
        for url in urls
    ]
    found = [Host(Gate(model, host=url)) for model, url in zip(models, urls, strict=True)]
    return Hosts(found, say=say, clock=clock or Clock()), said


async def ask(model: ChatModel) -> str:
    return "".join([d.text async for d in model.stream([Message("user", "why")], max_tokens=9)])


async def test_a_call_goes_where_the_model_is_in_memory() -> None:
    with OllamaServer() as cold, OllamaServer() as warm:
        hosts, _ = hosts_at(cold.url, warm.url)
        hosts.hosts[1].warm = True
        await ask(hosts.model("qa", Lane.ON_DEMAND))
        assert (len(cold.calls("/api/chat")), len(warm.calls("/api/chat"))) == (0, 1)


async def test_a_second_call_goes_to_the_free_host() -> None:
    with OllamaServer() as one, OllamaServer() as two:
        hosts, _ = hosts_at(one.url, two.url)
        one.script(Reply(["a"], then="hang"))
        first = hosts.model("standup", Lane.REACTIVE).stream([Message("user", "x")], max_tokens=9)
        await anext(first)
        assert await ask(hosts.model("qa", Lane.REACTIVE)) == "why"
        assert len(two.calls("/api/chat")) == 1
        await first.aclose()


async def test_a_dead_host_is_left_out_for_a_while_and_said_once() -> None:
    clock = Clock()
    with OllamaServer() as dead:
        url = dead.url
    with OllamaServer() as alive:
        hosts, said = hosts_at(url, alive.url, clock=clock)
        assert await ask(hosts.model("qa", Lane.ON_DEMAND)) == "why"
        assert said == ["away"]
        assert [host.gate.host for host in hosts.order(Lane.ON_DEMAND)] == [alive.url]
        clock.now += FIRST_REST
        assert len(hosts.order(Lane.ON_DEMAND)) == 2
        hosts.hosts[1].warm = False
        assert await ask(hosts.model("qa", Lane.ON_DEMAND)) == "why"
        clock.now += FIRST_REST
        assert len(hosts.order(Lane.ON_DEMAND)) == 1, "its second rest is longer"
        assert said == ["away"]
    assert hosts.hosts[0].away == f"Ollama does not answer at {url}."


async def test_a_single_dead_host_is_asked_all_the_same_and_says_what_is_wrong() -> None:
    with OllamaServer() as dead:
        hosts, said = hosts_at(dead.url)
    for _ in range(2):
        with pytest.raises(Unreachable):
            await ask(hosts.model("qa", Lane.ON_DEMAND))
    assert said == ["away"]


async def test_one_that_has_not_pulled_the_model_is_passed_over() -> None:
    with OllamaServer(models=[]) as poor, OllamaServer() as rich:
        hosts, said = hosts_at(poor.url, rich.url)
        assert await ask(hosts.model("qa", Lane.ON_DEMAND)) == "why"
        assert said == ["away"]
        assert (await hosts.ready()).ready


async def test_a_host_that_hangs_costs_one_call_its_time_and_is_left_out_then() -> None:
    with OllamaServer() as hung, OllamaServer() as well:
        hosts, said = hosts_at(hung.url, well.url, timeouts=HASTY)
        hung.script(Reply(then="hang"))
        with pytest.raises(TimedOut):
            await ask(hosts.model("qa", Lane.ON_DEMAND))
        assert await ask(hosts.model("qa", Lane.ON_DEMAND)) == "why"
        assert (said, len(well.calls("/api/chat"))) == (["away"], 1)


class Keeping:
    """A warm-keeper over one server."""

    def __init__(self, server: OllamaServer, *, allowed: bool = True) -> None:
        self.clock = Clock()
        self.said: list[tuple[str, str]] = []
        self.hosts, self.heard = hosts_at(server.url, clock=self.clock)
        self.keeper = KeepWarm(
            self.hosts,
            [Server(server.url)],
            may_warm=lambda: allowed,
            say=lambda what, text, fields: self.said.append((what, text)),
            clock=self.clock,
        )
        self.keeper.used()

    async def step(self) -> None:
        await self.keeper.step(self.clock.now)


async def test_the_model_is_loaded_at_start_with_the_options_of_every_call() -> None:
    with OllamaServer() as server:
        keeping = Keeping(server)
        await keeping.step()
        assert server.loads == [("hermes3:8b", CONTEXT)]
        await ask(keeping.hosts.model("qa", Lane.ON_DEMAND))
        await keeping.step()
        assert server.loads == [("hermes3:8b", CONTEXT)], "neither the call nor a look loads again"
    assert [what for what, _ in keeping.said] == ["loaded"]
    (fields,) = keeping.keeper.fields()
    assert (fields["warm"], fields["asked"], fields["granted"]) == (True, CONTEXT, CONTEXT)


async def test_what_was_evicted_is_loaded_again_and_both_are_said() -> None:
    with OllamaServer() as server:
        keeping = Keeping(server)
        await keeping.step()
        server.evict("hermes3:8b")
        await keeping.step()
        assert len(server.loads) == 2
    assert [what for what, _ in keeping.said] == ["loaded", "evicted", "loaded"]


async def test_a_smaller_context_than_was_asked_is_said() -> None:
    with OllamaServer() as server:
        server.grants = 4_096
        keeping = Keeping(server)
        await keeping.step()
        await keeping.step()
        assert len(server.loads) == 1
    assert "granted 4,096 tokens of context, not 8,192" in keeping.said[-1][1]
    assert keeping.keeper.fields()[0]["granted"] == 4_096


async def test_where_loading_is_not_allowed_it_only_looks() -> None:
    with OllamaServer() as server:
        keeping = Keeping(server, allowed=False)
        await keeping.step()
        assert [request.path for request in server.requests] == ["/api/ps"]


async def test_a_machine_that_is_not_used_is_left_alone_until_it_is() -> None:
    with OllamaServer() as server:
        keeping = Keeping(server)
        keeping.clock.now += keeping.keeper.used_for + 1
        await keeping.step()
        assert server.requests == []
        keeping.keeper.used()
        await keeping.step()
        assert len(server.loads) == 1


async def test_a_server_that_goes_and_comes_back_is_said_once_each() -> None:
    with OllamaServer() as server:
        keeping = Keeping(server)
        url = server.url
        await keeping.step()
    for _ in range(2):
        keeping.clock.now += 3_600
        keeping.keeper.used()
        await keeping.step()
    assert keeping.heard == ["away"]
    assert keeping.keeper.fields()[0]["trouble"] == f"Ollama does not answer at {url}."
    with OllamaServer() as again:
        keeping.keeper.servers[0].url = again.url
        keeping.clock.now += 3_600
        keeping.keeper.used()
        await keeping.step()
    assert keeping.heard == ["away", "back"]


async def test_the_service_loads_at_once_and_then_sleeps() -> None:
    with OllamaServer() as server:
        keeping = Keeping(server)
        loaded = asyncio.Event()
        keeping.keeper.say = lambda what, text, fields: loaded.set()
        service = asyncio.create_task(keeping.keeper.serve())
        await loaded.wait()
        service.cancel()
        await asyncio.gather(service, return_exceptions=True)
        assert len(server.loads) == 1


async def test_the_first_use_after_a_long_rest_loads_at_once() -> None:
    with OllamaServer() as server:
        keeping = Keeping(server)
        times = iter([keeping.clock.now])
        keeping.clock.now += keeping.keeper.used_for + 1
        # It was used at its start, and not since when it looks.
        keeping.keeper.clock = lambda: next(times, keeping.clock.now)
        loaded = asyncio.Event()
        keeping.keeper.say = lambda what, text, fields: loaded.set()
        service = asyncio.create_task(keeping.keeper.serve())
        for _ in range(5):
            await asyncio.sleep(0)
        assert server.requests == []
        keeping.keeper.used()
        async with asyncio.timeout(20):
            await loaded.wait()
        service.cancel()
        await asyncio.gather(service, return_exceptions=True)
