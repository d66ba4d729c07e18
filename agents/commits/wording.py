"""Drafts by rule: what a change is, said as this repository says it."""

from __future__ import annotations

from .records import Change, Draft, Facts, Sources, Style


def drafts(change: Change, facts: Facts, style: Style, sources: Sources, n: int) -> list[Draft]:
    """Return at most ``n`` drafts that differ in what they stress, best first."""
    raise NotImplementedError
