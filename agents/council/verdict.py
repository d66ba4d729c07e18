"""The verdict: a pure function of a case. No model, no clock, no reading or writing.

The rules, the first that applies:

1. nobody had an opinion: NEEDS_HUMAN
2. a FAIL on a critical or significant finding: FAIL, however many say otherwise
3. all FAIL: FAIL; otherwise, if no position could be told: NEEDS_HUMAN
4. high confidence on both sides, or sides that weigh the same, or most see evidence for both: DISAGREE
5. FAIL weighs more than half: FAIL
6. anything but PASS from everybody, a serious finding that stands, or more than a note of a rule that
   abstained: WARN
7. all agree, and one model family alone, one of several jurors alone, or on a critical path: NEEDS_HUMAN,
   with what they agree on
8. all PASS: PASS

Of a choice or an open question the side that weighs most carries, whatever the state.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum

from .records import (
    RULE_FAMILY,
    Agreement,
    Case,
    Claimed,
    Finding,
    Kind,
    Opinion,
    Probability,
    Raised,
    Severity,
    Side,
    State,
    Verdict,
    Vote,
)

RULES = "3"
"""Raised whenever the same case may give another verdict."""
HIGH = 0.8
"""Self-reported confidence from which one is called highly confident."""
CONTESTED = 0.3
"""Share of the weight that both of two sides must have, to be called contradictory."""
CONFORMED = 0.5
"""What a juror's weight is multiplied by after it changed its mind without a new reason."""
MOST_REASONS = 4
"""Key insights that are shown of a side."""

_WORST_FIRST = (Vote.FAIL, Vote.DISAGREE, Vote.WARN, Vote.PASS, Vote.ABSTAIN)
_PLACE = {vote: place for place, vote in enumerate(_WORST_FIRST)}
_GO = (Vote.PASS, Vote.WARN)
_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class _Voice:
    """One opinion that counts, with its side and weight."""

    opinion: Opinion
    side: str
    weight: float
    confident: bool

    @property
    def seat(self) -> str:
        return self.opinion.juror.seat


def decide(case: Case) -> Verdict:
    """Given a case, return its verdict. The order of what it holds does not matter."""
    last, duplicates = _counted(case)
    abstained = [one for one in last if one.vote is Vote.ABSTAIN]
    voices = _voices(case, [one for one in last if one.vote is not Vote.ABSTAIN])
    placed = [voice for voice in voices if voice.side]
    sides = _sides(placed)
    findings = _findings(case, voices, abstained)
    families = _families(voices)
    state, vote, why = _consolidate(case, voices, sides, findings, families)
    if families == (RULE_FAMILY,) and state is not State.NEEDS_HUMAN:
        why.append("only rules judged")
    side = _carrying(case, vote, sides)
    behind = _behind(case, vote, side, placed)
    weight = fsum(voice.weight for voice in behind)
    total = fsum(voice.weight for voice in voices)
    support = _rounded((weight + 0.5) / (total + 1.0))
    probability = None
    if case.curve is not None and behind:
        value, near = case.curve.at(support)
        probability = Probability(_rounded(value), round(near), case.curve.n, case.curve.topic)
    return Verdict(
        rules=RULES,
        state=state,
        vote=vote,
        side=side,
        decision=_decision(case, vote, side, behind),
        why=tuple(why),
        agreement=_agreement(behind, sides, len(voices), total),
        claimed=_claimed(behind),
        probability=probability,
        support=support,
        sides=sides,
        dissent=_dissent(case, vote, side, sides),
        findings=findings,
        missing=_unique(text for one in voices for text in one.opinion.missing),
        shifts=tuple(sorted(case.shifts, key=lambda one: (one.round, one.seat))),
        undecided=tuple(voice.seat for voice in voices if not voice.side),
        abstained=tuple(one.juror.seat for one in abstained),
        absent=tuple(sorted(case.absent, key=lambda one: (one.juror.seat, one.why))),
        duplicates=duplicates,
        families=families,
    )


