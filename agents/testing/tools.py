"""Short calls of a project's own tools, to ask what it consists of."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .framework import EnvironmentBroken
from .records import Invocation

LIMIT = 120.0
MAX_BYTES = 100_000_000
"""Of a tool's results that are read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool printed."""

    code: int
    output: str
    errors: str


def find(name: str, environment: Mapping[str, str], hint: str) -> str:
    """Return where a tool is. Raise EnvironmentBroken."""
    found = shutil.which(name, path=environment.get("PATH", ""))
    if found is None:
        raise EnvironmentBroken(f"{name} is not installed, or not on the PATH: {hint}")
    return found


def ask(argv: list[str], folder: Path, environment: Mapping[str, str]) -> Answer:
    """Run a tool for at most two minutes. Raise EnvironmentBroken if it does not start or end."""
    try:
        done = subprocess.run(
            argv,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=LIMIT,
        )
    except OSError as error:
        raise EnvironmentBroken(f"{argv[0]} can't be started: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise EnvironmentBroken(f"{Path(argv[0]).name} did not answer in {LIMIT:.0f} s") from error
    return Answer(
        done.returncode,
        done.stdout.decode("utf-8", "replace"),
        done.stderr.decode("utf-8", "replace"),
    )


def into_file(
    argv: tuple[str, ...], file: Path, folder: Path, environment: Mapping[str, str], more: str = ""
) -> Invocation:
    """Return a process whose standard output is kept whole in a file: for tools that have no
    option for it. ``more`` is ``2>&1`` to have both streams there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    script = f'exec "$@" >"$0" {more}'.rstrip()
    return Invocation(("/bin/sh", "-c", script, str(file), *argv), folder, environment, file)


def said(file: Path) -> str:
    """Return what a process left in a file; empty if there is none."""
    try:
        with file.open("rb") as opened:
            return opened.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
