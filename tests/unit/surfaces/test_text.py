"""Text as a terminal shows it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.surfaces.cli.text import (
    clean,
    count,
    duration,
    fit,
    fit_path,
    listing,
    size,
    width_of,
    wrap,
)


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("日本", 4), ("é", 1), ("e\u0301", 1), ("", 0)]
)
def test_width_counts_columns(text: str, columns: int) -> None:
    assert width_of(text) == columns


@pytest.mark.parametrize(
    "hostile", ["\x1b[2Jgone", "\x9b31mred", "a\x07bell", "\u202eesrever", "back\x08space"]
)
def test_nothing_steers_the_terminal(hostile: str) -> None:
    shown = clean(hostile)
    assert "\N{REPLACEMENT CHARACTER}" in shown
    assert not set(shown) & set("\x1b\x9b\x07\u202e\x08")


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("short", 10, "short"),
        ("a longer line", 8, "a longe…"),
        ("日本語日本語", 7, "日本語…"),
        ("anything", 0, ""),
    ],
)
def test_text_is_cut_to_its_columns(text: str, width: int, expected: str) -> None:
    assert fit(text, width) == expected


@pytest.mark.parametrize(
    ("path", "width", "expected"),
    [
        ("src/a.py", 20, "src/a.py"),
        ("packages/core/src/worker/queue.py", 20, "packages/c…/queue.py"),
        ("packages/a_name_that_is_very_long.py", 12, "…ery_long.py"),
    ],
)
def test_a_path_keeps_its_name(path: str, width: int, expected: str) -> None:
    assert fit_path(path, width) == expected


def test_wrapping_keeps_lines_and_breaks_long_words() -> None:
    assert wrap("one two three\nfour", 8) == ["one two", "three", "four"]
    assert wrap("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert wrap("  - item that wraps", 10) == ["  - item", "  that", "  wraps"]
    assert wrap("never broken here", 0) == ["never broken here"]


@given(st.text(alphabet="ab 日\n", max_size=60), st.integers(4, 30))
def test_no_wrapped_line_is_too_wide_and_no_word_is_lost(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(width_of(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_numbers_read_as_people_say_them() -> None:
    assert [count(1, "commit"), count(1482, "commit"), count(2, "person", "people")] == [
        "1 commit",
        "1,482 commits",
        "2 people",
    ]
    assert listing(["a"]) == "a"
    assert listing(["a", "b", "c"]) == "a, b and c"
    assert [size(9), size(1500), size(312_000), size(4.2e9)] == [
        "9 bytes",
        "1.5 kB",
        "312 kB",
        "4.2 GB",
    ]
    assert [duration(s) for s in (0.123, 48, 200, 20_000, 172_800)] == [
        "123 ms",
        "48 s",
        "3 min",
        "6 h",
        "2 days",
    ]
