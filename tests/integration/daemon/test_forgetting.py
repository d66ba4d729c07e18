"""A person who was forgotten is in no file of a home, however far the forgetting came at first."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hermes.memory.withheld import Stage
from hermes.surfaces.client import DaemonLost, Refused
from hermes.tests.builders.daemon import Daemon, lives, running, until, worker_of
from hermes.tests.builders.forgettable import MAIL, NAME, PERSON, THEIRS, fill, forget, make_repo
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.searching import where_is

ASKED = {"person": [NAME]}


pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A home with the person in all of it, and the repository that it has read."""
    folder = tmp_path_factory.mktemp("forgettable")
    repo = make_repo(folder / "shop")
    fill(folder / "home", repo.path)
    return folder / "home", repo.path


@pytest.fixture
def shop(home: Path, filled: tuple[Path, Path]) -> Path:
    """The repository; the test's own home is a copy of that one."""
    shutil.copytree(filled[0], home, symlinks=True)
    return filled[1]


def rules(daemon: Daemon) -> list[dict[str, Any]]:
    """Return what is kept out."""
    found: list[dict[str, Any]] = daemon.call("GET", "/v1/forget")["rules"]
    return found


def test_a_person_is_in_no_file_and_does_not_come_back(home: Path, shop: Path) -> None:
    for part in ("memory/memory.db", "raw/", "work.db", "runtime.db", "themes", "log", "drafts"):
        assert any(part in place for place in where_is(home, NAME)), f"never was in {part}"
    with running(home) as daemon:
        looked = daemon.hermes("forget", "--person", NAME, "--dry-run")
        assert looked.returncode == 0, looked.stderr
        assert f"{NAME} <{MAIL}>" in looked.stdout
        assert where_is(home, NAME), "a look takes nothing"

        forget(daemon)

        assert where_is(home, *PERSON, *THEIRS) == []
        (rule,) = rules(daemon)
        assert (rule["kind"], rule["done"], rule["what"]) == ("person", True, "")
        daemon.settle()
        answer = daemon.hermes("search", "wombat parade")
        assert "wombat" not in answer.stdout
        assert "Open gates, as [forgotten] wished" in daemon.hermes("search", "gates").stdout

        # Whatever is read, made or built anew.
        (shop / "zoo.py").write_text("# marching marsupials again\n")
        again = RepoBuilder(shop, existing=True)
        again.now = int(time.time()) - 60
        again.commit(message="Go to the billabong", author=f"{NAME} <{MAIL}>")
        name = daemon.call("GET", "/v1/repos")["repos"][0]["id"]
        daemon.stream("POST", f"/v1/repos/{name}/index")
        assert daemon.hermes("memory", "rebuild", "-y").returncode == 0
        assert daemon.hermes("consolidate").returncode == 0
        daemon.hermes("brief", "--all-repos", cwd=shop)
        daemon.settle()
        assert where_is(home, *PERSON, *THEIRS) == []
        assert daemon.hermes("memory", "check").returncode == 0
    assert where_is(home, *PERSON, *THEIRS) == []


def test_the_queue_never_holds_who_is_meant(home: Path, shop: Path) -> None:
    with running(home) as daemon, closing(sqlite3.connect(home / "runtime.db")) as db:
        (event,) = db.execute("SELECT max(id) FROM events").fetchone()
        (job,) = db.execute("SELECT max(id) FROM jobs").fetchone()
        forgets = 0
        for _ in events_of(daemon):
            rows = db.execute("SELECT * FROM events WHERE id > ?", (event,)).fetchall()
            rows += db.execute("SELECT * FROM jobs WHERE id > ?", (job,)).fetchall()
            assert not any(word in str(rows) for word in PERSON)
            forgets += "forget" in str(rows)
        assert forgets


PLACES = [("worker", "texts"), ("daemon", "texts")]


@pytest.mark.parametrize(("who", "phase"), PLACES, ids=[f"{w} at {p}" for w, p in PLACES])
def test_what_is_killed_on_the_way_is_finished_by_the_next(
    home: Path, shop: Path, who: str, phase: str
) -> None:
    with running(home) as daemon:
        killed = False
        with suppress(DaemonLost):
            for event in events_of(daemon):
                if event.get("phase") != phase or killed:
                    continue
                killed = True
                if who == "daemon":
                    daemon.kill()
                    break
                worker = worker_of(daemon.call("GET", "/v1/status"))
                assert worker is not None
                os.kill(worker, signal.SIGKILL)
        assert killed
    with running(home) as daemon:
        until(lambda: rules(daemon), lambda found: all(r["done"] for r in found), 200.0)
        daemon.settle(100.0)
        assert not (home / "memory" / "forgetting").exists()
        assert where_is(home, *PERSON, *THEIRS) == []
        assert daemon.hermes("memory", "check").returncode == 0
        assert daemon.hermes("search", "module").returncode == 0


