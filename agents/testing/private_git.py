"""Give a snapshot a ``.git`` of its own, so that tests that ask git about their project get an answer.

It shares the objects of the person's repository, which git only reads there, and has copies of
the index and the references. What a test does with it (commit, stash, reset, clean) stays in the
snapshot. It has no remotes, no hooks and none of the repository's configuration.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError

_WATCHED = ("HEAD", "index", "logs/HEAD", "FETCH_HEAD")
_STAMP = "hermes-made-from"


def give_git(git: Git, root: Path) -> None:
    """Make or renew ``root/.git``; nothing is done if nothing changed. Raise GitError, OSError."""
    own = root / ".git"
    where = git.run("rev-parse", "--path-format=absolute", "--git-dir").removesuffix(b"\n")
    folder = Path(os.fsdecode(where))
    stamp = _stamp(git, folder)
    with suppress(OSError):
        if (own / _STAMP).read_text("utf-8") == stamp:
            return
    _remove(own)
    for name in ("objects/info", "refs/heads", "refs/tags"):
        (own / name).mkdir(parents=True)
    objects = os.fsencode(git.common_dir / "objects")
    (own / "objects" / "info" / "alternates").write_bytes(_quoted(objects) + b"\n")
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


def _quoted(path: bytes) -> bytes:
    """Return a line of the alternates file: quoted as in C where it has to be."""
    if not path.startswith(b'"') and b"\n" not in path:
        return path
    return b'"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


def _remove(own: Path) -> None:
    if own.is_dir() and not own.is_symlink():
        shutil.rmtree(own)
    elif os.path.lexists(own):
        own.unlink()
