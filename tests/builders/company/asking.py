"""How much of what its questions rest on is found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from statistics import mean

from hermes.memory.memory import Memory
from hermes.memory.recall import recall
from hermes.memory.records import Passage

from .build import refs_of
from .questions import QUESTIONS

AS_OF = datetime(2025, 10, 1, 12, 0)
"""When they are asked: "in June" is that year's."""
AT_LEAST = 0.9
"""Share of a question's evidence that is among the first five, on average."""


@dataclass(frozen=True)
class Outcome:
    """What a question found."""

    question: str
    evidence: tuple[str, ...]
    places: tuple[int | None, ...]
    """Where each piece of it came, from 1; None where it did not."""

    def share(self, k: int = 5) -> float:
        """Return which part of its evidence is among the first ``k``."""
        return mean(place is not None and place <= k for place in self.places)


def asked(memory: Memory, most: int = 10) -> Iterator[Outcome]:
    """Ask everything of a memory that knows the company."""
    refs = refs_of(memory)
    for question, evidence in QUESTIONS:
        passages = recall(memory, question, k=most, now=AS_OF).passages
        place_of: dict[str, int] = {}
        for place, passage in enumerate(passages, 1):
            for ref in shown(passage):
                place_of.setdefault(ref, place)
        yield Outcome(question, evidence, tuple(place_of.get(refs[name]) for name in evidence))


def shown(passage: Passage) -> set[str]:
    """Return the references that a passage shows."""
    return {chunk.ref for chunk in (passage.chunk, *passage.also)}
