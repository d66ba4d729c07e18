"""The raw log is append-only, private and survives a torn line."""

from __future__ import annotations

import json
import multiprocessing
import stat
from datetime import UTC, date, datetime
from pathlib import Path

from hermes.memory.rawlog import RawLog


def today() -> date:
    return datetime.now(UTC).date()


def test_what_is_appended_is_read_back_in_order(tmp_path: Path) -> None:
    log = RawLog(tmp_path / "raw")
    assert log.days() == []
    log.append("asked", question="why?\nreally \u2028 \ud800", repo="r1")
    log.append("answered", seconds=1.5)
    [day] = log.days()
    first, second = log.read(day)
    assert (first["kind"], first["repo"], second["seconds"]) == ("asked", "r1", 1.5)
    assert first["question"].startswith("why?\nreally")
    assert datetime.fromisoformat(first["at"]).tzinfo is not None


def test_it_is_one_line_an_entry_for_the_user_alone(tmp_path: Path) -> None:
    log = RawLog(tmp_path / "raw")
    log.append("a", text="x\ny")
    log.append("b")
    [path] = log.folder.glob("*.jsonl")
    assert [json.loads(line)["kind"] for line in path.read_text().splitlines()] == ["a", "b"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(log.folder.stat().st_mode) == 0o700


def test_a_torn_last_line_is_left_out_and_does_not_harm_the_next(tmp_path: Path) -> None:
    log = RawLog(tmp_path / "raw")
    log.append("a")
    [path] = log.folder.glob("*.jsonl")
    with path.open("ab") as file:
        file.write(b'{"at":"2025-01-01T00:00:00+00:00","kind":"to')
    log.append("b")
    assert [entry["kind"] for entry in log.read(log.days()[0])] == ["a", "b"]


def test_lines_that_are_no_entries_are_left_out(tmp_path: Path) -> None:
    log = RawLog(tmp_path / "raw")
    log.append("a")
    [path] = log.folder.glob("*.jsonl")
    with path.open("ab") as file:
        file.write(b"\xff\xfe\n[1]\n\n3\n")
    (log.folder / "notes.jsonl").write_text("{}\n")
    assert [entry["kind"] for entry in log.read(log.days()[0])] == ["a"]
    assert len(log.days()) == 1


def _append(folder: Path, name: str, times: int) -> None:
    log = RawLog(folder)
    for number in range(times):
        log.append(name, number=number, padding="x" * 5000)


def test_processes_that_append_at_once_never_mix_their_lines(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    names = ("a", "b")
    running = [spawn.Process(target=_append, args=(tmp_path / "raw", name, 100)) for name in names]
    for process in running:
        process.start()
    for process in running:
        process.join()
    log = RawLog(tmp_path / "raw")
    entries = [entry for day in log.days() for entry in log.read(day)]
    for name in names:
        numbers = [entry["number"] for entry in entries if entry["kind"] == name]
        assert numbers == list(range(100))


def test_forgetting_a_repository_takes_its_lines_only(tmp_path: Path) -> None:
    log = RawLog(tmp_path / "raw")
    log.forget("r1")
    for number in range(3):
        log.append("a", repo="r1", number=number)
        log.append("b", repo="r2", number=number)
        log.append("c", about="r1")
    log.forget("r1")
    kinds = [entry["kind"] for entry in log.read(today())]
    assert kinds == ["b", "c"] * 3
