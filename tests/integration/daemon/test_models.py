"""What hermes tells of its models, and fetching one, against real servers that behave badly too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from hermes.agents.models.gate import Gate
from hermes.agents.models.hosts import Host, Hosts
from hermes.agents.models.ollama import OllamaModel
from hermes.agents.models.ollama_server import OllamaServer as Server
from hermes.agents.models.openai import OpenAIModel
from hermes.agents.models.protocol import Interrupted, Missing, Refused, Unreachable
from hermes.agents.models.warm import KeepWarm
from hermes.daemon.api_models import add_models
from hermes.daemon.models import Models, NoServer, suggestions
from hermes.memory.errors import HermesError
from hermes.tests.servers.ollama import OllamaServer
from hermes.tests.servers.openai import OpenAIServer

Rows = Sequence[Mapping[str, Any]]


def usage(**changed: Any) -> dict[str, Any]:
    row = {
        "agent": "router", "model": "hermes3:8b", "calls": 200, "failed": 0, "tokens_in": 60_000,
        "tokens_out": 1_600, "seconds": 300.0, "median": 1.4,
    }  # fmt: skip
    return row | changed


def models_at(*urls: str, rows: Rows = ()) -> Models:
    chats = [OllamaModel("hermes3:8b", url=url, context_tokens=8_192) for url in urls]
    hosts = Hosts([Host(Gate(chat, host=url)) for chat, url in zip(chats, urls, strict=True)])
    keeper = KeepWarm(hosts, [Server(url) for url in urls])
    return Models("ollama", hosts, keeper, lambda since: rows, ("indexer", "qa"))


async def test_a_host_tells_its_version_and_what_it_holds() -> None:
    with OllamaServer() as server:
        models = models_at(server.url)
        await Server(server.url).load("hermes3:8b", context=8_192, keep_alive=600)
        found = await models.fields()
    (host,) = found["hosts"]
    assert (host["reachable"], host["present"], host["version"]) == (True, True, "0.13.5")
    assert [(m["name"], m["context"], m["ours"]) for m in host["loaded"]] == [
        ("hermes3:8b", 8_192, True)
    ]
    assert found["warnings"] == []


async def test_less_context_than_was_asked_for_is_a_warning() -> None:
    with OllamaServer() as server:
        server.grants = 4_096
        await Server(server.url).load("hermes3:8b", context=8_192, keep_alive=600)
        (warning,) = (await models_at(server.url).fields())["warnings"]
    assert "granted 4,096 tokens of context" in warning
    assert "num_ctx" in warning


async def test_a_missing_model_and_a_missing_server_say_what_to_do() -> None:
    with OllamaServer() as gone:
        pass
    with OllamaServer(models=[]) as poor:
        found = await models_at(poor.url, gone.url).fields()
    there, away = found["hosts"]
    assert (there["reachable"], there["present"]) == (True, False)
    assert there["hint"] == "hermes models pull hermes3:8b"
    assert away["detail"] == f"Ollama does not answer at {gone.url}."


async def test_agents_are_shown_with_their_use_and_without_any() -> None:
    with OllamaServer() as server:
        found = await models_at(server.url, rows=[usage()]).fields()
    assert [(row["agent"], row["calls"]) for row in found["agents"]] == [("router", 200), ("qa", 0)]
    (suggestion,) = found["suggestions"]
    assert suggestion.startswith("router: 200 calls of hermes3:8b, none failed, 8 tokens")


@pytest.mark.parametrize(
    "row",
    [
        usage(calls=20),
        usage(failed=1),
        usage(tokens_out=80_000),
        usage(median=0.2),
        usage(median=None),
    ],
    ids=["few calls", "failures", "long answers", "fast already", "none went well"],
)
def test_nothing_is_suggested_without_the_evidence_for_it(row: dict[str, Any]) -> None:
    assert suggestions([row]) == []


async def test_another_provider_is_shown_as_far_as_it_tells() -> None:
    with OpenAIServer() as server:
        model = OpenAIModel("small", url=server.base)
        models = Models("openai", Hosts([Host(Gate(model, host=server.base))]), None)
        (host,) = (await models.fields())["hosts"]
        with pytest.raises(NoServer):
            await pulled(models, "x")
    assert (host["reachable"], host["present"], host["version"]) == (True, True, None)


async def test_without_a_model_there_is_nothing_to_show() -> None:
    found = await Models("none", None, None).fields()
    assert (found["model"], found["hosts"]) == (None, [])


async def pulled(models: Models, name: str) -> list[dict[str, Any]]:
    return [event async for event in models.pull(name)]


async def test_a_pull_tells_how_far_it_is_and_the_model_is_there() -> None:
    with OllamaServer() as server:
        events = await pulled(models_at(server.url), "qwen:7b")
        assert "qwen:7b" in server.models
    shares = [(e["done"], e["total"]) for e in events if e["type"] == "progress"]
    assert shares[:3] == [(0, 100), (50, 100), (100, 100)]
    assert events[-1]["type"] == "done"
    assert events[-1]["report"]["model"] == "qwen:7b"


async def test_a_pull_fetches_it_on_every_host() -> None:
    with OllamaServer() as one, OllamaServer() as two:
        events = await pulled(models_at(one.url, two.url), "qwen:7b")
        assert "qwen:7b" in one.models
        assert "qwen:7b" in two.models
        assert events[-1]["report"]["hosts"] == [one.url, two.url]


async def failed_pull(server: OllamaServer, name: str = "qwen:7b") -> HermesError:
    with pytest.raises(HermesError) as caught:
        await pulled(models_at(server.url), name)
    return caught.value


async def test_each_way_in_which_a_pull_fails_says_what_to_do() -> None:
    with OllamaServer() as server:
        unknown = await failed_pull(server, "no-such-model")
        server.pull_ends = "full"
        full = await failed_pull(server)
        server.pull_ends = "cut"
        cut = await failed_pull(server)
    absent = await failed_pull(server)
    assert isinstance(unknown, Missing)
    assert "There is no model no-such-model" in unknown.message
    assert isinstance(full, Refused)
    assert "no space left" in full.message
    assert "goes on from there" in full.hint
    assert isinstance(cut, Interrupted)
    assert isinstance(absent, Unreachable)
    assert "ollama serve" in absent.hint


async def test_who_leaves_a_pull_ends_it_on_the_server() -> None:
    with OllamaServer() as server:
        server.pull_ends = "hang"
        events = models_at(server.url).pull("qwen:7b")
        await anext(events)
        await events.aclose()
        assert server.client_left.wait(10)


async def test_over_the_api_a_bad_name_is_refused_and_a_pull_streams(tmp_path: Path) -> None:
    app = FastAPI()
    with OllamaServer() as server:
        add_models(app, models_at(server.url), tmp_path / "log")
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://hermes") as client:
            bad = await client.post("/v1/models/pull", json={"name": "a b; rm"})
            shown = await client.get("/v1/models")
            streamed = await client.post("/v1/models/pull", json={"name": "no-such-model"})
    assert bad.status_code == 422
    assert shown.json()["model"] == "hermes3:8b"
    assert '"type":"error"' in streamed.text
    assert '"code":"model_missing"' in streamed.text
