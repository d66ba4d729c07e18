"""Who changed its mind between rounds, and whether it had a new reason to.

A change without a new reason is conformity: people who see only how others voted follow them also when
they are wrong (Asch 1951), and models do too. It is marked, and counts less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ...memory.tokens import terms
from .records import Finding, Opinion, Placement, Shift

NEW_TERMS = 2
"""Terms of a reason that it had not used before, and that are not about what others think."""
SAME_FINDING = 0.6
"""Share of the terms of the shorter title."""

_ABOUT_OTHERS = frozenset(
    terms(
        "majority consensus everyone everybody others other rest most many all team panel jury council judge judges juror jurors reviewer "
        "reviewers colleague colleagues peer peers agree agreed agreeing agreement align aligned aligning alignment follow following join "
        "view views opinion opinions position positions argument arguments point points case said say says raised raise convinced "
        "convincing persuaded persuasive compelling strong stronger valid seen see seeing saw read reading heard think thinking thought "
        "believe now changed change changing mind reconsidered reconsider considered consider considering reviewed review given right "
        "correct better best well vote votes voted pass warn fail disagree also therefore thus hence conclude conclusion answer decision "
        "ich wir der die das den dem mich mir jetzt auch nun schließe anschließen mehrheit konsens anderen andere alle stimme stimmen "
        "zustimmen zu überzeugt überzeugen meinung richtig denke glaube sehe argumente haben hat "
        "je me suis d'accord avec les autres la le majorité consensus tous accord convaincu convaincue avis pense maintenant sont ont "
        "estoy de acuerdo con la mayoría el los las consenso demás otros todos convencido convencida opinión creo ahora han"
    )
)


def find_shifts(opinions: Sequence[Opinion], placements: Iterable[Placement]) -> tuple[Shift, ...]:
    """Given one opinion for each seat and round, return every change of vote or side, and every
    serious finding that was given up."""
    sides = {(one.seat, one.round): one.side for one in placements}
    by_seat: defaultdict[str, dict[int, Opinion]] = defaultdict(dict)
    for one in opinions:
        by_seat[one.juror.seat][one.round] = one
    shifts: list[Shift] = []
    for seat, rounds in sorted(by_seat.items()):
        order = sorted(rounds)
        for earlier, later in pairwise(order):
            before, after = rounds[earlier], rounds[later]
            side_before = sides.get((seat, earlier), "")
            side_after = sides.get((seat, later), "")
            dropped = tuple(one for one in before.serious if not _kept(one, after.findings))
            if before.vote is after.vote and side_before == side_after and not dropped:
                continue
            known = [rounds[number] for number in order if number <= earlier]
            reason = new_reason(known, after)
            shifts.append(
                Shift(
                    seat, later, before.vote, after.vote, side_before, side_after, reason, dropped
                )
            )
    return tuple(shifts)


def new_reason(before: Sequence[Opinion], after: Opinion) -> str:
    """Return the first reason of an opinion that its juror had not given before; empty if none."""
    used: set[str] = set()
    for one in before:
        texts = (one.position, one.decision, *_reasons(one))
        used.update(term for text in texts for term in terms(text))
    stance = set(terms(f"{after.position} {after.decision}"))
    for text in _reasons(after):
        new = set(terms(text)) - used - stance - _ABOUT_OTHERS
        if len(new) >= NEW_TERMS:
            return text
    return ""


def _reasons(opinion: Opinion) -> tuple[str, ...]:
    return (opinion.insight, *opinion.reasons, *(one.title for one in opinion.findings))


def _kept(finding: Finding, findings: Sequence[Finding]) -> bool:
    return any(one.severity.serious and same_finding(finding, one) for one in findings)


def same_finding(one: Finding, other: Finding) -> bool:
    """Whether two findings are about the same, by the words of their titles."""
    mine, theirs = set(terms(one.title)), set(terms(other.title))
    if not mine or not theirs:
        return one.title == other.title
    return len(mine & theirs) / min(len(mine), len(theirs)) >= SAME_FINDING
