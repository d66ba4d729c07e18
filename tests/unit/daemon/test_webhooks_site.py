"""What the webhooks' port does with a delivery that it can't take in now."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any

import pytest

from hermes.daemon import webhooks_site
from hermes.daemon.webhooks_counts import Count
from hermes.daemon.webhooks_site import BURST, Site
from hermes.ingest.sources.deliveries import Delivery, Provider
from hermes.memory.errors import NoSpace
from hermes.tests.builders.deliveries import commented, of_github

SECRET = "It's a Secret to Everybody"


class Disk:
    """Where deliveries go: it takes them, or is full."""

    def __init__(self, *, full: bool = False) -> None:
        self.full = full
        self.taken: list[Delivery] = []
        self.counts: dict[str, Count] = defaultdict(Count)
        self.site = Site(
            lambda name: SECRET if name == "github" else None,
            self.take,
            lambda name: self.counts[name],
            lambda: None,
        )

    async def take(self, provider: Provider, delivery: Delivery, now: float) -> str:
        if self.full:
            raise NoSpace("/home/kim")
        self.taken.append(delivery)
        return "accepted"

    async def deliver(self, parts: list[bytes], headers: dict[str, str]) -> int:
        """Send a delivery in parts, or without any and never; return the status."""
        waiting = iter(parts)
        answered: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            part = next(waiting, None)
            if part is None:
                await asyncio.Event().wait()
            return {"type": "http.request", "body": part, "more_body": part != parts[-1]}

        async def send(message: Any) -> None:
            answered.append(message)

        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": "POST", "path": "/webhooks/github", "headers": raw}
        await self.site(scope, receive, send)
        status: int = answered[0]["status"]
        return status


def test_a_full_disk_is_not_acknowledged_and_said() -> None:
    disk = Disk(full=True)
    body, headers = of_github(SECRET, commented())
    assert asyncio.run(disk.deliver([body], headers)) == 503
    assert "no space left" in disk.counts["github"].reason
    disk.full = False
    assert asyncio.run(disk.deliver([body], headers)) == 200
    assert [each.place for each in disk.taken] == ["acme/shop"]


def test_a_delivery_may_come_in_parts_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk()
    body, headers = of_github(SECRET, commented())
    assert asyncio.run(disk.deliver([body[:9], body[9:]], headers)) == 200
    monkeypatch.setattr(webhooks_site, "BODY_SECONDS", 0.01)

    assert asyncio.run(disk.deliver([], headers)) == 408


def test_more_than_is_bearable_is_refused_without_being_looked_at() -> None:
    disk = Disk()
    body, headers = of_github("another", commented())

    async def flood() -> list[int]:
        return [await disk.deliver([body], headers) for _ in range(BURST + 200)]

    statuses = asyncio.run(flood())
    assert statuses[:BURST] == [401] * BURST
    assert 429 in statuses
    assert disk.taken == []


def test_what_is_larger_than_it_said_is_refused() -> None:
    disk = Disk()
    _, headers = of_github(SECRET, commented())
    part = b"x" * 13_000_000
    assert asyncio.run(disk.deliver([part, part + b"y", b"z"], headers)) == 413
    assert disk.counts["github"].reason == "larger than 25 MB"
