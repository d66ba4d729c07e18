"""pytest-testmon: which tests ran code that changed, as its own record says.

The record lies in our folder (TESTMON_DATAFILE), so the person's own .testmondata is neither read
nor written. Selection is done before the run, by asking the record in the project's interpreter;
the run itself records with ``--testmon-noselect``. So what the static rules add is run as well,
and `-m` in the project's options, which turns testmon's own selection off, does no harm.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from . import outside
from .environment import RECORDER as _RECORDER_FILE
from .records import Tree

DATA = "testmondata"
RECORDER = _RECORDER_FILE.removesuffix(".py")
ASK = Path(__file__).with_name("testmon_ask.py").read_text("utf-8")
LIMIT = 60.0


@dataclass(frozen=True, slots=True)
class Recorded:
    """What testmon's record says about the files as they are now."""

    affected: Mapping[str, str]
    """Tests that ran code that differs now, each with the file in which it does."""
    files: frozenset[str]
    """Test files of which at least one test was recorded."""
    environment: int
    """testmon's number for Python and its packages; a new one comes with an empty record."""
    packages: str
    """Python and its packages as they are now."""


class Unrecorded(Exception):
    """There is no record."""


class Unreadable(Exception):
    """The record could not be asked: testmon is of a version we do not know, or fails."""


def arguments(tree: Tree) -> tuple[str, ...]:
    """Return what makes pytest record what it runs, and run all that it is told.

    For runs of `python_choice`'s choices alone: testmon drops from its record each test that is
    affected and not collected, so a run of other tests would make it forget what is due.
    """
    return ("-p", RECORDER, "--testmon-noselect", f"--rootdir={tree.root}")


def environment(tree: Tree) -> dict[str, str]:
    """Return the variables that keep the record in our folder."""
    return {"TESTMON_DATAFILE": str(tree.scratch / DATA)}


def breaks(tree: Tree, version: str) -> bool:
    """Whether testmon of this version broke pytest in this project."""
    try:
        return _broken(tree).read_text("utf-8") == version
    except FileNotFoundError:
        return False


def broke(tree: Tree, version: str) -> None:
    """Remember that it did: it is done without until another version is there."""
    _broken(tree).write_text(version, "utf-8")
    forget(tree)


def _broken(tree: Tree) -> Path:
    return tree.scratch / "testmon-breaks"


def forget(tree: Tree) -> None:
    """Remove the record, e.g. one that a killed process left damaged."""
    for end in ("", "-wal", "-shm", "-journal"):
        (tree.scratch / f"{DATA}{end}").unlink(missing_ok=True)
    outside.place(tree).unlink(missing_ok=True)


def ask(tree: Tree, python: Path) -> Recorded:
    """Ask the record which tests the files as they are now affect. Raise Unrecorded, Unreadable."""
    data = tree.scratch / DATA
    if not data.is_file():
        raise Unrecorded("testmon has no record yet")
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    try:
        done = subprocess.run(
            # As text: our own modules' names would hide the project's were it run as a file.
            [str(python), "-B", "-c", ASK, str(tree.root), str(data)],
            cwd="/",
            env=kept,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=LIMIT,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unreadable(f"testmon could not be asked: {error}") from error
    try:
        said: object = json.loads(done.stdout)
    except ValueError as error:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no answer"]
        raise Unreadable(f"testmon could not be asked: {last[0][:200]}") from error
    answer = cast("dict[str, object]", said)
    return Recorded(
        affected=cast("dict[str, str]", answer["affected"]),
        files=frozenset(cast("list[str]", answer["files"])),
        environment=cast("int", answer["environment"]),
        packages=str(answer["packages"]),
    )
