"""What is said of test runs: findings and summaries. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..contract import Finding, Level
from .confirm import Settled
from .execution import Execution
from .records import Failure, State

SHOWN = 5
"""Tests that one finding tells of."""
STOPPED = {
    State.UNCOLLECTED: "tests can't be collected in {repo}",
    State.BROKEN: "tests can't be run in {repo}",
    State.TIMED_OUT: "tests took too long in {repo}",
    State.OVERRAN: "tests were stopped in {repo}",
}


@dataclass(frozen=True, slots=True)
class Note:
    """What memory says of a failure, and where that is from."""

    text: str
    reference: str
    score: float = 0.0


def short(test: str) -> str:
    """Given a test's id, return what a person calls it."""
    return test.rpartition("::")[2] or test


def listed(tests: Sequence[str], most: int = 3) -> str:
    """Name a few of many tests."""
    names = ", ".join(short(test) for test in tests[:most])
    more = len(tests) - most
    return f"{names} and {more} more" if more > 0 else names


def counted(count: int, verb: str) -> str:
    """Return ``1 test fails`` or ``2 tests fail``, given ``fail``."""
    return (
        f"1 test {verb}{'es' if verb.endswith('s') else 's'}"
        if count == 1
        else (f"{count:,} tests {verb}")
    )


def red_cause(repo: str, tests: Collection[str]) -> str:
    """Return the cause of a finding about a set of failing tests."""
    return f"tests:{repo}:red:{_digest(tests)}"


def red(
    repo: str,
    name: str,
    tests: Sequence[str],
    failures: Mapping[str, Failure],
    notes: Mapping[str, Note],
) -> Finding:
    """Return the one finding of a run in which tests began to fail."""
    lines: list[str] = []
    noted = [test for test in tests if test in notes]
    for test in [*noted, *(test for test in tests if test not in notes)][:SHOWN]:
        lines.append(test)
        if (failure := failures.get(test)) is not None:
            lines.append(f"  {failed(failure)}")
        if test in notes:
            lines.append(f"  {notes[test].text} ({notes[test].reference})")
    if len(tests) > SHOWN:
        lines.append(f"and {len(tests) - SHOWN} more")
    return Finding(
        cause=red_cause(repo, tests),
        title=f"{counted(len(tests), 'fail')} in {name}: {listed(tests)}",
        level=Level.GLANCE,
        next_step="hermes tests",
        body="\n".join(lines),
        references=tuple(dict.fromkeys(notes[test].reference for test in noted)),
    )


def failed(failure: Failure) -> str:
    """Say in one line why a test failed."""
    what = ": ".join(part for part in (failure.exception, failure.message) if part)
    where = f" ({failure.path}:{failure.line})" if failure.path else ""
    return f"{what or 'it failed'}{where}"


def stopped_cause(repo: str, execution: Execution) -> str:
    """Return the cause of a finding about a run that could not do all it was to do."""
    report = execution.report
    about = _digest(report.collected) if report.state is State.UNCOLLECTED else ""
    return ":".join(filter(None, ("tests", repo, execution.framework, report.state, about)))


def stopped(repo: str, name: str, execution: Execution) -> Finding:
    """Return the finding of a run that could not do all it was to do."""
    report = execution.report
    title = STOPPED[report.state].format(repo=name)
    files = [f"{file}: {error}" for file, error in report.collected.items()]
    detail = report.detail or (files[0] if files else "")
    return Finding(
        cause=stopped_cause(repo, execution),
        title=f"{title}: {detail}" if detail else title,
        level=Level.GLANCE,
        next_step="hermes tests last",
        body="\n".join(files[:SHOWN]) or report.output[-2_000:],
    )


def over(cause: str, name: str) -> Finding:
    """Take back what was said."""
    red_before = ":red:" in cause
    title = f"the tests pass again in {name}" if red_before else f"tests run again in {name}"
    return Finding(cause, title, Level.LOG, recovered=True)


def missed(repo: str, name: str, run: int, tests: Sequence[str]) -> Finding:
    """Return the finding of a full run that found what selections had left out."""
    return Finding(
        cause=f"tests:{repo}:missed:{run}",
        title=f"{counted(len(tests), 'fail')} in {name} that no save had run: {listed(tests)}",
        level=Level.DIGEST,
        next_step="hermes tests",
        body="\n".join(tests[:SHOWN]),
    )


def summary(name: str, executions: Sequence[Execution], quiet: Collection[str] = ()) -> str:
    """Say in one line what runs came to. ``quiet``: tests in quarantine, which only are counted."""
    parts: list[str] = []
    settled = [each for execution in executions for each in execution.settled]
    bad = [each.case.id for each in settled if each.bad and each.case.id not in quiet]
    held = sum(each.bad and each.case.id in quiet for each in settled)
    flaky = sum(each.flaky for each in settled)
    if bad:
        parts.append(f"{counted(len(bad), 'fail')} in {name}: {listed(bad)}")
    passed = sum(_passed(each) for each in settled)
    if passed:
        parts.append(f"{counted(passed, 'pass')}" + ("" if bad else f" in {name}"))
    if flaky:
        parts.append(f"{flaky} of them only at the second try")
    if held:
        parts.append(counted(held, "fail").replace(" test", " flaky test", 1))
    for execution in executions:
        if execution.report.state in STOPPED:
            title = STOPPED[execution.report.state].format(repo=name)
            detail = execution.report.detail
            parts.append(f"{title}: {detail}" if detail else title)
    if not parts:
        parts = [execution.choice.why or execution.report.detail for execution in executions]
    return "; ".join(part for part in parts if part) or f"there was no test to run in {name}"


def _passed(each: Settled) -> bool:
    return each.flaky or each.case.mark == "passed"


def _digest(names: Collection[str]) -> str:
    return hashlib.sha256("\n".join(sorted(names)).encode("utf-8", "replace")).hexdigest()[:12]
