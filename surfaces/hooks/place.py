"""Where a repository's hooks lie, and whether they are ours to write."""

from __future__ import annotations

import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ...daemon.paths import NAME, Paths
from ...ingest.git.command import check_git, environment
from ...ingest.git.errors import PathMissing, error_from


@dataclass(frozen=True, slots=True)
class Place:
    """The hooks' folder of one repository."""

    shown: Path
    """What a person calls the repository: its worktree, or the bare repository."""
    common_dir: Path
    folder: Path
    """Where git looks for hooks. Need not exist."""
    refusal: str
    """Why we don't write there; empty if we may."""

    def lined(self, hook: str) -> Path:
        """Return the file in which a person adds a line to a hook."""
        # husky makes the folder `_` anew each time; what it runs is written beside it.
        husky = self.folder.name == "_" and (self.folder / "h").is_file()
        return (self.folder.parent if husky else self.folder) / hook


def find(folder: Path | str) -> Place:
    """Return where the hooks of the repository around a folder lie. Raise a GitError."""
    check_git()
    given = Path(folder).expanduser().absolute()
    if not given.is_dir():
        raise PathMissing(f"{given} is not a folder", hint="name the folder of a repository")
    common_dir = _ask(given, "--git-common-dir")
    inside = _git(given, "rev-parse", "--is-inside-work-tree").strip() == b"true"
    top = _ask(given, "--show-toplevel") if inside else _ask(given, "--absolute-git-dir")
    # A relative core.hooksPath counts from where git runs hooks, which is the top.
    hooks = _ask(top, "--git-path", "hooks")
    return Place(
        shown=top if inside or common_dir.name != ".git" else common_dir.parent,
        common_dir=common_dir,
        folder=hooks,
        refusal=_refusal(hooks, common_dir, top),
    )


def line(hook: str, paths: Paths) -> str:
    """Return the line that runs our hook from somebody else's. It may be shared with people who
    don't have hermes: for them it does nothing."""
    script = os.path.join(paths.state_folder, "hooks", hook)
    usual = os.path.join(os.path.expanduser("~/.local/state"), NAME, "hooks", hook)
    where = (
        f'"${{XDG_STATE_HOME:-$HOME/.local/state}}/{NAME}/hooks/{hook}"'
        if script
        in (usual, os.path.join(os.environ.get("XDG_STATE_HOME", ""), NAME, "hooks", hook))
        else shlex.quote(script)
    )
    return f'h={where}; [ ! -x "$h" ] || "$h" "$@"'


def called(hook: str, paths: Paths) -> str:
    """Return the part of `line` by which a hook that has the line is known."""
    found = line(hook, paths)
    return found[len("h=") : found.index(";")].strip("'\"")


def _refusal(hooks: Path, common_dir: Path, top: Path) -> str:
    if hooks.exists() and not hooks.is_dir():
        return f"git looks for hooks at {hooks}, which is no folder"
    real = hooks.resolve()
    if real.is_relative_to(common_dir.resolve()):
        return ""
    if real.is_relative_to(top.resolve()):
        return f"its hooks lie in the working tree, at {hooks}, where everyone shares them"
    return f"its hooks lie outside of the repository, at {hooks}"


def _ask(folder: Path, *what: str) -> Path:
    said = _git(folder, "rev-parse", "--path-format=absolute", *what)
    return Path(os.fsdecode(said.removesuffix(b"\n")))


def _git(folder: Path, *args: str) -> bytes:
    # Not the hardened call, which pins core.hooksPath; rev-parse runs nothing.
    done = subprocess.run(
        ["git", "-C", str(folder), *args], env=environment(), capture_output=True, check=False
    )
    if done.returncode:
        raise error_from(done.stderr.decode(errors="replace"), folder)
    return done.stdout
