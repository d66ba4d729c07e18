"""The tokenizer: code is found whole and by its parts, in any script."""

import pytest

from hermes.memory.tokens import MAX_TERM, symbols, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("why did we drop the retry queue?", ["drop", "retri", "queue"]),
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("HTTPServer2", ["httpserver2", "http", "server", "2"]),
        ("max_retries", ["max_retries", "max", "retri"]),
        ("_private", ["_private", "privat"]),
        ("__init__", ["__init__", "init"]),
        ("no-cache", ["no-cache", "no", "cach"]),
        ("v1.2.3", ["v1.2.3", "v1", "1", "2", "3"]),
        (
            "worker/retry_queue.py",
            [
                "worker/retry_queue.py",
                "retry_queue.py",
                "retry_queue",
                "worker",
                "retri",
                "queue",
                "py",
            ],
        ),
        ("httpx.AsyncClient", ["httpx.asyncclient", "asyncclient", "httpx", "async", "client"]),
        ("fixed in a1b2c3d.", ["fix", "a1b2c3d"]),
        ("ENG-17 and #482", ["eng-17", "eng", "17", "482"]),
        ("登录失败", ["登录", "录失", "失败"]),
        ("после обновления", ["после", "обновления"]),
        ("", []),
        ("the of and ?!", []),
    ],
)
def test_words_of_prose_and_code_become_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_a_question_and_the_code_it_means_share_terms() -> None:
    assert set(terms("retries of the rate limiter")) & set(terms("def retry(rateLimiter):")) == {
        "retri",
        "rate",
        "limit",
    }


def test_no_term_is_longer_than_the_limit() -> None:
    assert max(len(term) for term in terms("x" * 500 + " a_" * 200 + "Q" * 90)) <= MAX_TERM


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("where is max_retries read?", ["max_retries"]),
        ("what calls getUserName", ["getusername"]),
        ("why does httpx.AsyncClient leak", ["httpx.asyncclient"]),
        ("who touched worker/queue.py", ["worker/queue.py"]),
        ("and/or, e.g. a retry i.e. HTTP/2", []),
        ("plain words only", []),
    ],
)
def test_only_names_of_code_are_symbols(question: str, expected: list[str]) -> None:
    assert symbols(question) == expected
