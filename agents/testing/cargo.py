"""Rust: the workspace's packages that depend on a changed one; ``cargo test`` on them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
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

_RUNNING = re.compile(r"^\s+Running (?:unittests )?(\S+) \((?:.*[/\\])?([\w-]+?)-[0-9a-f]+\S*\)$")
_DOCS = re.compile(r"^\s+Doc-tests (\S+)$")
_TEST = re.compile(r"^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b")
_STDOUT = re.compile(r"^---- (.+?) stdout ----$")
_PANIC = re.compile(r"panicked at (?:'(.*)', )?([^\s:']+):(\d+)(?::\d+)?:?$")
_ERROR = re.compile(r"^error(\[E\d+\])?: (.+)$")
_ARROW = re.compile(r"^\s*--> ([^:]+):(\d+):")
_OUTPUT = "cargo.txt"


@dataclass(frozen=True, slots=True)
class _Package:
    folder: str
    needs: frozenset[str]


class Cargo:
    """A package or workspace at the top."""

    name = "cargo"

    def choose(self, tree: Tree, changed: Changed) -> Choice:
        """Return packages. A file in none of their folders chooses all."""
        if changed.whole or changed.folders:
            return Choice((), "packages", "all packages: it is not known what changed", whole=True)
        packages = _packages(tree)
        starts: dict[str, str] = {}
        for path in changed.paths:
            if not tree_files.counts(path):
                continue
            owner = _owner(path, packages)
            if path.endswith((".md", ".rst", ".adoc")) and not _is_named(path, tree):
                continue
            name = path.rpartition("/")[2]
            shared = name in ("Cargo.lock", "rust-toolchain", "rust-toolchain.toml")
            if owner is None or shared or path == "Cargo.toml" or path.startswith(".cargo/"):
                return Choice((), "packages", f"all packages: {path} changed", whole=True)
            starts.setdefault(owner, path)
        reached = _reach(starts, packages)
        picks = [
            Pick(
                name,
                f"{starts[name]} changed"
                if name == start
                else f"depends on {start}, where {starts[start]} changed",
            )
            for name, start in sorted(reached.items())
        ]
        why = f"{len(picks)} of {len(packages)} packages depend on what changed"
        return Choice(tuple(picks), "packages", why)

    def invocation(self, tree: Tree, choice: Choice) -> Invocation:
        """Return ``cargo test``, offline, building in our folder. Raise EnvironmentBroken."""
        made = _environment(tree)
        which = [word for pick in choice.picks for word in ("-p", pick.target)]
        named = [pick.target.partition("::")[2] for pick in choice.picks if "::" in pick.target]
        if choice.whole:
            which = ["--workspace"]
        elif named:
            which = ["--workspace", "--", "--exact", *named]
        locked = ["--locked"] if tree.in_place else []  # else it may write Cargo.lock
        argv = (
            *(tools.find("cargo", made, "install Rust"), "test", "--offline", "--no-fail-fast"),
            *(*locked, *which),
        )
        return tools.into_file(argv, tree.scratch / _OUTPUT, tree.root, made, "2>&1")

    def read(self, tree: Tree, choice: Choice, ended: Ended) -> Report:
        """Return the tests, each named by its target: ``cart::tests::totals``."""
        output = words.plain(tools.said(tree.scratch / _OUTPUT))
        cases = _cases(tree, output)
        tail = words.last_lines(output or ended.output)
        if ended.stopped:
            state = State.TIMED_OUT if ended.stopped == "time" else State.OVERRAN
            return Report(state, cases, ended.seconds, f"cargo test: {ended.stopped}", tail)
        if "error: could not compile" in output:
            where, error = _compile_error(tree, output)
            return Report(
                State.UNCOLLECTED,
                cases,
                ended.seconds,
                f"{where}: {error}" if where else error,
                tail,
                {where or "Cargo.toml": error},
            )
        if any(case.mark is Mark.FAILED for case in cases):
            return Report(State.RED, cases, ended.seconds)
        if ended.code != 0:
            return Report(State.BROKEN, cases, ended.seconds, _problem(output), tail)
        return Report(State.GREEN if cases else State.NOTHING, cases, ended.seconds)


def _environment(tree: Tree) -> dict[str, str]:
    return environment.plain(tree) | {
        "CARGO_TARGET_DIR": str(tree.scratch / "cargo"),
        "CARGO_TERM_COLOR": "never",
        "CARGO_NET_OFFLINE": "true",
        "RUST_BACKTRACE": "0",
    }


def _packages(tree: Tree) -> dict[str, _Package]:
    made = _environment(tree)
    cargo = tools.find("cargo", made, "install Rust")
    argv = [cargo, "metadata", "--offline", "--format-version", "1", "--no-deps"]
    answer = tools.ask(argv, tree.root, made)
    try:
        said = cast("dict[str, object]", json.loads(answer.output))
    except ValueError as error:
        raise EnvironmentBroken(_problem(answer.errors)) from error
    found: dict[str, _Package] = {}
    for entry in cast("list[dict[str, object]]", said["packages"]):
        folder = words.relative(tree, str(entry["manifest_path"]).rpartition("/")[0])
        needs = {
            str(need["name"])
            for need in cast("list[dict[str, object]]", entry["dependencies"])
            if need.get("path")
        }
        found[str(entry["name"])] = _Package("" if folder == "." else folder, frozenset(needs))
    return found


def _problem(errors: str) -> str:
    """Return cargo's own first error in one line, and what to do where we know."""
    said = [told[2] for line in errors.splitlines() if (told := _ERROR.match(line.strip()))]
    first = said[0] if said else words.first_line(errors) or "cargo says nothing"
    if "offline" in errors or "no matching package" in errors or "failed to download" in errors:
        return f"a crate is not on this machine ({first}): run cargo fetch"[:500]
    if "--locked" in errors:
        return "Cargo.lock is out of date: run cargo check once"
    return f"cargo failed: {first}"[:500]


