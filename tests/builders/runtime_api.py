"""The API of the runtime over a real socket and a real ledger, in a thread of the test.

Nobody takes the jobs: a test decides itself what becomes of them, through the ledger.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress

from hermes import __version__
from hermes.daemon.api import create_app
from hermes.daemon.host import Host, Warm
from hermes.daemon.ledger.followers import Followers
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.listen import Door, listening
from hermes.daemon.lock import Holder
from hermes.daemon.paths import Paths, make_private
from hermes.daemon.server import Api
from hermes.daemon.settings import load


class Served:
    """A host whose API is served: ``host.ledger`` is there, memory and runtime are not."""

    def __init__(self, host: Host, ledger: Ledger, loop: asyncio.AbstractEventLoop) -> None:
        self.host = host
        self.ledger = ledger
        self._loop = loop

    def stop(self) -> None:
        """Have it stop, as a daemon that is told to."""
        self._loop.call_soon_threadsafe(self.host.stop.set)


@contextmanager
def serving(paths: Paths) -> Generator[Served]:
    """Serve for the time of the block."""
    make_private(paths.state)
    ledger = Ledger.open(paths.state / "runtime.db")
    ready = threading.Event()
    told: list[Served] = []
    with listening(paths, "unix") as door:
        thread = threading.Thread(
            target=lambda: asyncio.run(_serve(paths, door, ledger, told, ready))
        )
        thread.start()
        assert ready.wait(30)
        try:
            yield told[0]
        finally:
            with suppress(RuntimeError):  # it has stopped already
                told[0].stop()
            thread.join(30)
            ledger.close()


async def _serve(
    paths: Paths, door: Door, ledger: Ledger, told: list[Served], ready: threading.Event
) -> None:
    settings = load(paths.config_file)
    host = Host(paths, settings, Holder(0, __version__, 0), Warm(paths, settings, None))
    host.ledger, host.followers = ledger, Followers(ledger.journal)
    told.append(Served(host, ledger, asyncio.get_running_loop()))
    api = Api(create_app(host, door), door.socket, on_ready=ready.set, on_stop=lambda: None)
    serving = asyncio.create_task(api.serve())
    await host.stop.wait()
    serving.cancel()
    await asyncio.wait({serving})
    host.warm.close()
