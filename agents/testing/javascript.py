"""JavaScript and TypeScript: jest and vitest, each by its own search for related tests."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Literal, cast

from . import environment, tools, tree_files, words
from .framework import EnvironmentBroken
from .node import find_node
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

_CODE = re.compile(r"\.([cm]?[jt]sx?|vue|svelte|astro|json5?|css|scss|sass|less|snap|graphql|gql)$")
_EVERYTHING = re.compile(
    r"(^|/)(package(-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|npm-shrinkwrap\.json|"
    r"tsconfig[^/]*\.json|\.babelrc[^/]*|babel\.config\.[^/]+|(jest|vitest|vite)\.[^/]*config[^/]*|"
    r"(jest|vitest|vite)\.[^/]*(setup|workspace)[^/]*|\.env[^/]*|\.nvmrc|\.node-version|"
    r"\.hermes\.toml|setupTests\.[^/]+)$"
)
_MARKS = {"passed": Mark.PASSED, "failed": Mark.FAILED}
_PLACE = re.compile(r"[( ](?:file://)?((?:/|[A-Za-z]:\\|\.{0,2}[\w@-])[^\s():]*):(\d+):\d+\)?")
_HEAD = re.compile(r"^(?:\w+: )*([A-Z]\w*(?:Error|Exception)|Error)\b:? ?(.*)", re.DOTALL)


class JavaScript:
    """jest or vitest at the top of a tree. Which tests are related is their own affair."""

    name: str

    def __init__(self, kind: Literal["jest", "vitest"]) -> None:
        self.name = kind

    def choose(self, tree: Tree, changed: Changed) -> Choice:
        """Return the changed files: the framework itself finds the tests that import them.

        It follows imports, so what is not imported (data that is read, settings) chooses all.
        """
        if changed.whole or changed.folders:
            return Choice((), "related", "all tests: it is not known what changed", whole=True)
        picks: list[Pick] = []
        for path in changed.paths:
            if not tree_files.counts(path) or _is_document(path):
                continue
            if _EVERYTHING.search(path):
                return Choice((), "related", f"all tests: {path} changed", whole=True)
            if not _CODE.search(path):
                why = f"all tests: {path} changed, and it is not known who reads it"
                return Choice((), "related", why, whole=True)
            if not (tree.root / path).is_file():
                why = f"all tests: {path} is gone, and who imported it is not known"
                return Choice((), "related", why, whole=True)
            if path.endswith((".json", ".json5", ".snap", ".graphql", ".gql")):
                why = f"all tests: {path} changed, and it may be read as data"
                return Choice((), "related", why, whole=True)
            picks.append(Pick(path, "tests that import it, or itself, by the framework's search"))
        if not picks:
            return Choice((), "related", "no source file changed")
        count = "one file" if len(picks) == 1 else f"{len(picks)} files"
        return Choice(tuple(picks), "related", f"tests related to {count} that changed")

    def invocation(self, tree: Tree, choice: Choice) -> Invocation:
        """Return jest or vitest by the project's own Node.js. Raise EnvironmentBroken."""
        script = _script(tree, self.name)
        reports = tree.scratch / f"{self.name}.json"
        reports.unlink(missing_ok=True)
        reports.parent.mkdir(parents=True, exist_ok=True)
        node = find_node(tree.worktree)
        # A test that is named is run with its whole file: names may hold anything.
        asked = any("::" in pick.target for pick in choice.picks)
        files = sorted({pick.target.partition("::")[0] for pick in choice.picks})
        if self.name == "jest":
            options = [
                *("--json", f"--outputFile={reports}", "--passWithNoTests", "--ci"),
                *(f"--cacheDirectory={tree.scratch / 'jest'}", "--watchAll=false"),
                *(
                    ()
                    if choice.whole
                    else ("--runTestsByPath" if asked else "--findRelatedTests", *files)
                ),
            ]
        else:
            options = [
                *(["run"] if choice.whole or asked else ["related", "--run"]),
                *("--reporter=json", f"--outputFile={reports}", "--passWithNoTests"),
                "--no-cache",  # it would be kept in node_modules, which is the person's
                *files,
            ]
        made = environment.plain(tree) | {"CI": "1", "NO_COLOR": "1", "NODE_ENV": "test"}
        made["PATH"] = os.pathsep.join([str(node.parent), made.get("PATH", "")])
        return Invocation((str(node), script, *options), tree.root, made, reports)

    def read(self, tree: Tree, choice: Choice, ended: Ended) -> Report:
        """Return the tests. Both write jest's format."""
        tail = words.last_lines(ended.output)
        try:
            text = tools.said(tree.scratch / f"{self.name}.json")
            said = cast("dict[str, object]", json.loads(text))
        except ValueError:
            if ended.stopped:
                state = State.TIMED_OUT if ended.stopped == "time" else State.OVERRAN
                detail = f"{self.name} was stopped: {ended.stopped}"
                return Report(state, (), ended.seconds, detail, tail)
            if ended.code == 0:
                return Report(State.NOTHING, (), ended.seconds)
            detail = f"{self.name} failed at start: {_problem(ended.output)}"
            return Report(State.BROKEN, (), ended.seconds, detail[:500], tail)
        cases: list[Case] = []
        collected: dict[str, str] = {}
        for file in cast("list[dict[str, object]]", said.get("testResults", [])):
            path = words.relative(tree, str(file.get("name", ""))) or str(file.get("name", ""))
            results = cast("list[dict[str, object]]", file.get("assertionResults", []))
            if not results and file.get("status") == "failed":
                collected[path] = _collection(words.plain(str(file.get("message", ""))))
            cases += [_case(tree, path, result) for result in results]
        if collected:
            where, error = next(iter(collected.items()))
            detail = f"{where}: {error}"[:500]
            return Report(
                State.UNCOLLECTED, tuple(cases), ended.seconds, detail, collected=collected
            )
        if any(case.mark is Mark.FAILED for case in cases):
            return Report(State.RED, tuple(cases), ended.seconds)
        if ended.code not in (0, None):
            detail = f"{self.name} failed: {_problem(ended.output)}"[:500]
            return Report(State.BROKEN, tuple(cases), ended.seconds, detail, tail)
        return Report(State.GREEN if cases else State.NOTHING, tuple(cases), ended.seconds)