@contextmanager
def read(path: Path) -> Generator[None]:
    """Read a database all the while: whoever writes it anew waits."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN")
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Have a database that whoever wants to read it has to wait for."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("CREATE TABLE gate (a TEXT)")
        db.execute("BEGIN EXCLUSIVE")
        yield
    path.unlink()


def stage(home: Path) -> Stage | None:
    """Return how far the one rule is carried out."""
    with closing(sqlite3.connect(home / "memory" / "memory.db")) as db:
        row = db.execute("SELECT pending FROM withheld").fetchone()
    return Stage(row[0]) if row else None


@contextmanager
def asking(daemon: Daemon, repo: str = "") -> Generator[None]:
    """Ask for the forgetting, of the person or of a repository, and lose the daemon meanwhile.

    Who waits longer than it does for a file that the test holds is told so first; the forgetting
    stays begun all the same.
    """

    def ask() -> None:
        with suppress(DaemonLost, Refused):
            if repo:
                daemon.call("DELETE", f"/v1/repos/{repo}")
            else:
                list(events_of(daemon))

    thread = threading.Thread(target=ask)
    thread.start()
    yield
    thread.join()


def proofs(daemon: Daemon) -> list[dict[str, Any]]:
    """Return what each job that forgot has proved."""
    jobs = daemon.call("GET", "/v1/jobs?state=ok&agent=indexer")["jobs"]
    found = [daemon.call("GET", f"/v1/jobs/{job['id']}")["job"] for job in jobs]
    return [job["report"]["proof"] for job in found if job["subject"] == "forget"]


def finished_by_the_next(home: Path) -> None:
    """Start a daemon and see that it ends what the one before had begun, once, with the proof."""
    assert stage(home) is Stage.AROUND
    assert (home / "memory" / "forgetting").exists()
    with running(home) as daemon:
        until(lambda: rules(daemon), lambda found: all(r["done"] for r in found), 200.0)
        daemon.settle(100.0)
        (proof,) = proofs(daemon)
        assert proof["files"] > 20
        assert (proof["left"], proof["unsearched"]) == ([], [])
        assert not (home / "memory" / "forgetting").exists()
        assert where_is(home, *PERSON, *THEIRS) == []


def test_killed_while_it_cleans_up_around_memory_the_next_one_finishes_it(
    home: Path, shop: Path
) -> None:
    with running(home) as daemon, asking(daemon), read(home / "work.db"):
        until(lambda: stage(home), lambda at: at is Stage.AROUND, 100.0)
        until(
            lambda: daemon.call("GET", "/v1/status")["worker"]["task"], lambda task: not task, 100.0
        )
        daemon.kill()
    finished_by_the_next(home)


def test_killed_while_it_searches_the_next_one_finishes_it(home: Path, shop: Path) -> None:
    with running(home) as daemon, asking(daemon), locked(home / "gate.db"):
        searching = until(
            lambda: [
                child["pid"]
                for child in daemon.call("GET", "/v1/status")["children"]
                if "search" in child["what"]
            ],
            bool,
            100.0,
        )
        daemon.kill()
    until(lambda: lives(searching[0]), lambda alive: not alive)
    finished_by_the_next(home)


def events_of(daemon: Daemon) -> Iterator[dict[str, Any]]:
    """Ask for the forgetting, and yield how it goes."""
    with daemon.connect() as client:
        yield from client.stream("POST", "/v1/forget", ASKED)


def test_a_repository_leaves_nothing_behind(home: Path, shop: Path) -> None:
    with running(home) as daemon:
        repo = daemon.call("GET", "/v1/repos")["repos"][0]
        shas = RepoBuilder(shop, existing=True).git("log", "--format=%H").split()
        looked = daemon.hermes("forget", "--repo", "shop", "--dry-run")
        assert "shop would go" in looked.stdout + looked.stderr
        done = daemon.hermes("forget", "--repo", "shop", "-y")
        assert done.returncode == 0, done.stderr
        daemon.settle()
        said = (repo["id"], str(shop), *shas, "wombat", "Add module 3")
        left = where_is(home, *said)
        assert "nothing is left" in done.stdout
    assert left == []


def test_killed_while_a_repository_goes_the_next_one_finishes_it(home: Path, shop: Path) -> None:
    with running(home) as daemon:
        (repo,) = daemon.call("GET", "/v1/repos")["repos"]
        with asking(daemon, repo["id"]), read(home / "work.db"):
            until(lambda: repos_in(home), lambda found: not found, 100.0)
            daemon.kill()
    assert where_is(home, repo["id"])
    with running(home) as daemon:
        until(lambda: (home / "memory" / "forgetting").exists(), lambda there: not there, 100.0)
        daemon.settle()
        shas = RepoBuilder(shop, existing=True).git("log", "--format=%H").split()
        assert where_is(home, repo["id"], str(shop), *shas, "Add module 3") == []
        assert daemon.hermes("memory", "check").returncode == 0


def repos_in(home: Path) -> int:
    """Return how many repositories the index has."""
    with closing(sqlite3.connect(home / "memory" / "memory.db")) as db:
        count: int = db.execute("SELECT count(*) FROM repos").fetchone()[0]
    return count
