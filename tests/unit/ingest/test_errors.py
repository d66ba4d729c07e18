"""What git says, and what it means to a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.ingest.git.errors import (
    DubiousOwnership,
    GitError,
    NotARepository,
    PathMissing,
    RepositoryCorrupt,
    RepositoryUnreadable,
    error_from,
)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("fatal: not a git repository (or any of the parent directories): .git", NotARepository),
        ("fatal: detected dubious ownership in repository at '/shop'\nTo add …", DubiousOwnership),
        ("fatal: cannot change to '/shop': No such file or directory", PathMissing),
        ("fatal: cannot change to '/shop': Permission denied", RepositoryUnreadable),
        ('error: open(".git/HEAD"): Permission denied\nfatal: bad', RepositoryUnreadable),
        ("fatal: cannot use bare repository '/x' (safe.bareRepository is …", RepositoryUnreadable),
        ("error: inflate: data stream error\nfatal: loose object is corrupt", RepositoryCorrupt),
        ("fatal: unable to read 86caf06d7ce4fffd6ca4e24887e2bb0ea3eed3ed", RepositoryCorrupt),
        ("fatal: bad object HEAD", RepositoryCorrupt),
        ("fatal: could not fetch 04ecc9 from promisor remote", RepositoryCorrupt),
        ("fatal: something nobody has seen", GitError),
        ("", GitError),
    ],
)
def test_an_error_is_told_by_what_git_says(said: str, kind: type[GitError]) -> None:
    error = error_from(said, Path("/shop"))
    assert type(error) is kind
    assert "/shop" in error.message
    assert error.hint
    assert "\n" not in error.message
