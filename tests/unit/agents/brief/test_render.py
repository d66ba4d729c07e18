"""A brief as lines: within its columns and lines, harmless, and the same thing in each form."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date

import pytest

from hermes.agents.brief.columns import as_ascii, cut, harmless, width_of, wrap
from hermes.agents.brief.records import Brief, Fact, Reference, RefKind, Section
from hermes.agents.brief.render import lines_of, markdown_of, shortened, shown, spoken, spoken_of
from hermes.agents.brief.storing import from_fields, to_fields

DAY = date(2026, 12, 1)
MADE = 1_796_113_860.0  # 08:31 UTC
FACTS = (
    Fact(
        "done:retry",
        Section.FINISHED,
        "payments: 4 commits, retry with backoff in shop/queue.py",
        (Reference("commit", "3f2a9c1"), Reference("pull", "#482")),
        details=("3f2a9c1 Back off between tries",),
        topic="theme:payments",
        repo="r1",
    ),
    Fact("stash", Section.HALF_DONE, "1 stash from Monday: WIP cart", topic="stash"),
    Fact(
        "main",
        Section.OVERNIGHT,
        "main has 5 new commits by Ana Lima; 2 touch files you have open",
        (Reference("path", "shop/cart.py"), Reference("ticket", "ENG-17")),
    ),
    Fact("move", Section.FIRST_MOVE, "rebase feature/retry, since shop/queue.py changed on main"),
)
BRIEF = Brief(DAY, MADE, "since yesterday", FACTS, more=0)
HOSTILE = (
    "x\x1b[2J\x1b]0;title\x07 \u202eevil\u2066\r\n**bold** <img src=x> [a](http://x) `rm`\x9b31m"
)
WIDE = "日本語のファイル名がとても長いコミット件名をここに書いて幅を確かめる" * 3


def test_a_brief_at_80_columns() -> None:
    assert lines_of(BRIEF, 80, zone=UTC) == [
        "Tuesday 1 December, since yesterday                                   made 08:31",
        "Done    1 payments: 4 commits, retry with backoff in shop/queue.py [3f2a9c1]",
        "          (#482)",
        "Open    2 1 stash from Monday: WIP cart",
        "New     3 main has 5 new commits by Ana Lima; 2 touch files you have open",
        "          shop/cart.py (ENG-17)",
        "Start   4 rebase feature/retry, since shop/queue.py changed on main",
    ]


def test_a_brief_at_40_columns() -> None:
    assert lines_of(BRIEF, 40, zone=UTC) == [
        "Tue 1 Dec, since yesterday    made 08:31",
        "Done    1 payments: 4 commits, retry",
        "          with backoff in shop/queue.py",
        "          [3f2a9c1] (#482)",
        "Open    2 1 stash from Monday: WIP cart",
        "New     3 main has 5 new commits by Ana",
        "          Lima; 2 touch files you have",
        "          open shop/cart.py (ENG-17)",
        "Start   4 rebase feature/retry, since",
        "          shop/queue.py changed on main",
    ]


@pytest.mark.parametrize("width", [30, 37, 40, 79, 80, 120])
@pytest.mark.parametrize(
    "text", [WIDE, HOSTILE * 3, "a/" * 90 + "b.py", "word " * 60, "e\u0301" * 90]
)
def test_no_line_is_wider_than_the_terminal(width: int, text: str) -> None:
    fact = replace(FACTS[0], text=text, references=(Reference("path", "p/" * 60 + "x.py"),))
    brief = replace(BRIEF, facts=(fact, *FACTS[1:]), unreadable=("shop: git did not answer " * 5,))
    for line in lines_of(brief, width, zone=UTC):
        assert width_of(line) <= width
    assert any("p/" in line for line in lines_of(brief, width, zone=UTC))


def test_it_has_at_most_its_lines_and_says_what_is_missing() -> None:
    facts = [replace(FACTS[1], key=f"k{n}", weight=1 - n / 100) for n in range(20)]
    brief = replace(BRIEF, facts=(*facts, FACTS[3]), more=2)
    for width in (40, 80):
        lines = lines_of(brief, width, most=15, zone=UTC)
        assert len(lines) <= 15
        assert lines[-1].endswith(" more: hermes brief --all")
        assert any(line.startswith("Start") for line in lines)
    assert lines_of(brief, 80, most=15, zone=UTC)[-1] == "10 more: hermes brief --all"


def test_what_would_be_cut_gets_a_line_more_where_there_is_room() -> None:
    long = replace(FACTS[0], text="word " * 33 + "end", references=(Reference("pull", "#482"),))
    brief = replace(BRIEF, facts=(long, replace(long, key="light", weight=0.5), FACTS[1]))
    assert [len(lines_of(brief, 80, most=most)) for most in (7, 8, 15)] == [7, 8, 8]
    lines = lines_of(brief, 80, most=7)
    assert ("…" in " ".join(lines[:4]), "…" in " ".join(lines[4:])) == (False, True)


def test_nothing_of_a_repository_steers_the_terminal() -> None:
    fact = Fact("x", Section.FINISHED, HOSTILE, (Reference("path", HOSTILE),), details=(HOSTILE,))
    brief = replace(BRIEF, facts=(fact,), words=HOSTILE, unreadable=(HOSTILE,))
    for lines in (lines_of(brief, 80, whole=True), markdown_of(brief), spoken_of(brief)):
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "".join(lines))
    coloured = "".join(lines_of(brief, 80, whole=True, colours=True))
    assert set(re.findall(r"\x1b\[[\d;]*[a-zA-Z]|\x1b", coloured)) <= {
        *("\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[33m", "\x1b[0m")
    }


def test_colours_change_nothing_but_colours() -> None:
    coloured = lines_of(BRIEF, 80, colours=True, zone=UTC)
    assert [re.sub(r"\x1b\[\d+m", "", line) for line in coloured] == lines_of(BRIEF, 80, zone=UTC)
    assert "\x1b[33m[3f2a9c1]\x1b[0m" in coloured[1]


def test_without_unicode_there_is_only_ascii() -> None:
    brief = replace(BRIEF, facts=(replace(FACTS[1], text="Łukasz: “é” … → 日本"),))
    lines = lines_of(brief, 80, ascii_only=True)
    assert all(line.isascii() for line in lines)
    assert lines[1].endswith('Lukasz: "e" ... -> ??')


@pytest.mark.parametrize(
    ("kind", "text", "form"),
    [
        ("commit", "3f2a9c1", "[3f2a9c1]"),
        ("ticket", "ENG-17", "(ENG-17)"),
        ("pull", "#482", "(#482)"),
        ("path", "shop/cart.py", "shop/cart.py"),
        ("stash", "stash@{0}", "stash@{0}"),
        ("drift", "D3", "D3"),
    ],
)
def test_each_kind_of_reference_has_one_form(kind: RefKind, text: str, form: str) -> None:
    assert shown(Reference(kind, text)) == form


def test_what_the_sentence_names_is_not_said_twice() -> None:
    fact = replace(FACTS[3], references=(Reference("path", "shop/queue.py"),))
    lines = lines_of(replace(BRIEF, facts=(fact,)), 120)
    assert lines[1].count("shop/queue.py") == 1


def test_all_of_it_has_details_and_what_found_no_room() -> None:
    rest = replace(FACTS[1], key="rest", text="2 files not committed")
    lines = lines_of(replace(BRIEF, rest=(rest,), more=1), 80, whole=True, zone=UTC)
    assert "          - 3f2a9c1 Back off between tries" in lines
    assert "        5 2 files not committed" in lines
    assert not any("more:" in line for line in lines)


def test_a_brief_for_chat() -> None:
    assert markdown_of(BRIEF, zone=UTC)[:5] == [
        "**Tuesday 1 December**, since yesterday (made 08:31)",
        "",
        "**Done**",
        "",
        "- payments: 4 commits, retry with backoff in shop/queue.py `3f2a9c1` (#482)",
    ]


def test_markdown_has_no_link_mention_or_markup_of_a_repository() -> None:
    fact = replace(FACTS[0], text="@everyone see [docs](http://x) <b> *now* `x` _y_ snake_case")
    (line,) = [line for line in markdown_of(replace(BRIEF, facts=(fact,))) if "docs" in line]
    assert "@\u2060everyone" in line
    assert r"\[docs\](http://x) \<b\> \*now\* \`x\` \_y\_ snake_case" in line


def test_a_brief_to_be_read_aloud_has_no_symbols_and_no_shas() -> None:
    brief = replace(BRIEF, more=2)
    lines = spoken_of(brief)
    assert lines == [
        "Tuesday 1 December, since yesterday.",
        "You finished.",
        "payments: 4 commits, retry with backoff in queue dot py, see number 482.",
        "Still open.",
        "1 stash from Monday: WIP cart.",
        "New.",
        "main has 5 new commits by Ana Lima; 2 touch files you have open, see ENG 17.",
        "To begin with.",
        "rebase retry, since queue dot py changed on main.",
        "There are 2 more.",
    ]
    assert spoken("3f2a9c1deadbeef: a_b & 50% (x)") == ": a b and 50 percent x"


def test_a_brief_of_another_day_says_when_it_was_made() -> None:
    assert lines_of(replace(BRIEF, day=date(2026, 12, 2)), 80, zone=UTC)[0].endswith(
        "made Tue 1 Dec 08:31"
    )


def test_a_brief_comes_back_from_its_fields_as_it_was() -> None:
    brief = replace(
        BRIEF,
        sentences={"stash": "a stash from Monday"},
        model="m",
        rest=(replace(FACTS[1], key="rest", state="s"),),
        folded=(FACTS[1],),
        more=1,
        unreadable=("web: gone",),
        silent="nothing is new",
    )
    assert from_fields(to_fields(brief)) == brief


def test_columns_are_counted_as_terminals_do() -> None:
    assert (width_of("日本"), width_of("e\u0301"), width_of("abc")) == (4, 1, 3)
    assert cut("日本語文字", 6) == "日本…"
    assert wrap("aa bb cc", 5) == ["aa bb", "cc"]
    assert wrap("shop/payments/queue.py", 15) == ["shop/payments/", "queue.py"]
    assert harmless("a\nb\tc\x1b") == "a b c\ufffd"
    assert as_ascii("naïve – ok") == "naive - ok"


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (70, "changed tests/client/test_async_client.py and base.py: “Tweak it all”"),
        (66, "changed tests/client/test_async_client.py and base.py: “Tweak it…”"),
        (58, "changed tests/client/test_async_client.py and base.py…"),
        (54, "changed tests/client/test_async_client.py…"),
        (30, "changed…"),
    ],
)
def test_a_sentence_is_cut_between_words(width: int, said: str) -> None:
    whole = "changed tests/client/test_async_client.py and base.py: “Tweak it all”"
    assert shortened(whole, width) == said
    assert len(said) <= width
