"""The folder of themes: files for people, and every night of them in a git repository of its own."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, date, timedelta
from pathlib import Path

import pytest

from hermes.agents.themes.archive import ThemesDamaged, ThemesUnwritable
from hermes.agents.themes.folder import NoSuchNight, NothingToRevert, ThemesFolder
from hermes.agents.themes.records import Line, Page, State, Theme

SHOP = "5f0c2a917be34d0c"
BANK = "91aa17c04be34d0c"
MONDAY = date(2026, 11, 30)
AT = 1_764_500_000


def page(
    title: str, *, first: date = MONDAY, days: int = 1, repo: str = SHOP, name: str = "shop"
) -> Page:
    sha = title.encode().hex().ljust(40, "0")[:40]
    theme = Theme(
        key=f"scope:{title}",
        title=title,
        state=State.OPEN,
        what=(Line(f"{title} was worked on", (sha,)),),
        people=("Sam Doe",),
        references=(sha,),
    )
    themes = (theme,) if title else ()
    last = first + timedelta(days - 1)
    return Page(repo, name, first, last, themes, digest=f"made from {title}")


def week(title: str) -> Page:
    return page(title, days=7)


def files(folder: Path) -> dict[str, bytes]:
    """Every file that a person sees there, by its path."""
    found = (each for each in folder.rglob("*") if each.is_file())
    shown = {str(each.relative_to(folder)): each for each in found}
    return {path: each.read_bytes() for path, each in shown.items() if path[0] != "."}


def titles(folder: ThemesFolder, since: date | None = None, until: date | None = None) -> list[str]:
    pages = folder.pages(SHOP, weeks=False, since=since, until=until)
    return [each.themes[0].title for each in pages]


def git(folder: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "themes"


@pytest.fixture
def folder(path: Path) -> ThemesFolder:
    return ThemesFolder(path)


def test_before_the_first_night_there_is_nothing_to_read(folder: ThemesFolder) -> None:
    assert folder.pages(weeks=True) == []
    assert folder.log() == []
    with pytest.raises(NoSuchNight, match="no night yet"):
        folder.diff("")


def test_a_night_is_files_and_one_commit(folder: ThemesFolder, path: Path) -> None:
    night = folder.write([page("payments"), week("payments")], "Night of 2026-11-30", AT)
    assert night is not None
    assert night.pages == ("shop-5f0c2a91/days/2026-11-30", "shop-5f0c2a91/weeks/2026-W49")
    assert folder.log() == [night]
    assert sorted(files(path)) == [
        "shop-5f0c2a91/days/2026-11-30.json",
        "shop-5f0c2a91/days/2026-11-30.md",
        "shop-5f0c2a91/weeks/2026-W49.json",
        "shop-5f0c2a91/weeks/2026-W49.md",
    ]
    assert git(path, "status", "--porcelain", "--untracked-files=no") == ""
    assert folder.pages(SHOP, weeks=False) == [page("payments")]


def test_the_same_pages_again_change_no_byte_and_make_no_commit(
    folder: ThemesFolder, path: Path
) -> None:
    folder.write([page("payments"), week("payments")], "Night", AT)
    before = files(path)
    assert folder.write([page("payments"), week("payments")], "Night", AT + 86_400) is None
    assert files(path) == before
    assert len(folder.log()) == 1


def test_pages_are_found_by_the_span_that_they_touch(folder: ThemesFolder) -> None:
    days = [page(f"day {n}", first=MONDAY + timedelta(n)) for n in range(4)]
    folder.write([*days, week("all of it")], "Night", AT)
    since, until = MONDAY + timedelta(1), MONDAY + timedelta(2)
    assert titles(folder, since=since, until=until) == ["day 1", "day 2"]
    weeks = folder.pages(SHOP, weeks=True, since=MONDAY + timedelta(6))
    assert [each.label for each in weeks] == ["2026-W49"]
    assert folder.pages(SHOP, weeks=True, since=MONDAY + timedelta(7)) == []


def test_what_belongs_to_no_repository_is_kept_elsewhere(folder: ThemesFolder, path: Path) -> None:
    folder.write([page("office", repo="", name="")], "Night", AT)
    assert (path / "elsewhere/days/2026-11-30.md").is_file()
    assert [each.repo for each in folder.pages("", weeks=False)] == [""]


@pytest.mark.parametrize("name", ["../../etc", "a/b c", ".git", "-", "ä ö"])
def test_a_repositorys_name_leads_nowhere_else(folder: ThemesFolder, path: Path, name: str) -> None:
    folder.write([page("payments", name=name)], "Night", AT)
    assert len(folder.pages(SHOP, weeks=False)) == 1
    assert [each.name[-9:] for each in path.iterdir() if each.name[0] != "."] == ["-5f0c2a91"]


def test_a_repository_that_is_called_otherwise_keeps_its_pages_in_one_place(
    folder: ThemesFolder, path: Path
) -> None:
    folder.write([page("payments")], "Night", AT)
    folder.write([page("refunds", first=MONDAY + timedelta(1), name="store")], "Night", AT)
    assert titles(folder) == ["payments", "refunds"]
    assert sum(each.name[0] != "." for each in path.iterdir()) == 1


def test_a_page_of_which_nothing_is_left_goes(folder: ThemesFolder, path: Path) -> None:
    folder.write([page("payments"), page("", first=MONDAY + timedelta(1))], "Night", AT)
    assert titles(folder) == ["payments"]
    night = folder.write([page("")], "Night", AT)
    assert night is not None
    assert files(path) == {}


def test_a_dry_run_names_the_pages_and_writes_nothing(folder: ThemesFolder, path: Path) -> None:
    night = folder.write([page("payments")], "Night", AT, dry_run=True)
    assert night is not None
    assert night.pages == ("shop-5f0c2a91/days/2026-11-30",)
    assert not path.exists()


def test_a_run_that_was_stopped_and_went_on_is_one_commit(folder: ThemesFolder, path: Path) -> None:
    folder.write([page("old", first=MONDAY - timedelta(1))], "Night one", AT)
    first = folder.write([page("payments")], "Night two", AT + 100, finished=False)
    second = folder.write([week("payments")], "Night two", AT + 200)
    assert first is not None
    assert second is not None
    assert set(first.pages) < set(second.pages)
    assert [night.subject for night in folder.log()] == ["Night two", "Night one"]
    assert git(path, "rev-list", "--count", "themes") == "2\n"


def test_a_stopped_run_with_nothing_left_to_do_is_a_whole_night_afterwards(
    folder: ThemesFolder,
) -> None:
    folder.write([page("payments")], "Night", AT, finished=False)
    folder.write([page("payments")], "Night", AT + 100)
    assert folder.write([page("payments")], "Night", AT + 200) is None
    assert len(folder.log()) == 1


# Taking a night back.


def test_a_night_taken_back_leaves_its_pages_as_before_and_they_stay_so(
    folder: ThemesFolder, path: Path
) -> None:
    folder.write([page("payments")], "Night one", AT)
    before = files(path)
    other = page("nonsense", first=MONDAY + timedelta(1))
    night = folder.write([page("wrong"), other], "Night two", AT + 100)
    assert night is not None
    done = folder.revert(night.commit[:7], AT + 200)
    assert done.back == ("shop-5f0c2a91/days/2026-11-30", "shop-5f0c2a91/days/2026-12-01")
    assert done.left == ()
    kept = {name: text for name, text in files(path).items() if "pins" not in name}
    assert kept == before
    assert folder.write([page("wrong"), other], "Night three", AT + 300) is None
    assert folder.log()[0].reverts == night.commit


def test_a_page_that_was_taken_back_is_written_again_when_its_evidence_changes(
    folder: ThemesFolder, path: Path
) -> None:
    folder.write([page("wrong")], "Night one", AT)
    folder.revert("", AT + 100)
    assert titles(folder) == []
    folder.write([page("right")], "Night two", AT + 200)
    assert titles(folder) == ["right"]
    assert not list(path.glob("*/pins.json"))


def test_taking_back_a_taking_back_brings_the_page_again(folder: ThemesFolder) -> None:
    folder.write([page("payments")], "Night one", AT)
    folder.write([page("refunds")], "Night two", AT + 100)
    folder.revert("", AT + 200)
    assert titles(folder) == ["payments"]
    folder.revert("", AT + 300)
    assert titles(folder) == ["refunds"]
    assert folder.write([page("refunds")], "Night three", AT + 400) is None


def test_pages_written_again_since_stay_when_an_older_night_is_taken_back(
    folder: ThemesFolder,
) -> None:
    later = page("b", first=MONDAY + timedelta(1))
    night = folder.write([page("a"), later], "Night one", AT)
    folder.write([page("a, more")], "Night two", AT + 100)
    assert night is not None
    done = folder.revert(night.commit, AT + 200)
    assert done.left == ("shop-5f0c2a91/days/2026-11-30",)
    assert titles(folder) == ["a, more"]
    with pytest.raises(NothingToRevert, match="stands any more"):
        folder.revert(night.commit, AT + 300)


def test_a_removal_that_was_taken_back_is_not_made_again(folder: ThemesFolder) -> None:
    folder.write([page("payments")], "Night one", AT)
    folder.write([page("")], "Night two", AT + 100)
    folder.revert("", AT + 200)
    assert titles(folder) == ["payments"]
    assert folder.write([page("")], "Night three", AT + 300) is None
    assert titles(folder) == ["payments"]


def test_a_night_is_named_by_its_id_or_its_date(folder: ThemesFolder) -> None:
    first = folder.write([page("payments")], "Night one", AT)
    second = folder.write([page("refunds")], "Night two", AT + 86_400)
    assert first is not None
    assert second is not None
    assert folder.diff(first.commit[:7])[0] == first
    assert folder.diff("2025-11-30", UTC)[0] == first
    assert folder.diff("")[0] == second
    for name in ("2025-01-01", "abc", "zzzz", "-----"):
        with pytest.raises(NoSuchNight):
            folder.diff(name, UTC)


def test_a_diff_is_of_markdown_alone(folder: ThemesFolder) -> None:
    folder.write([page("payments")], "Night one", AT)
    folder.write([page("refunds")], "Night two", AT + 100)
    _, diff = folder.diff("")
    changed = [line for line in diff.splitlines() if line[:1] in "+-"]
    assert any("payments" in line for line in changed if line[0] == "-")
    assert any("refunds" in line for line in changed if line[0] == "+")
    assert ".json" not in diff
    assert "+++ b/shop-5f0c2a91/days/2026-11-30.md" in diff
    _, first = folder.diff(folder.log()[1].commit)
    assert "+++ b/shop-5f0c2a91/days/2026-11-30.md" in first


# What must not leak in.


def test_nothing_of_the_persons_git_has_a_say(
    folder: ThemesFolder, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    template = tmp_path / "template" / "hooks"
    template.mkdir(parents=True)
    for name in ("pre-commit", "post-commit", "reference-transaction", "post-index-change"):
        (template / name).write_text(f"#!/bin/sh\necho {name} >> {ran}\n")
        (template / name).chmod(0o755)
    config = tmp_path / "config"
    config.write_text(
        f"[user]\nname = Somebody\nemail = some@body\n[commit]\ngpgSign = true\n"
        f"[gpg]\nprogram = /bin/false\n[init]\ntemplateDir = {template.parent}\n"
        f"defaultBranch = trunk\ndefaultObjectFormat = sha256\n"
        f"[core]\nhooksPath = {template}\nautocrlf = true\n"
        f"[diff]\nexternal = /bin/false\n[alias]\nlog = !false\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    for name, value in {
        "GIT_DIR": str(tmp_path / "nowhere"),
        "GIT_WORK_TREE": str(tmp_path / "nowhere"),
        "GIT_INDEX_FILE": str(tmp_path / "index"),
        "GIT_OBJECT_DIRECTORY": str(tmp_path / "objects"),
        "GIT_AUTHOR_NAME": "Somebody",
        "GIT_COMMITTER_EMAIL": "some@body",
        "GIT_TEMPLATE_DIR": str(template.parent),
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_EXTERNAL_DIFF": "/bin/false",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": str(template),
    }.items():
        monkeypatch.setenv(name, value)
    folder.write([page("payments")], "Night one", AT)
    folder.write([page("refunds")], "Night two", AT + 100)
    folder.revert("", AT + 200)
    assert "payments" in folder.diff("")[1]
    assert len(folder.log()) == 3
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    told = git(path, "log", "--format=%an|%cn|%G?|%H", "themes").split()
    assert {line.rpartition("|")[0] for line in told} == {"hermes|hermes|N"}
    assert {len(line.rpartition("|")[2]) for line in told} == {40}
    assert git(path, "branch", "--format=%(refname:short)") == "themes\n"
    assert not ran.exists()
    assert not list(path.glob(".git/hooks/*"))


# Damage, and kills.


@pytest.fixture
def lived_in(folder: ThemesFolder, path: Path) -> dict[str, bytes]:
    """Two nights, and the files after them."""
    folder.write([page("payments"), week("payments")], "Night one", AT)
    folder.write([page("refunds", first=MONDAY + timedelta(1))], "Night two", AT + 100)
    return files(path)


NEXT = page("invoices", first=MONDAY + timedelta(2))


def test_files_that_were_half_written_are_mended_by_the_next_night(
    folder: ThemesFolder, path: Path, lived_in: dict[str, bytes]
) -> None:
    (path / "shop-5f0c2a91/days/2026-11-30.json").write_text("{")
    (path / "shop-5f0c2a91/weeks/2026-W49.md").unlink()
    (path / "shop-5f0c2a91/days/2026-11-29.json").write_text("left by a killed writer")
    (path / "shop-5f0c2a91/days/.2026-11-29.json.new").write_text("left by a killed writer")
    for lock in (".git/index.lock", ".git/refs/heads/themes.lock", ".git/HEAD.lock"):
        (path / lock).touch()
    damaged: list[str] = []
    assert len(folder.pages(SHOP, weeks=False, on_damaged=damaged.append)) == 1
    assert len(damaged) == 2
    folder.write([NEXT], "Night three", AT + 200)
    kept = {name: text for name, text in files(path).items() if "12-02" not in name}
    assert kept == lived_in
    assert not list(path.rglob("*.new"))


def test_a_damaged_history_leaves_the_pages_and_is_told(
    folder: ThemesFolder, path: Path, lived_in: dict[str, bytes]
) -> None:
    (path / ".git/refs/heads/themes").write_text("nonsense")
    with pytest.raises(ThemesDamaged, match="is damaged") as caught:
        folder.write([NEXT], "Night three", AT + 200)
    assert "rm -r" in caught.value.hint
    assert files(path) == lived_in
    assert titles(folder) == ["payments", "refunds"]


def test_missing_objects_leave_the_pages_and_are_told(
    folder: ThemesFolder, path: Path, lived_in: dict[str, bytes]
) -> None:
    for pack in (path / ".git/objects").rglob("*"):
        if pack.is_file():
            pack.unlink()
    with pytest.raises(ThemesDamaged, match="is damaged"):
        folder.write([NEXT], "Night three", AT + 200)
    assert files(path) == lived_in


def test_without_its_history_the_folder_begins_anew_with_the_pages_there_are(
    folder: ThemesFolder, path: Path, lived_in: dict[str, bytes]
) -> None:
    subprocess.run(["rm", "-r", str(path / ".git")], check=True)
    folder.write([NEXT], "Night three", AT + 200)
    assert titles(folder) == ["payments", "refunds", "invoices"]
    (night,) = folder.log()
    assert len(night.pages) == 4


def test_where_a_page_cant_be_written_that_is_told_and_all_stays_as_it_was(
    folder: ThemesFolder, path: Path, lived_in: dict[str, bytes]
) -> None:
    (path / f"bank-{BANK[:8]}").write_text("a file where a folder is to be")
    with pytest.raises(ThemesUnwritable, match="can't be written"):
        folder.write([page("loans", repo=BANK, name="bank")], "Night three", AT + 200)
    (path / f"bank-{BANK[:8]}").unlink()
    assert files(path) == lived_in


def test_a_file_in_the_place_of_the_folder_is_told(folder: ThemesFolder, path: Path) -> None:
    path.write_text("a file")
    with pytest.raises(ThemesUnwritable, match="can't be written"):
        folder.write([NEXT], "Night", AT)
    assert folder.pages(weeks=True) == []


# Forgetting.


def holds(path: Path, words: bytes) -> list[str]:
    """The files under a folder that hold some words, also in objects of git."""
    found = [str(each) for each in path.rglob("*") if each.is_file() and words in each.read_bytes()]
    if (path / ".git").is_dir():
        ids = git(path, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
        for each in ids:
            kind = git(path, "cat-file", "-t", each).strip()
            done = subprocess.run(
                ["git", "cat-file", kind, each], cwd=path, capture_output=True, check=True
            )
            found += [each] if words in done.stdout else []
    return found


def test_a_repository_that_is_forgotten_leaves_files_and_history(
    folder: ThemesFolder, path: Path
) -> None:
    bank = page("ledgers", repo=BANK, name="bank")
    folder.write([page("payments"), bank], "Night one", AT)
    folder.write([page("refunds"), page("vaults", repo=BANK, name="bank")], "Night two", AT + 100)
    folder.revert("", AT + 200)
    assert holds(path, b"bank")
    assert folder.forget([BANK]) == 3
    assert holds(path, b"bank") == []
    assert holds(path, b"vaults") == []
    assert titles(folder) == ["payments"]
    assert [night.at for night in folder.log()] == [AT + 200, AT + 100, AT]
    assert folder.write([page("refunds")], "Night", AT + 300) is None, "its pin is kept"
    assert folder.forget([BANK]) == 0


def test_nights_that_took_others_back_name_them_as_they_are_called_afterwards(
    folder: ThemesFolder,
) -> None:
    bank = page("ledgers", repo=BANK, name="bank")
    folder.write([page("payments"), bank], "Night one", AT)
    folder.write([page("refunds")], "Night two", AT + 100)
    folder.revert("", AT + 200)
    folder.revert("", AT + 300)
    folder.write([page("vouchers")], "Night three", AT + 400)
    folder.forget([BANK])
    three, again, back, two, _ = folder.log()
    assert (back.reverts, again.reverts) == (two.commit, back.commit)
    assert back.subject == f"Take back {two.commit[:7]}: Night two"
    assert again.subject == f"Take back {back.commit[:7]}: {back.subject}"
    assert (three.subject, titles(folder)) == ("Night three", ["vouchers"])


def test_a_night_and_its_taking_back_are_forgotten_together(folder: ThemesFolder) -> None:
    folder.write([page("payments")], "Night one", AT)
    folder.write([page("ledgers", repo=BANK, name="bank")], "Night two", AT + 100)
    folder.revert("", AT + 200)
    folder.write([page("refunds")], "Night three", AT + 300)
    folder.forget([BANK])
    assert [night.subject for night in folder.log()] == ["Night three", "Night one"]


def test_the_only_repository_forgotten_leaves_an_empty_folder(
    folder: ThemesFolder, path: Path
) -> None:
    folder.write([page("payments")], "Night one", AT)
    folder.forget([SHOP])
    assert files(path) == {}
    assert folder.log() == []
    assert holds(path, b"payments") == []
    folder.write([page("refunds", repo=BANK, name="bank")], "Night two", AT + 100)
    assert len(folder.log()) == 1


def test_pages_can_be_dropped_from_all_of_history_by_what_they_say(
    folder: ThemesFolder, path: Path
) -> None:
    folder.write([page("payments"), week("payroll")], "Night one", AT)
    folder.write([page("payroll")], "Night two", AT + 100)
    folder.forget(revise=lambda each: None if each.themes[0].title == "payroll" else each)
    assert holds(path, b"payroll") == []
    assert titles(folder) == []
    assert folder.pages(SHOP, weeks=True) == []


def test_a_forgetting_that_was_killed_between_two_renames_is_finished(
    folder: ThemesFolder, path: Path, lived_in: dict[str, bytes]
) -> None:
    (path / ".git").rename(path / ".git.next")
    (path / ".git.gone").mkdir()
    assert folder.write([NEXT], "Night three", AT + 200) is not None
    assert len(folder.log()) == 3
    assert not (path / ".git.gone").exists()
    assert not (path / ".git.next").exists()
