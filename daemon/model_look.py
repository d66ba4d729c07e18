"""Whether the language model can be asked, remembered for a moment, so that status never waits for
a server that was looked at just now."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from ..agents.models.hosts import Hosts
from ..agents.models.protocol import ModelState

Fields = dict[str, Any]

LOOK_SECONDS = 3.0
"""How long one look may take."""
FRESH_SECONDS = 5.0
"""For so long a look counts as new."""
MOMENT = 0.01
"""Seconds that somebody who has an older look waits for a new one."""

NO_MODEL: Fields = {"name": None, "reachable": False, "present": False, "detail": "off", "hint": ""}


class ModelLook:
    """The last look at the model's hosts. Belongs to one asyncio loop."""

    def __init__(self, hosts: Hosts) -> None:
        self._hosts = hosts
        self._found: Fields | None = None
        self._at = 0.0
        self._looking: asyncio.Task[Fields] | None = None

    async def state(self) -> Fields:
        """Return what was found less than a few seconds ago, else what is found now if that comes
        at once, else the last that was found while it is looked again."""
        if self._found is not None and time.monotonic() - self._at < FRESH_SECONDS:
            return self._found
        looking = self._look()
        if self._found is None:
            return await asyncio.shield(looking)
        await asyncio.wait({looking}, timeout=MOMENT)
        return self._found

    async def now(self) -> Fields:
        """Look, and return what is found."""
        return await asyncio.shield(self._look())

    def _look(self) -> asyncio.Task[Fields]:
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._find(), name="model look")
        return self._looking

    async def _find(self) -> Fields:
        try:
            state = await asyncio.wait_for(self._hosts.ready(), LOOK_SECONDS)
        except TimeoutError:
            detail = f"its server does not answer within {LOOK_SECONDS:g} s"
            state = ModelState(reachable=False, present=False, detail=detail)
        self._found = {
            "name": self._hosts.name,
            "reachable": state.reachable,
            "present": state.present,
            "detail": state.detail,
            "hint": state.hint,
        }
        self._at = time.monotonic()
        return self._found
