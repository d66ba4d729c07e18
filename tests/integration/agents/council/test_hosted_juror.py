"""Jurors behind the OpenAI protocol: every bad way in which a server answers, within a juror's time."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hermes.agents.council.codec import from_json, to_json
from hermes.agents.council.docket import Docket
from hermes.agents.council.jurors.asking import Silent, Turn
from hermes.agents.council.jurors.voice import ModelVoice
from hermes.agents.council.packet import Document, Given, make_packet
from hermes.agents.council.perspectives import Mode, Perspective, preset_of
from hermes.agents.council.prompt import first_round
from hermes.agents.council.records import Juror, Opinion, Piece, Verdict
from hermes.agents.council.session import Session
from hermes.agents.council.wish import read_wish
from hermes.agents.models.openai import OpenAIModel
from hermes.agents.models.timing import Timeouts
from hermes.memory.work import Work
from hermes.tests.servers.openai import OpenAIServer, Reply

ANSWER: dict[str, Any] = {
    "reasons": ["the tests cover it"], "problems": [], "missing": [],
    "insight": "the tests cover it", "position": "yes", "decision": "merge", "vote": "PASS",
    "confidence": 0.7,
}  # fmt: skip
SAID = Reply([json.dumps(ANSWER)])
PLAN = "The migration runs after the deployment and can be taken back within minutes. " * 6
PACKET = make_packet(
    read_wish("is it safe to merge?", texts=True),
    Given(files=(Document("plan.md", PLAN),)),
    preset=preset_of("general"),
)
TOKEN = "ghp_" + "k3J9xQ2mW8vT4rY7pL1sD6fG0hB5nC" + "aZ8uE2"


@pytest.fixture
def server() -> Generator[OpenAIServer]:
    with OpenAIServer(models=["small", "other"]) as found:
        yield found


class Asked:
    """One juror's turn at a server, and what was told meanwhile."""

    def __init__(self, server: OpenAIServer, limit: float = 20.0, **model: Any) -> None:
        self.told: list[str] = []
        timeouts = Timeouts(connect=2.0, first=1.0, between=1.0, total=5.0)
        voice = ModelVoice(OpenAIModel("small", url=server.base, timeouts=timeouts, **model))
        self.turn = Turn(voice, Juror("openai", "small"), PACKET, 1, self.told.append)
        self.limit = limit

    def opinion(self) -> Opinion:
        messages = first_round(PACKET, Perspective("", ""), "seat")
        return asyncio.run(self.turn.ask(messages, self.limit))


def throttled(after: str | None) -> Reply:
    headers = {} if after is None else {"Retry-After": after}
    return Reply(status=429, body=b'{"error": {"message": "rate limit"}}', headers=headers)


def test_an_answer_is_constrained_and_counted(server: OpenAIServer) -> None:
    server.script(SAID)
    asked = Asked(server)
    assert asked.opinion().insight == "the tests cover it"
    form = server.completions()[0]["response_format"]["json_schema"]["schema"]
    assert form["required"] == list(form["properties"])  # what hosts ask of a strict schema
    assert form["additionalProperties"] is False
    assert asked.turn.tokens_in == 12


def test_a_rate_limit_is_waited_for_as_long_as_the_server_asks(server: OpenAIServer) -> None:
    server.script(throttled("1"), throttled(None), SAID)
    begun = time.monotonic()
    asked = Asked(server)
    assert asked.opinion().position == "yes"
    assert time.monotonic() - begun >= 3.0
    assert [text.rpartition(": ")[2] for text in asked.told] == [
        f"asked again in {n} s" for n in (1, 2)
    ]
    assert "429" in asked.told[0]


def test_a_wait_that_is_longer_than_its_time_is_not_begun(server: OpenAIServer) -> None:
    server.script(throttled("3600"))
    begun = time.monotonic()
    with pytest.raises(Silent, match="takes no more calls for now .*asks to wait 3600 s"):
        Asked(server).opinion()
    assert time.monotonic() - begun < 5
    assert len(server.completions()) == 1


def test_a_key_that_is_refused_is_told_in_a_line_and_not_tried_twice() -> None:
    with OpenAIServer(key="right") as server:
        asked = Asked(server)
        with pytest.raises(Silent, match=r"refused the key \(status 401\)"):
            asked.opinion()
        assert len(server.completions()) == 1
        assert "refused the key" in asyncio.run(asked.turn.voice.absent())


