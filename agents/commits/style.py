"""How a repository writes its commit messages, learnt from its history."""

from __future__ import annotations

from ...ingest.git.command import Git
from ..project_settings import ProjectCommits
from .records import Style


def learn(git: Git, project: ProjectCommits, *, rev: str = "HEAD") -> Style:
    """Learn from the history that ``rev`` reaches; ``project`` outweighs what is learnt."""
    raise NotImplementedError
