"""Give a snapshot a ``.git`` of its own, so that tests that ask git about their project get an answer.

It has copies of the objects, the index and the references: sharing the objects (alternates, links)
would not do, since git renews the time of an object that it is to write and that is there
already. A repository of more than `MOST` bytes is not copied; git then finds none. What a test
does (commit, stash, reset, clean) stays in the snapshot. There are no remotes, no hooks, and
none of the repository's configuration.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from .copying import Copier

MOST = 100_000_000
"""Bytes of objects."""
_WATCHED = ("HEAD", "index", "logs/HEAD", "FETCH_HEAD")
_STAMP = "hermes-made-from"


def give_git(git: Git, root: Path) -> bool:
    """Make or renew ``root/.git``; return whether there is one. Raise GitError, OSError."""
    own = root / ".git"
    where = git.run("rev-parse", "--path-format=absolute", "--git-dir").removesuffix(b"\n")
    folder = Path(os.fsdecode(where))
    stamp = _stamp(git, folder)
    with suppress(OSError):
        if (own / _STAMP).read_text("utf-8") == stamp:
            return True
    objects = _objects(git.common_dir / "objects")
    if objects is None:
        _remove(own)
        return False
    if own.is_symlink() or not own.is_dir():
        _remove(own)
    for name in ("refs", "logs", "hooks", "info", "objects/info"):
        _remove(own / name)
    for name in ("objects", "refs/heads", "refs/tags"):
        (own / name).mkdir(parents=True, exist_ok=True)
    _copy_objects(git.common_dir / "objects", own / "objects", objects)
    (own / "config").write_text(_config(git), "utf-8")
    (own / "packed-refs").write_bytes(git.run("for-each-ref", "--format=%(objectname) %(refname)"))
    (own / "HEAD").write_bytes(_head(git))
    for name in ("index", "shallow"):
        with suppress(FileNotFoundError):
            shutil.copyfile((folder if name == "index" else git.common_dir) / name, own / name)
    for shared in folder.glob("sharedindex.*"):
        with suppress(FileNotFoundError):
            shutil.copyfile(shared, own / shared.name)
    (own / _STAMP).write_text(stamp, "utf-8")
    return True


def _objects(folder: Path) -> dict[str, int] | None:
    """Return the files of all objects with their sizes; None if that is too much, or not all."""
    if (folder / "info" / "alternates").exists():
        return None
    found: dict[str, int] = {}
    left = MOST
    for name in os.listdir(folder):
        if name == "pack" or len(name) == 2:
            with suppress(OSError), os.scandir(folder / name) as entries:
                for entry in entries:
                    if not entry.name.startswith("tmp_"):
                        size = found[f"{name}/{entry.name}"] = entry.stat().st_size
                        left -= size
        if left < 0:
            return None
    return found


def _copy_objects(source: Path, target: Path, objects: dict[str, int]) -> None:
    """Copy what is not there. Objects never change: what has the size is there."""
    copier = Copier()
    for name in {path.partition("/")[0] for path in objects}:
        (target / name).mkdir(exist_ok=True)
        for old in os.listdir(target / name):
            if f"{name}/{old}" not in objects:
                (target / name / old).unlink()
    # An index is of use only with its pack, so it comes after it.
    for path in sorted(objects, key=lambda path: (path.endswith(".idx"), path)):
        with suppress(FileNotFoundError):
            if (target / path).stat().st_size == objects[path]:
                continue
        with suppress(FileNotFoundError):  # packed meanwhile: the next snapshot has it
            copier.copy(os.fspath(source / path), os.fspath(target / path))


def _stamp(git: Git, folder: Path) -> str:
    parts: list[str] = []
    for file in (*(folder / name for name in _WATCHED), git.common_dir / "packed-refs"):
        try:
            status = file.stat()
        except OSError:
            continue
        parts.append(f"{file.name} {status.st_mtime_ns} {status.st_size}")
    return "\n".join([str(git.common_dir), *parts])


def _config(git: Git) -> str:
    lines = ["[core]", "\tbare = false", "\thooksPath = /dev/null"]
    lines.append(f"\trepositoryFormatVersion = {int(git.object_format != 'sha1')}")
    if git.object_format != "sha1":
        lines += ["[extensions]", f"\tobjectFormat = {git.object_format}"]
    return "\n".join([*lines, ""])


def _head(git: Git) -> bytes:
    try:
        return b"ref: " + git.run("symbolic-ref", "--quiet", "HEAD")
    except GitError:
        return git.run("rev-parse", "--verify", "HEAD")


def _remove(own: Path) -> None:
    if own.is_dir() and not own.is_symlink():
        shutil.rmtree(own)
    elif os.path.lexists(own):
        own.unlink()
