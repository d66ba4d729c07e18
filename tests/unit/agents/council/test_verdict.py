"""Every rule of consolidation, and what a verdict says besides its state."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from hermes.agents.council.case import make_case
from hermes.agents.council.codec import from_json, to_json
from hermes.agents.council.records import (
    Absent,
    Case,
    Curve,
    Finding,
    Juror,
    Kind,
    Opinion,
    Packet,
    Severity,
    State,
    Verdict,
    Vote,
    Weight,
)
from hermes.agents.council.verdict import CONTESTED, HIGH, RULES, decide
from hermes.tests.builders.council import finding, juror, opinion

P, W, F, D, A = Vote.PASS, Vote.WARN, Vote.FAIL, Vote.DISAGREE, Vote.ABSTAIN
SURE, UNSURE = HIGH, 0.6
CRITICAL, SIGNIFICANT = finding(severity=Severity.CRITICAL), finding(severity=Severity.SIGNIFICANT)
MINOR = finding("a nit", Severity.MINOR)
CURVE = Curve(-2.0, 2.0, (0.3, 0.5, 0.8), (12.0, 12.0, 12.0), 57, "storage")
JUDGMENT = Packet("Is it safe to merge?", Kind.JUDGMENT)
CHOICE = Packet("Postgres or Mongo?", Kind.CHOICE, ("Postgres", "Mongo"))


def _vote(name: str, vote: Vote, confidence: float = UNSURE, *findings: Finding) -> Opinion:
    return opinion(
        name,
        vote,
        confidence=confidence,
        findings=findings,
        insight=f"{name} because",
        decision=f"do {vote}",
    )


def _said(*opinions: Opinion, packet: Packet = JUDGMENT, **more: Weight) -> Verdict:
    return decide(make_case(packet, opinions, weights=more.values()))


def _weighted(*opinions: Opinion, packet: Packet = JUDGMENT, **weights: float) -> Verdict:
    named = [Weight(f"ollama:{name}", value) for name, value in weights.items()]
    return decide(make_case(packet, opinions, weights=named))


@pytest.mark.parametrize(
    ("opinions", "state", "vote"),
    [
        # all say the same
        ([("a", P), ("b", P), ("c", P)], State.PASS, P),
        ([("a", W), ("b", W), ("c", W)], State.WARN, W),
        ([("a", F), ("b", F), ("c", F)], State.FAIL, F),
        ([("a", D), ("b", D)], State.DISAGREE, D),
        ([("a", P)], State.PASS, P),
        ([("a", W)], State.WARN, W),
        ([("a", F)], State.FAIL, F),
        # mixed PASS and WARN
        ([("a", P), ("b", W), ("c", P)], State.WARN, W),
        ([("a", P, SURE), ("b", W, SURE)], State.WARN, W),
        # a FAIL on a critical or significant finding, however many say otherwise
        ([("a", P, SURE), ("b", P, SURE), ("c", P, SURE), ("d", F, 0.1, CRITICAL)], State.FAIL, F),
        ([("a", P), ("b", P), ("c", F, UNSURE, SIGNIFICANT)], State.FAIL, F),
        ([("a", W), ("b", D), ("c", F, UNSURE, CRITICAL)], State.FAIL, F),
        # a FAIL on less than that
        ([("a", P), ("b", P), ("c", F, UNSURE, MINOR)], State.WARN, W),
        ([("a", P), ("b", P), ("c", F)], State.WARN, W),
        ([("a", F), ("b", F), ("c", P)], State.FAIL, F),
        ([("a", F), ("b", F), ("c", W)], State.FAIL, F),
        # contradictory and both sure
        ([("a", P, SURE), ("b", F, SURE)], State.DISAGREE, D),
        ([("a", P, SURE), ("b", P, SURE), ("c", F, SURE)], State.DISAGREE, D),
        ([("a", P, SURE), ("b", F, SURE), ("c", F, SURE)], State.DISAGREE, D),
        ([("a", P, SURE), ("b", W), ("c", F, SURE, MINOR)], State.DISAGREE, D),
        # one of them is not sure
        ([("a", P, SURE), ("b", P, SURE), ("c", F, UNSURE)], State.WARN, W),
        ([("a", P), ("b", F, SURE), ("c", F, SURE)], State.FAIL, F),
        # WARN and FAIL are no contradiction
        ([("a", W, SURE), ("b", W, SURE), ("c", F, SURE)], State.WARN, W),
        # a small minority that is sure does not make it contradictory, but is heard
        ([("a", P, SURE), ("b", P, SURE), ("c", P, SURE), ("d", F, SURE)], State.WARN, W),
        # they weigh the same
        ([("a", P), ("b", F)], State.DISAGREE, D),
        ([("a", P), ("b", W), ("c", F), ("d", F)], State.DISAGREE, D),
        # evidence for both sides
        ([("a", D), ("b", P)], State.DISAGREE, D),
        ([("a", D), ("b", P), ("c", P)], State.WARN, W),
        # a serious finding of one that votes PASS or WARN is not averaged away
        ([("a", P, SURE, CRITICAL), ("b", P), ("c", P)], State.WARN, W),
        ([("a", W, UNSURE, SIGNIFICANT), ("b", P), ("c", P)], State.WARN, W),
        ([("a", P, SURE, MINOR), ("b", P), ("c", P)], State.PASS, P),
        # abstentions
        ([("a", P), ("b", P), ("c", A)], State.PASS, P),
        ([("a", A), ("b", F, UNSURE, CRITICAL), ("c", A)], State.FAIL, F),
        ([("a", A), ("b", A)], State.NEEDS_HUMAN, A),
        ([], State.NEEDS_HUMAN, A),
    ],
)
def test_votes_are_consolidated_by_rule(
    opinions: list[tuple[str, Vote]], state: State, vote: Vote
) -> None:
    verdict = _said(*(_vote(*one) for one in opinions))
    assert (verdict.state, verdict.vote) == (state, vote)


@pytest.mark.parametrize(
    ("votes", "state"),
    [
        ((P, P, P), State.NEEDS_HUMAN),
        ((W, W, W), State.NEEDS_HUMAN),
        ((F, F, F), State.FAIL),
        ((P, P, W), State.WARN),
    ],
)
def test_agreement_of_one_family_needs_a_human_unless_it_stops(
    votes: tuple[Vote, ...], state: State
) -> None:
    said = [opinion(juror(f"llama{n}", "llama"), vote) for n, vote in enumerate(votes)]
    verdict = _said(*said)
    assert verdict.state is state
    assert verdict.families == ("llama",)
    if state is State.NEEDS_HUMAN:
        assert verdict.vote is votes[0]
        assert verdict.why[0] == "all agree, and the models are of one family (llama)"
        assert state.words == "unanimous: needs a human check"


def test_families_that_are_unknown_count_as_one() -> None:
    verdict = _said(opinion(juror("x", "")), opinion(juror("y", "")))
    assert (verdict.state, verdict.families) == (State.NEEDS_HUMAN, ("unknown",))


def test_a_rule_beside_models_of_one_family_does_not_make_two() -> None:
    rule = opinion(Juror("rule", "checks", "rule"))
    verdict = _said(rule, opinion(juror("a", "llama")), opinion(juror("b", "llama")))
    assert (verdict.state, verdict.families) == (State.NEEDS_HUMAN, ("llama",))


@pytest.mark.parametrize("count", [1, 3])
def test_rules_alone_need_a_human_however_many_agree(count: int) -> None:
    verdict = _said(*(opinion(Juror("rule", f"r{n}", "rule")) for n in range(count)))
    assert (verdict.state, verdict.why[0]) == (
        State.NEEDS_HUMAN,
        "all agree, and only rules judged",
    )


@pytest.mark.parametrize("votes", [(P,), (P, P, P), (W, W)])
def test_agreement_on_a_critical_path_needs_a_human(votes: tuple[Vote, ...]) -> None:
    packet = replace(JUDGMENT, critical="payments/charge.py")
    verdict = _said(*(_vote(f"m{n}", vote) for n, vote in enumerate(votes)), packet=packet)
    assert verdict.state is State.NEEDS_HUMAN
    assert verdict.why[0] == "all agree, and it is critical: payments/charge.py"


def test_a_split_on_a_critical_path_is_a_split() -> None:
    packet = replace(JUDGMENT, critical="payments/charge.py")
    assert _said(_vote("a", P), _vote("b", W), packet=packet).state is State.WARN


@pytest.mark.parametrize(
    ("positions", "state", "side"),
    [
        (["Postgres", "Postgres", "Postgres"], State.PASS, "Postgres"),
        (["Postgres", "Postgres rather than Mongo", "Mongo"], State.WARN, "Postgres"),
        (["Postgres", "Mongo"], State.DISAGREE, ""),
        (["Postgres", "both", "neither"], State.DISAGREE, ""),
        (["Postgres", "it depends", "Postgres"], State.WARN, "Postgres"),
        (["it depends", "hard to say"], State.NEEDS_HUMAN, ""),
        (["neither", "Neither of them", "Mongo"], State.WARN, "neither"),
    ],
)
def test_of_a_choice_the_heaviest_side_carries(
    positions: list[str], state: State, side: str
) -> None:
    said = [opinion(f"m{n}", P, text) for n, text in enumerate(positions)]
    verdict = _said(*said, packet=CHOICE)
    assert (verdict.state, verdict.side) == (state, side)


def test_a_choice_that_both_sides_are_sure_of_shows_both_and_who_leads() -> None:
    verdict = _said(
        opinion("a", P, "Postgres", SURE, insight="transactions"),
        opinion("b", P, "Postgres", SURE),
        opinion("c", P, "Mongo", SURE, insight="it scales out"),
        packet=CHOICE,
    )
    assert (verdict.state, verdict.side) == (State.DISAGREE, "Postgres")
    assert [(side.label, side.seats) for side in verdict.sides] == [
        ("Postgres", ("ollama:a", "ollama:b")),
        ("Mongo", ("ollama:c",)),
    ]
    assert verdict.dissent == ("Mongo",)
    assert verdict.sides[1].reasons == ("it scales out",)
    assert "“Postgres” and “Mongo”" in verdict.why[0]


def test_a_serious_finding_stops_a_choice_and_leaves_its_lead() -> None:
    verdict = _said(
        opinion("a", P, "Postgres"),
        opinion("b", P, "Postgres"),
        opinion("c", F, "Mongo", findings=(CRITICAL,)),
        packet=CHOICE,
    )
    assert (verdict.state, verdict.side) == (State.FAIL, "Postgres")
    assert verdict.decision == "Postgres, once the finding is dealt with"


def test_of_a_choice_that_all_turn_down_the_answer_is_no() -> None:
    said = [opinion(name, F, "it depends") for name in "ab"]
    assert _said(*said, packet=CHOICE).state is State.FAIL


def test_positions_without_options_are_compared_with_each_other() -> None:
    packet = Packet("How should we store sessions?", Kind.OPEN)
    verdict = _said(
        opinion("a", P, "Use signed cookies"),
        opinion("b", P, "Signed cookies"),
        opinion("c", P, "A Redis store"),
        packet=packet,
    )
    assert (verdict.state, verdict.side) == (State.WARN, "Signed cookies")


# weights


def test_weight_decides_a_choice_against_the_number_of_heads() -> None:
    said = [opinion("a", P, "Mongo"), opinion("b", P, "Postgres"), opinion("c", P, "Postgres")]
    assert _weighted(*said, packet=CHOICE).side == "Postgres"
    assert _weighted(*said, packet=CHOICE, a=3.0).side == "Mongo"


def test_sides_that_weigh_the_same_are_a_tie_whatever_the_heads() -> None:
    said = [opinion("a", P, "Mongo"), opinion("b", P, "Postgres"), opinion("c", P, "Postgres")]
    verdict = _weighted(*said, packet=CHOICE, a=2.0)
    assert (verdict.state, verdict.side) == (State.DISAGREE, "")
    assert verdict.why == ("the strongest sides weigh the same",)


def test_weight_never_outvotes_a_serious_finding() -> None:
    said = [_vote("a", P), _vote("b", P), _vote("c", F, UNSURE, CRITICAL)]
    assert _weighted(*said, a=3.0, b=3.0, c=0.25).state is State.FAIL


def test_weight_of_one_that_conformed_is_halved() -> None:
    first = [opinion("a", P, "Mongo"), opinion("b", P, "Postgres"), opinion("c", P, "Mongo")]
    second = [
        opinion("a", P, "Mongo", round=2),
        opinion("b", P, "Mongo", round=2, insight="I agree with the others"),
        opinion("c", P, "Mongo", round=2),
    ]
    verdict = _said(*first, *second, packet=CHOICE)
    assert verdict.side == "Mongo"
    assert verdict.sides[0].weight == 2.5
    assert [(one.seat, one.conforms) for one in verdict.shifts] == [("ollama:b", True)]


def test_a_minority_below_the_contested_share_by_weight_is_not_contradictory() -> None:
    said = [_vote("a", P, SURE), _vote("b", P, SURE), _vote("c", F, SURE)]
    light = 2 * CONTESTED / (1 - CONTESTED) - 0.05
    assert _weighted(*said, c=light).state is State.WARN


# the debate


def test_a_serious_finding_that_was_given_up_without_a_reason_still_stands() -> None:
    before = [_vote("a", P), _vote("b", P), _vote("c", F, SURE, CRITICAL)]
    after = [opinion("c", P, round=2, insight="Following the majority")]
    verdict = _said(*before, *after)
    assert verdict.state is State.WARN
    assert verdict.findings[0].withdrawn
    assert "was given up without a new reason" in verdict.why[-1]


def test_a_serious_finding_that_was_given_up_for_a_reason_is_gone() -> None:
    before = [_vote("a", P), _vote("b", P), _vote("c", F, SURE, CRITICAL)]
    after = [
        opinion("c", P, round=2, insight="The backfill runs in batches outside the transaction")
    ]
    verdict = _said(*before, *after)
    assert (verdict.state, verdict.findings) == (State.PASS, ())
    assert verdict.shifts[0].reason == "The backfill runs in batches outside the transaction"


def test_a_juror_that_is_silent_in_the_second_round_keeps_its_vote() -> None:
    verdict = _said(_vote("a", P), _vote("b", W), opinion("a", P, round=2))
    assert verdict.agreement.of == 2


# who counts


def test_one_that_answers_twice_counts_once_with_its_more_severe_answer() -> None:
    verdict = _said(_vote("a", P, SURE), _vote("a", F, SURE), _vote("b", F))
    assert verdict.agreement.of == 2
    assert verdict.state is State.FAIL
    assert verdict.duplicates == ("ollama:a answered twice: the more severe answer counts",)


def test_the_same_answer_twice_counts_once_and_needs_no_word() -> None:
    verdict = _said(_vote("a", P), _vote("a", P), _vote("b", P))
    assert (verdict.agreement.of, verdict.duplicates) == (2, ())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Juror("ollama", "hermes3:8b", "llama"), Juror("openai", "nous/Hermes3:8b", "llama")),
        (Juror("ollama", "hermes3", "llama"), Juror("ollama", "hermes3:latest", "llama")),
        (
            Juror("ollama", "hermes3:8b", "llama", digest="d1"),
            Juror("ollama", "mine", "", digest="d1"),
        ),
        (
            Juror("ollama", "hermes3", "llama", "Red"),
            Juror("openai", "hermes3", "llama", "Red"),
        ),
    ],
)
def test_the_same_model_under_two_names_counts_once_and_it_is_said(
    one: Juror, other: Juror
) -> None:
    verdict = _said(opinion(one), opinion(other), opinion("b"))
    assert verdict.agreement.of == 2
    assert len(verdict.duplicates) == 1
    assert " counted as " in verdict.duplicates[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Juror("ollama", "hermes3", "llama", "Red"), Juror("ollama", "hermes3", "llama", "Blue")),
        (Juror("ollama", "hermes3:8b", "llama"), Juror("ollama", "hermes3:70b", "llama")),
        (
            Juror("ollama", "m", "llama", digest="d1"),
            Juror("openai", "m", "llama", digest="d2"),
        ),
        (Juror("rule", "m", "rule"), Juror("ollama", "m", "llama")),
    ],
)
def test_another_perspective_size_or_digest_is_another_juror(one: Juror, other: Juror) -> None:
    assert _said(opinion(one), opinion(other)).agreement.of == 2


def test_who_was_missing_and_who_replaced_it_is_said() -> None:
    gone = Absent(juror("slow"), "no answer within 60 s", "ollama:b")
    case = make_case(JUDGMENT, [_vote("a", P), _vote("b", P)], absent=[gone])
    verdict = decide(case)
    assert (verdict.state, verdict.absent) == (State.PASS, (gone,))


def test_one_voice_of_several_jurors_needs_a_human_check() -> None:
    alone = _said(_vote("a", P), _vote("b", A), _vote("c", A))
    assert (alone.state, alone.vote) == (State.NEEDS_HUMAN, P)
    assert alone.why == ("only one of 3 jurors took a side",)
    away = [Absent(juror("slow"), "no answer within 60 s")]
    left = decide(make_case(JUDGMENT, [_vote("a", P)], absent=away))
    assert left.why == ("only one of 2 jurors took a side",)
    asked_alone = _said(_vote("a", P), opinion(Juror("rule", "checks", "rule"), A))
    assert asked_alone.state is State.PASS


def test_abstentions_are_listed_and_count_for_nothing() -> None:
    verdict = _said(_vote("a", P), _vote("b", P), _vote("c", A, SURE, CRITICAL))
    assert verdict.abstained == ("ollama:c",)
    assert (verdict.agreement.agreeing, verdict.agreement.of) == (2, 2)
    assert verdict.findings == ()


# what it says


def test_the_three_numbers_are_apart() -> None:
    said = [_vote("a", P, 0.9), _vote("b", W, 0.5), _vote("c", F, 0.5, MINOR)]
    verdict = _said(*said)
    assert (verdict.agreement.agreeing, verdict.agreement.of) == (2, 3)
    assert verdict.claimed is not None
    assert (verdict.claimed.mean, verdict.claimed.low, verdict.claimed.high) == (0.7, 0.5, 0.9)
    assert verdict.probability is None


def test_a_curve_gives_a_probability_with_its_sample_size() -> None:
    case = make_case(JUDGMENT, [_vote("a", P), _vote("b", P)], curve=CURVE)
    probability = decide(case).probability
    assert probability is not None
    assert (probability.near, probability.n, probability.topic) == (12, 57, "storage")
    assert probability.value == pytest.approx(0.7, abs=0.1)


def test_a_verdict_that_carries_nothing_has_no_probability() -> None:
    case = make_case(JUDGMENT, [_vote("a", P), _vote("b", F)], curve=CURVE)
    assert decide(case).probability is None


def test_agreement_is_with_the_verdict_also_where_one_finding_stops_it() -> None:
    verdict = _said(_vote("a", P), _vote("b", P), _vote("c", F, UNSURE, CRITICAL))
    assert (verdict.agreement.agreeing, verdict.agreement.of) == (1, 3)
    assert verdict.dissent == ("PASS",)
    assert verdict.decision == "do FAIL"


def test_the_same_finding_of_two_is_one_with_the_worse_severity_and_all_evidence() -> None:
    one = Finding("Lock held during backfill.", Severity.MINOR, ("a.py",))
    other = Finding("lock  held during Backfill", Severity.SIGNIFICANT, ("b.py",), "batch it")
    verdict = _said(
        _vote("a", W, UNSURE, one), _vote("b", W, UNSURE, other), _vote("c", P, UNSURE, MINOR)
    )
    assert [(each.finding.severity, each.seats) for each in verdict.findings] == [
        (Severity.SIGNIFICANT, ("ollama:b", "ollama:a")),
        (Severity.MINOR, ("ollama:c",)),
    ]
    assert verdict.findings[0].finding.evidence == ("b.py", "a.py")
    assert verdict.findings[0].finding.recommendation == "batch it"


def test_missing_evidence_is_listed_once() -> None:
    verdict = _said(
        opinion("a", missing=("the rollback plan",)),
        opinion("b", missing=("the rollback plan", "load figures")),
    )
    assert verdict.missing == ("the rollback plan", "load figures")


def test_the_strongest_of_the_carrying_side_is_quoted_first() -> None:
    said = [
        opinion("a", P, confidence=0.4, insight="weak", decision="a says"),
        opinion("b", P, confidence=0.7, insight="strong", decision="b says"),
    ]
    verdict = _said(*said)
    assert verdict.sides[0].reasons == ("strong", "weak")
    assert verdict.decision == "b says"


def test_a_warning_is_quoted_for_a_warn_however_sure_those_are_who_pass() -> None:
    assert _said(_vote("a", P, SURE), _vote("b", P, SURE), _vote("c", W)).decision == "do WARN"


def test_that_only_rules_judged_is_said_also_where_they_split() -> None:
    rules = [opinion(Juror("rule", f"r{n}", "rule"), vote) for n, vote in enumerate((P, W))]
    assert _said(*rules).why == ("1 of 2 say WARN", "only rules judged")


# purity

_MODELS = [
    ("hermes3:8b", "llama"),
    ("qwen", "qwen"),
    ("gemma", "google"),
    ("odd", ""),
    ("phi", "phi"),
]
_TEXTS = [
    "Postgres",
    "Mongo",
    "Postgres over Mongo",
    "not Mongo",
    "it depends",
    "both",
    "",
    "lieber Mongo",
]


def _random_case(rng: random.Random) -> tuple[Packet, list[Opinion], list[Weight], list[Absent]]:
    kind = rng.choice(list(Kind))
    packet = Packet("?", kind, ("Postgres", "Mongo") if kind is Kind.CHOICE else ())
    opinions: list[Opinion] = []
    for _ in range(rng.randint(0, 7)):
        model, family = rng.choice(_MODELS)
        seat = Juror("ollama", model, family, rng.choice(["", "Red", "Blue"]))
        for number in range(1, rng.randint(1, 3) + 1):
            findings = [
                finding(rng.choice("xyz"), rng.choice(list(Severity)))
                for _ in range(rng.randint(0, 2))
            ]
            opinions.append(
                Opinion(
                    seat,
                    rng.choice(list(Vote)),
                    rng.choice(_TEXTS),
                    rng.choice([0.2, 0.6, 0.8, 1.0]),
                    rng.choice(["", "locks are held", "as the others say"]),
                    findings=tuple(findings),
                    missing=tuple(rng.sample(["plan", "load"], rng.randint(0, 2))),
                    round=number,
                )
            )
    weights = [
        Weight(f"ollama:{model}", rng.choice([0.25, 0.7, 1.3, 3.0])) for model, _ in _MODELS[:3]
    ]
    absent = [Absent(juror(name), "timeout") for name in rng.sample(["s", "t"], rng.randint(0, 2))]
    return packet, opinions, weights, absent


def _shuffled(case: Case, rng: random.Random) -> Case:
    """The same case with everything that has an order in another one."""
    return replace(
        case,
        opinions=tuple(rng.sample(case.opinions, len(case.opinions))),
        placements=tuple(rng.sample(case.placements, len(case.placements))),
        shifts=tuple(rng.sample(case.shifts, len(case.shifts))),
        weights=tuple(rng.sample(case.weights, len(case.weights))),
        absent=tuple(rng.sample(case.absent, len(case.absent))),
    )


def test_the_order_of_what_was_said_does_not_matter() -> None:
    for seed in range(400):
        rng = random.Random(seed)
        packet, opinions, weights, absent = _random_case(rng)
        case = make_case(packet, opinions, absent=absent, weights=weights)
        rng.shuffle(opinions)
        rng.shuffle(weights)
        again = make_case(packet, opinions, absent=absent, weights=weights)
        assert to_json(again) == to_json(case), seed
        assert to_json(decide(_shuffled(case, rng))) == to_json(decide(case)), seed


def test_a_stored_case_gives_the_same_verdict_to_the_byte() -> None:
    for seed in range(100):
        packet, opinions, weights, absent = _random_case(random.Random(seed))
        curve = CURVE if seed % 2 else None
        case = make_case(packet, opinions, absent=absent, weights=weights, curve=curve)
        stored, verdict = to_json(case), to_json(decide(case))
        assert to_json(decide(from_json(Case, stored))) == verdict, seed
        assert to_json(from_json(Verdict, verdict)) == verdict, seed
        assert from_json(Verdict, verdict).rules == RULES


def test_a_serious_fail_is_never_averaged_away() -> None:
    for seed in range(200):
        packet, opinions, weights, _ = _random_case(random.Random(seed))
        stop = _vote("stop", F, 0.1, CRITICAL)
        verdict = decide(make_case(packet, [*opinions, stop], weights=weights))
        assert verdict.state is State.FAIL, seed
        assert any("ollama:stop" in one.seats for one in verdict.findings), seed
