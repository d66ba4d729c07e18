"""Which changes can be left to testmon's record, and what is to be run besides.

What runs when a file is imported (constants, decorators, classes, signatures) is not left to it.
A function that changed is, but for what testmon does not see of it: where it ran before tests,
all tests are chosen that need the file on whose behalf it ran; where it is not known on whose, or
what it does outlives the test that calls it, its file counts as changed whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .choice_memory import Remembered, Shapes
from .outside import EVERYWHERE
from .shapes import Shape, changed_functions, kept


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What of a change is left to testmon's record."""

    files: frozenset[str] = frozenset()
    """Files of which only functions differ that can be left to it."""
    altered: frozenset[str] = frozenset()
    """Those of them that do something else now: of the others only comments and layout differ."""
    ran_for: Mapping[str, str] = field(default_factory=dict[str, str])
    """Files on whose behalf a changed function ran before tests, each with that function's file."""
    tests: tuple[str, ...] = ()
    """Test functions that changed themselves."""
    unseen: tuple[str, ...] = ()
    """Tests into which testmon does not see."""
    unseen_in: tuple[str, ...] = ()
    """Files of which it sees none of the tests whole that need them."""


def narrow(
    paths: Iterable[str],
    before: Remembered,
    texts: Mapping[str, str],
    shapes: Shapes,
    needs: Mapping[str, Iterable[str]],
) -> Narrowed:
    """Look into what differs from ``before``. ``needs``: what each file needs in one step."""
    seen = before.outside
    if seen is None or EVERYWHERE in seen.unseen_in:
        return Narrowed()
    changed: dict[str, tuple[str, ...]] = {}
    for path in paths:
        if path not in texts:
            continue
        was, is_now = before.shape(path), shapes.of(texts[path])
        differ = changed_functions(was, is_now) if was and is_now else None
        if differ is not None:
            changed[path] = differ
    if not changed:
        return Narrowed()
    outlives = kept(_versions(before, texts, shapes), needs)
    files: set[str] = set()
    ran_for: dict[str, str] = {}
    tests: list[str] = []
    for path, names in changed.items():
        behalf = {file for name in names for file in seen.ran.get(f"{path}::{name}", ())}
        if EVERYWHERE in behalf or any((path, name) in outlives for name in names):
            continue
        files.add(path)
        for file in behalf:
            ran_for.setdefault(file, path)
        for name in names:
            if name.rpartition(".")[2].startswith("test"):
                tests.append(f"{path}::{name.replace('.', '::')}")
    altered = frozenset(path for path in files if changed[path])
    return Narrowed(frozenset(files), altered, ran_for, tuple(tests), seen.unseen, seen.unseen_in)


def _versions(
    before: Remembered, texts: Mapping[str, str], shapes: Shapes
) -> dict[str, list[Shape]]:
    found: dict[str, list[Shape]] = {}
    for path, text in texts.items():
        versions = [before.shape(path), shapes.of(text)]
        found[path] = list({id(each): each for each in versions if each is not None}.values())
    return found
