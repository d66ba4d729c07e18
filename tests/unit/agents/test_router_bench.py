"""The labelled events: enough of them, of all kinds, and the rules alone route them well."""

from __future__ import annotations

from collections import Counter

from hermes.agents.events import KINDS
from hermes.agents.roster import CARDS
from hermes.tests.bench.routing import load, measure


def test_the_set_is_large_covers_all_kinds_and_has_its_share_of_bad_input() -> None:
    rows = load()
    assert len(rows) >= 300
    assert {row.event.kind for row in rows} == set(KINDS)
    assert sum(bool(row.hard) for row in rows) / len(rows) >= 0.15
    kinds = Counter(row.hard for row in rows)
    assert all(kinds[hard] for hard in ("injection", "empty", "huge", "binary", "foreign"))
    for row in rows:
        assert row.right | row.also | row.never <= set(CARDS)
        assert not (row.right | row.also) & row.never


async def test_the_rules_alone_route_plain_events_well_and_nobody_to_whom_they_must_not() -> None:
    rows = [row for row in load() if row.style == "plain"]
    tally = await measure(rows, "rules", None, 0.0)
    passed = tally.passed["all"]
    assert sum(passed) / len(passed) >= 0.95
    assert tally.forbidden == []
