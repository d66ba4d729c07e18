"""What a question brings back, on a real store."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from hermes.memory.memory import Memory
from hermes.memory.recall import recall
from hermes.memory.records import Chunk, Commit, FileChange, Filters, Kind, Repo, chunk_id

NOW = datetime(2026, 3, 18, 12, 0)
SAM = ("Sam Ito", "sam@shop.example")
ANA = ("Ana Vale", "ana@shop.example")

HISTORY = [
    # (sha digit, days ago, author, message, {path: changed lines}, tickets)
    (
        "1",
        400,
        SAM,
        "Add a retry queue to the worker",
        {"worker/queue.py": "class RetryQueue:"},
        (),
    ),
    (
        "2",
        200,
        ANA,
        "Drop the retry queue\n\nIt hid failures: jobs were retried for days and nobody knew.",
        {"worker/queue.py": "class RetryQueue:", "worker/run.py": "queue.retry(job)"},
        ("#482",),
    ),
    (
        "3",
        120,
        SAM,
        "Limit requests per customer",
        {"api/limits.py": "def rate_limiter(customer, max_requests):"},
        ("ENG-17",),
    ),
    ("4", 60, SAM, "Use Redis for the rate limiter", {"api/limits.py": "import redis"}, ()),
    (
        "5",
        5,
        ANA,
        "Speed up the invoice export",
        {"billing/export.py": "def export_csv(rows):"},
        (),
    ),
    ("6", 2, SAM, "Fix typo in the invoice footer", {"billing/footer.py": "Thank you"}, ()),
]


def sha(digit: str) -> str:
    return digit * 40


@pytest.fixture
def shop(memory: Memory, repo: Repo) -> Memory:
    """A shop's history of six commits."""
    for digit, days, who, message, changes, tickets in HISTORY:
        time = int((NOW - timedelta(days=days)).timestamp())
        commit = Commit(
            repo=repo.id,
            sha=sha(digit),
            parents=(),
            author=who[0],
            email=who[1],
            time=time,
            committed=time,
            subject=message.splitlines()[0],
            files=tuple(FileChange(path, "M") for path in changes),
            tickets=tickets,
        )
        base = Chunk(
            id=chunk_id(repo.id, commit.sha, "", 0),
            repo=repo.id,
            source="git",
            kind=Kind.MESSAGE,
            ref=commit.sha,
            path="",
            part=0,
            author=commit.author,
            email=commit.email,
            time=time,
            title=commit.subject,
            text=message,
            index_text=message,
        )
        contexts = [
            replace(
                base,
                id=chunk_id(repo.id, commit.sha, path, 0),
                kind=Kind.CONTEXT,
                path=path,
                text=f"@@ -1 +1 @@\n+{line}",
                index_text=f"{commit.subject}\n{path}\n{line}",
            )
            for path, line in changes.items()
        ]
        memory.write(repo.id, [commit], [base, *contexts])
    return memory


def refs(memory: Memory, question: str, filters: Filters | None = None, k: int = 8) -> list[str]:
    found = recall(memory, question, filters, k, now=NOW)
    return [passage.chunk.ref[0] for passage in found.passages]


def test_the_commit_a_question_is_about_comes_first(shop: Memory) -> None:
    found = recall(shop, "why did we drop the retry queue?", now=NOW)
    assert found.relevant
    assert found.passages[0].chunk.ref == sha("2")


def test_each_commit_comes_once_with_its_other_chunks_attached(shop: Memory) -> None:
    found = recall(shop, "retry queue worker", now=NOW)
    commits = [passage.chunk.ref for passage in found.passages]
    assert len(commits) == len(set(commits))
    best = found.passages[0]
    assert {chunk.ref for chunk in best.also} == {best.chunk.ref}
    assert best.chunk.id not in {chunk.id for chunk in best.also}


@pytest.mark.parametrize(
    ("question", "first", "exact"),
    [
        (f"what is {sha('6')[:10]} about, the retry queue?", "6", sha("6")[:10]),
        ("is #482 about the invoice export?", "2", "#482"),
        ("ENG-17", "3", "ENG-17"),
        ("where is max_requests", "3", "max_requests"),
        ("what about `RetryQueue`", "2", "retryqueue"),
        ("billing/footer.py", "6", "billing/footer.py"),
    ],
)
def test_what_is_named_to_the_letter_comes_first(
    shop: Memory, question: str, first: str, exact: str
) -> None:
    found = recall(shop, question, now=NOW)
    assert found.passages[0].chunk.ref == sha(first)
    assert found.passages[0].exact == exact
    assert found.relevant