def detect_javascript(tree: Tree) -> Literal["jest", "vitest"] | None:
    """Return which of the two a package.json at the top asks for; None if neither."""
    package = _package(tree)
    scripts = package.get("scripts")
    test = cast("dict[str, object]", scripts).get("test") if isinstance(scripts, dict) else ""
    wanted: set[str] = set()
    for key in ("dependencies", "devDependencies", "peerDependencies"):
        table = package.get(key)
        wanted |= cast("dict[str, object]", table).keys() if isinstance(table, dict) else set()
    kinds: tuple[Literal["vitest"], Literal["jest"]] = ("vitest", "jest")
    for kind in kinds:
        if isinstance(test, str) and re.search(rf"\b{kind}\b", test):
            return kind
    for kind in kinds:
        config = any(tree.root.glob(f"{kind}.config.*"))
        if kind in wanted or config or kind in package:
            return kind
    return None


def _package(tree: Tree) -> Mapping[str, object]:
    try:
        said: object = json.loads((tree.root / "package.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return cast("dict[str, object]", said) if isinstance(said, dict) else {}


def _script(tree: Tree, name: str) -> str:
    """Return the framework's script; node_modules may lie above a nested package."""
    for root in (tree.root, tree.worktree):
        folder = root
        for _ in range(4):
            script = folder / "node_modules" / ".bin" / name
            if script.exists():
                return str(script)
            folder = folder.parent
    raise EnvironmentBroken(f"{name} is not installed in node_modules: run npm install")


def _case(tree: Tree, path: str, result: Mapping[str, object]) -> Case:
    titles = [str(title) for title in cast("list[object]", result.get("ancestorTitles", []))]
    mark = _MARKS.get(str(result.get("status")), Mark.SKIPPED)
    took = result.get("duration")
    messages = [str(said) for said in cast("list[object]", result.get("failureMessages", []))]
    return Case(
        id=f"{path}::{' > '.join([*titles, str(result.get('title', ''))])}",
        mark=mark,
        seconds=took / 1000 if isinstance(took, int | float) else 0.0,
        failure=_failure(tree, words.plain("\n".join(messages))) if mark is Mark.FAILED else None,
    )


def _failure(tree: Tree, text: str) -> Failure:
    places = [
        (path, int(number))
        for file, number in _PLACE.findall(text)
        if (path := words.relative(tree, file)) and not path.startswith("node_modules/")
    ][::-1]
    head = _HEAD.match(text)
    exception = head[1] if head else ""
    message = words.first_line(head[2].partition("\n    at ")[0]) if head else ""
    return words.failure(tree, exception, text, places, message)


def _collection(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("●")]
    return (lines[0] if lines else "it could not be loaded")[:500]


def _problem(output: str) -> str:
    lines = [line.strip() for line in words.plain(output).splitlines() if line.strip()]
    told = [line for line in lines if "rror" in line] or lines
    return told[0] if told else "it said nothing"


def _is_document(path: str) -> bool:
    return path.endswith((".md", ".mdx", ".rst", ".txt")) or path.startswith((".github/", "docs/"))
