"""What is a question for judges, and what is asked where a person gave only evidence."""

from __future__ import annotations

import pytest

from hermes.agents.council.records import Kind
from hermes.agents.council.wish import (
    MOST_QUESTION,
    OF_A_CHANGE,
    NoQuestion,
    NotAJudgment,
    read_wish,
)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Postgres or Mongo for the ledger?", Kind.CHOICE),
        ("is this safe to merge?", Kind.JUDGMENT),
        ("should we drop redis?", Kind.JUDGMENT),
        ("how should we store sessions?", Kind.OPEN),
        ("what is the best queue for this?", Kind.OPEN),
        ("Sollten wir Redis nehmen?", Kind.JUDGMENT),
        ("¿deberíamos usar Postgres o Mongo?", Kind.CHOICE),
        ("セッションはどこに保存すべきですか？", Kind.OPEN),
        ("does it make sense to split the worker?", Kind.JUDGMENT),
        ("Merge the branch", Kind.OPEN),
    ],
)
def test_a_judgment_call_is_taken_in_any_language(question: str, kind: Kind) -> None:
    assert read_wish(question).kind is kind


@pytest.mark.parametrize(
    "question",
    [
        "why did we drop redis?",
        "who wrote the importer?",
        "when was the cache added?",
        "what is the state of ENG-17?",
        "did we ship it?",
        "wer hat das geschrieben?",
        "pourquoi ce cache ?",
    ],
)
def test_a_question_for_a_fact_is_sent_to_ask(question: str) -> None:
    with pytest.raises(NotAJudgment) as told:
        read_wish(question)
    assert f'hermes ask "{question}"' in told.value.hint


def test_with_evidence_in_hand_any_question_is_taken() -> None:
    assert read_wish("does this change what callers see?", diff=True).kind is Kind.JUDGMENT
    assert read_wish("why did the build fail?", texts=True).kind is Kind.OPEN


@pytest.mark.parametrize("text", ["", "   ", "?!", "\n"])
def test_nothing_is_no_question(text: str) -> None:
    with pytest.raises(NoQuestion):
        read_wish(text)


def test_a_diff_alone_is_asked_whether_it_is_safe() -> None:
    assert read_wish("", diff=True).question == OF_A_CHANGE


def test_of_a_huge_text_the_paragraph_that_asks_is_the_question_and_the_rest_is_told() -> None:
    text = f"{'The ledger grows. ' * 400}\n\nShould we move it to Mongo?\n\n{'More words. ' * 400}"
    wish = read_wish(text)
    assert wish.question == "Should we move it to Mongo?"
    assert wish.told == text.strip()


def test_a_huge_text_without_a_paragraph_or_a_mark_still_ends_in_a_short_question() -> None:
    for text in ("word " * 5_000, f"{'word ' * 5_000}is it safe?", "x" * 90_000):
        wish = read_wish(text, texts=True)
        assert 0 < len(wish.question) <= MOST_QUESTION
        assert wish.told
