"""Repositories that move, nest, hide behind links or leave while work on them waits and runs."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from hermes.surfaces.client import Refused
from hermes.tests.builders.daemon import Daemon, running, until
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.shop import make_shop


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Generator[Daemon]:
    with running(tmp_path_factory.mktemp("repos") / "home") as daemon:
        yield daemon
        assert "Traceback" not in daemon.log


def found(daemon: Daemon, word: str) -> list[Any]:
    passages: list[Any] = daemon.call("POST", "/v1/search", {"question": word})["passages"]
    return passages


def test_a_repository_that_goes_and_comes_back_is_read_on(daemon: Daemon, tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop")
    daemon.index(shop.path)
    daemon.settle()
    shutil.move(shop.path, tmp_path / "elsewhere")
    until(lambda: daemon.call("GET", "/v1/status")["notes"], any_is("is gone; answers come from"))
    assert found(daemon, "retry queue")
    shutil.move(tmp_path / "elsewhere", shop.path)
    until(lambda: daemon.call("GET", "/v1/status")["notes"], lambda notes: notes == [])
    shop.commit({"wood.txt": "zebrawood\n"}, "Choose a wood")
    until(lambda: found(daemon, "zebrawood"), bool)
    assert daemon.settle()["failed"]["count"] == 0


def any_is(text: str) -> Callable[[list[str]], bool]:
    def wanted(notes: list[str]) -> bool:
        return any(text in note for note in notes)

    return wanted


def test_a_link_to_a_repository_is_the_same_one_and_one_inside_it_is_another(
    daemon: Daemon, tmp_path: Path
) -> None:
    outer = RepoBuilder(tmp_path / "outer")
    outer.commit({"a.txt": "rosewood\n"}, "Choose a wood")
    first, _ = daemon.index(outer.path)
    link = tmp_path / "link"
    link.symlink_to(outer.path)
    again = daemon.call("POST", "/v1/repos", {"path": str(link)})
    assert (again["created"], again["repo"]["id"]) == (False, first["id"])
    inner = RepoBuilder(outer.path / "inner")
    inner.commit({"b.txt": "ebony\n"}, "Choose another")
    second, _ = daemon.index(inner.path)
    assert second["id"] != first["id"]
    inner.commit({"b.txt": "balsawood\n"}, "Choose a light one")
    until(lambda: found(daemon, "balsawood"), bool)
    commits = {repo["name"]: repo["commits"] for repo in daemon.settle()["repos"]}
    assert (commits["outer"], commits["inner"]) == (1, 2)


def test_a_repository_deleted_while_it_is_read_ends_in_one_clear_word(
    daemon: Daemon, tmp_path: Path
) -> None:
    large = RepoBuilder(tmp_path / "large")
    large.many_commits(3_000)
    repo = daemon.call("POST", "/v1/repos", {"path": str(large.path)})["repo"]
    with daemon.connect() as client:
        stream = client.stream("POST", f"/v1/repos/{repo['id']}/index")
        next(event for event in stream if event.get("done"))
        shutil.rmtree(large.path)
        with suppress(Refused):  # the stream's last word; the job's is looked at below
            for _ in stream:
                pass
    status = daemon.settle()
    assert any_is("is gone")(status["notes"])
    jobs = daemon.call("GET", "/v1/jobs?limit=100")["jobs"]
    read = next(job for job in jobs if (job["repo"], job["subject"]) == (repo["id"], "read"))
    assert read["state"] in ("ok", "failed", "blocked_config")
    assert read["reason"]
    assert daemon.hermes("remove", repo["id"], "--yes").returncode == 0
    status = daemon.settle()
    assert (status["notes"], status["failed"]["count"]) == ([], 0)


def test_a_repository_that_leaves_memory_takes_its_waiting_and_running_work_along(
    daemon: Daemon, tmp_path: Path
) -> None:
    large = RepoBuilder(tmp_path / "large")
    large.many_commits(3_000)
    repo = daemon.call("POST", "/v1/repos", {"path": str(large.path)})["repo"]
    with daemon.connect() as client:
        stream = client.stream("POST", f"/v1/repos/{repo['id']}/index")
        next(event for event in stream if event.get("done"))
        event = {"kind": "committed", "at": 1.0, "source": "api", "repo": repo["id"]}
        for number in range(5):
            body = {"event": event, "key": f"{repo['id']} {number}"}
            daemon.call("POST", "/v1/events", body)
        daemon.call("DELETE", f"/v1/repos/{repo['id']}")
    status = daemon.settle()
    assert repo["id"] not in {each["id"] for each in status["repos"]}
    jobs = daemon.call("GET", "/v1/jobs?limit=100")["jobs"]
    ours = [job for job in jobs if job["repo"] == repo["id"]]
    assert {job["state"] for job in ours} <= {"ok", "cancelled", "skipped", "silent"}
    assert memory_of(daemon) == sum(each["commits"] for each in status["repos"])
    assert (large.path / ".git").is_dir()


def memory_of(daemon: Daemon) -> int:
    commits: int = daemon.call("GET", "/v1/status")["memory"]["commits"]
    return commits