def _consolidate(
    case: Case,
    voices: Sequence[_Voice],
    sides: Sequence[Side],
    findings: Sequence[Raised],
    families: Sequence[str],
) -> tuple[State, Vote, list[str]]:
    """Return the state, what it rests on, and the rules that applied."""
    if not voices:
        return State.NEEDS_HUMAN, Vote.ABSTAIN, ["no juror gave an opinion"]
    votes = {voice.opinion.vote for voice in voices}
    if blocked := _blocked(voices):
        count = f"{len(blocked)} of {len(voices)}"
        worst = min((each for one in blocked for each in one.opinion.serious), key=_by_severity)
        return (
            State.FAIL,
            Vote.FAIL,
            [
                f"{count} say FAIL on a serious finding ({worst.severity}: {worst.title}); one is enough"
            ],
        )
    if votes == {Vote.FAIL}:
        return State.FAIL, Vote.FAIL, [_all_say(Vote.FAIL, len(voices))]
    if not sides:
        return State.NEEDS_HUMAN, Vote.ABSTAIN, ["no position could be told"]
    if contested := _contested(case, voices, sides):
        return State.DISAGREE, Vote.DISAGREE, [contested]
    if _share(voices, (Vote.FAIL,)) > 0.5:
        return State.FAIL, Vote.FAIL, ["FAIL has more than half of the weight"]
    cautions = _cautions(case, voices, sides, findings)
    if cautions:
        unanimous = len(votes) == 1 and len(sides) == 1
        if unanimous and (check := _check(case, voices, families)):
            return State.NEEDS_HUMAN, Vote.WARN, [check, *cautions]
        return State.WARN, Vote.WARN, cautions
    if check := _check(case, voices, families):
        return State.NEEDS_HUMAN, Vote.PASS, [check]
    return State.PASS, Vote.PASS, [_all_say(Vote.PASS, len(voices))]


def _all_say(vote: Vote, count: int) -> str:
    return f"all {count} say {vote}" if count > 1 else f"the one juror says {vote}"


def _blocked(voices: Sequence[_Voice]) -> list[_Voice]:
    return [one for one in voices if one.opinion.vote is Vote.FAIL and one.opinion.serious]


def _contested(case: Case, voices: Sequence[_Voice], sides: Sequence[Side]) -> str:
    """Say why the sides contradict each other; empty if they don't."""
    if _share(voices, (Vote.DISAGREE,)) >= 0.5:
        return "at least half see evidence for both sides"
    if case.kind is Kind.JUDGMENT:
        go = [voice for voice in voices if voice.opinion.vote in _GO]
        stop = [voice for voice in voices if voice.opinion.vote is Vote.FAIL]
        if go and stop:
            shares = _share(voices, _GO), _share(voices, (Vote.FAIL,))
            sure = any(one.confident and one.opinion.vote is Vote.PASS for one in go)
            if min(shares) >= CONTESTED - _TIE and sure and any(one.confident for one in stop):
                return "PASS and FAIL are both held with high confidence"
            if abs(shares[0] - shares[1]) <= _TIE:
                return "those for it and those against it weigh the same"
        return ""
    strong = [one for one in sides if one.confident and one.share >= CONTESTED - _TIE]
    if len(strong) > 1:
        names = " and ".join(f"“{one.label}”" for one in strong)
        return f"{names} are both held with high confidence"
    if len(sides) > 1 and not _lead(sides):
        return "the strongest sides weigh the same"
    return ""


def _cautions(
    case: Case, voices: Sequence[_Voice], sides: Sequence[Side], findings: Sequence[Raised]
) -> list[str]:
    """Return what keeps it from being a PASS, in words."""
    found: list[str] = []
    votes = [voice.opinion.vote for voice in voices]
    for vote in (Vote.FAIL, Vote.DISAGREE, Vote.WARN):
        if count := votes.count(vote):
            one = len(votes) == 1
            found.append(_all_say(vote, 1) if one else f"{count} of {len(votes)} say {vote}")
    if case.kind is not Kind.JUDGMENT and len(sides) > 1:
        against = sum(len(one.seats) for one in sides if one.label != _lead(sides))
        found.append(f"{against} of {sum(len(one.seats) for one in sides)} hold another position")
    if undecided := sum(not voice.side for voice in voices):
        found.append(f"the position of {undecided} of {len(votes)} could not be told")
    speakers = {voice.seat for voice in voices} | {shift.seat for shift in case.shifts}
    for raised in findings:
        if raised.finding.severity.serious:
            how = "was given up without a new reason" if raised.withdrawn else "stands"
            found.append(f"a {raised.finding.severity} finding {how}: {raised.finding.title}")
        elif raised.finding.severity is not Severity.NOTE and not speakers.intersection(
            raised.seats
        ):
            found.append(f"a rule names: {raised.finding.title}")
    return found


def _check(case: Case, voices: Sequence[_Voice], families: Sequence[str]) -> str:
    """Say why an agreement needs a human check; empty if it does not."""
    if case.critical:
        return f"all agree, and it is critical: {case.critical}"
    if families == (RULE_FAMILY,):
        return "all agree, and only rules judged"
    if len(voices) > 1 and len(families) == 1:
        return f"all agree, and the models are of one family ({families[0]})"
    if len(voices) == 1 and (silent := _silent(case) - {voices[0].seat}):
        return f"only one of {len(silent) + 1} jurors took a side"
    return ""


