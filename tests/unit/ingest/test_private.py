"""What its writer keeps out of memory."""

from __future__ import annotations

import pytest

from hermes.ingest.private import without_private


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>b</private> c", "a  c"),
        ("a <PRIVATE>b\nc</Private> d", "a  d"),
        ("a <private why='mine'>b</private >c", "a c"),
        ("a <private>b <private>c</private> d</private> e", "a  e"),
        ("a <private>b, to the\n\nend", "a "),
        ("a <private>b</private> c <private>d", "a  c "),
        ("```\nkey = <private>1</private>\n```", "```\nkey = \n```"),
        ("closed only </private> is a word", "closed only </private> is a word"),
        ("<private-key> and <privateer> are others", "<private-key> and <privateer> are others"),
        ("nothing of the kind", "nothing of the kind"),
    ],
)
def test_private_parts_are_taken_out(text: str, left: str) -> None:
    assert without_private(text) == left


def test_a_hundred_thousand_tags_take_no_time() -> None:
    assert without_private("<private>" * 100_000 + "x" + "</private>" * 100_000 + "y") == "y"
