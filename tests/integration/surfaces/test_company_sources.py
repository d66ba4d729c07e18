"""A company's exports, added by hand and asked about: what an answer rests on comes from everywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import mean

import pytest

from hermes.memory.embedders.static import StaticEmbedder
from hermes.memory.memory import Memory
from hermes.surfaces.cli import exits
from hermes.tests.builders import github as gh
from hermes.tests.builders.company.asking import AT_LEAST, asked
from hermes.tests.builders.company.build import refs_of
from hermes.tests.builders.company.files import Files, write
from hermes.tests.builders.company.people import moment
from hermes.tests.builders.company.questions import REDIS, REDIS_EVIDENCE
from hermes.tests.builders.daemon import LIGHT, Daemon, running
from hermes.tests.builders.searching import where_is

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """What a person has of the company."""
    return write(tmp_path_factory.mktemp("company"))


@contextmanager
def told(home: Path, files: Files, settings: Mapping[str, str] = LIGHT) -> Generator[Daemon]:
    """A daemon that was told of all of it in a terminal."""
    with running(home, settings) as started:
        started.index(files.repository)
        for words, said in (
            (("docs", "."), "docs: looked at 12 files: 12 new"),
            (("slack", "--export", str(files.chat)), "79 messages: 33 new discussions"),
            (("linear", "--csv", str(files.tickets)), "linear: looked at 9 tickets: 9 new"),
            (("github", "--export", str(files.pulls)), "12 issues and pull requests: 12 new"),
        ):
            added = started.hermes("sources", "add", *words, cwd=files.repository)
            assert added.returncode == exits.DONE, added.stderr
            assert said in added.stdout
            assert "contacts nobody" in added.stdout
        started.settle()
        yield started


@pytest.fixture(scope="module")
def daemon(files: Files, tmp_path_factory: pytest.TempPathFactory) -> Generator[Daemon]:
    """A daemon that knows the company, with vectors."""
    settings = LIGHT | {"HERMES_AMBIENT_EMBEDDER__PROVIDER": "static"}
    with told(tmp_path_factory.mktemp("home") / "hermes-home", files, settings) as started:
        yield started


def test_the_choice_of_redis_is_told_by_its_four_sources_and_no_other(
    daemon: Daemon, files: Files
) -> None:
    asked = daemon.hermes("ask", f"{REDIS[0].upper()}{REDIS[1:]}?", cwd=files.repository)
    assert asked.returncode == exits.DONE, asked.stderr
    told, _, sources = asked.stdout.partition("\nSources\n")
    assert len(sources.strip().splitlines()) == len(REDIS_EVIDENCE)
    for name in ("docs/adr/0007-redis-for-rate-limits.md", "#212", "#219", "#eng-platform"):
        assert len(re.findall(rf"^\[\d\].*{re.escape(name)}", sources, re.MULTILINE)) >= 1
    assert "It evicts counters when memory is short" in told
    assert "redis. one script, atomic" in told


def test_the_evidence_of_a_question_is_among_the_first_five(daemon: Daemon) -> None:
    with Memory.open(daemon.home / "memory", embedder=StaticEmbedder()) as memory:
        assert mean(outcome.share() for outcome in asked(memory)) >= AT_LEAST


def test_what_is_the_same_from_its_exports_is_called_the_same(daemon: Daemon) -> None:
    with Memory.open(daemon.home / "memory", embedder=None) as memory:
        refs = refs_of(memory)
        for name in ("chat:limiter", "chat:friday", "#212", "#290", "ENG-12", "ADR-7"):
            assert memory.index.items.get(refs[name]) is not None
        pull = memory.index.items.get(refs["#219"])
        assert pull is not None
        assert pull.state == "merged"
        assert ("Priya Raman", "priya@harbor.example") in pull.people


def test_somebody_who_is_everywhere_is_forgotten_everywhere(
    home: Path, files: Files, tmp_path: Path
) -> None:
    records = json.loads(files.pulls.read_text())
    [shops] = [each for each in records if each.get("number") == 240]
    shops["body"] += " cc @kim-noor. Kim Noor wrote the first one."
    shops["assignees"] = [{"id": "U_Kim", "login": "kim-noor", "name": "Kim Noor"}]
    shops["reviewRequests"] = [{"__typename": "User", "login": "kim-noor"}]
    shops["reviews"] = [
        gh.printed_review("kim-noor", "APPROVED", "Right.", moment("2025-05-24 10:00"))
    ]
    pulls = tmp_path / "pulls.json"
    pulls.write_text(json.dumps(records))
    with told(home, replace(files, pulls=pulls)) as daemon:
        shown = daemon.hermes("show", "#240").stdout
        assert "assignee  Kim Noor" in shown
        assert "cc @Kim Noor. Kim Noor wrote" in shown
        assert "Kim Noor (24 May 2025 10:00, approved): Right." in shown
        assert "assignee  Kim Noor" in daemon.hermes("show", "ENG-12").stdout

        forgotten = daemon.hermes("forget", "--person", "Kim Noor", "--yes")
        assert forgotten.returncode == exits.DONE, forgotten.stderr
        assert "nothing is left" in forgotten.stdout + forgotten.stderr
        shown = daemon.hermes("show", "#240").stdout
        assert "cc [forgotten]. [forgotten] wrote" in shown
        assert "Right." not in shown
        for words in ("show", "#240"), ("show", "ENG-12"), ("search", "Kim Noor"), ("ask", REDIS):
            ran = daemon.hermes(*words)
            assert "noor" not in (ran.stdout + ran.stderr).lower().replace('"kim noor"', "")
        assert "knows nothing called #219" in daemon.hermes("show", "#219").stderr
        for name in "Kim Noor", "kim@harbor.example", "kim-noor", "@kim":
            assert where_is(home, name) == []
        again = daemon.hermes(
            "sources", "add", "slack", "--export", str(files.chat), "--name", "chat"
        )
        assert again.returncode == exits.DONE
        assert where_is(home, "Kim Noor") == []
