"""Tool calls in what models write, whole and piece by piece."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.agents.tools.calls import BadCall, CallParser, Parsed, Said, ToolCall
from hermes.agents.tools.lenient import read_object

KNOWN = ["git_show", "search_memory"]
SHOW = ToolCall("git_show", {"sha": "4f2c9d1"})


def parse(*pieces: str) -> list[Parsed]:
    """Parse the pieces; neighbouring texts are joined."""
    parser = CallParser(KNOWN)
    found: list[Parsed] = []
    for parsed in [*(p for piece in pieces for p in parser.feed(piece)), *parser.finish()]:
        if isinstance(parsed, Said) and found and isinstance(found[-1], Said):
            found[-1] = Said(found[-1].text + parsed.text)
        else:
            found.append(parsed)
    return [p for p in found if not (isinstance(p, Said) and not p.text.strip())]


GOOD = {
    "as asked": '<tool_call>\n{"name": "git_show", "arguments": {"sha": "4f2c9d1"}}\n</tool_call>',
    "trailing commas": '<tool_call>{"name": "git_show", "arguments": {"sha": "4f2c9d1",},}</tool_call>',
    "single quotes": "<tool_call>{'name': 'git_show', 'arguments': {'sha': '4f2c9d1'}}</tool_call>",
    "bare keys": '<tool_call>{name: "git_show", arguments: {sha: "4f2c9d1"}}</tool_call>',
    "a brace missing": '<tool_call>{"name": "git_show", "arguments": {"sha": "4f2c9d1"}</tool_call>',
    "a brace too many": '<tool_call>{"name": "git_show", "arguments": {"sha": "4f2c9d1"}}}</tool_call>',
    "never closed": '<tool_call>{"name": "git_show", "arguments": {"sha": "4f2c9d1"}}',
    "cut in the middle": '<tool_call>{"name": "git_show", "arguments": {"sha": "4f2c9d1',
    "fenced inside": '<tool_call>```json\n{"name": "git_show", "arguments": {"sha": "4f2c9d1"}}\n```</tool_call>',
    "fenced instead": '```json\n{"name": "git_show", "arguments": {"sha": "4f2c9d1"}}\n```',
    "tags in a fence": '```\n<tool_call>{"name": "git_show", "arguments": {"sha": "4f2c9d1"}}</tool_call>\n```',
    "bare": '{"name": "git_show", "arguments": {"sha": "4f2c9d1"}}',
    "arguments as a string": '{"name": "git_show", "arguments": "{\\"sha\\": \\"4f2c9d1\\"}"}',
    "parameters": '<tool_call>{"name": "git_show", "parameters": {"sha": "4f2c9d1"}}</tool_call>',
    "wrapped in function": '<tool_call>{"function": {"name": "git_show", "arguments": {"sha": "4f2c9d1"}}}</tool_call>',
    "closed twice": '<tool_call>{"name": "git_show", "arguments": {"sha": "4f2c9d1"}}</tool_call></tool_call>',
}


@pytest.mark.parametrize("form", GOOD)
def test_a_call_is_read_in_every_form_models_write(form: str) -> None:
    assert parse(GOOD[form]) == [SHOW]


@pytest.mark.parametrize("form", GOOD)
def test_a_call_is_read_when_it_comes_a_character_at_a_time(form: str) -> None:
    assert parse(*GOOD[form]) == [SHOW]


def test_several_calls_and_prose_around_come_in_order() -> None:
    text = f"Let me look.\n{GOOD['as asked']}\nand\n{GOOD['single quotes']} Done."
    assert parse(text) == [Said("Let me look.\n"), SHOW, Said("\nand\n"), SHOW, Said(" Done.")]


def test_a_call_that_never_closed_ends_where_the_next_begins() -> None:
    assert parse(GOOD["never closed"] + GOOD["as asked"]) == [SHOW, SHOW]


def test_pythons_words_are_read() -> None:
    call = "<tool_call>{'name': 'git_show', 'arguments': {'a': True, 'b': None, 'c': false}}</tool_call>"
    assert parse(call) == [ToolCall("git_show", {"a": True, "b": None, "c": False})]


@pytest.mark.parametrize("inner", ["", "git_show 4f2c9d1", "[1, 2]", '{"arguments": {}}', "{{{{"])
def test_what_is_no_call_is_said_to_be_none(inner: str) -> None:
    assert parse(f"<tool_call>{inner}</tool_call>") == [BadCall(inner)]


@pytest.mark.parametrize(
    "text",
    [
        "It sets a < b and x > y.",
        'The code reads {"name": "unknown"} here.',
        '```json\n{"retries": 3}\n```',
        '{"name": "rm_rf", "arguments": {}}',
        "A <tool tip> and a <tool_ca",
    ],
)
def test_other_text_stays_text(text: str) -> None:
    assert parse(text) == [Said(text)]
    assert parse(*text) == [Said(text)]


def test_text_streams_on_before_the_answer_is_complete() -> None:
    parser = CallParser(KNOWN)
    assert list(parser.feed("The queue was ")) == [Said("The queue was ")]
    assert list(parser.feed("dropped <tool")) == [Said("dropped ")]
    assert list(parser.feed("s>")) == [Said("<tools>")]


@given(st.text(alphabet="<>/tool_cal{}\"'`:,\n abc", max_size=80), st.integers(1, 7))
def test_no_text_is_lost_or_made_up_however_it_is_cut(text: str, size: int) -> None:
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    assert parse(*pieces) == parse(text)


@given(st.text(max_size=200))
def test_reading_an_object_never_fails(text: str) -> None:
    value = read_object("{" + text)
    assert value is None or isinstance(value, dict)
