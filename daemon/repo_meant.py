"""The one repository that a caller means, by its name or by where they stand."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from ..memory.errors import HermesError
from .host import Host
from .requests import AbsolutePath, Name
from .scope import NoSuchRepo
from .standing import repo_around

if TYPE_CHECKING:
    from ..memory.records import Repo


class NoWorktree(HermesError):
    """A bare repository has no files that could be run or looked at."""

    code = "usage"


class RepoIn(BaseModel):
    """A repository, by id, name or path; without it the one around ``cwd``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    repo: Name | None = None
    cwd: AbsolutePath | None = None


async def repo_meant(host: Host, name: str | None, cwd: str | None) -> Repo:
    """Return the repository that is named, else the one around a folder. Raise NoSuchRepo if
    there is none."""
    found = await repo_around(host, name, cwd)
    if found is None:
        raise NoSuchRepo(
            "you are in no repository that is in memory",
            hint="`hermes up` inside one takes it into memory, or name one of `hermes status`",
        )
    services = await host.warm.get()
    return await asyncio.to_thread(services.repo, found)


def worktree_of(repo: Repo) -> Path:
    """Return the folder of its files. Raise NoWorktree."""
    if repo.worktree is None:
        raise NoWorktree(f"{repo.name} is a bare repository: there are no files in it to test")
    return Path(repo.worktree)
