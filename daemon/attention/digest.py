"""What the next brief says of all that did not interrupt: each thing once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .decide import Place
from .findings import Row
from .incidents import Incident
from .reputation import Turn

Fields = dict[str, Any]
Kind = Literal["finding", "recovered", "incident", "over", "agent"]


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a brief."""

    kind: Kind
    """``finding``; ``recovered``: what was said is taken back; ``incident``: jobs that did not end
    well; ``over``: such a thing ended; ``agent``: one is demoted or promoted."""
    text: str
    at: float
    agent: str
    repo: str | None = None
    next_step: str = ""
    why: str = ""
    """The id for `hermes why`; empty where there is none."""
    id: int | None = None
    """Of the finding or the incident."""
    references: tuple[str, ...] = ()

    def fields(self) -> Fields:
        """Return it as an object for the API."""
        return {
            "kind": self.kind,
            "text": self.text,
            "at": self.at,
            "agent": self.agent,
            "repo": self.repo,
            "next_step": self.next_step,
            "why": self.why,
            "id": self.id,
            "references": list(self.references),
        }


@dataclass(frozen=True, slots=True)
class Digest:
    """What no brief has told yet, as it stood when it was asked for."""

    incidents: Sequence[Incident]
    findings: Sequence[Row]
    turns: Sequence[Turn]

    def items(self) -> list[Item]:
        """Return its lines: what failed, what was found, who is heard."""
        return [
            *map(_of_incident, self.incidents),
            *map(_of_finding, self.findings),
            *map(_of_turn, self.turns),
        ]


def _of_finding(row: Row) -> Item:
    gone = row.place is Place.TAKEN_BACK
    text = f"gone again: {row.title}" if gone else row.title
    if row.delivery_error and not gone:
        text += f" (it could not be shown: {row.delivery_error})"
    return Item(
        "recovered" if gone else "finding",
        text,
        row.at,
        row.agent,
        row.repo,
        "" if gone else row.next_step,
        f"f{row.id}",
        row.id,
        row.references,
    )


def _of_incident(incident: Incident) -> Item:
    over = incident.state == "recovered"
    new = incident.count - max(incident.told, 0)
    if over:
        text = f"works again: {incident.title}"
    elif incident.told:
        text = f"{incident.title} ({times(new)} more, {incident.count} in all)"
    else:
        text = incident.title + (f" ({times(incident.count)})" if incident.count > 1 else "")
    why = "" if incident.job is None else f"j{incident.job}"
    step = "" if over else f"hermes why {why}; hermes incidents ack {incident.id} if you know"
    return Item(
        "over" if over else "incident",
        text,
        incident.last,
        incident.agent,
        incident.repo,
        step,
        why,
        incident.id,
    )


def _of_turn(turn: Turn) -> Item:
    if turn.demoted:
        text = f"{turn.agent} speaks only here from now on: {turn.reason}"
        step = "open what it says here and it may show things again"
    else:
        text, step = f"{turn.agent} may show things again: {turn.reason}", ""
    return Item("agent", text, turn.at, turn.agent, next_step=step)


def times(count: int) -> str:
    """Return ``once``, ``twice``, ``3 times``."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