def _owner(path: str, packages: Mapping[str, _Package]) -> str | None:
    best: str | None = None
    for name, package in packages.items():
        inside = not package.folder or path.startswith(f"{package.folder}/")
        if inside and (best is None or len(package.folder) > len(packages[best].folder)):
            best = name
    return best


def _is_named(path: str, tree: Tree) -> bool:
    """Whether a document is part of the code: ``include_str!("../README.md")``."""
    name = path.rpartition("/")[2]
    return any(
        name in tree_files.read_text(tree.root, file)
        for file in tree_files.walk(tree.root)
        if file.endswith(".rs")
    )


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


def _cases(tree: Tree, output: str) -> tuple[Case, ...]:
    target, source, test = "", "", ""
    marks: dict[str, Mark] = {}
    reports: dict[str, list[str]] = {}
    sources: dict[str, str] = {}
    for line in output.splitlines():
        if told := _RUNNING.match(line):
            source, target, test = told[1], told[2], ""
        elif told := _DOCS.match(line):
            source, target, test = "", f"{told[1]} (doc)", ""
        elif told := _TEST.match(line):
            name = f"{target}::{told[1]}"
            test = ""
            marks[name] = {"ok": Mark.PASSED, "FAILED": Mark.FAILED}.get(told[2], Mark.SKIPPED)
            sources[name] = source
        elif told := _STDOUT.match(line):
            test = f"{target}::{told[1]}"
        elif line in ("failures:", "successes:"):
            test = ""
        elif test:
            reports.setdefault(test, []).append(line)
    return tuple(
        Case(
            name,
            mark,
            failure=_failure(tree, reports.get(name, [])) if mark is Mark.FAILED else None,
        )
        for name, mark in marks.items()
    )


def _failure(tree: Tree, lines: list[str]) -> Failure:
    places: list[tuple[str, int]] = []
    exception = message = ""
    for number, line in enumerate(lines):
        told = _PANIC.search(line)
        if told:
            exception = "panic"
            message = told[1] or (lines[number + 1].strip() if number + 1 < len(lines) else "")
            path = words.relative(tree, told[2])
            places = [(path, int(told[3]))] if path else []
            break
    return words.failure(tree, exception, "\n".join(lines), places, message)


def _compile_error(tree: Tree, output: str) -> tuple[str, str]:
    error = ""
    for line in output.splitlines():
        if (told := _ERROR.match(line)) and not error:
            error = told[2]
        elif error and (place := _ARROW.match(line)):
            path = words.relative(tree, place[1].strip()) or place[1].strip()
            return path, f"line {place[2]}: {error}"[:500]
    return "", error or "it could not be compiled"
