"""APScheduler, used for the one thing it does well for us: to ring at given moments.

When a job is due, which times passed, and whether they still run is ours: APScheduler runs a time
twice when the hour comes twice, drops what is more than a second late, and forgets all on restart.
Its jobs here only ring; they live in memory and are set anew at each start.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from apscheduler.events import (  # type: ignore[import-untyped]
    EVENT_JOB_ERROR,
    EVENT_JOB_MAX_INSTANCES,
    EVENT_JOB_MISSED,
)
from apscheduler.schedulers.asyncio import AsyncIOScheduler  # type: ignore[import-untyped]
from apscheduler.triggers.date import DateTrigger  # type: ignore[import-untyped]

logger = logging.getLogger(__name__)
# It tells of every job that is added, which is every time here.
logging.getLogger("apscheduler").setLevel(logging.WARNING)


class Alarms:
    """Calls ``ring`` at the moments that are set. One timer in all, for the nearest."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        # Typed as anything: APScheduler 3 has no types.
        self._scheduler: Any = AsyncIOScheduler(
            timezone=UTC,
            job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1},
        )
        self._scheduler.add_listener(
            self._say, EVENT_JOB_ERROR | EVENT_JOB_MISSED | EVENT_JOB_MAX_INSTANCES
        )
        self._set: dict[str, float] = {}

    def start(self) -> None:
        """Begin, in the running loop."""
        self._scheduler.start()

    def stop(self) -> None:
        """Never ring again."""
        self._scheduler.shutdown(wait=False)

    def set(self, moments: dict[str, float]) -> None:
        """Ring at these moments, named, and at no others. Those that passed ring at once."""
        for name in self._set.keys() - moments.keys():
            if self._scheduler.get_job(name) is not None:  # it is not, once it has rung
                self._scheduler.remove_job(name)
        for name, moment in moments.items():
            if self._set.get(name) == moment and self._scheduler.get_job(name) is not None:
                continue
            self._scheduler.add_job(
                self._come,
                DateTrigger(datetime.fromtimestamp(moment, UTC)),
                id=name,
                replace_existing=True,
            )
        self._set = dict(moments)

    async def _come(self) -> None:
        self._ring()

    def _say(self, event: Any) -> None:
        logger.warning("the alarm for %s did not ring as it should: %s", event.job_id, event)
        self._ring()
