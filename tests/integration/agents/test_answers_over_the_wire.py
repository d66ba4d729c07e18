"""Whole answers through the Ollama provider and a server that speaks its protocol, well and badly."""

from __future__ import annotations

import pytest

from hermes.agents.answer_events import Done, Notice, Text
from hermes.agents.models.ollama import OllamaModel
from hermes.agents.models.timing import Timeouts
from hermes.tests.builders.library import Library, of
from hermes.tests.servers.ollama import OllamaServer, Reply

WHY = "why was the retry queue removed?"
GOOD = ["Sam Doe removed ", "the retry queue ", "on 2025-03-02 [1].", " Jobs ran twice [1]."]
HASTY = Timeouts(connect=5.0, first=0.5, between=0.5, total=10.0)


def model_of(
    server: OllamaServer, name: str = "hermes3:8b", timeouts: Timeouts | None = None
) -> OllamaModel:
    return OllamaModel(name, url=server.url, timeouts=timeouts)


async def test_an_answer_comes_through_the_official_client(library: Library) -> None:
    with OllamaServer() as server:
        server.script(Reply(GOOD))
        events = await library.events(WHY, model_of(server))
        (sent,) = server.calls("/api/chat")
    assert [text.text for text in of(Text, events)] == [
        "Sam Doe removed the retry queue on 2025-03-02 [1].",
        "Jobs ran twice [1].",
    ]
    done = of(Done, events)[0]
    assert (done.mode, done.model, done.tokens_out) == ("model", "hermes3:8b", 4)
    assert done.tokens_in < sent["options"]["num_ctx"]
    assert of(Notice, events) == []


async def test_a_tool_round_goes_over_the_wire(library: Library) -> None:
    with OllamaServer() as server:
        call = '<tool_call>{"name": "who_knows", "arguments": {"topic": "limits/"}}</tool_call>'
        server.script(Reply([call[:20], call[20:]]), Reply(GOOD))
        events = await library.events(WHY, model_of(server))
        sent = server.calls("/api/chat")
    assert "ask Sam Doe" in sent[1]["messages"][-1]["content"]
    assert of(Done, events)[0].mode == "model"


BAD = {
    "refuses": (Reply(status=500, error="requires more system memory"), "more system memory"),
    "is busy": (Reply(status=503, error="server busy"), "busy"),
    "hangs": (Reply(then="hang"), "sent nothing for 0.5 s"),
    "hangs in the middle": (Reply(GOOD[:3], then="hang"), "for 0.5 s"),
    "dies in the middle": (Reply(GOOD[:3], then="cut"), "in the middle"),
    "gives up in the middle": (Reply(GOOD[:2], then="error"), "gave up"),
    "sends garbage": (Reply(GOOD[:2], then="garbage"), "unreadable"),
    "sends a web page": (Reply(body=b"<html>hello</html>", content_type="text/html"), "not Ollama"),
    "says nothing": (Reply([" "]), "answered with nothing"),
    "cuts the prompt": (Reply(GOOD, prompt_tokens=8_192), "8192 tokens"),
}


@pytest.mark.parametrize("how", BAD)
async def test_when_the_server_fails_one_line_says_so_and_the_plain_answer_follows(
    library: Library, how: str
) -> None:
    reply, words = BAD[how]
    with OllamaServer() as server:
        server.script(reply)
        hasty = HASTY if reply.then == "hang" else None
        events = await library.events(WHY, model_of(server, timeouts=hasty))
    (notice,) = of(Notice, events)
    assert words in notice.text
    assert "made by rule" in notice.text
    assert notice.hint
    assert any(
        text.text.startswith("Sam Doe removed the retry queue (#482) on 2025-03-02: ")
        for text in of(Text, events)
    )
    assert of(Done, events)[0].mode == "extractive"


async def test_without_a_server_the_line_says_where_it_was_looked_for(library: Library) -> None:
    with OllamaServer() as server:
        model = model_of(server)
    events = await library.events(WHY, model)
    (notice,) = of(Notice, events)
    assert server.url in notice.text
    assert "ollama serve" in notice.hint


async def test_without_the_model_the_line_says_what_to_run(library: Library) -> None:
    with OllamaServer() as server:
        events = await library.events(WHY, model_of(server, "hermes3:70b"))
        assert server.calls("/api/chat") == []
    assert of(Notice, events)[0].hint == "Run: ollama pull hermes3:70b"


async def test_who_leaves_in_the_middle_cancels_on_the_server(library: Library) -> None:
    with OllamaServer() as server:
        server.script(Reply([*GOOD, " And"], then="hang"))
        patient = OllamaModel("hermes3:8b", url=server.url)
        stream = library.ask(WHY, patient)
        async for event in stream:
            if isinstance(event, Text):
                break
        await stream.aclose()
        assert server.client_left.wait(5)
