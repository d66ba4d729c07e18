"""What a change is, computed: everything that a message about it may say."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .code_facts import code_statements
from .dependencies import dependencies_of
from .file_facts import aside_of, file_statements
from .paths import name_of, role, scope_of
from .records import Change, Dependency, Facts, FileChange
from .signals import only_comments, only_space, version_of
from .statement import Statement, several
from .told import supported, told_by_changelog

_BRANCH = re.compile(
    r"^(?:[\w.]+/)?(?P<kind>feat|feature|fix|bugfix|hotfix|docs|test|refactor|build|ci|style|chore"
    r"|perf)[/\-_]"
)
_BRANCH_KINDS = {"feature": "feat", "bugfix": "fix", "hotfix": "fix"}


def facts_of(change: Change) -> Facts:
    """Compute a change's facts. Of an empty one they are empty, with the kind ``chore``."""
    files = change.files
    if not files:
        return Facts(kind="chore", main="", main_path="", statements=(), reason="nothing changed")
    dependencies = dependencies_of(files)
    version = version_of(files)
    found = [
        *code_statements(files),
        *_dependency_statements(dependencies, files),
        *_version_statement(version),
        *told_by_changelog(files),
        *supported(files),
        *file_statements(files),
        _largest(files),
    ]
    ranked = sorted(found, key=lambda statement: -statement.weight)
    kind, reason = _kind(change, ranked, dependencies, version)
    first = ranked[0]
    told = [role(file) for file in files]
    mattering = [
        file.path
        for file, part in zip(files, told, strict=True)
        if part == role(_file(files, first.path))
    ]
    return Facts(
        kind=kind,
        main=first.thing,
        main_path=first.path,
        statements=tuple(dict.fromkeys(statement.text for statement in ranked)),
        scope=scope_of(mattering) or scope_of([first.path] if first.path else []),
        dependencies=dependencies,
        aside=aside_of(files),
        reason=reason,
        version=version,
    )


def _largest(files: Sequence[FileChange]) -> Statement:
    """The least that can be said."""
    largest = max(files, key=lambda file: (role(file) != "aside", file.added + file.removed))
    name = name_of(largest.path)
    return Statement(f"updates {name}", name, largest.path, 0.5)


def _file(files: Sequence[FileChange], path: str) -> FileChange:
    return next((file for file in files if file.path == path), files[0])


def _dependency_statements(
    dependencies: Sequence[Dependency], files: Sequence[FileChange]
) -> list[Statement]:
    weight = (
        60.0 if all(role(file) in ("manifest", "ci", "aside", "config") for file in files) else 18.0
    )
    bumped = all(one.before and one.after for one in dependencies)
    if weight < 30 and len(dependencies) <= 2 and bumped:
        weight = 29.0
    if len(dependencies) > 3:
        path = dependencies[0].path
        place = "dependencies" if len({one.path for one in dependencies}) > 1 else path
        what = (
            "actions"
            if all("/.github" in f"/{one.path}" for one in dependencies)
            else "dependencies"
        )
        text = (
            f"updates {what}" if bumped or place == "dependencies" else f"updates {what} in {path}"
        )
        return [Statement(text, what, path, weight)]
    found: list[Statement] = []
    if len(dependencies) > 1 and bumped:
        names = several([one.name for one in dependencies])
        first = dependencies[0]
        found.append(Statement(f"bumps {names}", first.name, first.path, weight + 1))
    for number, one in enumerate(dependencies):
        if one.before and one.after:
            text = f"bumps {one.name} from {one.before} to {one.after}"
        elif one.before is None:
            text = f"adds the dependency {one.name}" + (f" {one.after}" if one.after else "")
        elif one.after is None:
            text = f"removes the dependency {one.name}"
        else:
            text = f"changes the requirement of {one.name}"
        found.append(Statement(text, one.name, one.path, weight - number))
    return found


def _version_statement(version: tuple[str, str] | None) -> list[Statement]:
    if version is None:
        return []
    text = f"bumps the version from {version[0]} to {version[1]}"
    return [Statement(text, version[1], "", 58.0)]


def _kind(
    change: Change,
    ranked: Sequence[Statement],
    dependencies: Sequence[Dependency],
    version: tuple[str, str] | None,
) -> tuple[str, str]:
    files = change.files
    roles = {role(file) for file in files} - {"aside"}
    if not roles:
        return "chore", "only generated, lock and vendored files"
    if roles <= {"docs", "asset"}:
        return "docs", "only documents"
    if version is not None and "code" not in {
        role(file) for file in files if file.added + file.removed > 2
    }:
        return "chore", "the project's version"
    if dependencies and roles <= {"manifest", "ci", "config"}:
        return "build", "dependencies"
    if roles == {"ci"}:
        return "ci", "only continuous integration"
    if roles <= {"test", "docs"}:
        return "test", "only tests"
    if roles <= {"manifest", "config", "ci"}:
        return ("build" if "manifest" in roles else "chore"), "only settings"
    code = [file for file in files if role(file) == "code"]
    if only_comments(code):
        return "docs", "only comments"
    if only_space(code):
        return "style", "only white space and layout"
    branch = _BRANCH.match(change.branch)
    if branch is not None:
        return _BRANCH_KINDS.get(branch["kind"], branch["kind"]), "the branch's name"
    return _code_kind(code, ranked)


def _code_kind(code: Sequence[FileChange], ranked: Sequence[Statement]) -> tuple[str, str]:
    new = [one for one in ranked if one.sort == "new"]
    if new:
        return "feat", new[0].text
    gone = [one for one in ranked if one.sort == "gone"]
    moved = [one for one in ranked if one.sort == "moved"]
    if moved:
        return "refactor", moved[0].text
    added, removed = sum(file.added for file in code), sum(file.removed for file in code)
    if gone and removed > added:
        return "refactor", gone[0].text
    if added + removed > 40 and removed > 0.8 * added:
        return "refactor", "about as much went as came, and nothing new has a name"
    return "fix", "code changed and nothing public is new"
