"""``hermes themes``, ``consolidate`` and ``memory log|diff|revert`` with a real daemon and real git."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import AsyncIterator, Generator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hermes.surfaces.cli import main
from hermes.tests.builders.clock import noon
from hermes.tests.builders.daemon import LIGHT, Daemon, running
from hermes.tests.builders.git import ALEX, RepoBuilder
from hermes.tests.servers.ollama import OllamaServer

DAY = 86_400
QUIET = {
    "HERMES_AMBIENT_WATCH__ENABLED": "false",
    "HERMES_AMBIENT_COMMITS__ENABLED": "false",
    "HERMES_AMBIENT_DOCUMENTS__ENABLED": "false",
}
"""Nothing works by itself: each test says what is done."""


@pytest.fixture(autouse=True)
def at_noon() -> Generator[None]:
    """Days are looked at here: none is to end meanwhile."""
    with noon():
        yield


@pytest.fixture
def daemon(home: Path) -> Generator[Daemon]:
    with running(home, LIGHT | QUIET) as daemon:
        yield daemon


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    """Work of a week ago and of today."""
    shop = RepoBuilder(tmp_path / "shop")
    for days, path, subject in (
        (7, "payments/retry.py", "payments: try a payment again, since banks time out"),
        (0, "search/index.py", "search: index names of products too"),
    ):
        shop.now = int(time.time()) - days * DAY - 60
        shop.commit({path: "x = 1\n" * 20}, subject, author=ALEX)
    return shop


def hermes(daemon: Daemon, *words: str, cwd: Path | None = None, code: int = 0) -> str:
    """Run a command that is to end with a code; return what it printed on both streams."""
    ran = daemon.hermes(*words, cwd=cwd)
    assert ran.returncode == code, ran
    return ran.stdout + ran.stderr


def as_json(daemon: Daemon, *words: str, cwd: Path | None = None) -> Any:
    return json.loads(daemon.hermes(*words, "--json", cwd=cwd).stdout.splitlines()[-1])


def test_before_the_first_night_it_is_said_what_to_type(daemon: Daemon, shop: RepoBuilder) -> None:
    daemon.index(shop.path)
    assert "`hermes consolidate` makes themes now" in hermes(daemon, "themes", code=3)
    assert "no night yet" in hermes(daemon, "memory", "log")
    assert "no night yet" in hermes(daemon, "memory", "diff", code=1)
    assert "no night yet" in hermes(daemon, "memory", "revert", "last", code=1)


def test_a_night_is_done_read_and_taken_back(daemon: Daemon, shop: RepoBuilder) -> None:
    daemon.index(shop.path)
    assert "would change 4 pages: shop " in hermes(daemon, "consolidate", "--dry-run")
    said = hermes(daemon, "consolidate")
    assert "themes   shop: 2 days and 2 weeks" in said
    night = as_json(daemon, "memory", "log")["nights"][0]["id"][:7]
    assert f"hermes memory diff {night}" in said

    shown = hermes(daemon, "themes", cwd=shop.path)
    assert shown.startswith("shop, week ")
    assert ", so far" in shown
    assert "search" in shown
    assert "payments" not in shown
    assert shop.head()[:7] in shown
    about = hermes(daemon, "themes", "payments", "--repo", "shop")
    assert "since banks time out" in about
    assert "search" not in about

    assert f"{night}  " in hermes(daemon, "memory", "log")
    diff = hermes(daemon, "memory", "diff", night)
    assert "+# shop, week" in diff
    assert ".json" not in diff
    taken = hermes(daemon, "memory", "revert", night)
    assert f"4 pages are as before {night}" in taken
    assert "themes were taken back by night" in hermes(daemon, "themes", cwd=shop.path, code=3)
    assert "nothing has changed" in hermes(daemon, "consolidate"), "taken back, it stays so"
    hermes(daemon, "memory", "revert", "last")
    assert hermes(daemon, "themes", cwd=shop.path) == shown
    assert f"took back {night}" in hermes(daemon, "memory", "log")


def test_json_has_all_of_a_theme(daemon: Daemon, shop: RepoBuilder) -> None:
    daemon.index(shop.path)
    events = daemon.hermes("consolidate", "--json").stdout.splitlines()
    assert [step["name"] for step in json.loads(events[-1])["report"]["steps"]] == [
        *("marks", "themes", "compaction", "check", "titles", "answers")
    ]
    (page,) = as_json(daemon, "themes", "--day", "today", cwd=shop.path)["pages"]
    (theme,) = page["themes"]
    assert theme["references"] == [shop.head()]
    assert theme["people"] == ["Alex Roe"]
    assert theme["what"][0]["references"] == [shop.head()]
    other = RepoBuilder(shop.path.parent / "other")
    other.commit({"a.py": "x = 1\n"}, "Begin")
    assert "this repository is not in memory" in hermes(daemon, "themes", cwd=other.path)
    markdown = hermes(daemon, "themes", "--markdown", cwd=shop.path)
    assert markdown.startswith("# shop, week ")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["themes", "2026-W60"], "there is no 2026-W60"),
        (["themes", "2026-02-30"], "there is no 2026-02-30"),
        (["themes", "--day", "someday"], "don't know when 'someday' is"),
        (["themes", "--day", "today", "--week"], "--day goes without"),
        (["themes", "--since", "today", "--until", "2020-01-01"], "is after"),
        (["themes", "2026-W48", "--since", "today"], "says when already"),
        (["themes", "--repo", "x", "--all-repos"], "exclude each other"),
        (["memory", "log", "-n", "0"], "from 1 to 500"),
        (["memory", "diff", "../x"], "is no night"),
        (["memory", "revert"], "NIGHT is missing"),
    ],
)
def test_bad_input_gets_one_clear_line(
    words: list[str], told: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert told in capsys.readouterr().err
    assert not home.exists(), "nothing was started for it"


def test_an_empty_week_is_one_line(daemon: Daemon, shop: RepoBuilder) -> None:
    daemon.index(shop.path)
    hermes(daemon, "consolidate")
    said = hermes(daemon, "themes", "2019-W10", cwd=shop.path, code=3)
    assert said == "nothing happened that makes a theme: 2019-03-04 to 2019-03-10\n"
    assert "no theme is about zebras" in hermes(daemon, "themes", "zebras", cwd=shop.path, code=3)


def test_a_page_that_is_kept_no_more_is_made_and_only_shown(
    daemon: Daemon, shop: RepoBuilder, home: Path
) -> None:
    then = datetime.fromtimestamp(time.time() - 700 * DAY)
    shop.now = int(then.timestamp())
    shop.commit({"vault/door.py": "y = 2\n" * 20}, "vault: open the door only by day")
    week = f"{then:%G-W%V}"
    daemon.index(shop.path)
    hermes(daemon, "consolidate")
    kept = sorted((home / "themes").rglob("*.json"))
    said = hermes(daemon, "themes", week, cwd=shop.path)
    assert said.partition("\n")[0].endswith(", made now")
    assert "pen the door only by day" in said
    assert "pen the door" in hermes(daemon, "themes", f"{then:%Y-%m-%d}", cwd=shop.path)
    (page,) = as_json(daemon, "themes", week, cwd=shop.path)["pages"]
    assert page["kept"] is False
    assert sorted((home / "themes").rglob("*.json")) == kept
    assert "payments" in hermes(daemon, "themes", "payments", cwd=shop.path)
    said = hermes(daemon, "themes", "--since", f"{then:%Y-%m-%d}", cwd=shop.path)
    assert f"themes go back to {date.today() - timedelta(date.today().weekday() + 52 * 7)}" in said
    assert f"hermes themes {week}" in said


def test_a_page_that_was_taken_back_is_not_made_again_for_whoever_asks(
    daemon: Daemon, shop: RepoBuilder
) -> None:
    daemon.index(shop.path)
    today = time.strftime("%Y-%m-%d")
    assert ", so far, made now" in hermes(daemon, "themes", today, cwd=shop.path)
    hermes(daemon, "consolidate")
    assert ", made now" not in hermes(daemon, "themes", today, cwd=shop.path)
    hermes(daemon, "memory", "revert", "last")
    assert ", made now" not in hermes(daemon, "themes", today, cwd=shop.path, code=3)


def test_a_damaged_history_fails_the_night_and_leaves_the_pages(
    daemon: Daemon, shop: RepoBuilder, home: Path
) -> None:
    daemon.index(shop.path)
    hermes(daemon, "consolidate")
    before = hermes(daemon, "themes", cwd=shop.path)
    (home / "themes/.git/refs/heads/themes").write_text("nonsense")
    job = daemon.call("POST", "/v1/schedule/consolidate/run")
    assert job
    daemon.settle()
    assert hermes(daemon, "themes", cwd=shop.path) == before
    brief = " ".join(hermes(daemon, "brief").split())
    assert "the consolidation you asked for on " in brief
    assert "failed (the history of themes is damaged" in brief
    said = hermes(daemon, "consolidate", code=1)
    assert "the night was not done" in said
    assert f"rm -r {home}/themes/.git" in said
    subprocess.run(["rm", "-r", str(home / "themes/.git")], check=True)
    hermes(daemon, "consolidate")
    assert "not done" not in hermes(daemon, "incidents")


def test_a_folder_that_is_none_fails_the_night(
    daemon: Daemon, shop: RepoBuilder, home: Path
) -> None:
    daemon.index(shop.path)
    (home / "themes").write_text("a file")
    said = hermes(daemon, "consolidate", code=1)
    assert "the folder of themes can't be written" in said
    assert "Traceback" not in said
    said = hermes(daemon, "themes", cwd=shop.path, code=1)
    assert "the folder of themes can't be read: it is no folder" in said
    assert f"check what {home}/themes is" in said
    assert "can't be read" in hermes(daemon, "memory", "log", code=1)


def test_themes_that_cannot_be_read_are_not_taken_for_none(
    daemon: Daemon, shop: RepoBuilder, home: Path
) -> None:
    daemon.index(shop.path)
    hermes(daemon, "consolidate")
    history = home / "themes/.git"
    subprocess.run(["rm", "-r", str(history)], check=True)
    history.write_text("nonsense")
    assert "search" in hermes(daemon, "themes", cwd=shop.path), "pages need no history"
    said = hermes(daemon, "memory", "log", code=1)
    assert "the history of themes is damaged" in said
    assert f"rm -r {history}" in said
    pages = sorted(home.glob("themes/*/weeks/*.json"))
    for page in pages:
        page.write_text("{")
    said = hermes(daemon, "themes", cwd=shop.path, code=1)
    assert "the history of themes is damaged" in said
    history.unlink()
    said = hermes(daemon, "themes", cwd=shop.path, code=3)
    assert said.startswith(f"{pages[0]} and another page can't be read; check the permissions")
    assert "no night yet" not in said
    hermes(daemon, "consolidate")
    assert "search" in hermes(daemon, "themes", cwd=shop.path)


def test_a_repository_that_is_removed_leaves_the_themes_and_their_history(
    daemon: Daemon, shop: RepoBuilder, tmp_path: Path, home: Path
) -> None:
    bank = RepoBuilder(tmp_path / "bank")
    bank.now = int(time.time()) - 60
    bank.commit({"vault/door.py": "y = 2\n" * 20}, "vault: open the door only by day")
    daemon.index(shop.path)
    daemon.index(bank.path)
    hermes(daemon, "consolidate")
    assert "vault" in hermes(daemon, "themes", "--all-repos")
    hermes(daemon, "remove", "bank", "--yes")
    shown = hermes(daemon, "themes", "--all-repos")
    assert "vault" not in shown
    assert "search" in shown
    history = subprocess.run(
        ["git", "log", "-p", "--all"], cwd=home / "themes", capture_output=True, check=True
    )
    assert b"search" in history.stdout
    assert b"vault" not in history.stdout


def test_a_model_titles_a_theme_once_and_why_tells_of_the_call(
    home: Path, shop: RepoBuilder
) -> None:
    shop.now = int(time.time()) - 120
    for number, subject in enumerate(("search: fold accents", "search: rank whole names first")):
        shop.commit({f"search/part{number}.py": "x = 1\n" * 20}, subject, author=ALEX)
    better = "Search: rank whole names first, fold accents"

    async def answer(body: dict[str, Any]) -> AsyncIterator[str]:
        yield json.dumps({"title": better})

    with OllamaServer(answer=answer) as server:
        settings = {
            "HERMES_AMBIENT_EMBEDDER__PROVIDER": "none",
            "HERMES_AMBIENT_OLLAMA__HOST": server.url,
            "HERMES_AMBIENT_ROUTER__MODE": "rules",
            "HERMES_AMBIENT_BRIEF__ENABLED": "false",
        }
        with running(home, settings | QUIET) as daemon:
            daemon.index(shop.path)

            def asked() -> int:
                calls = server.calls("/api/chat")
                return sum("short title" in json.dumps(call) for call in calls)

            hermes(daemon, "consolidate")
            assert asked() == 1, "the day and the week say the same"
            assert better in hermes(daemon, "themes", cwd=shop.path)
            [job] = daemon.call("GET", "/v1/jobs?agent=synthesizer")["jobs"]
            story = daemon.call("GET", f"/v1/why/j{job['id']}")["jobs"][0]
            assert [call["outcome"] for call in story["calls"]] == ["ok"]
            before = sorted((home / "themes").rglob("*.json"))
            hermes(daemon, "consolidate")
            assert asked() == 1
            assert sorted((home / "themes").rglob("*.json")) == before


def test_switched_off_it_says_how_to_switch_it_on(home: Path) -> None:
    with running(home, LIGHT | QUIET | {"HERMES_AMBIENT_NIGHT__ENABLED": "false"}) as daemon:
        assert "night.enabled is off" in hermes(daemon, "consolidate", code=1)
        assert "night.enabled is off" in hermes(daemon, "themes", code=3)
