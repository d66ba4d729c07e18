"""Stops work that is worth nothing any more, since newer work of the same kind waits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from ..agents.contract import Agent
from .ledger.queue import Queue
from .run import GivesWay, Run, assignment_of

logger = logging.getLogger(__name__)


async def make_way(runs: Mapping[int, Run], agents: Mapping[str, Agent], queue: Queue) -> None:
    """Given what runs, end each run whose agent would rather do what waits."""
    for run in list(runs.values()):
        agent = agents.get(run.job.agent)
        if run.superseded_by or not isinstance(agent, GivesWay):
            continue
        newer = await asyncio.to_thread(queue.newer, run.job)
        if newer is not None and agent.gives_way(assignment_of(run.job), assignment_of(newer)):
            logger.info("j%d gives way to j%d", run.job.id, newer.id)
            run.superseded_by = newer.id
            run.halt.set()
