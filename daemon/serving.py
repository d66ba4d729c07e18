"""Puts the daemon's services together and runs them until someone says stop."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable

from .api import create_app
from .host import Host, Resume, Warm
from .listen import Door
from .lock import Holder
from .paths import Paths
from .server import Api
from .settings import Settings
from .supervisor import Service, Supervisor
from .work import Work


async def serve(
    paths: Paths,
    settings: Settings,
    holder: Holder,
    door: Door,
    on_ready: Callable[[], None],
) -> int:
    """Serve behind ``door`` until SIGTERM, SIGINT or a shutdown request; return the exit code.

    ``on_ready`` is called when requests are answered; memory gets warm after that.
    """
    warm = Warm(paths, settings)
    work = Work(on_rebuilt=warm.forget)
    host = Host(paths, settings, holder, warm, work)
    _stop_on_signals(host.stop)
    api = Api(create_app(host, door), door.socket, on_ready=on_ready, on_stop=work.closing.set)
    # Stopped in reverse: first no more requests, then the worker.
    services: list[Service] = [work, Resume(warm, work), api]
    try:
        return await Supervisor(services, host.faults).run(host.stop)
    finally:
        warm.close()


def _stop_on_signals(stop: asyncio.Event) -> None:
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        loop.add_signal_handler(signal.SIGHUP, stop.set)