def test_a_server_that_knows_no_forms_is_asked_without_one(server: OpenAIServer) -> None:
    refusal = b'{"error": {"message": "response_format is not supported by this model"}}'
    server.script(Reply(status=400, body=refusal), SAID)
    assert Asked(server).opinion().position == "yes"
    assert ["response_format" in body for body in server.completions()] == [True, False]


BAD: dict[str, tuple[Reply, str]] = {
    "an error": (Reply(status=500, body=b'{"error": "boom"}'), "boom"),
    "a web page": (Reply(status=502, body=b"<html>bad gateway</html>"), "does not speak"),
    "a cut stream": (Reply(['{"reasons": ['], then="cut"), "broke before"),
    "an early end": (Reply(['{"reasons": ['], then="eof"), "ended before"),
    "silence": (Reply(then="hang"), "sent nothing"),
    "an error in the stream": (Reply(["{"], then="error"), "out of memory"),
    "prose": (Reply(["It looks fine to me, all in all."]), "prose"),
    "a refusal": (Reply(["I'm sorry, but I can't judge this."]), "refused to judge"),
    "the packet": (Reply([PLAN]), "repeats the packet"),
    "nothing": (Reply([]), "answered with nothing"),
    "half of it": (Reply(['{"reasons": ["a", "b"'], finish="length"), "cut off after"),
    "a filled context": (Reply(["{}"], prompt_tokens=8_192), "filled"),
    "a small context": (
        Reply(status=400, body=b'{"error": {"message": "maximum context length is 2048"}}'),
        "holds less than was asked",
    ),
    "no such model": (Reply(status=404, body=b'{"error": "no such model"}'), "does not have"),
}


@pytest.mark.parametrize(("bad", "why"), BAD.values(), ids=BAD.keys())
def test_whatever_it_answers_it_is_silent_in_its_time_and_says_why(
    server: OpenAIServer, bad: Reply, why: str
) -> None:
    server.script(*[bad] * 4)
    asked = Asked(server)
    with pytest.raises(Silent) as silent:
        asked.opinion()
    assert why in f"{silent.value} {asked.told}"
    assert "\n" not in str(silent.value)
    assert 1 <= len(server.completions()) <= 4


def test_one_bad_answer_is_got_over(server: OpenAIServer) -> None:
    server.script(Reply(["It looks fine."]), SAID)
    asked = Asked(server)
    assert asked.opinion().position == "yes"
    assert asked.told == ["asked to repair its answer: it is prose, not a JSON object"]


def test_who_is_throttled_is_replaced_and_marked_and_no_secret_reaches_a_server(
    server: OpenAIServer, tmp_path: Path
) -> None:
    server.script(throttled("3600"), SAID)
    wish = read_wish(f"is it safe to merge with {TOKEN}?", diff=True)
    given = Given(
        diff=f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+KEY = '{TOKEN}'\n",
        files=(Document("plan.md", f"{PLAN}\npush with {TOKEN}\n"),),
        logs=(Document("ci.log", f"Authorization: {TOKEN}\n"),),
        constraints=(f"the token {TOKEN} stays",),
    )
    recalled = (Piece("commit", "abc", f"remote: https://x:{TOKEN}@example.com"),)
    packet = make_packet(wish, given, preset=preset_of(""), recalled=recalled)
    first = Juror("openai", "small", perspective="Advocate")
    docket = Docket(
        packet, Mode.QUICK, "general", 0, (first,), (Juror("openai", "other"),), worktree=""
    )
    work = Work(tmp_path / "work.db")
    number = work.councils.open("", "general", "quick", "q", to_json(docket), time.time())

    def voice(juror: Juror) -> ModelVoice:
        return ModelVoice(OpenAIModel(juror.model, url=server.base, timeouts=Timeouts(first=5.0)))

    session = Session(number, docket, work.councils, voice, 20.0)
    asyncio.run(session.hold())
    decided = work.councils.verdict(number)
    assert decided is not None
    (absent,) = from_json(Verdict, decided.verdict).absent
    work.close()
    assert "takes no more calls" in absent.why
    assert absent.replaced_by == replace(first, model="other").seat
    assert len(server.completions()) == 2
    sent = b"".join(request.raw for request in server.requests)
    assert b"push with" in sent
    assert TOKEN.encode() not in sent
