"""What was taken back, and what of that was put in again."""

from __future__ import annotations

from collections.abc import Sequence

from .records import Evidence, EvidenceKind


def undone(evidence: Sequence[Evidence]) -> dict[str, str]:
    """Given evidence, oldest first, return the commits that stay taken back, and by which; a revert
    that was reverted counts as neither."""
    found: dict[str, str] = {}
    for each in evidence:
        if not each.undoes:
            continue
        again = [target for target, by in found.items() if by == each.undoes]
        for target in again:
            del found[target]
        if not again:
            found[each.undoes] = each.ref
    return found


def is_taken_back(evidence: Sequence[Evidence]) -> bool:
    """Say whether all work among the evidence was taken back by some of it."""
    gone = undone(evidence)
    work = {
        each.ref
        for each in evidence
        if each.kind is EvidenceKind.COMMIT and each.state != "merged" and not each.undoes
    }
    return bool(work) and work <= gone.keys()
