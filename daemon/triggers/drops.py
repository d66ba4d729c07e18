"""What lies in the spool folder's files: a hook's few fields, or the JSON of any script.

docs/hooks.md describes both for those who write them.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from ...agents.events import Event, parse_event

DOOR_KINDS = ("files_changed", "noted", "requested", "run_asked")
"""The kinds of event that any script may drop. The others state what happened to a repository,
which hermes sees for itself."""

_FIRST = b"hermes-hook="
_LAST = b"end=\0"
_SHA = re.compile(r"[0-9a-f]{4,64}")


class Malformed(Exception):
    """Nothing can be made of a file, ever; the text says why."""


class Unfinished(Malformed):
    """Nothing can be made of a file as it is; it may be that it is still being written."""


@dataclass(frozen=True, slots=True)
class Drop:
    """What a file says: an event's fields, and where to look for its repository."""

    fields: dict[str, Any]
    source: str
    """``hook`` or ``spool``."""
    git_dir: str = ""
    cwd: str = ""
    """Absolute; empty if the file names no repository."""

    def event(self, repo: str | None, at: float) -> Event:
        """Return the event, of a repository's id and a time (of a file: it may lie before 1970).
        Raise Malformed."""
        try:
            said = {**self.fields, "source": self.source, "repo": repo, "at": max(0.0, at)}
            return parse_event(said)
        except ValidationError as error:
            raise Malformed(_in_words(error)) from error


def read_hook(content: bytes) -> Drop:
    """Given what one of our hooks wrote, return what it says. Raise Malformed or Unfinished."""
    if not content.startswith(_FIRST[: len(content)]):
        raise Malformed("it does not start as a hook's file does")
    if not content.endswith(b"\0" + _LAST):
        raise Unfinished("its end is missing")
    fields: dict[str, str] = {}
    for part in content[:-1].split(b"\0"):
        name, separator, value = part.partition(b"=")
        if not separator:
            raise Malformed("a field in it has no name")
        fields[os.fsdecode(name)] = os.fsdecode(value)
    if fields["hermes-hook"] != "1":
        raise Malformed("another version of hermes wrote it")
    cwd, git_dir = fields.get("cwd", ""), fields.get("git-dir", "")
    if not os.path.isabs(cwd):
        raise Malformed("it does not say where it was written")
    if git_dir:
        git_dir = os.path.normpath(os.path.join(cwd, git_dir))
    event = _of_hook(fields.get("hook", ""), fields.get("1", ""), fields.get("2", ""))
    return Drop(event, "hook", git_dir, cwd)


def read_door(content: bytes) -> Drop:
    """Given what a script dropped, return what it says. Raise Malformed or Unfinished."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unfinished(f"it is not JSON: {_short(str(error))}") from error
    if not isinstance(found, dict):
        raise Malformed("it is not a JSON object")
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise Malformed("it has half a character in it, which no file can hold") from error
    fields: dict[str, Any] = dict(found)  # pyright: ignore[reportUnknownArgumentType]
    kind = fields.get("kind")
    if kind not in DOOR_KINDS:
        said = "has no kind" if kind is None else f"is of kind {_short(str(kind))}"
        raise Malformed(f"it {said}; a script may drop {', '.join(DOOR_KINDS)}")
    for name in ("at", "source"):
        if name in fields:
            raise Malformed(f"{name} is not for a script to say")
    place = fields.pop("repo", None)
    is_path = isinstance(place, str) and os.path.isabs(place) and "\0" not in place
    if place is not None and not is_path:
        raise Malformed("repo is not the whole path of a folder")
    if place is None and kind == "files_changed":
        raise Malformed("files_changed needs repo, the path of a folder in the repository")
    return Drop(fields, "spool", "", place or "")


def _of_hook(hook: str, first: str, second: str) -> dict[str, Any]:
    match hook, first:
        case "post-commit", _:
            return {"kind": "committed", "cause": "commit"}
        case "post-merge", _:
            return {"kind": "committed", "cause": "merge"}
        case "post-checkout", _:
            moved = {"old": _sha(first), "new": _sha(second)}
            return {"kind": "head_moved", "cause": "checkout", **moved}
        case "post-rewrite", "rebase" | "amend":
            return {"kind": "head_moved", "cause": first}
        case "post-rewrite", _:
            return {"kind": "head_moved", "cause": "unknown"}
        case _:
            raise Malformed(f"hermes has no hook called {_short(hook)}")


def _sha(text: str) -> str | None:
    """A new worktree comes from a sha of zeros, which is none."""
    return text if _SHA.fullmatch(text) and text.strip("0") else None


def _in_words(error: ValidationError) -> str:
    parts: list[str] = []
    for found in error.errors(include_url=False, include_input=False)[:3]:
        where = ".".join(str(part) for part in found["loc"][1:])
        parts.append(f"{where}: {found['msg']}" if where else found["msg"])
    return _short("; ".join(parts), 300)


def _short(text: str, most: int = 80) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
