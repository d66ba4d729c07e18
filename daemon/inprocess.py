"""The same API from a thread of the caller's own process, for when no daemon can run.

It only reads: bulk work needs the daemon. The connection is a pair of sockets, so it needs no
file, no port and no folder that can be written.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from .. import __version__
from ..agents.contract import Lane
from .api import create_app
from .chat import chat_of
from .host import Host, Warm
from .listen import Door
from .lock import Holder
from .paths import Paths, keep_cache
from .settings import Settings, load

NOTE = "answered without the daemon: memory is only read, nothing new is taken in"


def connect_in_process(paths: Paths) -> socket.socket:
    """Return a socket at whose other end a thread serves the API. Closing it ends the thread.

    Raise SettingsRefused. Errors of memory come as answers, as they do from the daemon.
    """
    settings = load(paths.config_file)
    keep_cache(paths)
    logging.getLogger("hermes").addHandler(logging.NullHandler())
    theirs, ours = socket.socketpair()
    threading.Thread(
        target=lambda: asyncio.run(_serve(paths, settings, ours)), name="hermes-api", daemon=True
    ).start()
    return theirs


async def _serve(paths: Paths, settings: Settings, connection: socket.socket) -> None:
    holder = Holder(0, __version__, int(time.time()))
    chat = chat_of(settings)
    model = None if chat is None else chat.hosts.model("qa", Lane.ON_DEMAND)
    host = Host(paths, settings, holder, Warm(paths, settings, model), chat, notes=[NOTE])
    config = uvicorn.Config(
        create_app(host, Door(connection)),
        http=H11Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        date_header=False,
        server_header=False,
    )
    config.load()
    state = ServerState()
    closed = asyncio.Event()

    class Connection(H11Protocol):
        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            closed.set()

    loop = asyncio.get_running_loop()
    await loop.connect_accepted_socket(
        lambda: Connection(config=config, server_state=state, app_state={}), connection
    )
    await closed.wait()
    host.warm.close()
