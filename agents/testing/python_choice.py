"""Which Python tests a change may affect, and why: never too few.

By the static rules a test file is chosen if it changed, if it needs a Python file that changed
(see import_graph), if a conftest.py above it did, or if it may read another file that did.
Settings, requirements and compiled sources choose everything. With testmon, a change that is
confined to functions chooses by testmon's record, and by import for what testmon does not see of
them: see narrowing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from . import choice_memory, import_graph, outside, tree_files
from . import testmon as testmon_record
from .changed_files import Kind, finding_functions, finds_itself, kind_of, readers
from .choice_memory import Remembered, Shapes, text_hash
from .import_graph import Graph
from .interpreters import Interpreter
from .narrowing import narrow
from .pytest_settings import PytestSettings, read_pytest_settings
from .records import Changed, Choice, Pick, Tree

IMPORTS = "imports"
TESTMON = "testmon"


class _Everything(Exception):
    """All tests are to be run, and why."""


@dataclass(frozen=True, slots=True)
class _Now:
    """A tree as it is."""

    files: frozenset[str]
    texts: Mapping[str, str]
    """Python files, also those without the ending."""
    graph: Graph
    """Of now and of before, together."""
    fresh: Graph
    """Of now."""
    hashes: Mapping[str, str]
    """Of each text."""
    settings: str
    tests: tuple[str, ...]
    test_tops: frozenset[str]
    """Folders at the top in which tests lie."""

    def is_of_tests(self, path: str) -> bool:
        """Whether a file is a test, or lies among tests as helpers and their data do."""
        top, slash, _ = path.partition("/")
        if path.endswith("conftest.py"):
            return True
        if not slash:
            return path in self.tests
        return slash != "" and top in self.test_tops


def choose(tree: Tree, changed: Changed, interpreter: Interpreter, testmon: bool) -> Choice:
    """Return the tests that may depend on what changed, each with its reason.

    ``testmon``: it is installed for the interpreter and may be used. Raise Hopeless.
    """
    before = choice_memory.load(tree)
    now = _look(tree, before, read_pytest_settings(tree.root))
    shapes = Shapes(before.shapes if before else {})
    choice = _choose(tree, changed, now, before, shapes, interpreter.path if testmon else None)
    if testmon:  # only testmon's part looks into files
        for text in now.texts.values():
            shapes.of(text)
    python = str(interpreter.path) if choice.by == TESTMON else ""
    recorded = before is not None and before.python == python
    choice_memory.save_pending(
        tree,
        Remembered(
            needs={path: tuple(sorted(needs)) for path, needs in now.fresh.needs.items()},
            hashes=now.hashes,
            settings=now.settings,
            shapes=shapes.made,
            python=python,
            whole=choice.whole,
            environment=before.environment if before and recorded else 0,
            packages=before.packages if before and recorded else "",
            outside=before.outside if before and recorded else None,
        ),
    )
    return choice


def settled(tree: Tree) -> None:
    """Say that what was chosen last was run to its end, whatever came of the tests.

    From then on changes are told from these files. If it is never said, more tests are run than
    need be, not fewer.
    """
    pending = choice_memory.load_pending(tree)
    if pending is None:
        return
    if pending.python:
        ran = outside.read(tree, pending.shape)
        if not pending.whole:
            ran = ran and pending.outside and ran.joined(pending.outside)
        pending = replace(pending, outside=ran)
    if pending.whole and pending.python:
        try:
            recorded = testmon_record.ask(tree, Path(pending.python))
            pending = replace(pending, environment=recorded.environment, packages=recorded.packages)
        except (testmon_record.Unrecorded, testmon_record.Unreadable):
            pending = replace(pending, environment=0, packages="")
    choice_memory.save(tree, pending)


def _look(tree: Tree, before: Remembered | None, settings: PytestSettings) -> _Now:
    files = frozenset(tree_files.walk(tree.root))
    texts: dict[str, str] = {}
    for path in sorted(files):
        name = path.rpartition("/")[2]
        if name.endswith(".py") or ("." not in name and _is_script(tree.root / path)):
            texts[path] = tree_files.read_text(tree.root, path)
    hashes = {path: text_hash(text) for path, text in texts.items()}
    used = import_graph.settings_of(tree.root)
    known, changed = None, None
    if before and before.settings == used and before.hashes.keys() == hashes.keys():
        known = before.graph
        changed = [path for path, now in hashes.items() if before.hashes[path] != now]
    fresh = import_graph.build(tree, texts, known, changed)
    tests = tuple(path for path in sorted(files) if settings.is_test(path))
    if not tests and settings.testpaths:  # pytest itself then looks everywhere
        settings = replace(settings, testpaths=())
        tests = tuple(path for path in sorted(files) if settings.is_test(path))
    tops = frozenset(path.partition("/")[0] for path in tests if "/" in path) - {"src"}
    graph = fresh.joined(before.graph) if before and fresh is not known else fresh
    return _Now(files, texts, graph, fresh, hashes, used, tests, tops)


def _choose(
    tree: Tree,
    changed: Changed,
    now: _Now,
    before: Remembered | None,
    shapes: Shapes,
    python: Path | None,
) -> Choice:
    by = TESTMON if python else IMPORTS
    if changed.whole:
        return Choice((), by, "all tests: a full run", whole=True)
    if not now.tests:
        return Choice((), IMPORTS, "there are no tests")
    paths = _paths(changed, now, before)
    try:
        if python is not None:
            try:
                return _by_testmon(tree, paths, now, before, shapes, python)
            except testmon_record.Unreadable as error:
                choice = _by_imports(paths, now, before)
                return replace(choice, why=f"{choice.why} ({error})")
        return _by_imports(paths, now, before)
    except _Everything as reason:
        return Choice((), by, f"the whole suite: {reason}", whole=True)


def _by_imports(paths: Iterable[str], now: _Now, before: Remembered | None) -> Choice:
    picks = _static(paths, now, before)
    return _made(picks, {}, now, IMPORTS)


def _by_testmon(
    tree: Tree,
    paths: Iterable[str],
    now: _Now,
    before: Remembered | None,
    shapes: Shapes,
    python: Path,
) -> Choice:
    try:
        recorded = testmon_record.ask(tree, python)
    except testmon_record.Unrecorded as reason:
        raise _Everything(str(reason)) from reason
    if before is None or not before.packages or before.python != str(python):
        raise _Everything("testmon has not recorded all tests yet")
    if before.environment != recorded.environment or before.packages != recorded.packages:
        raise _Everything("Python or its packages changed since testmon's record")
    narrowed = narrow(paths, before, now.texts, shapes, now.graph.needs)
    inside = narrowed.files
    picks = _static((path for path in paths if path not in inside), now, before)
    for test, start in now.graph.reach(narrowed.ran_for).items():
        if test in now.tests:
            path = narrowed.ran_for[start]
            picks.setdefault(test, _ran_for(test, start, path))
    reached = now.graph.reach(narrowed.altered)
    blind = now.graph.reach(narrowed.unseen_in)
    unseen = {test for test in recorded.files if test in blind}
    for test in now.tests:
        if test in picks or test not in reached:
            if test not in before.hashes and test in now.texts:
                picks.setdefault(test, "is new")
            continue
        if test not in recorded.files:
            picks[test] = f"testmon has not recorded it, and it {_says(test, reached[test], now)}"
        elif test in unseen or _runs_pytest(test, now, shapes):
            picks[test] = f"starts processes and {_says(test, reached[test], now)}"
    ids = {
        test: f"testmon: runs code of {file}, which changed"
        for test, file in recorded.affected.items()
        if test.partition("::")[0] not in picks and test.partition("::")[0] in now.files
    }
    for test in narrowed.tests:
        ids.setdefault(test, "changed itself")
    for test in narrowed.unseen:
        file = test.partition("::")[0]
        if file in reached and file in now.files and file not in picks:
            ids.setdefault(test, f"starts processes and {_says(file, reached[file], now)}")
    return _made(picks, ids, now, TESTMON)


def _ran_for(test: str, start: str, path: str) -> str:
    if start == test:
        return f"runs code of {path}, which changed, before its tests"
    return f"needs {start}, which runs code of {path}, which changed, before tests"


def _runs_pytest(test: str, now: _Now, shapes: Shapes) -> bool:
    shape = shapes.of(now.texts[test]) if test in now.texts else None
    return shape is not None and shape.runs_pytest


def _static(paths: Iterable[str], now: _Now, before: Remembered | None) -> dict[str, str]:
    """Return the test files that the static rules choose, with reasons. Raise _Everything."""
    picks: dict[str, str] = {}
    tests = set(now.tests)
    starts: list[str] = []
    for path in paths:
        kind = kind_of(path)
        if kind is Kind.EVERYTHING:
            raise _Everything(f"{path} changed")
        if path in tests:
            known = before is None or path in before.hashes or not path.endswith(".py")
            picks[path] = "changed itself" if known else "is new"
        if kind is Kind.PYTHON or path in now.texts:
            if path not in now.graph.needs:
                raise _Everything(f"{path} is gone, and who needed it is not known")
            if path.endswith("conftest.py"):
                _beneath(path, now.tests, "its conftest.py changed", picks)
            if path.endswith("__init__.py") and _came_or_went(path, now, before):
                folder = path.rpartition("/")[0]
                starts += [file for file in now.graph.needs if file.startswith(f"{folder}/")]
            starts.append(path)
            if path in now.texts and not path.endswith(".py"):
                kind = Kind.DATA  # a script: also by who names it
        if kind in (Kind.DATA, Kind.DOCUMENT):
            _by_readers(path, kind, now, picks)
    for test, start in now.graph.reach(starts).items():
        if test in tests:
            picks.setdefault(test, _says(test, start, now))
    return picks


def _by_readers(path: str, kind: Kind, now: _Now, picks: dict[str, str]) -> None:
    found = readers(path, now.texts, kind)
    if kind is Kind.DOCUMENT:
        found = {reader: what for reader, what in found.items() if _looks_around(reader, path, now)}
    if kind is Kind.DOCUMENT or now.is_of_tests(path):
        # Source that names a folder such as docs or tests hardly means this project's own.
        name = path.rpartition("/")[2]
        found = {
            reader: what
            for reader, what in found.items()
            if what == name or now.is_of_tests(reader)
        }
    reached = now.graph.reach(found)
    tests = [test for test in now.tests if test in reached]
    for test in tests:
        reader = reached[test]
        what = found[reader]
        if reader == test:
            why = (
                f"reads {path}, which changed"
                if path.endswith(what)
                else (f"names {what}, where {path} changed")
            )
        else:
            why = f"needs {reader}, which names {what} of {path}, which changed"
        picks.setdefault(test, why)
    if tests or kind is Kind.DOCUMENT or path in now.texts:
        return
    if path.rpartition("/")[2] in found.values() and not now.is_of_tests(path):
        return  # who reads it is known, and no test needs them
    folder = path.rpartition("/")[0]
    while folder:
        package = now.graph.reach([f"{folder}/__init__.py"])
        near = [test for test in now.tests if test.startswith(f"{folder}/") or test in package]
        if near:
            for test in near:
                picks.setdefault(test, f"{path}, near it, changed")
            return
        folder = folder.rpartition("/")[0]
    raise _Everything(f"{path} changed, and nothing tells who reads it")


def _looks_around(reader: str, path: str, now: _Now) -> bool:
    """Whether a file can find the project's own documents: those of other projects, which tests
    make and programs work on, have the same names."""
    mine = [each for each in now.graph.needs[reader] if now.is_of_tests(each)]
    helpers = [reader, *(each for each in mine if not each.endswith("conftest.py"))]
    name = path.rpartition("/")[2]
    if any(finds_itself(now.texts.get(each, ""), name) for each in helpers):
        return True
    text = now.texts[reader]
    above = (now.texts.get(each, "") for each in mine if each.endswith("conftest.py"))
    fixtures = {fixture for conftest in above for fixture in finding_functions(conftest)}
    return any(re.search(rf"\b{fixture}\b", text) for fixture in fixtures)


def _says(test: str, start: str, now: _Now) -> str:
    if start == test:
        return "changed itself"
    if start.endswith("conftest.py"):
        return "its conftest.py changed" if start.count("/") else f"{start} changed"
    gone = "is gone" if start not in now.texts else "changed"
    verb = "imports" if start in now.graph.needs.get(test, ()) else "depends on"
    return f"{verb} {start}, which {gone}"


def _beneath(path: str, tests: Iterable[str], why: str, picks: dict[str, str]) -> None:
    folder = path.rpartition("/")[0]
    for test in tests:
        if not folder or test.startswith(f"{folder}/"):
            picks.setdefault(test, why)


def _came_or_went(path: str, now: _Now, before: Remembered | None) -> bool:
    return before is None or (path in before.hashes) != (path in now.texts)


def _paths(changed: Changed, now: _Now, before: Remembered | None) -> tuple[str, ...]:
    """Return each changed file once; of a folder all that is, or was, in it."""
    paths = dict.fromkeys(path for path in changed.paths if tree_files.counts(path))
    known = sorted({*now.files} | (before.hashes.keys() if before else set[str]()))
    for folder in changed.folders:
        beneath = folder.strip("/")
        inside = [path for path in known if beneath in ("", ".") or path.startswith(f"{beneath}/")]
        paths.update(dict.fromkeys(path for path in inside if tree_files.counts(path)))
    return tuple(paths)


def _made(picks: Mapping[str, str], ids: Mapping[str, str], now: _Now, by: str) -> Choice:
    present = {test: why for test, why in picks.items() if test in now.files}
    chosen = tuple(Pick(test, why) for test, why in sorted([*present.items(), *ids.items()]))
    of_all = f"{len(present)} of {len(now.tests)} test files"
    if not chosen:
        return Choice((), by, f"none of {len(now.tests)} test files depends on what changed")
    if ids:
        tests = "test" if len(ids) == 1 else "tests"
        plus = f"{of_all} and {len(ids)} more {tests}" if present else f"{len(ids)} {tests}"
        return Choice(chosen, by, f"{plus} may depend on what changed")
    return Choice(chosen, by, f"{of_all} may depend on what changed")


def _is_script(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            first = opened.readline(200)
    except OSError:
        return False
    return first.startswith(b"#!") and b"python" in first
