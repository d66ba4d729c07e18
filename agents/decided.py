"""What a council decided, where a question is about that: cited first, as decided, with its outcome."""

from __future__ import annotations

import re
from dataclasses import replace

from ..memory.council_records import SOURCE
from ..memory.records import Passage, Recollection
from .deeds import essential
from .words import ASKING, overlap

ON_TOPIC = 0.5
"""Share of a question's terms that what the council was asked has too, to be about the same."""
_ASKS = re.compile(
    r"\b(?:council|verdict|decide[ds]?|decision|decisions|agreed|entschieden|entscheidung|beschlossen|rat"
    r"|décidé|décision|conseil|decidi(?:ó|mos|do)|decisión|consejo)\b",
    re.IGNORECASE,
)
_ABOUT_DECIDING = essential(
    "council verdict decide decided decision decisions agreed about on say said we what did the "
    "was hat haben wir der die das zu zum zur über entschieden entscheidung beschlossen rat "
    "que qu'a le la les nous avons sur décidé décision conseil qué el los hemos sobre decidió decisión consejo"
)


def decided_first(question: str, found: Recollection) -> Recollection:
    """Given what recall found for a question, return it with the verdicts on its topic first, where it
    asks what was decided: in a small memory little else says that they are what is meant."""
    if not _ASKS.search(question):
        return found
    topic = essential(question) - _ABOUT_DECIDING - ASKING
    on_topic = [one for one in found.passages if _is_verdict(one) and _about(one, topic)]
    if not on_topic:
        return found
    others = [one for one in found.passages if one not in on_topic]
    return replace(found, passages=(*on_topic, *others), relevant=True)


def _is_verdict(passage: Passage) -> bool:
    return passage.chunk.source == SOURCE


def _about(passage: Passage, topic: frozenset[str]) -> bool:
    return not topic or overlap(passage.chunk.title, topic) >= ON_TOPIC


def what_was_decided(text: str) -> str:
    """Given what memory has of a council, return what it decided, and how that turned out."""
    lines = text.splitlines()
    decided = next((line for line in lines if line.startswith("The council decided ")), "")
    outcome = next((line for line in lines if line.startswith("It turned out ")), "")
    return " ".join(part for part in (decided, outcome) if part)
