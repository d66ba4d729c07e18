"""How an answer looks: on a wide and a narrow terminal, and in a pipe."""

from __future__ import annotations

import io
from typing import Any

import pytest

from hermes.surfaces.cli.answer import Prose, closing_line, source_lines
from hermes.surfaces.cli.search import passage_lines
from hermes.surfaces.cli.text import width_of

from .conftest import MakeStream

SOURCE: dict[str, Any] = {
    "number": 1,
    "source": "git",
    "sha": "3f2a91c0de" + "0" * 30,
    "date": "2024-05-02",
    "author": "Sam Reyes",
    "path": "services/worker/queue.py",
    "subject": "Drop the retry queue: it reordered jobs under load",
}


def written(make_stream: MakeStream, columns: int | None, *sentences: str) -> str:
    stream = make_stream(columns)
    for sentence in sentences:
        Prose(stream).write(sentence, [])
    assert isinstance(stream.file, io.StringIO)
    return stream.file.getvalue()


def test_each_sentence_has_its_line_and_a_pipe_is_not_wrapped(make_stream: MakeStream) -> None:
    long = "word " * 40 + "[1]"
    assert written(make_stream, None, long, "Second [2].") == f"{long}\nSecond [2].\n"


def test_a_terminal_wraps_between_words(make_stream: MakeStream) -> None:
    lines = written(make_stream, 30, "It was dropped because jobs came out of order [1].")
    assert lines == "It was dropped because jobs\ncame out of order [1].\n"


def test_what_an_item_wraps_to_is_indented(make_stream: MakeStream) -> None:
    assert written(make_stream, 24, "- a commit with a long title [1]") == (
        "- a commit with a long\n  title [1]\n"
    )


def test_wide_letters_count_as_two_columns(make_stream: MakeStream) -> None:
    text = written(make_stream, 20, "日本語の 文章は 折り返す 必要がある")
    assert all(width_of(line) <= 20 for line in text.splitlines())


def test_matched_words_and_citations_stand_out(make_stream: MakeStream) -> None:
    stream = make_stream(80, colours=True)
    Prose(stream).write("the retry queue [1].", [[4, 15]])
    assert isinstance(stream.file, io.StringIO)
    assert stream.file.getvalue() == (
        "the \x1b[1mretry\x1b[0m \x1b[1mqueue\x1b[0m \x1b[36m[1].\x1b[0m\n"
    )


def test_sources_in_a_pipe_are_one_line_each(make_stream: MakeStream) -> None:
    (line,) = source_lines([SOURCE], make_stream())[2:]
    assert line.startswith("[1]  3f2a91c0de  2024-05-02  Sam Reyes  services/worker/queue.py  ")
    assert line.endswith("  Drop the retry queue: it reordered jobs under load")


def test_sources_on_a_terminal_have_the_subject_below(make_stream: MakeStream) -> None:
    assert source_lines([SOURCE], make_stream(80))[2:] == [
        "[1] 3f2a91c0de  2024-05-02  Sam Reyes  services/worker/queue.py",
        "    Drop the retry queue: it reordered jobs under load",
    ]


def test_what_is_known_of_a_source_stands_after_it(make_stream: MakeStream) -> None:
    source = SOURCE | {"said": "also on release-1.2 as 8d1c2e3f4a"}
    assert source_lines([source], make_stream())[2].endswith("(also on release-1.2 as 8d1c2e3f4a)")
    assert source_lines([source], make_stream(80))[4] == "    also on release-1.2 as 8d1c2e3f4a"


def test_what_people_wrote_is_listed_by_where_they_did(make_stream: MakeStream) -> None:
    talk = SOURCE | {"source": "slack", "sha": "slack:C024/1732871234.0012", "path": ""}
    assert source_lines([talk], make_stream(80))[2:] == [
        "[1] slack  2024-05-02  Sam Reyes",
        "    Drop the retry queue: it reordered jobs under load",
    ]


def test_a_found_discussion_shows_where_it_was_written(make_stream: MakeStream) -> None:
    chunk = {
        "id": "0c92ef3e" + "0" * 24,
        "source": "linear",
        "ref": "linear:ENG-17",
        "time": 1_714_600_000,
        "author": "Sam Reyes",
        "path": "",
        "title": "ENG-17 The queue grows",
        "text": "ENG-17 The queue grows\n\nNobody drains it.",
    }
    passage: dict[str, Any] = {"chunk": chunk, "score": 1.5, "exact": None, "arms": {}}
    lines = passage_lines(1, passage, "drains", make_stream(80), repo="", scores=False)
    assert lines == [
        " 1. 1.50  linear  2024-05-01  Sam Reyes  0c92ef3e",
        "    ENG-17 The queue grows",
        "      Nobody drains it.",
    ]


def test_an_item_whose_path_just_fits_ends_at_the_last_column(make_stream: MakeStream) -> None:
    first = source_lines([SOURCE], make_stream(63))[2]
    assert width_of(first) == 63


def test_sources_on_a_narrow_terminal_have_the_path_below_too(make_stream: MakeStream) -> None:
    assert source_lines([SOURCE], make_stream(40))[2:] == [
        "[1] 3f2a91c0de  2024-05-02  Sam Reyes",
        "    services/worker/queue.py",
        "    Drop the retry queue: it reordered…",
    ]


@pytest.mark.parametrize("columns", [30, 33, 50, 80, 200])
def test_no_line_of_sources_is_wider_than_the_terminal(
    make_stream: MakeStream, columns: int
) -> None:
    hostile = {
        "author": "日本" * 20,
        "path": "a/" * 60 + "x.py",
        "subject": "wörd " * 40,
        "said": "so " * 50,
    }
    lines = source_lines([SOURCE, SOURCE | {"number": 12} | hostile], make_stream(columns))
    assert all(width_of(line) <= columns for line in lines)


def test_a_commit_steers_no_terminal(make_stream: MakeStream) -> None:
    lines = source_lines(
        [SOURCE | {"subject": "\x1b[2Jgone\nnext", "author": "\x9b"}], make_stream()
    )
    assert "\x1b" not in "".join(lines)
    assert "\x9b" not in "".join(lines)
    assert len(lines) == 3


DONE: dict[str, Any] = {"mode": "extractive", "model": None, "dropped": 0, "seconds": 0.25}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "put together from commits, without a model · 250 ms"),
        ({"mode": "index"}, "counted from the index · 250 ms"),
        (
            {"mode": "model", "model": "hermes3:8b", "seconds": 4.2},
            "written by hermes3:8b · 4.2 s",
        ),
        (
            {"mode": "model", "model": "m", "dropped": 2},
            "written by m · 2 unsupported sentences left out · 250 ms",
        ),
    ],
)
def test_the_closing_line_says_who_wrote_it(fields: dict[str, Any], expected: str) -> None:
    assert closing_line(DONE | fields) == expected
