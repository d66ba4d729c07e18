"""Sources as a person has them: added, read by themselves, paused, removed and forgotten."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hermes.surfaces.cli import exits
from hermes.surfaces.client import Refused
from hermes.tests.builders.daemon import Daemon, running, until, worker_of
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.searching import where_is

pytestmark = pytest.mark.timeout(300)

REDIS = "# Use Redis\n\nStatus: accepted\n\nMemcached has no quokka.\n"


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    """A repository with a decision."""
    built = RepoBuilder(tmp_path / "shop")
    built.commit({"docs/adr/0001-redis.md": REDIS, "shop.py": "x = 1\n"}, "Begin")
    return built


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One daemon for all tests here that need none of their own: it is a while until it works."""
    with running(tmp_path_factory.mktemp("sources") / "home") as started:
        yield started


@pytest.fixture
def empty(shared: Daemon) -> Iterator[Daemon]:
    """A daemon that knows nothing, and forgets what it is told."""
    yield shared
    for name in listed(shared):
        shared.stream("DELETE", f"/v1/sources/{name}?forget=true")
    for repo in shared.call("GET", "/v1/repos")["repos"]:
        shared.call("DELETE", f"/v1/repos/{repo['id']}")
    shared.settle()


@pytest.fixture
def daemon(empty: Daemon, repo: RepoBuilder) -> Daemon:
    """A daemon that knows a repository."""
    empty.index(repo.path)
    empty.settle()
    return empty


def listed(daemon: Daemon) -> dict[str, dict[str, Any]]:
    """The sources by name."""
    return {each["name"]: each for each in daemon.call("GET", "/v1/sources")["sources"]}


def found(daemon: Daemon, words: str) -> list[str]:
    """The references of documents that a search finds."""
    passages = daemon.call("POST", "/v1/search", {"question": words})["passages"]
    chunks = [passage["chunk"] for passage in passages]
    return [chunk["ref"] for chunk in chunks if chunk["source"] == "docs"]


def add(daemon: Daemon, *patterns: str, name: str | None = None) -> dict[str, Any]:
    """Add documents and read them; return the report."""
    body = {"kind": "docs", "options": {"patterns": list(patterns)}} | (
        {"name": name} if name else {}
    )
    added = daemon.call("POST", "/v1/sources", body)
    report: dict[str, Any] = sync(daemon, added["source"])
    return report


def sync(daemon: Daemon, name: str) -> dict[str, Any]:
    """Read what is new in a source."""
    report: dict[str, Any] = daemon.stream("POST", f"/v1/sources/{name}/sync", {})[-1]["report"]
    return report


def entries(daemon: Daemon) -> set[str]:
    """The names of what the schedule has."""
    return {entry["name"] for entry in daemon.call("GET", "/v1/schedule")["entries"]}


def test_a_person_adds_documents_and_finds_what_they_say(daemon: Daemon, repo: RepoBuilder) -> None:
    said = daemon.hermes("sources", "add", "docs", "docs/**/*.md", cwd=repo.path)
    assert said.returncode == exits.DONE, said.stderr
    assert said.stdout.splitlines() == [
        "docs",
        "  contacts nobody",
        "  reads docs/adr/0001-redis.md",
        "docs: looked at 1 file: 1 new",
    ]
    assert found(daemon, "quokka")
    line = daemon.hermes("sources", cwd=repo.path).stdout
    assert line.startswith("docs  ok  read ")
    assert line.rstrip().endswith("1 item  contacts nobody  docs/**/*.md")
    again = daemon.hermes("sources", "add", "docs", "docs/**/*.md", cwd=repo.path)
    assert "docs was added already" in again.stdout
    assert "all is current" in again.stdout
    assert list(listed(daemon)) == ["docs"]


def test_what_is_committed_is_read_by_itself_and_what_is_gone_is_not_found(
    daemon: Daemon, repo: RepoBuilder
) -> None:
    add(daemon, str(repo.path / "docs"))
    repo.commit({"docs/adr/0002-queue.md": "# Queue\n\nNo numbat is lost.\n"}, "Decide")
    until(lambda: found(daemon, "numbat"), bool)
    (repo.path / "docs/adr/0001-redis.md").unlink()

    def read_again() -> int:
        sync(daemon, "docs")  # joins what the commit led to, which may have looked already
        return int(listed(daemon)["docs"]["items"])

    until(read_again, lambda items: items == 1)
    assert found(daemon, "quokka") == []


def test_the_schedule_reads_sources_and_has_its_entry_only_while_there_are_any(
    repo: RepoBuilder, home: Path
) -> None:
    with running(home) as daemon:
        assert "sources" not in entries(daemon)
        add(daemon, str(repo.path / "docs"))
        assert "sources" in entries(daemon)
        repo.write({"docs/notes.md": "# Notes\n\nA wombat was seen.\n"})
        daemon.call("POST", "/v1/schedule/sources/run")
        until(lambda: found(daemon, "wombat"), bool)
        daemon.settle()
        event = daemon.call("POST", "/v1/schedule/sources/run")["event"]

        def led_to() -> list[str]:
            return [job["reason"] for job in daemon.call("GET", f"/v1/why/e{event}")["jobs"]]

        until(led_to, lambda reasons: reasons == ["no source is to be read"])
    with running(home) as again:
        until(lambda: entries(again), lambda names: "sources" in names)
        again.stream("DELETE", "/v1/sources/docs")
        assert "sources" not in entries(again)


