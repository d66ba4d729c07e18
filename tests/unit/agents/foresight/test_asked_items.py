"""Which questions ask what is open, and what somebody said; and which do not."""

from datetime import datetime

import pytest

from hermes.agents.foresight.asked import Kind, read
from hermes.agents.foresight.asked_items import OfItems, Which

NOW = datetime(2026, 3, 18, 9, 30)


@pytest.mark.parametrize(
    ("question", "which", "who"),
    [
        ("which tickets are open?", Which.TICKETS, ""),
        ("which pull requests are open", Which.PULLS, ""),
        ("open PRs", Which.PULLS, ""),
        ("are there any open issues?", Which.TICKETS, ""),
        ("show me the open tickets", Which.TICKETS, ""),
        ("open tickets of Priya Raman", Which.TICKETS, "Priya Raman"),
        ("my open PRs", Which.PULLS, "me"),
        ("Priya's open tickets", Which.TICKETS, "Priya"),
        ("what is open for Priya?", Which.ALL, "Priya"),
        ("what's open for me", Which.ALL, "me"),
        ("what is assigned to Priya?", Which.ASSIGNED, "Priya"),
        ("which tickets are assigned to me", Which.ASSIGNED, "me"),
        ("what is Tomás working on?", Which.WORK, "Tomás"),
        ("what am I working on", Which.WORK, "me"),
        ("which pull requests wait for review?", Which.REVIEW, ""),
        ("which PRs are waiting for a review", Which.REVIEW, ""),
        ("which PRs wait for me", Which.REVIEW, "me"),
        ("which pull requests wait for my review?", Which.REVIEW, "me"),
        ("what do I have to review", Which.REVIEW, "me"),
    ],
)
def test_a_question_of_what_is_open_is_read(question: str, which: Which, who: str) -> None:
    asked = read(question, NOW)
    assert asked is not None
    assert asked.items == OfItems(which, who)


@pytest.mark.parametrize(
    ("question", "who", "topic"),
    [
        ("what did Jonas say about memcached?", "Jonas", "memcached"),
        ("what has Kim Noor written about the rate limiter", "Kim Noor", "the rate limiter"),
        ("did Lea ever say anything about Redis", "Lea", "Redis"),
        ("what did I say about retries", "me", "retries"),
    ],
)
def test_a_question_of_what_somebody_said_is_read(question: str, who: str, topic: str) -> None:
    asked = read(question, NOW)
    assert asked is not None
    assert asked.items == OfItems(Which.SAID, who, topic)


@pytest.mark.parametrize(
    "question",
    [
        "why is the queue open?",
        "why are so many pull requests open",
        "how do I open a pull request",
        "which files are open?",
        "what is open",
        "who opened the ticket about invoices",
        "what did we say about memcached",
        "which pull request introduced the limiter",
        "open the pool of connections",
    ],
)
def test_a_question_of_something_else_is_left(question: str) -> None:
    asked = read(question, NOW)
    assert asked is None or asked.kind is not Kind.ITEMS
