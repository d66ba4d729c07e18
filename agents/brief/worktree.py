"""What a working tree holds that is not committed.

``git status`` and ``git diff`` run a repository's clean filters on files that look changed, so the
files are compared here: by size and time with what the index knows, and where only the time
differs by their content, which is hashed as git hashes it. A file that goes through a filter is
told by its size alone. The index is read, never refreshed; no lock is taken.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...ingest.git.command import COMPARING, Git
from ..commits.ready import Worktree
from .commits import SECONDS, path_of
from .look import Changed, Edit, Tree
from .operation import operation_of

HASHED_BYTES = 100_000_000
"""Of all files whose content is compared; beyond that, time and size must do."""
HASHED_SECONDS = 2.0
LISTED = 500
"""Changed files that are told; of more the rest only counts to no one's use."""
_SYMLINK, _SUBMODULE = b"120000", b"160000"
_SKIPPED = (b"S", b"s", b"h")
"""Not in the worktree by choice (sparse), or said to be unchanged by the person."""
_ENTRY = re.compile(
    rb"(?P<tag>\S) (?P<mode>\d{6}) (?P<id>[0-9a-f]+) (?P<stage>\d)\t(?P<path>[^\0]*)\0"
    rb"  ctime: \d+:\d+\n  mtime: (?P<seconds>\d+):(?P<nanos>\d+)\n[^\n]*\n[^\n]*\n"
    rb"  size: (?P<size>\d+)\t[^\n]*\n"
)
_HASHES = {40: hashlib.sha1, 64: hashlib.sha256}


@dataclass(frozen=True, slots=True)
class _Entry:
    path: bytes
    mode: bytes
    id: str
    stage: int
    nanos: int
    size: int


def read_tree(
    git: Git, worktree: Worktree, head: str, branch: str = "", *, main: bool = True
) -> Tree:
    """Read a working tree as it is now; ``head`` is its commit, empty before the first. Raise
    GitError, OSError."""
    here = replace(git, worktree=worktree.path, is_bare=False)
    entries = list(_entries(here))
    edits: dict[bytes, set[Edit]] = {}
    for entry in entries:
        if entry.stage:
            edits.setdefault(entry.path, set()).add("conflict")
    for path in _staged(here, head, entries):
        edits.setdefault(path, set()).add("staged")
    for path, edit in _unstaged(here, worktree, [e for e in entries if not e.stage]):
        edits.setdefault(path, set()).add(edit)
    for path in _new(here):
        edits.setdefault(path, set()).add("new")
    changed = tuple(
        Changed(path_of(path), frozenset(found), _changed_at(worktree.path, path))
        for path, found in sorted(edits.items())[:LISTED]
    )
    return Tree(worktree.path, branch, head, changed, operation_of(worktree.git_dir), main)


def _entries(git: Git) -> Iterator[_Entry]:
    said = git.run("ls-files", "-v", "-z", "--stage", "--debug", timeout=SECONDS)
    for found in _ENTRY.finditer(said):
        if found["tag"] in _SKIPPED or found["mode"] == _SUBMODULE:
            continue
        yield _Entry(
            found["path"],
            found["mode"],
            found["id"].decode(),
            int(found["stage"]),
            int(found["seconds"]) * 1_000_000_000 + int(found["nanos"]),
            int(found["size"]),
        )


def _staged(git: Git, head: str, entries: Sequence[_Entry]) -> list[bytes]:
    """List the paths whose staged content is not HEAD's; before the first commit, all."""
    if not head:
        return [entry.path for entry in entries]
    said = git.run(
        *("diff-index", "--cached", "--name-only", "-z", "--no-renames", *COMPARING),
        *("--ita-invisible-in-index", "--diff-filter=u", head, "--"),
        timeout=SECONDS,
    )
    return [path for path in said.split(b"\0") if path]


