"""The one way hermes calls git: read-only, offline, and deaf to what configuration could change.

A repository's configuration is written by whoever made the repository, and much of it runs
programs or changes the text that git prints. Everything of that kind is turned off or pinned
here, so that no caller has to remember it.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from .dialogue import Dialogue
from .errors import GitError, GitMissing, PathMissing, error_from
from .streaming import Stream

OLDEST_GIT = (2, 31)
"""The first with rev-parse --path-format and with today's --diff-merges."""

_PINNED = {
    # What would run a program.
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.alternateRefsCommand": "false",
    "log.showSignature": "false",
    "diff.submodule": "short",
    # What would read other files than the repository's.
    "mailmap.file": os.devnull,
    # What would change the text.
    "core.quotePath": "false",
    "core.abbrev": "40",
    "diff.suppressBlankEmpty": "false",
    "log.showRoot": "true",
    "log.follow": "false",
    "log.diffMerges": "separate",
    "log.decorate": "false",
    "color.ui": "false",
    "submodule.recurse": "false",
    "advice.graftFileDeprecated": "false",
    # Offline. GIT_ALLOW_PROTOCOL below outweighs protocol.<name>.allow, which this does not.
    "protocol.allow": "never",
}

_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_PAGER": "cat",
}

COMPARING = (
    *("--no-relative", "--ignore-submodules=none", "-O/dev/null"),
    *("--no-ext-diff", "--no-textconv", "--no-color"),
)
"""Options of every call that compares trees; renames are for the caller to choose."""

DIFF_OPTIONS = (
    *COMPARING,
    *("--submodule=short", "--src-prefix=a/", "--dst-prefix=b/", "--unified=3"),
    *("--inter-hunk-context=0", "--diff-algorithm=myers", "--indent-heuristic"),
)
"""Options of every call that prints a diff; some of them imply ``--patch``."""

_KEPT = frozenset(
    {
        *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
        *("GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"),
    }
)
"""Where the person's own git settings are, and where to look for repositories."""

_ADDABLE = frozenset({"GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"})
"""What a caller may add: a copy of the index, and a place for objects outside the repository."""


