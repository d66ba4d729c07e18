"""The test runner in the real runtime: real snapshots and processes, tests that end as told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes.agents.contract import Lane, Level
from hermes.agents.test_runner import PATIENCE, Running
from hermes.agents.testing.records import Failure, Mark, State
from hermes.daemon.ledger.records import Job
from hermes.daemon.ledger.records import State as JobState
from hermes.memory.test_records import Colour, NewRun, Result, Run, Why
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.runtime import spec, until
from hermes.tests.builders.secrets import planted
from hermes.tests.builders.testing import REPO, ScriptedFramework, bench

A, B, C = (f"tests/test_{name}.py::test_{name}" for name in "abc")
P, F, S = Mark.PASSED, Mark.FAILED, Mark.SKIPPED
HANG = "import time; print('up', flush=True); time.sleep(600)"


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    shop = RepoBuilder(tmp_path / "shop")
    files = {f"tests/test_{name}.py": f"def test_{name}(): pass\n" for name in "abc"}
    shop.commit({**files, "shop.py": "x = 1\n"}, "Begin")
    return shop


async def test_only_what_a_save_affects_is_run_and_why_is_kept(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    tests = ScriptedFramework({A: [P], B: [P]}, {"shop.py": [A]})
    async with bench(tmp_path, shop.path, tests) as here:
        job = await here.run("shop.py")
        assert (job.state, job.reason) == (JobState.OK, "1 test passes in shop")
        assert tests.runs == [(A,)]
        [run] = here.work.runs.latest(REPO)
        assert (run.kind, run.state, run.job, run.head) == (
            "affected",
            "green",
            job.id,
            shop.head(),
        )
        [pick] = here.work.runs.picks(run.id)
        assert (pick.target, pick.why) == (A, "imports shop.py, which changed")
        assert here.found == []
        assert here.started != []


async def test_a_save_that_affects_nothing_is_silent(tmp_path: Path, shop: RepoBuilder) -> None:
    tests = ScriptedFramework({A: [P]}, {"README.md": []})
    async with bench(tmp_path, shop.path, tests) as here:
        job = await here.run("README.md")
        assert (job.state, job.reason) == (JobState.SILENT, "0 of 1 tests")
        assert here.work.runs.waiting.pending(REPO).upto == 0


async def test_a_failure_counts_when_it_fails_twice_and_is_said_once_for_all_tests(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    tests = ScriptedFramework({A: [F, F, F, P], B: [F, F, P], C: [P]})
    async with bench(tmp_path, shop.path, tests) as here:
        job = await here.run("shop.py")
        assert job.reason == "2 tests fail in shop: test_a, test_b; 1 test passes"
        assert tests.runs == [(A, B, C), (A, B)]
        [finding] = here.found
        assert (finding.level, finding.title) == (
            *(Level.GLANCE, "2 tests fail in shop: test_a, test_b"),
        )
        assert "AssertionError: assert 1 == 2 (shop.py:3)" in finding.body
        await here.run("shop.py")  # A is known to fail, and is not run once more
        assert tests.runs[2:] == [(A, B, C)]
        assert here.found == [finding]
        assert here.work.runs.standings(REPO, (Colour.RED,))[0].test == A
        await here.run("shop.py")
        assert [found.recovered for found in here.found] == [False, True]
        assert here.found[1].cause == finding.cause


async def test_what_a_run_could_not_say_any_more_is_said_by_the_next(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    tests = ScriptedFramework({A: [F], B: [P]})
    async with bench(tmp_path, shop.path, tests) as here:
        lost = Run(REPO, 1.0, 1.0, "affected", "pytest", "red")
        here.work.runs.record(NewRun(lost, (Result(A, "failed", failure=Why("AssertionError")),)))
        job = await here.run("shop.py")
        assert [found.title for found in here.found] == ["1 test fails in shop: test_a"]
        assert job.report["without_notes"].startswith("memory was not asked: ")


async def test_a_failure_that_speaks_of_what_the_snapshot_lacks_says_so(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    shop.write({".gitignore": "data/\n"} | {f"data/{n}": "" for n in range(2_001)})
    lost = Failure("FileNotFoundError", "No such file: 'data/7'", "shop.py", 3)
    tests = ScriptedFramework({A: [F], B: [F]}, messages={A: lost})
    async with bench(tmp_path, shop.path, tests) as here:
        await here.run("shop.py")
        [run] = here.work.runs.latest(REPO, 1)
        assert run.detail.startswith("data/ is not in the snapshot that tests run on")
        assert 'isolation = "in_place"' in run.detail


async def test_a_flaky_test_is_listed_and_not_shouted(tmp_path: Path, shop: RepoBuilder) -> None:
    tests = ScriptedFramework({A: [F, P, F, F, F, F, F, F], B: [P]})
    async with bench(tmp_path, shop.path, tests) as here:
        job = await here.run("shop.py")
        assert job.reason == "2 tests pass in shop; 1 of them only at the second try"
        assert here.work.runs.latest(REPO)[0].state == "green"
        assert [each.test for each in here.work.runs.flaky(REPO)] == [A]
        quiet = await here.run("shop.py")
        assert quiet.reason == "1 test passes in shop; 1 flaky test fails"
        await here.run("shop.py")
        assert here.found == []
        await here.run("shop.py")  # the third confirmed failure in a row
        assert [found.title for found in here.found] == ["1 test fails in shop: test_a"]


async def test_a_collapse_is_not_run_test_by_test(tmp_path: Path, shop: RepoBuilder) -> None:
    tests = ScriptedFramework({f"tests/test_a.py::test_{n}": [F] for n in range(60)})
    async with bench(tmp_path, shop.path, tests) as here:
        await here.run("shop.py")
        assert len(tests.runs) == 1
        assert "60 tests fail in shop" in here.found[0].title
        detail = here.work.runs.latest(REPO)[0].detail
        assert detail == "failures were not run once more: more than 50 failed at once"


@pytest.mark.parametrize("state", [State.UNCOLLECTED, State.OVERRAN])
async def test_what_stops_a_run_is_said_once_and_taken_back(
    tmp_path: Path, shop: RepoBuilder, state: State
) -> None:
    tests = ScriptedFramework({A: [P]}, state=state)
    async with bench(tmp_path, shop.path, tests) as here:
        await here.run("shop.py")
        await here.run("other.py")
        [said] = here.found
        assert (said.level, said.recovered) == (Level.GLANCE, False)
        assert here.work.runs.latest(REPO)[0].state == state
        assert set(here.work.runs.waiting.pending(REPO).paths) == {"shop.py", "other.py"}
        tests.state = None
        await here.run("third.py")
        assert here.found[1].recovered
        assert here.found[1].cause == said.cause
        assert here.work.runs.waiting.pending(REPO).upto == 0


async def test_a_broken_environment_is_its_own_state(tmp_path: Path, shop: RepoBuilder) -> None:
    tests = ScriptedFramework({A: [P]}, broken="pytest is missing from .venv: pip install pytest")
    async with bench(tmp_path, shop.path, tests) as here:
        job = await here.run("shop.py")
        words = "tests can't be run in shop: pytest is missing from .venv: pip install pytest"
        assert (job.state, job.reason) == (JobState.OK, words)
        assert [found.title for found in here.found] == [words]
        tests.broken = ""
        await here.run("shop.py")
        assert here.found[-1].recovered


async def test_a_run_that_takes_too_long_is_ended_and_what_it_was_to_test_is_kept(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    tests = ScriptedFramework({A: [P]}, code=HANG)
    async with bench(tmp_path, shop.path, tests, running=Running(limit=0.5)) as here:
        await here.run("shop.py")
        assert here.work.runs.latest(REPO)[0].state == "timed_out"
        assert here.found[0].title == "tests took too long in shop"
        assert here.work.runs.waiting.pending(REPO).paths == ("shop.py",)


async def test_a_newer_save_ends_the_run_and_both_saves_are_tested(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    tests = ScriptedFramework({A: [P], B: [P]}, {"a.py": [A], "b.py": [B]}, code=HANG)
    async with bench(tmp_path, shop.path, tests) as here:
        [old] = await here.world.put(spec("test_runner", "affected", repo=REPO, paths=("a.py",)))
        await until(lambda: bool(here.started))
        process = here.started[0]
        tests.code = ""
        [new] = await here.world.put(spec("test_runner", "affected", repo=REPO, paths=("b.py",)))
        ended = await here.world.until(old)
        assert (ended.state, ended.reason) == (JobState.SKIPPED, f"superseded by j{new.id}")
        assert (await here.world.until(new)).reason == "2 tests pass in shop"
        assert tests.runs == [(A, B)]
        # What was killed may wait for a moment until its parent, here the system, collects it.
        await until(lambda: _is_gone(process))


async def test_under_constant_saves_a_run_comes_to_its_end(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    end = tmp_path / "end"
    wait = f"import os, time\nwhile not os.path.exists({str(end)!r}): time.sleep(0.01)"
    tests = ScriptedFramework({A: [P]}, code=wait)
    async with bench(tmp_path, shop.path, tests) as here:
        jobs: list[Job] = []
        for number in range(PATIENCE + 1):
            saved = spec("test_runner", "affected", repo=REPO, paths=(f"{number}.py",))
            jobs += await here.world.put(saved)
            await until(lambda number=number: len(here.started) > number)  # type: ignore[misc]
        await here.world.put(spec("test_runner", "affected", repo=REPO, paths=("last.py",)))
        await here.world.step()
        end.touch()
        states = [(await here.world.until(job)).state for job in jobs]
        assert states == [JobState.SKIPPED] * PATIENCE + [JobState.OK]


async def test_all_tests_give_way_to_a_save_and_are_run_after(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    tests = ScriptedFramework({A: [P], B: [P]}, {"a.py": [A]}, code=HANG)
    async with bench(tmp_path, shop.path, tests) as here:
        nightly = spec("test_runner", "full", Lane.SCHEDULED, repo=REPO)
        [full] = await here.world.put(nightly)
        await until(lambda: bool(here.started))
        tests.code = ""
        await here.run("a.py")
        assert tests.runs[0] == (A,)
        assert (await here.world.until(full)).reason == "2 tests pass in shop"
        assert tests.runs[1] == (A, B)


async def test_what_is_not_trusted_is_never_run_and_asked_about_once(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    tests = ScriptedFramework({A: [P]})
    async with bench(tmp_path, shop.path, tests, trusted=False) as here:
        first, second = await here.run("shop.py"), await here.run("shop.py")
        assert (first.state, second.state) == (JobState.OK, JobState.SKIPPED)
        [asked] = here.found
        assert (asked.level, asked.cause) == (Level.GLANCE, f"trust:{REPO}")
        assert asked.next_step == f"hermes trust {shop.path}"
        person = await here.run(lane=Lane.ON_DEMAND)
        assert (person.state, person.error["code"]) == (JobState.BLOCKED_CONFIG, "needs_user")
        assert person.error["hint"] == f"hermes trust {shop.path}"
        assert tests.runs == []
        assert here.started == []


async def test_a_repository_without_tests_is_not_asked_about(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    plain = RepoBuilder(tmp_path / "plain")
    plain.commit({"notes.txt": "x\n"}, "Begin")
    async with bench(tmp_path, plain.path, trusted=False) as here:
        assert (await here.run("notes.txt")).state is JobState.SILENT
        assert here.found == []


async def test_a_repository_may_turn_its_tests_off(tmp_path: Path, shop: RepoBuilder) -> None:
    shop.write({".hermes.toml": "[tests]\nenabled = false\n"})
    tests = ScriptedFramework({A: [P]})
    for trusted in (True, False):
        async with bench(tmp_path / str(trusted), shop.path, tests, trusted=trusted) as here:
            assert (await here.run("shop.py")).state is JobState.SKIPPED
            assert here.found == []


async def test_a_person_runs_named_tests_and_the_saves_before_are_tested_after(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    tests = ScriptedFramework({A: [P], B: [P]}, {"a.py": [A]})
    async with bench(tmp_path, shop.path, tests) as here:
        here.work.runs.waiting.add(REPO, ["a.py"])
        job = await here.run(lane=Lane.ON_DEMAND, text=f"{B}\n")
        assert (job.reason, job.report["boundary"]) == ("1 test passes in shop", "tests")
        await until(lambda: len(tests.runs) == 2)
        assert tests.runs == [(B,), (A,)]
        await here.world.idle()
        assert here.work.runs.waiting.pending(REPO).upto == 0


async def test_asked_with_nothing_pending_what_differs_from_head_is_tested(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    tests = ScriptedFramework({A: [P], B: [P]}, {"shop.py": [A], "new.py": [B]})
    async with bench(tmp_path, shop.path, tests) as here:
        shop.write({"shop.py": "x = 2\n", "new.py": "y = 1\n"})
        await here.run(lane=Lane.ON_DEMAND)
        assert tests.runs == [(A, B)]


async def test_a_rehearsal_says_what_would_be_run_and_runs_nothing(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    tests = ScriptedFramework({A: [P], B: [P]}, {"shop.py": [A]})
    async with bench(tmp_path, shop.path, tests) as here:
        asked = spec("test_runner", "affected", repo=REPO, paths=("shop.py",), dry_run=True)
        [job] = await here.world.put(asked)
        ended = await here.world.until(job)
        assert ended.reason == "would run 1 of pytest: 1 of 2 tests"
        assert ended.report["choices"][0]["picks"] == [
            {"target": A, "why": "imports shop.py, which changed"}
        ]
        assert tests.runs == []
        assert here.work.runs.latest(REPO) == []
        assert here.work.runs.waiting.pending(REPO).upto == 0


async def test_the_nightly_run_finds_what_a_selection_left_out(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    tests = ScriptedFramework({A: [P], B: [P, F]}, {"shop.py": [A]})
    async with bench(tmp_path, shop.path, tests) as here:
        await here.run(subject="full", lane=Lane.SCHEDULED)
        await here.run("shop.py")
        every = await here.world.put(spec("test_runner", "full", Lane.SCHEDULED))
        assert (
            await here.world.until(every[0])
        ).reason == "all tests of 1 repository are to be run"
        await until(lambda: len(here.work.runs.latest(REPO)) == 3)
        await here.world.idle()
        titles = [(found.level, found.title) for found in here.found]
        assert (Level.DIGEST, "1 test fails in shop that no save had run: test_b") in titles
        summary = here.work.runs.summary(REPO, 0.0)
        assert (summary.selections, summary.missed) == (1, 1)


async def test_a_failing_test_that_is_deleted_is_over(tmp_path: Path, shop: RepoBuilder) -> None:
    tests = ScriptedFramework({A: [F], B: [P]}, {"b.py": [B]})
    async with bench(tmp_path, shop.path, tests) as here:
        await here.run("shop.py")
        shop.write({"tests/test_a.py": None})
        await here.run("b.py")
        assert here.found[-1].recovered
        assert here.work.runs.standing(REPO, A) is None


async def test_secrets_of_a_failure_are_not_kept(tmp_path: Path, shop: RepoBuilder) -> None:
    [token] = [each for each in planted() if each.kind == "github token"]
    tests = ScriptedFramework({A: [F]})
    tests.messages[A] = Failure("KeyError", token.line, "shop.py", 1, f"text with {token.line}")
    async with bench(tmp_path, shop.path, tests) as here:
        await here.run("shop.py")
        kept = here.work.runs.standing(REPO, A)
        assert kept is not None
        assert kept.failure is not None
        for text in (kept.failure.text, kept.failure.message, here.found[0].body):
            assert token.secret not in text
            assert "[redacted" in text


def _is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False
