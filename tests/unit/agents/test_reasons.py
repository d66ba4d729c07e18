"""Reasons in commit messages."""

from __future__ import annotations

from hermes.agents.reasons import body_sentences, find_reasons, shorten, split_message
from hermes.agents.words import question_terms

MESSAGE = """Remove the retry queue (#482)

The broker has retried on its own since 3.1. Jobs ran twice because both
kept a counter of their own, e.g. after a deploy.

- the redis list is gone, so that a deploy no longer needs it
- closes #482

    $ worker --retries 3
    Traceback: something

Signed-off-by: Sam Lee <sam@example.com>
Co-authored-by: Kim <kim@example.com>
"""


def test_a_message_is_its_subject_and_a_body_without_trailers() -> None:
    subject, body = split_message(MESSAGE)
    assert subject == "Remove the retry queue (#482)"
    assert "Signed-off" not in body
    assert "Co-authored" not in body


def test_wrapped_lines_are_joined_bullets_are_apart_and_code_is_left_out() -> None:
    assert body_sentences(split_message(MESSAGE)[1]) == [
        "The broker has retried on its own since 3.1.",
        "Jobs ran twice because both kept a counter of their own, e.g. after a deploy.",
        "the redis list is gone, so that a deploy no longer needs it",
    ]


def test_the_best_reason_says_because_and_bears_on_the_question() -> None:
    reasons = find_reasons(MESSAGE, question_terms("why did jobs run twice?"))
    assert reasons[0].text.startswith("Jobs ran twice because")


def test_a_body_that_only_repeats_the_subject_gives_no_reason() -> None:
    assert (
        find_reasons("Drop Python 3.6\n\nDrop Python 3.6, closes #517", frozenset({"drop"})) == []
    )


def test_a_long_quotation_is_cut_at_a_word_and_shows_it() -> None:
    assert shorten("one two three four", 12) == "one two …"
    assert shorten("one\n  two", 12) == "one two"


def test_steps_of_squashed_work_and_what_is_for_machines_are_no_reasons() -> None:
    squashed = "Add retries (#9)\n\n* fix code format\n* replace any instead of a list\n* add docs"
    assert find_reasons(squashed, frozenset({"retri"})) == []
    bumped = "Bump x\n\n---\nupdated-dependencies:\n- dependency-name: x of the ones needed here"
    assert find_reasons(bumped, frozenset({"x"})) == []

    reverted = "Revert x\n\nThis reverts commit 674522db91d637d179c16c372d87756ea26fa089."
    assert find_reasons(reverted, frozenset({"x"})) == []


def test_a_quotation_within_a_sentence_is_kept_whole() -> None:
    text = "They write: “It is old. New ones use another.”\n\nSo it goes on."
    assert body_sentences(text)[0] == "They write: “It is old. New ones use another.”"


def test_a_quotation_that_ends_in_the_middle_shows_it() -> None:
    assert shorten("for example as a view function,") == "for example as a view function …"
