"""Deeds of questions and of subjects."""

from __future__ import annotations

import pytest

from hermes.agents.deeds import asked_family, closeness, does, is_aside, names_in


@pytest.mark.parametrize(
    ("subject", "topic", "least", "most"),
    [
        ("drop support for python 3.7", "python 3.7", 1.0, 1.0),
        ("drop support for Python 2.7 and 3.5", "python 2", 0.4, 0.4),
        ("Initial prototype of llm chat, refs #231", "llm chat", 1.0, 1.0),
        ("Async tool support (#1063)", "async support", 0.5, 0.5),
        ("Implemented --schema-multi, closes #791", "schemas", 0.0, 0.0),
        ("Add json-iterator", "the json iterator", 1.0, 1.0),
        ("Add `async` support", "async support", 1.0, 1.0),
        ("Upgrade to clap 4.0", "clap 4", 0.6, 0.7),
        ("Remove the retry queue (#482)", "the retry queue", 1.0, 1.0),
        ("Drop support go1.10 (#2147)", "go 1.18 support", 0.0, 0.0),
        ("Support View and MethodView instances with async handlers", "async support", 0.1, 0.3),
        ("Drop `raise_app_exceptions` Client argument", "the app argument", 0.0, 0.0),
        ("Add a defaults parameter to templates", "the templates feature", 0.3, 0.4),
        ("Bump clap from 4.4.6 to 4.4.7", "clap 3", 0.0, 0.0),
    ],
)
def test_a_subject_is_close_when_it_says_the_whole_topic_and_little_else(
    subject: str, topic: str, least: float, most: float
) -> None:
    assert least <= closeness(subject, topic) <= most


@pytest.mark.parametrize(
    ("subject", "family", "share"),
    [
        ("Drop proxies parameter", "remove", 1.0),
        ("Add the 'proxy' parameter and deprecate 'proxies'", "remove", 0.5),
        ("deprecate before_first_request", "remove", 0.5),
        ("feat: support http3", "add", 1.0),
        ("README updates", "add", 0.0),
        ("llm logs command, closes #3", "add", 1.0),
        ("SOCKS support (#2034)", "add", 1.0),
        ("Initial prototype of llm chat, refs #231", "add", 1.0),
        ("llm logs command, closes #3", "remove", 0.0),
    ],
)
def test_verbs_of_one_family_mean_the_same(subject: str, family: str, share: float) -> None:
    assert does(subject, family) == share


@pytest.mark.parametrize(
    ("question", "family"),
    [
        ("why was the proxies argument removed?", "remove"),
        ("why did we switch to pluggy", "change"),
        ("when was go 1.18 support dropped?", "remove"),
        ("who wanted brotli support", "add"),
        ("how does the app context work?", ""),
    ],
)
def test_the_family_of_a_question_is_that_of_its_verb(question: str, family: str) -> None:
    assert asked_family(question) == family


@pytest.mark.parametrize(
    ("topic", "names"),
    [
        ("--exec-batch", ["--exec-batch"]),
        ("`retry_queue`", ["retry_queue"]),
        ("the max_retries setting", ["max_retries"]),
        ("python 3.7", []),
        ("the retry-queue", []),
    ],
)
def test_options_and_names_of_code_are_found_in_a_topic(topic: str, names: list[str]) -> None:
    assert names_in(topic) == names


def test_documents_and_tests_are_aside_unless_they_are_asked_about() -> None:
    assert is_aside("remove Python 2 from docs", "python 2")
    assert not is_aside("remove Python 2 from docs", "the python 2 docs")
    assert not is_aside("drop Python 2", "python 2")
