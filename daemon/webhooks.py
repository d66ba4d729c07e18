"""Webhooks: a third door of the daemon, on loopback, for deliveries that a person's tunnel brings.

What was signed is an event in the ledger, on disk, before it is acknowledged; from there it goes the
way of all events. A delivery that comes again is the same event.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
import time
import zlib
from typing import TYPE_CHECKING, Any

from ..agents.events import Delivered
from ..ingest.sources import secrets
from ..ingest.sources.deliveries import PROVIDERS, Delivery, Provider, concerns
from ..memory.errors import HermesError
from . import webhooks_kept
from .listen import BACKLOG
from .private_file import new_secret
from .server import Api
from .webhooks_callers import Callers
from .webhooks_counts import Count, counts_of
from .webhooks_kept import Kept
from .webhooks_site import FOLDER, Site

if TYPE_CHECKING:
    from .dispatch import Dispatcher
    from .host import Host
    from .ledger.ledger import Ledger

LOOPBACK = "127.0.0.1"
FIRST_PORT = 30_000
PORTS = 2_000
"""Each home has a port of its own among these, so that a tunnel leads to the same one each time. No
system gives them to outgoing connections."""
NEXT = 10
"""Ports after a taken one that are tried when they are turned on."""
COUNTS = "webhooks"
"""Under this name the ledger keeps how deliveries went."""
SAVE_SECONDS = 2.0
"""Between two times that is written down."""
LOOK_SECONDS = 30.0
"""Between two looks for a secret that could not be had."""

logger = logging.getLogger(__name__)


class NoWebhooks(HermesError):
    """Deliveries can't be taken in."""

    code = "no_webhooks"


class NotOn(HermesError):
    """The deliveries of a provider are not taken in."""

    code = "wrong_state"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"deliveries of {PROVIDERS[name].title} are not taken in",
            hint=f"hermes webhooks on {name}",
        )


class BadProvider(HermesError):
    """A provider is named that there is not, or turned on in a way that it can't be."""

    code = "usage"


