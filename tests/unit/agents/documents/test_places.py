"""A mention stands exactly where it was read, whatever else the paragraph says."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.agents.documents.documents import read
from hermes.agents.documents.records import Mention

NAMES = ["cookies", "Command", "use_it", "--fast", "SHOP_HOME", "shop/cart.py", "Cart.total()"]
PROSE = [
    "cookies",
    "Command",
    "Commands",
    "include",
    "use_it",
    "--fast",
    "the",
    "\\`",
    "shop/cart.py",
]


@dataclass(frozen=True)
class Piece:
    """A piece of a paragraph; ``inside`` is what of it is code, or the target of a link."""

    ahead: str
    inside: str
    behind: str


def piece(*, rst: bool) -> st.SearchStrategy[Piece]:
    ticks = "``" if rst else "`"
    words = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3)
    role = (":class:`", "`") if rst else ("{class}`", "`")
    link = ("`cookies use_it <", ">`_") if rst else ("[cookies use_it](", ")")
    return st.one_of(
        st.sampled_from(PROSE).map(lambda word: Piece(word, "", "")),
        words.map(lambda many: Piece(ticks, " ".join(many), ticks)),
        words.map(lambda many: Piece(ticks, "\n".join(many), ticks)),
        st.sampled_from(["Command", "cookies"]).map(lambda word: Piece(role[0], word, role[1])),
        st.sampled_from(["cookies.md", "shop/cart.md#x"]).map(
            lambda target: Piece(link[0], target, link[1])
        ),
    )


def check(path: str, pieces: list[Piece], indent: str, first: str) -> None:
    """Read a paragraph made of pieces, and hold every mention against where the pieces stand."""
    text = first
    spans: list[tuple[int, int]] = []
    for each in pieces:
        text += each.ahead
        begin = len(text)
        text += each.inside.replace("\n", "\n" + indent)
        if each.inside:
            spans.append((begin, len(text)))
        text += each.behind + ("\n" + indent if len(text) % 5 == 0 else " ")
    text = text.rstrip() + "\n"
    document = read(path, text)
    assert document is not None
    for mention in (*document.mentions, *document.links):
        at = offset_of(text, mention)
        assert text.startswith(mention.name, at), mention
        end = at + len(mention.name)
        assert any(low <= at and end <= high for low, high in spans), mention


def offset_of(text: str, mention: Mention) -> int:
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: mention.line - 1]) + mention.column


@given(
    st.lists(piece(rst=False), min_size=1, max_size=12),
    st.sampled_from([("", ""), ("  ", "- "), ("> ", "> "), ("   ", "1. ")]),
)
def test_every_mention_of_a_markdown_text_is_a_name_inside_its_code(
    pieces: list[Piece], form: tuple[str, str]
) -> None:
    check("a.md", pieces, *form)


@given(
    st.lists(piece(rst=True), min_size=1, max_size=12),
    st.sampled_from([("", ""), ("  ", "- "), ("   ", ".. note::\n\n   "), ("   ", "1. ")]),
)
def test_every_mention_of_a_restructured_text_is_a_name_inside_its_code(
    pieces: list[Piece], form: tuple[str, str]
) -> None:
    check("a.rst", pieces, *form)


@pytest.mark.parametrize(
    ("path", "text", "places"),
    [
        ("a.md", "To include cookies, pass `cookies` on.\n", {("cookies", 1, 26)}),
        ("a.md", "cookies and\n`cookies` and `cookies`\n", {("cookies", 2, 1), ("cookies", 2, 15)}),
        ("a.md", "Commands, Command, {class}`Command`.\n", {("Command", 1, 27)}),
        ("a.md", "| cookies | `cookies` | `cookies` |\n|-|-|-|\n| a | b | `cookies` |\n",
         {("cookies", 1, 13), ("cookies", 1, 25), ("cookies", 3, 11)}),
        ("a.md", "| a |\n|---|\n| `cookies\\|Command` |\n",
         {("cookies", 3, 3), ("Command", 3, 12)}),
        ("a.md", "> cookies `use\n> cookies`\n", {("use", 1, 11), ("cookies", 2, 2)}),
        ("a.md", "[cookies](cookies.md) and `` cookies ``\n", {("cookies", 1, 29)}),
        ("a.md", "![`cookies`](c.png) then `cookies`\n", {("cookies", 1, 26)}),
        ("a.rst", "To include cookies, pass ``cookies`` on.\n", {("cookies", 1, 27)}),
        ("a.rst", "cookies\n``cookies`` and ``cookies``\n",
         {("cookies", 2, 2), ("cookies", 2, 18)}),
        ("a.rst", "Commands are :class:`the Command <Command>`.\n", {("Command", 1, 34)}),
        ("a.rst", ":file:`cookies\\\\Command` x\n", {("cookies", 1, 7), ("Command", 1, 16)}),
        ("a.rst", "Run::\n\n      cookies.go()\n    $ shop --fast\n", {("--fast", 4, 11)}),
        ("a.py", '"""The cookies go by `cookies`."""\n', {("cookies", 1, 22)}),
    ],
)  # fmt: skip
def test_the_same_word_in_prose_is_not_taken_for_the_code(
    path: str, text: str, places: set[tuple[str, int, int]]
) -> None:
    document = read(path, text)
    assert document is not None
    found = {(each.name, each.line, each.column) for each in document.mentions}
    assert places <= found
    words = {name for name, _, _ in places}
    assert {each for each in found if each[0] in words} == places


def test_two_equal_links_are_two_links() -> None:
    document = read("a.md", "[a](b.md) and\n[a](b.md), not [a](b.md.txt)\n")
    assert document is not None
    assert {(each.name, each.line, each.column) for each in document.links} == {
        ("b.md", 1, 4), ("b.md", 2, 4), ("b.md.txt", 2, 19),
    }  # fmt: skip
