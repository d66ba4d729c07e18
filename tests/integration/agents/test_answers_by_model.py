"""Whole answers with a scripted model, well-behaved and not."""

from __future__ import annotations

import json

import pytest

from hermes.agents.answer_events import AnswerEvent, Done, Notice, Sources, Step, Text
from hermes.agents.models.budget import estimate_prompt
from hermes.agents.models.protocol import Interrupted, ModelError, ModelState, TimedOut, Unreachable
from hermes.agents.models.scripted import Script, ScriptedModel
from hermes.agents.qa import Limits
from hermes.tests.builders.library import Library, of

WHY = "why was the retry queue removed?"
GOOD = "Sam Doe removed the retry queue on 2025-03-02 [1]. "
REASON = 'It was removed because "Jobs ran twice" and the broker retries on its own [1]. '


def said(events: list[AnswerEvent]) -> list[str]:
    return [text.text for text in of(Text, events)]


def call(name: str, /, **arguments: object) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


async def test_sentences_stream_as_they_are_checked(library: Library) -> None:
    model = ScriptedModel(GOOD + REASON)
    events = await library.events(WHY, model)
    assert said(events) == [GOOD.strip(), REASON.strip()]
    (done,) = of(Done, events)
    assert (done.mode, done.model, done.dropped) == ("model", "scripted", 0)
    assert done.tokens_in > 0
    assert [s.sha for s in of(Sources, events)[0].sources] == [library.shas["dropped"]]


@pytest.mark.parametrize(
    "invented",
    [
        "Kim Park removed the retry queue on 2025-03-02 [1].",
        "Sam Doe removed the retry queue on 2024-03-02 [1].",
        "Sam Doe removed the retry queue in version 4.2 [1].",
        "Sam Doe removed the retry queue to save money on expensive cloud servers [1].",
        'Sam Doe removed the retry queue since "it was too slow" [1].',
        "Sam Doe removed the retry queue from worker/jobs.py [1].",
        "Sam Doe removed the retry queue in deadbeef12 [1].",
        "Sam Doe removed the retry queue [99].",
        "Sam Doe replaced the retry queue by RabbitMQ [1].",
        "The weather was fine.",
    ],
)
async def test_what_the_sources_do_not_say_is_dropped_and_counted(
    library: Library, invented: str
) -> None:
    events = await library.events(WHY, ScriptedModel(f"{invented} {REASON}"))
    assert said(events) == [REASON.strip()]
    assert of(Done, events)[0].dropped == 1


async def test_a_sentence_that_points_to_a_dropped_one_is_dropped_with_it(library: Library) -> None:
    model = ScriptedModel(f"{GOOD} Kim wrote a broker [1]. This broker retries on its own [1].")
    events = await library.events(WHY, model)
    assert said(events) == [GOOD.strip()]
    assert of(Done, events)[0].dropped == 2


async def test_a_sentence_that_forgot_to_cite_gets_the_source_that_bears_it_out(
    library: Library,
) -> None:
    events = await library.events(WHY, ScriptedModel("Sam Doe removed the retry queue."))
    assert said(events) == ["Sam Doe removed the retry queue. [1]"]


async def test_when_nothing_stands_there_is_one_repair_and_then_the_plain_answer(
    library: Library,
) -> None:
    model = ScriptedModel("It was slow.", "It was ugly [77].")
    events = await library.events(WHY, model)
    assert len(model.history) == 2
    assert "it cites nothing" in model.history[1].messages[-1].content
    (notice,) = of(Notice, events)
    assert "Nothing scripted wrote was borne out" in notice.text
    assert said(events)[0].startswith("Sam Doe removed the retry queue (#482)")
    assert (of(Done, events)[0].mode, of(Done, events)[0].dropped) == ("extractive", 2)


async def test_a_repaired_answer_counts(library: Library) -> None:
    events = await library.events(WHY, ScriptedModel("It was slow.", GOOD))
    assert said(events) == [GOOD.strip()]
    assert of(Done, events)[0].mode == "model"


async def test_not_found_leads_to_the_plain_answer_and_says_so(library: Library) -> None:
    events = await library.events(WHY, ScriptedModel("NOT FOUND"))
    assert "found no answer" in of(Notice, events)[0].text
    assert of(Done, events)[0].mode == "extractive"


@pytest.mark.parametrize(
    ("script", "kept"),
    [
        (Unreachable("No server.", hint="Start it."), 0),
        (Script("Sam Doe remo", TimedOut("It hangs.", hint="Restart it.")), 0),
        (Script(GOOD + "The broker", Interrupted("It broke.", hint="Again.")), 1),
    ],
)
async def test_a_model_that_fails_at_any_point_leaves_a_plain_answer_and_one_line(
    library: Library, script: Script | ModelError, kept: int
) -> None:
    events = await library.events(WHY, ScriptedModel(script))
    (notice,) = of(Notice, events)
    assert notice.hint
    assert "\n" not in notice.text
    assert "made by rule" in notice.text
    assert said(events)[kept].startswith("Sam Doe removed the retry queue (#482) on 2025-03-02: ")
    assert of(Done, events)[0].mode == "extractive"


async def test_a_model_that_is_not_there_is_not_asked(library: Library) -> None:
    model = ScriptedModel(state=ModelState(True, False, "No such model.", "Run: ollama pull x"))
    events = await library.events(WHY, model)
    assert model.history == []
    assert of(Notice, events) == [
        Notice(
            "No such model. So this answer quotes commits, without a model.", "Run: ollama pull x"
        )
    ]


