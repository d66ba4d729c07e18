"""Reads commits for a brief: a few calls of git for a repository, never one for each commit."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...ingest.git.command import COMPARING, Git
from ...ingest.git.tickets import tickets
from ...memory.text import storable
from .look import Done, File
from .records import Person

SECONDS = 8.0
"""For one call of git."""
BODY = 4_000
"""Characters of a message that are read."""
MOST_FILES = 400
"""Of one commit; a release or a mass format says nothing by its thousandth."""
REFLOG_BYTES = 400_000

_FIELDS = "%H%x00%P%x00%aN%x00%aE%x00%at%x00%ct%x00%s%x00%b"
_LOG = (
    *("log", "-z", "--encoding=UTF-8", "--no-abbrev", "--use-mailmap", "--no-show-signature"),
    *("--no-notes", "--no-decorate", "--no-renames", "--no-diff-merges", "--root", *COMPARING),
)
NAMES = "--name-only"
COUNTS = "--numstat"
MESSAGES = "--no-patch"


def log(git: Git, what: str, *wanted: str, most: int = 20_000) -> tuple[Done, ...]:
    """Return the commits that ``wanted`` (revisions and limits) names, in git's order; ``what`` is
    NAMES, COUNTS or MESSAGES. Raise GitError."""
    marker = "\x01" + secrets.token_hex(8) + "\x01"
    mark = marker.replace("\x01", "%x01")
    said = git.run(
        *_LOG,
        *(what, f"--max-count={most}", f"--format=tformat:{mark}{_FIELDS}{mark}"),
        *wanted,
        "--",
        timeout=SECONDS,
    )
    return tuple(_parsed(said.split(marker.encode()), counted=what == COUNTS))


def _parsed(parts: Sequence[bytes], *, counted: bool) -> Iterator[Done]:
    for place in range(1, len(parts) - 1, 2):
        fields = parts[place].split(b"\0", 7)
        sha, parents, author, email, at, committed, subject, body = fields
        title = storable(subject.decode("utf-8", "replace"))
        text = storable(body[:BODY].decode("utf-8", "replace"))
        listed = [entry.lstrip(b"\n") for entry in parts[place + 1].split(b"\0")[:MOST_FILES]]
        yield Done(
            sha=sha.decode(),
            parents=tuple(parents.decode().split()),
            author=storable(author.decode("utf-8", "replace")),
            email=email.decode("utf-8", "replace").lower(),
            at=_seconds(at),
            committed=_seconds(committed),
            subject=" ".join(title.split()),
            body=text.strip(),
            files=tuple(_file(entry, counted) for entry in listed if entry),
            tickets=tickets(f"{title}\n\n{text}"),
        )


def _file(entry: bytes, counted: bool) -> File:
    if not counted:
        return File(path_of(entry))
    added, removed, path = entry.split(b"\t", 2)
    return File(path_of(path), _count(added), _count(removed))


def path_of(path: bytes) -> str:
    """Return a path as text that every store can hold."""
    return path.decode("utf-8", "backslashreplace")


def _count(text: bytes) -> int | None:
    return None if text == b"-" else int(text)


def _seconds(text: bytes) -> int:
    try:
        return int(text)
    except ValueError:  # a commit that was made by hand
        return 0


def by(person: Person) -> tuple[str, ...]:
    """Return the options with which git's log lists the person's commits alone."""
    return (
        *("--fixed-strings", "--regexp-ignore-case"),
        *(f"--author=<{email}>" for email in sorted(person.emails)),
    )


def last_worked(git: Git, person: Person, since: float, before: float) -> float | None:
    """Return when the person last authored a commit between two moments, on any branch that is
    here. Raise GitError."""
    if not person.emails:
        return None
    found = log(
        git, MESSAGES, "--branches", "--remotes", f"--max-age={int(since)}", *by(person), most=2_000
    )
    times = [d.at for d in found if since <= d.at < before and person.wrote(d.author, d.email)]
    return max(times, default=None)


def reflog(git: Git, ref: str) -> list[tuple[str, str, float, str]]:
    """Return where a reference stood: (old, new, when, why), oldest first. Nothing where git keeps
    no such record."""
    try:
        with Path(git.common_dir, "logs", ref).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - REFLOG_BYTES))
            lines = file.read(REFLOG_BYTES).split(b"\n")
    except OSError:
        return []
    entries: list[tuple[str, str, float, str]] = []
    for line in lines[1 if size > REFLOG_BYTES else 0 :]:
        head, _, why = line.partition(b"\t")
        words = head.split(b" ")
        if len(words) < 5 or not words[-2].isdigit():
            continue
        entries.append(
            (
                words[0].decode("ascii", "replace"),
                words[1].decode("ascii", "replace"),
                float(words[-2]),
                why.decode("utf-8", "replace"),
            )
        )
    return entries


def stood_at(entries: Sequence[tuple[str, str, float, str]], moment: float) -> str | None:
    """Given a reflog, return the sha that was there at a moment; None if that is not known."""
    before = [entry for entry in entries if entry[2] < moment]
    if before:
        return before[-1][1]
    first = entries[0][0] if entries else ""
    return first if first.strip("0") else None


def existing(git: Git, shas: Sequence[str]) -> frozenset[str]:
    """Return those of some commits that are still there. Raise GitError."""
    if not shas:
        return frozenset()
    said = git.run(
        *("cat-file", "--batch-check=%(objectname) %(objecttype)"),
        stdin="".join(f"{sha}\n" for sha in shas).encode(),
        timeout=SECONDS,
    )
    lines = (line.split() for line in said.decode("utf-8", "replace").splitlines())
    return frozenset(words[0] for words in lines if words[1:] == ["commit"])
