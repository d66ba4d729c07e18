"""``hermes memory show``, ``edit``, ``delete`` and ``export``, against a real daemon."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from hermes.memory.memory import Memory
from hermes.memory.tables import CHUNKS
from hermes.tests.builders.daemon import COMMAND, Daemon, running
from hermes.tests.builders.git import RepoBuilder


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    """A repository of three commits."""
    builder = RepoBuilder(tmp_path / "shop")
    builder.commit({"src/cache.py": "TTL = 60\n"}, "Cache invoices for an hour")
    builder.commit(
        {"src/cache.py": "TTL = 3600\n", "src/queue.py": "tries = 3\n"},
        "Retry the payment queue\n\nThe gateway drops one call in fifty.",
    )
    builder.commit({"README": "a shop\n"}, "Say what this is")
    return builder


@pytest.fixture
def daemon(tmp_path: Path, shop: RepoBuilder) -> Generator[Daemon]:
    """A daemon that holds it."""
    with running(tmp_path / "home") as started:
        started.index(shop.path)
        yield started


def shown(daemon: Daemon, id: str) -> dict[str, Any]:
    ran = daemon.hermes("memory", "show", id, "--json")
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def editing(daemon: Daemon, folder: Path, text: str) -> None:
    """Let the editor of this daemon's commands write a text, and see in what it was given it."""
    script = folder / "editor.py"
    script.write_text(
        "import os, shutil, sys\n"
        f"shutil.copy(sys.argv[1], {str(folder / 'given')!r})\n"
        f"mode = os.stat(os.path.dirname(sys.argv[1])).st_mode\n"
        f"open({str(folder / 'mode')!r}, 'w').write(str(mode))\n"
        f"open(sys.argv[1], 'w').write({text!r})\n"
    )
    daemon.environment["EDITOR"] = f"{sys.executable} {script}"


def test_what_search_lists_is_shown_with_its_text_its_parts_and_where_it_comes_from(
    daemon: Daemon, shop: RepoBuilder
) -> None:
    sha = shop.git("rev-parse", "HEAD~1")
    ran = daemon.hermes("memory", "show", sha[:8])
    assert ran.returncode == 0
    for expected in (
        f"Commit {sha[:10]} in shop",
        "The gateway drops one call in fifty.",
        "Sam Doe <sam@example.com>",
        "vectors   none yet",
        "src/queue.py",
    ):
        assert " ".join(expected.split()) in " ".join(ran.stdout.split())
    part = shown(daemon, sha)["parts"][1]
    assert shown(daemon, part["id"][:8])["chunk"]["path"] == part["path"]
    found = daemon.hermes("search", "payment queue", cwd=shop.path).stdout.splitlines()
    assert shown(daemon, found[0].split()[-1])["chunk"]["title"] == "Retry the payment queue"


def test_what_is_not_there_and_what_may_mean_several_things_is_told(
    daemon: Daemon, shop: RepoBuilder, tmp_path: Path
) -> None:
    ran = daemon.hermes("memory", "show", "deadbeef01")
    assert ran.returncode == 4
    assert "memory holds nothing called deadbeef01" in ran.stderr
    daemon.index(shop.clone(tmp_path / "fork").path)
    sha = shop.git("rev-parse", "HEAD")
    ran = daemon.hermes("memory", "show", sha)
    assert ran.returncode == 2
    assert "fork" in ran.stdout
    assert "shop" in ran.stdout
    for words in (["edit"], ["delete", "--yes"]):
        assert daemon.hermes("memory", *words, sha).returncode == 2
    assert daemon.hermes("memory", "show", sha, "--repo", "fork").returncode == 0


def test_an_edit_is_searched_cited_as_such_and_holds_over_new_commits_and_a_rebuild(
    daemon: Daemon, shop: RepoBuilder, tmp_path: Path
) -> None:
    sha = shop.git("rev-parse", "HEAD~1")
    editing(
        daemon,
        tmp_path,
        "Zebras cross the queue\n\ntoken = ghp_16C7e42F292c6912E7710c838347Ae178B4a\n",
    )
    ran = daemon.hermes("memory", "edit", sha)
    assert ran.returncode == 0
    assert "1 secret taken out" in ran.stderr
    assert f"the message of commit {sha[:10]} in shop says so from now on" in ran.stderr
    assert (tmp_path / "given").read_text().startswith("Retry the payment queue\n")
    assert stat.S_IMODE(int((tmp_path / "mode").read_text())) == 0o700

    def holds() -> None:
        found = daemon.hermes("search", "zebras", cwd=shop.path).stdout
        assert "Zebras cross the queue" in found
        assert "edited by hand on " in found
        assert "ghp_16C7" not in found
        asked = daemon.hermes("ask", "--plain", "why do zebras cross the queue?", cwd=shop.path)
        assert "(edited by hand on " in asked.stdout

    holds()
    shop.commit({"README": "a big shop\n"}, "Say more")
    assert daemon.hermes("up", cwd=shop.path).returncode == 0
    holds()
    assert daemon.hermes("memory", "rebuild", "--yes").returncode == 0
    holds()
    ran = daemon.hermes("memory", "edit", sha, "--undo")
    assert ran.returncode == 0
    assert "says again what its source says" in ran.stderr
    chunk = shown(daemon, sha)["chunk"]
    assert chunk["text"] == "Retry the payment queue\n\nThe gateway drops one call in fifty."
    assert chunk["edited"] is None
    assert daemon.hermes("memory", "edit", sha, "--undo").returncode == 1


