"""Who sits: trust, then least agreement, of different families."""

from __future__ import annotations

import random

import pytest

from hermes.agents.council.case import make_case
from hermes.agents.council.families import family_of
from hermes.agents.council.perspectives import (
    PLANS,
    PRESETS,
    Mode,
    NoSuchPreset,
    Perspective,
    Preset,
    perspectives_for,
    preset_of,
)
from hermes.agents.council.records import Juror, Kind, Packet, Vote, Weight
from hermes.agents.council.seats import EXPECTED_AGREEMENT, agreements, choose, seat
from hermes.tests.builders.council import juror, opinion

LLAMA, LLAMA2 = juror("llama-a", "llama"), juror("llama-b", "llama")
QWEN, GEMMA = juror("qwen", "qwen"), juror("gemma", "google")
POOL = [LLAMA, LLAMA2, QWEN, GEMMA]


def _names(jurors: tuple[Juror, ...]) -> list[str]:
    return [one.model for one in jurors]


def test_the_most_trusted_sits_first() -> None:
    assert _names(choose(POOL, 1, [Weight("ollama:qwen", 2.0)])) == ["qwen"]


def test_another_family_goes_before_a_relative_that_is_trusted_more() -> None:
    weights = [Weight("ollama:llama-a", 3.0), Weight("ollama:llama-b", 2.9)]
    assert _names(choose([LLAMA, LLAMA2, QWEN], 2, weights)) == ["llama-a", "qwen"]


def test_where_there_is_one_family_it_fills_all_seats() -> None:
    assert _names(choose([LLAMA, LLAMA2], 3)) == ["llama-a", "llama-b"]


def test_among_strangers_the_one_that_agrees_least_sits_next() -> None:
    agreement = {
        ("ollama:gemma", "ollama:llama-a"): 0.95,
        ("ollama:llama-a", "ollama:qwen"): 0.5,
    }
    weights = [Weight("ollama:llama-a", 2.0)]
    assert _names(choose([LLAMA, GEMMA, QWEN], 2, weights, agreement)) == ["llama-a", "qwen"]


def test_trust_outweighs_a_little_agreement_but_not_much() -> None:
    pairs = {("ollama:gemma", "ollama:llama-a"): 0.75, ("ollama:llama-a", "ollama:qwen"): 0.7}
    weights = [Weight("ollama:llama-a", 3.0), Weight("ollama:gemma", 2.0)]
    assert _names(choose([LLAMA, GEMMA, QWEN], 2, weights, pairs)) == ["llama-a", "gemma"]
    pairs["ollama:llama-a", "ollama:qwen"] = 0.1
    assert _names(choose([LLAMA, GEMMA, QWEN], 2, weights, pairs)) == ["llama-a", "qwen"]


def test_among_equals_seats_rotate() -> None:
    pool = [juror(name) for name in "abcd"]
    last: dict[str, float] = {}
    sat: list[str] = []
    for turn in range(4):
        chosen = choose(pool, 2, last_seated=last, families=2)
        last.update({one.name: turn + 1.0 for one in chosen})
        sat += _names(chosen)
    assert sorted(sat) == sorted("abcd" * 2)


def test_the_order_of_the_pool_does_not_matter() -> None:
    weights = [Weight("ollama:qwen", 1.2)]
    expected = choose(POOL, 3, weights)
    for seed in range(10):
        assert choose(random.Random(seed).sample(POOL, 4), 3, weights) == expected


def test_an_empty_pool_seats_nobody() -> None:
    assert choose([], 3) == ()
    assert seat((), PRESETS["security"].perspectives).jurors == ()


def test_agreement_is_counted_from_first_votes_and_drawn_to_what_is_expected() -> None:
    packet = Packet("?", Kind.JUDGMENT)
    split = make_case(
        packet,
        [
            opinion("a"),
            opinion("b", Vote.FAIL),
            opinion("b", Vote.PASS, round=2),
            opinion("c", Vote.ABSTAIN),
        ],
    )
    pairs = agreements([split] * 6)
    assert pairs == {("ollama:a", "ollama:b"): pytest.approx(4 * EXPECTED_AGREEMENT / 10)}


def test_fewer_jurors_than_perspectives_sit_again_and_it_is_said() -> None:
    seated = seat((LLAMA, QWEN), PRESETS["security"].perspectives)
    assert [one.seat for one in seated.jurors] == [
        "ollama:llama-a/Red",
        "ollama:qwen/Blue",
        "ollama:llama-a/Auditor",
    ]
    assert (seated.repeated, seated.families) == (True, 2)


def test_every_preset_of_the_design_has_its_perspectives_with_an_instruction() -> None:
    named = {
        "architecture": ["Scale", "Craft", "Razor"],
        "code-review": ["Spec", "Path", "Surface"],
        "security": ["Red", "Blue", "Auditor"],
        "product": ["Value", "Barrier", "Edge"],
        "operations": ["Uptime", "Lens", "Cost"],
    }
    for name, perspectives in named.items():
        assert [one.name for one in PRESETS[name].perspectives] == perspectives
    for preset in PRESETS.values():
        assert all(20 < len(one.instruction) < 120 for one in preset.perspectives)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("mode", Mode)
def test_every_mode_finds_a_perspective_of_its_own_for_each_seat(name: str, mode: Mode) -> None:
    found = perspectives_for(PRESETS[name], PLANS[mode].seats)
    assert len({one.name for one in found}) == PLANS[mode].seats


def test_a_preset_is_found_however_it_is_spelled_and_ones_own_goes_before() -> None:
    assert preset_of("Code Review").name == "code-review"
    assert preset_of("").name == "general"
    own = Preset("security", (Perspective("Mine", "Judge as we do it here."),))
    assert preset_of("security", [own]) is own
    with pytest.raises(NoSuchPreset, match="no preset 'poetry'") as raised:
        preset_of("poetry", [Preset("ours", ())])
    assert "ours, product" in raised.value.hint.replace("operations, ", "")


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("hermes3:8b", "llama"),
        ("NousResearch/Hermes-3-Llama-3.1-8B", "llama"),
        ("Hermes-4-14B", "qwen"),
        ("llama3.2:3b", "llama"),
        ("qwen2.5-coder:1.5b", "qwen"),
        ("deepseek-r1-distill-qwen-7b", "qwen"),
        ("deepseek-r1-distill-llama-8b", "llama"),
        ("deepseek-v3", "deepseek"),
        ("mistralai/Mixtral-8x7B", "mistral"),
        ("gemma3:4b", "google"),
        ("openai/gpt-4o-mini", "openai"),
        ("o3-mini", "openai"),
        ("anthropic/claude-sonnet", "anthropic"),
        ("phi-4", "phi"),
        ("phi3:mini", "phi"),
        ("SmolLM2-135M-Instruct", "smollm"),
        ("my-own-model", ""),
    ],
)
def test_a_name_tells_its_family(model: str, family: str) -> None:
    assert family_of(model) == family
