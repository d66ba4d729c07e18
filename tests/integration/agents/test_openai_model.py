"""The OpenAI-compatible provider against a server that behaves well and badly."""

from __future__ import annotations

import pytest

from hermes.agents.models.openai import OpenAIModel
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
from hermes.tests.servers.openai import OpenAIServer, Reply

ASKED = [Message("user", "why did we drop it")]
PATIENT = Timeouts(connect=5.0, first=20.0, between=20.0, total=60.0)
HASTY = Timeouts(connect=5.0, first=0.5, between=0.5, total=60.0)


def model_of(
    server: OpenAIServer,
    *,
    name: str = "small",
    key: str | None = None,
    timeouts: Timeouts = PATIENT,
) -> OpenAIModel:
    return OpenAIModel(
        name, url=server.base, context_tokens=2_048, api_key_variable=key, timeouts=timeouts
    )


async def collect(model: OpenAIModel) -> list[Delta]:
    return [delta async for delta in model.stream(ASKED, max_tokens=100)]


async def test_an_answer_streams_and_ends_with_its_usage() -> None:
    with OpenAIServer() as server:
        server.script(Reply(["It ", "was slow."]))
        deltas = await collect(model_of(server))
        sent = server.completions()[0]
    assert "".join(delta.text for delta in deltas) == "It was slow."
    assert deltas[-1].usage is not None
    assert (deltas[-1].usage.tokens_in, deltas[-1].usage.tokens_out) == (12, 2)
    assert sent["stream"] is True
    assert "response_format" not in sent


async def test_a_schema_is_sent_as_response_format() -> None:
    schema = {"type": "object", "properties": {"label": {"type": "string"}}}
    with OpenAIServer() as server:
        server.script(Reply(['{"label": "x"}']))
        async for _ in model_of(server).stream(ASKED, max_tokens=9, schema=schema):
            pass
        sent = server.completions()[0]["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["schema"] == schema


async def test_the_key_comes_from_the_named_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "s3cret")
    with OpenAIServer(key="s3cret") as server:
        server.script(Reply(["fine"]))
        assert (await collect(model_of(server, key="SHOP_KEY")))[0].text == "fine"
        monkeypatch.setenv("SHOP_KEY", "wrong")
        with pytest.raises(Refused, match="refused the key"):
            await collect(model_of(server, key="SHOP_KEY"))
        monkeypatch.delenv("SHOP_KEY")
        with pytest.raises(Refused, match="SHOP_KEY holds no key"):
            await collect(model_of(server, key="SHOP_KEY"))


async def test_closing_the_stream_cancels_on_the_server() -> None:
    with OpenAIServer() as server:
        server.script(Reply(["one"], then="hang"))
        stream = model_of(server).stream(ASKED, max_tokens=100)
        assert (await anext(stream)).text == "one"
        await stream.aclose()
        assert server.client_left.wait(5)


BAD = {
    "unknown model": (
        Reply(status=404, body=b'{"error": {"message": "no such model"}}'),
        Missing,
        "no such model",
    ),
    "rate limit": (Reply(status=429, body=b"{}"), Throttled, "takes no more calls"),
    "server error": (Reply(status=500, body=b'{"error": "boom"}'), Refused, "boom"),
    "context too small": (
        Reply(status=400, body=b'{"error": {"message": "exceeds the available context size"}}'),
        Truncated,
        "context size",
    ),
    "web page": (Reply(status=502, body=b"<html>no</html>"), Garbage, "web page"),
    "web page with 200": (Reply(body=b"<html>no</html>"), Garbage, "does not speak"),
    "silence": (Reply(then="hang"), TimedOut, "sent nothing"),
    "silence in the middle": (Reply(["a"], then="hang"), TimedOut, "for 0.5 s"),
    "cut in the middle": (Reply(["a"], then="cut"), Interrupted, "broke before"),
    "error event": (Reply(["a"], then="error"), Interrupted, "out of memory"),
    "garbage": (Reply(["a"], then="garbage"), Garbage, "unreadable"),
    "end without the end": (Reply(["a"], then="eof"), Interrupted, "before it was complete"),
    "empty": (Reply([]), Garbage, "answered with nothing"),
    "context filled": (Reply(["a"], prompt_tokens=2_048), Truncated, "2048 tokens"),
}


@pytest.mark.parametrize("case", BAD)
async def test_each_way_to_fail_is_one_clear_error(case: str) -> None:
    reply, kind, words = BAD[case]
    with OpenAIServer() as server:
        server.script(reply)
        timeouts = HASTY if reply.then == "hang" else PATIENT
        with pytest.raises(ModelError) as caught:
            await collect(model_of(server, timeouts=timeouts))
    assert type(caught.value) is kind
    assert words in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint


async def test_no_server_is_unreachable() -> None:
    with OpenAIServer() as server:
        model = model_of(server)
    with pytest.raises(Unreachable):
        await collect(model)
    assert not (await model.ready()).reachable


async def test_ready_names_the_models_that_are_there() -> None:
    with OpenAIServer(models=["large", "tiny"]) as server:
        state = await model_of(server).ready()
        there = await model_of(server, name="tiny").ready()
    assert there.ready
    assert state.reachable
    assert not state.present
    assert "large, tiny" in state.hint
