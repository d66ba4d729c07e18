"""Work asked for and called off over the API, while nobody is there to do it."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.agents.events import Event
from hermes.agents.router import Decision
from hermes.daemon.bulk import Bulk
from hermes.daemon.dispatch import Dispatcher
from hermes.daemon.ledger.records import Spec, State
from hermes.daemon.paths import locate
from hermes.daemon.plan import to_specs
from hermes.daemon.reaper import Reaper
from hermes.daemon.runtime import Runtime
from hermes.surfaces.client import Client, Refused
from hermes.tests.builders.daemon import LIGHT
from hermes.tests.builders.runtime_api import Served, serving


async def nobody(event: Event, number: int) -> Decision:
    """Decide that an event is for no agent."""
    return Decision((), "rule", "the indexer is not installed")


@pytest.fixture
def served(home: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Served]:
    for name, value in LIGHT.items():
        monkeypatch.setenv(name, value)
    with serving(locate()) as served:
        reaper = Reaper()
        served.host.runtime = Runtime(served.ledger, {}, Bulk(reaper), reaper, owner="test")
        served.host.dispatcher = Dispatcher(served.ledger, nobody, to_specs)
        yield served


def asked() -> Refused:
    """Ask for vectors; return how that was refused."""
    with Client.connect(locate()) as client, pytest.raises(Refused) as refused:
        list(client.stream("POST", "/v1/memory/vectors"))
    return refused.value


def test_while_nobody_routes_the_stream_ends_with_what_is_wrong(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes.daemon.api_run.ROUTING_SECONDS", 0.05)
    error = asked()
    assert error.code == "not_taken_up"
    assert "not decided yet" in error.message
    assert "hermes why e1 " in error.hint
    assert [number for number, _ in served.ledger.intake.pending()] == [1]


def test_what_is_blocked_can_be_called_off(served: Served) -> None:
    queue = served.ledger.queue
    queue.put([Spec("tester")], 1)
    job = queue.take(2, owner="test")
    assert job is not None
    error = {"error": "not trusted", "hint": "hermes trust", "code": "needs_user"}
    queue.finish(job.id, State.BLOCKED_CONFIG, 3, reason="not trusted", error=error)
    assert [each.id for each in queue.trouble()] == [job.id]
    with Client.connect(locate()) as client:
        assert client.call("POST", f"/v1/jobs/{job.id}/cancel")["job"]["state"] == "cancelled"
        with pytest.raises(Refused, match="it has ended"):
            client.call("POST", f"/v1/jobs/{job.id}/cancel")
    assert queue.trouble() == []
