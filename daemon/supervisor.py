"""Keeps the daemon's services running on one asyncio loop, and stops them in reverse order.

What a service's end means:

- it returns: done, it is not started again
- it raises `HermesError`: a person has to act first; it stays down, and status says why
- it raises `Fatal`: the whole process ends with the given exit code
- it raises anything else: a fault; it is logged and started again, later each time
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import Protocol

from ..memory.errors import HermesError

FIRST_DELAY = 0.5
"""Seconds before a failed service is started again for the first time."""
LONGEST_DELAY = 60.0
"""Seconds the delay between two starts grows to; a service that ran longer starts afresh."""
WELL_SECONDS = 10.0
"""Seconds after which a service that was started again counts as well."""

logger = logging.getLogger(__name__)


class Service(Protocol):
    """Something that runs until it is cancelled."""

    name: str

    async def serve(self) -> None:
        """Do the work. On cancellation clean up and return."""
        ...


class Fatal(Exception):
    """The process can't go on. ``exit_code`` is what it ends with."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Supervisor:
    """Runs services in the order given. ``faults`` is told, by name, what keeps one down, until
    it is well again."""

    def __init__(
        self, services: Sequence[Service], faults: dict[str, str], *, grace: float = 10.0
    ) -> None:
        self._services = services
        self._faults = faults
        self._grace = grace
        self._exit_code = 0

    async def run(self, stop: asyncio.Event) -> int:
        """Run all services until ``stop`` is set or one is fatal; return the exit code."""
        tasks = [asyncio.create_task(self._keep(s, stop), name=s.name) for s in self._services]
        try:
            await stop.wait()
        finally:
            for task in reversed(tasks):
                await self._end(task)
        return self._exit_code

    async def _keep(self, service: Service, stop: asyncio.Event) -> None:
        delay = FIRST_DELAY
        loop = asyncio.get_running_loop()
        while True:
            started = time.monotonic()
            if service.name in self._faults:  # it failed before: it is well when it keeps on
                well = loop.call_later(WELL_SECONDS, self._faults.pop, service.name, None)
            else:
                well = None
            try:
                await service.serve()
                return
            except Fatal as end:
                logger.critical("%s: %s", service.name, end)
                self._exit_code = end.exit_code
                stop.set()
                return
            except HermesError as error:
                logger.error("%s stays down: %s %s", service.name, error.message, error.hint)
                self._faults[service.name] = error.message
                return
            except Exception as error:
                if time.monotonic() - started > LONGEST_DELAY:
                    delay = FIRST_DELAY
                logger.exception("%s failed; it is started again in %g s", service.name, delay)
                self._faults[service.name] = f"{type(error).__name__}: {error}"
            finally:
                if well is not None:
                    well.cancel()
            await asyncio.sleep(delay)
            delay = min(delay * 2, LONGEST_DELAY)

    async def _end(self, task: asyncio.Task[None]) -> None:
        """Given a service's task, cancel it; insist when it takes longer than the grace time."""
        for _ in range(2):
            task.cancel()
            done, _pending = await asyncio.wait({task}, timeout=self._grace)
            if done:
                return
        logger.error("%s did not end in time", task.get_name())