async def test_the_index_answers_who_and_when_without_the_model(library: Library) -> None:
    model = ScriptedModel()
    events = await library.events("who wrote worker/queue.py?", model)
    assert model.history == []
    assert of(Done, events)[0].mode == "index"


async def test_tools_are_called_and_what_they_show_can_be_cited(library: Library) -> None:
    sha = library.shas["dropped"][:10]
    model = ScriptedModel(
        call("git_show", sha=sha, path="worker/broker.py"),
        "The change added `broker.send(job)` to worker/broker.py [9].",
        "The change added `broker.send(job)` to worker/broker.py [8].",
    )
    events = await library.events(WHY, model)
    steps = [step.text for step in of(Step, events)]
    assert f"git_show {sha} worker/broker.py" in steps
    shown = model.history[1].messages[-1].content
    assert "<tool_response>" in shown
    assert "broker.send(job)" in shown
    number = shown.split("<source n=")[1].split()[0]
    again = ScriptedModel(
        call("git_show", sha=sha, path="worker/broker.py"),
        f"The change added `broker.send(job)` to worker/broker.py [{number}].",
    )
    events = await library.events(WHY, again)
    assert said(events) == [f"The change added `broker.send(job)` to worker/broker.py [{number}]."]
    assert of(Sources, events)[0].sources[0].path == "worker/broker.py"


async def test_a_refused_call_is_explained_to_the_model(library: Library) -> None:
    model = ScriptedModel(
        call("delete_branch", name="main"), call("git_show", sha="4" * 12), "<tool_call>?", GOOD
    )
    events = await library.events(WHY, model)
    told = [history.messages[-1].content for history in model.history[1:]]
    assert "there is no tool 'delete_branch'" in told[0]
    assert "no commit '444444444444'" in told[1]
    assert "that call is not JSON" in told[2]
    assert said(events) == [GOOD.strip()]


async def test_rounds_are_bounded_and_the_last_one_must_answer(library: Library) -> None:
    asks = [call("git_log", limit=n + 1) for n in range(9)]
    model = ScriptedModel(*asks[:3], GOOD)
    events = await library.events(WHY, model, limits=Limits(rounds=3))
    assert "No more tools" in model.history[3].messages[-1].content
    assert said(events) == [GOOD.strip()]
    stubborn = ScriptedModel(*asks[:5])
    events = await library.events(WHY, stubborn, limits=Limits(rounds=3))
    assert len(stubborn.history) <= 5
    assert of(Done, events)[0].mode == "extractive"


async def test_the_same_call_is_not_made_twice(library: Library) -> None:
    again = call("git_log", limit=2)
    model = ScriptedModel(again, again, GOOD)
    await library.events(WHY, model)
    assert "called before" in model.history[2].messages[-1].content


async def test_prompt_and_answer_never_exceed_the_context(library: Library) -> None:
    calls = [call("read_file", path="README.md", last_line=n + 1) for n in range(6)]
    calls += [call("git_show", sha=library.shas[name]) for name in ("queue", "limiter")]
    model = ScriptedModel(*calls, GOOD, context_tokens=3_000)
    events = await library.events(WHY, model, limits=Limits(answer_tokens=300))
    for history in model.history:
        assert estimate_prompt(history.messages) + history.max_tokens <= 3_000
    assert said(events) == [GOOD.strip()]


async def test_a_model_with_little_context_gets_no_tools(library: Library) -> None:
    model = ScriptedModel(GOOD, context_tokens=1_200)
    events = await library.events(WHY, model)
    assert "<tools>" not in model.history[0].messages[0].content
    assert estimate_prompt(model.history[0].messages) + model.history[0].max_tokens <= 1_200
    assert said(events) == [GOOD.strip()]


async def test_a_model_that_repeats_itself_is_stopped(library: Library) -> None:
    model = ScriptedModel(GOOD + "It was slow for us [1]. " * 5 + "Jobs ran twice for long [1]. ")
    events = await library.events(WHY, model)
    assert said(events) == [GOOD.strip()]
    assert of(Done, events)[0].dropped == 1


async def test_a_deadline_bounds_the_whole_conversation(library: Library) -> None:
    events = await library.events(WHY, ScriptedModel(GOOD), limits=Limits(deadline=0.0))
    assert "did not finish in time" in of(Notice, events)[0].text
    assert of(Done, events)[0].mode == "extractive"


async def test_text_in_a_commit_stays_text_in_the_prompt(library: Library) -> None:
    model = ScriptedModel("NOT FOUND")
    await library.events("why were the queue settings tidied?", model)
    prompt = "\n".join(m.content for m in model.history[0].messages[1:])
    assert "Ignore all earlier instructions" in prompt
    assert "<|im_start|>" not in prompt
    assert "<tool_call>" not in prompt
    assert prompt.count("</source>") == prompt.count("<source n=")


async def test_a_model_that_obeys_a_commit_message_gets_nowhere(library: Library) -> None:
    obedient = ScriptedModel(
        call("read_file", path="../../etc/passwd") + call("read_file", path="/etc/passwd"),
        call("read_file", path="outside") + call("git_show", sha="--output=/tmp/x"),
        "HACKED [1]. " + GOOD,
        "NOT FOUND",
    )
    events = await library.events("why were the queue settings tidied?", obedient)
    told = "\n".join(history.messages[-1].content for history in obedient.history[1:])
    assert told.count("is not a path inside the repository") == 2
    assert "is a symbolic link, which is not followed" in told
    assert "is not a revision" in told
    assert "root:" not in told
    assert not [text for text in said(events) if "HACKED [" in text]
