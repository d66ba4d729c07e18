"""The git repository that keeps every night's pages, so that a night can be read and taken back.

It is ours alone: no configuration, hook, template, attribute or variable of the person's git has a
say in it. A commit is made in one piece by ``git fast-import``, beside the working tree: killed at
any point, the branch stands at the commit before or at the new one.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ...ingest.git.command import DIFF_OPTIONS, check_git, environment
from ...memory.errors import HermesError, NoSpace

BRANCH = "refs/heads/themes"
WHO = "hermes <hermes@localhost>"
UNFINISHED = "Unfinished: yes"
"""A trailer: the night was stopped, and the next run's commit takes this one's place."""
REVERTS = "Reverts: "
TAKE_BACK = "Take back "
"""How the subject of a commit begins that takes another back; its id follows."""
SECONDS = 300.0

_TAKEN_BACK = re.compile(rf"(?<={TAKE_BACK})[0-9a-f]{{7}}\b")
_ISOLATED = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
}
_PINNED = (
    *("core.hooksPath=" + os.devnull, "core.fsmonitor=false"),
    *("core.attributesFile=" + os.devnull, "core.excludesFile=" + os.devnull),
    *("core.autocrlf=false", "core.quotePath=false", "core.fsync=all"),
    *("core.logAllRefUpdates=false", "fastimport.unpackLimit=1"),
    *("gc.autoDetach=false", "gc.pruneExpire=now", "color.ui=false", "log.showSignature=false"),
)


class ThemesDamaged(HermesError):
    """The themes' own git repository can't be read."""

    code = "themes_damaged"

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(
            f"the history of themes is damaged: {why}",
            hint=f"the pages can still be read. To begin their history anew: rm -r {folder}/.git",
        )


class ThemesUnwritable(HermesError):
    """The folder of themes can't be written."""

    code = "themes_unwritable"

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(
            f"the folder of themes can't be written: {why}",
            hint=f"check owner and permissions of {folder}; the pages that are there stay",
        )


