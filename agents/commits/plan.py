"""The exact commands that make several commits of one index: printed, never run.

The whole index is kept as a tree first, so that nothing that was staged can be lost, and what was
not staged stays as it is.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from ...ingest.git.command import DIFF_OPTIONS, Git
from .split import Group

_HUNK = re.compile(rb"^@@ ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """One commit of the plan."""

    subject: str
    commands: tuple[str, ...]
    """For a POSIX shell, at the top of the repository; one may span lines."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to type, in order."""

    first: tuple[str, ...]
    steps: tuple[Step, ...]
    undo: str
    """Brings the index back as it was, as long as the shell is open."""


def plan(git: Git, groups: Sequence[Group], subjects: Sequence[str]) -> Plan:
    """Return the commands for groups of what is staged. Blocks; raise a GitError subclass."""
    left: dict[str, int] = {}
    for group in groups:
        for path in group.paths:
            left[path] = left.get(path, 0) + 1
    steps: list[Step] = []
    for group, subject in zip(groups, subjects, strict=True):
        whole: list[str] = []
        patches: list[str] = []
        for path in group.paths:
            left[path] -= 1
            hunks = [p.hunk for p in group.parts if p.path == path and p.hunk is not None]
            if not hunks or not left[path]:  # the last to touch a file takes what remains of it
                whole.append(path)
                continue
            patches.append(_patch(git, path, hunks))
        old = [
            file.old_path
            for file in group.change.files
            if file.old_path is not None and file.kind == "renamed"
        ]
        commands: list[str] = []
        if whole:
            words = " ".join(shlex.quote(f":(top,literal){path}") for path in (*old, *whole))
            commands.append(f'git restore --staged --source="$all" -- {words}')
        commands += patches
        commands.append(f"git commit -m {shlex.quote(subject)}")
        steps.append(Step(subject, tuple(commands)))
    first = ("all=$(git write-tree)", "git reset -q")
    return Plan(first, tuple(steps), 'git read-tree "$all"')


def _patch(git: Git, path: str, hunks: Sequence[int]) -> str:
    literal = f":(top,literal){path}"
    text = git.run("diff", "--cached", "--no-renames", "--patch", *DIFF_OPTIONS, "--", literal)
    starts = [match.start() for match in _HUNK.finditer(text)]
    ends = [*starts[1:], len(text)]
    chosen = b"".join(text[starts[number] : ends[number]] for number in hunks)
    patch = (text[: starts[0]] + chosen).decode("utf-8", "surrogateescape")
    mark = "PATCH"
    while f"\n{mark}\n" in patch:
        mark += "_"
    return f"git apply --cached - <<'{mark}'\n{patch}{mark}"
