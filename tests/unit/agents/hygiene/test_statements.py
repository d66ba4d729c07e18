"""What a message says about other commits."""

from __future__ import annotations

import pytest

from hermes.agents.hygiene.reverts import read_statement
from hermes.agents.hygiene.twins import bare, picked_from

SHA, OTHER = "3f2a9c1e0d" * 4, "8d1c2e3f4a" * 4


@pytest.mark.parametrize(
    ("message", "shas"),
    [
        (f'Revert "Add x"\n\nThis reverts commit {SHA}.', (SHA,)),
        (f'Revert "Add x"\n\nThis reverts commit {SHA[:9]}, it broke the build.', (SHA[:9],)),
        (f"Undo the queue\n\nReverts commit {SHA[:7].upper()}", (SHA[:7],)),
        (
            f'Revert "Merge x"\n\nThis reverts commit {SHA}, reversing\nchanges made to {OTHER}.',
            (SHA,),
        ),
        (f"Back to before\n\nThis reverts commits {SHA[:8]}, {OTHER[:8]}.", (SHA[:8], OTHER[:8])),
        (
            f"Back to before\n\nThis reverts commits {SHA[:8]} and {OTHER[:8]}.",
            (SHA[:8], OTHER[:8]),
        ),
        (f"Squashed\n\n* Add y\n\n* This reverts commit {SHA}.", (SHA,)),
        (f"backs out changeset {SHA[:12]}", (SHA[:12],)),
        (f"Fix what broke in {SHA[:9]}", ()),
        (f"Broken since reverting it in {SHA[:9]}", ()),
        ("This reverts commit of last week", ()),
        ("", ()),
    ],
)
def test_the_commits_that_it_reverts(message: str, shas: tuple[str, ...]) -> None:
    assert read_statement(message).shas == shas


@pytest.mark.parametrize(
    ("subject", "title", "layers"),
    [
        ("Add retries", "add retries", 0),
        ('Revert "Add retries"', "add retries", 1),
        ('Revert "Add retries (#12)" (#15)', "add retries", 1),
        ('Revert "Revert "Add retries""', "add retries", 2),
        ('Reapply "Add retries"', "add retries", 2),
        ('Reland "Add retries" (#20)', "add retries", 2),
        ("revert: feat: add retries", "feat: add retries", 1),
        ("Revert adding retries", "adding retries", 1),
        ('Revert "Say "hello" twice"', 'say "hello" twice', 1),
        ("Reverting is hard", "reverting is hard", 0),
    ],
)
def test_how_often_a_subject_takes_back_what(subject: str, title: str, layers: int) -> None:
    said = read_statement(subject)
    assert (said.title, said.layers) == (title, layers)
    assert said.takes_back == (layers == 1)


@pytest.mark.parametrize(
    "message",
    [
        f"Partially revert the queue\n\nThis reverts commit {SHA}.",
        f"Revert part of the queue\n\nThis reverts commit {SHA}.",
        f'Revert "Add x"\n\nThis reverts commit {SHA}, except\nfor the tests.',
        f'Revert "Add x"\n\nThis reverts commit {SHA} but keeps the docs.',
    ],
)
def test_what_is_taken_back_in_part_is_told(message: str) -> None:
    assert read_statement(message).in_part


@pytest.mark.parametrize(
    "subject",
    ['Revert "Fix some of the tests, except on Windows"', "Revert the partner shop's report"],
)
def test_the_words_of_what_is_reverted_make_no_revert_partial(subject: str) -> None:
    assert not read_statement(f"{subject}\n\nThis reverts commit {SHA}.").in_part


def test_a_reason_further_down_makes_no_revert_partial() -> None:
    message = f'Revert "Add x"\n\nThis reverts commit {SHA}.\n\nIt was good, except for Windows.'
    assert not read_statement(message).in_part


@pytest.mark.parametrize(
    ("message", "shas"),
    [
        (f"Fix x\n\n(cherry picked from commit {SHA})", [SHA]),
        (f"Fix x (cherry picked from commit {SHA})", []),
        (f"[2.0] Fix x\n\nBackport of {SHA[:10]} from main", [SHA[:10]]),
        (f"Fix x, see {SHA}", []),
    ],
)
def test_what_a_change_was_picked_from(message: str, shas: list[str]) -> None:
    assert picked_from(message) == shas


@pytest.mark.parametrize(
    "subject",
    [
        "[7.4.x] Fix the cache",
        "Fix the cache (#12)",
        "[7.4.x] Fix  the cache (#12) (#15)",
        "fix the cache (GH-12)",
    ],
)
def test_a_subject_is_the_same_however_it_was_picked(subject: str) -> None:
    assert bare(subject) == "fix the cache"
