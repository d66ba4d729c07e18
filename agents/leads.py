"""Notes of recall that belong at the head of the answer, as sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

_UNKNOWN = re.compile(r"no commit in memory names (?P<name>\S+)")
_WIDENED = re.compile(r"nothing matches (?P<what>.+); searched without that")


def split_notes(notes: Sequence[str]) -> tuple[list[str], list[str]]:
    """Given recall's notes, return the sentences that lead the answer, and the other notes."""
    leads: list[str] = []
    others: list[str] = []
    for note in notes:
        if found := _UNKNOWN.fullmatch(note):
            leads.append(
                f"No commit in memory names {found['name']}; "
                "it may be a ticket that no commit message mentions."
            )
        elif found := _WIDENED.fullmatch(note):
            what = found["what"].replace("when “", "“").replace("author “", "the author “")
            leads.append(f"Nothing in memory matches {what}.")
        else:
            others.append(note)
    return leads, others


def unknown_names(notes: Sequence[str]) -> list[str]:
    """Given recall's notes, return the tickets that no commit names."""
    return [found["name"] for note in notes if (found := _UNKNOWN.fullmatch(note))]


def is_widened(notes: Sequence[str]) -> bool:
    """Given recall's notes, return whether it searched without when and who."""
    return any(_WIDENED.fullmatch(note) for note in notes)
