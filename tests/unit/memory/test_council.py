"""What is remembered of councils: what was said, how it turned out, and the weights that follow."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.memory.council import Councils
from hermes.memory.council_lessons import Lessons
from hermes.memory.council_records import (
    Answer,
    NoSuchCouncil,
    NothingOpen,
    NoVerdict,
    Progress,
    Result,
    Score,
    Spoken,
    Told,
)
from hermes.memory.work import Work

ODD = '{"text":"naïve – “quoted” \\u0000 日本"}'


@pytest.fixture
def work(tmp_path: Path) -> Generator[Work]:
    work = Work(tmp_path / "work.db")
    yield work
    work.close()


@pytest.fixture
def councils(work: Work) -> Councils:
    return work.councils


@pytest.fixture
def lessons(work: Work) -> Lessons:
    return work.lessons


def _asked(councils: Councils, repo: str = "r1", question: str = "Postgres or Mongo?") -> int:
    return councils.open(repo, "storage", "standard", question, ODD, 1.0)


def _decided(councils: Councils, repo: str = "r1") -> int:
    number = _asked(councils, repo)
    councils.decide(number, "PASS", 0.875, ODD, ODD, 2.0)
    return number


def test_a_question_is_running_until_its_verdict(councils: Councils) -> None:
    number = _asked(councils)
    assert [one.id for one in councils.running()] == [number]
    assert councils.verdict(number) is None
    councils.decide(number, "WARN", 0.6, ODD, "{}", 9.0)
    found = councils.get(number)
    assert (found.progress, found.ended, found.packet) == (Progress.DONE, 9.0, ODD)
    assert councils.running() == []


def test_case_and_verdict_come_back_to_the_byte(councils: Councils) -> None:
    decided = councils.verdict(_decided(councils))
    assert decided is not None
    assert (decided.case, decided.verdict, decided.support) == (ODD, ODD, 0.875)


def test_opinions_are_there_as_soon_as_they_are_said_and_once_for_each_seat(
    councils: Councils,
) -> None:
    number = _asked(councils)
    councils.begin_round(number, 1, 1.0)
    councils.hear(number, Spoken(1, "b", "b", "first", 2.0))
    councils.hear(number, Spoken(1, "a", "a", ODD, 3.0, 1.5, 100, 20))
    councils.hear(number, Spoken(1, "b", "b", "again", 4.0))
    councils.end_round(number, 1, 5.0)
    assert [(one.seat, one.opinion) for one in councils.opinions(number)] == [
        ("a", ODD),
        ("b", "again"),
    ]
    assert councils.opinions(number)[0].tokens_in == 100
    assert [(one.round, one.began, one.ended) for one in councils.rounds(number)] == [(1, 1.0, 5.0)]


def test_a_round_that_begins_again_keeps_its_first_beginning(councils: Councils) -> None:
    number = _asked(councils)
    councils.begin_round(number, 1, 1.0)
    councils.begin_round(number, 1, 8.0)
    assert councils.rounds(number)[0].began == 1.0


def test_what_was_cut_short_can_be_abandoned_and_what_is_done_stays_done(
    councils: Councils,
) -> None:
    cut, done = _asked(councils), _decided(councils)
    councils.abandon(cut, 5.0)
    councils.abandon(done, 5.0)
    assert councils.get(cut).progress is Progress.ABANDONED
    assert councils.get(done).progress is Progress.DONE


def test_history_is_searched_by_all_words_newest_first(councils: Councils) -> None:
    first = _asked(councils, question="Postgres or Mongo for the ledger?")
    second = _asked(councils, question="Is the ledger safe?")
    _asked(councils, "r2", "Anything 100%?")
    assert [one.id for one in councils.find("r1")] == [second, first]
    assert [one.id for one in councils.find(words="LEDGER mongo")] == [first]
    assert [one.question for one in councils.find(words="100%")] == ["Anything 100%?"]
    assert councils.find(words="%") != []
    assert councils.find(words="_") == []


def test_a_number_that_is_unknown_is_said_so(councils: Councils) -> None:
    with pytest.raises(NoSuchCouncil, match="no council 7"):
        councils.get(7)
    with pytest.raises(NoSuchCouncil):
        councils.decide(7, "PASS", 0.5, "", "", 1.0)


def test_only_a_verdict_can_turn_out_right(councils: Councils, lessons: Lessons) -> None:
    number = _asked(councils)
    with pytest.raises(NoVerdict):
        lessons.set_outcome(number, Result.RIGHT, "", [], 3.0)


def test_an_outcome_scores_jurors_and_said_again_replaces_what_was_said(
    councils: Councils, lessons: Lessons
) -> None:
    number = _decided(councils)
    scores = [Score("a", "storage", 1.0), Score("a", "storage", 0.0), Score("b", "storage", 0.5)]
    lessons.set_outcome(number, Result.RIGHT, "held for a month", scores, 3.0)
    assert lessons.scores() == scores
    lessons.set_outcome(number, Result.WRONG, "", [Score("b", "storage", 1.0)], 4.0)
    assert lessons.scores() == [Score("b", "storage", 1.0)]
    outcome = lessons.outcome(number)
    assert outcome is not None
    assert (outcome.result, outcome.topic, outcome.support) == (Result.WRONG, "storage", 0.875)


def test_an_outcome_can_be_taken_back_with_its_scores(councils: Councils, lessons: Lessons) -> None:
    number = _decided(councils)
    lessons.set_outcome(number, Result.MIXED, "", [Score("a", "storage", 1.0)], 3.0)
    assert lessons.take_back_outcome(number)
    assert not lessons.take_back_outcome(number)
    assert (lessons.scores(), lessons.outcomes()) == ([], [])


def test_the_history_of_weights_can_be_undone_one_by_one(lessons: Lessons) -> None:
    first = lessons.tell(Told("m", "security", 1.5), "learn", 1.0)
    second = lessons.tell(Told("m", "security", 0.5), "learn", 2.0)
    assert lessons.told() == [Told("m", "security", 1.5), Told("m", "security", 0.5)]
    assert lessons.undo(second, 3.0).undone == 3.0
    assert lessons.told() == [Told("m", "security", 1.5)]
    with pytest.raises(NothingOpen):
        lessons.undo(second, 4.0)
    assert [(one.id, one.undone) for one in lessons.changes()] == [(first, None), (second, 3.0)]


def test_an_approved_proposal_changes_a_weight_once(lessons: Lessons) -> None:
    number = lessons.suggest("m", "security", "raise m", [2, 1, 2], 1.0)
    (waiting,) = lessons.suggested(Answer.OPEN)
    assert (waiting.id, waiting.evidence, waiting.told) == (number, (1, 2), None)
    change = lessons.approve(number, Told("m", "security", 1.25), 2.0)
    assert lessons.told() == [Told("m", "security", 1.25)]
    assert lessons.changes()[0].why == f"proposal {number}"
    assert lessons.suggested(Answer.APPROVED)[0].told == change
    with pytest.raises(NothingOpen):
        lessons.approve(number, Told("m", "security", 1.25), 3.0)
    assert len(lessons.told()) == 1


def test_a_dismissed_proposal_changes_nothing_and_is_remembered(lessons: Lessons) -> None:
    number = lessons.suggest("m", "security", "raise m", [1, 2], 1.0)
    lessons.dismiss(number, 2.0)
    assert lessons.told() == []
    assert [one.evidence for one in lessons.suggested(Answer.DISMISSED)] == [(1, 2)]
    with pytest.raises(NothingOpen):
        lessons.dismiss(number, 3.0)


def test_forgetting_a_repository_leaves_nothing_of_it_on_disk(
    work: Work, councils: Councils, lessons: Lessons
) -> None:
    theirs, ours = _decided(councils, "r1"), _decided(councils, "r2")
    for number in (theirs, ours):
        councils.begin_round(number, 1, 1.0)
        councils.hear(number, Spoken(1, "a", "a", f"opinion-of-{number}", 1.0))
        lessons.set_outcome(number, Result.RIGHT, f"note-of-{number}", [Score("a", "t", 1.0)], 2.0)
    lessons.suggest("a", "t", "rests on both", [theirs, ours], 3.0)
    lessons.suggest("a", "t", "rests on ours", [ours], 3.0)
    lessons.tell(Told("a", "t", 2.0), "learn", 3.0)
    work.forget("r1")
    assert [one.id for one in councils.find()] == [ours]
    assert councils.opinions(theirs) == []
    assert [one.council for one in lessons.outcomes()] == [ours]
    assert [one.proposal for one in lessons.suggested()] == ["rests on ours"]
    assert len(lessons.scores()) == 1
    assert lessons.told() == [Told("a", "t", 2.0)]
    work.close()
    assert f"opinion-of-{theirs}".encode() not in work.database.path.read_bytes()
    assert f"note-of-{theirs}".encode() not in work.database.path.read_bytes()