def _new(git: Git) -> list[bytes]:
    said = git.run("ls-files", "-z", "--others", "--exclude-standard", timeout=SECONDS)
    # A folder with a slash is a repository of its own that nobody added.
    return [path for path in said.split(b"\0") if path and not path.endswith(b"/")]


def _unstaged(
    git: Git, worktree: Worktree, entries: Sequence[_Entry]
) -> Iterator[tuple[bytes, Edit]]:
    root = os.fsencode(worktree.path)
    written = _written_at(worktree.git_dir / "index")
    unsure: list[tuple[_Entry, os.stat_result]] = []
    for entry in entries:
        try:
            found = os.lstat(os.path.join(root, entry.path))
        except (FileNotFoundError, NotADirectoryError):
            yield entry.path, "deleted"
            continue
        except OSError:
            continue
        same = found.st_size == entry.size and found.st_mtime_ns == entry.nanos
        # git can't tell either whether a file was changed in the moment the index was written.
        if not same or entry.nanos >= written:
            unsure.append((entry, found))
    for path in _differing(git, root, unsure):
        yield path, "changed"


def _written_at(index: Path) -> int:
    try:
        return index.stat().st_mtime_ns
    except OSError:
        return 0


def _differing(
    git: Git, root: bytes, unsure: Sequence[tuple[_Entry, os.stat_result]]
) -> Iterator[bytes]:
    if not unsure:
        return
    filtered = _filtered(git, [entry.path for entry, _ in unsure])
    left, until = HASHED_BYTES, time.monotonic() + HASHED_SECONDS
    for entry, found in unsure:
        left -= found.st_size
        if entry.path in filtered or left < 0 or time.monotonic() > until:
            # Its content can't be compared, or not now: a size of 0 in the index says nothing.
            if entry.size and found.st_size != entry.size:
                yield entry.path
        elif not _is(root, entry, found):
            yield entry.path


def _filtered(git: Git, paths: Sequence[bytes]) -> set[bytes]:
    """Return the paths that git would send through a program of the repository's choice."""
    said = git.run(
        *("check-attr", "-z", "--stdin", "filter", "working-tree-encoding"),
        stdin=b"".join(path + b"\0" for path in paths),
        timeout=SECONDS,
    )
    parts = said.split(b"\0")
    triples = zip(parts[::3], parts[1::3], parts[2::3], strict=False)
    return {path for path, _, value in triples if value not in (b"unspecified", b"unset")}


def _is(root: bytes, entry: _Entry, found: os.stat_result) -> bool:
    """Say whether a file holds what the index has of it."""
    file = os.path.join(root, entry.path)
    if stat.S_ISLNK(found.st_mode) != (entry.mode == _SYMLINK):
        return False
    try:
        content = os.readlink(file) if stat.S_ISLNK(found.st_mode) else _read(file)
    except OSError:
        return True  # gone, or not for us to read: nothing can be said
    if content is None:
        return False
    forms = (content, content.replace(b"\r\n", b"\n")) if b"\r\n" in content else (content,)
    return any(_blob(form, len(entry.id)) == entry.id for form in forms)


def _read(file: bytes) -> bytes | None:
    """Read a regular file; None of what is none."""
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(handle, "rb") as opened:
        return opened.read() if stat.S_ISREG(os.fstat(handle).st_mode) else None


def _blob(content: bytes, digits: int) -> str:
    hashing = _HASHES[digits](usedforsecurity=False)
    hashing.update(b"blob %d\0" % len(content))
    hashing.update(content)
    return hashing.hexdigest()


def _changed_at(root: Path, path: bytes) -> float | None:
    try:
        return os.lstat(os.path.join(os.fsencode(root), path)).st_mtime
    except OSError:
        return None


def with_notes(tree: Tree, notes: Mapping[str, tuple[str, ...]]) -> Tree:
    """Attach the notes that are new in files."""
    changed = tuple(replace(one, notes=notes.get(one.path, ())) for one in tree.changed)
    return replace(tree, changed=changed)
