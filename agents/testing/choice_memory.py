"""What the choice of Python tests remembers of the files as they were when tests last ran.

A file that is gone can't be asked who imported it, and what changed in a file can be told only
beside what it was. `pending` is written with each choice; it becomes the memory when that choice
was run to its end, and only then: else a change would be forgotten whose tests were stopped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import cast

from .import_graph import Graph
from .outside import Outside
from .records import Tree
from .shapes import Shape, read_shape

VERSION = 3
_BEFORE = "choice.json"
_PENDING = "choice.pending.json"


@dataclass(frozen=True, slots=True)
class Remembered:
    """A tree's Python files at one moment."""

    needs: Mapping[str, tuple[str, ...]]
    hashes: Mapping[str, str]
    """Of each file's text."""
    shapes: Mapping[str, Shape]
    """By the text's hash; a file that does not parse has none."""
    settings: str = ""
    """What of the project's settings the imports depend on."""
    python: str = ""
    """The interpreter whose testmon recorded; empty without testmon."""
    whole: bool = False
    """All tests were run."""
    environment: int = 0
    packages: str = ""
    """testmon's environment in which all tests were recorded; empty: they were not."""
    outside: Outside | None = None
    """What ran where testmon does not look; None: that is not known."""

    @property
    def graph(self) -> Graph:
        """Return the imports."""
        return Graph({path: frozenset(needs) for path, needs in self.needs.items()})

    def shape(self, path: str) -> Shape | None:
        """Return a file's shape; None if it was not there or did not parse."""
        return self.shapes.get(self.hashes.get(path, ""))


@dataclass(slots=True)
class Shapes:
    """Shapes of texts, each made once."""

    known: Mapping[str, Shape]
    made: dict[str, Shape] = field(default_factory=dict[str, Shape])

    def of(self, text: str) -> Shape | None:
        """Return a text's shape; None if it does not parse."""
        key = text_hash(text)
        if key not in self.made:
            shape = self.known.get(key) or read_shape(text)
            if shape is None:
                return None
            self.made[key] = shape
        return self.made[key]


def text_hash(text: str) -> str:
    """Return a name for a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def load(tree: Tree) -> Remembered | None:
    """Return the memory of the last run that was ended; None if there is none that we can read."""
    return _read(tree.scratch / _BEFORE)


def load_pending(tree: Tree) -> Remembered | None:
    """Return what was remembered with the last choice."""
    return _read(tree.scratch / _PENDING)


def save_pending(tree: Tree, remembered: Remembered) -> None:
    """Remember the files of a choice that is about to be run."""
    _write(tree.scratch / _PENDING, remembered)


def save(tree: Tree, remembered: Remembered) -> None:
    """Remember the files of a choice that was run to its end."""
    _write(tree.scratch / _BEFORE, remembered)
    (tree.scratch / _PENDING).unlink(missing_ok=True)


def _write(file: Path, remembered: Remembered) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(
        json.dumps({"version": VERSION, **_fields(remembered)}, default=_fields), "utf-8"
    )
    part.replace(file)


def _fields(of: object) -> dict[str, object]:
    """Return a dataclass's fields as they are: `asdict` would copy all that is in them."""
    assert isinstance(of, Remembered | Shape | Outside)
    return {each.name: getattr(of, each.name) for each in fields(of)}


def _read(file: Path) -> Remembered | None:
    try:
        said = cast("dict[str, object]", json.loads(file.read_text("utf-8")))
        if said.pop("version", None) != VERSION:
            return None
        shapes = cast("dict[str, dict[str, object]]", said.pop("shapes"))
        kept = {key: Shape(**_tuples(shape)) for key, shape in shapes.items()}  # type: ignore[arg-type]
        outside = cast("dict[str, dict[str, object]] | None", said.pop("outside"))
        ran = Outside(**_tuples(outside)) if outside else None  # type: ignore[arg-type]
        return Remembered(shapes=kept, outside=ran, **said)  # type: ignore[arg-type]
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None  # of an older version, or damaged: as if nothing was remembered


def _tuples(shape: Mapping[str, object]) -> dict[str, object]:
    return {
        key: tuple(cast("list[str]", value)) if isinstance(value, list) else value
        for key, value in shape.items()
    }
