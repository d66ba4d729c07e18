"""A tool is one decorated function."""

from __future__ import annotations

import json
from typing import Annotated, cast

import pytest
from pydantic import Field

from hermes.agents.tools.registry import CallRefused, Toolbox, tool
from hermes.agents.tools.workshop import Workshop
from hermes.memory.errors import HermesError

NOWHERE = cast(Workshop, None)
"""The tools here need no workshop."""


@tool
def repeat(
    shop: Workshop,
    text: Annotated[str, Field(description="what to repeat", max_length=10)],
    times: Annotated[int, Field(ge=1, le=3)] = 2,
) -> str:
    """Repeat a text.

    More for the reader of the code.
    """
    if text == "boom":
        raise HermesError("it went boom", hint="never mind")
    return text * times


TOOLS = Toolbox([repeat])


def test_its_declaration_comes_from_the_signature() -> None:
    declared = json.loads(TOOLS.declarations())["function"]
    assert declared["name"] == "repeat"
    assert declared["description"] == "Repeat a text."
    assert declared["parameters"] == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "what to repeat"},
            "times": {"type": "integer"},
        },
        "required": ["text"],
    }


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ({"text": "ab"}, "abab"),
        ({"text": "ab", "times": "3"}, "ababab"),
        ({"text": 12}, "1212"),
        ({"text": "ab", "times": None}, "abab"),
    ],
)
def test_arguments_are_checked_and_small_slips_forgiven(
    arguments: dict[str, object], result: str
) -> None:
    assert TOOLS.call("repeat", arguments, NOWHERE) == result


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("shell", {"command": "rm -rf /"}, "there is no tool 'shell'; there are: repeat"),
        ("repeat", {}, "text: Field required"),
        ("repeat", {"text": "ab", "times": 9}, "times: Input should be less than or equal to 3"),
        ("repeat", {"text": "ab", "twice": True}, "twice: Extra inputs are not permitted"),
        ("repeat", {"text": "x" * 11}, "text: String should have at most 10"),
        ("repeat", {"text": "boom"}, "repeat failed: it went boom"),
    ],
)
def test_a_wrong_call_is_refused_in_words_for_the_model(
    name: str, arguments: dict[str, object], words: str
) -> None:
    with pytest.raises(CallRefused) as refused:
        TOOLS.call(name, arguments, NOWHERE)
    assert words in refused.value.message
