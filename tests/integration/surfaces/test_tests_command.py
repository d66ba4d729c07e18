"""``hermes tests`` on a real daemon: save, red, fix, green; and suites that behave badly."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from hermes.tests.builders.daemon import LIGHT, Daemon, running, until
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.tested import BROKEN_CART, CART, FEE, NOTHING, TOTAL, make_tested

LIMIT = 10
"""Seconds that this daemon gives to affected tests."""
SETTINGS = {**LIGHT, "HERMES_AMBIENT_TESTS__LIMIT": str(LIMIT)}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Generator[Daemon]:
    with running(tmp_path_factory.mktemp("tests") / "home", SETTINGS) as daemon:
        yield daemon


class Project:
    """A trusted project whose tests ran once and were green."""

    def __init__(self, daemon: Daemon, repo: RepoBuilder) -> None:
        self.name = repo.path.name
        self.daemon = daemon
        self.repo = repo
        self.id: str = daemon.index(repo.path)[0]["id"]
        daemon.call("POST", "/v1/trust", {"repo": self.id})
        self.until(lambda state: state["last_full"] is not None)

    def state(self) -> dict[str, Any]:
        """How its tests stand."""
        found: dict[str, Any] = self.daemon.call("GET", f"/v1/tests?repo={self.id}&all=true")
        return found

    def until_green(self, test: str) -> None:
        """Wait until a test that was saved passes."""
        self.until(lambda s: (test, "green") in [(t["test"], t["mark"]) for t in s["all"]])

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait until its tests stand as wanted and none runs; return how they stand."""
        return until(self.state, lambda s: s["running"] is None and wanted(s), 60)

    def save(self, wanted: str, files: Mapping[str, str]) -> dict[str, Any]:
        """Save files, and wait for a verdict on a run that came after."""
        before = self.state()["last"]["id"]
        self.repo.write(files)
        return self.until(lambda s: s["last"]["id"] > before and s["verdict"] == wanted)

    def hermes(self, *words: str) -> tuple[int, list[str], str]:
        """Return the exit code of ``hermes tests``, its lines, and its messages."""
        done = self.daemon.hermes("tests", *words, cwd=self.repo.path)
        return done.returncode, done.stdout.splitlines(), done.stderr


NUMBERS = itertools.count(1)


@pytest.fixture
def project(daemon: Daemon, tmp_path: Path) -> Project:
    """A project of the test's own."""
    return Project(daemon, make_tested(tmp_path / f"shop{next(NUMBERS)}"))


