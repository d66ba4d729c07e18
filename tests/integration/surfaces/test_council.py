"""``hermes council`` against a real daemon: asked, followed, remembered, learnt from."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import threading
from collections.abc import Generator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hermes.daemon.paths import locate
from hermes.memory.errors import HermesError
from hermes.surfaces.client import DaemonLost
from hermes.tests.builders.daemon import LIGHT, Daemon, lives, running, until
from hermes.tests.builders.git import RepoBuilder

from .conftest import OnTerminal

JUROR = """#!/bin/sh
# A juror: says what the file beside it says, once there is one.
cat > "$0.prompt.$$"
while [ ! -s "{folder}/$1" ]; do sleep 0.05; done
echo "Here is my opinion:"; cat "{folder}/$1"
"""


def opinion(vote: str, position: str, insight: str, **more: Any) -> str:
    base: dict[str, Any] = {
        "reasons": [], "findings": [], "missing": [], "insight": insight, "position": position,
        "decision": position, "vote": vote, "confidence": 0.9,
    }  # fmt: skip
    return json.dumps(base | more)


class Stage:
    """A daemon whose three jurors are programs that say what a test has them say."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "said"
        self.folder.mkdir()
        program = folder / "juror.sh"
        program.write_text(JUROR.format(folder=self.folder))
        program.chmod(0o755)
        jurors = [f"command:{program} {name}" for name in ("ann", "bob", "cyd")]
        self.settings = LIGHT | {
            "HERMES_AMBIENT_COUNCIL__JURORS": json.dumps(jurors),
            "HERMES_AMBIENT_COUNCIL__CRITICAL": "secret/",
        }
        self.home = folder / "home"
        self.repo = RepoBuilder(folder / "shop")
        self.repo.commit({"shop.py": "print('shop')\n"}, "Begin the shop")

    def begins(self, repo: Path) -> None:
        """Begin anew, in a repository of its own: nobody has said anything."""
        self.hushed()
        for prompt in self.prompts:
            prompt.unlink()
        self.repo = RepoBuilder(repo)
        self.repo.commit({"shop.py": "print('shop')\n"}, "Begin the shop")

    @property
    def prompts(self) -> list[Path]:
        """What jurors were asked, a file for each process."""
        return list(self.folder.parent.glob("juror.sh.prompt.*"))

    def says(self, name: str, text: str) -> None:
        """Have a juror say something, from now on."""
        part = self.folder / f"{name}.part"
        part.write_text(text)
        part.rename(self.folder / name)

    def all_say(self, vote: str, position: str = "yes") -> None:
        for name in ("ann", "bob", "cyd"):
            self.says(name, opinion(vote, position, f"{name} has looked at it"))

    def hushed(self) -> None:
        """Have all jurors think until they are told what to say."""
        for file in self.folder.iterdir():
            file.unlink()


@pytest.fixture(scope="module")
def shared(
    tmp_path_factory: pytest.TempPathFactory, machine: None
) -> Generator[tuple[Stage, Daemon]]:
    """One daemon for all tests that say nothing of how verdicts turned out: they would weigh on
    each other's."""
    stage = Stage(tmp_path_factory.mktemp("council"))
    with running(stage.home, stage.settings) as found:
        yield stage, found


@pytest.fixture
def stage(shared: tuple[Stage, Daemon], tmp_path: Path) -> Stage:
    shared[0].begins(tmp_path / "shop")
    return shared[0]


@pytest.fixture
def daemon(shared: tuple[Stage, Daemon], stage: Stage) -> Daemon:
    shared[1].index(stage.repo.path)
    return shared[1]


@pytest.fixture
def own(tmp_path: Path) -> Stage:
    """Give a stage of the test's own, whose daemon it starts itself."""
    return Stage(tmp_path)


def council(daemon: Daemon, stage: Stage, *words: str) -> subprocess.CompletedProcess[str]:
    return daemon.hermes("council", *words, cwd=stage.repo.path)


def asked(daemon: Daemon, stage: Stage, *words: str) -> dict[str, Any]:
    """Ask a council and return it as the last line of JSON has it."""
    ran = council(daemon, stage, *words, "--json")
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])["council"]
    return found


