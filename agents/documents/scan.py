"""What is wrong in all documents of a repository now."""

from __future__ import annotations

from ...ingest.git.command import Git
from ..project_settings import ProjectDocuments
from .records import Drift


def scan(git: Git, project: ProjectDocuments, rev: str = "HEAD") -> list[Drift]:
    """Return what does not match in any document at ``rev``: dead links, paths and anchors, names
    that history knew and that are gone, samples that don't parse. Raise a GitError subclass."""
    return []
