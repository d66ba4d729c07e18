"""Subjects as clauses in the past tense."""

from __future__ import annotations

import pytest

from hermes.agents.subjects import past_clause


@pytest.mark.parametrize(
    ("subject", "clause"),
    [
        ("Remove the retry queue (#482)", "removed the retry queue (#482)"),
        ("Fixes bug in parser", "fixed bug in parser"),
        ("Updated docs and refactored tests", "updated docs and refactored tests"),
        ("Dropping support for 3.6", "dropped support for 3.6"),
        ("Add x and remove y", "added x and removed y"),
        ("Add cache and log files", "added cache and log files"),
        ("fix(worker): drop stale locks.", "dropped stale locks"),
        (":bug: fix crash on start", "fixed crash on start"),
        ('Revert "Add caching"', 'reverted "Add caching"'),
        ("Support Python 3.13", "added support for Python 3.13"),
        ("Apply the new style", "applied the new style"),
        ("Write the index once", "wrote the index once"),
        ("[core] Skip empty rows", "skipped empty rows"),
    ],
)
def test_what_somebody_did_becomes_a_clause(subject: str, clause: str) -> None:
    assert past_clause(subject) == clause


@pytest.mark.parametrize(
    "subject",
    [
        "README updates",
        "WIP",
        "Fix for #12",
        "Typo fix",
        "docs: tidy",
        "FIX broken build",
        "Fix",
        "",
    ],
)
def test_what_is_not_written_so_is_left_to_be_quoted(subject: str) -> None:
    assert past_clause(subject) is None
