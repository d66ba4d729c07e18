"""The ticket that a branch's name says its work is for, as a repository writes tickets."""

from __future__ import annotations

from ...ingest.git.branch_names import ticket_of
from ...ingest.git.tickets import tickets
from .records import Style, Ticket


def of_branch(branch: str, style: Style | None = None) -> Ticket | None:
    """Return the ticket a branch's name has (see `ticket_of`), or None.

    Where ``style`` has examples that name only numbers, a key in lower case does not count.
    """
    named = [] if style is None else [key for text in style.examples for key in tickets(text)]
    found = ticket_of(branch, numbered=bool(named) and all(key.startswith("#") for key in named))
    return None if found is None else Ticket(found, source="branch")
