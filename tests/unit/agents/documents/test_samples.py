"""Whether blocks of code parse, as far as they claim to be whole."""

from __future__ import annotations

import pytest

from hermes.agents.documents.documents import read
from hermes.agents.documents.help import differing
from hermes.agents.documents.samples import problem


@pytest.mark.parametrize(
    ("language", "text", "line"),
    [
        ("python", "a = 1\ndef f(:\n    pass\n", 1),
        ("python", "class A:\n    def f(self)\n        return 1\n", 1),
        ("json", '{"a": [1,\n 2}', 1),
        ("toml", "a = 1\nb = \n", 1),
    ],
)
def test_a_broken_sample_is_reported_at_its_line(language: str, text: str, line: int) -> None:
    found = problem(language, text)
    assert found is not None
    assert found[0] == line


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "x = await get()\nreturn x\n"),
        ("python", "def f(...):\n    ...\n"),
        ("python", ">>> f(\n1\n"),
        ("python", "@decorator\n"),
        ("python", "    indented = 1\n"),
        ("python", "run(<your name>)\n"),
        ("python", "class A:\n    # as above\n"),
        ("python", "127.0.0.1 localhost\n"),
        ("json", '{"a": 1}\n{"b": 2}\n'),
        ("json", '"a": 1,\n"b": 2,\n'),
        ("json", '{"a": ...}'),
        ("json", '[{"a": 1},\n {"a": 2},\n'),
        ("go", "func ("),
        ("", "((("),
    ],
)
def test_a_sample_that_is_no_whole_text_is_left_alone(language: str, text: str) -> None:
    assert problem(language, text) is None


def test_a_help_block_is_held_against_what_the_program_prints() -> None:
    text = "x\n\n```\n$ shop --help\nusage: shop\n  --fast   be\n           quick\n  --old    gone\n```\n"
    document = read("a.md", text)
    assert document is not None
    found = list(differing({"a.md": document}, {"shop": "usage: shop\n\n  --fast  be quick\n"}))
    assert [(each.line, each.name, each.tier) for each in found] == [(8, "shop", "certain")]
    assert found[0].reason == "shop --help prints otherwise: --old is not in it any more"


def test_a_help_block_that_lacks_a_new_option_is_likely_wrong() -> None:
    text = "```\nusage: shop [--fast]\n\noptions:\n  --fast  be quick\n```\n"
    document = read("a.md", text)
    assert document is not None
    now = "usage: shop [--fast] [--slow]\n\noptions:\n  --fast  be quick\n  --slow  be slow\n"
    found = list(differing({"a.md": document}, {"shop": now.replace(" [--slow]", "")}))
    assert [(each.line, each.tier, each.reason) for each in found] == [
        (2, "likely", "shop --help has --slow too")
    ]
