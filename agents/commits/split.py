"""How unrelated parts of a change could be separate commits.

Parts are the hunks of text files, and whole files otherwise. What names what another part defines
belongs with it, as do tests with their code, a lock file with its manifest, and the parts of one
file that nothing tells apart. Deterministic; it reads the change only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Literal

from .paths import Role, is_changelog, role, stem_of
from .records import Change, FileChange, Hunk

Theme = Literal["dependencies", "formatting", "code", "tests", "ci", "documents", "other"]

_ORDER: tuple[Theme, ...] = (
    *("dependencies", "formatting", "code", "tests", "ci", "documents", "other"),
)
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_RANGE = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_COMMON = frozenset({"main", "run", "get", "set", "init", "test", "name", "self", "setup", "new"})
"""Names that so many things have that they tell nothing."""
_ROLES: dict[Role, Theme] = {
    "code": "code",
    "test": "tests",
    "docs": "documents",
    "ci": "ci",
    "manifest": "dependencies",
    "config": "other",
    "asset": "other",
    "aside": "other",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A hunk of a file, or all of it."""

    path: str
    hunk: int | None = None
    """Which of the file's hunks, counted from 0."""


@dataclass(frozen=True, slots=True)
class Group:
    """Parts that belong in one commit."""

    theme: Theme
    parts: tuple[Part, ...]
    why: tuple[str, ...]
    """What holds it together, a line each."""
    change: Change
    """These parts as a change of their own."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The files it touches, in order."""
        return tuple(dict.fromkeys(part.path for part in self.parts))