def test_a_verdict_card_says_who_said_what_and_keeps_three_numbers_apart(
    daemon: Daemon, stage: Stage
) -> None:
    stage.says("ann", opinion("PASS", "Postgres", "it survives a restart"))
    stage.says("bob", opinion("PASS", "Postgres over Mongo", "we know it", confidence=0.7))
    stage.says("cyd", opinion("WARN", "Mongo", "documents vary", missing=["a load test"]))
    ran = council(daemon, stage, "Postgres or Mongo for the ledger?")
    assert ran.returncode == 3, ran.stdout + ran.stderr  # both are held with high confidence
    assert "DISAGREE: Postgres" in ran.stdout
    assert "agreement    2 of 3 (67% of the weight)" in ran.stdout
    assert "confidence   80% sure, as they say themselves" in ran.stdout
    assert "probability  uncalibrated" in ran.stdout
    assert "it survives a restart" in ran.stdout
    assert "- Mongo (" in ran.stdout
    assert "- a load test" in ran.stdout
    assert "a debate, round 1: they hold 2 positions" in ran.stderr
    assert "go to the program" in ran.stderr
    (listed,) = json.loads(council(daemon, stage, "list", "--json").stdout)["councils"]
    assert listed["question"] == "Postgres or Mongo for the ledger?"
    number = str(listed["id"])
    assert "it survives a restart" in council(daemon, stage, "show", number).stdout
    assert "the same verdict again" in council(daemon, stage, "replay", number).stdout


def test_the_report_lies_in_the_repository_out_of_gits_sight_and_nothing_is_written_over(
    daemon: Daemon, stage: Stage
) -> None:
    stage.all_say("PASS")
    for _ in range(2):
        assert council(daemon, stage, "should we ship it?").returncode == 3
    reports = sorted((stage.repo.path / ".hermes" / "council").glob("*.md"))
    assert [one.name[11:] for one in reports] == ["should-we-ship-it-2.md", "should-we-ship-it.md"]
    assert "unanimous: needs a human check" in reports[0].read_text()  # all of unknown family
    assert stage.repo.git("status", "--porcelain") == ""


