"""Keeps the router's model in the memory of every Ollama host while hermes is in use, and knows
what was granted.

It never wakes an idle machine: after half an hour without an event, a question or a call it sleeps
until there is one, and where loading is not allowed (paused, on battery, switched off) it only
looks. Servers of the OpenAI protocol have nothing that could be loaded or asked.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from .hosts import Host, Hosts, Say
from .ollama_server import Loaded, OllamaServer
from .protocol import ModelError

EVERY = 180.0
"""Seconds between two looks while in use."""
USED_FOR = 1_800.0
"""Seconds after the last use in which hermes counts as being in use."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Warmth:
    """What was last seen of one host."""

    host: Host
    server: OllamaServer
    loaded: Loaded | None = None
    seen: float | None = None
    """When, in seconds since 1970."""
    loads: int = 0
    """How often it was loaded from here."""
    trouble: str = ""


@dataclass(slots=True)
class KeepWarm:
    """A service; see the module."""

    hosts: Hosts
    servers: Sequence[OllamaServer]
    """One for each host, in the same order; empty for other providers."""
    keep_alive: int = 1_800
    """Seconds, as in the settings: 0 means that nothing is to be kept, so nothing is loaded."""
    may_warm: Callable[[], bool] = lambda: True
    """Whether loading is allowed now: not paused, not on battery, not switched off."""
    say: Say = lambda what, text, fields: None
    """Told ``loaded``, ``evicted`` and ``cut``."""
    every: float = EVERY
    used_for: float = USED_FOR
    clock: Callable[[], float] = time.monotonic
    name: str = field(default="warm-keeper", init=False)
    _last_use: float | None = field(default=None, init=False)
    _in_use: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _soon: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _warmth: list[Warmth] = field(default_factory=list[Warmth], init=False)

    def __post_init__(self) -> None:
        pairs = zip(self.hosts.hosts, self.servers, strict=False)
        self._warmth = [Warmth(host, server) for host, server in pairs]

    def used(self) -> None:
        """Tell that hermes is in use: an event came, or somebody asked. Cheap."""
        self._last_use = self.clock()
        self._in_use.set()

    def look_soon(self) -> None:
        """Have it look at once, and load what was driven out."""
        self.used()
        self._soon.set()

    async def serve(self) -> None:
        """Preload at once, then look now and then while hermes is in use, until cancelled."""
        if not self._warmth or self.keep_alive == 0:
            return
        self.used()
        while True:
            await self._in_use.wait()
            self._soon.clear()
            await self.step(self.clock())
            if self._in_use.is_set():  # else the next use is waited for, and acted on at once
                with suppress(TimeoutError):
                    async with asyncio.timeout(self.every):
                        await self._soon.wait()

    async def step(self, now: float) -> None:
        """Look at every host once, and load what is missing; nothing when hermes is not in use."""
        if self._last_use is None or now - self._last_use > self.used_for:
            self._in_use.clear()  # until somebody uses it, this sleeps
            return
        await asyncio.gather(*(self._look(warmth) for warmth in self._warmth))

    def fields(self) -> list[dict[str, Any]]:
        """Return what was last seen, host by host."""
        return [
            {
                "host": warmth.host.gate.host,
                "warm": warmth.loaded is not None,
                "until": warmth.loaded.until if warmth.loaded else None,
                "asked": self.hosts.context_tokens,
                "granted": warmth.loaded.context if warmth.loaded else None,
                "seen": warmth.seen,
                "loads": warmth.loads,
                "trouble": warmth.trouble,
            }
            for warmth in self._warmth
        ]

    async def _look(self, warmth: Warmth) -> None:
        host = warmth.host
        if host.until > self.clock():
            return  # it is left out for now
        try:
            found = await self._find(warmth)
            self.hosts.was_there(host)
            if found is None and warmth.loaded is not None:
                self._tell(warmth, "evicted", f"{self.hosts.name} is not in memory any more")
            warmth.loaded = found
            busy = bool(host.gate.load["running"])
            if self._wanting(found) and self.may_warm() and not busy:
                await self._load(warmth)
            warmth.trouble = ""
        except ModelError as error:
            warmth.loaded = None
            if not warmth.trouble:
                logger.warning("%s %s", error.message, error.hint)
            warmth.trouble = error.message
            self.hosts.was_away(host, error.message)
        host.warm = warmth.loaded is not None
        warmth.seen = time.time()

    def _wanting(self, found: Loaded | None) -> bool:
        # With another context than calls ask for, the first call would have to load it again.
        # One that was granted less is not: loading it again would bring no more.
        return found is None or (found.context or 0) > self.hosts.context_tokens

    async def _load(self, warmth: Warmth) -> None:
        asked = self.hosts.context_tokens
        started = self.clock()
        await warmth.server.load(self.hosts.name, context=asked, keep_alive=self.keep_alive)
        warmth.loads += 1
        warmth.loaded = await self._find(warmth)
        if warmth.loaded is None:
            return
        took = self.clock() - started
        granted = warmth.loaded.context
        self._tell(warmth, "loaded", f"{self.hosts.name} is in memory after {took:.1f} s")
        if granted is not None and granted < asked:
            self._tell(
                warmth,
                "cut",
                f"{self.hosts.name} was granted {granted:,} tokens of context, not {asked:,}",
            )

    async def _find(self, warmth: Warmth) -> Loaded | None:
        wanted = tagged(self.hosts.name)
        return next((m for m in await warmth.server.loaded() if tagged(m.name) == wanted), None)

    def _tell(self, warmth: Warmth, what: str, text: str) -> None:
        loaded = warmth.loaded
        fields = {
            "host": warmth.host.gate.host,
            "model": self.hosts.name,
            "asked": self.hosts.context_tokens,
            "granted": loaded.context if loaded else None,
        }
        self.say(what, f"{text} ({warmth.host.gate.host})", fields)


def tagged(name: str) -> str:
    """Given a model's name, return it with its tag; none means ``latest``."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"
