"""Accepting a fix: the one place where hermes writes to a person's repository, at their word.

The changed document is written in the worktree and staged, nothing else. Staging does not go
through ``git add``: that would run whatever filter the repository's attributes and configuration
name. The document in the worktree must be what HEAD has (but for line ends), so what git would store is
known without any filter: it is stored as it is, and the index is told its id. No program of the
repository's choice runs: no filter, no hook, no file system monitor.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from ...ingest.git.command import COMPARING, Git
from ...ingest.git.errors import GitError
from ...memory.drift import Edit, Proposal, State
from ...memory.errors import HermesError
from .checks import same_code
from .conventions import is_module, is_prose
from .edits import apply, decode, digest, encode, with_line_ends
from .worktree import NotWritable, read_file, replace_file

UNDO = "git restore --staged --worktree -- {path}"


class Refused(HermesError):
    """A fix can't be accepted now. The hint says what to do first."""

    code = "wrong_state"


@dataclass(frozen=True, slots=True)
class Staged:
    """A fix that lies in the index now."""

    path: str
    head: str
    tree: str
    """What a commit of the index would hold; empty if git could not tell."""
    undo: str
    """The command that takes it back."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file as HEAD has it."""

    mode: str
    blob: str
    data: bytes


def stage(git: Git, proposal: Proposal, busy: str | None = None) -> Staged:
    """Put a proposal's fix into the worktree and the index. ``busy`` is what git is in the middle
    of, if anything. Raise Refused, NotWritable or a GitError; then nothing was changed."""
    found = proposal.found
    name, path = f"D{proposal.id}", found.document
    if not found.edits:
        raise Refused(
            f"{name} has no fix: {found.reason}",
            hint=f"change {path} by hand; it is closed by itself when that is committed",
        )
    if git.worktree is None:
        raise Refused("a bare repository has no worktree to change")
    if busy is not None:
        raise Refused(f"git is in the middle of a {busy}", hint="end it first, then accept again")
    _check_clean(git)
    head = git.run("rev-parse", "--verify", "HEAD^{commit}").decode().strip()
    entry = _entry(git, path)
    if digest(entry.data) != found.digest:
        raise Refused(
            f"{path} has changed since {name} was made",
            hint="`hermes docs scan --wait` makes a fix for the document as it is now",
        )
    there = read_file(git.worktree, path)
    blob = _changed(entry.data, found.edits)
    changed = _in_worktree(there, entry.data, found.edits)
    if blob is None or changed is None:
        raise Refused(
            f"{path} has changes that are not committed",
            hint=f"commit them or put them aside (`git stash`), then: hermes docs accept {name}",
        )
    _check_is_document(path, entry.data, blob)
    replace_file(git.worktree, path, changed)
    try:
        tree = _put(git, entry.mode, path, blob)
    except HermesError:
        replace_file(git.worktree, path, there)
        raise
    return Staged(path, head, tree, UNDO.format(path=_quoted(path)))


def _check_is_document(path: str, before: bytes, after: bytes) -> None:
    """Raise NotWritable if more than a document would change, whatever is stored."""
    if is_prose(path):
        return
    if not is_module(path) or not same_code(decode(before) or "", decode(after) or ""):
        raise NotWritable(f"the fix would change more of {path} than a document")


def _check_clean(git: Git) -> None:
    listed = git.run("diff-index", "--cached", "--name-only", "-z", *COMPARING, "HEAD", "--")
    paths = [os.fsdecode(path) for path in listed.split(b"\0") if path]
    if not paths:
        return
    if git.run("ls-files", "--unmerged", "-z"):
        raise Refused(
            f"there are conflicts to resolve, in {paths[0]} for one",
            hint="resolve and commit them first, then accept again",
        )
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    raise Refused(
        f"{paths[0]}{more} is staged already, and a fix is to be a commit of its own",
        hint="commit it, or take it out (`git restore --staged .`), then accept again",
    )


def staged_paths(git: Git) -> frozenset[str]:
    """Return the paths that differ between HEAD and the index."""
    listed = git.run("diff-index", "--cached", "--name-only", "-z", *COMPARING, "HEAD", "--")
    return frozenset(os.fsdecode(path) for path in listed.split(b"\0") if path)


def _entry(git: Git, path: str) -> _Entry:
    listed = git.run("--literal-pathspecs", "ls-tree", "-z", "HEAD", "--", path)
    if not listed:
        raise Refused(f"{path} is not there any more", hint="`hermes docs scan` looks again")
    mode, kind, blob = listed.partition(b"\t")[0].decode().split()
    if kind != "blob" or mode not in ("100644", "100755"):
        raise NotWritable(f"{path} is no plain file but a link or a repository of its own")
    return _Entry(mode, blob, git.run("cat-file", "blob", blob))


def blob_at_head(git: Git, path: str) -> bytes | None:
    """Return a plain file as HEAD has it; None if it is not there, or is none."""
    try:
        return _entry(git, path).data
    except (Refused, NotWritable, GitError):
        return None


def _changed(data: bytes, edits: tuple[Edit, ...]) -> bytes | None:
    text = decode(data)
    made = None if text is None else apply(text, edits)
    return None if made is None else encode(made)


def _in_worktree(there: bytes, at_head: bytes, edits: tuple[Edit, ...]) -> bytes | None:
    """Return the worktree's file with the changes; None where it is not what HEAD has. git may
    have written it with other line ends (``core.autocrlf``, ``eol``)."""
    if there == at_head:
        return _changed(there, edits)
    every_line = there.count(b"\n") == there.count(b"\r\n")
    if b"\r" in at_head or not every_line or there.replace(b"\r\n", b"\n") != at_head:
        return None
    return _changed(there, with_line_ends(edits, "\r\n"))


def _put(git: Git, mode: str, path: str, data: bytes) -> str:
    """Store a blob and tell the index. Return the index's tree."""
    blob = git.run("hash-object", "-w", "--no-filters", "--stdin", stdin=data).decode().strip()
    line = f"{mode} {blob}\t".encode() + os.fsencode(path) + b"\0"
    try:
        git.run("update-index", "-z", "--index-info", stdin=line)
    except GitError as error:
        if "index.lock" in error.message:
            raise Refused(
                "another git command is at work in this repository", hint="try again in a moment"
            ) from error
        raise
    return git.run("write-tree").decode().strip()


def _quoted(path: str) -> str:
    import shlex

    return shlex.quote(path)


def may_accept(proposal: Proposal) -> None:
    """Raise Refused for a proposal of which something has become already."""
    if proposal.state is State.GONE:
        raise Refused(f"D{proposal.id} is over: {proposal.why or 'it does not apply any more'}")
    if proposal.state is State.ACCEPTED and proposal.why:
        raise Refused(f"D{proposal.id} was accepted and committed")
