"""What one daemon is made of, and the part of it that takes a second to get warm."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from .lock import Holder
from .paths import Paths
from .settings import Settings

if TYPE_CHECKING:
    from ..agents.models.protocol import ChatModel
    from ..agents.standup import Standup
    from ..memory.work import Work
    from .attention.attention import Attention
    from .chamber import Chamber
    from .chat import Chat
    from .dispatch import Dispatcher
    from .ledger.followers import Followers
    from .ledger.ledger import Ledger
    from .reaper import Reaper
    from .runtime import Runtime
    from .services import Services
    from .sourcing import Sourcing
    from .triggers.schedule import Schedule
    from .watching import Watching
    from .web import Web
    from .webhooks import Webhooks

logger = logging.getLogger(__name__)


class Trigger(Protocol):
    """What brings events, as status sees it."""

    def state(self) -> dict[str, Any]:
        """Return ``name``, ``state`` (``ok``, ``degraded`` or ``down``), ``detail`` and ``last``,
        when it last brought one."""
        ...


class Warm:
    """The services, built in a thread when they are first wanted; until then callers wait.

    A failure is told to all who wait. The next caller has it tried again, so that a memory that
    was repaired or a disk that came back needs no restart.
    """

    name = "warm"

    def __init__(
        self,
        paths: Paths,
        settings: Settings,
        model: ChatModel | None,
        work: Work | None = None,
    ) -> None:
        """``model`` answers people's questions; None where there is none. ``work``: what agents
        found out; None where no daemon runs."""
        self._paths = paths
        self._settings = settings
        self._model = model
        self._work = work
        # Not asyncio's own pool: the loop would wait for it when the daemon stops.
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="warm")
        self._building: asyncio.Future[Services] | None = None

    async def get(self) -> Services:
        """Return the services. Raise HermesError if they can't be built."""
        building = self._building
        if building is None or (building.done() and building.exception() is not None):
            building = self._building = asyncio.wrap_future(self._pool.submit(self._build))
        # Shielded: a caller who hangs up must not end it for the others.
        return await asyncio.shield(building)

    @property
    def ready(self) -> Services | None:
        """The services if they are there."""
        building = self._building
        if building is None or not building.done() or building.exception() is not None:
            return None
        return building.result()

    def forget(self) -> None:
        """Build anew for the next caller: what the services have open is not there any more.

        Closed first: a second connection opened beside the old one would lose SQLite's lock on
        the file, and with it the worker's later commits.
        """
        self.close()
        self._building = None

    def close(self) -> None:
        """Close what was built. What is being built now only reads, and is left behind."""
        if self.ready is not None:
            self.ready.close()

    def _build(self) -> Services:
        from .services import Services

        started = time.monotonic()
        services = Services.build(self._paths, self._settings, self._model, self._work)
        logger.info("memory is open after %.2f s", time.monotonic() - started)
        return services


@dataclass
class Host:
    """A running daemon, or its stand-in inside another process."""

    paths: Paths
    settings: Settings
    holder: Holder
    warm: Warm
    chat: Chat | None = None
    """The language model; None where settings name none."""
    ledger: Ledger | None = None
    work: Work | None = None
    followers: Followers | None = None
    runtime: Runtime | None = None
    dispatcher: Dispatcher | None = None
    reaper: Reaper | None = None
    schedule: Schedule | None = None
    attention: Attention | None = None
    watching: Watching | None = None
    sourcing: Sourcing | None = None
    chamber: Chamber | None = None
    """Where councils are held."""
    standup: Standup | None = None
    """Who makes the brief; None where settings turn it off."""
    web: Web | None = None
    """Who serves the local page."""
    webhooks: Webhooks | None = None
    """Who takes deliveries in."""
    triggers: Sequence[Trigger] = ()
    """The parts of the runtime; a stand-in has none of them."""
    agents: Sequence[str] = ()
    """The names of the agents that this daemon has."""
    restart: bool = False
    """Whether the process is to begin anew once it has stopped."""
    answering: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once requests are answered: what takes long begins after that."""
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    """Set it to end the daemon."""
    faults: dict[str, str] = field(default_factory=dict[str, str])
    """What keeps a service down, by its name; the supervisor writes here."""
    notes: list[str] = field(default_factory=list[str])
    """Degradations that status shows."""
