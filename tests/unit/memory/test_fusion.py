"""Fusing arms by score, and how strongly a question was matched."""

import pytest

from hermes.memory.fusion import fuse, scaled, text_evidence


def test_scores_are_scaled_to_between_nothing_and_one() -> None:
    assert scaled({"a": 12.0, "b": 7.0, "c": 2.0}) == {"a": 1.0, "b": 0.5, "c": 0.0}


@pytest.mark.parametrize("scores", [{"a": 3.0}, {"a": 3.0, "b": 3.0}, {"a": 0.0}])
def test_equal_scores_all_count_in_full(scores: dict[str, float]) -> None:
    assert set(scaled(scores).values()) == {1.0}


def test_an_arm_that_found_nothing_takes_no_part() -> None:
    assert fuse({"message": {"a": 2.0}, "context": {}}) == {"a": {"message": 1.0}}


def test_a_commit_both_fields_find_passes_one_that_leads_a_single_field() -> None:
    shares = fuse(
        {
            "message": {"lead": 10.0, "both": 9.0, "tail": 1.0},
            "context": {"both": 9.0, "other": 10.0, "tail": 1.0},
        }
    )
    assert max(shares, key=lambda ref: sum(shares[ref].values())) == "both"


def test_scale_of_one_arm_does_not_decide() -> None:
    shares = fuse(
        {
            "message": {"a": 40.0, "b": 20.0, "c": 0.0},
            "vector_message": {"b": 0.31, "a": 0.30, "c": 0.29},
        }
    )
    assert sum(shares["a"].values()) > sum(shares["b"].values())


def test_evidence_does_not_depend_on_how_long_the_question_is() -> None:
    # Twice the terms, all matched alike, sum to twice the score; noise grows with the root.
    short, long = text_evidence(10, 10, 4, 5_000), text_evidence(20, 20, 8, 5_000)
    assert short < long < 2 * short


def test_no_terms_or_an_empty_memory_is_no_evidence() -> None:
    assert text_evidence(0.0, 0.0, 0, 5_000) == text_evidence(0.0, 0.0, 3, 0) == 0.0
