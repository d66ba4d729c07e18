"""Who changed its mind, and whether for a reason."""

from __future__ import annotations

import pytest

from hermes.agents.council.cluster import place
from hermes.agents.council.records import Finding, Kind, Opinion, Severity, Shift, Vote
from hermes.agents.council.shifts import find_shifts, same_finding
from hermes.tests.builders.council import finding, opinion

BEFORE = opinion("a", Vote.FAIL, insight="the table is locked during the backfill")


def _shifts(*opinions: Opinion) -> tuple[Shift, ...]:
    return find_shifts(opinions, place(opinions, Kind.JUDGMENT))


@pytest.mark.parametrize(
    "reason",
    [
        "the backfill runs in batches of a thousand rows",
        "Others convinced me: the lock timeout is two seconds",
        "Die Sperre hält nur zwei Sekunden",
        "le verrou dure deux secondes",
    ],
)
def test_a_change_with_a_new_reason_is_a_change_of_mind(reason: str) -> None:
    (shift,) = _shifts(BEFORE, opinion("a", Vote.PASS, round=2, insight=reason))
    assert (shift.before, shift.after, shift.reason) == (Vote.FAIL, Vote.PASS, reason)
    assert not shift.conforms


@pytest.mark.parametrize(
    "reason",
    [
        "",
        "I agree with the majority",
        "After reading the other positions I now think PASS is right",
        "The other reviewers raised valid points",
        "The table is locked during the backfill",  # its old reason, for another vote
        "Ich stimme der Mehrheit zu",
        "Je suis d'accord avec les autres",
        "Estoy de acuerdo con la mayoría",
    ],
)
def test_a_change_without_one_is_conformity(reason: str) -> None:
    (shift,) = _shifts(BEFORE, opinion("a", Vote.PASS, round=2, insight=reason))
    assert shift.conforms


def test_a_new_finding_is_a_new_reason() -> None:
    after = opinion("a", Vote.WARN, round=2, findings=(finding("rollback script untested"),))
    assert _shifts(BEFORE, after)[0].reason == "rollback script untested"


def test_who_holds_has_no_shift() -> None:
    assert _shifts(BEFORE, opinion("a", Vote.FAIL, round=2, insight="still")) == ()


def test_a_change_of_side_with_the_same_vote_is_a_shift() -> None:
    said = [opinion("a", position="Postgres"), opinion("a", position="Mongo", round=2)]
    (shift,) = find_shifts(said, place(said, Kind.CHOICE, ("Postgres", "Mongo")))
    assert (shift.side_before, shift.side_after) == ("Postgres", "Mongo")


def test_a_serious_finding_that_goes_quietly_is_noticed_with_the_vote_unchanged() -> None:
    before = opinion(
        "a", Vote.WARN, findings=(finding("no rollback"), finding("a nit", Severity.MINOR))
    )
    (shift,) = _shifts(before, opinion("a", Vote.WARN, round=2))
    assert [one.title for one in shift.dropped] == ["no rollback"]


def test_a_finding_in_other_words_was_not_given_up() -> None:
    before = opinion("a", Vote.WARN, findings=(finding("No rollback for the migration"),))
    after = opinion("a", Vote.WARN, round=2, findings=(finding("the migration has no rollback"),))
    assert _shifts(before, after) == ()


def test_each_change_of_several_rounds_is_told_and_only_what_is_new_counts() -> None:
    shifts = _shifts(
        opinion("a", Vote.FAIL, insight="locks held"),
        opinion("a", Vote.PASS, round=2, insight="the timeout is short"),
        opinion("a", Vote.FAIL, round=3, insight="locks held"),
    )
    assert [(one.round, one.conforms) for one in shifts] == [(2, False), (3, True)]


def test_findings_without_words_are_the_same_only_to_the_letter() -> None:
    assert same_finding(Finding("…", Severity.NOTE), Finding("…", Severity.NOTE))
    assert not same_finding(Finding("…", Severity.NOTE), Finding("!", Severity.NOTE))
