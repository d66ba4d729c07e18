"""The first bad commit: found on real commits with real pytest, and the worktree is not touched."""

from __future__ import annotations

import sys
from pathlib import Path

from hermes.agents.contract import Lane
from hermes.agents.testing.commit_tree import CommitTree
from hermes.daemon.ledger.records import Job, State
from hermes.ingest.git.command import Git
from hermes.memory.test_records import NewRun, Result, Run, Standing, Why
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.testing import REPO, Bench, bench

TEST = "tests/test_price.py::test_price_of_two"
GOOD = "def price(count: int) -> int:\n    return 5 * count\n"
BAD = "def price(count: int) -> int:\n    return 5 + count\n"


def make(folder: Path) -> RepoBuilder:
    shop = RepoBuilder(folder / "shop")
    test = (
        "from price import price\n\n\ndef test_price_of_two() -> None:\n    assert price(2) == 10\n"
    )
    settings = '[tool.pytest.ini_options]\npythonpath = ["."]\n'
    shop.commit(
        {"price.py": GOOD, "tests/test_price.py": test, "pyproject.toml": settings}, "Begin"
    )
    (shop.path / ".venv" / "bin").mkdir(parents=True)
    (shop.path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (shop.path / ".git" / "info" / "exclude").write_text(".venv\n")
    return shop


def failed(here: Bench, good: str, exception: str = "AssertionError") -> None:
    """Have the test pass at one commit and fail now."""
    for at, head, mark in ((1.0, good, "passed"), (2.0, "f" * 40, "failed")):
        why = Why(exception, "assert 7 == 10", "tests/test_price.py", 5)
        run = Run(REPO, at, 1.0, "affected", "pytest", "red", head=head)
        result = Result(TEST, mark, failure=why if mark == "failed" else None)
        here.work.runs.record(NewRun(run, (result,)))


async def searched(here: Bench) -> tuple[Job, Standing]:
    job = await here.run(subject="first_bad", lane=Lane.SCHEDULED)
    standing = here.work.runs.standing(REPO, TEST)
    assert standing is not None
    return job, standing


async def test_the_commit_is_named_with_which_a_test_began_to_fail(tmp_path: Path) -> None:
    shop = make(tmp_path)
    good = shop.head()
    shop.commit({"README.md": "A shop.\n"}, "Add a README")
    shop.commit({"price.py": f"{GOOD}\n\nVAT = 19\n"}, "Add the VAT")
    bad = shop.commit({"price.py": f"{BAD}\n\nVAT = 19\n"}, "Add to the price")
    shop.commit({"price.py": f"{BAD}\n\nVAT = 7\n"}, "Lower the VAT")
    shop.commit({"README.md": "A small shop.\n"}, "Say more")
    before = shop.git("status", "--porcelain", "--ignored"), shop.head()
    async with bench(tmp_path, shop.path) as here:
        failed(here, good)
        job, standing = await searched(here)
        assert job.reason == f"{TEST} began to fail with {bad[:12]}"
        assert standing.first_bad == bad
        assert len(here.started) == 3
        assert not (tmp_path / "testing" / REPO / "first_bad").exists()
    assert (shop.git("status", "--porcelain", "--ignored"), shop.head()) == before


async def test_what_is_not_committed_is_nobodys_fault(tmp_path: Path) -> None:
    shop = make(tmp_path)
    good = shop.head()
    shop.commit({"price.py": f"{GOOD}\n\nVAT = 19\n"}, "Add the VAT")
    shop.write({"price.py": BAD})
    async with bench(tmp_path, shop.path) as here:
        failed(here, good)
        job, standing = await searched(here)
        assert (job.state, standing.first_bad) == (State.SILENT, "")
        assert "it does not fail at HEAD" in job.reason


async def test_a_failure_of_another_kind_is_not_taken_for_it(tmp_path: Path) -> None:
    shop = make(tmp_path)
    good = shop.head()
    shop.commit({"price.py": BAD}, "Add to the price")
    async with bench(tmp_path, shop.path) as here:
        failed(here, good, "KeyError")
        job, standing = await searched(here)
        assert (job.state, standing.first_bad) == (State.SILENT, "")
        assert "it does not fail at HEAD" in job.reason


async def test_without_commits_since_it_passed_nothing_is_run(tmp_path: Path) -> None:
    shop = make(tmp_path)
    async with bench(tmp_path, shop.path) as here:
        failed(here, shop.head())
        job, _ = await searched(here)
        assert job.state is State.SILENT
        assert here.started == []


def test_a_commit_is_written_out_just_as_it_is(tmp_path: Path) -> None:
    shop = RepoBuilder(tmp_path / "shop")
    (shop.path / "bin").mkdir(parents=True)
    (shop.path / "bin" / "run").write_text("#!/bin/sh\n")
    (shop.path / "bin" / "run").chmod(0o755)
    (shop.path / "link").symlink_to("bin/run")
    files = {".gitattributes": "tests export-ignore\n*.txt filter=evil\n", "tests/a.py": "1\n"}
    first = shop.commit({**files, "a.txt": "one\n", "dir/x": "1\n"}, "One")
    shop.config("filter.evil.smudge", f"touch {tmp_path / 'ran'}")
    second = shop.commit({"a.txt": "two\n", "dir/x": None, "tests/b.py": "2\n"}, "Two")
    (shop.path / "dir").rmdir()
    third = shop.commit({"dir": "a file now\n"}, "Three")
    root = tmp_path / "out"
    tree = CommitTree(Git.open(shop.path), root)
    for sha in (first, second, third, first):
        tree.bring(sha)
        wanted = shop.git("ls-tree", "-r", "--name-only", sha).splitlines()
        found = [str(p.relative_to(root)) for p in root.rglob("*") if p.is_symlink() or p.is_file()]
        assert sorted(found) == sorted(wanted)
    assert (root / "a.txt").read_text() == "one\n"
    assert (root / "bin" / "run").stat().st_mode & 0o777 == 0o755
    assert (root / "link").readlink() == Path("bin/run")
    assert not (tmp_path / "ran").exists()
