"""Runs the tests: `make test`, or `python .ci/tests.py` with the options that pytest is to have.

A person may lack one of the programs that tests start: those tests are then left out, and that is
said (.ci/run installs the programs before). A test that fails is run once more, with no others beside
it, before it counts: one that passes then is flaky and is named, and the whole has passed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def main(options: list[str]) -> int:
    """Run the tests and return the exit code."""
    os.chdir(ROOT)
    # As `python -m pytest` has it; processes that tests start look there, and not in this folder.
    sys.path[0] = str(ROOT)
    options = [*_left_out(), *options]
    # One process more than there are cores, since tests wait for daemons; a file's tests stay
    # together, since they may share one.
    processes = str((os.cpu_count() or 1) + 1)
    first = Failures()
    code = pytest.main(["-n", processes, "--dist", "loadfile", *options], [first])
    if code != pytest.ExitCode.TESTS_FAILED or first.unreadable:
        return code  # all passed, or not all could be run
    _say("\nthese are run once more before they count:", *first.tests)
    again = Failures()
    code = pytest.main([*options, "-n", "0", "--dist", "no"], [again, Only(first.tests)])
    if flaky := [test for test in again.run if test not in again.tests]:
        _say("\nfailed at first, passed when run again:", *flaky)
    if missing := [test for test in first.tests if test not in again.run]:
        _say("\nnot found when they were to be run again:", *missing)
    return code or (pytest.ExitCode.TESTS_FAILED if missing else pytest.ExitCode.OK)


class Failures:
    """Notes which tests were run, and which failed."""

    def __init__(self) -> None:
        self.run: dict[str, None] = {}
        self.tests: dict[str, None] = {}
        self.unreadable = False
        """Whether a file of tests could not be imported."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what became of a test's beginning, middle or end, or that its process died."""
        self.run[report.nodeid] = None
        if report.failed:
            self.tests[report.nodeid] = None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note what became of reading a file."""
        self.unreadable |= report.failed


class Only:
    """Leaves out all tests but these."""

    def __init__(self, tests: dict[str, None]) -> None:
        self._tests = tests

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep those that are wanted."""
        items[:] = [item for item in items if item.nodeid in self._tests]


def _left_out() -> list[str]:
    """Return the options that leave out what can't be run here."""
    asked = subprocess.run([ROOT / ".ci" / "programs"], check=True, capture_output=True, text=True)
    lacking = asked.stdout.split()
    if not lacking:
        return []
    _say(f"not installed, so their tests are left out: {' '.join(lacking)}")
    return ["-m", f"not ({' or '.join(lacking)})"]


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
