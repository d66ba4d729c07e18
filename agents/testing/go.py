"""Go: the packages that depend on a changed one, by ``go list``; ``go test -json`` on them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from . import environment, tools, tree_files, words
from .framework import EnvironmentBroken
from .records import (
    Case,
    Changed,
    Choice,
    Ended,
    Failure,
    Invocation,
    Mark,
    Pick,
    Report,
    State,
    Tree,
)

_PLACE = re.compile(r"^\s*([^\s:()]+\.go):(\d+):(?:\d+:)? ?(.*)$")
_ERROR = re.compile(r"^\s*Error:\s+(\S.*(?:\n\s{8,}(?:expected|actual) *:.*)*)", re.MULTILINE)
"""What testify says, below the place, of an assertion that does not hold."""
_MARKS = {"pass": Mark.PASSED, "fail": Mark.FAILED, "skip": Mark.SKIPPED}
_FIELDS = "ImportPath,Dir,Imports,ForTest,Standard,TestGoFiles,XTestGoFiles"


@dataclass(frozen=True, slots=True)
class _Package:
    folder: str
    needs: frozenset[str]
    has_tests: bool


class Go:
    """A module, or a workspace of them, at the top."""

    name = "go"

    def choose(self, tree: Tree, changed: Changed) -> Choice:
        """Return packages. A file that no package holds belongs to the nearest one above it."""
        packages = _packages(tree)
        tested = sorted(name for name, package in packages.items() if package.has_tests)
        if not tested:
            return Choice((), "packages", "no package has tests")
        if changed.whole or changed.folders:
            return Choice((), "packages", "all packages: it is not known what changed", whole=True)
        starts: dict[str, str] = {}
        for path in changed.paths:
            if not tree_files.counts(path) or path.endswith((".md", ".rst", ".adoc")):
                continue
            if path.rpartition("/")[2] in ("go.mod", "go.sum", "go.work", "go.work.sum"):
                return Choice((), "packages", f"all packages: {path} changed", whole=True)
            owners = _owners(path, packages)
            if not owners:
                why = f"all packages: {path} changed, and no package is near it"
                return Choice((), "packages", why, whole=True)
            for owner in owners:
                starts.setdefault(owner, path)
        picks = [
            Pick(name, f"{starts[start]} changed" if name == start
                 else f"imports {start}, where {starts[start]} changed")
            for name, start in sorted(_reach(starts, packages).items())
            if packages[name].has_tests
        ]  # fmt: skip
        why = f"{len(picks)} of {len(tested)} packages with tests depend on what changed"
        return Choice(tuple(picks), "packages", why)

    def invocation(self, tree: Tree, choice: Choice) -> Invocation:
        """Return ``go test``. Raise EnvironmentBroken."""
        made = _environment(tree)
        targets = ["./..."]
        if not choice.whole:
            targets = sorted({pick.target.partition("::")[0] for pick in choice.picks})
        argv = (tools.find("go", made, "install Go"), "test", "-json", *_only(choice), *targets)
        return tools.into_file(argv, tree.scratch / "go.jsonl", tree.root, made)

    def read(self, tree: Tree, choice: Choice, ended: Ended) -> Report:
        """Return the tests; subtests are tests of their own."""
        output = tools.said(tree.scratch / "go.jsonl")
        events = list(_events(output))
        said: dict[tuple[str, str], list[str]] = {}
        builds: dict[str, list[str]] = {}
        failed_builds: dict[str, str] = {}
        ends: list[tuple[str, str, str, float]] = []
        for event in events:
            package, test = str(event.get("Package", "")), str(event.get("Test", ""))
            action = str(event.get("Action", ""))
            if action == "build-output":
                key = str(event.get("ImportPath", "")).partition(" ")[0]
                builds.setdefault(key, []).append(str(event.get("Output", "")))
            elif action == "output":
                said.setdefault((package, test), []).append(str(event.get("Output", "")))
            elif action in _MARKS:
                seconds = event.get("Elapsed", 0.0)
                ends.append(
                    (
                        package,
                        test,
                        action,
                        float(seconds) if isinstance(seconds, int | float) else 0,
                    )
                )
                if "FailedBuild" in event:
                    failed_builds[package] = str(event["FailedBuild"]).partition(" ")[0]
        folders = _folders(tree, output)
        parents = {
            (package, test.rpartition("/")[0])
            for package, test, action, _ in ends
            if action == "fail" and "/" in test
        }
        cases: list[Case] = []
        collected: dict[str, str] = {}
        for package, test, action, seconds in ends:
            if (package, test) in parents and not _body(said.get((package, test), [])):
                continue  # it failed by its subtests, and says nothing of its own
            if test:
                lines = said.get((package, test), [])
                mark = _MARKS[action]
                cases.append(
                    Case(
                        id=f"{package}::{test}",
                        mark=mark,
                        seconds=seconds,
                        failure=_failure(tree, folders.get(package, ""), lines)
                        if mark is Mark.FAILED
                        else None,
                    )
                )
            elif package in failed_builds:
                where, error = _build_error(tree, builds.get(failed_builds[package], []))
                collected[where or package] = error
        return _report(cases, collected, ended)


def _only(choice: Choice) -> list[str]:
    """Return what confines a run to tests that are named; with their subtests."""
    named = {pick.target.partition("::")[2].partition("/")[0] for pick in choice.picks}
    if choice.whole or not named or "" in named:
        return []
    return ["-run", f"^({'|'.join(map(re.escape, sorted(named)))})$"]


def _report(cases: list[Case], collected: Mapping[str, str], ended: Ended) -> Report:
    tail = words.last_lines(ended.output)
    if ended.stopped:
        state = State.TIMED_OUT if ended.stopped == "time" else State.OVERRAN
        return Report(state, tuple(cases), ended.seconds, f"go test: {ended.stopped}", tail)
    if collected:
        where, error = next(iter(collected.items()))
        detail = f"{where}: {error}"[:500]
        return Report(
            State.UNCOLLECTED, tuple(cases), ended.seconds, detail, collected=dict(collected)
        )
    if any(case.mark is Mark.FAILED for case in cases):
        return Report(State.RED, tuple(cases), ended.seconds)
    if ended.code != 0:
        detail = f"go test failed: {words.first_line(tail) or f'exit code {ended.code}'}"
        return Report(State.BROKEN, tuple(cases), ended.seconds, detail, tail)
    return Report(State.GREEN if cases else State.NOTHING, tuple(cases), ended.seconds)


def _environment(tree: Tree) -> dict[str, str]:
    # Offline: a missing module is an error of one line, not a download in the background.
    return environment.plain(tree) | {"GOPROXY": "off", "GOTOOLCHAIN": "local", "NO_COLOR": "1"}


def _packages(tree: Tree) -> dict[str, _Package]:
    made = _environment(tree)
    go = tools.find("go", made, "install Go")
    answer = tools.ask(
        [go, "list", "-e", "-deps", "-test", f"-json={_FIELDS}", "./..."], tree.root, made
    )
    if answer.code and not answer.output.strip():
        raise EnvironmentBroken(f"go list failed: {words.first_line(answer.errors)}")
    needs: dict[str, set[str]] = {}
    folders: dict[str, str] = {}
    tested: set[str] = set()
    for entry in _objects(answer.output):
        if entry.get("Standard"):
            continue
        whole_name = str(entry.get("ImportPath", ""))
        name = str(entry.get("ForTest") or whole_name.partition(" ")[0])
        if whole_name.endswith(".test"):
            continue
        imports = cast("list[str]", entry.get("Imports") or [])
        needs.setdefault(name, set()).update(item.partition(" ")[0] for item in imports)
        folder = str(entry.get("Dir", ""))
        inside = words.relative(tree, folder) if folder else ""
        if inside and not entry.get("ForTest"):
            folders[name] = "" if inside == "." else inside
            if entry.get("TestGoFiles") or entry.get("XTestGoFiles"):
                tested.add(name)
    return {
        name: _Package(folder, frozenset(needs[name] & folders.keys()), name in tested)
        for name, folder in folders.items()
    }


def _owners(path: str, packages: Mapping[str, _Package]) -> list[str]:
    folder = path.rpartition("/")[0]
    while True:
        found = [name for name, package in packages.items() if package.folder == folder]
        # A Go file belongs to its own folder; other files may be read or embedded from above.
        if found or not folder:
            return found
        folder = folder.rpartition("/")[0]


def _reach(starts: Mapping[str, str], packages: Mapping[str, _Package]) -> dict[str, str]:
    found = {start: start for start in starts}
    waiting = list(found)
    while waiting:
        at = waiting.pop()
        for name, package in packages.items():
            if at in package.needs and name not in found:
                found[name] = found[at]
                waiting.append(name)
    return found


def _objects(text: str) -> Iterator[dict[str, object]]:
    decoder = json.JSONDecoder()
    at = 0
    while True:
        at = text.find("{", at)
        if at < 0:
            return
        try:
            entry, at = decoder.raw_decode(text, at)
        except ValueError:
            return
        yield cast("dict[str, object]", entry)


def _events(output: str) -> Iterator[dict[str, object]]:
    for line in output.splitlines():
        if line.startswith("{"):
            try:
                yield cast("dict[str, object]", json.loads(line))
            except ValueError:
                continue  # cut in the middle of what was kept of the output


def _folders(tree: Tree, output: str) -> dict[str, str]:
    """Return each package's folder, by the module's name in go.mod files of the tree."""
    modules: dict[str, str] = {}
    for path in tree_files.walk(tree.root):
        if path == "go.mod" or path.endswith("/go.mod"):
            told = re.search(
                r"^module\s+(\S+)", tree_files.read_text(tree.root, path), re.MULTILINE
            )
            if told:
                modules[told[1].strip('"')] = path.rpartition("/")[0]
    found: dict[str, str] = {}
    for package in set(re.findall(r'"Package":"([^"]+)"', output)):
        for module, folder in modules.items():
            if package == module or package.startswith(f"{module}/"):
                found[package] = f"{folder}/{package[len(module) + 1 :]}".strip("/")
    return found


def _failure(tree: Tree, folder: str, lines: list[str]) -> Failure:
    body = _body(lines)
    places: list[tuple[str, int]] = []
    message = ""
    for line in body.splitlines():
        told = _PLACE.match(line)
        if told:
            path = words.relative(tree, told[1], tree.root / folder)
            if path:
                places.append((path, int(told[2])))
            message = message or told[3].strip()
    if not message and (told := _ERROR.search(body)):
        message = " ".join(told[1].split())
    exception = ""
    panic = re.search(r"^panic: (.*)$", body, re.MULTILINE)
    if panic:
        exception, message = "panic", panic[1]
        places = [
            (path, int(number))
            for file, number in re.findall(r"^\t(\S+\.go):(\d+)", body, re.MULTILINE)
            if (path := words.relative(tree, file))
        ][::-1]
    return words.failure(tree, exception, body, places, message)


def _body(lines: list[str]) -> str:
    """Return what a test printed itself."""
    return "".join(line for line in lines if not line.lstrip().startswith(("=== ", "--- ")))


def _build_error(tree: Tree, lines: list[str]) -> tuple[str, str]:
    for line in "".join(lines).splitlines():
        told = _PLACE.match(line)
        if told:
            return words.relative(tree, told[1]) or told[1], f"line {told[2]}: {told[3]}"
    return "", words.first_line("".join(lines)) or "it could not be built"
