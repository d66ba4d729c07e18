"""What a terminal without UTF-8, or a narrow one, is shown."""

from __future__ import annotations

import io

import pytest

from hermes.surfaces.cli.consolidate import report_lines
from hermes.surfaces.cli.output import PLAIN, Stream, table

REPORT = {
    "night": {"commit": "7557e3a" * 5, "pages": ["llm-71e70917/days/2026-11-29.json"]},
    "steps": [
        {
            "name": "marks",
            "counts": {"folded": 3, "ended": 2, "faded": 15, "facts": 10, "changed": 30},
        },
        {"name": "answers", "counts": {"kept": 82}},
    ],
    "bytes": 21_000_000,
}


class Terminal(io.TextIOWrapper):
    """A terminal of some encoding, which remembers what it was shown."""

    def __init__(self, encoding: str) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, errors="hermes.plainer")

    def isatty(self) -> bool:
        """Be a terminal."""
        return True

    def shown(self) -> str:
        """Return what was written."""
        self.flush()
        self.seek(0)
        return self.read()


@pytest.mark.parametrize(("encoding", "columns"), [("utf-8", 40), ("ascii", 38), ("latin-1", 38)])
def test_room_is_kept_for_the_longer_ellipsis(
    encoding: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert Stream(Terminal(encoding)).columns == columns


def test_a_terminal_without_utf8_is_shown_plain_signs() -> None:
    terminal = Terminal("ascii")
    Stream(terminal).write("“+1 −1” · why …? \N{BULLET} ’ 日\udcff")
    assert terminal.shown() == '"+1 -1" - why ...? * \' ??'
    assert all(plain.isascii() for plain in PLAIN.values())


@pytest.mark.parametrize("columns", [20, 40, 110])
def test_a_night_is_told_within_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = report_lines(REPORT, Stream(Terminal("utf-8")))
    assert max(map(len, lines)) <= columns
    said = " ".join(" ".join(lines).split())
    assert "3 duplicates folded, 2 over or taken back, 15 faded and 10 dated facts" in said
    assert "82 questions of tomorrow answered already" in said


def test_a_night_is_told_on_a_line_for_each_thing_in_a_pipe() -> None:
    lines = report_lines(REPORT, Stream(io.StringIO()))
    assert [line.partition(" ")[0] for line in lines] == ["themes", "", "memory", "answers"]


def test_names_too_long_for_a_narrow_terminal_are_wrapped() -> None:
    who = "Ojas Sharma <67553823+ojassharma7@users.noreply.github.com>"
    assert max(map(len, table([(who, "1 commit")], 40))) <= 40