def _silent(case: Case) -> set[str]:
    """Return the seats of models that abstained at some time, or that nobody sat on."""
    abstained = (one.juror for one in case.opinions if one.vote is Vote.ABSTAIN)
    away = (one.juror for one in case.absent if not one.replaced_by)
    return {juror.seat for juror in (*abstained, *away) if not juror.is_rule}


def _carrying(case: Case, vote: Vote, sides: Sequence[Side]) -> str:
    """Return the side that carries: of a judgment a vote; empty where none does."""
    if case.kind is not Kind.JUDGMENT:
        return _lead(sides)
    return "" if vote in (Vote.DISAGREE, Vote.ABSTAIN) else str(vote)


def _behind(case: Case, vote: Vote, side: str, placed: Sequence[_Voice]) -> list[_Voice]:
    """Return who stands behind the verdict: PASS and WARN both say to go ahead."""
    if case.kind is Kind.JUDGMENT and vote in _GO:
        return [voice for voice in placed if voice.opinion.vote in _GO]
    return [voice for voice in placed if side and voice.side == side]


def _dissent(case: Case, vote: Vote, side: str, sides: Sequence[Side]) -> tuple[str, ...]:
    if case.kind is Kind.JUDGMENT and vote in _GO:
        return tuple(one.label for one in sides if one.label not in _GO)
    return tuple(one.label for one in sides if one.label != side)


def _agreement(behind: Sequence[_Voice], sides: Sequence[Side], of: int, total: float) -> Agreement:
    if not behind:
        return (
            Agreement(len(sides[0].seats), of, sides[0].share) if sides else Agreement(0, of, 0.0)
        )
    weight = fsum(voice.weight for voice in behind)
    return Agreement(len(behind), of, _rounded(weight / total))


def _lead(sides: Sequence[Side]) -> str:
    """Return the heaviest side; empty where two weigh the same."""
    if not sides or (len(sides) > 1 and abs(sides[0].weight - sides[1].weight) <= _TIE):
        return ""
    return sides[0].label


def _counted(case: Case) -> tuple[list[Opinion], tuple[str, ...]]:
    """Return the last opinion of each juror, and who was not counted as the same as another."""
    latest: dict[str, Opinion] = {}
    for one in sorted(case.opinions, key=severest_first):
        known = latest.get(one.juror.seat)
        if known is None or known.round < one.round:
            latest[one.juror.seat] = one
    doubled = {f"{seat} answered twice: the more severe answer counts" for seat in case.repeated}
    kept: list[Opinion] = []
    for one in sorted(latest.values(), key=severest_first):
        twin = next((other for other in kept if _same_juror(one, other)), None)
        if twin is None:
            kept.append(one)
        else:
            doubled.add(f"{one.juror.seat} counted as {twin.juror.seat}")
    return sorted(kept, key=lambda one: one.juror.seat), tuple(sorted(doubled))


def severest_first(opinion: Opinion) -> tuple[int, int, str]:
    """Sort key: of two answers of one juror the first by it is the one that counts."""
    return (_PLACE[opinion.vote], -len(opinion.serious), opinion.juror.seat)


def _same_juror(one: Opinion, other: Opinion) -> bool:
    """The same model from the same perspective, whoever serves it and under which name."""
    mine, theirs = one.juror, other.juror
    if mine.perspective != theirs.perspective or mine.is_rule or theirs.is_rule:
        return False
    if mine.digest and theirs.digest:
        return mine.digest == theirs.digest
    return _bare(mine.model) == _bare(theirs.model)


def _bare(model: str) -> str:
    """``NousResearch/Hermes3:latest`` as ``hermes3``."""
    name = re.sub(r"\s+", "", model).casefold().rpartition("/")[2]
    return name.removesuffix(":latest")


def _voices(case: Case, opinions: Sequence[Opinion]) -> list[_Voice]:
    weights = {one.name: one.value for one in case.weights}
    sides = {(one.seat, one.round): one.side for one in case.placements}
    conformed = {one.seat for one in case.shifts if one.conforms}
    voices: list[_Voice] = []
    for one in opinions:
        seat = one.juror.seat
        weight = weights.get(one.juror.name, 1.0) * (CONFORMED if seat in conformed else 1.0)
        side = sides.get((seat, one.round), "")
        if case.kind is Kind.JUDGMENT:
            side = str(one.vote)
        voices.append(_Voice(one, side, weight, one.confidence >= HIGH and seat not in conformed))
    return voices


