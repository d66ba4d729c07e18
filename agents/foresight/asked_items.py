"""Read a question of what is open, and for whom, and one of what somebody said about something."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Which(StrEnum):
    """What of the tickets and pull requests is asked for."""

    ALL = "all"
    TICKETS = "tickets"
    PULLS = "pulls"
    ASSIGNED = "assigned"
    WORK = "work"
    """What somebody works on: tickets assigned to them, and pull requests of theirs."""
    REVIEW = "review"
    """Pull requests that wait for a review."""
    SAID = "said"
    """What somebody said about a topic."""


@dataclass(frozen=True, slots=True)
class OfItems:
    """A question of this sort, read."""

    which: Which
    who: str = ""
    """As it was typed; ``me`` for the one who asks; empty for everybody."""
    topic: str = ""


_TICKETS = r"(?P<tickets>tickets?|issues?)"
_PULLS = r"(?P<pulls>prs?|pull\s+requests?|merge\s+requests?|pulls)"
_ITEMS = rf"(?:{_TICKETS}|{_PULLS})"
_WHO = r"(?P<who>@?[^\W\d_][\w.'@-]*(?:\s+[^\W\d_][\w.'-]*){0,2}?)"
_FOR = rf"(?:\s+(?:for|of|by|from|assigned\s+to)\s+{_WHO})?"
_NOW = r"(?:\s+(?:here|now|right\s+now|currently|at\s+the\s+moment|still|today))?"
_WAIT = r"(?:waits?|waiting|is\s+waiting|are\s+waiting|await|awaiting|needs?)"
_SAY = (
    r"(?:(?:say|said|write|written|wrote|think|thought|says|comment|commented)(?:\s+anything)?"
    r"\s+(?:about|of|on|regarding))"
)


def _forms(which: Which, *forms: str) -> list[tuple[Which, re.Pattern[str]]]:
    return [(which, re.compile(form, re.IGNORECASE)) for form in forms]


_FORMS = (
    *_forms(
        Which.REVIEW,
        rf"(?:which|what)\s+{_PULLS}\s+{_WAIT}\s+(?:for\s+)?(?:a\s+|(?P<mine>my)\s+)?review(?:\s+(?:by|from|of)\s+{_WHO})?{_NOW}",
        rf"(?:which|what)\s+{_PULLS}\s+{_WAIT}\s+for\s+{_WHO}(?:\s+to\s+review)?{_NOW}",
        rf"{_PULLS}\s+(?:waiting|that\s+wait|to\s+wait)\s+for\s+(?:a\s+|(?P<mine>my)\s+)?review",
        rf"(?:what|which\s+{_PULLS})\s+(?:do|should|must)\s+(?P<mine>I)\s+(?:have\s+to\s+)?review",
        rf"what\s+(?:waits|is\s+waiting|'s\s+waiting)\s+for\s+(?:(?P<mine>my)\s+|a\s+)?review(?:\s+(?:by|from)\s+{_WHO})?",
    ),
    *_forms(
        Which.ALL,
        rf"(?:which|what)\s+{_ITEMS}\s+(?:are|is)\s+(?:still\s+)?open{_FOR}{_NOW}",
        rf"(?:which|what)\s+(?:are\s+(?:the\s+)?)?open\s+{_ITEMS}(?:\s+are\s+there)?{_FOR}",
        rf"(?:(?:are|is)\s+there\s+)?(?:the\s+|all\s+|any\s+|list\s+)*open\s+{_ITEMS}{_FOR}",
        rf"(?P<mine>my)\s+(?:open\s+)?{_ITEMS}",
        rf"{_WHO}'s?\s+open\s+{_ITEMS}",
        rf"what(?:'s|\s+is)\s+(?:still\s+)?open\s+(?:for|of)\s+{_WHO}{_NOW}",
    ),
    *_forms(
        Which.ASSIGNED,
        rf"(?:what|which\s+{_ITEMS})(?:'s|\s+is|\s+are)\s+assigned\s+to\s+{_WHO}{_NOW}",
    ),
    *_forms(
        Which.WORK,
        rf"what(?:'s|\s+is)\s+{_WHO}\s+(?:currently\s+|now\s+)?working\s+on{_NOW}",
        r"what\s+am\s+(?P<mine>I)\s+working\s+on",
        rf"what\s+does\s+{_WHO}\s+work\s+on{_NOW}",
    ),
    *_forms(
        Which.SAID,
        rf"what\s+(?:did|has|does|do|have)\s+{_WHO}\s+{_SAY}\s+(?P<topic>.+)",
        rf"(?:did|has)\s+{_WHO}\s+(?:ever\s+)?{_SAY}\s+(?P<topic>.+)",
    ),
)
_ME = frozenset(("me", "i", "myself", "my"))
_NOBODY = frozenset(
    [
        "we",
        "they",
        "you",
        "it",
        "people",
        "everyone",
        "everybody",
        "anyone",
        "anybody",
        "somebody",
        "us",
    ]
)


def read_items(text: str) -> OfItems | None:
    """Given a question without its politeness and its end, return what it asks; None if it is of
    another sort."""
    for which, form in _FORMS:
        if (found := form.fullmatch(text)) is None:
            continue
        parts = found.groupdict()
        who = "me" if parts.get("mine") else (parts.get("who") or "").lstrip("@")
        if who.casefold() in _NOBODY:
            return None
        who = "me" if who.casefold() in _ME else who
        if which is Which.ALL and (parts.get("tickets") or parts.get("pulls")):
            which = Which.TICKETS if parts.get("tickets") else Which.PULLS
        return OfItems(which, who, (parts.get("topic") or "").strip(" \"'`"))
    return None
