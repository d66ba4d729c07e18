"""When and who a question asks about, read from its words."""

from datetime import datetime

import pytest

from hermes.memory.hints import read_hints, read_span

NOW = datetime(2026, 3, 18, 14, 30)  # a Wednesday
AUTHORS = [("Sam Lee", "sam@example.org"), ("Ana García", "ana.g@example.org")]


def day(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


@pytest.mark.parametrize(
    ("words", "since", "until"),
    [
        ("since 2025-01-01", "2025-01-01", None),
        ("since April", "2025-04-01", None),
        ("since march", "2026-03-01", None),
        ("since yesterday", "2026-03-17", None),
        ("since last friday", "2026-03-13", None),
        ("since friday", "2026-03-13", None),
        ("since the Monday", "2026-03-16", None),
        ("until wednesday", None, "2026-03-11"),
        ("since last wednesday", "2026-03-11", None),
        ("before 2024", None, "2024-01-01"),
        ("since January until March 2026", "2026-01-01", "2026-03-01"),
        ("last week", "2026-03-09", "2026-03-16"),
        ("last month", "2026-02-01", "2026-03-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("this week", "2026-03-16", "2026-03-23"),
        ("yesterday", "2026-03-17", "2026-03-18"),
        ("today", "2026-03-18", "2026-03-19"),
        ("in May 2024", "2024-05-01", "2024-06-01"),
        ("in December", "2025-12-01", "2026-01-01"),
        ("in 2024", "2024-01-01", "2025-01-01"),
        ("on 2025-11-05", "2025-11-05", "2025-11-06"),
        ("in the last 3 days", "2026-03-15", None),
        ("over the past two weeks", "2026-03-04", None),
        ("3 weeks ago", "2026-02-25", "2026-03-04"),
    ],
)
def test_a_span_of_time_is_read(words: str, since: str | None, until: str | None) -> None:
    span = read_span(f"what changed in the queue {words}?", NOW)
    assert span is not None
    assert span.since == (day(since) if since else None)
    assert span.until == (day(until) if until else None)


@pytest.mark.parametrize(
    "question",
    [
        "why did we drop the retry queue?",
        "may a worker retry?",
        "what does the march of time do",
        "is 2024 a port",
        "the last retry of the queue",
        "before the queue is drained",
        "since the queue is gone",
        "since sun glasses are sold",
        "does the job run on monday",
        "in case of timeouts",
        "on 2025-13-45",
        "the last version (from 2018-04-10) of the syntax",
    ],
)
def test_no_span_is_read_where_none_is_meant(question: str) -> None:
    assert read_span(question, NOW) is None


@pytest.mark.parametrize(
    ("question", "author", "rest"),
    [
        ("what did Sam change in the queue", "Sam", "what did change in the queue"),
        ("retry fixes by Sam Lee", "Sam Lee", "retry fixes"),
        ("retry fixes by sam@example.org", "Sam Lee", "retry fixes"),
        ("Ana's work on retries", "Ana", "work on retries"),
        ("changes from ana.g@example.org", "Ana García", "changes"),
        ("cached by Redis", None, "cached by Redis"),
        ("by the way", None, "by the way"),
        ("CI is now powered by Sam Actions", None, "CI is now powered by Sam Actions"),
        ("Sam's module is now loaded", None, "Sam's module is now loaded"),
        ("fixed by Sam in the parser", "Sam", "fixed in the parser"),
        ("who is Lee", None, "who is Lee"),
    ],
)
def test_only_a_known_person_is_an_author(question: str, author: str | None, rest: str) -> None:
    hints = read_hints(question, lambda: AUTHORS, NOW)
    assert (hints.author, hints.rest) == (author, rest)


def test_words_that_were_hints_are_not_searched_for() -> None:
    hints = read_hints("what did Sam fix in the parser since last month?", lambda: AUTHORS, NOW)
    assert hints.rest == "what did fix in the parser ?"
    assert hints.author == "Sam"
    assert hints.span is not None
