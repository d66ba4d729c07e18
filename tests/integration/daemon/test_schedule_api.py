"""The API of schedule and attention, and the two commands that speak to it."""

from __future__ import annotations

import json
import time
from collections.abc import Generator
from zoneinfo import ZoneInfo

import pytest

from hermes.agents.contract import Finding, Lane, Level
from hermes.agents.events import Event, RunAsked
from hermes.daemon.attention.attention import Attention
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import Spec, State
from hermes.daemon.paths import locate
from hermes.daemon.triggers.entries import defaults
from hermes.daemon.triggers.runs import Run, Runs
from hermes.daemon.triggers.schedule import Schedule
from hermes.surfaces.cli import main
from hermes.surfaces.client import Client, Refused
from hermes.tests.builders.runtime_api import Served, serving


@pytest.fixture
def served() -> Generator[Served]:
    with serving(locate()) as served:
        ledger = served.ledger

        async def accept(event: Event, key: str | None) -> int:
            return ledger.intake.accept(event, key=key, now=time.time()).id

        entries = list(defaults("/home/ada").values())
        berlin = ZoneInfo("Europe/Berlin")
        served.host.schedule = Schedule(accept, entries, ledger, zone=lambda: berlin)
        served.host.attention = Attention(ledger)
        yield served


@pytest.fixture
def client(served: Served) -> Generator[Client]:
    with Client.connect(locate()) as client:
        yield client


def fail(ledger: Ledger, error: str) -> None:
    now = time.time()
    ledger.queue.put([Spec("indexer", "read", "shop", Lane.REACTIVE)], now)
    job = ledger.queue.take(now, owner="test", lanes=tuple(Lane))
    assert job is not None
    fields = {"error": error, "hint": "", "code": "fault"}
    ledger.queue.finish(job.id, State.FAILED, now, reason=error, error=fields)


def hermes(*words: str) -> int:
    return main(list(words))


def test_the_schedule_says_what_runs_when_and_what_became_of_the_last(
    served: Served, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    now = time.time()
    Runs(served.ledger).record(
        Run("upkeep", now - 7_200, now - 3_600, "late", 2, "the machine slept", 1)
    )
    found = client.call("GET", "/v1/schedule")
    assert found["zone"] == "Europe/Berlin"
    by_name = {entry["name"]: entry for entry in found["entries"]}
    assert by_name["upkeep"]["words"] == "at 03:10 every day"
    assert by_name["upkeep"]["last"]["outcome"] == "late"
    assert by_name["rescan"]["last"] is None
    assert 0 < by_name["rescan"]["next"] - now <= 3_600
    assert hermes("schedule") == 0
    out = capsys.readouterr().out
    assert "upkeep" in out
    assert "and ran late, with 2 earlier times: the machine slept" in out
    assert hermes("schedule", "--json") == 0
    assert json.loads(capsys.readouterr().out)["zone"] == "Europe/Berlin"


def test_an_entry_runs_by_hand_at_once(
    served: Served, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hermes("schedule", "run", "upkeep") == 0
    assert "upkeep is queued; `hermes why e1` tells" in capsys.readouterr().err
    kept = served.ledger.intake.get(1)
    assert kept is not None
    assert isinstance(kept[0], RunAsked)
    assert (kept[0].agent, kept[0].subject) == ("indexer", "upkeep")
    assert hermes("schedule", "run", "nightly") == 2
    error = capsys.readouterr().err
    assert "the schedule has no entry nightly" in error
    assert "it has brief, consolidate, docs, rescan, sources, tests, upkeep" in error
    assert hermes("schedule", "run") == 2


def test_an_incident_is_listed_and_acknowledged(
    served: Served, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hermes("incidents") == 0
    assert "nothing is failing" in capsys.readouterr().err
    attention = served.host.attention
    assert attention is not None
    for number in (4711, 93):
        fail(served.ledger, f"worker {number} died")
    attention.step(time.time())
    assert hermes("incidents") == 0
    out = capsys.readouterr().out
    assert "i1" in out
    assert "2 times" in out
    assert "indexer: worker 93 died" in out
    (item,) = client.call("GET", "/v1/digest")["items"]
    assert (item["kind"], item["text"]) == ("incident", "indexer: worker 93 died (twice)")
    assert hermes("incidents", "ack", "i1") == 0
    assert client.call("GET", "/v1/digest") == {"items": []}
    assert client.call("GET", "/v1/incidents")["incidents"][0]["state"] == "acknowledged"
    assert hermes("incidents", "ack", "7") == 1
    assert hermes("incidents", "ack", "x") == 2


def test_surfaces_tell_what_became_of_a_finding(served: Served, client: Client) -> None:
    attention = served.host.attention
    assert attention is not None
    now = time.time()
    served.ledger.queue.put([Spec("tester")], now)
    job = served.ledger.queue.take(now, owner="test", lanes=tuple(Lane))
    assert job is not None
    attention.admit(job, [Finding("a", "a failed", Level.GLANCE)], now)
    (shown,) = client.call("GET", "/v1/findings?state=shown")["findings"]
    assert (shown["title"], shown["why"], shown["level"]) == ("a failed", "f1", "glance")
    told = client.call("POST", "/v1/findings/1/undelivered", {"reason": "no tray"})["finding"]
    assert told["delivery_error"] == "no tray"
    assert client.call("POST", "/v1/findings/1/delivered")["finding"]["delivery_error"] is None
    for what in ("opened", "dismissed", "ignored"):
        assert client.call("POST", f"/v1/findings/1/{what}")["finding"][f"{what}_at"]
    with pytest.raises(Refused) as refused:
        client.call("POST", "/v1/findings/9/opened")
    assert refused.value.status == 404
    with pytest.raises(Refused) as refused:
        client.call("POST", "/v1/findings/1/undelivered", {"reason": ""})
    assert refused.value.status == 422
