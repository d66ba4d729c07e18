"""What a person did with git, read from what git itself noted about HEAD."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ...agents.events import Cause

_TAIL = 262_144
"""Bytes at the end of a reflog that are read: more than a thousand moves."""
_MOST = 20
"""Moves between two looks that are told one by one; more are told as one."""

_VERBS: dict[str, Cause] = {
    "commit": "commit",
    "cherry-pick": "commit",
    "revert": "commit",
    "am": "commit",
    "merge": "merge",
    "pull": "merge",
    "checkout": "checkout",
    "reset": "reset",
    "rebase": "rebase",
}
GROWS = frozenset[Cause]({"commit", "amend", "merge"})
"""Causes that add history where HEAD is; the others only put HEAD elsewhere."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a reflog. Hashes are in full; all zeros stand for none."""

    old: str
    new: str
    message: str
    end: int = 0
    """Where in the file the next line begins."""


@dataclass(frozen=True, slots=True)
class Move:
    """HEAD went from ``old`` to ``new``; either is None where there is no commit."""

    old: str | None
    new: str | None
    cause: Cause
    branch: str | None = None


def entries(git_dir: Path) -> list[Entry]:
    """Return the last lines of HEAD's reflog, oldest first; none if there is no such file."""
    try:
        with open(git_dir / "logs" / "HEAD", "rb") as file:
            size = file.seek(0, os.SEEK_END)
            at = file.seek(max(0, size - _TAIL))
            lines = file.read(_TAIL).splitlines(keepends=True)
    except OSError:
        return []
    found: list[Entry] = []
    for number, line in enumerate(lines):
        at += len(line)
        whole = line.endswith(b"\n") and (number or size <= _TAIL)
        entry = _entry(line.decode(errors="replace").rstrip("\n"), at) if whole else None
        if entry is not None:
            found.append(entry)
    return found


def cause(message: str) -> Cause:
    """Return what a reflog's message says was done."""
    verb, _, rest = message.partition(":")[0].partition(" ")
    if verb == "commit" and "(amend)" in rest:
        return "amend"
    if verb == "commit" and "(merge)" in rest:
        return "merge"
    if verb == "pull" and "rebase" in rest:
        return "rebase"
    return _VERBS.get(verb, "unknown")


def since(log: Sequence[Entry], after: int, old: str | None, new: str | None) -> Sequence[Entry]:
    """Return the entries that lead from ``old`` to ``new`` without a gap; none if there are none.

    They begin ``after`` so many bytes of the file; where that does not fit, because git shortened
    it, at the last line that left ``old``.
    """
    while log and _sha(log[-1].new) != new:  # git has already written down what comes next
        log = log[:-1]
    later = [entry for entry in log if entry.end > after]
    if later and _sha(later[0].old) == old and _is_unbroken(later):
        return later
    for start in range(len(log) - 1, -1, -1):
        if _sha(log[start].old) == old:
            return log[start:] if _is_unbroken(log[start:]) else ()
    return ()


def moves(steps: Sequence[Entry], was_on: str | None, is_on: str | None) -> list[Move]:
    """Given what `since` found and the branches of HEAD then and now, return the moves in order.

    Steps of one kind are one move, and so is all of a rebase.
    """
    if not steps:
        return []
    told: list[Move] = []
    branch = was_on
    rebasing = False
    for step in steps:
        kind = cause(step.message)
        rebasing = kind == "rebase" or (rebasing and kind != "checkout")
        if rebasing:
            kind = "rebase"
            rebasing = not any(word in step.message for word in ("(finish)", "(abort)"))
        if kind == "checkout":
            branch = _target(step.message)
        joins = told and told[-1].cause == kind and kind in ("commit", "rebase", "checkout")
        before = told.pop().old if joins else _sha(step.old)
        told.append(Move(before, _sha(step.new), kind, branch))
    told[-1] = Move(told[-1].old, told[-1].new, told[-1].cause, is_on)
    if len(told) > _MOST:
        told = [Move(told[0].old, told[-1].new, told[-1].cause, is_on)]
    return [move for move in told if move.old != move.new or move.cause == "checkout"]


def _is_unbroken(log: Sequence[Entry]) -> bool:
    return all(before.new == after.old for before, after in pairwise(log))


def _target(message: str) -> str | None:
    """Given ``checkout: moving from a to b``, return b if it may be a branch."""
    _, found, target = message.rpartition(" to ")
    return target if found and not _is_sha(target) else None


def _is_sha(text: str) -> bool:
    return len(text) >= 40 and all(letter in "0123456789abcdef" for letter in text)


def _sha(text: str) -> str | None:
    return text if text.strip("0") else None


def _entry(line: str, end: int) -> Entry | None:
    who, _, message = line.partition("\t")
    parts = who.split(" ", 2)
    if len(parts) != 3 or not (_is_sha(parts[0]) and _is_sha(parts[1])):
        return None
    return Entry(parts[0], parts[1], message, end)
