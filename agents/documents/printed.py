"""What a project's programs print for ``--help``, by running them: only where a person trusts it."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from pathlib import Path

from ...ingest.git.command import COMPARING, Git
from ..testing import environment, process
from ..testing.framework import EnvironmentBroken
from ..testing.limits import Limits
from ..testing.python_places import places
from ..testing.records import Invocation, Tree
from .conventions import is_prose
from .help import asked_for
from .records import Document

SECONDS = 10.0
"""That one program may take to print its help."""
MOST_ASKED = 30
"""Commands in one look."""
LIMITS = Limits(
    temporary_bytes=64 << 20, file_bytes=16 << 20, output_bytes=4 << 20, processes=50, grace=0.5
)

logger = logging.getLogger(__name__)


async def printed(
    git: Git, programs: Mapping[str, tuple[str, ...]], documents: Mapping[str, Document], head: str
) -> Mapping[str, str] | None:
    """Given the programs of ``.hermes.toml`` and the documents at ``head``, return what each
    command that these show the help of prints, by the command's words.

    None where that can't be told: the worktree is at another commit, or has other code than it.
    What can't be run, or fails, is left out. Raise a GitError.
    """
    worktree = git.worktree
    commands = asked_for(documents, programs)[:MOST_ASKED]
    if worktree is None or not await asyncio.to_thread(_is_at, git, head):
        return None
    if not commands:
        return {}
    given = await asyncio.to_thread(_environment, worktree)
    found: dict[str, str] = {}
    for command in commands:
        first, *rest = command.split()
        argv = (*programs[first], *rest, "--help")
        try:
            ended = await process.run(
                Invocation(argv, worktree, given),
                limit=SECONDS,
                started=lambda pid: None,
                limits=LIMITS,
            )
        except EnvironmentBroken as error:
            logger.warning("%s --help can't be asked for: %s", command, error)
            continue
        if ended.code == 0:
            found[command] = ended.output
        else:
            why = f"it was ended for its {ended.stopped}" if ended.stopped else f"code {ended.code}"
            logger.warning("%s --help failed: %s", command, why)
    return found


def _is_at(git: Git, head: str) -> bool:
    """Say whether the worktree's code is that of a commit: else help would be another's."""
    if git.run("rev-parse", "HEAD^{commit}").decode().strip() != head:
        return False
    listed = git.run("diff-index", "--name-only", "-z", *COMPARING, "HEAD", "--")
    return all(is_prose(os.fsdecode(path)) for path in listed.split(b"\0") if path)


def _environment(worktree: Path) -> dict[str, str]:
    made = environment.plain(Tree(worktree, worktree, worktree))
    if place := next(places(worktree), None):
        made["PATH"] = os.pathsep.join([str(place.python.parent), made["PATH"]])
    return made | {"COLUMNS": "80", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
