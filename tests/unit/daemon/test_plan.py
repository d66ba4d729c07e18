"""Decisions become work for the queue."""

from __future__ import annotations

import pytest

from hermes.agents.contract import Lane
from hermes.agents.events import (
    Committed,
    Event,
    FilesChanged,
    Noted,
    RepoAdded,
    Requested,
    RunAsked,
    Scheduled,
)
from hermes.agents.roster import CARDS
from hermes.agents.router import Decision, Route
from hermes.daemon.ledger.records import Spec
from hermes.daemon.plan import to_specs


def planned(event: Event, *routes: Route) -> list[Spec]:
    return to_specs(event, Decision(routes, "rule", ""))


def test_reactive_work_settles_as_its_card_says() -> None:
    event = Committed(at=1, source="hook", repo="r1", new="abcd")
    spec, keeper = planned(event, Route("indexer", "read"), Route("doc_keeper"))
    card = CARDS["indexer"]
    assert (spec.agent, spec.subject, spec.repo) == ("indexer", "read", "r1")
    assert (spec.lane, spec.quiet, spec.longest) == (Lane.REACTIVE, card.quiet, card.longest)
    assert spec.expires_in is None
    assert keeper.expires_in == CARDS["doc_keeper"].expires_in


def test_changed_files_come_with_the_work() -> None:
    event = FilesChanged(at=1, source="watch", repo="r", paths=("a.py",), folders=("lib",))
    (spec,) = planned(event, Route("test_runner"))
    assert (spec.paths, spec.folders, spec.whole) == (("a.py",), ("lib",), False)
    (all_of_it,) = planned(
        FilesChanged(at=1, source="rescan", whole=True), Route("indexer", "rescan")
    )
    assert all_of_it.whole
    (noted,) = planned(
        Noted(at=1, source="spool", title="x", paths=("gen/a.py",)), Route("test_runner")
    )
    assert noted.paths == ("gen/a.py",)


WAITED_FOR: list[Event] = [
    Requested(at=1, source="api", text="why?"),
    RunAsked(at=1, source="api", agent="indexer"),
    RepoAdded(at=1, source="api", repo="r"),
    Scheduled(at=1, source="cron", job="upkeep", due=1),
]


@pytest.mark.parametrize("event", WAITED_FOR, ids=lambda event: event.kind)
def test_what_a_person_or_a_schedule_wants_does_not_settle_first(event: Event) -> None:
    (spec,) = planned(event, Route("indexer", "read"))
    assert (spec.quiet, spec.longest) == (0.0, 0.0)
    assert spec.lane is (Lane.SCHEDULED if event.kind == "scheduled" else Lane.ON_DEMAND)


@pytest.mark.parametrize(
    ("event", "alone"),
    [
        (Requested(at=1, source="api", text="why?"), True),
        (RunAsked(at=1, source="api", agent="qa", text="why?"), True),
        (RunAsked(at=1, source="api", agent="indexer", dry_run=True), True),
        (RunAsked(at=1, source="api", agent="indexer"), False),
        (RepoAdded(at=1, source="api"), False),
    ],
)
def test_what_differs_in_its_words_is_never_united(event: Event, alone: bool) -> None:
    (spec,) = planned(event, Route("qa"))
    assert spec.alone is alone
