"""What can be wrong with a repository, each with what to do about it."""

from __future__ import annotations

from pathlib import Path

from ...memory.errors import HermesError


class GitError(HermesError):
    """git could not do what was asked."""

    code = "git_failed"


class GitMissing(GitError):
    """There is no git program on this machine, or it is too old."""

    code = "git_missing"


class PathMissing(GitError):
    """The given path does not exist, or no longer does."""

    code = "path_missing"


class NotARepository(GitError):
    """The given path is in no git repository."""

    code = "not_a_repository"


class DubiousOwnership(GitError):
    """The repository belongs to someone else, and git refuses to read it."""

    code = "dubious_ownership"


class RepositoryUnreadable(GitError):
    """Permissions, or safe.bareRepository, keep git from reading the repository."""

    code = "repository_unreadable"


class RepositoryCorrupt(GitError):
    """Objects of the repository are missing or damaged."""

    code = "repository_corrupt"


def error_from(stderr: str, path: Path) -> GitError:
    """Given what git printed on standard error about a repository, return the error it means."""
    said = _last_fatal(stderr)
    if "dubious ownership" in stderr:
        return DubiousOwnership(
            f"{path} belongs to another user, so git refuses to read it",
            hint=f"if you trust it: git config --global --add safe.directory '{path}'",
        )
    if "cannot use bare repository" in stderr:
        return RepositoryUnreadable(
            f"{path} is a bare repository, and your git is set to refuse those",
            hint="git config --global safe.bareRepository all",
        )
    if "ermission denied" in stderr:
        return RepositoryUnreadable(
            f"{path} can't be read: {said}", hint="check the permissions of the folder and of .git"
        )
    if "not a git repository" in stderr:
        return NotARepository(
            f"{path} is not in a git repository", hint="run this inside a clone, or name one"
        )
    if "cannot change to" in stderr:
        return PathMissing(f"{path} does not exist", hint="was it moved or removed?")
    if any(word in stderr for word in _DAMAGE):
        return RepositoryCorrupt(
            f"{path} is damaged: {said}", hint="git fsck shows what is missing or broken"
        )
    return GitError(f"git failed in {path}: {said}", hint="try the same with git on its own")


_DAMAGE = (
    "bad object",
    "unable to read",
    "is corrupt",
    "missing object",
    "missing blob",
    "missing tree",
    "bad tree object",
    "inflate",
    "could not get object",
    "Could not read",
    "Failed to traverse",
    "unable to parse",
    "invalid object",
    "broken link",
    "promisor remote",  # an object that was left there, and is not fetched
    "lazy fetching disabled",
)


def _last_fatal(stderr: str) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    chosen = (fatal or lines or ["it gave no reason"])[-1]
    return chosen.removeprefix("fatal:").removeprefix("error:").strip()[:300]
