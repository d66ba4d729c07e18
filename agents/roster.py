"""The table of agents: what each is for, what calls it, and what its work may take.

All specialists have their card here, also those that a daemon does not have: the router picks only
from what is installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Seat = Literal["bulk", "light", "long", "loop"]
"""Where an agent works: in the one worker process that writes memory, or on the daemon's loop; there
what waits for minutes for a process of its own has places of its own."""

TOLD = "told"
"""The indexer's task after a webhook, with provider and place behind it: to have read what reads
that place."""

MINUTE = 60.0
HOUR = 3_600.0


@dataclass(frozen=True, slots=True)
class Card:
    """One agent."""

    name: str
    does: str
    """One line, from the side of what arrives. The router's model reads it."""
    seat: Seat
    must: frozenset[str] = frozenset()
    """Kinds of events after which it always runs; which files count is the rules' business."""
    may: frozenset[str] = frozenset()
    """Kinds of events after which it runs if it is chosen."""
    subjects: tuple[str, ...] = ("",)
    """Its tasks; the first is what an event asks for when it names none."""
    schedules: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names of scheduled jobs that are its own, each with the subject that is meant."""
    quiet: float = 0.0
    longest: float = 0.0
    """Seconds, as in a Spec; for what nobody waits for."""
    expires_in: float | None = None
    """Seconds after which it is not worth starting any more."""
    time_limit: float = 10 * MINUTE
    """Seconds that one run may take."""
    needs_words: bool = False
    """Without a text it has nothing to work on."""


_ASKED = frozenset({"requested"})
_BROUGHT = frozenset({"delivered", "noted"})

CARDS: dict[str, Card] = {
    card.name: card
    for card in (
        Card(
            "indexer",
            "keeps memory current: reads history and documents again, takes in discussions, "
            "decisions and incident notes worth remembering",
            seat="bulk",
            must=frozenset({
                "committed", "head_moved", "refs_moved", "repo_added", "repo_gone",
                "files_changed",
            }),
            may=_ASKED | _BROUGHT,
            subjects=(
                *("read", "links", "vectors", "upkeep", "forget", "amend", "rebuild", "rescan"),
                "sync",
            ),
            schedules={"upkeep": "upkeep", "vectors": "vectors", "rescan": "rescan",
                       "read": "read", "sources": "sync"},
            quiet=0.1,
            longest=1.0,
            time_limit=12 * HOUR,
        ),
        Card(
            "synthesizer",
            "rolls memory up into themes; after a change of direction: a migration, a rewrite, a "
            "subsystem or design adopted or dropped",
            seat="bulk",
            may=_ASKED | {"committed"},
            subjects=("", "themes"),
            schedules={"consolidate": "", "themes": "themes"},
            quiet=5 * MINUTE,
            longest=HOUR,
            expires_in=24 * HOUR,
            time_limit=12 * HOUR,
        ),
        Card(
            "test_runner",
            "runs the affected tests of code that changed",
            seat="long",
            must=frozenset({"files_changed"}),
            may=_ASKED | _BROUGHT,
            subjects=("affected", "full", "first_bad"),
            schedules={"tests": "full"},
            quiet=1.0,
            longest=10.0,
            time_limit=65 * MINUTE,
        ),
        Card(
            "commit_helper",
            "drafts the commit message for what is staged",
            seat="light",
            must=frozenset({"index_changed", "head_moved"}),
            may=_ASKED,
            quiet=1.5,
            longest=15.0,
            expires_in=10 * MINUTE,
            time_limit=2 * MINUTE,
        ),
        Card(
            "doc_keeper",
            "checks documents against code: names, flags, settings, commands or paths that were "
            "renamed, removed or changed",
            seat="loop",
            must=frozenset({"committed"}),
            may=_ASKED | _BROUGHT,
            subjects=("check", "scan"),
            schedules={"links": "scan", "docs": "scan"},
            quiet=1.0,
            longest=MINUTE,
            expires_in=24 * HOUR,
            time_limit=5 * MINUTE,
        ),
        Card(
            "standup",
            "makes the brief: what was done, what comes next, what needs this person now (a "
            "review asked of them, a ticket given to them, a broken build or deploy)",
            seat="loop",
            may=_ASKED | _BROUGHT,
            subjects=("", "refresh"),
            schedules={"brief": ""},
            quiet=30.0,
            longest=5 * MINUTE,
            expires_in=6 * HOUR,
            time_limit=3 * MINUTE,
        ),
        Card(
            "qa",
            "answers a question about the code, its history, its people and its reasons",
            seat="loop",
            needs_words=True,
            may=_ASKED | _BROUGHT,
            expires_in=15 * MINUTE,
            time_limit=5 * MINUTE,
        ),
        Card(
            "council",
            "several judges weigh a decision: is it safe, should we, which of two, review this",
            seat="loop",
            needs_words=True,
            may=_ASKED,
            subjects=("", "remember"),
            expires_in=HOUR,
            time_limit=20 * MINUTE,
        ),
    )
}  # fmt: skip
"""Every agent by its name."""


def of_schedule(job: str) -> tuple[str, str] | None:
    """Given the name of a scheduled job, return agent and subject; None if it is nobody's.

    Besides the cards' own names ``agent`` and ``agent.subject`` are understood.
    """
    for card in CARDS.values():
        if job in card.schedules:
            return card.name, card.schedules[job]
    name, _, subject = job.partition(".")
    if name not in CARDS or (subject and subject not in CARDS[name].subjects):
        return None
    return name, subject or CARDS[name].subjects[0]
