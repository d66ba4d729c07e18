"""The Ollama provider, through the official client, against a server that behaves well and badly."""

from __future__ import annotations

import pytest

from hermes.agents.models.ollama import OllamaModel
from hermes.agents.models.protocol import (
    Delta,
    Garbage,
    Interrupted,
    Message,
    Missing,
    ModelError,
    Refused,
    Throttled,
    TimedOut,
    Truncated,
    Unreachable,
)
from hermes.agents.models.timing import Timeouts
from hermes.tests.servers.ollama import OllamaServer, Reply

ASKED = [Message("system", "Answer."), Message("user", "why did we drop it")]
PATIENT = Timeouts(connect=5.0, first=20.0, between=20.0, total=60.0)
HASTY = Timeouts(connect=5.0, first=0.5, between=0.5, total=60.0)


def model_of(
    server: OllamaServer, *, name: str = "hermes3:8b", timeouts: Timeouts = PATIENT
) -> OllamaModel:
    return OllamaModel(name, url=server.url, context_tokens=2_048, timeouts=timeouts)


async def collect(model: OllamaModel, *, max_tokens: int = 100) -> list[Delta]:
    return [delta async for delta in model.stream(ASKED, max_tokens=max_tokens)]


async def failure(model: OllamaModel) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await collect(model)
    error = caught.value
    assert "\n" not in error.message
    assert error.hint
    return error


async def test_an_answer_streams_and_ends_with_its_usage() -> None:
    with OllamaServer() as server:
        server.script(Reply(["It ", "was slow."]))
        deltas = await collect(model_of(server))
    assert [delta.text for delta in deltas] == ["It ", "was slow.", ""]
    usage = deltas[-1].usage
    assert usage is not None
    assert (usage.tokens_in, usage.tokens_out, usage.cut) == (7, 2, False)


async def test_every_call_has_the_same_context_size_so_the_model_loads_once() -> None:
    with OllamaServer() as server:
        model = model_of(server)
        for max_tokens in (10, 50, 100):
            await collect(model, max_tokens=max_tokens)
        assert server.loads == [("hermes3:8b", 2_048)]
        sent = server.calls("/api/chat")
    assert [call["options"]["num_predict"] for call in sent] == [10, 50, 100]
    assert all(call["stream"] is True and call["keep_alive"] == "30m" for call in sent)


async def test_a_schema_is_sent_as_format() -> None:
    schema = {"type": "object", "properties": {"label": {"type": "string"}}}
    with OllamaServer() as server:
        server.script(Reply(['{"label": "x"}']))
        async for _ in model_of(server).stream(ASKED, max_tokens=9, schema=schema):
            pass
        assert server.calls("/api/chat")[0]["format"] == schema


async def test_closing_the_stream_cancels_on_the_server() -> None:
    with OllamaServer() as server:
        server.script(Reply(["one", "two"], then="hang"))
        stream = model_of(server, timeouts=Timeouts()).stream(ASKED, max_tokens=100)
        assert (await anext(stream)).text == "one"
        await stream.aclose()
        assert server.client_left.wait(5)


async def test_an_answer_at_its_limit_says_that_it_was_cut() -> None:
    with OllamaServer() as server:
        deltas = await collect(model_of(server), max_tokens=2)
    assert deltas[-1].usage is not None
    assert deltas[-1].usage.cut


async def test_a_prompt_that_filled_the_context_is_an_error_and_no_answer() -> None:
    with OllamaServer() as server:
        server.script(Reply(["It was"], prompt_tokens=2_048))
        error = await failure(model_of(server))
    assert isinstance(error, Truncated)
    assert "2048 tokens" in error.message


async def test_no_proxy_of_the_environment_comes_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with OllamaServer() as server:
        assert (await collect(model_of(server)))[0].text == "why"


BAD = {
    "missing": (Reply(status=404, error="model 'hermes3:8b' not found"), Missing, "does not have"),
    "queue full": (Reply(status=503, error="server busy"), Throttled, "busy"),
    "out of memory": (Reply(status=500, error="requires more memory"), Refused, "more memory"),
    "bad gateway page": (
        Reply(status=502, body=b"<html>502</html>", content_type="text/html"),
        Garbage,
        "web page",
    ),
    "web page with 200": (
        Reply(body=b"<!doctype html><p>hi", content_type="text/html"),
        Garbage,
        "is not Ollama",
    ),
    "json of another kind": (Reply(body=b'{"hello": 1}'), Garbage, "is not Ollama"),
    "json that is no object": (Reply(body=b"[1, 2]"), Garbage, "is not Ollama"),
    "nothing at all": (Reply(body=b""), Interrupted, "before it was complete"),
    "silence": (Reply(then="hang"), TimedOut, "sent nothing for 0.5 s"),
    "silence in the middle": (Reply(["a"], then="hang"), TimedOut, "for 0.5 s"),
    "cut in the middle": (Reply(["a"], then="cut"), Interrupted, "in the middle of the answer"),
    "cut before": (Reply(then="cut"), Interrupted, "broke before"),
    "error line": (Reply(["a"], then="error"), Interrupted, "gave up"),
    "garbage in the middle": (Reply(["a"], then="garbage"), Garbage, "unreadable"),
    "end without the end": (Reply(["a"], then="eof"), Interrupted, "before it was complete"),
    "only spaces": (Reply([" ", "\n"]), Garbage, "answered with nothing"),
}


@pytest.mark.parametrize("case", BAD)
async def test_each_way_to_fail_is_one_clear_error(case: str) -> None:
    reply, kind, words = BAD[case]
    with OllamaServer() as server:
        server.script(reply)
        timeouts = HASTY if reply.then == "hang" else PATIENT
        error = await failure(model_of(server, timeouts=timeouts))
    assert type(error) is kind
    assert words in error.message


async def test_the_total_time_of_an_answer_is_bounded() -> None:
    with OllamaServer() as server:
        server.script(Reply(["word "] * 3, then="hang"))
        slow = Timeouts(connect=5.0, first=20.0, between=20.0, total=0.3)
        error = await failure(model_of(server, timeouts=slow))
    assert isinstance(error, TimedOut)
    assert "longer than 0.3 s" in error.message


async def test_a_missing_model_says_what_to_run() -> None:
    with OllamaServer() as server:
        error = await failure(model_of(server, name="hermes3:70b"))
    assert isinstance(error, Missing)
    assert error.hint == "Run: ollama pull hermes3:70b"


async def test_no_server_says_where_it_was_looked_for() -> None:
    with OllamaServer() as server:
        model = model_of(server)
    error = await failure(model)
    assert isinstance(error, Unreachable)
    assert server.url in error.message


async def test_ready_knows_whether_server_and_model_are_there() -> None:
    with OllamaServer() as server:
        there = await model_of(server).ready()
        untagged = await model_of(server, name="nomic-embed-text").ready()
        absent = await model_of(server, name="hermes3:70b").ready()
        gone = model_of(server)
    unreachable = await gone.ready()
    assert there.ready
    assert untagged.ready
    assert (absent.reachable, absent.present) == (True, False)
    assert absent.hint == "Run: ollama pull hermes3:70b"
    assert not unreachable.reachable
    assert server.url in unreachable.detail
    assert "ollama pull hermes3:8b" in unreachable.hint
