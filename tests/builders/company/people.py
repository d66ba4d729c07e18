"""Who works there, and how what they said is written down."""

from __future__ import annotations

from datetime import UTC, datetime

from hermes.ingest.sources.transcript import transcript, turn

KIM = ("Kim Noor", "kim@harbor.example")
SAM = ("Sam Ito", "sam@harbor.example")
PRIYA = ("Priya Raman", "priya@harbor.example")
JONAS = ("Jonas Falk", "jonas@harbor.example")
LEA = ("Lea Brandt", "lea@harbor.example")
TOMAS = ("Tomás Rey", "tomas@harbor.example")
BY_NAME = {who[0].split()[0]: who for who in (KIM, SAM, PRIYA, JONAS, LEA, TOMAS)}

Said = tuple[str, str]
"""A first name and what they said."""
EVERY = 240
"""Seconds from one that says something to the next."""


def moment(when: str) -> int:
    """Return the second of ``2025-03-12 10:04`` (UTC)."""
    return int(datetime.fromisoformat(when).replace(tzinfo=UTC).timestamp())


def talk(opening: str, began: int, said: tuple[Said, ...]) -> str:
    """Return what opens an item and what was said on it, each with its person and time."""
    turns = [turn(BY_NAME[who][0], began + n * EVERY, words) for n, (who, words) in enumerate(said)]
    return transcript(opening, turns)


def people_of(said: tuple[Said, ...]) -> tuple[tuple[str, str], ...]:
    """Return everybody who spoke, in order."""
    return tuple(dict.fromkeys(BY_NAME[who] for who, _ in said))
