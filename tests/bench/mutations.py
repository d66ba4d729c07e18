"""How well tests are chosen: small faults are put into a real project, and the whole suite is the
truth.

    python -m hermes.tests.bench.mutations REPO --mutations 100 --seed 1 [--testmon]

REPO needs an environment of its own (``REPO/.venv``) in which its suite passes; with --testmon it
must have pytest-testmon, without it none is used. REPO itself is only read. Printed: failing tests
that the choice would have left out (it must be none), the share of tests and of their time that
is run, and for a sample how long it takes from save to result.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from hermes.agents.testing import process, python_choice, testmon
from hermes.agents.testing.interpreters import Interpreter, find_python
from hermes.agents.testing.pytest_framework import Pytest
from hermes.agents.testing.records import Changed, Choice, Mark, Pick, Report, State, Tree
from hermes.tests.bench.faults import Fault, faults

BAD = (Mark.FAILED, Mark.ERROR)


@dataclasses.dataclass(frozen=True, slots=True)
class Figures:
    """What came of one fault."""

    fault: Fault
    failing: frozenset[str]
    missed: frozenset[str]
    """Failing tests that the choice left out, and that fail also when they are run without others."""
    shaken: frozenset[str]
    """Those that were left out and fail only after other tests: what these broke (a context that is
    not taken down, a module's state) reaches them. Run without others they pass."""
    tests: float
    """Share that is run."""
    seconds: float
    """Share of the suite's time."""
    choosing: float
    """Seconds."""
    alone_missed: frozenset[str] | None = None
    """By testmon alone."""
    alone_tests: float = 0.0
    to_result: float | None = None
    """Seconds from save to result, where it was really run; the next two likewise."""
    alone_to_result: float | None = None
    full: float = 0.0


class Bench:
    """One project, copied."""

    def __init__(self, repo: Path, folder: Path, *, use_testmon: bool, limit: float) -> None:
        self.tree = Tree(folder / "tree", repo, folder / "scratch")
        self.truth = dataclasses.replace(self.tree, scratch=folder / "truth")
        self.limit = limit
        found = find_python(repo)
        if use_testmon and not found.testmon:
            raise SystemExit(f"{found.path} has no pytest-testmon")
        self.python: Interpreter = found
        self.testmon = use_testmon
        shutil.copytree(
            repo,
            self.tree.root,
            symlinks=True,
            ignore=shutil.ignore_patterns(".venv", ".git", "__pycache__", "*.egg-info", ".tox"),
        )
        self.pytest = Pytest()
        self.seconds: dict[str, float] = {}
        self.broken: frozenset[str] = frozenset()

    def run(self, tree: Tree, choice: Choice) -> tuple[Report, float]:
        """Run a choice; return what was found, and the seconds."""
        begun = time.perf_counter()
        invocation = self.pytest.invocation(tree, choice)
        ended = asyncio.run(process.run(invocation, limit=self.limit, started=lambda pid: None))
        report = self.pytest.read(tree, choice, ended)
        return report, time.perf_counter() - begun

    def choose(self, changed: Changed) -> Choice:
        """Choose as the test runner does."""
        return python_choice.choose(self.tree, changed, self.python, self.testmon)

    def begin(self) -> None:
        """Run everything once, and remember it as the test runner does."""
        choice = self.choose(Changed(whole=True))
        report, seconds = self.run(self.tree, choice)
        self.limit = min(self.limit, 6 * seconds + 20)  # for those that hang
        self.seconds = {case.id: case.seconds for case in report.cases}
        self.broken = failing(report, self.seconds)
        print(
            f"{len(self.seconds)} tests, {len(self.broken)} fail before any fault, "
            f"{seconds:.1f} s; {report.state} {report.detail}",
            flush=True,
        )
        if not self.seconds:
            raise SystemExit(report.output or "no tests were run")

    def expand(self, targets: Iterable[str]) -> frozenset[str]:
        """Return the tests that targets, files or ids, stand for."""
        wanted = set(targets)
        return frozenset(
            test for test in self.seconds if test in wanted or test.partition("::")[0] in wanted
        )

    def measure(self, fault: Fault, *, really: bool) -> Figures | None:
        """Put one fault in, choose, run everything, and take it out; None if it makes tests hang,
        so that what they would find is not known."""
        file = self.tree.root / fault.path
        before = file.read_bytes()
        file.write_bytes(fault.content)
        try:
            begun = time.perf_counter()
            choice = self.choose(Changed(paths=(fault.path,)))
            choosing = time.perf_counter() - begun
            everything = frozenset(self.seconds)
            chosen = (
                everything if choice.whole else self.expand(pick.target for pick in choice.picks)
            )
            alone = None
            if self.testmon:
                alone = self.expand(testmon.ask(self.tree, self.python.path).affected)
            whole = Choice((), "asked", "the truth", whole=True)
            report, full = self.run(self.truth, whole)
            if report.state is State.TIMED_OUT:
                return None
            failed = failing(report, self.seconds) - self.broken
            missed = failed - chosen
            if missed:  # is it the fault, or a test that fails now and then?
                again, _ = self.run(self.truth, whole)
                missed &= failing(again, self.seconds)
            shaken = missed - self._fail_by_themselves(missed) if missed else missed
            figures = Figures(
                fault,
                failed,
                missed - shaken,
                shaken,
                len(chosen) / len(everything),
                self._share(chosen),
                choosing,
                None if alone is None else failed - alone,
                0.0 if alone is None else len(alone) / len(everything),
                full=full,
            )
            if really:
                figures = self._really(figures, choice)
            return figures
        finally:
            file.write_bytes(before)

    def _fail_by_themselves(self, tests: frozenset[str]) -> frozenset[str]:
        picks = tuple(Pick(test, "missed") for test in sorted(tests))
        report, _ = self.run(self.truth, Choice(picks, "asked", "without others"))
        return failing(report, self.seconds)

    def _share(self, chosen: Iterable[str]) -> float:
        return sum(self.seconds[test] for test in chosen) / (sum(self.seconds.values()) or 1)

    def _really(self, figures: Figures, choice: Choice) -> Figures:
        """Run the choice, and what testmon chooses alone; the record is as before afterwards."""
        kept = self.tree.scratch.with_name("kept")
        shutil.copytree(self.tree.scratch, kept, symlinks=True)
        try:
            seconds = 0.0
            if choice.picks or choice.whole:
                _, seconds = self.run(self.tree, choice)
            figures = dataclasses.replace(figures, to_result=figures.choosing + seconds)
            if self.testmon:
                shutil.rmtree(self.tree.scratch)
                shutil.copytree(kept, self.tree.scratch, symlinks=True)
                figures = dataclasses.replace(figures, alone_to_result=self._alone())
            return figures
        finally:
            shutil.rmtree(self.tree.scratch)
            kept.rename(self.tree.scratch)

    def _alone(self) -> float:
        whole = Choice((), python_choice.TESTMON, "testmon alone", whole=True)
        begun = time.perf_counter()
        made = self.pytest.invocation(self.tree, whole)
        words = [*made.argv]
        at = words.index(testmon.RECORDER)  # that is ours
        del words[at - 1 : at + 1]
        words[words.index("--testmon-noselect")] = "--testmon-forceselect"
        argv = tuple(words)
        made = dataclasses.replace(made, argv=argv)
        asyncio.run(process.run(made, limit=self.limit, started=lambda pid: None))
        return time.perf_counter() - begun


def failing(report: Report, known: Mapping[str, float]) -> frozenset[str]:
    """Return the tests that failed; all of a file that could not be collected."""
    failed = {case.id for case in report.cases if case.mark in BAD}
    failed |= {test for test in known if test.partition("::")[0] in report.collected}
    return frozenset(failed)


def show(all_figures: list[Figures]) -> None:
    """Print what came of it."""
    noticed = [each for each in all_figures if each.failing]
    print(f"\n{len(all_figures)} faults, of which the whole suite notices {len(noticed)}")
    print(f"missed failing tests: {sum(len(each.missed) for each in all_figures)}")
    for each in all_figures:
        for test in sorted(each.missed)[:5]:
            print(f"  MISSED {test} of {each.fault}")
    shaken = [each for each in all_figures if each.shaken]
    print(
        f"left out, and failing only after other tests: {sum(len(x.shaken) for x in shaken)} "
        f"in {len(shaken)} faults, {sum(len(x.failing) > len(x.shaken) for x in shaken)} of which "
        "the choice notices by others"
    )
    for title, values in (
        ("tests run", [each.tests for each in all_figures]),
        ("of their time", [each.seconds for each in all_figures]),
    ):
        print(
            f"share of {title}: mean {statistics.mean(values):.1%}, "
            f"median {statistics.median(values):.1%}"
        )
    kinds = {_kind(each.fault.path) for each in all_figures}
    for kind in sorted(kinds):
        of_kind = [each for each in all_figures if _kind(each.fault.path) == kind]
        whole = sum(each.tests > 0.99 for each in of_kind)
        print(
            f"  {len(of_kind)} faults in {kind}: mean {statistics.mean(x.tests for x in of_kind):.1%}"
            f", median {statistics.median(x.tests for x in of_kind):.1%}, {whole} run everything"
        )
    print(f"choosing: median {statistics.median(each.choosing for each in all_figures):.2f} s")
    if all_figures[0].alone_missed is not None:
        lost = [each for each in all_figures if each.alone_missed]
        count = sum(len(each.alone_missed or ()) for each in lost)
        share = statistics.mean(each.alone_tests for each in all_figures)
        print(
            f"testmon alone: {count} failing tests missed in {len(lost)} faults, "
            f"runs {share:.1%} of tests"
        )
        for each in lost[:10]:
            print(f"  testmon alone misses {min(each.alone_missed or ())} of {each.fault}")
    real = [each for each in all_figures if each.to_result is not None]
    if real:
        median = statistics.median
        print(
            f"save to result, {len(real)} really run: "
            f"median {median(each.to_result or 0 for each in real):.1f} s"
            f", everything {median(each.full for each in real):.1f} s"
            + (
                f", testmon alone {median(each.alone_to_result or 0 for each in real):.1f} s"
                if real[0].alone_to_result is not None
                else ""
            )
        )


def _kind(path: str) -> str:
    if not path.endswith(".py"):
        return "data"
    if path.endswith("conftest.py"):
        return "conftest.py"
    return "tests" if path.startswith(("tests/", "test/")) else "source"


def main() -> None:
    """Measure one project."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repo", type=Path)
    parser.add_argument("--mutations", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--testmon", action="store_true")
    parser.add_argument("--sample", type=int, default=5, help="every n-th is really run")
    parser.add_argument("--limit", type=float, default=900.0, help="seconds of one run")
    parser.add_argument("--box", type=float, default=36_000.0, help="seconds in all")
    options = parser.parse_args()
    repo = options.repo.resolve()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        bench = Bench(repo, Path(folder), use_testmon=options.testmon, limit=options.limit)
        bench.begin()
        spare = 1 + options.mutations // 10  # in place of those that hang
        chosen = faults(bench.tree.root, random.Random(options.seed), options.mutations + spare)
        done: list[Figures] = []
        for number, fault in enumerate(chosen):
            if time.monotonic() - begun > options.box:
                print(f"stopped after {options.box:.0f} s")
                break
            if len(done) == options.mutations:
                break
            last = bench.measure(fault, really=number % options.sample == 0)
            if last is None:
                print(f"{number + 1:3} {fault}: hangs, not counted", flush=True)
                continue
            done.append(last)
            print(
                f"{number + 1:3} {fault}: {len(last.failing)} fail, runs {last.tests:.0%}"
                + (f", MISSED {len(last.missed)}" if last.missed else "")
                + (f", {len(last.shaken)} only after others" if last.shaken else ""),
                flush=True,
            )
    show(done)
    sys.exit(1 if any(each.missed for each in done) else 0)


if __name__ == "__main__":
    main()
