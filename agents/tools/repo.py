"""Tools over a repository's git objects: read-only, bounded, and confined to it.

Files are read from commits, never from the working tree, so a link can lead nowhere.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from ...ingest.git.command import DIFF_OPTIONS, Git
from ...ingest.git.errors import GitError
from ...ingest.redaction import redact
from ...memory.records import Commit
from ..answer_events import SourceRef, iso_day, place_of
from ..evidence import Source
from ..fence import fenced, neutral
from .registry import CallRefused, tool
from .workshop import Workshop

GIT_SECONDS = 10.0
MAX_LINES = 120
MAX_COMMITS = 20
MAX_BLOB = 2_000_000
"""Bytes of a file beyond which it is not read."""
_STAT_OPTIONS = ("--no-ext-diff", "--no-textconv", "--no-color", "--stat=100")
_REVISION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./+~^-]{0,199}")
_FIELDS = "%H%x00%P%x00%an%x00%ae%x00%at%x00%ct%x00%s"

Path = Annotated[str, Field(description="path inside the repository", max_length=1_000)]
Revision = Annotated[str, Field(description="commit sha, branch or tag", max_length=200)]


@tool
def git_show(
    shop: Workshop,
    sha: Revision,
    path: Annotated[str, Field(description="show the diff of this file only")] = "",
) -> str:
    """Show a commit: message, files, and the diff of one file."""
    repo, full = _resolve(shop, sha)
    git = shop.gits[repo]
    commit = _commit(shop, repo, full)
    show = ("show", "--encoding=UTF-8", "--find-renames")
    if path:
        text = _run(
            git, "--literal-pathspecs", *show, *DIFF_OPTIONS, "--format=", full, "--", _inside(path)
        )
        if not text:
            raise CallRefused(f"commit {full[:10]} does not change {path!r}")
    else:
        text = _run(git, *show, *_STAT_OPTIONS, "--format=%B", full)
    ref = _ref(commit, _inside(path) if path else "", "commit")
    source = shop.evidence.add_text(ref, redact(text)[0], view="show")
    return fenced(source, shop.response_tokens)


@tool
def git_log(
    shop: Workshop,
    path: Annotated[str, Field(description="only commits that changed this file or folder")] = "",
    author: Annotated[str, Field(description="only this person")] = "",
    limit: Annotated[int, Field(ge=1, le=MAX_COMMITS)] = 8,
) -> str:
    """List the newest commits, of a file or person if given."""
    lines: list[str] = []
    where = ("--", _inside(path)) if path else ()
    who = ("--fixed-strings", "--regexp-ignore-case", f"--author={author}") if author else ()
    for repo, git in shop.gits.items():
        out = _run(
            git,
            *("--literal-pathspecs", "log", "-z", f"--max-count={limit}", "--encoding=UTF-8"),
            *(f"--format={_FIELDS}", "--no-show-signature", *who, "HEAD", *where),
        )
        fields = out.split("\x00")
        for start in range(0, len(fields) - 6, 7):
            commit = _from_fields(repo, fields[start : start + 7])
            source = shop.evidence.add_commit(commit)
            lines.append(_log_line(source))
    if not lines:
        raise CallRefused("no commit matches")
    return "\n".join(lines[:limit])


@tool
def git_blame(
    shop: Workshop,
    path: Path,
    first_line: Annotated[int, Field(ge=1)] = 1,
    last_line: Annotated[int, Field(ge=1)] = 40,
    revision: Revision = "HEAD",
) -> str:
    """Say for each line of a file which commit wrote it."""
    repo, full = _resolve_for_path(shop, revision, path)
    last = min(last_line, first_line + MAX_LINES // 2 - 1)
    out = _run(
        shop.gits[repo],
        *("blame", "--line-porcelain", "--no-textconv", f"-L{first_line},{last}"),
        *(full, "--", _inside(path)),
    )
    lines: list[str] = []
    sha, number = "", 0
    for line in out.split("\n"):
        head = re.match(r"\^?([0-9a-f]{40,64}) \d+ (\d+)", line)
        if head:
            sha, number = head[1], int(head[2])
        elif line.startswith("\t"):
            source = shop.evidence.add_commit(_commit(shop, repo, sha))
            who = f"{source.ref.author} {iso_day(source.ref.time)}"
            lines.append(f"[{source.number}] {who} {number}: {neutral(redact(line[1:])[0])}")
    return "\n".join(lines)


@tool
def read_file(
    shop: Workshop,
    path: Path,
    first_line: Annotated[int, Field(ge=1)] = 1,
    last_line: Annotated[int, Field(ge=1)] = 80,
    revision: Revision = "HEAD",
) -> str:
    """Read lines of a file as of a commit."""
    repo, full = _resolve_for_path(shop, revision, path)
    git, inside = shop.gits[repo], _inside(path)
    size = int(_run(git, "cat-file", "-s", f"{full}:{inside}"))
    if size > MAX_BLOB:
        raise CallRefused(f"{path} has {size:,} bytes, too many to read")
    text = _run(git, "cat-file", "blob", f"{full}:{inside}")
    if "\x00" in text[:8_000]:
        raise CallRefused(f"{path} is a binary file")
    lines = text.split("\n")
    last = min(last_line, first_line + MAX_LINES - 1, len(lines))
    part = "\n".join(lines[first_line - 1 : last])
    commit = _commit(shop, repo, full)
    ref = _ref(commit, inside, "file")
    source = shop.evidence.add_text(ref, redact(part)[0], view=f"{first_line}-{last}")
    return f"Lines {first_line}-{last} of {len(lines)}:\n{fenced(source, shop.response_tokens)}"


def _run(git: Git, *args: str) -> str:
    try:
        return git.run(*args, timeout=GIT_SECONDS).decode("utf-8", "replace")
    except GitError as error:
        raise CallRefused(f"git says: {error.message[:200]}") from error


def _inside(path: str) -> str:
    """Given a path from a model, return it relative to the repository's root, or refuse it."""
    parts = PurePosixPath(path.replace("\\", "/")).parts
    if not parts or parts[0] == "/" or ".." in parts or ":" in parts[0] or "\x00" in path:
        raise CallRefused(f"{path!r} is not a path inside the repository")
    return "/".join(part for part in parts if part != ".")