def _sides(voices: Sequence[_Voice]) -> tuple[Side, ...]:
    total = fsum(voice.weight for voice in voices)
    held: defaultdict[str, list[_Voice]] = defaultdict(list)
    for voice in voices:
        held[voice.side].append(voice)
    sides: list[Side] = []
    for label, mine in held.items():
        weight = fsum(voice.weight for voice in mine)
        strongest = sorted(mine, key=_by_strength)
        said = {voice.opinion.vote for voice in mine}
        sides.append(
            Side(
                label=label,
                seats=tuple(voice.seat for voice in mine),
                weight=_rounded(weight),
                share=_rounded(weight / total if total else 0.0),
                votes=tuple(vote for vote in _WORST_FIRST if vote in said),
                reasons=_unique(
                    voice.opinion.insight or next(iter(voice.opinion.reasons), "")
                    for voice in strongest
                )[:MOST_REASONS],
                confident=any(voice.confident for voice in mine),
            )
        )
    return tuple(sorted(sides, key=lambda one: (-one.weight, one.label)))


def _by_strength(voice: _Voice) -> tuple[float, str]:
    return (-voice.weight * voice.opinion.confidence, voice.seat)


def _share(voices: Sequence[_Voice], votes: Sequence[Vote]) -> float:
    total = fsum(voice.weight for voice in voices)
    mine = fsum(voice.weight for voice in voices if voice.opinion.vote in votes)
    return mine / total if total else 0.0


def _findings(
    case: Case, voices: Sequence[_Voice], abstained: Sequence[Opinion]
) -> tuple[Raised, ...]:
    """Return all findings, the same one of several jurors once, the most severe first.

    What was given up in a debate without a new reason is among them, and what rules found that
    abstained beside models.
    """
    held: dict[tuple[str, bool], list[tuple[Finding, str]]] = defaultdict(list)
    counted = {voice.seat for voice in voices}
    for voice in voices:
        for one in voice.opinion.findings:
            held[_title(one), False].append((one, voice.seat))
    for opinion in abstained:
        if opinion.juror.is_rule:
            for one in opinion.findings:
                held[_title(one), False].append((one, opinion.juror.seat))
    for shift in sorted(case.shifts, key=lambda one: (one.round, one.seat)):
        if shift.conforms and shift.seat in counted:
            for one in shift.dropped:
                if (_title(one), False) not in held:
                    held[_title(one), True].append((one, shift.seat))
    raised: list[Raised] = []
    for (_, withdrawn), said in held.items():
        said.sort(key=lambda one: (one[0].severity.rank, one[1]))
        worst = said[0][0]
        finding = Finding(
            worst.title,
            worst.severity,
            _unique(reference for one, _ in said for reference in one.evidence),
            next((one.recommendation for one, _ in said if one.recommendation), ""),
        )
        raised.append(Raised(finding, _unique(seat for _, seat in said), withdrawn))
    raised.sort(key=lambda one: (one.finding.severity.rank, -len(one.seats), one.finding.title))
    return tuple(raised)


def _title(finding: Finding) -> str:
    return " ".join(finding.title.casefold().split()).rstrip(".!")


def _by_severity(finding: Finding) -> tuple[int, str]:
    return (finding.severity.rank, finding.title)


def _families(voices: Sequence[_Voice]) -> tuple[str, ...]:
    """Return the families of the models that voted, unknown ones as one; rules if no model did."""
    models = {voice.opinion.juror.family for voice in voices if not voice.opinion.juror.is_rule}
    if not models:
        return (RULE_FAMILY,) if voices else ()
    return tuple(sorted(family or "unknown" for family in models))


def _decision(case: Case, vote: Vote, side: str, behind: Sequence[_Voice]) -> str:
    """Return what to do: of a choice the option, then what its strongest juror recommends; of a
    judgment what the strongest that voted like the verdict does."""
    ordered = sorted(behind, key=lambda one: (one.opinion.vote is not vote, _by_strength(one)))
    said = next((one.opinion.decision for one in ordered if one.opinion.decision), "")
    if case.kind is Kind.JUDGMENT:
        return said
    if vote is Vote.FAIL and side:
        return f"{side}, once the finding is dealt with"
    return f"{side}: {said}" if side and said and side not in said else said or side


def _claimed(voices: Sequence[_Voice]) -> Claimed | None:
    said = [voice.opinion.confidence for voice in voices]
    if not said:
        return None
    return Claimed(_rounded(fsum(said) / len(said)), _rounded(min(said)), _rounded(max(said)))


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    """Return texts once each, in order, without empty ones."""
    return tuple(dict.fromkeys(text for text in texts if text))


def _rounded(value: float) -> float:
    return round(value, 6)
