"""Gathers what happened: commits, tickets, discussions, pull requests, tests and documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta, tzinfo
from functools import cache

from ...memory.memory import Memory
from ...memory.records import Repo
from ...memory.work import Work
from .commit_evidence import gather_commits
from .item_evidence import gather_items
from .records import Evidence
from .work_evidence import gather_drift, gather_tests


def gather(
    memory: Memory, work: Work, repo: Repo | None, first: date, last: date, zone: tzinfo
) -> list[Evidence]:
    """Return what happened in a repository on the days ``first`` to ``last`` of a zone, oldest
    first; None for what belongs to no repository.

    Ask once for all the pages that are to be made: each page takes its own days of it, and finds
    the same whatever else was asked for. Read from memory alone, so a repository may be gone.
    """
    since, until = start_of(first, zone), start_of(last + timedelta(1), zone)
    if repo is None:
        return ordered(gather_items(memory, "", since, until))
    found = [
        *gather_commits(memory, repo.id, since, until),
        *gather_items(memory, repo.id, since, until),
        *gather_tests(work, repo.id, since, until),
        *gather_drift(work, repo.id, since, until),
    ]
    return ordered(_with_titles(memory, repo.id, found))


def _with_titles(memory: Memory, repo: str, evidence: Sequence[Evidence]) -> Iterator[Evidence]:
    """Say what tickets and pull requests are called that evidence names."""

    @cache
    def title(key: str) -> str:
        found = memory.index.items.by_key(key, (repo,))
        return min(found, key=lambda item: item.ref).title if found else ""

    for each in evidence:
        keys = [*each.tickets[:1], each.pull]
        called = next((said for key in keys if key and (said := title(key))), "")
        yield replace(each, called=called) if called else each


def ordered(evidence: Iterable[Evidence]) -> list[Evidence]:
    """Return evidence oldest first, always in the same order."""
    return sorted(evidence, key=lambda each: (each.at, each.kind.value, each.ref, each.note))


def start_of(day: date, zone: tzinfo) -> int:
    """Return when a day begins in a zone; one has 23 hours and one 25 where clocks are changed."""
    return int(datetime.combine(day, time(), zone).timestamp())
