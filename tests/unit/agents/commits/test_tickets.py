from __future__ import annotations

import pytest

from hermes.agents.commits.records import Style
from hermes.agents.commits.tickets import of_branch


@pytest.mark.parametrize(
    ("branch", "key"),
    [
        ("feature/ENG-17-rate-limit", "ENG-17"),
        ("ENG-17", "ENG-17"),
        ("sam/ENG-17_rate_limit", "ENG-17"),
        ("eng-17-rate-limit", "ENG-17"),
        ("sam/eng-17-rate-limit", "ENG-17"),
        ("feat-ENG-17", "ENG-17"),
        ("fix/482-empty-cart", "#482"),
        ("482-fix", "#482"),
        ("482_fix", "#482"),
        ("fix/482", "#482"),
        ("issue-482", "#482"),
        ("issues/482", "#482"),
        ("issue482", "#482"),
        ("fix-issue-482-now", "#482"),
        ("gh-482", "#482"),
        ("bug/gh-482-empty", "#482"),
        ("fix-482", "#482"),
        ("fix-empty-cart-482", "#482"),
        ("#482-fix", "#482"),
        ("bugfix-3-login", "#3"),
    ],
)
def test_a_branch_that_names_its_ticket(branch: str, key: str) -> None:
    ticket = of_branch(branch)

    assert ticket is not None
    assert (ticket.key, ticket.source) == (key, "branch")


@pytest.mark.parametrize(
    "branch",
    [
        "",
        "main",
        "HEAD",
        "python3",
        "drop-python3",
        "utf-8",
        "fix-utf-8-names",
        "UTF-8",
        "release-2.1",
        "release/2024.1",
        "v1.2.3",
        "1.2.x",
        "8.1.x",
        "2024-05-01-notes",
        "notes-2024-05-01",
        "20240501-notes",
        "notes/2024-05",
        "node-20",
        "php-8",
        "http-404",
        "phase-2",
        "fix/step-2",
        "64-bit-ids",
        "base64",
        "sha-256",
        "py-312",
        "dependabot/npm_and_yarn/lodash-4.17.21",
        "renovate/node-20",
        "retry-3",
        "v2",
        "2024",
        "CVE-2024-1234",
    ],
)
def test_a_branch_that_names_none(branch: str) -> None:
    assert of_branch(branch) is None


def test_where_tickets_are_numbers_a_word_before_a_number_is_no_project() -> None:
    numbers = Style(examples=("Add a cart (#12)", "Fix typo (#11)"))
    keys = Style(examples=("Add a cart (ENG-12)",))

    assert of_branch("cart-17-empty", numbers) is None
    assert of_branch("cart-17-empty", keys) is not None