@pytest.fixture(scope="module")
def battered(daemon: Daemon, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """One project for all that behave badly."""
    return Project(daemon, make_tested(tmp_path_factory.mktemp("battered") / "mill"))


@pytest.fixture
def mill(battered: Project) -> Generator[Project]:
    """The same, put back afterwards."""
    yield battered
    battered.repo.git("checkout", "--quiet", "--", ".")
    battered.repo.git("clean", "--quiet", "--force", "-d")


def test_a_save_that_breaks_a_test_is_shown_and_so_is_its_mending(project: Project) -> None:
    code, lines, _ = project.hermes()
    assert (code, lines[-1].startswith("3 green; last run ")) == (0, True)
    project.save("red", {"shop/cart.py": BROKEN_CART})
    code, lines, _ = project.hermes()
    assert code == 1
    assert lines[0].startswith(f"red     {NOTHING}  new, ")
    assert lines[2].startswith(f"red     {TOTAL}  new, ")
    assert lines[3] == "        tests/test_cart.py:5: AssertionError: assert 4 == 3"
    assert lines[-1].startswith("2 red, 1 green; last run ")
    project.save("green", {"shop/cart.py": CART})
    code, lines, _ = project.hermes()
    assert code == 0
    assert f"green   {TOTAL}  again" in lines


def test_only_what_a_save_affects_is_run_and_it_says_why(project: Project) -> None:
    project.save("red", {"shop/cart.py": BROKEN_CART})
    code, lines, _ = project.hermes("last")
    assert code == 0
    assert not any(FEE in line for line in lines)
    assert any("shop/cart.py" in line for line in lines)
    _, lines, _ = project.hermes("why", "test_total")
    assert lines[0].startswith(f"{TOTAL} is red since ")
    assert any(" ran " in line and "shop/cart.py" in line for line in lines)
    _, lines, _ = project.hermes("why", "fee")
    assert any("not run" in line for line in lines)
    _, lines, _ = project.hermes("history", "test_total")
    assert [line.split()[3:5][0] for line in lines[1:3]] and " failed " in lines[1]


def test_tests_run_on_demand(project: Project) -> None:
    code, lines, _ = project.hermes("run", "test_fee")
    assert (code, lines[-1].startswith("1 test in ")) == (0, True)
    code, lines, _ = project.hermes("run", "--all")
    assert (code, lines[-1].startswith("3 tests in ")) == (0, True)
    project.save("red", {"shop/cart.py": BROKEN_CART})
    code, lines, _ = project.hermes("run", "test_total")
    assert (code, lines[0].startswith(f"failed  {TOTAL}")) == (1, True)
    code, _, said = project.hermes("run", "nowhere")
    assert (code, f"no test of {project.name} has nowhere in its id" in said) == (1, True)
    code, _, said = project.hermes("run", "--no-wait", "--all")
    assert (code, "runs them" in said) == (0, True)


def test_scripts_get_json(project: Project) -> None:
    found = json.loads(project.hermes("--json")[1][0])
    assert (found["verdict"], found["counts"]["green"]) == ("green", 3)
    *_, last = project.hermes("run", "--json", "test_fee")[1]
    ended = json.loads(last)
    assert (ended["type"], ended["runs"][0]["results"][0]["test"]) == ("ended", FEE)


def test_status_tells_of_red_tests_only(project: Project) -> None:
    assert f"{project.name}: " not in project.daemon.hermes("status").stdout
    project.save("red", {"shop/cart.py": BROKEN_CART})
    shown = project.daemon.hermes("status").stdout
    assert f"  {project.name}: 2 tests red of 3: hermes tests" in shown.splitlines()


def everything_in(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Every path below a folder, git's own too, with its kind, size and time."""
    found: dict[str, tuple[int, int, int]] = {}
    for at, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(at, name)
            status = os.lstat(path)
            found[os.path.relpath(path, folder)] = (
                status.st_mode,
                status.st_size,
                status.st_mtime_ns,
            )
    return found


def test_the_persons_own_files_are_left_as_they_were(project: Project) -> None:
    writes = "def test_writes():\n    open('written-by-a-test', 'w').close()\n"
    project.repo.write({"tests/test_write.py": writes})
    project.until_green("tests/test_write.py::test_writes")
    before = everything_in(project.repo.path)
    assert project.hermes("run", "--all")[0] == 0
    assert everything_in(project.repo.path) == before


def with_mark(mark: str) -> list[str]:
    """The processes whose command line holds a mark."""
    found: list[str] = []
    for process in psutil.process_iter():
        try:
            words = " ".join(process.cmdline())
        except psutil.Error:
            continue
        if mark in words:
            found.append(words)
    return found


def sleeper(mark: str, seconds: int = 600) -> str:
    """Code of a process that sleeps and is known by a mark."""
    return f"[sys.executable, '-c', 'import time; time.sleep({seconds})', {mark!r}]"


def test_a_suite_that_hangs_is_ended_with_all_that_it_started(mill: Project) -> None:
    mark = f"hangs-{os.getpid()}"
    text = (
        "import subprocess, sys, time\n\n\ndef test_hangs():\n"
        f"    subprocess.Popen({sleeper(mark)})\n"
        f"    subprocess.Popen({sleeper(mark)}, start_new_session=True)\n"
        "    time.sleep(600)\n"
    )
    mill.save("timed_out", {"tests/test_hangs.py": text})
    code, lines, _ = mill.hermes()
    assert code == 1
    assert [line for line in lines if line.startswith("the tests took too long and were ended")]
    assert until(lambda: with_mark(mark), lambda found: not found, 10) == []


def test_taking_trust_back_ends_what_runs(project: Project) -> None:
    mark = f"revoked-{os.getpid()}"
    text = f"import subprocess, sys\n\n\ndef test_hangs():\n    subprocess.run({sleeper(mark)})\n"
    project.repo.write({"tests/test_hangs.py": text})
    until(lambda: with_mark(mark), lambda found: len(found) > 0)
    assert project.daemon.hermes("trust", "revoke", cwd=project.repo.path).returncode == 0
    assert with_mark(mark) == []
    code, lines, _ = project.hermes()
    assert (code, lines[0]) == (3, f"{project.name} is not trusted, so none of its code is run")


def test_what_tests_start_does_not_outlive_them(mill: Project) -> None:
    mark = f"outlives-{os.getpid()}"
    text = (
        "import os, subprocess, sys\n\n\ndef test_starts_a_server():\n"
        "    if not os.fork():\n"
        "        os.setsid()\n"
        f"        subprocess.Popen({sleeper(mark)}, stdout=subprocess.DEVNULL,"
        " stderr=subprocess.DEVNULL)\n"
        "        os._exit(0)\n"
    )
    mill.repo.write({"tests/test_fork.py": text})
    mill.until_green("tests/test_fork.py::test_starts_a_server")
    assert until(lambda: with_mark(mark), lambda found: not found, 10) == []


def test_a_gigabyte_of_output_is_no_matter(mill: Project) -> None:
    text = (
        "import os\n\n\ndef test_prints(capfd):\n    with capfd.disabled():\n"
        "        for _ in range(1000):\n            os.write(1, b'x' * 999_999 + b'\\n')\n"
    )
    mill.repo.write({"tests/test_prints.py": text})
    mill.until_green("tests/test_prints.py::test_prints")
    assert psutil.Process(mill.daemon.pid).memory_info().rss < 500_000_000


def test_what_needs_a_display_fails_with_its_own_words(mill: Project) -> None:
    text = (
        "import os\n\n\ndef test_window():\n    if 'DISPLAY' not in os.environ:\n"
        "        raise RuntimeError('couldn\\'t connect to display')\n"
    )
    mill.save("red", {"tests/test_window.py": text})
    _, lines, _ = mill.hermes()
    assert lines[0].startswith("red     tests/test_window.py::test_window  ")
    assert lines[1].endswith("RuntimeError: couldn't connect to display")


def test_a_syntax_error_is_said_with_its_file(mill: Project) -> None:
    mill.save("uncollected", {"tests/test_cart.py": "def test_total(:\n    pass\n"})
    code, lines, _ = mill.hermes()
    (said,) = [line for line in lines if "could not be collected: " in line]
    assert code == 1
    assert "tests/test_cart.py" in said
    assert "SyntaxError" in said


def test_a_broken_environment_is_said_with_what_to_do(project: Project) -> None:
    for name in ("python", "python3", f"python3.{sys.version_info.minor}"):
        (project.repo.path / ".venv" / "bin" / name).unlink(missing_ok=True)
    project.save("broken", {"shop/cart.py": BROKEN_CART})
    code, lines, _ = project.hermes()
    (said,) = [line for line in lines if line.startswith("the tests can't be run: ")]
    assert code == 1
    assert ".venv is broken" in said


def test_a_repository_without_tests_says_so(daemon: Daemon, tmp_path: Path) -> None:
    plain = RepoBuilder(tmp_path / "plain")
    plain.commit({"a.txt": "a\n"}, "Begin")
    daemon.index(plain.path)
    said = daemon.hermes("trust", cwd=plain.path)
    assert "there are no tests yet that hermes knows how to run" in said.stderr
    asked = daemon.hermes("tests", "run", cwd=plain.path)
    assert "no test" in asked.stdout + asked.stderr
    shown = daemon.hermes("tests", cwd=plain.path)
    assert shown.returncode == 3
    assert "no test" in shown.stdout


def test_a_project_that_turned_tests_off_is_left_alone(daemon: Daemon, tmp_path: Path) -> None:
    off = make_tested(tmp_path / "off")
    off.write({".hermes.toml": "[tests]\nenabled = false\n"})
    daemon.index(off.path)
    assert "turned off" in daemon.hermes("trust", cwd=off.path).stderr
    assert "turned off" in daemon.hermes("tests", cwd=off.path).stdout
    refused = daemon.hermes("tests", "run", cwd=off.path)
    assert (refused.returncode, "turned off" in refused.stderr) == (2, True)


@pytest.mark.parametrize("way", ["stopped", "killed"])
def test_a_run_that_ended_with_the_daemon_is_taken_up_by_the_next(
    tmp_path: Path, home: Path, way: str
) -> None:
    gate, begun = tmp_path / "gate", tmp_path / "begun"
    repo = make_tested(tmp_path / "kiln")
    repo.write(
        {
            "tests/test_slow.py": "import pathlib, time\n\n\ndef test_slow():\n"
            f"    pathlib.Path({str(begun)!r}).touch()\n"
            f"    while not pathlib.Path({str(gate)!r}).exists():\n        time.sleep(0.02)\n"
        }
    )
    with running(home, SETTINGS) as daemon:
        name = daemon.index(repo.path)[0]["id"]
        daemon.call("POST", "/v1/trust", {"repo": name})
        until(begun.exists, bool)
        if way == "killed":
            daemon.kill()
        else:
            daemon.process.terminate()
            assert daemon.wait() == 0
    gate.touch()
    with running(home, SETTINGS) as daemon:
        state = until(
            lambda: daemon.call("GET", f"/v1/tests?repo={name}"), lambda found: found["last_full"]
        )
        assert (state["verdict"], state["counts"]["green"]) == ("green", 4)
