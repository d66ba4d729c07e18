"""When a process that holds too much memory begins anew, and when that would be of no use."""

from __future__ import annotations

from hermes.daemon.renewal import SETTLED_SECONDS, Renewal

MB = 1_000_000
LATER = 5_000.0 + SETTLED_SECONDS


def test_what_grew_beyond_the_limit_begins_anew() -> None:
    renewal = Renewal(1_000 * MB)
    assert not renewal.is_due(200 * MB, 5_000.0)
    assert not renewal.is_due(1_000 * MB, LATER)
    assert renewal.is_due(1_001 * MB, LATER)
    assert renewal.note == ""


def test_a_limit_below_what_is_needed_is_noted_and_nothing_begins_anew() -> None:
    renewal = Renewal(50 * MB)
    for clock in (5_000.0, 5_060.0, LATER, LATER + 100_000):
        assert not renewal.is_due(200 * MB, clock)
        assert "200 MB" in renewal.note
        assert "background.max_rss_mb = 50" in renewal.note
    assert not renewal.is_due(40 * MB, LATER + 200_000)
    assert renewal.note == ""


def test_it_never_begins_anew_just_after_it_began() -> None:
    renewal = Renewal(50 * MB)
    assert not renewal.is_due(100 * MB, 0.0)
    assert not renewal.is_due(900 * MB, SETTLED_SECONDS - 1)
    # By then that much is what it needs; only more than that is worth it.
    assert not renewal.is_due(1_000 * MB, SETTLED_SECONDS)
    assert renewal.is_due(1_200 * MB, SETTLED_SECONDS)


def test_without_a_limit_nothing_is_too_much() -> None:
    renewal = Renewal(0)
    assert not renewal.is_due(10**12, 0.0)
    assert not renewal.is_due(10**13, LATER)
