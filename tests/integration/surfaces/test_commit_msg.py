"""``hermes commit-msg`` and drafts on a real daemon: ready before they are asked for, in any
repository, and never in git's way."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.daemon.paths import Paths, locate
from hermes.ingest.git.worktree_key import key_of
from hermes.surfaces.hooks.installing import install
from hermes.surfaces.hooks.place import find
from hermes.tests.builders.daemon import COMMAND, Daemon, running, until
from hermes.tests.builders.git import RepoBuilder

from .conftest import Run

CART = "def total(prices):\n    return sum(prices)\n"
TAX = "\n\ndef tax(amount, rate):\n    return amount * rate\n"


def shop(folder: Path) -> RepoBuilder:
    """Make a repository with a handful of commits."""
    repo = RepoBuilder(folder)
    for name, value in (("user.name", "Sam Doe"), ("user.email", "sam@example.com")):
        repo.config(name, value)
    repo.commit({"shop/cart.py": CART, "notes.txt": "0\n"}, "Add the cart")
    for number, subject in enumerate(("Fix the order of notes", "Add a day to each note")):
        repo.commit({"notes.txt": f"{number}\n"}, subject)
    return repo


def stage(repo: RepoBuilder, files: dict[str, str]) -> None:
    repo.write(dict(files))
    repo.git("add", "--all")


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Generator[Daemon]:
    """One daemon for all tests that only ask."""
    with running(tmp_path_factory.mktemp("home")) as started:
        yield started


def ready(daemon: Daemon, repo: RepoBuilder) -> Path:
    """Return where the daemon puts the draft of a repository."""
    paths: Paths = locate({"HERMES_AMBIENT_HOME": str(daemon.home)})
    return paths.drafts / "ready" / key_of(repo.path)


def drafted(file: Path) -> str:
    return file.read_text().split("\n", 4)[4] if file.exists() and file.stat().st_size else ""


def test_a_day_with_it(daemon: Daemon, tmp_path: Path) -> None:
    repo = shop(tmp_path / "shop")
    daemon.index(repo.path)
    install(find(repo.path), locate({"HERMES_AMBIENT_HOME": str(daemon.home)}))
    daemon.settle()
    file = ready(daemon, repo)
    stage(repo, {"shop/cart.py": CART + TAX})
    draft = until(lambda: drafted(file), lambda text: "tax" in text)
    said = daemon.hermes("commit-msg", "--why", cwd=repo.path)
    assert (said.returncode, said.stdout) == (0, draft)
    assert "by rule" in said.stderr
    repo.git("commit", "--quiet", environment={"GIT_EDITOR": "true"})
    assert repo.git("log", "-1", "--format=%B") == draft.strip()
    assert drafted(file) == ""
    stage(repo, {"shop/refund.py": "def refund(order):\n    return -order\n"})
    until(lambda: drafted(file), lambda text: "refund" in text)
    (quality,) = daemon.call("GET", "/v1/commits/quality")["quality"]
    assert (quality["by"], quality["accepted"]) == ("rule", 1)
    repo.git("switch", "--quiet", "--create", "ENG-17-refund")
    until(lambda: file.read_text(), lambda text: "refs/heads/ENG-17-refund" in text)
    repo.git("reset", "--quiet")
    until(lambda: drafted(file), lambda text: not text)


def test_status_tells_of_a_draft_until_it_is_committed(daemon: Daemon, tmp_path: Path) -> None:
    repo = shop(tmp_path / "till")
    daemon.index(repo.path)
    install(find(repo.path), locate({"HERMES_AMBIENT_HOME": str(daemon.home)}))
    daemon.settle()
    told = f"{repo.path.name}: a commit message is ready: "
    stage(repo, {"shop/cart.py": CART + TAX})
    until(lambda: drafted(ready(daemon, repo)), bool)
    until(lambda: daemon.hermes("status").stdout, lambda status: told in status)
    repo.git("commit", "--quiet", "--message", "Tax what is sold")
    assert told not in daemon.hermes("status").stdout


def test_a_repository_that_is_removed_leaves_no_draft_and_its_hooks_are_told_of(
    daemon: Daemon, tmp_path: Path
) -> None:
    repo = shop(tmp_path / "stall")
    daemon.index(repo.path)
    install(find(repo.path), locate({"HERMES_AMBIENT_HOME": str(daemon.home)}))
    daemon.settle()
    stage(repo, {"shop/cart.py": CART + TAX})
    file = ready(daemon, repo)
    until(lambda: drafted(file), bool)
    done = daemon.hermes("remove", "--yes", str(repo.path))
    assert f"`hermes hooks uninstall {repo.path}`" in done.stderr
    assert not file.exists()


def test_staging_in_a_linked_worktree_is_seen_too(daemon: Daemon, tmp_path: Path) -> None:
    repo = shop(tmp_path / "many")
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "linked")
    daemon.index(repo.path)
    daemon.settle()
    linked = RepoBuilder(tmp_path / "linked", existing=True)
    stage(linked, {"shop/cart.py": CART + TAX})
    until(lambda: drafted(ready(daemon, linked)), lambda text: "tax" in text)


def test_a_hung_daemon_and_a_dead_one_do_not_hold_git_up(tmp_path: Path) -> None:
    repo = shop(tmp_path / "shop")
    with running(tmp_path / "home") as daemon:
        daemon.index(repo.path)
        install(find(repo.path), locate({"HERMES_AMBIENT_HOME": str(daemon.home)}))
        file = ready(daemon, repo)
        stage(repo, {"shop/cart.py": CART + TAX})
        until(lambda: drafted(file), lambda text: "tax" in text)
        daemon.process.send_signal(signal.SIGSTOP)
        try:
            began = time.monotonic()
            repo.git("commit", "--quiet", environment={"GIT_EDITOR": "true"})
            stage(repo, {"shop/cart.py": CART})
            done = subprocess.run(
                ["git", "commit", "--quiet"],
                cwd=repo.path,
                env={"PATH": "/usr/bin:/bin", "GIT_EDITOR": "true", "HOME": str(tmp_path)},
                capture_output=True,
                check=False,
            )
            assert b"empty commit message" in done.stderr
            assert time.monotonic() - began < 10
        finally:
            daemon.process.send_signal(signal.SIGCONT)
        daemon.kill()
        repo.git("commit", "--quiet", "-m", "By hand")


def test_a_repository_that_is_not_in_memory_gets_messages_too(
    daemon: Daemon, tmp_path: Path
) -> None:
    repo = shop(tmp_path / "stranger")
    stage(repo, {"shop/cart.py": CART + TAX})
    (repo.path / "deep").mkdir()
    said = daemon.hermes("commit-msg", cwd=repo.path / "deep")
    assert said.returncode == 0
    assert "tax" in said.stdout
    assert said.stderr == ""
    shown = json.loads(daemon.hermes("commit-msg", "--json", "-n", "2", cwd=repo.path).stdout)
    assert shown["messages"][0]["message"] == said.stdout
    assert shown["ready"] is False


def test_commits_and_ranges_get_messages(daemon: Daemon, tmp_path: Path) -> None:
    repo = shop(tmp_path / "past")
    repo.commit({"shop/cart.py": CART + TAX}, "x")
    for options in (("--rev", "HEAD"), ("--range", "HEAD~1..HEAD"), ("--range", "HEAD~1..")):
        said = daemon.hermes("commit-msg", *options, cwd=repo.path)
        assert (said.returncode, "tax" in said.stdout) == (0, True), said.stderr


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ((), 3, "nothing is staged"),
        (("--split",), 3, "nothing is staged"),
        (("--rev", "nowhere"), 1, "nowhere"),
        (("--rev", "--all"), 2, ""),
        (("--range", "HEAD"), 2, "no range"),
        (("-n", "0"), 2, "-n"),
        (("-n", "9"), 2, "-n"),
        (("--rev", "HEAD", "--range", "a..b"), 2, ""),
        (("--split", "--rev", "HEAD"), 2, "--split"),
        (("--range", "HEAD..HEAD"), 3, "changes nothing"),
    ],
)
def test_what_can_not_be_done_is_one_line(
    daemon: Daemon, tmp_path: Path, options: tuple[str, ...], code: int, words: str
) -> None:
    repo = shop(tmp_path / "shop")
    said = daemon.hermes("commit-msg", *options, cwd=repo.path)
    assert (said.returncode, said.stdout) == (code, ""), said.stderr
    assert words in said.stderr
    assert len(said.stderr.strip().splitlines()) <= 2


def test_a_conflict_a_bare_repository_and_no_repository_are_one_line(
    daemon: Daemon, tmp_path: Path
) -> None:
    repo = shop(tmp_path / "shop")
    repo.git("switch", "--quiet", "--create", "side")
    repo.commit({"shop/cart.py": CART.replace("sum", "max")}, "Take the largest")
    repo.git("switch", "--quiet", "main")
    repo.commit({"shop/cart.py": CART.replace("sum", "min")}, "Take the smallest")
    with pytest.raises(AssertionError):
        repo.git("merge", "side")
    bare = RepoBuilder(tmp_path / "bare.git", bare=True)
    (tmp_path / "plain").mkdir()
    for place, code, words in (
        (repo.path, 3, "a conflict is open in shop/cart.py"),
        (bare.path, 3, "no index"),
        (tmp_path / "plain", 1, "git"),
    ):
        said = daemon.hermes("commit-msg", cwd=place)
        assert (said.returncode, said.stdout, words in said.stderr) == (code, "", True), said.stderr


def test_several_are_parted_by_a_line_and_a_split_is_a_plan(daemon: Daemon, tmp_path: Path) -> None:
    repo = shop(tmp_path / "shop")
    stage(repo, {"shop/cart.py": CART + TAX})
    together = daemon.hermes("commit-msg", "--split", cwd=repo.path)
    assert together.stdout.startswith("This belongs together: one commit.\n")
    stage(repo, {"README.md": "# Shop\n"})
    several = daemon.hermes("commit-msg", "-n", "3", cwd=repo.path).stdout
    messages = several.split("\n---\n")
    assert 1 <= len(messages) <= 3
    assert len(set(messages)) == len(messages)
    before = repo.git("write-tree")
    plan = daemon.hermes("commit-msg", "--split", cwd=repo.path).stdout
    assert repo.git("write-tree") == before
    assert plan.startswith("# 2 commits. Nothing was changed")
    subprocess.run(["sh", "-e"], input=plan.encode(), cwd=repo.path, check=True)
    assert repo.git("rev-parse", "HEAD^{tree}") == before


def test_without_a_daemon_it_is_answered_from_the_process_itself(
    hermes: Run, tmp_path: Path, paths: Paths
) -> None:
    repo = shop(tmp_path / "shop")
    stage(repo, {"shop/cart.py": CART + TAX})
    paths.run.parent.mkdir(parents=True, exist_ok=True)
    paths.run.write_text("in the way: no daemon can start")
    said = hermes("commit-msg", cwd=repo.path, env={"HERMES_AMBIENT_MODELS__PROVIDER": "none"})
    assert said.code == 0, said.err
    assert "tax" in said.out
    assert "without the daemon" in said.err


def test_the_help_shows_every_option(hermes: Run) -> None:
    shown = hermes("commit-msg", "--help").out
    for option in ("--staged", "--rev", "--range", "-n", "--why", "--split", "--plain", "--json"):
        assert option in shown
    assert COMMAND
