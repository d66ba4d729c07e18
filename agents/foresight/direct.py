"""Answers an everyday question by rule, from what is known exactly. The same facts, the same answer."""

from __future__ import annotations

from .areas import tell_area
from .asked import Asked, Kind
from .ground import Ground, Told
from .open_items import tell_items
from .red_tests import tell_tests
from .ticket_state import tell_ticket

RULES = 2
"""Changes when the same facts give another answer: what was answered ahead does not hold then."""


def tell(question: str, asked: Asked, ground: Ground) -> Told | None:
    """Return the answer; None where what is asked about is not known here: another way may find
    something. Raise HermesError as memory does."""
    match asked.kind:
        case Kind.AREA:
            return tell_area(asked, ground)
        case Kind.TEST:
            return tell_tests(asked, ground)
        case Kind.TICKET:
            return tell_ticket(asked, ground, question)
        case Kind.ITEMS:
            return tell_items(asked, ground)
