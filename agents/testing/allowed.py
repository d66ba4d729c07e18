"""Whether a repository's tests may be run. Its code is run only where a person said yes to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..contract import (
    Done,
    Finding,
    Lane,
    Level,
    Misconfigured,
    NeedsUser,
    Nothing,
    Outcome,
    Skipped,
)
from ..project_settings import ProjectSettings

if TYPE_CHECKING:
    from ...memory.work import Work

TRUST = "trust"
"""What is asked once of each repository."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """Its tests may be run, by these settings."""

    project: ProjectSettings


def allowed(
    work: Work,
    repo: str,
    worktree: Path,
    lane: Lane,
    read: Callable[[Path], ProjectSettings],
    has_tests: Callable[[ProjectSettings], bool],
) -> Allowed | Outcome:
    """Return the project's settings if its tests may be run, else what becomes of the job. In a
    thread. Raise NeedsUser where a person waits, Misconfigured as `read_project` does.

    ``has_tests`` looks without running anything: where there are none nobody is asked.
    """
    trusted = work.trust.holds(repo, worktree)
    try:
        project = read(worktree)
    except Misconfigured:
        if trusted:
            raise
        project = ProjectSettings()
    if not project.tests.enabled:
        return Skipped("tests are turned off in the repository's .hermes.toml")
    if trusted:
        work.runs.waiting.unsay(repo, TRUST)
        return Allowed(project)
    why = f"{worktree.name} is not trusted: hermes runs the code only of repositories that are"
    hint = f"hermes trust {worktree}"
    if lane is Lane.ON_DEMAND:
        raise NeedsUser(why, hint=hint)
    if not has_tests(project):
        return Nothing(f"no tests were found in {worktree.name}")
    if lane is Lane.SCHEDULED or not work.runs.waiting.say_once(repo, TRUST, time.time()):
        return Skipped(why)
    ask = Finding(
        cause=f"trust:{repo}",
        title=f"May hermes run the tests of {worktree.name} when you save?",
        level=Level.GLANCE,
        next_step=hint,
        body="It runs the repository's code, on a copy, and only if you say yes.",
    )
    return Done(f"asked whether {worktree.name} is trusted", findings=[ask])
