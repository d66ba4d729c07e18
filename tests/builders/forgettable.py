"""A home in which one person is everywhere: history, discussions, tests, briefs, themes, logs."""

from __future__ import annotations

import gzip
import time
from contextlib import closing
from pathlib import Path

from hermes.ingest.items import take_in
from hermes.memory.drafts import Stored
from hermes.memory.memory import Memory
from hermes.memory.test_records import Why
from hermes.memory.work import Work

from .daemon import Daemon, running
from .git import RepoBuilder
from .items import KIM, SAM, thread, ticket
from .runs import failed, passed, record

NAME, MAIL, OTHER = "Quentin Platypus", "quentin@zoo.example", "qp@home.example"
JO = (NAME, MAIL)
PERSON = (NAME, MAIL, OTHER)
THEIRS = ("wombat parade", "marching marsupials", "billabong", "parading plans")
"""What they wrote themselves."""


def make_repo(path: Path) -> RepoBuilder:
    """Make a repository of the last days with their commits, and others that speak of them."""
    repo = RepoBuilder(path)
    repo.now = int(time.time()) - 3 * 86_400
    for number in range(12):
        repo.commit({f"src/mod{number}.py": f"def f{number}(): pass\n"}, f"Add module {number}")
    repo.commit(
        {"zoo.py": "# marching marsupials\n"},
        "Start the wombat parade because gates were shut (ENG-17)\n\nThe keeper asked for it.",
        author=f"{NAME} <{MAIL}>",
    )
    repo.commit({"zoo.py": "# slower\n"}, "Slow the wombat parade", author=f"{NAME} <{OTHER}>")
    repo.commit(
        {"CODEOWNERS": f"zoo.py {MAIL}\n", "gates.py": "open = True\n"},
        f"Open gates, as {NAME} wished\n\nCo-authored-by: {NAME} <{MAIL}>",
    )
    return repo


def fill(home: Path, path: Path) -> None:
    """Have a daemon read the repository, answer, write a brief and do a night; put discussions,
    test runs, drafts and logs beside. Nothing runs afterwards."""
    with running(home) as daemon:
        repo, _ = daemon.index(path)
        daemon.settle()
    with Memory.open(home / "memory", embedder=None, write=True) as memory:
        take_in(
            memory,
            [
                thread(1, "parading plans\nSam Ito: fine", people=[JO, SAM]),
                thread(
                    2,
                    f"Lunch\nKim Noor: where?\n{NAME}: at the billabong\nKim Noor: right",
                    people=[SAM, KIM, JO],
                ),
                ticket("ENG-17", "Gates are shut", f"Ask {NAME}\n", assignee=NAME),
            ],
        )
    with closing(Work(home / "work.db")) as work:
        why = Why("AssertionError", f"{NAME} != Sam", "tests/test_zoo.py", 3, f"E  <{MAIL}>")
        record(work.runs, *failed("tests/test_zoo.py::t", why=why), at=time.time(), repo=repo["id"])
        record(work.runs, *passed("tests/test_ok.py::t"), at=time.time(), repo=repo["id"])
        work.drafts.put(
            Stored(
                repo["id"], str(path), "t" * 40, "h" * 40, "main", time.time(), "rule",
                "Open the gates", trailers=(f"Co-authored-by: {NAME} <{MAIL}>",),
            )
        )  # fmt: skip
    ready = home / "drafts" / "ready"
    ready.mkdir(parents=True, exist_ok=True)
    (ready / "0123").write_text(f"tree\nhead\nref\n\nOpen the gates\n\nThanks: {NAME}\n")
    with running(home) as daemon:
        assert daemon.hermes("ask", "--plain", "why was the wombat parade started?").returncode == 0
        assert daemon.hermes("ask", "--plain", f"what did {NAME} do?").returncode in (0, 3)
        asked = {"text": f"tell me about {NAME}", "repo": repo["id"]}
        daemon.call("POST", "/v1/requests", asked)
        assert daemon.hermes("consolidate").returncode == 0
        daemon.hermes("brief", "--all-repos", cwd=path)
        daemon.settle()
    log = home / "log"
    with (log / "daemon.log").open("a") as file:
        file.write(f"2026-01-01 INFO x: a commit of {NAME} <{MAIL}>\\n{NAME}\n")
    (log / "daemon.log.1").write_text(f"older: {MAIL}\n")


def forget(daemon: Daemon) -> None:
    """Have the person forgotten, by the command line."""
    done = daemon.hermes("forget", "--person", NAME, "-y")
    assert done.returncode == 0, (done.stdout, done.stderr)


def gzipped(path: Path, text: str) -> None:
    """Write a packed file."""
    path.write_bytes(gzip.compress(text.encode()))
