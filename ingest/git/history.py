"""Which commits are to be read, and which have left the history."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from .command import Git
from .errors import GitError, NotARepository, PathMissing, RepositoryCorrupt

_SHA = re.compile(rb"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Plan:
    """What one ingest has to do."""

    heads: dict[str, str]
    """Full ref name to sha, as they are now."""
    unread: tuple[str, ...]
    """Shas to read, newest first."""
    orphaned: frozenset[str]
    """Shas in memory that no local head reaches any more."""
    complete_walk: bool = False
    """Whether all of the history was compared, not just what is new since the recorded tips."""
    damage: str = ""
    """Why part of the history could not be walked; empty when all of it was."""


def heads(git: Git) -> dict[str, str]:
    """Return the local branches, full ref name to sha, and each worktree's detached HEAD.

    Remote-tracking branches and tags are not followed. Empty for a repository with no commits.
    A detached HEAD is named ``HEAD@<its worktree>``.
    """
    found = _branches(git)
    for block in git.run("worktree", "list", "--porcelain").split(b"\n\n"):
        lines = block.split(b"\n")
        if b"detached" not in lines or b"prunable" in block:
            continue
        folder = lines[0].removeprefix(b"worktree ").decode("utf-8", "backslashreplace")
        for field in lines:
            name, _, head = field.partition(b" ")
            if name == b"HEAD" and _SHA.fullmatch(head) and head.strip(b"0"):
                found[f"HEAD@{folder}"] = head.decode()
    return found


def _branches(git: Git) -> dict[str, str]:
    try:
        listed = git.run("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads")
        pairs = [line.split(b" ", 1) for line in listed.splitlines()]
    except RepositoryCorrupt:  # a branch's newest commit is missing; this does not look at it
        refs = git.run("for-each-ref", "--format=%(refname)", "refs/heads").splitlines()
        shas = git.run("rev-parse", "--branches").splitlines()
        pairs = [[sha, ref] for sha, ref in zip(shas, refs, strict=True)]
    return {ref.decode("utf-8", "backslashreplace"): sha.decode() for sha, ref in pairs}


def plan(git: Git, known: Collection[str], tips: Mapping[str, str]) -> Plan:
    """Compare the repository with memory.

    ``known`` are the shas that live in memory, ``tips`` the heads as of the last finished ingest.
    When no head has moved this costs two short git calls, whatever the size of the history.
    """
    now = heads(git)
    if now == dict(tips) and (known or not now):
        return Plan(now, (), frozenset())
    before = set(tips.values())
    present = _present(git, before.union(now.values()))
    lost = sorted(ref for ref, sha in now.items() if sha not in present)
    missing = f"{', '.join(lost)}: the newest commit is missing" if lost else ""
    tops = present.intersection(now.values())
    if not before or not known or not before <= present:
        reachable, damage = _walk(git, tops, ())
        damage = damage or missing
        return Plan(
            heads=now,
            unread=tuple(sha for sha in reachable if sha not in known),
            # What lies behind the damage can't be told from what is gone: keep it.
            orphaned=frozenset() if damage else frozenset(known).difference(reachable),
            complete_walk=True,
            damage=damage,
        )
    added, damage = _walk(git, tops, before)
    damage = damage or missing
    dropped, damage_before = _walk(git, before, tops)
    return Plan(
        heads=now,
        unread=tuple(sha for sha in added if sha not in known),
        orphaned=frozenset() if damage or damage_before else frozenset(dropped).intersection(known),
        damage=damage or damage_before,
    )


def commits_of(git: Git, branch: str) -> frozenset[str]:
    """Return the shas a branch, tag or other revision reaches. Raise GitError if there is none."""
    for name in (f"refs/heads/{branch}", f"refs/remotes/{branch}", f"refs/tags/{branch}", branch):
        if name.startswith("-"):
            break
        try:
            sha = git.run(
                "rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"
            )
        except (NotARepository, PathMissing):
            raise
        except GitError:
            continue
        return frozenset(_walk(git, [sha.decode().strip()], ())[0])
    raise GitError(
        f"{git.folder} has no branch {branch!r}", hint="git branch --all lists what there is"
    )


def root_commit(git: Git) -> str | None:
    """Return the oldest root commit of the local heads, by which a moved clone is recognised.

    None if there are no commits yet, or if the history was cut off by a shallow clone.
    """
    now = heads(git)
    if git.is_shallow or not now:
        return None
    try:
        roots = git.run(
            *("rev-list", "--max-parents=0", "--stdin"), stdin=_lines(sorted(set(now.values())))
        )
    except RepositoryCorrupt:
        return None
    return roots.split()[-1].decode() if roots else None


def shallow_boundary(git: Git) -> frozenset[str]:
    """Return the commits whose parents a shallow clone left out."""
    file = git.common_dir / "shallow"
    try:
        return frozenset(file.read_text("ascii").split())
    except FileNotFoundError:
        return frozenset()


def _present(git: Git, shas: Iterable[str]) -> set[str]:
    """Return those of some shas whose commits are here."""
    said = git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=_lines(shas))
    answers = (line.split() for line in said.decode().splitlines())
    return {answer[0] for answer in answers if answer[-1] == "commit"}


def _walk(git: Git, tips: Iterable[str], without: Iterable[str]) -> tuple[list[str], str]:
    """List what ``tips`` reach and ``without`` do not, newest first; and what stopped the walk."""
    wanted = set(tips)
    if not wanted:
        return [], ""
    feed = _lines([*wanted, *(f"^{sha}" for sha in set(without))])
    found: list[str] = []
    try:
        with git.stream("rev-list", "--stdin", stdin=feed) as blocks:
            found.extend(line.decode() for line in _split_lines(blocks))
    except RepositoryCorrupt as error:
        return found, error.message
    return found, ""


def _split_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        yield from lines


def _lines(words: Iterable[str]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode()
