"""Repositories whose reactive work waits because git is in the middle of something there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .triggers.busy import patience

LOOK_SECONDS = 0.5
"""How often it is looked whether git has finished; a look is a few calls of stat."""

Busy = Callable[[str], str | None]
"""Given a repository's id, returns what git is in the middle of there; None if nothing."""


@dataclass(frozen=True, slots=True)
class _Hold:
    why: str
    since: float
    """On the monotonic clock."""


class Holding:
    """Which repositories are held, and for how much longer. `look` belongs in a thread."""

    def __init__(self, busy: Busy) -> None:
        self._busy = busy
        self._holds: dict[str, _Hold] = {}
        self._overdue: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._holds)

    @property
    def repos(self) -> frozenset[str]:
        """The repositories that are held."""
        return frozenset(self._holds)

    def hold(self, repo: str, clock: float) -> str:
        """Return why work on a repository has to wait, which is remembered; empty if it need not.

        An operation that takes too long holds nothing until git has finished it.
        """
        why = self._busy(repo)
        if why is None:
            self._holds.pop(repo, None)
            self._overdue.discard(repo)
            return ""
        if repo in self._overdue:
            return ""
        self._holds.setdefault(repo, _Hold(why, clock))
        return f"git is in the middle of: {why}"

    def look(self, clock: float) -> None:
        """Let go of what git has finished, and of what took too long."""
        for repo, held in list(self._holds.items()):
            now = self._busy(repo)
            if now is None:
                del self._holds[repo]
            elif clock - held.since >= patience(now):
                del self._holds[repo]
                self._overdue.add(repo)

    def fields(self, clock: float) -> list[dict[str, Any]]:
        """Return what is held, for status."""
        return [
            {"repo": repo, "why": held.why, "seconds": round(clock - held.since, 1)}
            for repo, held in self._holds.items()
        ]
