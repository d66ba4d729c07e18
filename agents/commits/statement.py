"""One fact about a change, in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Sort = Literal["new", "gone", "moved", "other"]


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact in words that begin with a verb in the third person."""

    text: str
    thing: str
    """What it is about, as a person would name it."""
    path: str
    weight: float
    """How telling it is, against the others of the change."""
    sort: Sort = "other"
    """``new``: something that users can call is there that was not; ``gone``; ``moved``."""


def several(things: list[str]) -> str:
    """Return ``a``, ``a and b`` or ``a, b and c``."""
    return things[0] if len(things) == 1 else f"{', '.join(things[:-1])} and {things[-1]}"


def in_words(name: str) -> str:
    """Return a test's name as words: ``test_an_empty_cart`` → ``an empty cart``."""
    bare = re.sub(r"^[Tt]est_?", "", name)
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", bare).replace("_", " ").strip()
    return spaced.lower()
