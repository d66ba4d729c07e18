"""What is known of an event when its route is chosen: its words, cut, and the paths it touches."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..ingest.git.command import COMPARING, Git
from .events import Committed, Delivered, Event, FilesChanged, Noted, Requested

MAX_TITLE = 300
MAX_TEXT = 2_000
"""Characters that the rules read; a model is shown far fewer."""
MAX_PATHS = 500
"""Paths of one event that are looked at, and of each only the end: its name and near folders."""
PATH_END = 200

_UNPRINTABLE = re.compile(r"[^\S\n]+|[\x00-\x09\x0b-\x1f\x7f-\x9f\ufffd\u202a-\u202e\u2066-\u2069]")
_NOISE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd]")


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit did, as far as its route depends on it."""

    message: str
    paths: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    """Those of ``paths`` that are not there any more, by their old names."""
    added: int = 0
    removed: int = 0
    """Lines, over all files."""


Look = Callable[[Committed], Change | None]
"""Given a commit's event, tell what it did; None if that can't be found out. Takes milliseconds."""


@dataclass(frozen=True, slots=True)
class Facts:
    """One event, made small and harmless."""

    kind: str
    title: str = ""
    text: str = ""
    paths: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    added: int = 0
    removed: int = 0
    what: str = ""
    """The provider's own word, for a webhook."""

    @property
    def says(self) -> str:
        """All its words."""
        return f"{self.title}\n{self.text}".strip()

    @property
    def empty(self) -> bool:
        """Whether it has no word at all."""
        return not re.search(r"\w", self.says)


def facts_of(event: Event, look: Look) -> Facts:
    """Given an event, return what its route may depend on."""
    match event:
        case Committed():
            change = look(event)
            if change is None:
                return Facts(event.kind)
            title, _, body = change.message.strip().partition("\n")
            return Facts(
                event.kind,
                plain(title, MAX_TITLE),
                plain(body, MAX_TEXT),
                _ends(change.paths),
                _ends(change.gone),
                change.added,
                change.removed,
            )
        case FilesChanged():
            return Facts(event.kind, paths=_ends(event.paths))
        case Requested():
            return Facts(event.kind, text=plain(event.text, MAX_TEXT))
        case Delivered():
            return Facts(
                event.kind,
                plain(event.title, MAX_TITLE),
                plain(event.text, MAX_TEXT),
                what=plain(f"{event.provider} {event.what}", MAX_TITLE),
            )
        case Noted():
            return Facts(
                event.kind,
                plain(event.title, MAX_TITLE),
                plain(event.text, MAX_TEXT),
                _ends(event.paths),
            )
        case _:
            return Facts(event.kind)


def _ends(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(path[-PATH_END:] for path in paths[:MAX_PATHS])


def plain(text: str, most: int) -> str:
    """Given any text, return its start without what is no text: runs of blanks become one, and
    what is mostly binary is left out whole."""
    start = text[: 4 * most]
    if len(_NOISE.findall(start)) > len(start) / 10:
        return ""
    lines = (_UNPRINTABLE.sub(" ", line).strip() for line in start.splitlines())
    return "\n".join(line for line in lines if line)[:most]


def look_at(git: Git, event: Committed) -> Change | None:
    """Given a repository and a commit's event, return what it did against the HEAD before, or
    against its parent. Raise a GitError if git fails."""
    if event.new is None:
        return None
    message = git.run("show", "-s", "--no-show-signature", "--format=%B", event.new, timeout=5.0)
    since = (event.old,) if event.old and event.cause in ("commit", "merge") else ()
    listed = git.run(
        *("diff-tree", "-r", "-z", "--root", "--no-commit-id", "-M", "-l200", "--raw"),
        *("--numstat", *COMPARING, *since, event.new),
        timeout=5.0,
    )
    paths: list[str] = []
    gone: list[str] = []
    added = removed = 0
    fields = iter(listed.split(b"\0"))
    for field in fields:
        if field.startswith(b":"):
            status = field.rsplit(b" ", 1)[1][:1]
            path = os.fsdecode(next(fields, b""))
            if status in (b"R", b"D"):
                gone.append(path)
            paths.append(os.fsdecode(next(fields, b"")) if status in (b"R", b"C") else path)
        elif field.count(b"\t") == 2:
            plus, minus, name = field.split(b"\t")
            added += int(plus) if plus.isdigit() else 0
            removed += int(minus) if minus.isdigit() else 0
            if not name:  # a rename: both names follow
                next(fields, b"")
                next(fields, b"")
    return Change(
        message.decode("utf-8", "replace"),
        tuple(paths),
        tuple(gone),
        added,
        removed,
    )
