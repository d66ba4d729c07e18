"""What past councils teach the next one, read from memory: weights, the curve, outcomes, proposals, and
how well calibrated verdicts are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ...memory.council_records import Answer, NoVerdict, Result, Score
from ...memory.work import Work
from .calibration import Bin, as_of_today, brier, calibration_error, fit, reliability
from .codec import from_json
from .records import Case, Curve, Verdict, Weight
from .reflect import Past, Proposal, Refusal, reflect
from .verdict import RULES, decide
from .weights import score, weigh


@dataclass(frozen=True, slots=True)
class Replay:
    """A verdict made again from what was stored."""

    verdict: Verdict
    stored: Verdict
    same: bool
    rules: str
    """The rules that made it again; the stored one has its own."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """How what was said came true."""

    name: str
    """``agreement``, ``claimed`` or ``calibrated``."""
    n: int
    brier: float
    error: float
    """Expected calibration error."""
    rows: tuple[Bin, ...]


def weights_on(work: Work, names: Iterable[str], topic: str) -> tuple[Weight, ...]:
    """Return how much jurors count on a topic now."""
    return weigh(names, topic, work.lessons.scores(), work.lessons.told())


def past(work: Work) -> list[Past]:
    """Return every council that has a verdict, oldest first."""
    results = {one.council: one.result for one in work.lessons.outcomes()}
    found: list[Past] = []
    for council in reversed(work.councils.find(limit=-1)):
        decided = work.councils.verdict(council.id)
        if decided is not None:
            case, verdict = from_json(Case, decided.case), from_json(Verdict, decided.verdict)
            found.append(Past(council.id, council.topic, case, verdict, results.get(council.id)))
    return found


def curve_on(work: Work, topic: str) -> Curve | None:
    """Return how often verdicts on a topic were right by their support; None: uncalibrated."""
    judged: list[tuple[Case, Verdict, float, str]] = []
    names: defaultdict[str, set[str]] = defaultdict(set)
    for outcome in work.lessons.outcomes():
        decided = work.councils.verdict(outcome.council)
        if decided is None:
            continue
        case = from_json(Case, decided.case)
        names[outcome.topic].update(one.juror.name for one in case.opinions)
        verdict = from_json(Verdict, decided.verdict)
        judged.append((case, verdict, outcome.result.share, outcome.topic))
    scores, told = work.lessons.scores(), work.lessons.told()
    return fit(as_of_today(judged, lambda of: weigh(names[of], of, scores, told)), topic)


def replay(work: Work, number: int) -> Replay:
    """Make a verdict again from its stored case; newer rules that say the same are the same. Raise
    NoSuchCouncil, NoVerdict."""
    work.councils.get(number)
    decided = work.councils.verdict(number)
    if decided is None:
        raise NoVerdict(number)
    stored = from_json(Verdict, decided.verdict)
    verdict = decide(from_json(Case, decided.case))
    return Replay(verdict, stored, replace(verdict, rules=stored.rules) == stored, RULES)


def set_outcome(
    work: Work, number: int, result: Result, note: str, now: float
) -> tuple[Score, ...]:
    """Store how a verdict turned out; return how right each juror was. Raise NoSuchCouncil, NoVerdict."""
    council = work.councils.get(number)
    decided = work.councils.verdict(number)
    if decided is None:
        raise NoVerdict(number)
    case, verdict = from_json(Case, decided.case), from_json(Verdict, decided.verdict)
    scores = score(case, verdict, result, council.topic)
    work.lessons.set_outcome(number, result, note, scores, now)
    return scores


def propose(work: Work) -> Proposal | Refusal:
    """Return the change of a weight that has most evidence, or why there is none; nothing is stored."""
    answered: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for one in work.lessons.suggested():
        if one.answer is not Answer.OPEN:
            answered[one.juror, one.topic].update(one.evidence)
    return reflect(past(work), work.lessons.told(), answered)


def how_reliable(work: Work) -> tuple[Reliability, ...]:
    """Return, of verdicts whose outcome is known, how what they said came true."""
    pairs: dict[str, list[tuple[float, float]]] = {"agreement": [], "claimed": [], "calibrated": []}
    for outcome in work.lessons.outcomes():
        decided = work.councils.verdict(outcome.council)
        verdict = from_json(Verdict, decided.verdict) if decided is not None else None
        if verdict is None or not verdict.side:
            continue
        came = outcome.result.share
        pairs["agreement"].append((verdict.agreement.share, came))
        if verdict.claimed is not None:
            pairs["claimed"].append((verdict.claimed.mean, came))
        if verdict.probability is not None:
            pairs["calibrated"].append((verdict.probability.value, came))
    found: list[Reliability] = []
    for name, said in pairs.items():
        rows = reliability(said)
        found.append(Reliability(name, len(said), brier(said), calibration_error(rows), rows))
    return tuple(found)