def test_a_paused_source_is_left_alone_until_it_is_resumed(
    daemon: Daemon, repo: RepoBuilder
) -> None:
    add(daemon, str(repo.path / "docs"))
    assert daemon.hermes("sources", "pause", "docs").returncode == exits.DONE
    repo.commit({"docs/adr/0002-queue.md": "# Queue\n\nNo numbat is lost.\n"}, "Decide")
    daemon.settle()
    refused = daemon.hermes("sources", "sync", "docs")
    assert refused.returncode == exits.FAILED
    assert "docs is paused" in refused.stderr
    assert "hermes sources resume docs" in refused.stderr
    assert found(daemon, "numbat") == []
    assert listed(daemon)["docs"]["state"] == "paused"
    daemon.hermes("sources", "resume", "docs")
    assert sync(daemon, "docs")["news"] == 1


def test_a_source_that_is_removed_and_forgotten_leaves_what_another_one_brought(
    daemon: Daemon, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "mine.md").write_text(
        "# Where the bandicoot sleeps\n\nThe bandicoot sleeps in the cellar.\n"
    )
    (notes / "ours.md").write_text("# Ours\n\nThe wallaby sleeps in the attic.\n")
    add(daemon, str(notes), name="notes")
    add(daemon, str(notes / "ours.md"), name="ours")
    assert [each["alone"] for each in listed(daemon).values()] == [1, 0]
    said = daemon.hermes("sources", "remove", "notes", "--forget", "--yes")
    assert said.returncode == exits.DONE, said.stdout + said.stderr
    assert "nothing is left" in said.stdout
    assert "1 item that another source brought too stay" in said.stderr
    assert found(daemon, "bandicoot") == []
    assert found(daemon, "wallaby") != []
    assert where_is(daemon.home, "bandicoot") == []
    assert list(listed(daemon)) == ["ours"]
    assert daemon.call("GET", "/v1/forget")["rules"] == []
    assert add(daemon, str(notes), name="notes")["news"] == 1
    assert found(daemon, "bandicoot") != []


def test_a_source_that_is_only_removed_leaves_what_it_brought(
    daemon: Daemon, repo: RepoBuilder
) -> None:
    add(daemon, str(repo.path / "docs"))
    asks = daemon.hermes("sources", "remove", "docs")
    assert asks.returncode == exits.USAGE and "--yes" in asks.stderr
    said = daemon.hermes("sources", "remove", "docs", "--yes")
    assert "docs is off the list; 1 item of it stays in memory" in said.stderr
    assert found(daemon, "quokka") != []
    assert listed(daemon) == {}


def test_a_forgotten_kind_is_not_read_until_it_is_let_in_again(
    daemon: Daemon, repo: RepoBuilder
) -> None:
    add(daemon, str(repo.path / "docs"))
    rule = daemon.stream("POST", "/v1/forget", {"source": "docs"})[-1]["rule"]
    assert found(daemon, "quokka") == []
    with pytest.raises(Refused, match="docs is forgotten, so nothing of it is read"):
        sync(daemon, "docs")
    source = listed(daemon)["docs"]
    assert (source["state"], source["error"]["code"]) == ("failed", "source_refused")
    daemon.settle()
    assert daemon.call("GET", "/v1/status")["failed"]["count"] == 1
    daemon.stream("DELETE", f"/v1/forget/{rule}")
    until(lambda: found(daemon, "quokka"), bool)
    daemon.settle()
    assert listed(daemon)["docs"]["error"] is None
    assert daemon.call("GET", "/v1/status")["failed"]["count"] == 0


def test_a_repository_takes_the_sources_in_it_along(daemon: Daemon, repo: RepoBuilder) -> None:
    add(daemon, str(repo.path / "docs" / "**" / "*.md"))
    proof = daemon.call("DELETE", "/v1/repos/shop")["proof"]
    assert proof["left"] == []
    assert listed(daemon) == {}
    assert found(daemon, "quokka") == []


