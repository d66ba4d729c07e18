"""``hermes brief`` with what exports of GitHub, Slack and Linear tell, read by a real daemon."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes.surfaces.cli import exits
from hermes.tests.builders import github as gh
from hermes.tests.builders import slack
from hermes.tests.builders.daemon import LIGHT, Daemon, running
from hermes.tests.builders.git import RepoBuilder

pytestmark = pytest.mark.timeout(300)

SAM, KIM, LEA = "Sam Ito <sam@acme.example>", "Kim Noor", "Lea Brandt"
HOUR = 3600
LIMITER = "shop/limiter.py"


def write(folder: Path, now: int, *, answered: bool = False) -> dict[str, Path]:
    """Write the exports: a review and a question of the last hours, and what has waited for days."""
    night, before = now - 2 * HOUR, now - 30 * HOUR
    people = {"kimnoor": KIM, "sam-ito": "Sam Ito"}
    commits = [
        {
            "oid": gh.HEAD,
            "messageHeadline": "Count in Redis",
            "authors": [{"login": "sam-ito", "name": "Sam Ito", "email": "sam@acme.example"}],
        }
    ]
    kim = {"id": "U_2", "is_bot": False, "login": "kimnoor", "name": KIM}
    answer = [gh.printed_comment("sam-ito", "It is atomic.", now - HOUR)] if answered else []
    records = [
        gh.printed_pull(
            482,
            "Count requests in Redis",
            createdAt=gh.at(before),
            updatedAt=gh.at(night),
            commits=commits,
            reviews=[
                gh.printed_review("kimnoor", "CHANGES_REQUESTED", "Not yet.", night)
                | {"author": kim}
            ],
            comments=answer,
        ),
        gh.remark(482, "Why a script?", by=gh.user("kimnoor"), when=night - 60, path=LIMITER),
        gh.printed_pull(
            483,
            "Refuse with 429",
            author=kim,
            createdAt=gh.at(before),
            updatedAt=gh.at(before),
            reviewRequests=[{"login": "sam-ito", "name": "Sam Ito"}],
        ),
    ]
    space = slack.Workspace()
    sam = space.member("Sam Ito", email="sam@acme.example")
    other = space.member(people["kimnoor"], email="kim@acme.example")
    payments = space.place("payments", members=(sam, other))
    asked = f"<@{sam}> can the limiter count in Redis with one script?"
    space.say(payments, other, asked, at=night - slack.BEGUN)
    paths = {"github": folder / "pulls.json", "slack": folder / "chat.zip"}
    paths["linear"] = folder / "issues.csv"
    paths["github"].write_text(json.dumps(records), encoding="utf-8")
    slack.write_zip(space.files(), paths["slack"])
    with paths["linear"].open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, quoting=csv.QUOTE_ALL)
        table.writerow(("ID", "Title", "Status", "Creator", "Assignee", "Created", "Updated"))
        at = f"{datetime.fromtimestamp(night, UTC):%a %b %d %Y %H:%M:%S} GMT+0000 (GMT)"
        row = ("ENG-17", "Retry queue grows", "Todo", "kim@acme.example", "sam@acme.example")
        table.writerow((*row, at, at))
    return paths


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    repo = RepoBuilder(tmp_path / "shop")
    repo.config("user.name", "Sam Ito")
    repo.config("user.email", "sam@acme.example")
    begun = int(time.time()) - 48 * HOUR
    repo.commit({LIMITER: "counts = {}\n"}, "Limit requests", author=SAM, when=begun)
    repo.git("remote", "add", "origin", "git@github.com:acme/shop.git")
    return repo


@pytest.fixture
def daemon(home: Path, shop: RepoBuilder) -> Generator[Daemon]:
    with running(home, LIGHT) as started:
        started.index(shop.path)
        yield started


def add(daemon: Daemon, paths: dict[str, Path], shop: RepoBuilder) -> None:
    for kind, option in (("github", "--export"), ("slack", "--export"), ("linear", "--csv")):
        words = ("sources", "add", kind, option, str(paths[kind]))
        more = ("--repo", "acme/shop") if kind == "github" else ()
        added = daemon.hermes(*words, *more, cwd=shop.path)
        assert added.returncode == exits.DONE, added.stderr


def test_reviews_tickets_and_questions_are_told_by_themselves(
    tmp_path: Path, daemon: Daemon, shop: RepoBuilder
) -> None:
    now = int(time.time())
    before = daemon.hermes("brief", "--since", "2020-01-01", "--all").stdout
    assert "#48" not in before and "Not read" not in before
    add(daemon, write(tmp_path, now), shop)
    shown = daemon.hermes("brief", "--all", cwd=shop.path).stdout
    said = " ".join(shown.split())
    assert "Kim Noor asked for changes on your #482 “Count requests in Redis”" in said
    assert "2 comments, first in shop/limiter.py" in said
    assert "Kim Noor asks for your review of #483 “Refuse with 429”" in said
    assert "ENG-17 “Retry queue grows” was assigned to you" in said
    assert "Kim Noor asks you in #payments" in said
    assert "answer Kim Noor's review of #482 “Count requests in Redis”" in said
    for reference in ("#482", "ENG-17", "slack:C00000001/"):
        assert reference in shown
        named = next(word for word in shown.replace("(", " ").split() if reference in word)
        found = daemon.hermes("show", named.rstrip("),;:"), cwd=shop.path)
        assert found.returncode == exits.DONE, found.stderr
    assert "#482" in daemon.hermes("brief", "--since", "2020-01-01", "--markdown").stdout
    assert "Kim Noor reviewed #482" in daemon.hermes("brief", "--team").stdout
    theirs = daemon.hermes("brief", "--author", "kim", "--since", "2020-01-01").stdout
    assert "reviewed #482 “Count requests in Redis”: changes requested" in theirs


def test_a_source_that_can_not_be_read_is_named_and_what_was_answered_is_gone(
    tmp_path: Path, daemon: Daemon, shop: RepoBuilder
) -> None:
    now = int(time.time())
    paths = write(tmp_path, now)
    add(daemon, paths, shop)
    assert daemon.hermes("sources", "pause", "slack").returncode == exits.DONE
    paths["linear"].write_text("no table", encoding="utf-8")
    assert daemon.hermes("sources", "sync", "linear").returncode != exits.DONE
    later = tmp_path / "later"
    later.mkdir()
    write(later, now, answered=True)["github"].replace(paths["github"])
    assert daemon.hermes("sources", "sync", "github").returncode == exits.DONE
    shown = " ".join(daemon.hermes("brief", "--all").stdout.split())
    assert "slack: paused, last read today" in shown
    assert "linear: failed, last read today" in shown
    assert "asked for changes on your #482" not in shown
    assert "#482 “Count requests in Redis” waits for a review by Kim Noor" in shown
