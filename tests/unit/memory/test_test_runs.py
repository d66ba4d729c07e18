"""What is kept of test runs: standings, episodes, what selections miss, what waits for a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.memory import test_recording
from hermes.memory.test_records import Colour, NewRun, Picked, Recorded, Result, Run, Why
from hermes.memory.work import Work

SKEW = Why("AssertionError", "assert 1059 == 1060", "shop/token.py", 4, "the whole report")


class Kept:
    """Runs of one repository, an hour apart."""

    def __init__(self, work: Work) -> None:
        self.runs = work.runs
        self.now = 0.0

    def run(
        self, kind: str = "affected", state: str = "", head: str = "", **marks: str
    ) -> Recorded:
        self.now += 3_600
        results = tuple(
            Result(
                f"tests/test_{name}.py::test_{name}",
                mark.rstrip("~"),
                0.1,
                SKEW if mark in ("failed", "error", "passed~") else None,
                mark.endswith("~"),
            )
            for name, mark in marks.items()
        )
        state = state or ("red" if any(result.bad for result in results) else "green")
        head = head or f"{self.now:040.0f}"
        run = Run("shop", self.now, 1.0, kind, "pytest", state, whole=kind == "full", head=head)
        return self.runs.record(NewRun(run, results, (Picked("tests/test_a.py", "imports it"),)))

    def stand(self, name: str) -> Colour | None:
        found = self.runs.standing("shop", test(name))
        return None if found is None else found.mark


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    work = Work(tmp_path / "work.db")
    yield Kept(work)
    work.close()


def test(name: str) -> str:
    return f"tests/test_{name}.py::test_{name}"


test.__test__ = False  # type: ignore[attr-defined]


def test_a_test_is_newly_red_once_and_newly_green_once(kept: Kept) -> None:
    assert kept.run(a="passed", b="passed").newly_red == ()
    first = kept.run(a="failed")
    assert (first.newly_red, first.still_red) == ((test("a"),), ())
    second = kept.run(a="failed")
    assert (second.newly_red, second.still_red) == ((), (test("a"),))
    assert kept.run(a="passed").newly_green == (test("a"),)
    assert kept.run(a="passed").newly_green == ()
    [episode] = kept.runs.episodes("shop", test=test("a"))
    assert (episode.how, episode.message, episode.ended - episode.began) == (
        "passed",
        SKEW.message,
        7_200,
    )


def test_a_note_stands_with_the_failure_and_leaves_with_it(kept: Kept) -> None:
    kept.run(a="failed")
    kept.runs.note("shop", "pytest", test("a"), "also in April", "abc:docs/april.md")
    kept.runs.first_bad("shop", "pytest", test("a"), "f" * 40)
    [red] = kept.runs.standings("shop", (Colour.RED,))
    assert (red.note, red.reference, red.first_bad) == (
        *("also in April", "abc:docs/april.md"),
        "f" * 40,
    )
    assert red.failure == SKEW
    kept.run(a="passed")
    green = kept.runs.standing("shop", test("a"))
    assert green is not None
    assert (green.note, green.failure, green.mark) == ("", None, Colour.GREEN)


def test_a_file_that_can_not_be_collected_makes_its_tests_unknown_and_ends_no_failure(
    kept: Kept,
) -> None:
    kept.run(a="failed", b="passed")
    run = Run("shop", kept.now + 1, 1.0, "affected", "pytest", "uncollected")
    files = {"tests/test_a.py": "SyntaxError", "tests/test_b.py": "SyntaxError"}
    kept.runs.record(NewRun(run, collected=files))
    assert (kept.stand("a"), kept.stand("b")) == (Colour.UNKNOWN, Colour.UNKNOWN)
    again = kept.run(a="failed", b="passed")
    assert (again.newly_red, again.still_red) == ((), (test("a"),))


def test_a_test_that_a_full_run_does_not_see_is_dropped(kept: Kept) -> None:
    kept.run("full", a="passed", b="failed")
    stopped = kept.run("full", "timed_out", a="passed")
    assert (stopped.newly_green, kept.stand("b")) == ((), Colour.RED)
    assert kept.run("full", a="passed").newly_green == (test("b"),)
    assert kept.stand("b") is None


def test_a_full_run_says_what_selections_left_out(kept: Kept) -> None:
    kept.run("full", a="passed", b="passed", c="failed")
    assert kept.runs.summary("shop", 0).error_bound is None
    kept.run(a="passed")
    last = kept.run(a="passed")
    full = kept.run("full", a="passed", b="failed", c="failed")
    assert full.missed == (test("b"),)
    [missed] = kept.runs.missed("shop")
    assert (missed.selections, missed.last_selection) == (2, last.id)
    summary = kept.runs.summary("shop", 0)
    assert (summary.selections, summary.missed) == (2, 1)
    assert (summary.green, summary.red) == (1, 2)


@pytest.mark.parametrize("name", ["c", "new"])
def test_what_failed_before_or_was_never_seen_is_no_miss(kept: Kept, name: str) -> None:
    kept.run("full", a="passed", c="failed")
    kept.run(a="passed")
    assert kept.run("full", **{"a": "passed", "c": "failed", name: "failed"}).missed == ()


def test_the_last_200_runs_are_kept_and_how_tests_stand_is_kept_longer(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_recording, "KEPT_RUNS", 5)
    first = kept.run(a="passed", b="failed")
    for _ in range(6):
        kept.run(a="passed")
    assert len(kept.runs.latest("shop", 100)) == 5
    assert kept.runs.results(first.id) == []
    assert kept.stand("b") is Colour.RED
    assert len(kept.runs.history("shop", test("a"))) == 5


def test_a_summary_tells_what_is_new(kept: Kept) -> None:
    kept.run(a="failed", b="failed", c="passed~")
    then = kept.now + 1
    kept.run(a="passed", d="failed", e="skipped")
    summary = kept.runs.summary("shop", then)
    assert (summary.newly_red, summary.newly_green) == ((test("d"),), (test("a"),))
    assert (summary.green, summary.red, summary.unknown, summary.flaky) == (2, 2, 1, 1)
    assert [each.test for each in kept.runs.flaky("shop")] == [test("c")]


def test_what_changed_waits_until_a_run_has_covered_it(kept: Kept) -> None:
    waiting = kept.runs.waiting
    begun = waiting.add("shop", ["a.py", "b.py"])
    waiting.add("shop", ["a.py", "c.py"], ["lib"])  # while that run goes on
    waiting.covered("shop", begun.upto)
    left = waiting.pending("shop")
    assert (sorted(left.paths), left.folders, left.whole) == (["a.py", "c.py"], ("lib",), False)
    waiting.covered("shop", left.upto)
    assert waiting.pending("shop").upto == 0


def test_too_many_paths_are_the_whole_repository(kept: Kept) -> None:
    found = kept.runs.waiting.add("shop", [f"f{n}.py" for n in range(6_000)])
    assert found.whole


def test_what_was_said_is_over_when_none_of_its_tests_fails(kept: Kept) -> None:
    waiting = kept.runs.waiting
    kept.run(a="failed", b="failed")
    assert waiting.say_once("shop", "red:1", 1.0, [test("a"), test("b")])
    assert not waiting.say_once("shop", "red:1", 2.0, [test("a"), test("b")])
    kept.run(a="passed")
    assert waiting.over("shop", "red:") == []
    kept.run(b="passed")
    assert waiting.over("shop", "red:") == ["red:1"]
    assert waiting.unsay("shop", "red:1")
    assert waiting.over("shop", "red:") == []


def test_nothing_is_left_of_a_repository_that_is_forgotten(kept: Kept) -> None:
    kept.run(a="failed")
    kept.runs.waiting.add("shop", ["a.py"])
    kept.runs.waiting.say_once("shop", "trust", 1.0)
    kept.runs.forget("shop")
    assert kept.runs.latest("shop") == []
    assert kept.runs.standings("shop") == []
    assert kept.runs.episodes("shop") == []
    assert kept.runs.waiting.pending("shop").upto == 0
    assert kept.runs.waiting.say_once("shop", "trust", 1.0)
