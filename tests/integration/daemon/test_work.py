"""Bulk work: followed, left alone, interrupted, killed, and taken up again."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from hermes.surfaces.client import DaemonLost, Refused
from hermes.tests.builders.daemon import Daemon, lives, running, until
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.shop import make_shop

COMMITS = 12_000
STATIC = {"HERMES_AMBIENT_EMBEDDER__PROVIDER": "static", "HERMES_AMBIENT_MODELS__PROVIDER": "none"}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Generator[Daemon]:
    """One daemon for the tests that do not end it; each brings repositories of its own."""
    with running(tmp_path_factory.mktemp("work") / "home", STATIC) as daemon:
        yield daemon


@pytest.fixture
def big(tmp_path: Path) -> RepoBuilder:
    """A repository that takes a moment to read."""
    big = RepoBuilder(tmp_path / "big")
    big.many_commits(COMMITS, files=50)
    return big


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    """A small repository."""
    return make_shop(tmp_path / "shop")


@contextmanager
def reading(daemon: Daemon, path: Path) -> Generator[Iterator[dict[str, Any]]]:
    """Have a repository read; hand out the events after the first batch that was written."""
    repo = daemon.call("POST", "/v1/repos", {"path": str(path)})["repo"]["id"]
    with daemon.connect() as client:
        events = client.stream("POST", f"/v1/repos/{repo}/index")
        for event in events:
            if event["type"] == "progress" and 0 < event["done"] < event["total"]:
                break
        else:
            raise AssertionError("it was read too fast to be interrupted")
        yield events


def worker_of(daemon: Daemon) -> int:
    children = daemon.call("GET", "/v1/status")["children"]
    pid: int = next(child["pid"] for child in children if child["what"] == "worker")
    return pid


def shown(daemon: Daemon, path: Path) -> dict[str, Any]:
    """Return what is said of a repository."""
    repos = daemon.call("GET", "/v1/repos")["repos"]
    return next(repo for repo in repos if repo["worktree"] == str(path))


def neighbours(daemon: Daemon, repo: str, sha: str) -> list[str]:
    """Return what is one step away from a commit."""
    found = daemon.call("GET", f"/v1/show?ref={sha}&repo={repo}")["found"]
    return [near["ref"] for near in found["near"]]


def linking_jobs(daemon: Daemon) -> int:
    """Return how many jobs looked for what commits name."""
    jobs = daemon.call("GET", "/v1/jobs?state=ok,silent")["jobs"]
    return sum(job["subject"] == "links" for job in jobs)


def assert_whole(daemon: Daemon, path: Path, commits: int) -> None:
    """The memory holds every commit once, and agrees with itself."""
    status = daemon.settle()
    repo = shown(daemon, path)
    assert repo["commits"] == commits
    assert repo["chunks"] == 2 * commits  # a message and one file each
    assert repo["vectors"] == repo["vectors_total"]
    assert status["failed"]["count"] == 0
    assert daemon.call("GET", "/v1/memory/check")["findings"] == []


def test_reading_goes_on_when_nobody_watches_and_can_be_watched_again(
    daemon: Daemon, big: RepoBuilder
) -> None:
    with reading(daemon, big.path):
        pass  # hangs up
    repo = shown(daemon, big.path)
    assert repo["job"]["state"] == "running"
    following = daemon.stream("POST", f"/v1/repos/{repo['id']}/index")
    assert following[-1]["type"] == "done"
    assert_whole(daemon, big.path, COMMITS)
    job = shown(daemon, big.path)["job"]
    assert (job["subject"], job["state"]) == ("read", "ok")


def test_a_killed_worker_is_replaced_and_its_job_goes_on(daemon: Daemon, big: RepoBuilder) -> None:
    with reading(daemon, big.path) as events:
        os.kill(worker_of(daemon), signal.SIGKILL)
        rest = list(events)
    notices = [event["text"] for event in rest if event["type"] == "notice"]
    assert notices == ["the worker ended unexpectedly (killed by SIGKILL); going on with a new one"]
    assert rest[-1]["type"] == "done"
    assert_whole(daemon, big.path, COMMITS)
    assert "killed by SIGKILL" in daemon.log


def test_a_killed_daemon_leaves_no_worker_and_the_next_takes_its_work_up(
    home: Path, big: RepoBuilder
) -> None:
    with running(home) as daemon, reading(daemon, big.path) as events:
        worker = worker_of(daemon)
        daemon.kill()
        with pytest.raises(DaemonLost):
            list(events)
        until(lambda: lives(worker), lambda living: not living)
    with running(home) as daemon:
        until(lambda: shown(daemon, big.path)["indexed"], bool, 60)
        assert_whole(daemon, big.path, COMMITS)


def test_a_daemon_that_is_told_to_stop_says_so_and_the_next_takes_its_work_up(
    home: Path, big: RepoBuilder
) -> None:
    with running(home) as daemon, reading(daemon, big.path) as events:
        worker = worker_of(daemon)
        daemon.process.send_signal(signal.SIGTERM)
        with pytest.raises(Refused, match="goes on when it starts again") as refusal:
            list(events)
        assert refusal.value.code == "stopping"
        assert daemon.wait() == 0
        assert not lives(worker)
    big.many_commits(7)  # made while it was down
    with running(home) as daemon:
        until(lambda: shown(daemon, big.path)["indexed"], bool, 60)
        assert_whole(daemon, big.path, COMMITS + 7)


def test_a_worker_that_dies_again_and_again_fails_its_job_with_a_hint(
    home: Path, shop: RepoBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nif 'hermes.daemon.worker' in sys.orig_argv: os._exit(9)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with running(home) as daemon:
        with pytest.raises(Refused) as refusal:
            daemon.index(shop.path)
        assert refusal.value.message == "the worker ended unexpectedly (exit code 9)"
        assert (refusal.value.code, bool(refusal.value.hint)) == ("crashed", True)
        status = daemon.call("GET", "/v1/status")
        [failed] = status["failed"]["newest"]
        assert (failed["subject"], failed["state"]) == ("read", "failed")


def test_a_removed_repository_is_never_cited_again(
    daemon: Daemon, shop: RepoBuilder, tmp_path: Path
) -> None:
    other = make_shop(tmp_path / "other")
    daemon.index(shop.path)
    kept, _ = daemon.index(other.path)
    gone = shown(daemon, shop.path)["id"]
    assert daemon.call("DELETE", f"/v1/repos/{gone}")["removed"]["name"] == "shop"
    assert gone not in {repo["id"] for repo in daemon.call("GET", "/v1/repos")["repos"]}
    found = daemon.call("POST", "/v1/search", {"question": "the retry queue", "k": 50})
    cited = {passage["chunk"]["repo"] for passage in found["passages"]}
    assert kept["id"] in cited
    assert gone not in cited
    with pytest.raises(Refused) as refusal:
        daemon.call("DELETE", f"/v1/repos/{gone}")
    assert (refusal.value.status, refusal.value.code) == (404, "not_in_memory")


def test_a_repository_that_is_gone_is_answered_for_from_memory(
    daemon: Daemon, shop: RepoBuilder, tmp_path: Path
) -> None:
    repo, _ = daemon.index(shop.path)
    shutil.move(shop.path, tmp_path / "moved")
    assert "is gone" in shown(daemon, shop.path)["problem"]
    assert any("is gone" in note for note in daemon.call("GET", "/v1/status")["notes"])
    question = {"question": "why was the retry queue dropped?", "filters": {"repos": [repo["id"]]}}
    assert daemon.stream("POST", "/v1/ask", question)[-2]["sources"] != []
    with pytest.raises(Refused):
        daemon.stream("POST", f"/v1/repos/{repo['id']}/index")
    # Added at its new place it is the same repository, and all there.
    again, report = daemon.index(tmp_path / "moved")
    assert (again["id"], report["new_commits"], again["problem"]) == (repo["id"], 0, "")


def test_what_is_no_repository_is_refused_in_one_line(daemon: Daemon, tmp_path: Path) -> None:
    RepoBuilder(tmp_path / "empty")
    (tmp_path / "plain").mkdir()
    before = daemon.call("GET", "/v1/repos")["repos"]
    for name, code in (
        ("plain", "not_a_repository"),
        ("nowhere", "path_missing"),
        ("empty", "no_commits"),
    ):
        with pytest.raises(Refused) as refusal:
            daemon.call("POST", "/v1/repos", {"path": str(tmp_path / name)})
        assert refusal.value.code == code
        assert refusal.value.hint
    assert len(daemon.call("GET", "/v1/repos")["repos"]) == len(before)


def test_a_fresh_repository_is_read_before_the_vectors_of_others_are_made(
    daemon: Daemon, big: RepoBuilder, shop: RepoBuilder
) -> None:
    daemon.index(big.path)
    daemon.index(shop.path)
    repo = shown(daemon, big.path)
    assert repo["vectors"] < repo["vectors_total"]
    assert_whole(daemon, big.path, COMMITS)


def test_a_rebuilt_memory_is_read_again_and_answers(home: Path, shop: RepoBuilder) -> None:
    with running(home, STATIC) as daemon:
        repo, _ = daemon.index(shop.path)
        assert daemon.stream("POST", "/v1/memory/rebuild")[-1]["type"] == "done"
        daemon.settle()
        assert shown(daemon, shop.path)["commits"] == 4
        question = {"question": "the retry queue", "filters": {"repos": [repo["id"]]}}
        found = daemon.call("POST", "/v1/search", question)
        assert found["passages"][0]["chunk"]["title"].endswith("retry queue")


def test_commits_that_an_older_version_read_get_their_links_by_themselves_once(
    home: Path, tmp_path: Path
) -> None:
    shop = RepoBuilder(tmp_path / "shop")
    first = shop.commit({"limits.py": "LIMIT = 5\n"}, "Count requests")
    second = shop.commit({"limits.py": "LIMIT = 6\n"}, f"Count one more than {first[:9]}")
    with running(home) as daemon:
        repo, _ = daemon.index(shop.path)
        daemon.settle()
        assert linking_jobs(daemon) == 0
        daemon.stop()
    with closing(sqlite3.connect(home / "memory" / "memory.db")) as db, db:
        db.execute("DELETE FROM commit_links")
        db.execute("INSERT INTO unlinked SELECT id FROM commits")
    for _ in range(2):  # the second start finds nothing to do
        with running(home) as daemon:
            until(lambda: neighbours(daemon, repo["id"], second), bool, 30)
            daemon.settle()
            assert neighbours(daemon, repo["id"], second) == [first]
            assert linking_jobs(daemon) == 1
            daemon.stop()
