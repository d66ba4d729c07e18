"""What is staged, or was committed: read from git without writing anything into the repository."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from ...ingest.git.command import DIFF_OPTIONS, Git
from ...ingest.git.errors import GitError
from ...ingest.git.ignored import rules_of
from .patch import files_of, read_printed, wanted_again
from .records import Change
from .symbols_of import with_symbols

PATCH_LIMIT = 4_000_000
"""Bytes of a change's diff that are read."""

_OPTIONS = ("--raw", "--numstat", "--patch", "-z", "--no-abbrev", "-M", "-l1000", *DIFF_OPTIONS)
_TREE = ("diff-tree", "-r", "--no-commit-id")
_STAGED = ("diff", "--cached", "--ita-invisible-in-index")

EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""The id of a tree with nothing in it, by object format."""


class Unmerged(GitError):
    """The index holds a merge that is not resolved, so nothing can be committed."""

    code = "index_unmerged"


def read_staged(git: Git) -> Change:
    """Read what ``git commit`` would commit now: the index against HEAD.

    ``tree`` stays empty; ``key`` gives it. With a conflict in the index the change has only
    ``conflicts``. Raise a GitError subclass.
    """
    head, _, _ = _places(git)
    branch = git.run("branch", "--show-current").decode("utf-8", "backslashreplace").strip()
    return replace(_read(git, _STAGED, ()), branch=branch, head=head)


def read_commit(git: Git, sha: str) -> Change:
    """Read what a commit did, compared with its first parent; ``head`` is that parent.

    Raise a GitError subclass, also where there is no such commit.
    """
    names = git.run("rev-list", "--parents", "--max-count=1", "--end-of-options", sha).split()
    if not names:
        raise GitError(f"{git.folder} has no commit {sha!r}", hint="git log lists what there is")
    return read_range(git, names[1].decode() if len(names) > 1 else None, names[0].decode())


def read_range(git: Git, old: str | None, new: str) -> Change:
    """Read the difference between two commits as one change; None is before the first commit.

    ``head`` is the old one. Raise a GitError subclass.
    """
    wanted = [*([old] if old is not None else []), new]
    shas = [
        git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{{kind}}}")
        .decode()
        .strip()
        for rev, kind in [*((rev, "commit") for rev in wanted), (new, "tree")]
    ]
    before = EMPTY_TREE[git.object_format] if old is None else shas[0]
    change = _read(git, _TREE, (before, shas[-2]))
    return replace(change, head=None if old is None else shas[0], tree=shas[-1])


def key(git: Git) -> tuple[str | None, str]:
    """Return HEAD's sha (None before the first commit) and the id of the tree that is staged.

    git makes the tree from a copy of the index and writes its objects to a temporary folder, so
    the repository and its index are left as they are, and the index's lock is never taken. Raise
    Unmerged where a conflict is open, else a GitError subclass.
    """
    head, index, objects = _places(git)
    with tempfile.TemporaryDirectory(prefix="hermes-tree-") as name:
        folder = Path(name)
        copy, store = folder / "index", folder / "objects"
        store.mkdir()
        try:
            shutil.copyfile(index, copy)
        except FileNotFoundError:  # nothing was ever staged
            return head, EMPTY_TREE[git.object_format]
        except OSError as error:
            raise GitError(
                f"{index} can't be read: {error.strerror or error}",
                hint="check the permissions of the folder and of .git",
            ) from error
        try:
            said = git.run(
                *("write-tree", "--missing-ok"),
                aside={
                    "GIT_INDEX_FILE": str(copy),
                    "GIT_OBJECT_DIRECTORY": str(store),
                    "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(objects),
                },
            )
        except GitError as error:
            if "error building trees" in error.message:
                raise Unmerged(
                    f"{git.folder} has unmerged files in its index",
                    hint="resolve them and git add them",
                ) from error
            raise
    return head, said.decode().strip()


def _places(git: Git) -> tuple[str | None, str, str]:
    """Return HEAD, the index file and the object store."""
    said = git.run(
        *("rev-parse", "--path-format=absolute", "--git-path", "index", "--git-path", "objects"),
        *("--revs-only", "HEAD"),
    )
    lines = said.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")
    head = lines.pop() if not lines[-1].startswith("/") else None
    if len(lines) != 2:  # a newline in the folder's name
        middle = len(lines) // 2
        lines = ["\n".join(lines[:middle]), "\n".join(lines[middle:])]
    return head, lines[0], lines[1]


def _quoted(path: str) -> str:
    """Write a path as an entry of GIT_ALTERNATE_OBJECT_DIRECTORIES, which a colon would end."""
    if ":" not in path and not path.startswith('"') and "\n" not in path:
        return path
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _read(git: Git, command: tuple[str, ...], trees: tuple[str, ...]) -> Change:
    rules = rules_of(git)
    printed = read_printed(git, PATCH_LIMIT, *command, *_OPTIONS, *trees, "--")
    conflicts = tuple(dict.fromkeys(listed.path for listed in printed.listed if listed.unmerged))
    if conflicts:
        return Change(files=(), conflicts=conflicts)
    files = files_of(printed, rules)
    if printed.cut and (again := wanted_again(files, printed)):
        small = read_printed(git, PATCH_LIMIT, *command, *_OPTIONS, *trees, "--", *again)
        read = {file.path: file for file in files_of(small, rules) if file.hunks}
        files = tuple(
            replace(file, hunks=read[file.path].hunks) if file.path in read else file
            for file in files
        )
    return Change(files=with_symbols(git, files), cut=printed.cut)