def test_an_empty_or_unchanged_text_or_an_editor_that_fails_changes_nothing(
    daemon: Daemon, shop: RepoBuilder, tmp_path: Path
) -> None:
    sha = shop.git("rev-parse", "HEAD~1")
    before = shown(daemon, sha)
    for written in ("", " \n", f"{before['chunk']['text']}\n\n"):
        editing(daemon, tmp_path, written)
        ran = daemon.hermes("memory", "edit", sha)
        assert ran.returncode == 0
        assert "nothing was changed" in ran.stderr
    for editor in ("false", "/no/such/editor"):
        daemon.environment["EDITOR"] = editor
        ran = daemon.hermes("memory", "edit", sha)
        assert ran.returncode == 2
        assert editor in ran.stderr
    assert shown(daemon, sha) == before


def test_without_its_repository_an_edit_can_not_be_taken_back_and_stays(
    daemon: Daemon, shop: RepoBuilder, tmp_path: Path
) -> None:
    sha = shop.git("rev-parse", "HEAD~1")
    editing(daemon, tmp_path, "Zebras\n")
    assert daemon.hermes("memory", "edit", sha).returncode == 0
    shutil.move(shop.path, tmp_path / "elsewhere")
    ran = daemon.hermes("memory", "edit", sha, "--undo")
    assert ran.returncode == 1
    assert "the original can't be read again" in ran.stderr
    assert shown(daemon, sha)["chunk"]["text"] == "Zebras"
    shutil.move(tmp_path / "elsewhere", shop.path)
    assert daemon.hermes("memory", "edit", sha, "--undo").returncode == 0


def test_a_deleted_piece_and_a_deleted_commit_stay_away(daemon: Daemon, shop: RepoBuilder) -> None:
    sha, first = shop.git("rev-parse", "HEAD~1"), shop.git("rev-parse", "HEAD~2")
    part = next(each for each in shown(daemon, sha)["parts"] if each["path"] == "src/queue.py")
    assert daemon.hermes("memory", "delete", part["id"]).returncode == 2  # nobody to ask
    ran = daemon.hermes("memory", "delete", "--yes", part["id"])
    assert ran.returncode == 0
    assert f"src/queue.py of commit {sha[:10]} in shop: deleted" in ran.stderr
    ran = daemon.hermes("memory", "delete", "--yes", first)
    assert "2 pieces of text: deleted" in ran.stderr

    def away() -> None:
        assert daemon.hermes("memory", "show", part["id"]).returncode == 4
        assert daemon.hermes("memory", "show", first).returncode == 4
        assert "invoices" not in daemon.hermes("search", "cache invoices", cwd=shop.path).stdout
        assert [each["path"] for each in shown(daemon, sha)["parts"]] == ["src/cache.py"]
        assert daemon.hermes("memory", "check").returncode == 0

    away()
    shop.commit({"README": "a big shop\n"}, "Say more")
    assert daemon.hermes("up", cwd=shop.path).returncode == 0
    away()
    assert daemon.hermes("memory", "rebuild", "--yes").returncode == 0
    away()


def test_an_export_read_back_line_by_line_is_what_is_in_the_store(
    daemon: Daemon, tmp_path: Path
) -> None:
    ran = daemon.hermes("memory", "export")
    assert ran.returncode == 0
    head, *lines = [json.loads(line) for line in ran.stdout.splitlines()]
    assert (head["type"], head["format"], head["chunks"]) == ("export", 1, len(lines))
    with Memory.open(tmp_path / "home" / "memory", embedder=None) as memory:
        stored = memory.store.fetch(memory.store.column(CHUNKS, "id").to_pylist())
    assert {line["id"] for line in lines} == set(stored)
    for line in lines:
        chunk = stored[line["id"]]
        for name in ("ref", "path", "part", "title", "text", "author", "email", "time", "source"):
            assert line[name] == getattr(chunk, name)
    again = daemon.hermes("memory", "export", "-o", str(tmp_path / "out.jsonl"))
    assert again.returncode == 0
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()][
        1:
    ] == lines
    assert stat.S_IMODE((tmp_path / "out.jsonl").stat().st_mode) == 0o600
    none = daemon.hermes("memory", "export", "--source", "slack")
    assert json.loads(none.stdout)["chunks"] == 0


def test_an_export_ends_quietly_when_nobody_reads_on(daemon: Daemon, shop: RepoBuilder) -> None:
    shop.many_commits(2_000)
    daemon.index(shop.path)
    child = subprocess.Popen(
        [*COMMAND, "memory", "export"],
        env=daemon.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    assert child.stdout.readline().startswith(b'{"type":"export"')
    child.stdout.close()
    assert child.wait(timeout=30) == 141
    assert child.stderr.read() == b""
    child.stderr.close()


def test_an_export_that_is_interrupted_leaves_no_file(
    daemon: Daemon, shop: RepoBuilder, tmp_path: Path
) -> None:
    fifo = tmp_path / "out.jsonl.part"
    os.mkfifo(fifo)
    child = subprocess.Popen(
        [*COMMAND, "memory", "export", "-o", str(tmp_path / "out.jsonl")],
        env=daemon.environment,
        stderr=subprocess.PIPE,
    )
    with fifo.open("rb"):  # it has begun to write
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=30)
    assert child.returncode == 130
    assert said == b""
    assert not (tmp_path / "out.jsonl").exists()
    assert not fifo.exists()
