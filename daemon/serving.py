"""Puts the daemon's services together and runs them until someone says stop."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable

from ..agents.contract import Lane
from ..memory.errors import HermesError
from .api import answering
from .chat import chat_of
from .guard import Guard
from .host import Host, Warm
from .ledger.ledger import Ledger
from .listen import Door
from .lock import Holder, is_lost
from .main import BEGIN_ANEW
from .paths import Paths
from .resident import Resident
from .server import Api
from .settings import Settings
from .standing import LEDGER
from .supervisor import Service, Supervisor
from .web import Web
from .webhooks import Webhooks

HOME_SECONDS = 60.0
"""Between two looks at whether the daemon's folder is still there."""
REOPEN_SECONDS = 60.0
"""Between two tries to open a ledger that could not be opened."""

logger = logging.getLogger(__name__)


async def serve(
    paths: Paths,
    settings: Settings,
    holder: Holder,
    door: Door,
    on_ready: Callable[[], None],
) -> int:
    """Serve behind ``door`` until SIGTERM, SIGINT or a shutdown request; return the exit code.

    ``on_ready`` is called when requests are answered; memory gets warm after that. `BEGIN_ANEW` is
    returned if the process is to begin anew.
    """
    host, services, close = _compose(paths, settings, holder)
    _stop_on_signals(host.stop)

    def ready() -> None:
        host.answering.set()
        on_ready()

    on_stop = host.runtime.closing.set if host.runtime else lambda: None
    app = answering(host)
    host.web = web = Web(host.paths, app, host.faults)
    doors: list[Service] = [web]
    if host.dispatcher is not None and host.ledger is not None:
        host.webhooks = Webhooks(host, host.dispatcher, host.ledger)
        doors.append(host.webhooks)
    api = Api(Guard(app, door), door.socket, on_ready=ready, on_stop=on_stop)
    # Stopped in reverse: first no more requests, then the triggers, then the work.
    try:
        code = await Supervisor([Home(host), *services, api, *doors], host.faults).run(host.stop)
    finally:
        close()
    return BEGIN_ANEW if host.restart and not code else code


def _compose(
    paths: Paths, settings: Settings, holder: Holder
) -> tuple[Host, list[Service], Callable[[], None]]:
    """Return the host, its services, and what closes them. Where the ledger can't be opened hermes
    answers all the same, says so, and begins anew when it can be."""
    try:
        resident = Resident(paths, settings, holder)
    except HermesError as error:
        logger.error("%s %s", error.message, error.hint)
        chat = chat_of(settings)
        model = None if chat is None else chat.hosts.model("qa", Lane.ON_DEMAND)
        warm = Warm(paths, settings, model)
        host = Host(paths, settings, holder, warm, chat=chat)
        fault = f"nothing is watched and no work is done: {error.message}"
        host.faults[LEDGER] = fault
        host.notes.append(f"{fault}. {error.hint}")
        return host, [Reopen(host)], warm.close
    return resident.host, resident.services, resident.close


class Home:
    """Ends the daemon when its folder was deleted: nobody can reach it there any more. A service."""

    name = "home"

    def __init__(self, host: Host) -> None:
        self._host = host

    async def serve(self) -> None:
        """Look now and then, until cancelled."""
        while True:
            await asyncio.sleep(HOME_SECONDS)
            if await asyncio.to_thread(is_lost, self._host.paths, self._host.holder):
                logger.critical("%s was deleted: the daemon ends", self._host.paths.run)
                self._host.stop.set()
                return


class Reopen:
    """Has the daemon begin anew once the ledger can be opened. A service."""

    name = "reopen"

    def __init__(self, host: Host) -> None:
        self._host = host

    async def serve(self) -> None:
        """Try now and then, until cancelled."""
        while True:
            await asyncio.sleep(REOPEN_SECONDS)
            try:
                ledger = await asyncio.to_thread(Ledger.open, self._host.paths.ledger)
            except HermesError:
                continue
            ledger.close()
            self._host.restart = True
            self._host.stop.set()
            return


def _stop_on_signals(stop: asyncio.Event) -> None:
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        loop.add_signal_handler(signal.SIGHUP, stop.set)