def environment() -> dict[str, str]:
    """Return the environment git runs in: the user's, but without what points at a repository.

    Hooks, and programs started from them, have GIT_DIR and the like set.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _KEPT
    }
    return kept | _ENVIRONMENT


@dataclass(frozen=True, slots=True)
class Git:
    """A repository, and git hardened to read it."""

    common_dir: Path
    """The absolute git directory shared by all worktrees: what makes a repository one."""
    worktree: Path | None
    """The working tree it was opened from (or its main one); None for a bare repository."""
    is_bare: bool
    is_shallow: bool
    is_partial: bool
    """Some objects were left with a remote; hermes never fetches them."""
    object_format: str
    """``sha1`` or ``sha256``; empty while git was not asked."""

    @classmethod
    def open(cls, path: Path | str) -> Git:
        """Find the repository that a folder, file, worktree, submodule or bare repository is in.

        Raise a GitError subclass that says what stands in the way.
        """
        check_git()
        given = Path(path).expanduser().absolute()
        try:
            folder = given if given.is_dir() else given.parent
            there = given.exists()
        except PermissionError as error:
            raise error_from(f"Permission denied: {error.filename}", given) from error
        if not there:
            raise PathMissing(f"{given} does not exist", hint="check the spelling of the path")
        facts = _call(
            folder,
            *("rev-parse", "--path-format=absolute", "--git-common-dir", "--is-bare-repository"),
            *("--is-shallow-repository", "--show-object-format"),
        )
        # The path may hold newlines; the three words after it may not.
        common, bare, shallow, object_format = facts.rstrip(b"\n").rsplit(b"\n", 3)
        common_dir = Path(os.fsdecode(common))
        promisors = _call(
            folder,
            *("config", "--get-regexp", r"^(remote\..*\.promisor|extensions\.partialclone)$"),
            allowed=(0, 1),
        )
        return cls(
            common_dir=common_dir,
            worktree=None if bare == b"true" else _worktree(folder, common_dir),
            is_bare=bare == b"true",
            is_shallow=shallow == b"true",
            is_partial=promisors.strip() != b"",
            object_format=object_format.decode(),
        )

    def with_facts(self) -> Git:
        """Return it with all that is known only by asking git, where it was made without that: a
        loop may not wait for a repository that hangs. Raise a GitError subclass."""
        if self.object_format:
            return self
        found = Git.open(self.folder)
        return replace(found, worktree=self.worktree)

    @property
    def folder(self) -> Path:
        """Where git is run: the working tree (for its .mailmap), else the git directory."""
        if self.worktree is not None and self.worktree.is_dir():
            return self.worktree
        return self.common_dir

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        timeout: float = 300.0,
        aside: Mapping[str, str] | None = None,
    ) -> bytes:
        """Run git and return what it printed. Raise a GitError subclass if it fails.

        ``aside`` adds to the environment what keeps a command that writes out of the repository:
        GIT_INDEX_FILE, GIT_OBJECT_DIRECTORY, GIT_ALTERNATE_OBJECT_DIRECTORIES and no other.
        """
        return _call(self.folder, *args, stdin=stdin, timeout=timeout, aside=aside)

    def stream(self, *args: str, stdin: bytes = b"") -> Stream:
        """Start git and return what it prints, in blocks as they come; see Stream."""
        return Stream(_command(self.folder, args), environment(), self.folder, stdin)

    @contextmanager
    def dialogue(self, *args: str) -> Generator[Dialogue]:
        """Run a git that answers each line it is given with one line, until the block ends."""
        process = subprocess.Popen(
            _command(self.folder, args),
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield Dialogue(process)
        finally:
            process.kill()
            process.communicate()


@cache
def check_git() -> tuple[int, ...]:
    """Return git's version. Raise GitMissing if there is none or it is too old."""
    try:
        said = subprocess.run(
            ["git", "--version"], env=environment(), capture_output=True, check=False
        ).stdout.decode(errors="replace")
    except FileNotFoundError as error:
        raise GitMissing(
            "git is not installed, or not on the PATH", hint="install git and try again"
        ) from error
    version = tuple(int(part) for part in re.findall(r"\d+", said)[:3])
    if version < OLDEST_GIT:
        raise GitMissing(
            f"git {'.'.join(map(str, version)) or '(of unknown version)'} is too old",
            hint=f"hermes needs git {'.'.join(map(str, OLDEST_GIT))} or newer",
        )
    return version


def _command(folder: Path, args: tuple[str, ...]) -> list[str]:
    pinned = [part for key, value in _PINNED.items() for part in ("-c", f"{key}={value}")]
    return ["git", "--no-pager", "-C", str(folder), *pinned, *args]


def _call(
    folder: Path,
    *args: str,
    stdin: bytes = b"",
    timeout: float = 300.0,
    allowed: tuple[int, ...] = (0,),
    aside: Mapping[str, str] | None = None,
) -> bytes:
    added = dict(aside or {})
    if not _ADDABLE.issuperset(added):
        raise ValueError(f"not for git's environment: {sorted(added.keys() - _ADDABLE)}")
    try:
        done = subprocess.run(
            _command(folder, args),
            env=environment() | added,
            input=stdin,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except FileNotFoundError as error:
        raise GitMissing("git is no longer on the PATH", hint="install git") from error
    except subprocess.TimeoutExpired as error:
        raise GitError(
            f"git {args[0]} in {folder} did not end within {timeout:.0f} s",
            hint="is the folder on a slow or hanging disk?",
        ) from error
    if done.returncode not in allowed:
        raise error_from(done.stderr.decode(errors="replace"), folder)
    return done.stdout


def _worktree(folder: Path, common_dir: Path) -> Path | None:
    try:
        top = _call(folder, "rev-parse", "--path-format=absolute", "--show-toplevel")
    except GitError:  # inside the git directory itself
        beside = common_dir.parent
        return beside if common_dir.name == ".git" else None
    return Path(os.fsdecode(top.removesuffix(b"\n")))
