"""Read a question about who, when or what came last: what it asks, and about what."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from .deeds import FAMILY_OF


class Kind(Enum):
    """What is asked."""

    TOUCHED = auto()
    KNOWS = auto()
    LAST = auto()
    DID = auto()
    """Who or when did something: the commit that added, dropped, renamed … it."""
    PERSON = auto()
    """Who somebody is."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of this sort, read."""

    kind: Kind
    topic: str
    verb: str = ""
    """For DID: its family, a key of DEEDS."""
    recently: bool = False
    owner: bool = False
    """For KNOWS and TOUCHED: it asks whose it is, more than who was there."""


_DONE = "|".join(
    verb for verb in FAMILY_OF if verb.endswith("ed") or verb in {"built", "written", "rewritten"}
)
_ADVERB = r"(?:(?:recently|lately|last|most recently|originally|first|actually|ever)\s+)?"
_TAIL = re.compile(
    r"(?:,?\s+(?:and|or)\s+(?:why|when|how|what for|what changed|who)\b.*"
    r"|\s+(?:recently|lately|most|the most|best|last|first|these days|so far|and why))+\s*$",
    re.IGNORECASE,
)
_DOING = re.compile(r"^(?:supporting|using|shipping|relying on|depending on)\s+", re.IGNORECASE)
"""What follows "stop": "when did we stop using six"."""
_WORK = (
    r"(?:touched|changed|edited|modified|updated|maintained|maintains|owns|owned|"
    r"worked on|works on|been working on|working on|been touching|been changing|contributed to|"
    r"contributes to|committed to|looks? after)"
)
_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            Kind.LAST,
            rf"^who\s+(?:was\s+the\s+)?last\s+(?:to\s+)?(?:{_WORK}|touch|change|edit|modify)\s+(?P<topic>.+)",
        ),
        (
            Kind.KNOWS,
            (
                r"^(?:do you know\s+)?who\s+(?:knows?|understands?|is (?:the|an|our) (?:expert|owner|maintainer)s? (?:on|for|in|of)|is (?:in charge of|responsible for)|"
                r"can (?:help|tell)(?: me| us)? (?:with|about)|(?:should|can|could|do|to) (?:I |we )?"
                r"(?:ask|talk to|ping)(?: about)?)\s+(?:(?:the )?(?:most|best) )?(?:about\s+)?(?P<topic>.+)"
            ),
        ),
        (
            Kind.PERSON,
            r"^(?:who is|who's|who was)\s+(?!last\b)(?P<topic>@?\S+(?:\s+[A-Z]\S*){0,3})$",
        ),
        (
            Kind.TOUCHED,
            rf"^who(?:\s+(?:all|else))?(?:\s+(?:has|have|had|is|are|was))?\s+{_ADVERB}{_WORK}\s+(?P<topic>.+)",
        ),
        (
            Kind.LAST,
            (
                r"^(?:what|which|when)?\s*(?:is|was|were|are)?\s*(?:the\s+)?(?:last|latest|newest|most recent)"
                r"\s+(?:change|commit|edit|update|modification|work)s?\s+(?:made\s+)?(?:to|in|of|on|for|about)\s+(?P<topic>.+)"
            ),
        ),
        (
            Kind.LAST,
            rf"^when\s+(?:was|were|did\s+\w+)\s+(?P<topic>.+?)\s+last\s+{_WORK}",
        ),
        (Kind.DID, rf"^who\s+(?:has\s+|had\s+)?{_ADVERB}(?P<verb>\w+)\s+(?P<topic>.+)"),
        (
            Kind.DID,
            rf"^when\s+(?:did|do|have|has|had)\s+(?:we|they|you|I|\w+)\s+{_ADVERB}(?P<verb>\w+)\s+(?P<topic>.+)",
        ),
        (
            Kind.DID,
            rf"^(?:when|by whom)\s+(?:was|were|has|have)\s+(?P<topic>.+?)\s+(?:been\s+)?{_ADVERB}(?P<verb>{_DONE})\b",
        ),
    )
)


def read_question(question: str) -> Asked | None:
    """Given a question, return what it asks of the index, or None when it is of another sort."""
    text = question.strip().rstrip("?!. ")
    recently = bool(re.search(r"\b(?:recently|lately|these days)\b", text, re.IGNORECASE))
    for kind, form in _FORMS:
        found = form.match(text)
        if not found:
            continue
        family = ""
        if kind is Kind.DID:
            family = FAMILY_OF.get(found["verb"].lower(), "")
            if not family:
                continue
        topic = _TAIL.sub("", _DOING.sub("", found["topic"])).strip(" ,'\"`")
        if topic:
            return Asked(kind, topic, family, recently, bool(_OWNING.search(text)))
    return None


_OWNING = re.compile(
    r"^who.*?\b(?:own(?:s|ed|er)?|maintain(?:s|ed|er)?|responsible|in charge|looks? after)\b",
    re.IGNORECASE,
)