class Webhooks:
    """Takes deliveries in from when that is asked for until it is ended, over restarts of the daemon
    too. A service; where it can't listen that is a fault, and the daemon goes on."""

    name = "webhooks"

    def __init__(self, host: Host, dispatcher: Dispatcher, ledger: Ledger) -> None:
        self._host = host
        self._dispatcher = dispatcher
        self._ledger = ledger
        self._file = host.paths.webhooks
        self._port = FIRST_PORT + zlib.crc32(os.fsencode(host.paths.state_folder)) % PORTS
        self._turn = asyncio.Lock()
        self._kept: Kept | None = None
        self._offered: dict[str, str] = {}
        """Secrets that a person's shell handed over: in memory only."""
        self._values: dict[str, str] = {}
        self._looked: dict[str, float] = {}
        self._serving: asyncio.Task[None] | None = None
        self._counts: dict[str, Count] = {}
        self._unsaved = asyncio.Event()

    async def serve(self) -> None:
        """Take in again what was taken in when the daemon ended, and whatever is turned on, until
        cancelled."""
        try:
            found = await asyncio.to_thread(self._ledger.values.get, COUNTS)
            self._counts = counts_of(found)
            async with self._turn:
                await self._take_up()
            while True:
                await self._unsaved.wait()
                await asyncio.sleep(SAVE_SECONDS)
                await self._save()
        finally:
            async with self._turn:
                await self._end()
            await self._save()

    def state(self) -> dict[str, Any]:
        """Return whether it is ``listening`` and at which ``port``, a ``fault`` if it should and
        does not, and of each provider how it is set up and how deliveries went. No secrets."""
        kept = self._kept
        return {
            "listening": self._serving is not None,
            "port": kept.port if kept else None,
            "fault": self._host.faults.get(self.name),
            "providers": [self._described(provider) for provider in PROVIDERS.values()],
        }

    def _described(self, provider: Provider) -> dict[str, Any]:
        kept = self._kept
        is_on = kept is not None and provider.name in kept.names
        place = kept.places.get(provider.name) if kept else None
        return {
            "name": provider.name,
            "title": provider.title,
            "on": is_on,
            "address": f"http://{LOOPBACK}:{kept.port}{FOLDER}{provider.name}"
            if kept and is_on
            else None,
            "events": list(provider.events),
            "secret": ("theirs" if place else "ours") if is_on else None,
            "place": place,
            "there": is_on and self._value(provider.name) is not None,
            "deliveries": self._counts.get(provider.name, Count()).fields(),
        }

    async def turn_on(
        self, name: str, *, place: str | None, offered: str | None, anew: bool = False
    ) -> dict[str, Any]:
        """Take a provider's deliveries in; return the state and, where we made it, the ``secret``:
        a new one if there was none or one is asked for. Raise HermesError."""
        provider = _provider(name)
        if place is not None:
            secrets.token_place(place)
        if (
            provider.own_secret
            and place is None
            and (self._kept is None or name not in self._kept.names)
        ):
            raise BadProvider(
                f"{provider.title} makes the secret itself, and shows it where the webhook is set up",
                hint=f"export {name.upper()}_SECRET=…, then hermes webhooks on {name} --secret-env"
                f" {name.upper()}_SECRET; or --secret-keyring {name}",
            )
        if provider.own_secret and anew:
            raise BadProvider(
                f"{provider.title} makes the secret itself: have a new one made there",
                hint=f"then hermes webhooks on {name} --secret-env NAME",
            )
        async with self._turn:
            # It may be asked for before what was on was taken up.
            found = self._kept or await asyncio.to_thread(webhooks_kept.read, self._file)
            kept = found or Kept(self._port)
            known = kept.secrets.get(name)
            if place is not None:
                kept = kept.having(name, place=place)
            elif name not in kept.names or (known and anew):
                kept = kept.having(name, secret=new_secret())
            if offered:
                self._offered[name] = offered
            listener = None
            if self._serving is None:
                listener = _bind(kept.port)
                kept = Kept(listener.getsockname()[1], kept.secrets, kept.places)
            try:
                await asyncio.to_thread(webhooks_kept.write, self._file, kept)
            except OSError as error:
                if listener is not None:
                    listener.close()
                raise NoWebhooks(f"can't write {self._file}: {error.strerror}") from error
            self._kept = kept
            self._values.pop(name, None)
            self._looked.pop(name, None)
            if listener is not None:
                await self._begin(listener)
            await asyncio.to_thread(self._value, name)
        return {"secret": kept.secrets.get(name)} | self.state()

    async def turn_off(self, name: str | None) -> bool:
        """Take a provider's deliveries in no more, or nobody's: then nothing listens, and secrets
        are gone. Return whether they were taken in."""
        if name is not None:
            _provider(name)
        async with self._turn:
            kept = self._kept
            was_on = (
                (kept is not None or self._file.exists())
                if name is None
                else (kept is not None and name in kept.names)
            )
            if not was_on:
                return False
            rest = kept.without(name) if kept is not None and name is not None else None
            for each in PROVIDERS if name is None else (name,):
                for held in (self._offered, self._values, self._looked, self._counts):
                    held.pop(each, None)
            self._unsaved.set()
            if rest is not None and rest.names:
                await asyncio.to_thread(webhooks_kept.write, self._file, rest)
                self._kept = rest
            else:
                self._file.unlink(missing_ok=True)
                self._kept = None
                self._host.faults.pop(self.name, None)
                await self._end()
        return True

    def secret_of(self, name: str) -> str:
        """Return a secret that we made. Raise HermesError."""
        provider = _provider(name)
        kept = self._kept
        if kept is None or name not in kept.names:
            raise NotOn(name)
        if name not in kept.secrets:
            raise BadProvider(
                f"the secret is {provider.title}'s own, and not kept here",
                hint=f"it is at {kept.places[name]}",
            )
        return kept.secrets[name]

    async def _take_up(self) -> None:
        try:
            kept = await asyncio.to_thread(webhooks_kept.read, self._file)
            if kept is None or self._serving is not None:
                return
            self._kept = kept
            await self._begin(_bind(kept.port, others=False))
            for name in kept.names:
                await asyncio.to_thread(self._value, name)
        except (HermesError, OSError) as error:
            logger.error("deliveries are not taken in: %s", error)
            self._host.faults[self.name] = f"deliveries are not taken in: {error}"

    async def _begin(self, listener: socket.socket) -> None:
        site = Site(self._secret, self._take, self._count, self._unsaved.set)
        ready = asyncio.Event()
        api = Api(site, listener, on_ready=ready.set, on_stop=lambda: None, protocol=Callers)
        task = asyncio.create_task(api.serve(), name="webhooks-api")
        answering = asyncio.create_task(ready.wait())
        await asyncio.wait({task, answering}, return_when=asyncio.FIRST_COMPLETED)
        answering.cancel()
        if task.done():
            listener.close()
            raise NoWebhooks(f"the server of webhooks ended at once: {task.exception()}")
        self._serving = task
        self._host.faults.pop(self.name, None)
        logger.info("deliveries are taken in at port %d", listener.getsockname()[1])

    async def _end(self) -> None:
        serving, self._serving = self._serving, None
        if serving is not None:
            serving.cancel()
            await asyncio.wait({serving})
            logger.info("deliveries are not taken in any more")

    async def _save(self) -> None:
        self._unsaved.clear()
        said = {name: count.fields() for name, count in self._counts.items()}
        try:
            await asyncio.to_thread(self._ledger.values.set, COUNTS, said, time.time())
        except HermesError as error:
            logger.warning("how deliveries went is not written down: %s", error.message)

    # What the site asks.

    def _count(self, name: str) -> Count:
        return self._counts.setdefault(name, Count())

    def _secret(self, name: str) -> str | None:
        kept = self._kept
        if kept is None or name not in kept.names:
            return None
        value = self._value(name)
        if value is None:
            raise NoWebhooks(f"its secret is not at {kept.places[name]}")
        return value

    def _value(self, name: str) -> str | None:
        """Return a provider's secret; None where it can't be had. Blocks, at times."""
        kept = self._kept
        if kept is None:
            return None
        if name in kept.secrets:
            return kept.secrets[name]
        if name in self._values:
            return self._values[name]
        now = time.monotonic()
        if now - self._looked.get(name, -LOOK_SECONDS) < LOOK_SECONDS:
            return None
        self._looked[name] = now
        try:
            value = secrets.read(kept.places[name], self._offered.get(name))
        except HermesError as error:
            logger.warning("deliveries of %s can't be checked: %s", name, error.message)
            return None
        self._values[name] = value
        return value

    async def _take(self, provider: Provider, delivery: Delivery, now: float) -> str:
        """Put a delivery on disk, unless no source reads what it is about. While memory is not open
        that is not known, and found out later."""
        services = self._host.warm.ready
        if services is not None:
            rows = await asyncio.to_thread(services.memory.index.sources.all)
            if not any(
                concerns(provider, row.kind, row.options, row.cursor, delivery.place)
                for row in rows
            ):
                return "ignored"
        event = Delivered(
            at=now,
            source="webhook",
            provider=provider.name,
            what=delivery.what,
            place=delivery.place,
        )
        accepted = await self._dispatcher.take_in(event, delivery.key)
        return "accepted" if accepted.new else "again"


def _provider(name: str) -> Provider:
    if name not in PROVIDERS:
        raise BadProvider(
            f"there are no deliveries of {name}", hint=f"there are: {', '.join(PROVIDERS)}"
        )
    return PROVIDERS[name]


def _bind(wanted: int, *, others: bool = True) -> socket.socket:
    """Return a socket that listens at a port, or at one near it where that is taken. Raise
    NoWebhooks."""
    for port in range(wanted, min(wanted + NEXT, 65_536) if others else wanted + 1):
        try:
            return socket.create_server((LOOPBACK, port), backlog=BACKLOG)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise NoWebhooks(
                    f"can't listen on {LOOPBACK}: {error.strerror}",
                    hint="does this machine's firewall or sandbox forbid it?",
                ) from error
    raise NoWebhooks(
        f"port {wanted} of {LOOPBACK} is taken by another program",
        hint="end that program and restart hermes, or `hermes webhooks on NAME` takes another port",
    )
