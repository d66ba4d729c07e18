"""What commits made wrong in documents."""

from __future__ import annotations

from ...ingest.git.command import Git
from ..project_settings import ProjectDocuments
from .records import Drift


def after(git: Git, old: str | None, new: str, project: ProjectDocuments) -> list[Drift]:
    """Return what the commits ``old..new`` made wrong in documents as they are at ``new``.

    Without ``old``, the parent of ``new``. Surest first. Raise a GitError subclass.
    """
    return []
