"""What becomes of a finding, by table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.agents.contract import Level
from hermes.daemon.attention.decide import (
    DAY,
    HOUR,
    Moment,
    Past,
    Place,
    Policy,
    Said,
    Wish,
    decide,
    free_at,
)

NOW = 1_780_000_000.0
INTERRUPT = Wish(Level.INTERRUPT)
URGENT = Wish(Level.INTERRUPT, urgent=True)
GLANCE = Wish(Level.GLANCE)
DIGEST = Wish(Level.DIGEST)
LOG = Wish(Level.LOG)
WORKING = Moment(NOW)
COMMITTED = Moment(NOW, boundary="a commit")
NIGHT = Moment(NOW, quiet=True, boundary="a commit")
PAUSED = Moment(NOW, paused=True, boundary="a commit")
FRESH = Past()
SPENT_HOUR = Past(interrupts=(NOW - 3_000, NOW - 10))
SPENT_DAY = Past(interrupts=tuple(NOW - DAY + 60 + n * 2 * HOUR for n in range(8)))
DEMOTED = Past(demoted=True)


def said(wanted: Level, place: Place, ago: float = HOUR, *, told: bool = False) -> Past:
    return Past(said=Said(ago, wanted, place, told))


def held(seconds: float, *, urgent: bool = False, level: Level = Level.INTERRUPT) -> Wish:
    return Wish(level, urgent, seconds, "these are quiet hours")


@pytest.mark.parametrize(
    ("wish", "past", "moment", "expected", "reason"),
    [
        # At the right moment everything is what its agent wished for.
        (INTERRUPT, FRESH, COMMITTED, "shown interrupt", "this comes after a commit"),
        (GLANCE, FRESH, COMMITTED, "shown glance", "a glance disturbs nobody"),
        (DIGEST, FRESH, COMMITTED, "digest digest", "next brief"),
        (LOG, FRESH, COMMITTED, "log log", "only for the log"),
        # In the middle of something.
        (INTERRUPT, FRESH, WORKING, "held interrupt", "you were in the middle of something"),
        (URGENT, FRESH, WORKING, "shown interrupt", "it is urgent"),
        (GLANCE, FRESH, WORKING, "shown glance", ""),
        # Quiet hours hold what would make a sound, urgent or not.
        (INTERRUPT, FRESH, NIGHT, "held interrupt", "quiet hours"),
        (URGENT, FRESH, NIGHT, "held interrupt", "quiet hours"),
        (GLANCE, FRESH, NIGHT, "shown glance", ""),
        # A pause holds everything that shows.
        (INTERRUPT, FRESH, PAUSED, "held interrupt", "paused"),
        (URGENT, FRESH, PAUSED, "held interrupt", "paused"),
        (GLANCE, FRESH, PAUSED, "held glance", "paused"),
        (DIGEST, FRESH, PAUSED, "digest digest", ""),
        # The budget.
        (INTERRUPT, SPENT_HOUR, COMMITTED, "held interrupt", "2 interruptions an hour"),
        (INTERRUPT, SPENT_DAY, COMMITTED, "held interrupt", "8 a day are enough"),
        (URGENT, SPENT_HOUR, COMMITTED, "shown glance", "urgent, but 2 interruptions"),
        (GLANCE, SPENT_HOUR, COMMITTED, "shown glance", ""),
        # Whose output nobody opens speaks in the digest.
        (INTERRUPT, DEMOTED, COMMITTED, "digest digest", "hardly ever opened"),
        (URGENT, DEMOTED, COMMITTED, "digest digest", "hardly ever opened"),
        (GLANCE, DEMOTED, COMMITTED, "digest digest", "hardly ever opened"),
        (DIGEST, DEMOTED, COMMITTED, "digest digest", "next brief"),
        # The same cause once.
        (GLANCE, said(Level.GLANCE, Place.SHOWN), COMMITTED, "log log", "said 60 min ago"),
        (URGENT, said(Level.INTERRUPT, Place.SHOWN), COMMITTED, "log log", "said 60 min ago"),
        (GLANCE, said(Level.INTERRUPT, Place.SHOWN), COMMITTED, "log log", ""),
        (INTERRUPT, said(Level.INTERRUPT, Place.HELD), COMMITTED, "log log", "waiting"),
        (DIGEST, said(Level.DIGEST, Place.DIGEST), COMMITTED, "log log", "stands in the next"),
        (DIGEST, said(Level.DIGEST, Place.DIGEST, told=True), COMMITTED, "log log", "said 60 min"),
        # Unless it is worse now.
        (INTERRUPT, said(Level.GLANCE, Place.SHOWN), COMMITTED, "shown interrupt", ""),
        (GLANCE, said(Level.DIGEST, Place.DIGEST), COMMITTED, "shown glance", ""),
        # Or had gone away in between: then it shows, and does not interrupt again.
        (
            INTERRUPT,
            said(Level.INTERRUPT, Place.TAKEN_BACK),
            COMMITTED,
            "shown glance",
            "comes and",
        ),
        (GLANCE, said(Level.GLANCE, Place.TAKEN_BACK), COMMITTED, "shown glance", ""),
        (DIGEST, said(Level.DIGEST, Place.TAKEN_BACK), COMMITTED, "digest digest", ""),
        # What is held waits for its moment, and not for ever.
        (held(60), FRESH, COMMITTED, "shown interrupt", "this comes after a commit"),
        (held(60), FRESH, WORKING, "held interrupt", ""),
        (held(2 * HOUR), FRESH, WORKING, "digest digest", "it waited 2 h: these are quiet hours"),
        (held(2 * HOUR), FRESH, PAUSED, "digest digest", "it waited 2 h"),
        (held(9 * HOUR, urgent=True), FRESH, NIGHT, "held interrupt", "quiet hours"),
        (held(9 * HOUR, urgent=True), FRESH, WORKING, "shown interrupt", "it is urgent"),
        (held(60, level=Level.GLANCE), FRESH, WORKING, "shown glance", ""),
    ],
)
def test_a_finding_goes_where_the_table_says(
    wish: Wish, past: Past, moment: Moment, expected: str, reason: str
) -> None:
    decision = decide(wish, past, moment, Policy())
    assert f"{decision.place} {decision.level}" == expected
    assert reason in decision.reason
    assert decision.reason


@pytest.mark.parametrize("policy", [Policy(per_hour=0), Policy(per_day=0)])
def test_without_a_budget_nothing_interrupts_and_all_of_it_shows(policy: Policy) -> None:
    for wish in (INTERRUPT, URGENT):
        decision = decide(wish, FRESH, COMMITTED, policy)
        assert (decision.place, decision.level) == (Place.SHOWN, Level.GLANCE)


@pytest.mark.parametrize(
    ("interrupts", "free"),
    [
        ((), 0),
        ((-10,), 0),
        ((-HOUR, -10), 0),
        ((-HOUR + 1, -10), 1),
        (tuple(-DAY + 60 + n * 2 * HOUR for n in range(8)), 60),
        ((-DAY + 60, *(-20 * HOUR + n * 2 * HOUR for n in range(6)), -100, -50), 4 * HOUR),
    ],
)
def test_the_budget_is_free_again_when_enough_of_it_has_passed(
    interrupts: tuple[float, ...], free: float
) -> None:
    assert free_at([NOW + ago for ago in interrupts], NOW, Policy()) == NOW + free


LEVELS = st.sampled_from(list(Level))
PLACES = st.sampled_from([Place.HELD, Place.SHOWN, Place.DIGEST, Place.TAKEN_BACK])
PASTS = st.builds(
    Past,
    st.lists(st.floats(NOW - DAY, NOW), max_size=12),
    st.none() | st.builds(Said, st.floats(0, DAY), LEVELS, PLACES, st.booleans()),
    st.booleans(),
)
MOMENTS = st.builds(
    Moment, st.just(NOW), st.booleans(), st.booleans(), st.sampled_from(["", "a commit"])
)
WISHES = st.builds(
    Wish, LEVELS, st.booleans(), st.none() | st.floats(0, 3 * HOUR), st.just("you were busy")
)
POLICIES = st.builds(Policy, st.integers(0, 4), st.integers(0, 10))


@given(WISHES, PASTS, MOMENTS, POLICIES)
def test_it_never_shows_more_than_was_wished_or_than_the_budget_allows(
    wish: Wish, past: Past, moment: Moment, policy: Policy
) -> None:
    decision = decide(wish, past, moment, policy)
    rank = [Level.LOG, Level.DIGEST, Level.GLANCE, Level.INTERRUPT].index
    assert rank(decision.level) <= rank(wish.level)
    if decision.place is Place.SHOWN:
        assert not moment.paused
        assert not past.demoted
        if decision.level is Level.INTERRUPT:
            assert not moment.quiet
            assert wish.urgent or moment.boundary
            assert sum(at > NOW - HOUR for at in past.interrupts) < policy.per_hour
            assert sum(at > NOW - DAY for at in past.interrupts) < policy.per_day
    if (
        wish.urgent
        and wish.waiting is not None
        and not past.demoted
        and wish.level is not Level.LOG
    ):
        assert decision.place is not Place.LOG
