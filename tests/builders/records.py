"""Commits and chunks as ingest would hand them to memory, made up."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from hermes.memory.records import Chunk, Commit, FileChange, Kind, chunk_id

START = 1_700_000_000
"""When commit number 0 was made; each next one is a minute younger."""


def sha_of(number: int, repo: str = "") -> str:
    """Return the sha of the commit with that number."""
    return hashlib.sha1(f"{repo}{number}".encode()).hexdigest()


def commit_of(
    repo: str,
    number: int,
    *,
    message: str = "",
    author: str = "Sam Ito",
    email: str = "sam@example.org",
    files: Sequence[FileChange] = (),
    tickets: Sequence[str] = (),
    time: int | None = None,
) -> Commit:
    """Return a commit; two files of its own unless they are given."""
    when = START + 60 * number if time is None else time
    return Commit(
        repo=repo,
        sha=sha_of(number),
        parents=(sha_of(number - 1),) if number else (),
        author=author,
        email=email,
        time=when,
        committed=when,
        subject=message or f"change number{number}",
        files=tuple(files) or (FileChange(f"src/a{number % 7}.py", "M"), FileChange("doc.md", "M")),
        tickets=tuple(tickets),
    )


def chunks_of(commit: Commit, text: str = "") -> list[Chunk]:
    """Return a commit's chunks: its message, and one for each file that holds ``text``."""
    made = [_chunk(commit, "", Kind.MESSAGE, commit.subject, commit.subject)]
    for file in commit.files:
        body = f"+{text or 'value'} = {commit.sha[:8]}\n unchanged"
        gist = f"{commit.subject}\n{file.path}\n{text or 'value'} = {commit.sha[:8]}"
        made.append(_chunk(commit, file.path, Kind.CONTEXT, body, gist))
    return made


def _chunk(commit: Commit, path: str, kind: Kind, text: str, index_text: str) -> Chunk:
    return Chunk(
        id=chunk_id(commit.repo, commit.sha, path, 0),
        repo=commit.repo,
        source="git",
        kind=kind,
        ref=commit.sha,
        path=path,
        part=0,
        author=commit.author,
        email=commit.email,
        time=commit.time,
        title=commit.subject,
        text=text,
        index_text=index_text,
    )


def batch_of(repo: str, numbers: Sequence[int]) -> tuple[list[Commit], list[Chunk]]:
    """Return commits with these numbers, and their chunks: three each."""
    commits = [commit_of(repo, number) for number in numbers]
    return commits, [chunk for commit in commits for chunk in chunks_of(commit)]