class _Sets:
    """Parts that are joined step by step, with the reasons."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))
        self.reasons: list[tuple[int, str]] = []

    def of(self, one: int) -> int:
        while self._parent[one] != one:
            one = self._parent[one]
        return one

    def join(self, one: int, other: int, why: str = "") -> None:
        first, second = sorted((self.of(one), self.of(other)))
        if first != second:
            self._parent[second] = first
            if why:
                self.reasons.append((one, why))


@dataclass(frozen=True, slots=True)
class _Unit:
    part: Part
    file: FileChange
    theme: Theme
    defines: frozenset[str]
    mentions: frozenset[str]


def split(change: Change) -> list[Group]:
    """Return the groups of a change in the order in which they could be committed; one if it all
    belongs together, none if there is nothing."""
    units = [unit for file in change.files for unit in _units(file)]
    sets = _Sets(len(units))
    _join_references(units, sets)
    _join_tests(units, sets)
    _join_dependencies(units, sets)
    _join_files(units, sets)
    _join_leftovers(units, sets)
    members: dict[int, list[int]] = {}
    for number in range(len(units)):
        members.setdefault(sets.of(number), []).append(number)
    groups = [
        _group(change, [units[number] for number in found], _reasons(sets, root))
        for root, found in members.items()
    ]
    return sorted(groups, key=lambda group: (_ORDER.index(group.theme), group.parts[0].path))


def _units(file: FileChange) -> Iterator[_Unit]:
    theme = _ROLES[role(file)]
    if file.kind not in ("changed",) or len(file.hunks) < 2:
        lines = [line for hunk in file.hunks for line in hunk.lines]
        kind = "formatting" if file.hunks and all(map(_is_formatting, file.hunks)) else theme
        if file.kind != "changed":
            kind = theme
        names = frozenset(_names(file, None))
        yield _Unit(Part(file.path), file, kind, names, _mentions(lines))
        return
    if all(map(_is_formatting, file.hunks)):
        yield _Unit(Part(file.path), file, "formatting", frozenset(), frozenset())
        return
    for number, hunk in enumerate(file.hunks):
        formatting = _is_formatting(hunk)
        names = frozenset[str]() if formatting else frozenset(_names(file, hunk))
        mentions = frozenset[str]() if formatting else _mentions(hunk.lines)
        kind = "formatting" if formatting else theme
        yield _Unit(Part(file.path, number), file, kind, names, mentions)


def _is_formatting(hunk: Hunk) -> bool:
    """Say whether a hunk changes nothing but space: where lines break does not count."""
    old = "".join(line[1:] for line in hunk.lines if line.startswith("-"))
    new = "".join(line[1:] for line in hunk.lines if line.startswith("+"))
    return "".join(old.split()) == "".join(new.split())


def _names(file: FileChange, hunk: Hunk | None) -> Iterator[str]:
    """Yield the short names whose definition a hunk, or the file, changes."""
    span = None if hunk is None else _RANGE.match(hunk.header)
    for change in file.symbols:
        for symbol, start, count in ((change.before, 1, 2), (change.after, 3, 4)):
            if symbol is None:
                continue
            if span is not None:
                first = int(span[start])
                last = first + int(span[count] or 1)
                if symbol.end < first or symbol.line > last:
                    continue
            if len(symbol.short) > 2 and symbol.short.lower() not in _COMMON:
                yield symbol.short


def _mentions(lines: Iterable[str]) -> frozenset[str]:
    changed = (line[1:] for line in lines if line[:1] in ("+", "-"))
    return frozenset(word for line in changed for word in _WORD.findall(line))


def _join_references(units: Sequence[_Unit], sets: _Sets) -> None:
    home: dict[str, list[int]] = {}
    for number, unit in enumerate(units):
        for name in unit.defines:
            home.setdefault(name, []).append(number)
    for name in sorted(home):
        first, *more = home[name]
        for other in more:
            if units[other].part.path == units[first].part.path:
                sets.join(first, other, f"both change {name}")
        for number, unit in enumerate(units):
            # A changelog names everything; that joins nothing.
            if name in unit.mentions and number != first and not is_changelog(unit.part.path):
                sets.join(first, number, f"{unit.part.path} names {name}")


def _join_tests(units: Sequence[_Unit], sets: _Sets) -> None:
    code: dict[str, int] = {}
    for number, unit in enumerate(units):
        if unit.theme == "code":
            code.setdefault(stem_of(unit.part.path).lstrip("_"), number)
    for number, unit in enumerate(units):
        if unit.theme != "tests":
            continue
        stem = stem_of(unit.part.path)
        plain = re.sub(r"^test_|_test$|_spec$|Test$|Tests$", "", stem)
        found = code.get(plain)
        linked = any(
            sets.of(number) == sets.of(other)
            for other, each in enumerate(units)
            if each.theme == "code"
        )
        if found is not None and not linked:
            sets.join(found, number, f"{unit.part.path} tests {units[found].part.path}")


def _join_dependencies(units: Sequence[_Unit], sets: _Sets) -> None:
    """A lock file goes with the manifest beside it, else with any."""
    manifests = [n for n, unit in enumerate(units) if unit.theme == "dependencies"]
    for number, unit in enumerate(units):
        if role(unit.file) != "aside" or not manifests:
            continue
        folder = PurePosixPath(unit.part.path).parent
        beside = [n for n in manifests if PurePosixPath(units[n].part.path).parent == folder]
        sets.join((beside or manifests)[0], number, f"{unit.part.path} follows the manifest")


def _join_files(units: Sequence[_Unit], sets: _Sets) -> None:
    """Hunks of one file stay together unless they are tied to different other files."""
    by_file: dict[str, list[int]] = {}
    for number, unit in enumerate(units):
        if unit.theme != "formatting":
            by_file.setdefault(unit.part.path, []).append(number)
    for path, numbers in by_file.items():
        if len(numbers) < 2:
            continue
        tied = {
            sets.of(number)
            for number in numbers
            if any(
                sets.of(other) == sets.of(number) and units[other].part.path != path
                for other in range(len(units))
            )
        }
        if len(tied) < 2:
            for other in numbers[1:]:
                sets.join(numbers[0], other)
            continue
        last = next(number for number in numbers if sets.of(number) in tied)
        for number in numbers:
            if sets.of(number) in tied:
                last = number
            else:
                sets.join(last, number, f"in {path}, beside what it goes with")


def _join_leftovers(units: Sequence[_Unit], sets: _Sets) -> None:
    """What nothing ties goes with its kind: code by folder, the rest as a whole. Groups of several
    files that are told apart stay so."""
    members: dict[int, list[int]] = {}
    for number in range(len(units)):
        members.setdefault(sets.of(number), []).append(number)
    tied = {r for r, found in members.items() if len({units[n].part.path for n in found}) > 1}
    places: dict[tuple[Theme, str], int] = {}
    for root, found in sorted(members.items(), key=lambda item: (item[0] not in tied, item[0])):
        theme = _theme([units[number] for number in found])
        by_folder = theme in ("code", "tests", "other")
        for number in found:
            if by_folder and units[number].theme != theme:
                continue
            folder = str(PurePosixPath(units[number].part.path).parent) if by_folder else ""
            place = (theme, folder)
            if place not in places:
                places[place] = number
            elif root not in tied or not by_folder:
                why = f"both in {folder}" if folder not in ("", ".") else ""
                sets.join(places[place], number, why)


def _theme(units: Sequence[_Unit]) -> Theme:
    """Return what a group is about: code before its tests, its documents and its dependencies."""
    themes = {unit.theme for unit in units}
    for theme in ("code", "tests", "dependencies", "ci", "documents", "other", "formatting"):
        if theme in themes:
            return theme
    return "other"


def _reasons(sets: _Sets, root: int) -> tuple[str, ...]:
    said = (why for number, why in sets.reasons if sets.of(number) == root)
    return tuple(dict.fromkeys(said))[:5]


def _group(change: Change, units: Sequence[_Unit], why: tuple[str, ...]) -> Group:
    theme = _theme(units)
    files: list[FileChange] = []
    parts: list[Part] = []
    for file in change.files:
        mine = [unit for unit in units if unit.part.path == file.path]
        whole = {unit.part.hunk for unit in mine}
        if not mine:
            continue
        if None in whole or len(whole) == len(file.hunks):
            parts.append(Part(file.path))
            files.append(file)
            continue
        chosen = sorted(number for number in whole if number is not None)
        parts += [Part(file.path, number) for number in chosen]
        hunks = tuple(file.hunks[number] for number in chosen)
        names = {name for unit in mine for name in unit.defines}
        files.append(_with_hunks(file, hunks, names))
    single = {
        "formatting": "only space changes",
        "documents": "only documents",
        "dependencies": "dependencies",
        "ci": "only how it is built and checked",
        "tests": "only tests",
    }
    reason = single.get(theme) if all(unit.theme == theme for unit in units) else None
    reasons = why or ((reason,) if reason else ())
    return Group(theme, tuple(parts), reasons, replace(change, files=tuple(files)))


def _with_hunks(file: FileChange, hunks: tuple[Hunk, ...], names: set[str]) -> FileChange:
    lines = [line for hunk in hunks for line in hunk.lines]
    return replace(
        file,
        hunks=hunks,
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
        symbols=tuple(
            change
            for change in file.symbols
            if (symbol := change.after or change.before) and symbol.short in names
        ),
    )
