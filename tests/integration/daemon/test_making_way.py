"""What runs gives way to newer work of the same kind, where its agent would have it so."""

from __future__ import annotations

import asyncio
from pathlib import Path

from hermes.agents.contract import Assignment, Context, Done, Lane, Outcome
from hermes.daemon.ledger.records import State
from hermes.tests.builders.runtime import Gate, Scripted, card, spec, world


class Hasty(Scripted):
    """Gives way to whatever comes, unless a person waits for what runs."""

    def gives_way(self, running: Assignment, newer: Assignment) -> bool:
        return running.lane is not Lane.ON_DEMAND


async def test_newer_work_of_the_same_kind_ends_what_runs(tmp_path: Path) -> None:
    stuck, cleaned = Gate(), asyncio.Event()

    async def first(assignment: Assignment, context: Context) -> Outcome:
        try:
            return await stuck(assignment, context)
        finally:
            cleaned.set()

    agent = Hasty("tester", [first, Done("again")])
    async with world(tmp_path, agent) as here:
        [old] = await here.put(spec("tester", "affected", repo="shop", paths=("a.py",)))
        await asyncio.wait_for(stuck.running.wait(), 10)
        [new] = await here.put(spec("tester", "affected", repo="shop", paths=("b.py",)))
        ended = await here.until(old)
        assert (ended.state, ended.reason) == (State.SKIPPED, f"superseded by j{new.id}")
        assert cleaned.is_set()
        assert (await here.until(new)).reason == "again"
        assert [seen.paths for seen in agent.seen] == [("a.py",), ("b.py",)]
        assert here.troubled == []


async def test_only_the_same_work_of_the_same_repository_supersedes(tmp_path: Path) -> None:
    stuck = Gate()
    agent = Hasty("tester", [stuck, Done("other")])
    async with world(tmp_path, agent, slots=4) as here:
        [old] = await here.put(spec("tester", "affected", repo="shop"))
        await asyncio.wait_for(stuck.running.wait(), 10)
        others = await here.put(
            spec("tester", "full", repo="shop"),
            spec("tester", "affected", repo="till"),
        )
        [rehearsal] = await here.put(
            spec("tester", "affected", repo="shop", dry_run=True, alone=True)
        )
        for job in others:
            await here.until(job)
        assert here.ledger.queue.get(old.id).state is State.RUNNING
        assert here.ledger.queue.get(rehearsal.id).state is State.QUEUED
        stuck.open.set()
        assert (await here.until(old)).state is State.OK


async def test_what_a_person_waits_for_and_agents_that_say_nothing_are_left_alone(
    tmp_path: Path,
) -> None:
    asked, plain = Gate(), Gate()
    agents = (Hasty("tester", [asked, Done("later")]), Scripted("indexer", [plain, Done("later")]))
    cards = {agent.name: card(agent.name) for agent in agents}
    async with world(tmp_path, *agents, cards=cards, slots=4) as here:
        old = await here.put(spec("tester", repo="shop", lane=Lane.ON_DEMAND), spec("indexer"))
        await asyncio.wait_for(asked.running.wait(), 10)
        await asyncio.wait_for(plain.running.wait(), 10)
        new = await here.put(spec("tester", repo="shop"), spec("indexer"))
        await here.step()
        assert [here.ledger.queue.get(job.id).state for job in old] == [State.RUNNING] * 2
        asked.open.set()
        plain.open.set()
        for job in [*old, *new]:
            assert (await here.until(job)).state is State.OK
