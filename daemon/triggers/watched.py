"""A repository as the triggers see it: where its files are, and where git keeps what moves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class Watched:
    """One repository, or one linked worktree of it."""

    id: str
    worktree: Path | None
    """Absolute; None for a bare repository."""
    common_dir: Path
    """The absolute git directory that all its worktrees share."""
    exclude: tuple[str, ...] = ()
    """Patterns of the settings, in .gitignore's language: not watched, whatever git says."""

    @property
    def git_dir(self) -> Path:
        """The git directory of this worktree: HEAD and the index are there."""
        if self.worktree is None:
            return self.common_dir
        entry = self.worktree / ".git"
        try:
            said = entry.read_bytes()[:_LONGEST] if entry.is_file() else b""
        except OSError:
            said = b""
        if not said.startswith(b"gitdir:"):
            return self.common_dir
        return self.worktree / said.removeprefix(b"gitdir:").strip().decode(
            errors="surrogateescape"
        )

    def missing(self) -> tuple[Path, str] | None:
        """Return the folder in which something of it is missing, and the name of what is; None if
        all of it is there."""
        wanted = [self.common_dir / "HEAD"]
        if self.worktree is not None:
            wanted.insert(0, self.worktree / ".git")
        for path in wanted:
            while not path.exists():
                if path.parent.is_dir() or path.parent == path:
                    return path.parent, path.name
                path = path.parent
        return None
