"""Subjects as clauses in the past tense."""

from __future__ import annotations

import pytest

from hermes.agents.subjects import leading_verb, past_clause, without_verbs


@pytest.mark.parametrize(
    ("subject", "clause"),
    [
        ("Remove the retry queue (#482)", "removed the retry queue (#482)"),
        ("Fixes bug in parser", "fixed bug in parser"),
        ("Updated docs and refactored tests", "updated docs and refactored tests"),
        ("Dropping support for 3.6", "dropped support for 3.6"),
        ("Log each try", "logged each try"),
        ("Add x and remove y", "added x and removed y"),
        ("Add cache, tests and documents", "added cache, tests and documents"),
        ("Add cache and log each try", "added cache and logged each try"),
        ("Adds x and removes y", "added x and removed y"),
        ("Added cache and log files", "added cache and log files"),
        ("Add jitter and backoff", "added jitter and backoff"),
        ("Add read and written lists", "added read and written lists"),
        (
            "Make themes from commits, tests and documents",
            "made themes from commits, tests and documents",
        ),
        (
            "Kill it at random: each page is old or new",
            "killed it at random: each page is old or new",
        ),
        ("Tell x apart; remove what is old", "told x apart; removed what is old"),
        (
            "Start shells to see that it comes, and that it ends",
            "started shells to see that it comes, and that it ends",
        ),
        ("Add x and also remove y", "added x and also removed y"),
        ("fix(worker): drop stale locks.", "dropped stale locks"),
        (":bug: fix crash on start", "fixed crash on start"),
        ('Revert "Add caching"', 'reverted "Add caching"'),
        ('Revert "Add caching (#1)" (#2)', 'reverted "Add caching (#1)" (#2)'),
        ("Support Python 3.13", "added support for Python 3.13"),
        ("Apply the new style", "applied the new style"),
        ("Write the index once", "wrote the index once"),
        ("[core] Skipped empty rows", "skipped empty rows"),
        ("Made errors clearer.", "made errors clearer"),
        ("rewrite docs, clean up typing", "rewrote docs, cleaned up typing"),
        ("Support HTTP/2, using a flag", "added support for HTTP/2, using a flag"),
        ("Implemented --multi, closes #791", "implemented --multi (#791)"),
        ("Removed x, refs #1, #2", "removed x (#1, #2)"),
        ("Fix the lock. Fixes #164", "fixed the lock (#164)"),
        ("Added hints. (#5485)", "added hints (#5485)"),
        ("Upgrade to clap 4.0", "upgraded to clap 4.0"),
        ("Fix it, e.g. for tests", "fixed it, e.g. for tests"),
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
        "Fix broken tests. Drop python 3.8. (#580)",
        "Do not use Date, use Last-Modified. This fixes #164",
        "Fix `max_retries",
        "Fix the rest ...",
        "Use uv",
        "Respect exit codes with `--exec-batch`",
        "Skip empty rows",
        "Drop six and use str",
        "Stop ignore .git folders",
        "Add cache and log files",
        "Do a night in the worker: derive marks, make themes, pack and check",
        "Compute a change's facts, draft by rule, and check a message",
        "Allow users to add and remove keys",
        "Let users add and remove keys",
        "Let a model title a theme, and check them",
        "Fix crash when users add and remove keys",
        "Read and write locks",
        "Put x in place and log files",
        "Make room for it, and name what it is made of",
        "Give a model its time, and see the command",
        "Add x and frobnicate the cache",
        "Add x and vaporize caches",
        "Tell it apart, count files honestly",
        "Adding x and remove y",
        "Cache invalidation fixes",
        "Release notes",
        "Merge conflicts",
        "Release date is today",
        "Fix #2937: Ensure the order",
        "",
    ],
)
def test_what_is_not_written_so_is_left_to_be_quoted(subject: str) -> None:
    assert past_clause(subject) is None


@pytest.mark.parametrize(
    ("subject", "verb"),
    [
        ("feat: ignore `.git/` by default", "ignored"),
        ("Drop six. Use str", "dropped"),
        ('Revert "Add caching"', "reverted"),
        ("support go 1.19 (#3272)", "supported"),
        ("README updates", None),
    ],
)
def test_the_verb_is_known_of_what_is_quoted_too(subject: str, verb: str | None) -> None:
    assert leading_verb(subject) == verb


@pytest.mark.parametrize(
    ("subject", "about"),
    [
        (
            "Lay out the test runner, the commit helper and the doc keeper",
            "the test runner, the commit helper and the doc keeper",
        ),
        ("Lay out the morning brief", "the morning brief"),
        ("Tell old releases from new and pack the store", "old releases from new and the store"),
        ("feat(pay): add retries, remove the queue", "retries, the queue"),
        ("Cache parcels by country", "Cache parcels by country"),
        ("Retry failed payments", "Retry failed payments"),
        ("Say of each search what it found", "of each search what it found"),
        ("README updates", "README updates"),
        ("WIP", "WIP"),
    ],
)
def test_what_a_subject_is_about_is_what_its_verbs_leave(subject: str, about: str) -> None:
    assert without_verbs(subject) == about
