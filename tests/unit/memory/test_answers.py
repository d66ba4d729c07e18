"""Answers that are kept, and how it is counted how often they served."""

from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.memory.answers import Kept, Tally
from hermes.memory.work import Work
from hermes.tests.builders.runs import failed, passed, record


@pytest.fixture
def work(tmp_path: Path) -> Generator[Work]:
    opened = Work(tmp_path / "work.db")
    yield opened
    opened.close()


def kept(id: str, *repos: str, key: str = "k1") -> Kept:
    events = [{"type": "text", "text": "Nothing changed [1]."}]
    return Kept(id, "area", "payments", repos or ("r1",), key, 1_000.0, None, events)


def test_an_answer_is_found_by_what_is_asked(work: Work) -> None:
    work.answers.keep(kept("one"))
    assert work.answers.get("one") == kept("one")
    assert work.answers.get("two") is None


def test_the_same_question_keeps_one_answer(work: Work) -> None:
    work.answers.keep(kept("one"))
    work.answers.keep(kept("one", key="k2"))
    assert [each.key for each in work.answers.all()] == ["k2"]


def test_answers_that_nobody_foresees_any_more_go(work: Work) -> None:
    for id in ("one", "two", "three"):
        work.answers.keep(kept(id))
    work.answers.keep_only(["two"])
    assert [each.id for each in work.answers.all()] == ["two"]


def test_what_is_about_a_forgotten_repository_is_gone(work: Work) -> None:
    work.answers.keep(kept("one", "r1"))
    work.answers.keep(kept("both", "r1", "r2"))
    work.answers.keep(kept("other", "r2"))
    work.forget("r1")
    assert [each.id for each in work.answers.all()] == ["other"]
    work.answers.clear()
    assert work.answers.all() == []


def test_questions_are_counted_by_kind_and_day(work: Work) -> None:
    work.answers.count("2026-11-01", "area", "served")
    work.answers.count("2026-12-01", "area", "served")
    work.answers.count("2026-12-01", "area", "stale")
    work.answers.count("2026-12-01", "test", "unpredicted")
    assert work.answers.tally() == [Tally("area", 2, 1, 0), Tally("test", 0, 0, 1)]
    assert work.answers.tally("2026-12-01")[0] == Tally("area", 1, 1, 0)
    assert work.answers.tally()[0].asked == 3


def test_counts_of_long_ago_are_dropped(work: Work) -> None:
    work.answers.count("2026-01-01", "area", "served")
    work.answers.count("2026-12-01", "area", "served")
    assert work.answers.tally() == [Tally("area", 1, 0, 0)]


def test_how_often_it_served_is_kept_with_an_answer(work: Work) -> None:
    work.answers.keep(kept("one"))
    work.answers.served("one", 2_000.0)
    found = work.answers.get("one")
    assert found is not None
    assert (found.served, found.last_served) == (1, 2_000.0)


def test_every_change_of_a_repositorys_runs_gives_another_generation(work: Work) -> None:
    seen = [work.answers.generation(["r1"])]
    record(work.runs, *passed("t1"), at=1_000.0)
    seen.append(work.answers.generation(["r1"]))
    record(work.runs, *failed("t1"), at=2_000.0)
    seen.append(work.answers.generation(["r1"]))
    work.runs.note("r1", "pytest", "t1", "it failed like this before", "3f2a91c0de12")
    seen.append(work.answers.generation(["r1"]))
    work.runs.first_bad("r1", "pytest", "t1", "3f2a91c0de12")
    seen.append(work.answers.generation(["r1"]))
    assert len(set(seen)) == len(seen)
    other = work.answers.generation(["r2"])
    record(work.runs, *passed("t1"), at=3_000.0)
    assert work.answers.generation(["r2"]) == other
