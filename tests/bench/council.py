"""What councils of simulated jurors learn: weights, calibration, and how far agreement can be trusted.

    python -m hermes.tests.bench.council                     # some minutes
    python -m hermes.tests.bench.council --seeds 40

No model is asked. A juror has a known chance of being right, and all of them are right and wrong
together to a known degree: each takes over a common draw with the chance √r and else draws by itself,
so that any two that are equally good correlate by r. They answer a choice between two options, and
always say that they are 90 % sure. Every verdict goes through the same code as a real one; after each,
its outcome is told, and weights and calibration are made anew from all outcomes so far. What is
measured is measured on fresh questions afterwards.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from hermes.agents.council.calibration import (
    ENOUGH,
    as_of_today,
    brier,
    calibration_error,
    fit,
    reliability,
)
from hermes.agents.council.case import make_case
from hermes.agents.council.codec import to_json
from hermes.agents.council.records import Case, Curve, Juror, Kind, Opinion, Packet, Verdict, Vote
from hermes.agents.council.verdict import decide
from hermes.agents.council.weights import score, weigh
from hermes.memory.council_records import Result, Score

PACKET = Packet("Left or Right?", Kind.CHOICE, ("Left", "Right"))
JURIES = {
    "three, .85 .70 .60": (0.85, 0.70, 0.60),
    "three, .70 each": (0.70, 0.70, 0.70),
    "five, .90 to .55": (0.90, 0.75, 0.70, 0.60, 0.55),
}
CORRELATIONS = (0.0, 0.2, 0.4, 0.6, 0.8)
OUTCOMES = 200
CLAIMED = 0.9


@dataclass(slots=True)
class Learnt:
    """What a council knows after some outcomes."""

    scores: list[Score] = field(default_factory=list[Score])
    judged: list[tuple[Case, Verdict, float, str]] = field(
        default_factory=list[tuple[Case, Verdict, float, str]]
    )


def _names(jury: Sequence[float]) -> list[str]:
    return [f"sim:j{place}" for place in range(len(jury))]


def _answers(jury: Sequence[float], correlation: float, rng: random.Random) -> list[bool]:
    """Return who is right about one question."""
    common = rng.random()
    return [
        (common if rng.random() < correlation**0.5 else rng.random()) < chance for chance in jury
    ]


def _case(right: Sequence[bool], learnt: Learnt, curve: Curve | None, truth: str) -> Case:
    wrong = "Right" if truth == "Left" else "Left"
    opinions = [
        Opinion(
            Juror("sim", f"j{place}", f"f{place}"),
            Vote.PASS,
            truth if is_right else wrong,
            CLAIMED,
        )
        for place, is_right in enumerate(right)
    ]
    weights = weigh(_names(right), "bench", learnt.scores)
    return make_case(PACKET, opinions, weights=weights, curve=curve)


def _learn(jury: Sequence[float], correlation: float, outcomes: int, rng: random.Random) -> Learnt:
    learnt = Learnt()
    for _ in range(outcomes):
        truth = rng.choice(PACKET.options)
        case = _case(_answers(jury, correlation, rng), learnt, None, truth)
        verdict = decide(case)
        if not verdict.side:
            continue  # nobody can say that a tie was right
        result = Result.RIGHT if verdict.side == truth else Result.WRONG
        learnt.scores += score(case, verdict, result, "bench")
        learnt.judged.append((case, verdict, result.share, "bench"))
    return learnt


@dataclass(frozen=True, slots=True)
class Fresh:
    """A verdict on a fresh question, and whether it was right."""

    verdict: Verdict
    right: float
    majority: float
    """Whether a plain majority would have been right; 0.5 for a tie."""
    best: float
    """Whether the best juror was."""


def _fresh(
    jury: Sequence[float], correlation: float, count: int, learnt: Learnt, rng: random.Random
) -> list[Fresh]:
    known = as_of_today(learnt.judged, lambda topic: weigh(_names(jury), topic, learnt.scores))
    curve = fit(known, "bench")
    found: list[Fresh] = []
    verdicts: dict[tuple[str, tuple[bool, ...]], Verdict] = {}
    for _ in range(count):
        truth = rng.choice(PACKET.options)
        right = _answers(jury, correlation, rng)
        key = truth, tuple(right)
        if key not in verdicts:
            verdicts[key] = decide(_case(right, learnt, curve, truth))
        verdict = verdicts[key]
        heads = sum(right) - len(right) / 2
        majority = 0.5 if heads == 0 else float(heads > 0)
        if verdict.side:
            found.append(Fresh(verdict, float(verdict.side == truth), majority, float(right[0])))
    return found


def _error(pairs: Sequence[tuple[float, float]]) -> float:
    return calibration_error(reliability(pairs))


def _probability(one: Fresh) -> float:
    return one.verdict.probability.value if one.verdict.probability else 0.5


def convergence(seeds: int) -> None:
    """Print weights as outcomes come in."""
    print("Weights of jurors that are right .90 .75 .70 .60 .55 of the time (mean over seeds)")
    print(f"{'correlation':>12} {'outcomes':>9}   weights                              order right")
    jury = JURIES["five, .90 to .55"]
    for correlation in (0.0, 0.6):
        for outcomes in (0, 10, 20, 50, 100, 200, 400):
            weights: list[list[float]] = []
            for seed in range(seeds):
                learnt = _learn(jury, correlation, outcomes, random.Random(f"{seed} {correlation}"))
                weights.append([one.value for one in weigh(_names(jury), "bench", learnt.scores)])
            means = [fmean(column) for column in zip(*weights, strict=True)]
            pairs = [(a, b) for a in range(len(jury)) for b in range(a + 1, len(jury))]
            ordered = fmean(float(row[a] > row[b]) for row in weights for a, b in pairs)
            shown = "  ".join(f"{mean:.2f}" for mean in means)
            print(f"{correlation:>12} {outcomes:>9}   {shown:<36} {ordered:>6.0%} of pairs")
    print()


def calibration(seeds: int, fresh: int) -> None:
    """Print what is said and what comes true, by jury and correlation."""
    print(
        f"After {OUTCOMES} outcomes, on {fresh:,} fresh questions (mean over seeds; worst in brackets)"
    )
    print(
        f"{'jury':<20} {'corr.':>5} | {'right':>5} {'major.':>6} {'best':>5} |"
        f" {'agreement says':>14} {'ECE':>5} | {'calibrated says':>15} {'ECE':>13} {'Brier':>6}"
        f" | {'unanimous: right':>16} {'calibrated':>10}"
    )
    for name, jury in JURIES.items():
        for correlation in CORRELATIONS:
            rows: list[list[float]] = []
            for seed in range(seeds):
                rng = random.Random(f"{name} {correlation} {seed}")
                learnt = _learn(jury, correlation, OUTCOMES, rng)
                found = _fresh(jury, correlation, fresh, learnt, rng)
                agreed = [(one.verdict.agreement.share, one.right) for one in found]
                said = [(_probability(one), one.right) for one in found]
                all_agree = [one for one in found if len(one.verdict.sides) == 1]
                rows.append(
                    [
                        fmean(one.right for one in found),
                        fmean(one.majority for one in found),
                        fmean(one.best for one in found),
                        fmean(share for share, _ in agreed),
                        _error(agreed),
                        fmean(value for value, _ in said),
                        _error(said),
                        brier(said),
                        fmean(one.right for one in all_agree),
                        fmean(_probability(one) for one in all_agree),
                    ]
                )
            columns = list(zip(*rows, strict=True))
            mean = [fmean(column) for column in columns]
            print(
                f"{name:<20} {correlation:>5} | {mean[0]:>5.2f} {mean[1]:>6.2f} {mean[2]:>5.2f} |"
                f" {mean[3]:>14.2f} {mean[4]:>5.2f} | {mean[5]:>15.2f}"
                f" {mean[6]:>6.3f} ({max(columns[6]):.3f}) {mean[7]:>5.3f}"
                f" | {mean[8]:>16.2f} {mean[9]:>10.2f}"
            )
    print("They all said that they are 90 % sure, at every correlation.\n")


def by_outcomes(seeds: int, fresh: int) -> None:
    """Print how the error of calibration falls as outcomes come in."""
    print("Calibration error by number of outcomes (three jurors, correlation 0.6; mean and worst)")
    jury = JURIES["three, .85 .70 .60"]
    for outcomes in (ENOUGH, 50, 100, 200, 400):
        errors: list[float] = []
        for seed in range(seeds):
            rng = random.Random(f"outcomes {outcomes} {seed}")
            learnt = _learn(jury, 0.6, outcomes, rng)
            found = _fresh(jury, 0.6, fresh, learnt, rng)
            if all(one.verdict.probability for one in found):
                errors.append(_error([(_probability(one), one.right) for one in found]))
        if errors:
            print(f"{outcomes:>6}: {fmean(errors):.3f} ({max(errors):.3f})")
    print()


def invariance(count: int) -> None:
    """Print the share of councils whose verdict does not depend on the order of opinions."""
    same = 0
    for seed in range(count):
        rng = random.Random(seed)
        case = _case(_answers(JURIES["five, .90 to .55"], 0.3, rng), Learnt(), None, "Left")
        shuffled = rng.sample(case.opinions, len(case.opinions))
        again = make_case(PACKET, shuffled, weights=case.weights)
        same += to_json(decide(again)) == to_json(decide(case))
    print(f"Order of opinions: the same verdict, to the byte, in {same} of {count}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seeds", type=int, default=8, help="runs that are averaged")
    parser.add_argument("--fresh", type=int, default=10_000, help="fresh questions of each run")
    args = parser.parse_args()
    convergence(args.seeds)
    calibration(args.seeds, args.fresh)
    by_outcomes(args.seeds, args.fresh)
    invariance(1_000)


if __name__ == "__main__":
    main()
