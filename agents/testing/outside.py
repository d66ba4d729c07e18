"""What ran where testmon does not look, as `outside_tests` wrote it down in the project's Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from .records import Tree
from .shapes import Shape

DATA = "outside.jsonl"
EVERYWHERE = ""
"""In place of a file: it is not known on whose behalf it was."""


@dataclass(frozen=True, slots=True)
class Outside:
    """Code that ran while no test did, or for more than the test that was running."""

    ran: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    """Functions, ``shop/cart.py::Cart.total``, each with the files on whose behalf: those that were
    being imported or collected, and those whose fixtures were set up."""
    unseen: tuple[str, ...] = ()
    """Tests that started other processes, or traced by themselves."""
    unseen_in: tuple[str, ...] = ()
    """Files on whose behalf other processes were started, as by a fixture of the session."""

    def joined(self, other: Outside) -> Outside:
        """Return what ran in either run."""
        ran = {
            name: tuple(sorted({*self.ran.get(name, ()), *other.ran.get(name, ())}))
            for name in self.ran.keys() | other.ran.keys()
        }
        return Outside(
            ran,
            tuple(sorted({*self.unseen, *other.unseen})),
            tuple(sorted({*self.unseen_in, *other.unseen_in})),
        )


def place(tree: Tree) -> Path:
    """Return the file that the plugin writes."""
    return tree.scratch / DATA


def read(tree: Tree, shape_of: Callable[[str], Shape | None]) -> Outside | None:
    """Return what the last run wrote; None if not all of its processes came to their end.

    ``shape_of`` a file as it was in that run.
    """
    begun: set[int] = set()
    ended: set[int] = set()
    ran: dict[str, set[str]] = {}
    unseen: set[str] = set()
    unseen_in: set[str] = set()
    try:
        with place(tree).open("rb") as lines:
            for line in lines:
                said = cast("dict[str, object]", json.loads(line))
                pid = cast("int", said["pid"])
                if "begun" in said:
                    begun.add(pid)
                    continue
                ended.add(pid)
                unseen.update(cast("list[str]", said["unseen"]))
                unseen_in.update(cast("list[str]", said["unseen_in"]))
                for path, number, behalf in cast("list[tuple[str, int, str]]", said["ran"]):
                    shape = shape_of(path)
                    name = shape.function_at(number) if shape else ""
                    if name:
                        ran.setdefault(f"{path}::{name}", set()).add(behalf)
    except (OSError, ValueError, KeyError):
        return None
    if not begun or begun != ended:
        return None
    found = {name: tuple(sorted(behalf)) for name, behalf in sorted(ran.items())}
    return Outside(found, tuple(sorted(unseen)), tuple(sorted(unseen_in)))
