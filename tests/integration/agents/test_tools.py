"""The tools on a real repository: what they show, and what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hermes.agents.evidence import Evidence
from hermes.agents.people import People
from hermes.agents.tools.registry import CallRefused
from hermes.agents.tools.toolbox import TOOLBOX
from hermes.agents.tools.workshop import Workshop
from hermes.ingest.git.command import Git
from hermes.memory.recall import recall
from hermes.memory.records import Chunk, Filters
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.ingested import Ingested
from hermes.tests.builders.library import NOW, Library


def workshop_of(library: Library) -> Workshop:
    return make_workshop(library.memory, {library.repo: library.git})


def make_workshop(memory: Any, gits: dict[str, Git]) -> Workshop:
    evidence = Evidence()
    filters = Filters(repos=tuple(gits))

    def no_message(repo: str, sha: str) -> Chunk | None:
        return None

    people = People(memory.index, filters, evidence, no_message, int(NOW.timestamp()))
    return Workshop(memory, recall, filters, gits, evidence, people, response_tokens=700)


def use(library: Library, tool: str, /, **arguments: object) -> str:
    return TOOLBOX.call(tool, arguments, workshop_of(library))


def test_git_show_shows_the_message_and_the_files(library: Library) -> None:
    shown = use(library, "git_show", sha=library.shas["dropped"][:8])
    assert shown.startswith(f"<source n=1 commit={library.shas['dropped'][:10]} date=2025-03-02")
    assert "Jobs ran twice" in shown
    assert "worker/queue.py" in shown
    assert "broker.send" not in shown


def test_git_show_with_a_path_shows_its_diff(library: Library) -> None:
    shown = use(library, "git_show", sha=library.shas["dropped"], path="worker/broker.py")
    assert "+    broker.send(job)" in shown
    assert "queue.py" not in shown


def test_git_log_numbers_each_commit(library: Library) -> None:
    newer, older = use(library, "git_log", path="limits", limit=5).splitlines()
    assert newer == f"[1] {library.shas['limiter2'][:10]} 2025-02-20 Sam Doe: Raise the rate to 9"
    assert older.startswith(
        f"[2] {library.shas['limiter'][:10]} 2025-01-31 Alex Roe: Limit requests"
    )
    assert "Alex Roe" not in use(library, "git_log", author="sam")


def test_git_blame_says_who_wrote_each_line(library: Library) -> None:
    shown = use(library, "git_blame", path="limits/rate_limiter.py")
    assert shown == "[1] Sam Doe 2025-02-20 1: RATE = 9"


def test_read_file_reads_lines_as_of_a_commit(library: Library) -> None:
    gone = use(library, "read_file", path="worker/queue.py", revision=library.shas["queue"])
    assert "Lines 1-3 of 3" in gone
    assert "retry_queue.append(job)" in gone
    second = use(library, "read_file", path="worker/broker.py", first_line=2, last_line=2)
    assert "broker.send" in second
    assert "def push" not in second


def test_search_memory_fences_what_it_finds(library: Library) -> None:
    found = use(library, "search_memory", query="token bucket bursts", author="alex")
    assert "A fixed window let bursts through" in found
    assert found.count("<source n=") == found.count("</source>")


def test_who_knows_names_people(library: Library) -> None:
    assert "ask Sam Doe (1 commit" in use(library, "who_knows", topic="rate limiter")


REFUSED: dict[str, tuple[str, dict[str, object], str]] = {
    "up and out": ("read_file", {"path": "../../etc/passwd"}, "not a path inside"),
    "up in the middle": ("read_file", {"path": "worker/../../x"}, "not a path inside"),
    "absolute": ("read_file", {"path": "/etc/passwd"}, "not a path inside"),
    "a drive": ("read_file", {"path": "C:\\Windows\\win.ini"}, "not a path inside"),
    "backslashes": ("read_file", {"path": "..\\..\\etc\\passwd"}, "not a path inside"),
    "a link": ("read_file", {"path": "outside"}, "symbolic link"),
    "through a link": ("read_file", {"path": "outside/x"}, "there is no file"),
    "git's own files": ("read_file", {"path": ".git/config"}, "there is no file"),
    "a folder": ("read_file", {"path": "worker"}, "is not a file"),
    "pathspec magic": ("git_log", {"path": ":(top)worker"}, "not a path inside"),
    "a glob": ("read_file", {"path": "worker/*"}, "there is no file"),
    "an option as revision": ("git_show", {"sha": "--output=/tmp/x"}, "is not a revision"),
    "an option as path": ("git_log", {"path": "--all"}, "no commit matches"),
    "a range": ("git_show", {"sha": "HEAD..main"}, "is not a revision"),
    "a pipe": ("git_show", {"sha": "HEAD;id"}, "is not a revision"),
    "no such commit": ("git_show", {"sha": "f" * 12}, "no commit"),
    "an unchanged file": ("git_show", {"sha": "HEAD", "path": "README.md"}, "does not change"),
    "lines beyond the end": (
        "git_blame",
        {"path": "README.md", "first_line": 50, "last_line": 60},
        "git says",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_leads_elsewhere_is_refused(library: Library, case: str) -> None:
    tool, arguments, words = REFUSED[case]
    with pytest.raises(CallRefused) as refused:
        TOOLBOX.call(tool, arguments, workshop_of(library))
    assert words in refused.value.message


def test_nothing_is_written_by_any_tool(library: Library) -> None:
    before = library.path.stat().st_mtime_ns, library.git.run("status", "--porcelain")
    for tool, arguments in (
        ("git_show", {"sha": "HEAD"}),
        ("git_log", {}),
        ("git_blame", {"path": "README.md", "last_line": 1}),
        ("read_file", {"path": "README.md"}),
    ):
        use(library, tool, **arguments)
    assert (library.path.stat().st_mtime_ns, library.git.run("status", "--porcelain")) == before


def test_secrets_binaries_and_vanished_commits_are_not_shown(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "vault")
    key = "AKIA" + "Q3EGRIWJ7LMX4TZB"
    files: dict[str, str | bytes | None] = {
        "deploy.sh": f"export AWS_ACCESS_KEY_ID={key}\n",
        "logo.png": b"\x89PNG\x00\x01",
    }
    repo.commit(files, "Deploy")
    gone = repo.commit({"a.txt": "one\n"}, "Soon gone")
    repo.commit({"a.txt": "two\n"}, "Instead", amend=True)
    with Ingested(tmp_path / "memory", repo.path) as taken:
        taken.run()
        shop = make_workshop(taken.memory, {taken.repo.id: Git.open(repo.path)})
        shown = TOOLBOX.call("read_file", {"path": "deploy.sh"}, shop)
        shown += TOOLBOX.call("git_show", {"sha": "HEAD~1", "path": "deploy.sh"}, shop)
        shown += TOOLBOX.call("git_blame", {"path": "deploy.sh", "last_line": 1}, shop)
        assert key not in shown
        assert shown.count("[redacted") == 3
        with pytest.raises(CallRefused, match="binary"):
            TOOLBOX.call("read_file", {"path": "logo.png"}, shop)
        with pytest.raises(CallRefused, match="no commit"):
            TOOLBOX.call("git_show", {"sha": gone}, shop)