@pytest.mark.parametrize(
    ("question", "expected", "hints"),
    [
        ("invoice changes by Ana", {"5"}, {"author": "Ana"}),
        ("what did Sam do to the invoice?", {"6"}, {"author": "Sam"}),
        ("rate limiter since last month", set("34"), {}),
        ("invoice changes in the last 4 days", {"6"}, {"when": "in the last 4 days"}),
        ("what happened this week?", {"6"}, {"when": "this week"}),
        ("what happened last week?", {"5"}, {"when": "last week"}),
        ("what's new since last week?", set("56"), {"when": "since last week"}),
    ],
)
def test_who_and_when_are_read_from_the_words(
    shop: Memory, question: str, expected: set[str], hints: dict[str, str]
) -> None:
    found = recall(shop, question, now=NOW)
    assert {passage.chunk.ref[0] for passage in found.passages[: len(expected)]} == expected
    assert found.hints == hints
    if hints:
        assert {passage.chunk.ref[0] for passage in found.passages} == expected


def test_a_hint_that_leaves_nothing_is_dropped_aloud(shop: Memory) -> None:
    found = recall(shop, "retry queue changes yesterday", now=NOW)
    assert found.passages[0].chunk.ref in (sha("1"), sha("2"))
    assert found.notes == ("nothing matches when “yesterday”; searched without that",)
    assert found.hints == {}


def test_an_option_is_never_dropped(shop: Memory) -> None:
    yesterday = int((NOW - timedelta(days=1)).timestamp())
    assert refs(shop, "retry queue", Filters(since=yesterday)) == []
    assert "5" not in refs(shop, "invoice by Ana", Filters(author="sam"))


@pytest.mark.parametrize("path", ["worker", "worker/", "worker/queue.py", "worker/*.py"])
def test_a_path_keeps_the_messages_of_the_commits_that_touch_it(shop: Memory, path: str) -> None:
    found = recall(shop, "hid failures for days", Filters(path=path), now=NOW)
    assert found.passages[0].chunk.ref == sha("2")
    assert found.passages[0].chunk.kind is Kind.MESSAGE
    assert {passage.chunk.ref[0] for passage in found.passages} <= {"1", "2"}


def test_an_exact_match_outside_the_filters_stays_out(shop: Memory) -> None:
    assert "2" not in refs(shop, "#482 invoice", Filters(author="sam"))


@pytest.mark.parametrize(
    "question",
    ["kubernetes ingress certificates", "how do we deploy to production?", "数据库 连接池 超时"],
)
def test_a_foreign_question_finds_nothing_relevant(shop: Memory, question: str) -> None:
    assert not recall(shop, question, now=NOW).relevant


@pytest.mark.parametrize(
    "question", ["", "   ", "?!", "the of", "\x00", "'; DROP TABLE--", "a" * 99_999]
)
def test_odd_questions_are_answered_with_nothing(shop: Memory, question: str) -> None:
    found = recall(shop, question, now=NOW)
    assert not found.relevant
    assert 0.0 <= found.confidence <= 1.0


def test_an_empty_memory_has_nothing_to_say(memory: Memory) -> None:
    found = recall(memory, "why did we drop the retry queue?", now=NOW)
    assert (found.passages, found.relevant) == ((), False)


def test_orphaned_commits_are_not_found(shop: Memory, repo: Repo) -> None:
    shop.orphan(repo.id, {sha("2")})
    assert "2" not in refs(shop, "why did we drop the retry queue? #482 " + sha("2"))


@pytest.mark.parametrize(("word", "relevant"), [("invoice", True), ("kubernetes", False)])
def test_a_single_word_is_there_or_it_is_not(shop: Memory, word: str, relevant: bool) -> None:
    assert recall(shop, word, now=NOW).relevant is relevant


def test_of_two_alike_the_newer_comes_first(shop: Memory) -> None:
    assert refs(shop, "invoice")[:2] in (["5", "6"], ["6", "5"])
    assert refs(shop, "rate limiter")[0] == "4"
