"""How far a repository was read: what the next sync has to know."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from .fields import Json, as_list, as_object, number, text

MOST_WATCHED = 50
"""Open pull requests whose checks are looked at again."""


@dataclass(slots=True)
class Watched:
    """An open pull request's head, and how its checks were when they were last looked at."""

    sha: str
    runs: str = ""
    status: str = ""
    """ETags of its check runs and its statuses."""


@dataclass(slots=True)
class Cursor:
    """Kept as JSON. All times are in GitHub's own way of writing them, which sorts."""

    repository: str = ""
    """What it was called; when that is another name now, its references are others too."""
    since: str = ""
    """All that changed before it was read."""
    recent: dict[int, str] = field(default_factory=dict[int, str])
    """What changed not long before it, by number: it is listed once more, and not read again."""
    etag: str = ""
    """Of the list of what changed since."""
    known: set[int] = field(default_factory=set[int])
    """Numbers of all that was read and is still there."""
    whole: bool = False
    """Whether it was read to the end once."""
    edits: dict[str, str] = field(default_factory=dict[str, str])
    """By the kind of comment, since when edited ones were not looked for."""
    watched: dict[int, Watched] = field(default_factory=dict[int, Watched])
    swept: int = 0
    """When it was last looked for what was deleted, in seconds."""

    @classmethod
    def read(cls, said: str) -> Cursor:
        """Return a cursor that was kept; a new one if it says nothing that can be read."""
        try:
            data = as_object(json.loads(said))
        except ValueError:
            return cls()
        pairs = [as_list(each) for each in as_list(data.get("recent"))]
        return cls(
            repository=text(data, "repository"),
            since=text(data, "since"),
            recent={
                n: str(at) for n, at in (p for p in pairs if len(p) == 2) if isinstance(n, int)
            },
            etag=text(data, "etag"),
            known=_numbers(text(data, "known")),
            whole=data.get("whole") is True,
            edits={k: v for k, v in as_object(data.get("edits")).items() if isinstance(v, str)},
            watched=_watched(as_object(data.get("watched"))),
            swept=number(data, "swept") or 0,
        )

    def written(self) -> str:
        """Return it as it is kept."""
        return json.dumps(
            {
                "repository": self.repository,
                "since": self.since,
                "recent": sorted(self.recent.items()),
                "etag": self.etag,
                "known": _ranges(self.known),
                "whole": self.whole,
                "edits": self.edits,
                "watched": {str(n): [w.sha, w.runs, w.status] for n, w in self.watched.items()},
                "swept": self.swept,
            },
            separators=(",", ":"),
        )

    def watch(self, number: int, watched: Watched | None) -> None:
        """Keep an open pull request in sight, the last ones that changed; None: no more."""
        self.watched.pop(number, None)
        if watched is not None:
            self.watched[number] = watched
        for oldest in list(self.watched)[:-MOST_WATCHED]:
            del self.watched[oldest]


def _watched(data: Json) -> dict[int, Watched]:
    found: dict[int, Watched] = {}
    for key, value in data.items():
        words = [word for word in as_list(value) if isinstance(word, str)]
        if key.isdigit() and len(words) == 3:
            found[int(key)] = Watched(*words)
    return found


def _ranges(numbers: Iterable[int]) -> str:
    """Return numbers in short: ``1-480,482``. A repository's are dense."""
    runs: list[list[int]] = []
    for each in sorted(numbers):
        if runs and each == runs[-1][1] + 1:
            runs[-1][1] = each
        else:
            runs.append([each, each])
    return ",".join(f"{a}-{b}" if a < b else f"{a}" for a, b in runs)


def _numbers(ranges: str) -> set[int]:
    found: set[int] = set()
    for run in filter(None, ranges.split(",")):
        first, _, last = run.partition("-")
        if first.isdigit() and (last or first).isdigit():
            found.update(range(int(first), int(last or first) + 1))
    return found
