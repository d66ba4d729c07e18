"""From what a run of pytest left (its lines, its output, how it ended) to what it found."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

from . import pytest_trouble
from .records import Case, Ended, Failure, Mark, Report, State, Tree

Line = Mapping[str, object]

END = 4_000
"""Characters of the output's end that a report carries."""
_STOPPED = {
    "disk": "it was stopped: it filled the disk",
    "processes": "it was stopped: it started processes without end",
    "output": "it was stopped: it printed without end",
}
_STACK = re.compile(r'File "([^"\n]+)", line (\d+) in (\S+)')
_NO_DISPLAY = re.compile(
    r"no display name|cannot (?:open|connect to X) display|\$DISPLAY", re.IGNORECASE
)


@dataclass(slots=True)
class _Test:
    seconds: float = 0.0
    passed: bool = False
    failed: Failure | None = None
    broke: Failure | None = None
    """It failed before or after the test itself."""
    ended: bool = False


@dataclass(slots=True)
class Heard:
    """What the plugin wrote, put together."""

    began: bool = False
    status: int | None = None
    """pytest's own exit status; None if it did not come to its end."""
    tests: dict[str, _Test] = field(default_factory=dict[str, _Test])
    uncollected: dict[str, Failure] = field(default_factory=dict[str, Failure])

    @property
    def running(self) -> list[str]:
        """Tests that began and did not end."""
        return [name for name, test in self.tests.items() if not test.ended]


def hear(lines: Iterable[Line]) -> Heard:
    """Put the plugin's lines together."""
    heard = Heard()
    for line in lines:
        kind, name = line.get("kind"), str(line.get("id", ""))
        if kind == "session":
            heard.began = True
        elif kind == "start":
            heard.tests.setdefault(name, _Test()).ended = False
        elif kind == "end":
            heard.tests.setdefault(name, _Test()).ended = True
        elif kind == "phase":
            _hear_phase(heard.tests.setdefault(name, _Test()), line)
        elif kind == "uncollected":
            heard.uncollected[name] = _failure(line.get("failure"))
        elif kind == "finish":
            heard.status = _int(line.get("status"))
    return heard


def _hear_phase(test: _Test, line: Line) -> None:
    seconds = line.get("seconds")
    test.seconds += seconds if isinstance(seconds, float | int) else 0.0
    outcome, when = line.get("outcome"), line.get("when")
    if outcome == "failed" and when == "call":
        test.failed = test.failed or _failure(line.get("failure"))
    elif outcome == "failed" and when == "???":  # xdist's, of a worker that crashed
        test.failed, test.ended = _failure(line.get("failure")), True
    elif outcome == "failed":
        test.broke = test.broke or _failure(line.get("failure"))
    elif outcome == "passed" and when == "call":
        test.passed = True
    elif outcome == "rerun":
        # By a plugin of the project's: what counts is the last time.
        test.passed, test.failed, test.broke = False, None, None


def read_report(tree: Tree, ended: Ended, heard: Heard, stacks: str) -> Report:
    """Return what a run found. ``stacks``: where it was when it was asked to end."""
    root = f"{tree.root}/"
    output = ended.output.replace(root, "").replace(str(tree.root), str(tree.worktree))
    cases = [_case(name, test, root) for name, test in heard.tests.items() if test.ended]
    collected = {
        name or "the tests": pytest_trouble.one_line(tree, failure)
        for name, failure in heard.uncollected.items()
    }

    def report(state: State, detail: str = "") -> Report:
        shown = "" if state in (State.GREEN, State.NOTHING) else output[-END:]
        return Report(state, tuple(cases), ended.seconds, detail, shown, collected)

    if ended.stopped:
        cases += [_stopped(name, heard.tests[name], ended, stacks, root) for name in heard.running]
        where = f" in {', '.join(heard.running[:3])}" if heard.running else ""
        if ended.stopped == "time":
            why = f"it did not end within {ended.seconds:.0f} s"
            if not heard.began:
                where = " while pytest started"
            elif not heard.tests:
                where = " while tests were collected"
            return report(State.TIMED_OUT, why + where)
        return report(State.OVERRAN, _STOPPED.get(ended.stopped, "it was stopped") + where)
    if heard.status is None and heard.running:
        cases += [_crashed(name, heard.tests[name], ended, root) for name in heard.running]
        return report(State.RED, f"{_ending(ended)} in {', '.join(heard.running[:3])}")
    if heard.status is None:
        trouble = pytest_trouble.at_start(tree, ended, began=heard.began)
        collected |= trouble.collected
        return report(trouble.state, trouble.detail)
    return report(*_finished(heard, cases, collected, output))


