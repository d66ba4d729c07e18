"""The worker process, as the daemon holds it."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

LINE_LIMIT = 1 << 20
"""Bytes one event may have."""
END_SECONDS = 5.0
"""How long the worker may take to end once its input is closed."""

logger = logging.getLogger(__name__)


class Child:
    """One worker process: commands go in, events come out."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls) -> Child:
        """Start a worker. It finds home and settings in the environment, as we did."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "hermes.daemon.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LINE_LIMIT,
            # A group of its own: what it starts ends with it, and Ctrl-C at the daemon's terminal
            # does not stop it in the middle of a batch.
            start_new_session=True,
        )
        logger.info("worker %d started", process.pid)
        return cls(process)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def living(self) -> bool:
        """Whether it has not been seen to end."""
        return self._process.returncode is None

    async def send(self, command: Mapping[str, object]) -> None:
        """Send a command. If the worker is gone, the next `read` says so."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, ConnectionResetError):
            self._process.stdin.write(json.dumps(command).encode() + b"\n")
            await self._process.stdin.drain()

    async def read(self) -> dict[str, Any] | None:
        """Return the next event about a job; None when the worker has ended."""
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            if not line.endswith(b"\n"):
                break  # killed in the middle of a line
            event: dict[str, Any] = json.loads(line)
            if event["event"] != "log":
                return event
            logging.getLogger("worker").log(
                logging.getLevelNamesMapping()[event["level"]], event["text"]
            )
        await self._process.wait()
        return None

    def ending(self) -> str:
        """Say how it ended, in words."""
        code = self._process.returncode
        if code is None or code >= 0:
            return f"exit code {code}"
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"

    def kill(self) -> None:
        """End it the hard way; `read` then returns None."""
        with suppress(ProcessLookupError):
            self._process.kill()

    async def end(self) -> None:
        """Close its input and wait until it has ended; kill it if that takes too long."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), END_SECONDS)
        except TimeoutError:
            logger.warning("worker %d did not end in time and is killed", self._process.pid)
            self.kill()
            await self._process.wait()
