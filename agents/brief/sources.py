"""The table of where facts come from, and the one call that brings them all.

Repositories are read at once and once for all sources, each in its own time; one that does not
answer, or fails, is named instead.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...memory.errors import HermesError
from ...memory.records import Filters, Recollection
from .at_night import at_night
from .finished import finished
from .first_move import CANDIDATES, first_moves, with_related
from .half_done import half_done
from .heard import heard
from .look import Look
from .looking import with_looks
from .overnight import overnight
from .person import NOBODY
from .records import Fact, Found, Scope, Section, Source
from .wording import MOST, cut

SOURCES: Mapping[str, Source] = {
    "finished": finished,
    "half-done": half_done,
    "heard": heard,
    "overnight": overnight,
    "at night": at_night,
}
"""By name, in the order of the brief."""
ENDS = ("closed", "merged")
"""What facts are about that only say that a ticket or a pull request is done."""

logger = logging.getLogger(__name__)


def gather(scope: Scope, held: Sequence[Fact] = ()) -> Found:
    """Return all facts, the first move among them; ``held`` is what attention holds for the brief.

    Blocking, for a thread. Never raises for one repository's or one source's fault: it is named in
    ``unreadable``.
    """
    scope = with_looks(scope)
    facts: list[Fact] = []
    unreadable = [said for look in scope.looks or () for said in _unreadable(look)]
    for name, source in SOURCES.items():
        try:
            found = source(scope)
        except HermesError as error:
            unreadable.append(f"{name}: {error.message}")
            continue
        facts += found.facts
        unreadable += found.unreadable
    facts = _once(facts) + list(held)
    if not scope.everybody:
        facts += _first(scope, facts)
    if not scope.person.known and scope.repos:
        facts.append(_nobody())
    if len(scope.repos) > 1:
        names = {repo.id: repo.name for repo, _ in scope.repos}
        facts = [_of_repo(fact, names.get(fact.repo or "", "")) for fact in facts]
    return Found(tuple(facts), tuple(dict.fromkeys(unreadable)))


def _once(facts: Sequence[Fact]) -> list[Fact]:
    """Leave out that a ticket or a pull request is done where that is told by what was committed."""
    told = {
        (fact.repo, ref.text)
        for fact in facts
        if fact.section is Section.FINISHED and fact.topic not in ENDS
        for ref in fact.references
        if ref.kind in ("ticket", "pull")
    }
    return [
        fact
        for fact in facts
        if fact.topic not in ENDS
        or not {(fact.repo, fact.references[0].text), (None, fact.references[0].text)} & told
    ]


def _of_repo(fact: Fact, name: str) -> Fact:
    """Put the repository's name before what is so of one among several."""
    return replace(fact, text=cut(f"{name}: {fact.text}", MOST)) if name else fact


def _unreadable(look: Look) -> list[str]:
    if look.failed:
        return [f"{look.repo.name}: {look.failed}"]
    return [f"{look.repo.name}: {said}" for said in look.partly]


def _first(scope: Scope, facts: Sequence[Fact]) -> list[Fact]:
    moves = first_moves(facts)
    try:
        return [with_related(move, partial(_recall, scope)) for move in moves]
    except HermesError as error:
        logger.warning("nothing related to the first move: %s", error.message)
        return moves


def _recall(scope: Scope, question: str, filters: Filters) -> Recollection:
    from ...memory.recall import recall

    return recall(scope.memory, question, filters, CANDIDATES)


def _nobody() -> Fact:
    return Fact(
        key="nobody",
        section=Section.HERMES,
        text=NOBODY,
        weight=1.5,
        topic="nobody",
    )