def test_a_report_is_not_led_elsewhere_by_a_link(
    daemon: Daemon, stage: Stage, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (stage.repo.path / ".hermes").symlink_to(elsewhere)
    stage.all_say("PASS")
    ran = council(daemon, stage, "should we ship it?")
    assert ran.returncode == 3
    assert "report:" not in ran.stderr
    assert list(elsewhere.iterdir()) == []


def test_what_is_staged_is_judged_by_rules_too_and_a_critical_path_needs_a_person(
    daemon: Daemon, stage: Stage
) -> None:
    stage.all_say("PASS")
    stage.repo.write({"secret/limits.txt": "10\n"})
    stage.repo.git("add", ".")
    found = asked(daemon, stage, "--diff")
    assert found["question"] == "Is this change safe to merge?"
    assert found["target"] == "what is staged"
    assert found["touched"][0]["path"] == "secret/limits.txt"
    assert found["verdict"]["state"] == "NEEDS_HUMAN"
    assert "secret/limits.txt is a critical path (secret/)" in found["verdict"]["why"][0]
    ran = council(daemon, stage, "is it safe?", "--diff", "main..no-such-branch")
    assert ran.returncode == 1
    assert "no-such-branch" in ran.stderr


def test_a_program_gets_what_was_handed_in_without_its_secrets(
    daemon: Daemon, stage: Stage, tmp_path: Path
) -> None:
    stage.all_say("PASS")
    token = "ghp_" + "k3J9xQ2mW8vT4rY7pL1sD6fG0hB5nC" + "aZ8uE2"
    log = tmp_path / "ci.log"
    log.write_text(f"pushing with {token}\nFAILED test_pay\n")
    assert council(daemon, stage, "can we ship it?", "--log", str(log)).returncode == 3
    prompts = [file.read_text() for file in stage.prompts]
    assert len(prompts) == 3
    assert all("FAILED test_pay" in prompt for prompt in prompts)
    kept = stage.folder.parent  # the home, with all that the daemon keeps, and what jurors read
    assert not [file for file in kept.rglob("*") if _holds(file, token)]


def _holds(file: Path, token: str) -> bool:
    return file.is_file() and token.encode() in file.read_bytes()


def test_outcomes_make_weights_and_memory_knows_what_was_decided(own: Stage) -> None:
    with running(own.home, own.settings) as daemon:
        daemon.index(own.repo.path)
        _an_outcome_is_learnt_from(daemon, own)


def _an_outcome_is_learnt_from(daemon: Daemon, stage: Stage) -> None:
    stage.says("ann", opinion("PASS", "Postgres", "the ledger needs transactions"))
    stage.says("bob", opinion("PASS", "Postgres", "the ledger needs transactions"))
    stage.says("cyd", opinion("PASS", "Mongo", "documents vary", confidence=0.5))
    assert council(daemon, stage, "Postgres or Mongo for the ledger?").returncode == 0
    ran = council(daemon, stage, "outcome", "1", "right", "--note", "a year without trouble")
    assert ran.returncode == 0
    assert "cyd was wrong on general" in ran.stdout
    weights = json.loads(council(daemon, stage, "weights", "--json").stdout)["weights"]
    by_name = {one["juror"].rpartition(" ")[2]: one["weight"] for one in weights}
    assert by_name["ann"] > 1 > by_name["cyd"]

    def answered() -> str:
        return daemon.hermes(
            "ask", "what did the council decide about the ledger?", cwd=stage.repo.path
        ).stdout

    answer = until(answered, lambda text: "a year without trouble" in text)
    first = answer.splitlines()[0]
    assert first.startswith("The council decided on ")
    assert "Postgres" in first
    assert "It turned out right: a year without trouble [1]." in first
    assert "council" in answer.partition("Sources")[2]
    before = asked(daemon, stage, "Mongo or Postgres for the ledger?")
    (prior,) = before["prior"]
    assert prior["title"].startswith("Postgres over Mongo")
    assert prior["title"].endswith("it turned out right")


def test_a_lesson_is_set_undone_and_in_the_journal(daemon: Daemon, stage: Stage) -> None:
    ran = council(daemon, stage, "learn", "hermes3:8b | security | 1.5")
    assert ran.stdout == "hermes3:8b counts ×1.5 on security\n"
    number = ran.stderr.split()[-1]
    assert f"hermes council undo {number}" in ran.stderr
    assert council(daemon, stage, "undo", number).returncode == 0
    assert council(daemon, stage, "undo", number).returncode == 1
    log = daemon.hermes("log").stdout
    assert "hermes3:8b counts ×1.5 on security" in log
    assert "no longer counts" in log


BAD: list[tuple[list[str], int, str]] = [
    (["why did we drop redis?"], 2, 'hermes ask "why did we drop redis?"'),
    ([], 2, "council what?"),
    (["show", "x"], 2, "x is no number"),
    (["show", "7777"], 1, "there is no council 7777"),
    (["outcome", "1"], 2, "how did it turn out?"),
    (["learn", "nobody"], 2, "needs a juror, a topic and a factor"),
    (["approve", "4"], 1, "there is no open proposal 4"),
    (["is it safe?", "--preset", "nope"], 2, "there is no preset 'nope'"),
    (["is it safe?", "--file", "nope.md"], 2, "nope.md can't be read"),
    (["is it safe?", "--diff"], 3, "nothing is staged"),
    (["reflect"], 3, "no juror has 2 real dissents"),
]


def test_bad_input_is_told_in_a_line(daemon: Daemon, stage: Stage) -> None:
    for words, code, told in BAD:
        ran = council(daemon, stage, *words)
        assert (ran.returncode, ran.stdout) == (code, ""), words
        assert told in ran.stderr


def test_two_councils_asked_at_once_do_not_wait_for_each_other(
    daemon: Daemon, stage: Stage
) -> None:
    found: list[dict[str, Any]] = []

    def ask(question: str) -> None:
        found.append(asked(daemon, stage, question))

    threads = [threading.Thread(target=ask, args=(f"should we ship {n}?",)) for n in (1, 2)]
    for thread in threads:
        thread.start()
    until(lambda: len(stage.prompts), lambda n: n == 6)
    stage.all_say("PASS")
    for thread in threads:
        thread.join(60)
    assert [one["verdict"]["agreement"]["of"] for one in found] == [3, 3]
    assert len({one["id"] for one in found}) == 2


def test_a_council_goes_on_after_its_daemon_was_killed(own: Stage) -> None:
    own.says("ann", opinion("PASS", "yes", "heard before the kill"))
    with running(own.home, own.settings) as first:
        first.index(own.repo.path)
        with first.connect() as client:
            body = {"question": "should we ship it?", "cwd": str(own.repo.path)}
            with pytest.raises(DaemonLost):
                for event in client.stream("POST", "/v1/councils", body):
                    if event["type"] == "heard":
                        first.kill()
    own.says("bob", opinion("PASS", "yes", "heard after the kill"))
    own.says("cyd", opinion("PASS", "yes", "heard after the kill"))
    with running(own.home, own.settings) as second:
        ran = council(second, own, "show", "1")
        assert "heard before the kill" in ran.stdout, ran.stdout + ran.stderr
        assert "heard after the kill" in ran.stdout
        events = second.stream("GET", "/v1/councils/1/watch")
        assert events[-1]["council"]["verdict"]["agreement"]["of"] == 3


def test_a_report_that_a_kill_prevented_is_written_later_and_once(own: Stage) -> None:
    log = own.folder.parent / "ci.log"
    log.write_text("a line of a log that takes long to write down\n" * 8_000)
    own.all_say("PASS")
    reports = own.repo.path / ".hermes" / "council"
    for attempt in range(1, 9):  # until a kill falls between the verdict and its report
        question = f"should we ship release {attempt}?"
        _killed_with_the_verdict(own, question, log)
        written = _of_release(reports, attempt)
        with running(own.home, own.settings) as daemon:
            if not written:
                until(partial(_of_release, reports, attempt), bool)
            daemon.settle()
            (report,) = _of_release(reports, attempt)
            assert report.read_text().startswith(f"# {question}")
            if not written:
                (job,) = [
                    one
                    for one in daemon.call("GET", "/v1/jobs?limit=50")["jobs"]
                    if one["agent"] == "council" and one["subject"] == f"c{attempt}"
                ]
                assert job["state"] == "ok"
                return
    pytest.fail("no kill fell between the verdict and its report")


def _of_release(reports: Path, number: int) -> list[Path]:
    return list(reports.glob(f"*release-{number}*.md"))


def _killed_with_the_verdict(stage: Stage, question: str, log: Path) -> None:
    """Ask, and kill the daemon as soon as the verdict is on disk."""
    work = locate({"HERMES_AMBIENT_HOME": str(stage.home)}).work
    with running(stage.home, stage.settings) as daemon:
        daemon.index(stage.repo.path)
        with closing(sqlite3.connect(f"file:{work}?mode=ro", uri=True)) as db:
            count = "SELECT count(*) FROM council_verdicts"
            before = db.execute(count).fetchone()
            body = {
                "question": question,
                "cwd": str(stage.repo.path),
                "logs": [{"path": log.name, "text": log.read_text()}],
            }
            asking = threading.Thread(target=_ask_in_vain, args=(daemon, body))
            asking.start()
            until(lambda: db.execute(count).fetchone(), lambda now: now != before)
            daemon.kill()
        asking.join(60)


def _ask_in_vain(daemon: Daemon, body: dict[str, Any]) -> None:
    with suppress(HermesError):
        daemon.stream("POST", "/v1/councils", body)


def test_a_council_that_nobody_will_hold_is_abandoned_and_says_so(
    daemon: Daemon, stage: Stage
) -> None:
    number = 0
    with daemon.connect() as client:
        body = {"question": "should we ship it?", "cwd": str(stage.repo.path)}
        for event in client.stream("POST", "/v1/councils", body):
            if event["type"] == "numbered":
                number = event["id"]
            if event["type"] == "asking":
                break
    until(lambda: len(stage.prompts), lambda n: n == 3)
    subject = f"c{number}"
    (job,) = [one for one in daemon.call("GET", "/v1/jobs")["jobs"] if one["subject"] == subject]
    daemon.call("POST", f"/v1/jobs/{job['id']}/cancel", {})
    ran = until(
        lambda: council(daemon, stage, "show", str(number)),
        lambda ran: "abandoned" in ran.stderr,
        60,
    )
    assert ran.returncode == 1
    pids = [int(file.name.rpartition(".")[2]) for file in stage.prompts]
    until(lambda: [pid for pid in pids if lives(pid)], lambda left: not left)


def test_ctrl_c_leaves_the_council_to_itself(
    daemon: Daemon, stage: Stage, on_terminal: OnTerminal
) -> None:
    home = {"HERMES_AMBIENT_HOME": str(stage.home)}
    terminal = on_terminal("council", "should we ship it?", cwd=stage.repo.path, **home)
    terminal.until("thinking: juror.sh ann")
    os.kill(terminal.process.pid, signal.SIGINT)
    assert terminal.end() == 130
    behind = re.search(r"council (\d+) goes on behind", terminal.shown)
    assert behind
    stage.all_say("PASS")
    assert "ann has looked at it" in council(daemon, stage, "show", behind[1]).stdout


def test_without_any_model_rules_judge_and_say_so(home: Path, tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "shop")
    repo.commit({"a.py": "x = 1\n"}, "Begin")
    repo.write({"migrations/7.sql": "DROP TABLE users;\n"})
    repo.git("add", ".")
    with running(home) as daemon:
        daemon.index(repo.path)
        ran = daemon.hermes("council", "is it safe?", "--diff", cwd=repo.path)
        assert ran.returncode == 0
        assert "rules alone judge" in ran.stderr
        assert "by rules, without a model" in ran.stdout
        assert "removes stored data" in ran.stdout
        assert "rule:risky-paths" in ran.stdout
        none = daemon.hermes("council", "Redis or Memcached?", cwd=repo.path)
        assert none.returncode == 3
        assert "no opinion: a person has to decide" in none.stdout
        assert "nobody could judge it" in none.stderr