def test_a_daemon_that_is_killed_in_the_middle_goes_on_and_brings_everything_once(
    home: Path, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(1_000):
        (notes / f"n{number}.md").write_text(f"# Note {number}\n\nAbout matter{number}.\n")
    with running(home) as daemon:
        body = {"kind": "docs", "options": {"patterns": [str(notes)]}, "name": "notes"}
        daemon.call("POST", "/v1/sources", body)
        with daemon.connect() as client:
            phases: list[dict[str, Any]] = []
            for event in client.stream("POST", "/v1/sources/notes/sync", {}):
                phases.append(event)
                if event.get("done", 0) >= 200:
                    daemon.kill()
                    break
    assert phases[-1]["phase"] == "notes files"
    assert (phases[-1]["total"], phases[-1]["done"] < 1_000) == (1_000, True)
    with running(home) as again:
        until(lambda: listed(again)["notes"], lambda source: source["items"] == 1_000, 120)
        again.settle()
        assert listed(again)["notes"]["state"] == "ok"
        assert sync(again, "notes")["news"] == 0
        assert again.call("GET", "/v1/memory/check")["findings"] == []
        assert found(again, "matter999")[0].endswith("/n999.md")


def test_a_sync_that_is_cancelled_goes_on_where_it_was(empty: Daemon, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(2_000):
        (notes / f"n{number}.md").write_text(f"# Note {number}\n\nAbout matter{number}.\n")
    body = {"kind": "docs", "options": {"patterns": [str(notes)]}, "name": "notes"}
    empty.call("POST", "/v1/sources", body)
    with empty.connect() as client:
        events = client.stream("POST", "/v1/sources/notes/sync", {})
        next(event for event in events if event.get("done", 0) >= 200)
        job = listed(empty)["notes"]["job"]
        assert job["state"] == "running"
        empty.call("POST", f"/v1/jobs/{job['id']}/cancel")
        with pytest.raises(Refused, match="cancelled"):
            list(events)
    # The page that was under way may have been finished after that.
    assert 0 < sync(empty, "notes")["news"] <= 2_000 - 200
    assert listed(empty)["notes"]["items"] == 2_000


def test_a_worker_that_dies_is_replaced_and_the_sync_goes_on(empty: Daemon, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(1_000):
        (notes / f"n{number}.md").write_text(f"# Note {number}\n\nAbout matter{number}.\n")
    body = {"kind": "docs", "options": {"patterns": [str(notes)]}, "name": "notes"}
    empty.call("POST", "/v1/sources", body)
    pid = worker_of(empty.call("GET", "/v1/status"))
    assert pid is not None
    with empty.connect() as client:
        events = client.stream("POST", "/v1/sources/notes/sync", {})
        next(event for event in events if event.get("done", 0) >= 200)
        os.kill(pid, signal.SIGKILL)
        said = list(events)
    assert any("ended unexpectedly" in event.get("text", "") for event in said)
    assert said[-1]["type"] == "done"
    assert listed(empty)["notes"]["items"] == 1_000


def test_every_host_that_may_be_contacted_is_listed(daemon: Daemon, repo: RepoBuilder) -> None:
    add(daemon, str(repo.path / "docs"))
    said = daemon.hermes("doctor", "--network")
    assert said.stdout == "nobody: nothing is ever contacted\n"
    assert daemon.call("GET", "/v1/network") == {"destinations": []}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["add", "dogs"], "there is no kind of source called dogs; did you mean docs?"),
        (["add", "docs"], "which documents?"),
        (["add", "docs", "nowhere/"], "nowhere/ is not there"),
        (["add", "docs", ".", "--team", "ENG"], "docs takes no --team"),
        (["add", "docs", ".", "--name", "My notes"], "lower case letters"),
        (["add", "linear", "ENG"], "linear takes no ENG"),
        (["add", "slack"], "where is slack to be read from?"),
        (["sync", "nothing"], "there is no source nothing"),
        (["pause", "nothing"], "there is no source nothing"),
        (["remove", "nothing", "-y"], "there is no source nothing"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    empty: Daemon, tmp_path: Path, words: list[str], problem: str
) -> None:
    said = empty.hermes("sources", *words, cwd=tmp_path)
    assert said.returncode == exits.USAGE, said.stderr
    assert problem in said.stderr
    assert listed(empty) == {}


def test_status_says_how_sources_stand_and_that_without_a_repository_memory_is_not_empty(
    empty: Daemon, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "redis.md").write_text(REDIS)
    assert "memory is empty" in empty.hermes("status").stdout
    add(empty, str(notes))
    status = empty.hermes("status").stdout
    assert "docs (1 item, read" in status
    assert "memory is empty" not in status
    asked = empty.hermes("search", "quokka")
    assert "Memcached has no quokka" in asked.stdout
    assert "no repository is in memory: `hermes up` in a repository" in asked.stderr
    empty.call("POST", "/v1/sources/docs/pause")
    assert "docs (paused)" in empty.hermes("status").stdout


def test_nothing_is_added_while_what_one_brought_is_being_forgotten(
    daemon: Daemon, repo: RepoBuilder
) -> None:
    add(daemon, str(repo.path / "docs"))
    worker = worker_of(daemon.call("GET", "/v1/status"))
    assert worker is not None
    os.kill(worker, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as aside:
        forgotten = aside.submit(daemon.stream, "DELETE", "/v1/sources/docs?forget=true")
        try:
            until(lambda: listed(daemon), lambda names: not names)
            with pytest.raises(Refused, match="still being forgotten"):
                add(daemon, str(repo.path / "docs"))
        finally:
            os.kill(worker, signal.SIGCONT)
        assert forgotten.result()[-1]["report"]["proof"]["left"] == []
    assert add(daemon, str(repo.path / "docs"))["news"] == 1
    assert found(daemon, "quokka")
