"""pytest, run in the project's own Python with a plugin of ours that writes the results."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from . import environment, outside, python_choice, testmon
from .interpreters import Interpreter, find_python
from .pytest_results import hear, read_report
from .records import Changed, Choice, Ended, Invocation, Report, State, Tree

_PLUGIN = environment.REPORTER.removesuffix(".py")
_ASKED = "asked"
"""Choices that are not of what changed last."""
_ARGUMENT_BYTES = 100_000
"""Of file names that are given as arguments: systems allow 128 KiB and more."""


class Pytest:
    """A Framework, see there.

    The project's own configuration holds. On top of it: results are not cut short (``-x`` and
    the like), a file that can't be collected does not keep the others from running, coverage is
    not measured (its thresholds would fail a run of few tests), and pytest's cache is ours.
    Parallel runs, random order and time limits stay as the project has them.
    """

    name = "pytest"

    def choose(self, tree: Tree, changed: Changed) -> Choice:
        """Return the tests that may depend on what changed. Raise EnvironmentBroken."""
        python = find_python(tree.worktree)
        use = bool(python.testmon) and not testmon.breaks(tree, python.testmon)
        return python_choice.choose(tree, changed, python, use)

    def invocation(self, tree: Tree, choice: Choice) -> Invocation:
        """Return the process that runs the chosen tests. Raise EnvironmentBroken."""
        python = find_python(tree.worktree)
        environment.write_startup(tree)
        ours = _folder(tree)
        ours.mkdir(parents=True, exist_ok=True)
        for old in (_reports(tree), _stacks(tree)):
            old.unlink(missing_ok=True)
        wanted = [] if choice.whole else sorted({pick.target for pick in choice.picks})
        run = {
            "root": os.fspath(tree.root),
            "reports": os.fspath(_reports(tree)),
            "stacks": os.fspath(_stacks(tree)),
            "outside": os.fspath(outside.place(tree)),
            "wanted": wanted,
        }
        (environment.startup_folder(tree) / "run.json").write_text(json.dumps(run), "ascii")
        made = environment.for_python(tree, python.path, python.prefix, is_venv=python.is_venv)
        argv = [os.fspath(python.path), "-m", "pytest", *_options(tree, python)]
        if python.testmon and choice.by == python_choice.TESTMON:
            outside.place(tree).unlink(missing_ok=True)
            argv += testmon.arguments(tree)
            made |= testmon.environment(tree)
        argv += _files(tree, wanted)
        return Invocation(tuple(argv), tree.root, made, _reports(tree))

    def read(self, tree: Tree, choice: Choice, ended: Ended) -> Report:
        """Return what the process found."""
        heard = hear(_lines(_reports(tree)))
        if heard.status is not None and not ended.stopped and choice.by != _ASKED:
            python_choice.settled(tree)
        report = read_report(tree, ended, heard, _text(_stacks(tree)))
        blamed = report.state is State.BROKEN and f"{os.sep}testmon{os.sep}" in ended.output
        if choice.by == python_choice.TESTMON and blamed:
            testmon.broke(tree, find_python(tree.worktree).testmon)
            detail = f"pytest-testmon breaks pytest here ({report.detail}); from the next run on"
            report = replace(report, detail=f"{detail} tests are chosen without it")
        return report


def _options(tree: Tree, python: Interpreter) -> Iterable[str]:
    yield from ("-p", _PLUGIN)
    yield from ("-o", f"cache_dir={_folder(tree) / 'cache'}")
    yield from ("--color=no", "--maxfail=0", "--continue-on-collection-errors")
    if python.cov:
        yield "--no-cov"


def _files(tree: Tree, wanted: Iterable[str]) -> list[str]:
    """Return the files that the wanted tests are in, as arguments.

    Which of their tests are run is for our plugin to say: an id that is gone would make pytest
    refuse to run any, and thousands of ids do not fit into a command line.
    """
    files = sorted({target.partition("::")[0] for target in wanted})
    files = [file for file in files if os.path.lexists(tree.root / file)]
    while sum(len(os.fsencode(tree.root / file)) + 1 for file in files) > _ARGUMENT_BYTES:
        above = {os.path.dirname(file) or "." for file in files}
        if above == set(files):
            break
        files = sorted(above)
    return [os.fspath(tree.root / file) for file in files]


def _folder(tree: Tree) -> Path:
    return tree.scratch / "pytest"


def _reports(tree: Tree) -> Path:
    return _folder(tree) / "reports.jsonl"


def _stacks(tree: Tree) -> Path:
    return _folder(tree) / "stacks.txt"


def _text(file: Path) -> str:
    with suppress(OSError):
        return file.read_bytes()[:200_000].decode("utf-8", "replace")
    return ""


def _lines(file: Path) -> Iterable[dict[str, object]]:
    """Yield what the plugin wrote; a last line that was cut is dropped."""
    try:
        opened = file.open("rb")
    except FileNotFoundError:
        return
    with opened:
        for line in opened:
            with suppress(ValueError):
                yield json.loads(line)
