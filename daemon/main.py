"""The daemon's process: lock, log, socket, services, and how it starts and ends.

Exit codes: 0 stopped as asked, 1 could not start or failed, 2 wrong settings or usage,
3 another daemon holds this home.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NoReturn

from .. import __version__
from ..memory.errors import HermesError
from .lock import AlreadyRunning, Holder, single_instance
from .paths import Paths, keep_cache, locate, make_private

EXIT_FAILED = 1
EXIT_SETTINGS = 2
EXIT_RUNNING = 3
BEGIN_ANEW = 75
"""No exit code that anyone sees: the process becomes a fresh one."""

logger = logging.getLogger(__name__)


class Announcer:
    """Tells whoever started us, once, that we are ready or why we are not."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    def say(self, **fields: object) -> None:
        """Write one line of JSON, then let go of the pipe. Later calls do nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        with suppress(BrokenPipeError):
            os.write(descriptor, json.dumps(fields).encode() + b"\n")
        # Replaced, not closed: nothing that is opened later may get the number of stdout.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the daemon until it is told to stop; return the exit code."""
    options = _parse(argv)
    os.umask(0o077)
    if options.background:
        _detach()
    announcer = Announcer(options.ready_fd)
    try:
        os.chdir(os.sep)
        code = _run(locate(), announcer, background=options.background or options.detached)
    except AlreadyRunning as error:
        announcer.say(status="running")
        _complain(error)
        return EXIT_RUNNING
    except HermesError as error:
        announcer.say(status="error", error=error.message, hint=error.hint, code=error.code)
        _complain(error)
        return EXIT_SETTINGS if error.code == "settings" else EXIT_FAILED
    if code == BEGIN_ANEW:
        begin_anew()
    return code


def begin_anew() -> NoReturn:
    """Become a fresh process under the same id, in the background if this one is there; what is on
    disk is taken up again."""
    how = "--detached" if {"--background", "--detached"} & set(sys.argv) else "--foreground"
    os.execv(sys.executable, [sys.executable, "-m", "hermes.daemon", how])


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m hermes.daemon", description="The resident process of hermes."
    )
    parser.add_argument("--version", action="version", version=f"hermes {__version__}")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--foreground", action="store_true", help="stay, and log to stderr too (the default)"
    )
    how.add_argument("--background", action="store_true", help="leave the terminal")
    # By itself, when it begins anew: it has left the terminal.
    how.add_argument("--detached", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "--ready-fd", type=int, metavar="N", help="write one line of JSON there once ready"
    )
    return parser.parse_args(argv)


def _detach() -> None:
    """Leave session and parent: whoever started us has no child to wait for."""
    if os.name != "posix":
        return
    if os.fork():
        os._exit(0)
    with suppress(PermissionError):  # we lead a session already
        os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _run(paths: Paths, announcer: Announcer, *, background: bool) -> int:
    with single_instance(paths) as holder:
        # Only now: another daemon is told from the lock alone, in a few milliseconds.
        from . import logs
        from .listen import listening
        from .settings import load

        settings = load(paths.config_file)
        keep_cache(paths)
        if not paths.state.exists():
            make_private(paths.state_folder)
        make_private(paths.memory)
        logs.write_to(
            paths.log_file,
            level=settings.daemon.log_level,
            max_bytes=settings.daemon.log_max_bytes,
        )
        if not background:
            logs.install(logging.StreamHandler(), settings.daemon.log_level)
        logger.info("hermes %s starts, process %d", __version__, os.getpid())
        with listening(paths, settings.daemon.transport) as door:
            # Imports make thousands of objects that stay: looking for garbage among them is in vain.
            gc.disable()
            from .serving import serve

            gc.freeze()
            gc.enable()
            try:
                code = asyncio.run(serve(paths, settings, holder, door, _ready(announcer, holder)))
            except Exception:
                logger.exception("the daemon failed")
                raise
        logger.info("hermes has stopped")
        return code


def _ready(announcer: Announcer, holder: Holder) -> Callable[[], None]:
    def ready() -> None:
        logger.info("ready")
        announcer.say(status="ready", pid=holder.pid)

    return ready


def _complain(error: HermesError) -> None:
    lines = [f"hermes: {error.message}", error.hint]
    sys.stderr.write("\n".join(line for line in lines if line) + "\n")