def _finished(
    heard: Heard, cases: Iterable[Case], collected: Mapping[str, str], output: str
) -> tuple[State, str]:
    """Return the state of a run that came to its end, and what there is to say of it."""
    marks = [case.mark for case in cases]
    red = marks.count(Mark.FAILED) + marks.count(Mark.ERROR)
    if heard.status == 3:
        return State.BROKEN, pytest_trouble.internal_error(output)
    if collected:
        count = len(collected)
        files = "a file" if count == 1 else f"{count} files"
        first = next(iter(collected.items()))
        return State.UNCOLLECTED, f"{files} could not be collected: {first[0]}: {first[1]}"
    if red:
        blind = sum(
            1
            for case in cases
            if case.failure and _NO_DISPLAY.search(case.failure.message + case.failure.text)
        )
        return State.RED, f"{blind} needed a display; background runs have none" if blind else ""
    if heard.status in (0, 5):
        return (State.GREEN, "") if marks else (State.NOTHING, "pytest found no tests to run")
    if heard.status == 2 or (heard.status == 1 and not marks):
        return State.BROKEN, pytest_trouble.interrupted(output)
    return State.RED, f"no test failed, but pytest ended with {heard.status}: {_last(output)}"


def _case(name: str, test: _Test, root: str) -> Case:
    if test.failed is not None:
        return Case(name, Mark.FAILED, test.seconds, _relative(test.failed, root))
    if test.broke is not None:
        return Case(name, Mark.ERROR, test.seconds, _relative(test.broke, root))
    return Case(name, Mark.PASSED if test.passed else Mark.SKIPPED, test.seconds)


def _stopped(name: str, test: _Test, ended: Ended, stacks: str, root: str) -> Case:
    """Return the test that was running when we ended the run."""
    what = "TimedOut" if ended.stopped == "time" else "Overran"
    why = f"was running when the run was stopped after {ended.seconds:.0f} s"
    return Case(name, Mark.ERROR, test.seconds, _in_stack(what, why, stacks, root))


def _crashed(name: str, test: _Test, ended: Ended, root: str) -> Case:
    what = "Crashed"
    if ended.code is not None and ended.code < 0:
        what = _signal(-ended.code)
    return Case(
        name, Mark.FAILED, test.seconds, _in_stack(what, _ending(ended), ended.output, root)
    )


def _in_stack(exception: str, message: str, stacks: str, root: str) -> Failure:
    """Return a failure at the innermost place of the project's in what faulthandler printed."""
    frames = [
        (path[len(root) :], int(line))
        for path, line, _ in _STACK.findall(stacks)
        if path.startswith(root)
    ]
    path, line = frames[0] if frames else ("", 0)
    text = stacks.replace(root, "")[-8_000:]
    return Failure(exception, message, path, line, text, tuple(reversed(frames[:50])))


def _ending(ended: Ended) -> str:
    if ended.code is None:
        return "the process was ended"
    if ended.code < 0:
        return f"the process was killed by {_signal(-ended.code)}"
    if ended.code > 128:
        return f"the process was killed by {_signal(ended.code - 128)}"
    return f"the process left with {ended.code} in the middle of it"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _failure(said: object) -> Failure:
    told: Mapping[str, object] = {}
    if isinstance(said, dict):
        told = cast("Mapping[str, object]", said)
    frames = cast("list[list[object]]", told.get("frames") or [])
    return Failure(
        exception=str(told.get("exception", "")),
        message=str(told.get("message", "")),
        path=str(told.get("path", "")),
        line=_int(told.get("line")),
        text=str(told.get("text", "")),
        frames=tuple((str(path), _int(line)) for path, line in frames),
    )


def _relative(failure: Failure, root: str) -> Failure:
    return Failure(
        failure.exception,
        failure.message.replace(root, ""),
        failure.path,
        failure.line,
        failure.text.replace(root, ""),
        failure.frames,
    )


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def _last(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it printed nothing"
