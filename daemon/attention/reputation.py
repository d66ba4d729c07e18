"""Which agents are heard: whose output is hardly ever opened speaks in the digest only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..ledger.ledger import Ledger
from .decide import DAY
from .findings import Findings, Reception

WEEKS_2 = 14 * DAY
LEAST_SHOWN = 10
"""So many must have reached a screen before anything is concluded."""
LEAST_OPENED = 0.1
KEY = "attention:agents"

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """An agent was demoted, or promoted again."""

    agent: str
    demoted: bool
    at: float
    reason: str


class Reputation:
    """Keeps who is demoted since when, and what of that no brief has told yet."""

    def __init__(self, ledger: Ledger, findings: Findings) -> None:
        self._ledger = ledger
        self._findings = findings

    def demoted(self, agent: str) -> bool:
        """Return whether an agent speaks in the digest only."""
        return self._load().get(agent, {}).get("demoted") is not None

    def all_demoted(self) -> list[str]:
        """Return the agents that do."""
        return sorted(name for name, kept in self._load().items() if kept["demoted"] is not None)

    def review(self, agent: str, now: float) -> Turn | None:
        """Given an agent that has something to show, demote it if what it showed in two weeks was
        hardly ever opened. Return what changed."""
        kept = self._load().get(agent) or {"demoted": None, "promoted": None}
        if kept["demoted"] is not None:
            return None
        since = now - WEEKS_2
        # It must have been at it for the whole two weeks: a bad day is none of them.
        first = self._findings.reception(agent, kept["promoted"] or 0.0).first
        if first is None or first > since:
            return None
        shown = self._findings.reception(agent, since)
        if not ignored(shown):
            return None
        reason = f"{shown.opened} of the {shown.shown} things it showed in two weeks were opened"
        turn = Turn(agent, True, now, reason)
        self._save(agent, {"demoted": now, "promoted": None}, turn, now)
        return turn

    def reconsider(self, agent: str, now: float) -> Turn | None:
        """Given a demoted agent of which something was opened in the digest, let it show things
        again if that happens often enough. Return what changed."""
        kept = self._load().get(agent)
        if kept is None or kept["demoted"] is None:
            return None
        told = self._findings.digest_reception(agent, kept["demoted"])
        if not told.opened or told.opened < LEAST_OPENED * told.shown:
            return None
        reason = f"{told.opened} of its {told.shown} lines in the briefs were opened"
        turn = Turn(agent, False, now, reason)
        self._save(agent, {"demoted": None, "promoted": now}, turn, now)
        return turn

    def untold(self) -> list[Turn]:
        """Return what no brief has told yet."""
        return [Turn(**kept["turn"]) for kept in self._load().values() if kept["turn"]]

    def tell(self, turns: list[Turn], now: float) -> None:
        """Note that a brief has told them."""
        with self._ledger.writing():
            kept = self._load()
            for turn in turns:
                if kept[turn.agent]["turn"] == _fields(turn):
                    kept[turn.agent]["turn"] = None
            self._ledger.values.set(KEY, kept, now)

    def _load(self) -> dict[str, Fields]:
        return self._ledger.values.get(KEY) or {}

    def _save(self, agent: str, kept: Fields, turn: Turn, now: float) -> None:
        with self._ledger.writing():
            all_kept = self._load()
            all_kept[agent] = {**kept, "turn": _fields(turn)}
            self._ledger.values.set(KEY, all_kept, now)


def ignored(reception: Reception) -> bool:
    """Return whether what an agent showed was hardly ever opened."""
    shown, opened = reception.shown, reception.opened
    return shown >= LEAST_SHOWN and opened < LEAST_OPENED * shown


def _fields(turn: Turn) -> Fields:
    return {"agent": turn.agent, "demoted": turn.demoted, "at": turn.at, "reason": turn.reason}
