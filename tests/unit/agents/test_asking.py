"""Questions of who, when and what came last."""

from __future__ import annotations

import pytest

from hermes.agents.asking import Asked, Kind, read_question


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "who has touched the rate limiter recently and why?",
            Asked(Kind.TOUCHED, "the rate limiter", recently=True),
        ),
        ("Who has been working on auth lately", Asked(Kind.TOUCHED, "auth", recently=True)),
        ("who maintains worker/queue.py?", Asked(Kind.TOUCHED, "worker/queue.py", owner=True)),
        ("who knows redis", Asked(Kind.KNOWS, "redis")),
        ("Who knows the most about the FTS code?", Asked(Kind.KNOWS, "the FTS code")),
        ("who should I ask about migrations?", Asked(Kind.KNOWS, "migrations")),
        ("when did we add retries?", Asked(Kind.DID, "retries", "add")),
        ("when did we drop the retry queue", Asked(Kind.DID, "the retry queue", "remove")),
        ("when was Python 3.6 support dropped?", Asked(Kind.DID, "Python 3.6 support", "remove")),
        ("who wrote worker/queue.py", Asked(Kind.DID, "worker/queue.py", "add")),
        ("who removed the cache and why?", Asked(Kind.DID, "the cache", "remove")),
        ("last change to worker/queue.py", Asked(Kind.LAST, "worker/queue.py")),
        ("What was the latest commit to docs", Asked(Kind.LAST, "docs")),
        ("who last changed the parser?", Asked(Kind.LAST, "the parser")),
        ("when did we stop supporting python 2?", Asked(Kind.DID, "python 2", "remove")),
        ("who is Sam Doe?", Asked(Kind.PERSON, "Sam Doe")),
        ("who is in charge of transports", Asked(Kind.KNOWS, "transports", owner=True)),
    ],
)
def test_questions_for_the_index_are_read(question: str, asked: Asked) -> None:
    assert read_question(question) == asked


@pytest.mark.parametrize(
    "question",
    [
        "why did we drop the retry queue?",
        "how does the parser work",
        "what happened last week?",
        "who is",
        "when",
        "whoever touched this broke it",
        "",
    ],
)
def test_other_questions_are_not(question: str) -> None:
    assert read_question(question) is None
