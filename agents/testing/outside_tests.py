"""A pytest plugin that writes down what of the project runs where testmon does not look.

testmon ties to a test what ran while that test did. It knows nothing of what ran before, while
files were imported and tests collected; what the set-up of a module's or session's fixture ran
it ties to the first of the tests that use it; and it does not see into other processes. Written
down are the functions that ran so, each with the file on whose behalf, and the tests that started
other processes.

Runs in the project's own Python (3.8 and later) and pytest (6 and later), as the reporter does, of
which see. Every process of the run writes a line when it begins and one when it has ended.
"""

from __future__ import annotations

import importlib.machinery
import inspect
import json
import os
import sys
import threading
from collections.abc import Callable, Generator
from typing import Any

import pytest

_SPAWNS = frozenset(
    {
        *("subprocess.Popen", "os.system", "os.fork", "os.forkpty", "os.posix_spawn"),
        *("os.exec", "os.spawn", "pty.spawn", "sys.settrace"),
    }
)
_HARMLESS = frozenset(
    {
        *("uname", "lsb_release", "ldconfig", "gcc", "cc", "ld", "objdump", "stty", "tput"),
        *("locale", "getconf", "file", "which", "cat", "less", "more", "ls", "true", "false"),
    }
)
"""Programs that run none of the project's code, as Python's own modules start them."""


class Recorder:
    """Listens to calls while no test runs, and while what outlives a test is made."""

    def __init__(self, root: str, file: str) -> None:
        self._root = root + os.sep
        self._file = file
        self._pid = os.getpid()
        self._main = threading.get_ident()
        self._places: dict[str, str] = {}
        self._ran: set[tuple[str, int, str]] = set()
        self._unseen: set[str] = set()
        self._unseen_in: set[str] = set()
        self._behalf = [""]
        """Files on whose behalf code runs, the innermost last; empty: it is not known whose."""
        self._test = ""
        self._made = _processes()
        self._listen: Callable[..., Any] = self._called
        self._listen_elsewhere: Callable[..., Any] = self._called_elsewhere
        self._write(begun=True)
        sys.addaudithook(self._heard)
        self._wrap(importlib.machinery.SourceFileLoader)
        rewriting = sys.modules.get("_pytest.assertion.rewrite")
        if rewriting is not None:
            self._wrap(rewriting.AssertionRewritingHook)
        self._on()

    # Hooks are called by pytest, by name.

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector: Any) -> Generator[None, Any, None]:
        path = str(getattr(collector, "path", None) or getattr(collector, "fspath", ""))
        before = self._enter(self._place(path) if os.path.isfile(path) else "")
        try:
            yield
        finally:
            self._leave(before)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Generator[None, Any, None]:
        if fixturedef.scope == "function":
            yield
            return
        code = getattr(fixturedef.func, "__code__", None)
        place = self._place(code.co_filename) if code is not None else ""
        if not place:
            base = str(fixturedef.baseid or "").partition("::")[0]
            place = base if os.path.isfile(self._root + base) else ""
        before = self._enter(place)
        try:
            yield
        finally:
            self._leave(before)

    # The innermost: testmon looks before this begins, and still when it has ended.
    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> Generator[None, Any, None]:
        self._count()
        self._test = item.nodeid
        self._off()
        try:
            yield
        finally:
            self._count()
            self._test = ""
            self._on()

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        self._off()
        self._write(
            ran=sorted(self._ran),
            unseen=sorted(self._unseen),
            unseen_in=sorted(self._unseen_in),
        )

    # Listening

    def _on(self) -> None:
        threading.setprofile(self._listen_elsewhere)
        sys.setprofile(self._listen)

    def _off(self) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _enter(self, place: str) -> Any:
        """Listen, on behalf of a file; return what listened before."""
        before = sys.getprofile()
        self._behalf.append(place)
        self._on()
        return before

    def _leave(self, before: Any) -> None:
        self._count()
        self._behalf.pop()
        if before is None:
            self._off()
        else:
            sys.setprofile(before)

    def _called(self, frame: Any, event: str, argument: Any) -> None:
        if event == "call":
            code = frame.f_code
            name = code.co_filename
            place = self._places.get(name)
            if place is None:
                place = self._places[name] = self._place(name)
            if place and code.co_name != "<module>":
                self._ran.add((place, code.co_firstlineno, self._behalf[-1]))

    def _called_elsewhere(self, frame: Any, event: str, argument: Any) -> None:
        """Listen in a thread that was started while no test ran: it serves whoever comes."""
        if event == "call":
            place = self._place(frame.f_code.co_filename)
            if place and frame.f_code.co_name != "<module>":
                self._ran.add((place, frame.f_code.co_firstlineno, ""))

    def _wrap(self, loader: Any) -> None:
        """Listen whenever a file of the project is imported, be it by a test, and to no other."""
        original = loader.exec_module

        def exec_module(itself: Any, module: Any) -> Any:
            __tracebackhide__ = True
            if threading.get_ident() != self._main:
                return original(itself, module)
            place = self._place(str(getattr(module.__spec__, "origin", None) or ""))
            if not place:
                before = sys.getprofile()
                if before is not self._listen:
                    return original(itself, module)
                sys.setprofile(None)
                try:
                    return original(itself, module)
                finally:
                    sys.setprofile(before)
            before = self._enter(place)
            try:
                return original(itself, module)
            finally:
                self._leave(before)

        loader.exec_module = exec_module

    # Other processes

    def _heard(self, event: str, arguments: Any) -> None:
        if event not in _SPAWNS or os.getpid() != self._pid:
            return
        if event == "sys.settrace" and threading.get_ident() != self._main:
            return  # coverage, in a new thread
        if event in ("subprocess.Popen", "os.posix_spawn") and _is_harmless(arguments):
            return
        frame = inspect.currentframe()
        while frame is not None and not self._place(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is not None:
            self._started()

    def _count(self) -> None:
        """See whether multiprocessing made a process: not all of its ways are told of."""
        made = _processes()
        if made != self._made:
            self._made = made
            self._started()

    def _started(self) -> None:
        if self._test:
            self._unseen.add(self._test)
        if not self._test or len(self._behalf) > 1:
            self._unseen_in.add(self._behalf[-1])

    def _place(self, name: str) -> str:
        """Return a file's path relative to the root; empty if it is not of the project."""
        if not name.startswith(self._root) or "/site-packages/" in name:
            return ""
        return name[len(self._root) :].replace(os.sep, "/")

    def _write(self, **fields: Any) -> None:
        if os.getpid() != self._pid:
            return
        line = json.dumps({"pid": self._pid, **fields}).encode("ascii") + b"\n"
        opened = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(opened, line)
        finally:
            os.close(opened)


def _processes() -> str:
    process = sys.modules.get("multiprocessing.process")
    return str(getattr(process, "_process_counter", "count(1)"))


def _is_harmless(arguments: Any) -> bool:
    try:
        program = arguments[0]
        if program is None:
            program = arguments[1] if isinstance(arguments[1], str) else arguments[1][0]
        return os.path.basename(os.fsdecode(program)) in _HARMLESS
    except (TypeError, ValueError, LookupError):
        return False


def _begin() -> Recorder:
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.json")) as file:
        run = json.load(file)
    return Recorder(run["root"], run["outside"])


_recorder = _begin()  # now: the project's conftest.py and plugins are loaded next


def pytest_configure(config: Any) -> None:
    """Begin, in every process of the run."""
    config.pluginmanager.register(_recorder, "hermes-recorder-of-run")
