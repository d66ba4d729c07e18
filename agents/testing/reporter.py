"""A pytest plugin that writes down what becomes of each test as it happens.

It runs in the project's own Python (3.8 and later) and pytest (6 and later), so it is a copy in a
folder of ours and imports nothing but the standard library and pytest. One JSON object a line: a run
that is killed still has all results up to there. Under xdist the workers attach what they know of
a failure to their reports, and only the process that collects those writes.

Beside it lies ``run.json``: where to write, the folder of the tests, and which tests are wanted.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
from collections.abc import Generator
from typing import Any

import pytest

MESSAGE = 500
TEXT = 8_000
FRAMES = 50
_ATTACHED = "_hermes_failure"


class Reporter:
    """Writes the lines. Hooks are called by pytest, by name."""

    def __init__(self, run: dict[str, Any], config: Any) -> None:
        self._root: str = run["root"]
        self._wanted: set[str] = set(run["wanted"])
        self._rootdir = str(getattr(config, "rootpath", None) or config.rootdir)
        self._writes = not hasattr(config, "workerinput")
        self._pid = os.getpid()
        self._file = -1
        if self._writes:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            self._file = os.open(run["reports"], flags, 0o600)
        # Asked to end, say where it was.
        self._stacks = open(run["stacks"], "a")  # noqa: SIM115 - for as long as the process lives
        if hasattr(faulthandler, "register"):
            faulthandler.register(signal.SIGTERM, file=self._stacks, all_threads=True, chain=True)

    def pytest_sessionstart(self, session: Any) -> None:
        self._write(kind="session", pytest=pytest.__version__)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        if not self._wanted:
            return
        kept: list[Any] = []
        dropped: list[Any] = []
        for item in items:
            (kept if self._is_wanted(self._id(item.nodeid)) else dropped).append(item)
        if dropped:
            config.hook.pytest_deselected(items=dropped)
            items[:] = kept

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            failure = getattr(report, _ATTACHED, None) or self._of_text(report)
            self._write(kind="uncollected", id=self._id(report.nodeid), failure=failure)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self, collector: Any) -> Generator[None, Any, None]:
        outcome = yield
        report = outcome.get_result()
        call = getattr(report, "call", None)
        if report.failed and call is not None and call.excinfo is not None:
            # What importing a file raises is wrapped in pytest's own error.
            error = call.excinfo.value.__cause__ or call.excinfo.value
            told = (error.__class__, error, error.__traceback__)
            info = call.excinfo.__class__.from_exc_info(told)
            failure = self._of_exception(info, report)
            setattr(report, _ATTACHED, failure)

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        self._write(kind="start", id=self._id(nodeid))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, None]:
        outcome = yield
        report = outcome.get_result()
        if report.failed and call.excinfo is not None:
            setattr(report, _ATTACHED, self._of_exception(call.excinfo, report))

    def pytest_runtest_logreport(self, report: Any) -> None:
        failure = None
        if report.failed:
            failure = getattr(report, _ATTACHED, None) or self._of_text(report)
        self._write(
            kind="phase",
            id=self._id(report.nodeid),
            when=report.when,
            outcome=report.outcome,
            seconds=getattr(report, "duration", 0.0),
            failure=failure,
        )

    def pytest_runtest_logfinish(self, nodeid: str, location: Any) -> None:
        self._write(kind="end", id=self._id(nodeid))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: Any, exitstatus: Any) -> None:
        self._write(kind="finish", status=int(exitstatus), collected=session.testscollected)

    def pytest_unconfigure(self) -> None:
        if hasattr(faulthandler, "register"):
            faulthandler.unregister(signal.SIGTERM)
        self._stacks.close()

    def _id(self, nodeid: str) -> str:
        """Return a test's id relative to the folder that stands for the worktree, whatever pytest
        took for its root."""
        if self._rootdir == self._root:
            return nodeid
        path, mark, rest = nodeid.partition("::")
        full = os.path.normpath(os.path.join(self._rootdir, path))
        return os.path.relpath(full, self._root).replace(os.sep, "/") + mark + rest

    def _is_wanted(self, test: str) -> bool:
        """Return whether a test, or something that it is part of, is wanted."""
        if test in self._wanted:
            return True
        path, mark, rest = test.partition("::")
        while path:
            if path in self._wanted:
                return True
            path = path.rpartition("/")[0]
        path = test.partition("::")[0] + mark
        name = rest.partition("[")[0]
        while name:
            if path + name in self._wanted:
                return True
            name = name.rpartition("::")[0]
        return False

    def _of_exception(self, info: Any, report: Any) -> dict[str, Any]:
        frames: list[tuple[str, int]] = []
        place, line = "", 0
        for entry in info.traceback:
            path, number = str(entry.path), entry.lineno + 1
            place = self._inside(path)
            line = number if place else 0
            if place:
                frames.append((place, number))
        try:
            message = str(info.value)
        except Exception as error:  # noqa: BLE001 - of the project's own
            message = f"its message could not be told: {type(error).__name__}"
        told = getattr(info.value, "msg", None)
        if isinstance(info.value, SyntaxError) and isinstance(told, str):
            message = told
            place, line = self._inside(str(info.value.filename)), info.value.lineno or 0
            if place:
                frames.append((place, line))
        return {
            "exception": info.type.__name__,
            "message": _first_line(message),
            "path": place,
            "line": line,
            "text": _shortened(_text_of(report)),
            "frames": frames[:FRAMES],
        }

    def _of_text(self, report: Any) -> dict[str, Any]:
        """Say what is known of a failure that nobody caught: a worker that crashed."""
        text = _text_of(report)
        lines = [line for line in text.splitlines() if not line.startswith("[gw")]
        return {
            "exception": "Crashed" if "crashed while running" in text else "",
            "message": _first_line("\n".join(lines)),
            "path": "",
            "line": 0,
            "text": _shortened(text),
            "frames": [],
        }

    def _inside(self, path: str) -> str:
        """Return a path relative to the root; empty if it is outside of it."""
        full = os.path.abspath(os.path.join(self._rootdir, path))
        if not full.startswith(self._root + os.sep) or "/site-packages/" in full:
            return ""
        return full[len(self._root) + 1 :].replace(os.sep, "/")

    def _write(self, **fields: Any) -> None:
        # A child that a test forked and that came back out of the test is not to be heard.
        if self._writes and os.getpid() == self._pid:
            os.write(self._file, json.dumps(fields).encode("ascii") + b"\n")


def _text_of(report: Any) -> str:
    told = getattr(report, "longreprtext", "")
    return told if isinstance(told, str) else str(told)


def _first_line(text: str) -> str:
    return next((line.strip() for line in text[:20_000].splitlines() if line.strip()), "")[:MESSAGE]


def _shortened(text: str) -> str:
    if len(text) <= TEXT:
        return text
    return text[: TEXT // 2 - 10] + "\n[…]\n" + text[-(TEXT // 2 - 10) :]


@pytest.hookimpl(trylast=True)
def pytest_configure(config: Any) -> None:
    """Begin, in every process of the run."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.json")) as file:
        run = json.load(file)
    config.pluginmanager.register(Reporter(run, config), "hermes-reporter-of-run")