class ThemesUnreadable(HermesError):
    """The folder of themes can't be read."""

    code = "themes_unreadable"

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(
            f"the folder of themes can't be read: {why}",
            hint=f"check what {folder} is, its owner and permissions; moved away, it is made again"
            " by `hermes consolidate`",
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """One commit."""

    commit: str
    parent: str
    """Empty for the first."""
    at: int
    subject: str
    body: str
    paths: tuple[str, ...]
    """What it changed."""

    @property
    def reverts(self) -> str:
        """The commit that it took back; empty if none."""
        found = [line for line in self.body.splitlines() if line.startswith(REVERTS)]
        return found[0].removeprefix(REVERTS) if found else ""

    @property
    def unfinished(self) -> bool:
        """Whether its run was stopped before its end."""
        return UNFINISHED in self.body.splitlines()


class Archive:
    """The repository in ``folder/.git``. One process writes; any number read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._git = folder / ".git"

    # Reading

    @property
    def exists(self) -> bool:
        """Whether there is one. Raise ThemesUnreadable, or ThemesDamaged if it is no folder."""
        try:
            mode = self._git.stat().st_mode
        except FileNotFoundError:
            return False
        except NotADirectoryError as error:
            raise ThemesUnreadable(self.folder, "it is no folder") from error
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise ThemesUnreadable(self.folder, why) from error
        if not stat.S_ISDIR(mode):
            raise ThemesDamaged(self.folder, f"{self._git} is no folder")
        return True

    def head(self) -> str:
        """Return the newest commit; empty before the first. Raise ThemesDamaged."""
        done = self._call("rev-parse", "--verify", "--quiet", f"{BRANCH}^{{commit}}", fine=(0, 1))
        found = done.decode().strip()
        if not found and (self._git / BRANCH).exists():
            raise ThemesDamaged(self.folder, "its newest commit is missing")
        return found

    def tree(self, commit: str) -> dict[str, str]:
        """Return what a commit holds: the ids of the contents by their paths."""
        if not commit:
            return {}
        found: dict[str, str] = {}
        for entry in self._call("ls-tree", "-r", "-z", commit).split(b"\0")[:-1]:
            facts, _, path = entry.partition(b"\t")
            found[os.fsdecode(path)] = facts.split(b" ")[2].decode()
        return found

    def contents(self, ids: Collection[str]) -> dict[str, bytes]:
        """Return contents by their ids. Raise ThemesDamaged if one is missing."""
        wanted = list(dict.fromkeys(ids))
        said = self._call("cat-file", "--batch", stdin="".join(f"{i}\n" for i in wanted).encode())
        found: dict[str, bytes] = {}
        at = 0
        for each in wanted:
            end = said.index(b"\n", at)
            facts = said[at:end].split(b" ")
            if len(facts) != 3:
                raise ThemesDamaged(self.folder, f"object {each[:7]} is missing")
            size = int(facts[2])
            found[each] = said[end + 1 : end + 1 + size]
            at = end + 1 + size + 1
        return found

    def entries(self, most: int = 0) -> list[Entry]:
        """Return the commits, newest first; at most so many, or all."""
        if not self.exists or not self.head():
            return []
        few = [f"--max-count={most}"] if most else []
        told = self._call(
            *("log", "--first-parent", "--name-only", "--no-renames", "-z", *few),
            *("--format=%x01%H%x02%P%x02%at%x02%s%x02%b%x03", BRANCH),
        ).decode("utf-8", "replace")
        return [_entry(each) for each in told.split("\1")[1:]]

    def diff(self, entry: Entry, pattern: str, ignored: str) -> str:
        """Return what a commit changed of the paths that match, as a unified diff; changes of
        nothing but lines that match ``ignored``, a regular expression, are left out."""
        return self._call(
            *("diff-tree", "--patch", "--root", "--no-commit-id", "-r", "--no-renames"),
            *(*DIFF_OPTIONS, f"--ignore-matching-lines={ignored}"),
            *(entry.commit, "--", pattern),
        ).decode("utf-8", "replace")

    # Writing

    def make(self) -> None:
        """Make the repository if there is none, and clear away what a killed writer left."""
        aside, begun = self._git.with_name(".git.gone"), self._git.with_name(".git.next")
        if aside.exists() and not self._git.exists():
            begun.rename(self._git)  # it was whole when the old one was moved away
        for left in (aside, begun):
            shutil.rmtree(left, ignore_errors=True)
        if not self._git.exists():
            self._init(self._git)
            return
        for lock in (*self._git.glob("*.lock"), *self._git.glob("refs/**/*.lock")):
            lock.unlink(missing_ok=True)
        for left in (*self._git.glob("fast_import_crash_*"), *self._git.glob("objects/pack/tmp_*")):
            left.unlink(missing_ok=True)

    def commit(
        self,
        changes: Mapping[str, bytes | None],
        subject: str,
        at: int,
        *,
        body: str = "",
        instead: Entry | None = None,
    ) -> str:
        """Commit contents by path, None for what is to go, on top of what there is, and return the
        commit's id. ``instead``: the newest commit, whose place it takes, changes included."""
        parent = instead.parent if instead else self.head()
        base = f"M 040000 {self._root(instead.commit)} \n" if instead else ""
        stream = [_header(subject, body, at, parent), base.encode(), *_changes(changes), b"done\n"]
        self._import(self._git, stream)
        return self.head()

    def index(self) -> None:
        """Have the index fit the newest commit, for people who look here with git."""
        self._call("read-tree", BRANCH if self.head() else "--empty")

    def tidy(self) -> None:
        """Pack what became many files, now and then."""
        self._call("gc", "--auto", "--quiet")

    def replay(self, kept: Iterable[tuple[Entry, Mapping[str, bytes | None]]]) -> None:
        """Given all commits anew, oldest first, each with its changes, have them be the whole
        history, and no object of the old one left on disk."""
        begun, aside = self._git.with_name(".git.next"), self._git.with_name(".git.gone")
        shutil.rmtree(begun, ignore_errors=True)
        self._init(begun)
        batch: list[bytes] = []
        replayed: list[Entry] = []
        ids: dict[str, str] = {}
        for entry, changes in kept:
            if entry.reverts and batch:  # it names another, whose id is known once that is written
                ids |= self._written(begun, batch, replayed)
                batch = []
            parent = BRANCH if batch else f"{BRANCH}^0" if replayed else ""
            told = _renamed(entry, ids)
            batch += [_header(told.subject, told.body, told.at, parent), *_changes(changes)]
            replayed.append(entry)
        if batch:
            self._written(begun, batch, replayed)
        self._git.rename(aside)
        begun.rename(self._git)
        shutil.rmtree(aside)

    # git

    def _init(self, git: Path) -> None:
        options = ("--template=", "--object-format=sha1", f"--initial-branch={Path(BRANCH).name}")
        self._call("init", "--quiet", *options, git=git)

    def _root(self, commit: str) -> str:
        return self._call("rev-parse", "--verify", f"{commit}^{{tree}}").decode().strip()

    def _import(self, git: Path, stream: Sequence[bytes]) -> None:
        options = ("--quiet", "--done", "--force", "--date-format=raw")
        self._call("fast-import", *options, stdin=b"".join(stream), git=git)

    def _written(
        self, git: Path, stream: Sequence[bytes], replayed: Sequence[Entry]
    ) -> dict[str, str]:
        """Write commits; return the new ids of all by their old ones."""
        self._import(git, [*stream, b"done\n"])
        told = self._call("rev-list", "--first-parent", "--reverse", BRANCH, git=git)
        old = [entry.commit for entry in replayed]
        return dict(zip(old, told.decode().split(), strict=True))

    def _call(
        self, *args: str, stdin: bytes = b"", fine: Sequence[int] = (0,), git: Path | None = None
    ) -> bytes:
        check_git()
        pinned = [part for setting in _PINNED for part in ("-c", setting)]
        where = (f"--git-dir={git or self._git}", f"--work-tree={self.folder}")
        try:
            done = subprocess.run(
                ["git", "--no-pager", *where, *pinned, *args],
                cwd=self.folder,
                env=environment() | _ISOLATED,
                input=stdin,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise ThemesUnwritable(self.folder, "git did not end in time") from error
        except OSError as error:
            raise ThemesUnwritable(self.folder, error.strerror or str(error)) from error
        if done.returncode not in fine:
            raise self._failure(done.stderr.decode("utf-8", "replace"))
        return done.stdout

    def _failure(self, said: str) -> HermesError:
        lines = [line.strip() for line in said.splitlines() if line.strip()] or ["git gave no word"]
        fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
        why = (fatal or lines)[0].partition(": ")[2] if fatal else lines[0]
        if "No space left" in said:
            return NoSpace(self.folder)
        if "ermission denied" in said or "Read-only file system" in said:
            return ThemesUnwritable(self.folder, why[:200])
        return ThemesDamaged(self.folder, why[:200])


def _renamed(entry: Entry, ids: Mapping[str, str]) -> Entry:
    """Return a commit that took another back with what that is called now, if it is there at all."""
    if not entry.reverts:
        return entry
    short = {old[:7]: new[:7] for old, new in ids.items()}
    subject = _TAKEN_BACK.sub(lambda id: short.get(id[0], "what is forgotten"), entry.subject)
    kept = [line for line in entry.body.splitlines() if not line.startswith(REVERTS)]
    reverts = [REVERTS + ids[entry.reverts]] if entry.reverts in ids else []
    return replace(entry, subject=subject, body="\n".join([*kept, *reverts]))


def _entry(told: str) -> Entry:
    facts, _, names = told.partition("\3")
    commit, parents, at, subject, body = facts.split("\2")
    paths = tuple(name for name in names.replace("\n", "\0").split("\0") if name)
    return Entry(commit, parents.split(" ")[0], int(at), subject, body.strip(), paths)


def _header(subject: str, body: str, at: int, parent: str) -> bytes:
    text = f"{subject}\n\n{body}\n".strip().encode("utf-8", "replace") + b"\n"
    start = f"commit {BRANCH}\ncommitter {WHO} {at} +0000\ndata {len(text)}\n".encode()
    return start + text + (f"from {parent}\n".encode() if parent and parent != BRANCH else b"")


def _changes(changes: Mapping[str, bytes | None]) -> Iterable[bytes]:
    for path, content in sorted(changes.items()):
        name = os.fsencode(path)
        if content is None:
            yield b"D " + name + b"\n"
        else:
            yield b"M 100644 inline %s\ndata %d\n%s\n" % (name, len(content), content)


def blob_id(content: bytes) -> str:
    """Return the id that git gives a content."""
    import hashlib

    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def put(path: Path, content: bytes) -> None:
    """Write a file in one piece, for its owner's eyes only."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(beside, path)
    except OSError:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise
