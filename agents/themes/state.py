"""Where the work of a theme stood when its page's time was over."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .records import Evidence, EvidenceKind, State

_WIP = re.compile(r"^\[?wip\b|\bwork in progress\b", re.IGNORECASE)


def state_of(evidence: Sequence[Evidence]) -> State:
    """Given a theme's evidence, oldest first, with nothing landed that landed later, return whether
    it was open, done or stalled.

    What a ticket or a pull request says counts before what commits tell: work may have landed while
    its ticket is open. Stalled is what waits and has not moved for two weeks.
    """
    last: dict[str, Evidence] = {each.ref: each for each in evidence}
    said = {
        each.state
        for each in last.values()
        if each.kind in (EvidenceKind.TICKET, EvidenceKind.PULL)
    }
    tests = _last_of_tests(evidence)
    drift = {each.state for each in last.values() if each.kind is EvidenceKind.DRIFT}
    commits = [each for each in last.values() if each.kind is EvidenceKind.COMMIT]
    waiting = [each for each in commits if not each.landed]
    if said and said <= {"stalled", "closed"} and "stalled" in said and not waiting:
        return State.STALLED
    if "open" in said or "red" in tests or waiting:
        return State.OPEN
    if said or (commits and commits[-1].state == "merged"):
        return State.DONE
    if commits:
        return State.OPEN if _WIP.match(commits[-1].title) else State.DONE
    return State.DONE if (tests or drift) and "open" not in drift else State.OPEN


def _last_of_tests(evidence: Sequence[Evidence]) -> set[str]:
    last = {each.title: each.state for each in evidence if each.kind is EvidenceKind.TEST}
    return set(last.values())
