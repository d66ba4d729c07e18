"""What an agent may use while it works, bound to its job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..agents.contract import Lane
from ..agents.models.protocol import ChatModel
from .bulk import Bulk
from .ledger.records import Job
from .ledger.traces import LONGEST
from .live import Live

Models = Callable[[str, Lane, int], ChatModel | None]
"""Given agent, lane and job, returns the agent's model behind the gate; None without one."""


class JobContext:
    """A `Context` for one run of a job."""

    def __init__(self, job: Job, live: Live, bulk: Bulk, models: Models) -> None:
        self._job = job
        self._live = live
        self._bulk = bulk
        self._models = models
        self.reads: dict[str, None] = {}
        self.writes: dict[str, None] = {}
        """References in the order in which they were told, each once."""

    def model(self) -> ChatModel | None:
        """Return this agent's model behind the gate; None where there is none."""
        return self._models(self._job.agent, self._job.lane, self._job.id)

    async def bulk(
        self,
        task: str,
        repo: str | None = None,
        *,
        source: str | None = None,
        seconds: float | None = None,
    ) -> Mapping[str, Any]:
        """Have the worker do a task; return its report. Raise HermesError or Preempted."""
        more = {} if source is None else {"source": source, "token": self._bulk.tokens.of(source)}
        return await self._bulk.run(
            task,
            repo,
            lane=self._job.lane,
            seconds=seconds,
            more=more,
            on_progress=self._live.progress,
            on_note=self._live.warn,
        )

    def progress(self, phase: str, done: int, total: int) -> None:
        """Tell how far it is."""
        self._live.progress(phase, done, total)

    def read(self, reference: str) -> None:
        """Write down that this was read."""
        if len(self.reads) < LONGEST:
            self.reads[reference] = None

    def wrote(self, reference: str) -> None:
        """Write down that this was written."""
        if len(self.writes) < LONGEST:
            self.writes[reference] = None
