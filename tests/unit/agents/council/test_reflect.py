"""At most one proposal, and only from dissents that are real and turned out one way."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hermes.agents.council.case import make_case
from hermes.agents.council.records import Finding, Kind, Opinion, Packet, Severity, Vote
from hermes.agents.council.reflect import Past, Proposal, Refusal, dissents, reflect, tally
from hermes.agents.council.verdict import decide
from hermes.memory.council_records import Result, Told
from hermes.tests.builders.council import opinion

P, W, F = Vote.PASS, Vote.WARN, Vote.FAIL
MINOR = (Finding("the retry hides errors", Severity.MINOR),)
CHOICE = Packet("Postgres or Mongo?", Kind.CHOICE, ("Postgres", "Mongo", "Redis"))


def _past(
    number: int,
    opinions: Sequence[Opinion],
    result: Result | None = None,
    topic: str = "security",
    packet: Packet | None = None,
) -> Past:
    case = make_case(packet or Packet("?", Kind.JUDGMENT), opinions)
    return Past(number, topic, case, decide(case), result)


def _lone(
    number: int,
    result: Result | None,
    name: str = "c",
    topic: str = "security",
    why: str = "a token leaks",
) -> Past:
    """A choice that two won against ``name``."""
    said = [
        opinion("a", position="Postgres", insight="known"),
        opinion("b", position="Postgres", insight="known"),
        opinion(name, position="Mongo", insight=why),
    ]
    return _past(number, said, result, topic, CHOICE)


def test_two_dissents_that_were_right_propose_to_raise_with_their_evidence() -> None:
    proposal = reflect([_lone(4, Result.WRONG), _lone(9, Result.WRONG)])
    assert isinstance(proposal, Proposal)
    assert (proposal.juror, proposal.topic, proposal.factor) == ("ollama:c", "security", 1.25)
    assert proposal.councils == (4, 9)
    assert proposal.evidence[0].reason == "a token leaks"
    assert proposal.told == Told("ollama:c", "security", 1.25)
    assert proposal.text == (
        "Raise ollama:c on security from ×1 to ×1.25: of 2 dissents with a known outcome it was"
        " right in 2 and wrong in 0."
    )


def test_dissents_that_were_wrong_propose_to_lower() -> None:
    proposal = reflect([_lone(n, Result.RIGHT) for n in range(3)], [Told("c", "security", 1.5)])
    assert isinstance(proposal, Proposal)
    assert (proposal.before, proposal.factor, proposal.wrong) == (1.5, 1.2, 3)


@pytest.mark.parametrize(
    ("past", "why"),
    [
        ([], "no juror has 2 real dissents"),
        ([_lone(1, Result.WRONG)], "no juror has 2 real dissents"),
        # two dissents, of two jurors or on two topics
        ([_lone(1, Result.WRONG), _lone(2, Result.WRONG, name="d")], "no juror has 2 real"),
        ([_lone(1, Result.WRONG), _lone(2, Result.WRONG, topic="storage")], "no juror has 2 real"),
        # without a reason of its own it is no dissent
        ([_lone(n, Result.WRONG, why="") for n in range(3)], "no juror has 2 real dissents"),
        # nobody has said how it turned out, or it turned out both ways
        ([_lone(n, None) for n in range(3)], "of fewer than 2 of one juror it is known"),
        ([_lone(1, Result.WRONG), _lone(2, Result.MIXED)], "of fewer than 2 of one juror"),
        ([_lone(1, Result.WRONG), _lone(2, Result.RIGHT)], "about as often as wrong"),
    ],
)
def test_too_little_evidence_is_refused_with_its_reason(past: list[Past], why: str) -> None:
    refusal = reflect(past)
    assert isinstance(refusal, Refusal)
    assert why in refusal.why


def test_what_would_help_is_named() -> None:
    refusal = reflect([_lone(7, None), _lone(8, None)])
    assert isinstance(refusal, Refusal)
    assert "hermes council outcome 7" in refusal.hint


def test_only_the_change_with_most_evidence_is_proposed() -> None:
    past = [_lone(n, Result.WRONG, name="d") for n in (1, 2)]
    past += [_lone(n, Result.RIGHT) for n in (3, 4, 5)]
    proposal = reflect(past)
    assert isinstance(proposal, Proposal)
    assert (proposal.juror, proposal.councils) == ("ollama:c", (3, 4, 5))


def test_what_was_answered_is_not_proposed_again_from_the_same_evidence() -> None:
    past = [_lone(n, Result.WRONG) for n in (1, 2)]
    answered = {("ollama:c", "security"): {1, 2}}
    assert isinstance(reflect(past, answered=answered), Refusal)
    more = [*past, _lone(3, Result.WRONG), _lone(4, Result.WRONG)]
    proposal = reflect(more, answered=answered)
    assert isinstance(proposal, Proposal)
    assert proposal.councils == (3, 4)


def test_nobody_is_raised_beyond_the_bound() -> None:
    past = [_lone(n, Result.WRONG) for n in (1, 2)]
    refusal = reflect(past, [Told("c", "security", 5.0)])
    assert isinstance(refusal, Refusal)
    assert "as far up as it goes" in refusal.why


def test_the_same_past_in_any_order_proposes_the_same() -> None:
    past = [_lone(n, Result.WRONG, name=name) for n, name in enumerate("cdcd")]
    assert reflect(past) == reflect(past[::-1])


@pytest.mark.parametrize(
    ("votes", "result", "right"),
    [
        ((P, P, F), None, None),
        ((P, P, F), Result.MIXED, None),
        ((P, P, F), Result.RIGHT, False),
        ((P, P, F), Result.WRONG, None),  # a WARN that was wrong: too strict, or too lenient?
        ((F, F, P), Result.WRONG, True),
        ((F, F, P), Result.RIGHT, False),
    ],
)
def test_a_dissent_is_right_where_the_outcome_says_so(
    votes: tuple[Vote, ...], result: Result | None, right: bool | None
) -> None:
    said = [opinion(name, vote, insight="because") for name, vote in zip("abc", votes, strict=True)]
    (dissent,) = dissents(_past(1, said, result))
    assert (dissent.name, dissent.right) == ("ollama:c", right)


def test_a_pass_beside_a_warn_is_no_dissent() -> None:
    assert dissents(_past(1, [opinion("a", W, insight="x"), opinion("b", P, insight="y")])) == ()


def test_one_that_gave_in_without_a_reason_dissented_and_one_that_was_persuaded_did_not() -> None:
    first = [opinion(name, P, insight="fine") for name in "ab"]
    first += [opinion(name, F, insight="the retry hides errors", findings=MINOR) for name in "cd"]
    second = [
        opinion("c", P, round=2, insight="I agree with the others"),
        opinion("d", P, round=2, insight="every retry is logged with its cause"),
    ]
    assert [one.name for one in dissents(_past(1, [*first, *second]))] == ["ollama:c"]


def test_a_choice_between_three_that_was_wrong_does_not_tell_who_was_right() -> None:
    said = [opinion("a", position="Postgres"), opinion("b", position="Postgres")]
    said += [
        opinion("c", position="Mongo", insight="x"),
        opinion("d", position="Redis", insight="y"),
    ]
    assert [one.right for one in dissents(_past(1, said, Result.WRONG, packet=CHOICE))] == [
        None,
        None,
    ]


def test_a_verdict_that_nobody_carries_has_no_dissent() -> None:
    said = [opinion("a", P, insight="x"), opinion("b", F, insight="y")]
    assert tally([_past(1, said, Result.RIGHT)]) == ()
