"""The runtime: what becomes of jobs, with the real ledger and agents that behave in every way."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hermes.agents.contract import (
    Assignment,
    Context,
    Done,
    Finding,
    Followup,
    Hopeless,
    Lane,
    Misconfigured,
    NeedsUser,
    Nothing,
    NotReady,
    Outcome,
    Preempted,
    Skipped,
)
from hermes.daemon.attention.attention import Attention
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.ledger.records import State
from hermes.daemon.live import LiveJobs
from hermes.daemon.machine import LOOK_SECONDS, Conditions, Machine, Strength
from hermes.daemon.reaper import ANONYMOUS_SECONDS
from hermes.daemon.scrubbing import forget_repo
from hermes.memory.errors import HermesError
from hermes.tests.builders.daemon import lives
from hermes.tests.builders.runtime import Gate, Scripted, card, spec, until, world


@pytest.mark.parametrize(
    ("act", "state", "reason"),
    [
        (Done("3 tests passed", {"passed": 3}), State.OK, "3 tests passed"),
        (Nothing("no test is affected"), State.SILENT, "no test is affected"),
        (Skipped("something newer replaced it"), State.SKIPPED, "something newer replaced it"),
        (NeedsUser("trust is missing"), State.BLOCKED_CONFIG, "trust is missing"),
        (Misconfigured("no such model"), State.BLOCKED_CONFIG, "no such model"),
        (Hopeless("the file is gone"), State.FAILED, "the file is gone"),
    ],
)
async def test_each_end_is_written_down(
    tmp_path: Path, act: Outcome | HermesError, state: State, reason: str
) -> None:
    async with world(tmp_path, Scripted("tester", [act])) as here:
        [job] = await here.put(spec("tester"))
        ended = await here.until(job)
        assert (ended.state, ended.reason, ended.attempts) == (state, reason, 1)
        well = state in (State.OK, State.SILENT, State.SKIPPED)
        assert [job.id for job in here.troubled] == ([] if well else [job.id])


async def test_a_fault_while_an_end_is_written_leaves_no_job_running_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path, Scripted("tester", [Done("done")])) as here:

        def broken(job: int) -> int:
            raise ValueError(f"j{job} can't be let go")

        monkeypatch.setattr(here.reaper, "release_job", broken)
        [job] = await here.put(spec("tester"))
        await until(lambda: "could not be written" in here.ledger.queue.get(job.id).reason)
        waiting = here.ledger.queue.get(job.id)
        assert (waiting.state, waiting.error["code"]) == (State.QUEUED, "internal")


async def test_what_is_not_ready_is_tried_eight_times_later_each_time(tmp_path: Path) -> None:
    agent = Scripted("tester", [NotReady("the server is away")])
    async with world(tmp_path, agent, serving=False) as here:
        [job] = await here.put(spec("tester"))
        waits: list[float] = []
        for _ in range(8):
            await here.step(2_000)
            await here.idle()
            waits.append(here.ledger.queue.get(job.id).not_before - here.now)
        ended = here.ledger.queue.get(job.id)
        assert (ended.state, ended.error["code"]) == (State.DEAD, "not_ready")
        assert len(agent.seen) == 8
        assert [assignment.attempt for assignment in agent.seen] == list(range(1, 9))
        assert all(later > earlier for earlier, later in pairwise(waits[:7]))
        assert [job.id for job in here.troubled] == [job.id]


async def test_an_agent_may_know_better_when_it_is_ready(tmp_path: Path) -> None:
    agent = Scripted("tester", [NotReady("away", retry_after=77.0), Done("there")])
    async with world(tmp_path, agent, serving=False) as here:
        [job] = await here.put(spec("tester"))
        await here.step()
        await here.idle()
        assert here.ledger.queue.get(job.id).not_before == pytest.approx(here.now + 77, abs=2)
        await here.step(78)
        await here.idle()
        assert here.ledger.queue.get(job.id).state is State.OK


async def test_a_fault_is_tried_three_times_and_its_traceback_is_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def crash(assignment: Assignment, context: Context) -> Outcome:
        raise ZeroDivisionError("division by zero")

    agent = Scripted("tester", [crash])
    async with world(tmp_path, agent, serving=False) as here:
        [job] = await here.put(spec("tester"))
        for _ in range(4):
            await here.step(2_000)
            await here.idle()
        ended = here.ledger.queue.get(job.id)
        assert (ended.state, len(agent.seen)) == (State.DEAD, 3)
        assert ended.error["error"] == "ZeroDivisionError: division by zero"
    assert "in crash" in caplog.text


async def test_what_gave_way_goes_back_without_counting(tmp_path: Path) -> None:
    agent = Scripted("tester", [Preempted(), Preempted(), Done("done")])
    async with world(tmp_path, agent) as here:
        [job] = await here.put(spec("tester"))
        ended = await here.until(job)
        assert (ended.state, ended.attempts, len(agent.seen)) == (State.OK, 1, 3)


async def test_a_run_that_takes_too_long_counts_as_a_fault(tmp_path: Path) -> None:
    agent = Scripted("tester", [Gate(), Done("fast")])
    cards = {"tester": card("tester", limit=0.05)}
    async with world(tmp_path, agent, cards=cards, serving=False) as here:
        [job] = await here.put(spec("tester"))
        await here.step()
        await here.idle()
        again = here.ledger.queue.get(job.id)
        assert (again.state, again.reason) == (State.QUEUED, "it took longer than its 0.05 s")
        await here.step(100)
        await here.idle()
        assert here.ledger.queue.get(job.id).state is State.OK


async def test_an_agent_that_does_not_stop_is_left_to_itself_and_it_is_said(
    tmp_path: Path,
) -> None:
    let_go = asyncio.Event()

    async def stubborn(assignment: Assignment, context: Context) -> Outcome:
        while not let_go.is_set():
            with suppress(asyncio.CancelledError):
                await let_go.wait()
        return Done("too late")

    agent = Scripted("tester", [stubborn, Done("well")])
    cards = {"tester": card("tester", limit=0.05)}
    async with world(tmp_path, agent, cards=cards, grace=0.05, serving=False) as here:
        [job] = await here.put(spec("tester"))
        await here.step()
        await here.idle()
        assert here.ledger.queue.get(job.id).state is State.QUEUED
        assert here.runtime.state()["state"] == "degraded"
        assert "did not stop" in here.runtime.state()["detail"]
        await here.step(100)
        await here.idle()
        assert here.ledger.queue.get(job.id).reason == "well"  # its slot was free
        let_go.set()
        await until(lambda: here.runtime.state()["state"] == "ok")


async def test_followups_are_queued_with_the_end_and_nobody_waits_for_them(tmp_path: Path) -> None:
    first = Scripted("first", [Done("one", then=[Followup("second", "more", repo="shop")])])
    second = Scripted("second", [Done("two")])
    async with world(tmp_path, first, second) as here:
        [job] = await here.put(spec("first", lane=Lane.ON_DEMAND))
        await here.until(job)
        [after] = here.ledger.queue.followups(job.id)
        assert (after.agent, after.subject, after.repo, after.lane) == (
            "second",
            "more",
            "shop",
            Lane.REACTIVE,
        )
        assert (await here.until(after)).reason == "two"


async def test_findings_are_handed_over_and_work_that_is_well_again_needs_nobody(
    tmp_path: Path,
) -> None:
    finding = Finding("test:shop:a", "a test fails")
    agent = Scripted("tester", [Hopeless("broken"), Done("found", findings=[finding])])
    async with world(tmp_path, agent) as here:
        [job] = await here.put(spec("tester", repo="shop"))
        await here.until(job)
        assert [old.id for old in here.ledger.queue.trouble()] == [job.id]
        [job] = await here.put(spec("tester", repo="shop"))
        await here.until(job)
        assert [(of.id, list(found)) for of, found in here.considered] == [(job.id, [finding])]
        assert here.ledger.queue.trouble() == []


async def test_a_job_for_an_agent_that_is_not_there_waits_for_one(tmp_path: Path) -> None:
    async with world(tmp_path, Scripted("tester", [Done("done")])) as here:
        [job] = await here.put(spec("painter"))
        ended = await here.until(job)
        assert (ended.state, ended.error["code"]) == (State.BLOCKED_CONFIG, "no_agent")


async def test_on_demand_starts_at_once_while_the_background_is_full(tmp_path: Path) -> None:
    gates = [Gate() for _ in range(20)]
    background = Scripted("background", gates)
    asked = Scripted("asked", [Done("at once")])
    async with world(tmp_path, background, asked) as here:
        jobs = await here.put(*(spec("background", str(n)) for n in range(20)))
        async with asyncio.timeout(5):
            await gates[0].running.wait()
            await gates[1].running.wait()
        [job] = await here.put(spec("asked", lane=Lane.ON_DEMAND))
        assert (await here.until(job)).state is State.OK
        assert len(background.seen) == 2
        for gate in gates:
            gate.open.set()
        for each in jobs:
            await here.until(each)
        assert len(background.seen) == 20


async def test_what_takes_minutes_keeps_what_takes_a_moment_from_nothing(tmp_path: Path) -> None:
    gates = [Gate(), Gate(), Gate()]
    tester, drafter = Scripted("tester", gates), Scripted("drafter", [Done("a draft")])
    cards = {"tester": card("tester", long=True), "drafter": card("drafter")}
    async with world(tmp_path, tester, drafter, cards=cards) as here:
        tests = await here.put(*(spec("tester", str(n)) for n in range(3)))
        async with asyncio.timeout(5):
            await gates[0].running.wait()
            await gates[1].running.wait()
        [draft] = await here.put(spec("drafter"))
        assert (await here.until(draft)).reason == "a draft"
        assert len(tester.seen) == 2
        for gate in gates:
            gate.open.set()
        for each in tests:
            await here.until(each)


async def test_three_wait_for_a_person_at_once_and_background_waits_for_them(
    tmp_path: Path,
) -> None:
    gates = [Gate() for _ in range(3)]
    asked, background = Scripted("asked", gates), Scripted("background", [Done("done")])
    async with world(tmp_path, asked, background) as here:
        await here.put(*(spec("asked", str(n), Lane.ON_DEMAND) for n in range(3)))
        async with asyncio.timeout(5):
            for gate in gates:
                await gate.running.wait()
        [job] = await here.put(spec("background"))
        assert here.ledger.queue.get(job.id).state is State.QUEUED
        for gate in gates:
            gate.open.set()
        await here.until(job)


async def test_a_job_is_cancelled_while_it_waits_and_while_it_runs(tmp_path: Path) -> None:
    gate = Gate()
    agent = Scripted("tester", [gate])
    async with world(tmp_path, agent) as here:
        running, waiting = await here.put(
            spec("tester", repo="shop"), spec("tester", repo="shop", delay=60, alone=True)
        )
        await asyncio.wait_for(gate.running.wait(), 5)
        assert (await here.runtime.cancel(waiting.id)).state is State.CANCELLED
        assert (await here.runtime.cancel(running.id)).state is State.CANCELLED
        assert here.troubled == []


async def test_all_of_a_repository_is_cancelled(tmp_path: Path) -> None:
    agent = Scripted("tester", [Gate(), Gate()])
    async with world(tmp_path, agent) as here:
        gone = await here.put(*(spec("tester", str(n), repo="shop", delay=9 * n) for n in (0, 1)))
        [kept] = await here.put(spec("tester", repo="other", delay=60))
        await here.runtime.cancel_repo("shop")
        assert [(await here.until(job)).state for job in gone] == [State.CANCELLED] * 2
        assert here.ledger.queue.get(kept.id).state is State.QUEUED


async def test_who_watches_sees_progress_and_the_end(tmp_path: Path) -> None:
    gate = Gate()

    async def work(assignment: Assignment, context: Context) -> Outcome:
        context.progress("read", 1, 2)
        await gate(assignment, context)
        context.progress("read", 2, 2)
        return Done("read 2", {"new": 2})

    async with world(tmp_path, Scripted("tester", [work])) as here:
        [job] = await here.put(spec("tester"))
        seen: list[dict[str, Any]] = []
        async for event in here.runtime.watch(job.id):
            seen.append(event)
            if event["type"] == "progress":
                gate.open.set()
        assert seen[0] == {"type": "progress", "phase": "read", "done": 1, "total": 2}
        assert (seen[-1]["type"], seen[-1]["report"]) == ("done", {"new": 2})
        again = [event async for event in here.runtime.watch(job.id)]
        assert again == [seen[-1]]


async def test_who_watches_is_told_of_a_failure_that_is_tried_again(tmp_path: Path) -> None:
    agent = Scripted("tester", [NotReady("the server is away", hint="start it")])
    async with world(tmp_path, agent) as here:
        [job] = await here.put(spec("tester"))
        [told] = [event async for event in here.runtime.watch(job.id)]
        assert (told["type"], told["error"]) == ("error", "the server is away")
        assert told["hint"].startswith("start it; it is tried again")


async def test_who_watches_what_expires_is_told(tmp_path: Path) -> None:
    async with world(tmp_path, Scripted("tester", [Done("")])) as here:
        [job] = await here.put(spec("tester", delay=60, expires_in=0.05))
        told = [event async for event in here.runtime.watch(job.id)]
        assert told[-1]["error"] == "it could not start in time"


async def test_who_watches_what_is_forgotten_with_its_repository_is_told(tmp_path: Path) -> None:
    async with world(tmp_path, Scripted("tester", []), serving=False) as here:
        [gone] = await here.put(spec("tester", repo="shop", delay=60))
        listening = asyncio.Event()
        live = LiveJobs(here.ledger, asyncio.Event(), listening.set)

        async def told() -> list[Any]:
            return [event["error"] async for event in live.watch(gone.id)]

        watching = asyncio.create_task(told())
        await listening.wait()
        forget_repo(here.ledger.database, "shop")
        await live.look_after(())
        assert await watching == ["cancelled"]
        await live.look_after(())


async def test_paused_only_on_demand_goes_on_also_after_a_restart(tmp_path: Path) -> None:
    agent = Scripted("tester", [Done("done")])
    async with world(tmp_path, agent) as here:
        await here.runtime.pause(None)
    async with world(tmp_path, agent) as here:
        [waits] = await here.put(spec("tester", "waits"))
        [asked] = await here.put(spec("tester", "asked", Lane.ON_DEMAND))
        await here.until(asked)
        assert here.ledger.queue.get(waits.id).state is State.QUEUED
        await here.runtime.resume()
        await here.until(waits)
        assert ("daemon", "paused") in here.journal("daemon")
        assert ("daemon", "resumed") in here.journal("daemon")


class Loaded(Machine):
    """A machine that has better things to do."""

    def look(self) -> Conditions:
        """It is busy, whenever it is looked at."""
        return Conditions(load=9.0)


async def test_a_busy_machine_is_looked_at_again_only_while_something_waits(
    tmp_path: Path,
) -> None:
    gate = Gate()
    strength = Strength(Loaded())
    async with world(
        tmp_path, Scripted("tester", [gate]), serving=False, strength=strength
    ) as here:
        await here.put(spec("tester", "one"))
        await here.step()  # it begins, and the machine is looked at
        gate.open.set()
        await here.idle()
        await here.step(ANONYMOUS_SECONDS + 2)
        assert strength.restraint == "pause"
        assert await here.step() is None
        [held] = await here.put(spec("tester", "two"))
        rest = await here.step()
        assert rest is not None
        assert rest <= LOOK_SECONDS
        assert here.ledger.queue.get(held.id).state is State.QUEUED
        await here.runtime.cancel(held.id)
        assert await here.step() is None


async def test_what_is_light_is_done_on_a_busy_machine_but_not_in_a_pause(tmp_path: Path) -> None:
    cards = {"tester": card("tester"), "drafter": card("drafter", light=True)}
    gate = Gate()
    async with world(
        tmp_path,
        Scripted("tester", [gate]),
        Scripted("drafter", [Done("drafted")]),
        cards=cards,
        serving=False,
        strength=Strength(Loaded()),
    ) as here:
        await here.put(spec("tester", "first"))
        await here.step()  # it begins, and the machine is looked at
        gate.open.set()
        await here.idle()
        await here.step(ANONYMOUS_SECONDS + 2)
        heavy, light = await here.put(spec("tester", "one"), spec("drafter", "two"))
        await here.step()
        assert (await here.until(light)).state is State.OK
        assert here.ledger.queue.get(heavy.id).state is State.QUEUED
        await here.runtime.pause(None)
        (held,) = await here.put(spec("drafter", "three"))
        await here.step()
        assert here.ledger.queue.get(held.id).state is State.QUEUED


async def test_a_pause_ends_by_itself(tmp_path: Path) -> None:
    agent = Scripted("tester", [Done("done")])
    async with world(tmp_path, agent) as here:
        await here.runtime.pause(here.now + 0.1)
        [job] = await here.put(spec("tester"))
        assert (await here.until(job)).state is State.OK
        assert (await here.runtime.summary())["paused"] is None


async def test_reactive_work_waits_while_git_is_in_the_middle_of_something(
    tmp_path: Path,
) -> None:
    standing: dict[str, str | None] = {"shop": "rebase"}
    agent = Scripted("tester", [Done("done")])
    async with world(tmp_path, agent, busy=standing.get, serving=False) as here:
        held, other = await here.put(spec("tester", repo="shop"), spec("tester", repo="other"))
        [asked] = await here.put(spec("tester", "asked", Lane.ON_DEMAND, repo="shop"))
        await here.step()
        await here.idle()
        assert here.ledger.queue.get(other.id).state is State.OK
        assert here.ledger.queue.get(asked.id).state is State.OK
        waits = here.ledger.queue.get(held.id)
        assert (waits.state, waits.reason) == (State.QUEUED, "git is in the middle of: rebase")
        before = len(here.journal())
        await here.step()
        assert len(here.journal()) == before  # looking again writes nothing
        standing["shop"] = None
        await here.step()
        await here.idle()
        assert here.ledger.queue.get(held.id).state is State.OK


async def test_while_nothing_is_to_be_done_nothing_wakes(tmp_path: Path) -> None:
    agent = Scripted("tester", [Done("done")])
    async with world(tmp_path, agent, serving=False) as here:
        assert await here.step() is None
        await here.put(spec("tester", delay=30))
        assert await here.step() == pytest.approx(30, abs=1)


async def test_a_daemon_that_stops_gives_back_what_runs(tmp_path: Path) -> None:
    gate = Gate()
    async with world(tmp_path, Scripted("tester", [gate])) as here:
        [job] = await here.put(spec("tester"))
        await asyncio.wait_for(gate.running.wait(), 5)
    async with world(tmp_path, Scripted("tester", [Done("done")])) as here:
        ended = await here.until(job)
        assert (ended.state, ended.attempts) == (State.OK, 1)


async def test_what_was_read_and_written_is_kept(tmp_path: Path) -> None:
    async def work(assignment: Assignment, context: Context) -> Outcome:
        for number in range(300):
            context.read(f"shop:{number}")
        context.wrote("draft:1")
        return Done("done")

    async with world(tmp_path, Scripted("tester", [work])) as here:
        [job] = await here.put(spec("tester"))
        await here.until(job)
        traces = here.ledger.traces.of(job.id)
        assert (len(traces["read"]), traces["wrote"]) == (200, ["draft:1"])


async def test_a_child_that_an_agent_forgets_is_ended_once_all_is_quiet(tmp_path: Path) -> None:
    children: list[subprocess.Popen[bytes]] = []

    def leave() -> None:
        children.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]))

    async def forget(assignment: Assignment, context: Context) -> Outcome:
        await asyncio.to_thread(leave)
        return Done("done")

    async with world(tmp_path, Scripted("tester", [forget]), serving=False) as here:
        [job] = await here.put(spec("tester"))
        await here.step()
        assert (await here.until(job)).state is State.OK
        await here.idle()
        assert await here.step() == pytest.approx(60, abs=2)
        assert await here.step(62) is None
        assert not lives(children[0].pid)
        children[0].wait()


async def test_a_disk_that_is_full_holds_work_up_and_loses_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes.daemon.lasting.RETRY_SECONDS", (0.02, 0.02))
    gate = Gate(Done("done", {"text": "x" * 20_000}))
    async with world(tmp_path, Scripted("tester", [gate])) as here:
        [job] = await here.put(spec("tester"))
        await asyncio.wait_for(gate.running.wait(), 5)
        with here.ledger.database.reading() as db:
            pages = db.execute("PRAGMA page_count").fetchone()[0]
            db.execute(f"PRAGMA max_page_count = {pages}")
        gate.open.set()
        await until(lambda: here.runtime.state()["state"] == "down")
        assert "no space" in here.runtime.state()["detail"]
        assert here.ledger.queue.get(job.id).state is State.RUNNING
        with here.ledger.database.reading() as db:
            db.execute("PRAGMA max_page_count = 1000000")
        assert (await here.until(job)).state is State.OK
        await until(lambda: here.runtime.state()["state"] == "ok")


async def test_a_name_that_is_no_text_can_be_told_of(tmp_path: Path) -> None:
    async def read(assignment: Assignment, context: Context) -> Outcome:
        context.read("shop:caf\udce9.txt")
        raise Hopeless("can't read caf\udce9.txt")

    async with world(tmp_path, Scripted("tester", [read])) as here:
        [job] = await here.put(spec("tester"))
        ended = await here.until(job)
        assert (ended.state, ended.reason) == (State.FAILED, "can't read caf?.txt")
        assert here.ledger.traces.of(job.id)["read"] == ["shop:caf?.txt"]


async def test_a_report_that_can_not_be_kept_is_a_fault_and_no_job_runs_on_for_ever(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with world(tmp_path, Scripted("tester", [Done("done", {"path": tmp_path})])) as here:
        [job] = await here.put(spec("tester"))
        await until(lambda: "its report" in here.ledger.queue.get(job.id).reason)
        await here.idle()
        waiting = here.ledger.queue.get(job.id)
        assert (waiting.state, waiting.attempts) == (State.QUEUED, 1)
        assert "its report can't be kept" in waiting.reason
        assert "can't be kept as its agent gave it" in caplog.text


async def test_what_was_watched_and_trimmed_away_keeps_nothing_from_running(tmp_path: Path) -> None:
    async with world(tmp_path, Scripted("tester", [Done("done")]), serving=False) as here:
        [job] = await here.put(spec("tester"))
        await here.step()
        await here.until(job)
        assert [event["type"] async for event in here.runtime.watch(job.id)] == ["done"]
        assert here.ledger.trim(here.now + 40 * 86_400) > 0
        [another] = await here.put(spec("tester"))
        await here.step()
        assert (await here.until(another)).state is State.OK


async def test_what_was_found_waits_for_a_disk_that_is_full_and_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes.daemon.lasting.RETRY_SECONDS", (0.02, 0.02))
    gate = Gate(Done("1 failed", findings=(Finding("test:a", "a fails", body="x" * 20_000),)))
    ledger = Ledger.open(tmp_path / "runtime.db")
    attention = Attention(ledger)
    tester = Scripted("tester", [gate])
    async with world(tmp_path, tester, consider=attention.consider) as here:
        [job] = await here.put(spec("tester"))
        await asyncio.wait_for(gate.running.wait(), 5)
        with ledger.database.reading() as db:
            pages = db.execute("PRAGMA page_count").fetchone()[0]
            db.execute(f"PRAGMA max_page_count = {pages}")
        gate.open.set()
        await until(lambda: here.runtime.state()["state"] == "down")
        assert "no space" in here.runtime.state()["detail"]
        with ledger.database.reading() as db:
            db.execute("PRAGMA max_page_count = 1000000")
        assert (await here.until(job)).state is State.OK
        assert [row.title for row in attention.latest()] == ["a fails"]
    ledger.close()


async def test_the_same_input_is_not_done_twice_unless_a_person_asks(tmp_path: Path) -> None:
    class Drafter(Scripted):
        tree = "a"

        async def digest(self, assignment: Assignment) -> str:
            return self.tree

    agent = Drafter("drafter", [Hopeless("no"), Done("drafted")])
    async with world(tmp_path, agent) as here:
        ends: list[State] = []

        async def ask(lane: Lane = Lane.REACTIVE) -> None:
            [job] = await here.put(spec("drafter", repo="shop", lane=lane))
            ends.append((await here.until(job)).state)

        await ask()
        await ask()  # what failed is done again
        await ask()
        await ask(Lane.ON_DEMAND)
        agent.tree = "b"
        await ask()
        assert ends == [State.FAILED, State.OK, State.SKIPPED, State.OK, State.OK]