def _resolve(shop: Workshop, revision: str) -> tuple[str, str]:
    """Find the repository and full sha of a revision; only what a branch or tag reaches."""
    for commit in shop.memory.index.resolve_sha(revision, tuple(shop.gits)):
        return commit.repo, commit.sha
    if not _REVISION.fullmatch(revision) or ".." in revision:
        _refuse_items(shop, revision)
        raise CallRefused(f"{revision!r} is not a revision")
    for repo, git in shop.gits.items():
        found = _try(git, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        if found:
            sha = found.strip()
            reached = _try(git, "for-each-ref", "--count=1", f"--contains={sha}")
            if reached:
                return repo, sha
    _refuse_items(shop, revision)
    raise CallRefused(f"no commit {revision!r} here")


def _refuse_items(shop: Workshop, name: str) -> None:
    """Say of a ticket, a pull request or a discussion that git knows nothing of it."""
    items = shop.memory.index.items
    item = items.get(name) or next(iter(items.by_key(name, tuple(shop.gits))), None)
    if item is not None:
        raise CallRefused(
            f"{name!r} is a {item.kind} in {place_of(item.source)}, not a commit; "
            "search_memory finds what it says"
        )


def _resolve_for_path(shop: Workshop, revision: str, path: str) -> tuple[str, str]:
    """Also see that the path is a file there, and not a link or a submodule."""
    inside = _inside(path)
    candidates = list(shop.gits) if revision == "HEAD" else [_resolve(shop, revision)[0]]
    for repo in candidates:
        git = shop.gits[repo]
        full = _try(git, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").strip()
        entry = full and _try(git, "--literal-pathspecs", "ls-tree", "-z", full, "--", inside)
        if not entry:
            continue
        mode, kind = entry.split(" ", 2)[:2]
        if mode == "120000":
            raise CallRefused(f"{path!r} is a symbolic link, which is not followed")
        if kind != "blob":
            raise CallRefused(f"{path!r} is not a file")
        return repo, full
    raise CallRefused(f"there is no file {path!r} at {revision}")


def _try(git: Git, *args: str) -> str:
    try:
        return git.run(*args, timeout=GIT_SECONDS).decode("utf-8", "replace")
    except GitError:
        return ""


def _commit(shop: Workshop, repo: str, sha: str) -> Commit:
    known = shop.memory.index.commit(repo, sha)
    if known is not None:
        return known
    out = _run(
        shop.gits[repo], "log", "--max-count=1", "--encoding=UTF-8", f"--format={_FIELDS}", sha
    )
    return _from_fields(repo, out.rstrip("\n").split("\x00"))


def _from_fields(repo: str, fields: list[str]) -> Commit:
    sha, parents, author, email, authored, committed, subject = fields
    return Commit(
        repo=repo, sha=sha, parents=tuple(parents.split()), author=author, email=email,
        time=int(authored), committed=int(committed), subject=redact(subject)[0],
    )  # fmt: skip


def _ref(commit: Commit, path: str, kind: str) -> SourceRef:
    return SourceRef(
        0, commit.repo, commit.sha, commit.time, commit.author, path, commit.subject, kind
    )


def _log_line(source: Source) -> str:
    ref = source.ref
    return neutral(f"[{ref.number}] {ref.sha[:10]} {ref.date} {ref.author}: {ref.subject}")
