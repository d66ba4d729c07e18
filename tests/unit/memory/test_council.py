"""What is remembered of councils: what was said, how it turned out, and the weights that follow."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.memory.council import (
    Answer,
    Councils,
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


def test_only_a_verdict_can_turn_out_right(councils: Councils) -> None:
    number = _asked(councils)
    with pytest.raises(NoVerdict):
        councils.set_outcome(number, Result.RIGHT, "", [], 3.0)


def test_an_outcome_scores_jurors_and_said_again_replaces_what_was_said(councils: Councils) -> None:
    number = _decided(councils)
    scores = [Score("a", "storage", 1.0), Score("a", "storage", 0.0), Score("b", "storage", 0.5)]
    councils.set_outcome(number, Result.RIGHT, "held for a month", scores, 3.0)
    assert councils.scores() == scores
    councils.set_outcome(number, Result.WRONG, "", [Score("b", "storage", 1.0)], 4.0)
    assert councils.scores() == [Score("b", "storage", 1.0)]
    outcome = councils.outcome(number)
    assert outcome is not None
    assert (outcome.result, outcome.topic, outcome.support) == (Result.WRONG, "storage", 0.875)


def test_an_outcome_can_be_taken_back_with_its_scores(councils: Councils) -> None:
    number = _decided(councils)
    councils.set_outcome(number, Result.MIXED, "", [Score("a", "storage", 1.0)], 3.0)
    assert councils.take_back_outcome(number)
    assert not councils.take_back_outcome(number)
    assert (councils.scores(), councils.outcomes()) == ([], [])


def test_the_history_of_weights_can_be_undone_one_by_one(councils: Councils) -> None:
    first = councils.tell(Told("m", "security", 1.5), "learn", 1.0)
    second = councils.tell(Told("m", "security", 0.5), "learn", 2.0)
    assert councils.told() == [Told("m", "security", 1.5), Told("m", "security", 0.5)]
    assert councils.undo(second, 3.0).undone == 3.0
    assert councils.told() == [Told("m", "security", 1.5)]
    with pytest.raises(NothingOpen):
        councils.undo(second, 4.0)
    assert [(one.id, one.undone) for one in councils.changes()] == [(first, None), (second, 3.0)]


def test_an_approved_proposal_changes_a_weight_once(councils: Councils) -> None:
    number = councils.suggest("m", "security", "raise m", [2, 1, 2], 1.0)
    (waiting,) = councils.suggested(Answer.OPEN)
    assert (waiting.id, waiting.evidence, waiting.told) == (number, (1, 2), None)
    change = councils.approve(number, Told("m", "security", 1.25), 2.0)
    assert councils.told() == [Told("m", "security", 1.25)]
    assert councils.changes()[0].why == f"proposal {number}"
    assert councils.suggested(Answer.APPROVED)[0].told == change
    with pytest.raises(NothingOpen):
        councils.approve(number, Told("m", "security", 1.25), 3.0)
    assert len(councils.told()) == 1


def test_a_dismissed_proposal_changes_nothing_and_is_remembered(councils: Councils) -> None:
    number = councils.suggest("m", "security", "raise m", [1, 2], 1.0)
    councils.dismiss(number, 2.0)
    assert councils.told() == []
    assert [one.evidence for one in councils.suggested(Answer.DISMISSED)] == [(1, 2)]
    with pytest.raises(NothingOpen):
        councils.dismiss(number, 3.0)


def test_forgetting_a_repository_leaves_nothing_of_it_on_disk(
    work: Work, councils: Councils
) -> None:
    theirs, ours = _decided(councils, "r1"), _decided(councils, "r2")
    for number in (theirs, ours):
        councils.begin_round(number, 1, 1.0)
        councils.hear(number, Spoken(1, "a", "a", f"opinion-of-{number}", 1.0))
        councils.set_outcome(number, Result.RIGHT, f"note-of-{number}", [Score("a", "t", 1.0)], 2.0)
    councils.suggest("a", "t", "rests on both", [theirs, ours], 3.0)
    councils.suggest("a", "t", "rests on ours", [ours], 3.0)
    councils.tell(Told("a", "t", 2.0), "learn", 3.0)
    work.forget("r1")
    assert [one.id for one in councils.find()] == [ours]
    assert councils.opinions(theirs) == []
    assert [one.council for one in councils.outcomes()] == [ours]
    assert [one.proposal for one in councils.suggested()] == ["rests on ours"]
    assert len(councils.scores()) == 1
    assert councils.told() == [Told("a", "t", 2.0)]
    work.close()
    assert f"opinion-of-{theirs}".encode() not in work.database.path.read_bytes()
    assert f"note-of-{theirs}".encode() not in work.database.path.read_bytes()
