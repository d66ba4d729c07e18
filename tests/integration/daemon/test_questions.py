"""Questions put to a real daemon."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from hermes.surfaces.client import Refused
from hermes.tests.builders.daemon import Daemon, running
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.shop import make_shop


def subjects(found: dict[str, Any]) -> list[str]:
    return [passage["chunk"]["title"] for passage in found["passages"]]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Generator[Daemon]:
    """One daemon for all tests here, with two repositories in memory."""
    folder = tmp_path_factory.mktemp("questions")
    with running(folder / "home") as daemon:
        daemon.index(make_shop(folder / "shop").path)
        letters = RepoBuilder(folder / "letters")
        letters.commit({"a.py": "queue = []\n"}, "Keep a queue of letters")
        letters.git("worktree", "add", "--quiet", str(folder / "linked"))
        daemon.index(letters.path)
        yield daemon


@pytest.fixture
def folder(daemon: Daemon) -> Path:
    """Where the repositories are."""
    return daemon.home.parent


def test_what_was_read_is_found_and_answered_with_sources(daemon: Daemon) -> None:
    found = daemon.call("POST", "/v1/search", {"question": "why was the retry queue dropped"})
    assert subjects(found)[0] == "Drop the retry queue"

    events = daemon.stream("POST", "/v1/ask", {"question": "why was the retry queue dropped?"})
    kinds = [event["type"] for event in events]
    assert kinds[0] == "step"
    assert kinds[-2:] == ["sources", "done"]
    text = " ".join(event["text"] for event in events if event["type"] == "text")
    assert "[1]" in text
    source = events[-2]["sources"][0]
    assert (source["author"], source["subject"]) == ("Sam Doe", "Drop the retry queue")
    assert events[-1]["mode"] == "extractive"


def test_a_question_is_written_down_with_its_sources_and_without_secrets(
    daemon: Daemon,
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    daemon.stream("POST", "/v1/ask", {"question": f"was the retry queue dropped for {secret}?"})
    lines = [
        line
        for file in daemon.home.rglob("raw/*.jsonl")
        for line in file.read_text().splitlines()
        if '"kind":"asked"' in line
    ]
    entry = json.loads(lines[-1])
    assert secret not in "".join(lines)
    assert entry["question"].startswith("was the retry queue dropped for [redacted:")
    assert entry["answer"]["mode"] == "extractive"
    assert len(entry["sources"][0].split(":")[1]) == 40


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"author": "alex"}, {"Limit requests with a token bucket"}),
        ({"path": "limits/"}, {"Limit requests with a token bucket"}),
        ({"branch": "side", "author": "sam", "path": "side.py"}, {"Try a queue of another kind"}),
        ({"branch": "main", "path": "side.py"}, set[str]()),
        ({"until": 1}, set[str]()),
        ({"repos": ["letters"]}, {"Keep a queue of letters"}),
        ({"repos": ["letters"], "author": "alex"}, set[str]()),
    ],
)
def test_filters_confine_a_search(
    daemon: Daemon, filters: dict[str, Any], expected: set[str]
) -> None:
    body = {"question": "queue or bucket", "filters": filters, "k": 50}
    assert set(subjects(daemon.call("POST", "/v1/search", body))) == expected


@pytest.mark.parametrize("place", ["letters", "linked", "letters/.git"])
def test_who_stands_in_a_repository_is_answered_from_it(
    daemon: Daemon, folder: Path, place: str
) -> None:
    body: dict[str, Any] = {"question": "queue", "cwd": str(folder / place)}
    assert subjects(daemon.call("POST", "/v1/search", body)) == ["Keep a queue of letters"]
    body["filters"] = {"repos": ["shop"]}
    assert "Drop the retry queue" in subjects(daemon.call("POST", "/v1/search", body))


def test_who_stands_in_an_unknown_repository_is_told_and_answered_from_the_others(
    daemon: Daemon, tmp_path: Path
) -> None:
    RepoBuilder(tmp_path / "new")
    body = {"question": "queue", "cwd": str(tmp_path / "new")}
    found = daemon.call("POST", "/v1/search", body)
    assert len(found["passages"]) > 1
    assert "not in memory" in found["notes"][0]
    events = daemon.stream("POST", "/v1/ask", body)
    assert any("not in memory" in event["text"] for event in events if event["type"] == "notice")


@pytest.mark.parametrize(
    ("body", "status", "line"),
    [
        ({"question": ""}, 422, "the question is empty; ask something"),
        ({"question": " \n\t "}, 422, "the question is empty; ask something"),
        (
            {"question": "x" * 100_001},
            422,
            "the question has 100,001 characters; 100,000 are accepted",
        ),
        ({"question": "why", "k": 0}, 422, "k: Input should be greater than or equal to 1"),
        ({"question": "why", "cwd": "here"}, 422, "cwd: should be an absolute path"),
        (
            {"question": "why", "filters": {"colour": "red"}},
            422,
            "filters.colour: Extra inputs are not permitted",
        ),
        ({}, 422, "Field required"),
        ({"question": "why", "filters": {"repos": ["attic"]}}, 404, "no repository attic"),
    ],
    ids=["empty", "blank", "huge", "k", "cwd", "unknown filter", "nothing", "unknown repo"],
)
@pytest.mark.parametrize("path", ["/v1/search", "/v1/ask"])
def test_what_makes_no_sense_is_refused_in_one_line(
    daemon: Daemon, path: str, body: dict[str, Any], status: int, line: str
) -> None:
    with pytest.raises(Refused) as refusal:
        daemon.stream("POST", path, body)
    assert line in refusal.value.message
    assert "\n" not in refusal.value.message
    # A stream has begun with status 200 before it can know of memory.
    assert refusal.value.status == status or (path == "/v1/ask" and status == 404)


def test_a_body_of_a_megabyte_is_refused_before_it_is_read(daemon: Daemon) -> None:
    with pytest.raises(Refused) as refusal:
        daemon.call("POST", "/v1/search", {"question": "x" * 2_000_000})
    assert refusal.value.status == 413


@pytest.mark.parametrize(
    "question", ["почему убрали очередь?", "なぜキューを削除したのか", "لماذا؟", "🤷‍♀️ \ud800"]
)
def test_other_scripts_and_odd_characters_are_questions_too(daemon: Daemon, question: str) -> None:
    events = daemon.stream("POST", "/v1/ask", {"question": question})
    assert events[-1]["type"] == "done"


def test_an_unknown_path_is_refused_with_a_hint(daemon: Daemon) -> None:
    with pytest.raises(Refused) as refusal:
        daemon.call("GET", "/v1/nonsense")
    assert (refusal.value.status, refusal.value.code) == (404, "http")
    assert "version" in refusal.value.hint


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/openapi.json"])
def test_no_page_that_loads_things_from_elsewhere_is_served(daemon: Daemon, path: str) -> None:
    with pytest.raises(Refused) as refusal:
        daemon.call("GET", path)
    assert refusal.value.status == 404
