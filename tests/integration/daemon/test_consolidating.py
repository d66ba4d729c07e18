"""A night on a real memory of real repositories: what it writes, what it leaves, where it stops."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from hermes.agents.themes.folder import ThemesFolder
from hermes.agents.themes.pages import to_json
from hermes.daemon.consolidating import Limits, Nights, Report
from hermes.ingest.git.command import Git
from hermes.ingest.git.history import root_commit
from hermes.ingest.git.ingest import ingest
from hermes.memory.memory import Memory
from hermes.memory.records import Repo
from hermes.memory.work import Work
from hermes.tests.builders.git import ALEX, RepoBuilder

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()
"""A Monday at noon."""
DAY = 86_400


@dataclass
class House:
    """A memory, the folder of themes beside it, and nights over both."""

    folder: Path
    memory: Memory
    work: Work

    @property
    def themes(self) -> ThemesFolder:
        return ThemesFolder(self.folder / "themes")

    def nights(self, now: float = NOW, most_bytes: int = 0, zone: timezone = UTC) -> Nights:
        return Nights(self.memory, self.work, self.themes, self.folder, most_bytes, zone, now)

    def night(self, now: float = NOW, *, seconds: float | None = None) -> Report:
        return self.nights(now).run(Limits(seconds=seconds))

    def take_in(self, repository: RepoBuilder) -> Repo:
        git = Git.open(repository.path)
        repo = self.memory.index.add_repo(
            repository.path.name, str(git.common_dir), str(git.worktree), root_commit(git)
        )
        ingest(git, self.memory, repo)
        return repo

    def files(self) -> dict[str, bytes]:
        """Every file of the themes, by its path; not what git keeps."""
        root = self.folder / "themes"
        found = {str(each.relative_to(root)): each for each in root.rglob("*") if each.is_file()}
        return {path: each.read_bytes() for path, each in found.items() if path[0] != "."}


@pytest.fixture
def house(tmp_path: Path) -> Generator[House]:
    with (
        Memory.open(tmp_path / "home/memory", embedder=None, write=True) as memory,
        closing(Work(tmp_path / "home/work.db")) as work,
    ):
        yield House(tmp_path / "home", memory, work)


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    """Work of three of the last days, and of a day long ago."""
    shop = RepoBuilder(tmp_path / "shop")
    for days, path, subject in (
        (700, "old.py", "Begin the shop"),
        (9, "payments/refund.py", "payments: refund in the currency that was paid"),
        (3, "payments/retry.py", "payments: try a payment again, since banks time out"),
        (3, "search/index.py", "search: index names of products too"),
        (0, "payments/retry.py", "payments: stop after the third try"),
    ):
        shop.now = int(NOW) - days * DAY - 7_200
        shop.commit({path: f"# {subject}\n" + "x = 1\n" * (days + 9)}, subject, author=ALEX)
    return shop


def labels(report: Report) -> list[str]:
    pages = report.night.pages if report.night else ()
    return [page.partition("/")[2] for page in pages]


def test_a_night_tells_of_the_days_and_weeks_in_which_something_happened(
    house: House, shop: RepoBuilder
) -> None:
    repo = house.take_in(shop)
    report = house.night()
    assert labels(report) == [
        "days/2026-11-21",
        "days/2026-11-27",
        "days/2026-11-30",
        "weeks/2026-W47",
        "weeks/2026-W48",
        "weeks/2026-W49",
    ]
    assert [step.name for step in report.steps] == ["marks", "themes", "compaction", "check"]
    assert (report.left, report.skipped, report.problems) == (0, [], [])
    assert report.bytes > 0
    known = house.memory.index.known(repo.id)
    for page in house.themes.pages(repo.id, weeks=True):
        assert page.themes
        for theme in page.themes:
            assert theme.references
            for line in (*theme.what, *theme.why):
                assert line.references
                assert known.issuperset(line.references)


def test_a_second_night_changes_no_byte_and_makes_no_commit(
    house: House, shop: RepoBuilder
) -> None:
    house.take_in(shop)
    house.night()
    before, nights = house.files(), house.themes.log()
    report = house.night(NOW + 60)
    assert report.night is None
    assert report.steps[0].counts["changed"] == 0
    assert (house.files(), house.themes.log()) == (before, nights)


def test_the_next_night_writes_what_is_new_and_nothing_else(
    house: House, shop: RepoBuilder
) -> None:
    repo = house.take_in(shop)
    house.night()
    shop.now = int(NOW) + 3_600
    shop.commit({"search/rank.py": "y = 2\n" * 20}, "search: rank by what is in stock")
    ingest(Git.open(shop.path), house.memory, repo)
    report = house.night(NOW + DAY)
    assert labels(report) == ["days/2026-11-30", "weeks/2026-W49"]


def test_a_rehearsal_names_the_pages_and_writes_nothing(house: House, shop: RepoBuilder) -> None:
    house.take_in(shop)
    report = house.nights().make_themes(Limits(), None, dry_run=True)
    assert len(labels(report)) == 6
    assert not (house.folder / "themes").exists()
    assert labels(house.night()) == labels(report)


def test_a_repository_whose_folder_is_gone_keeps_and_gets_its_themes(
    house: House, shop: RepoBuilder, tmp_path: Path
) -> None:
    bank = RepoBuilder(tmp_path / "bank")
    bank.now = int(NOW) - DAY
    bank.commit({"vault/door.py": "z = 3\n" * 9}, "vault: open the door only by day")
    gone, there = house.take_in(bank), house.take_in(shop)
    shutil.rmtree(bank.path)
    report = house.night()
    assert report.night is not None
    assert len(report.night.pages) == 8
    assert house.themes.pages(gone.id, weeks=True)
    assert house.themes.pages(there.id, weeks=True)


def test_days_are_those_of_the_wall_clock(house: House, shop: RepoBuilder) -> None:
    house.take_in(shop)  # the last commit is of 10:00 UTC
    far = timezone(timedelta(hours=14))
    report = house.nights(zone=far).run(Limits())
    assert "days/2026-12-01" in labels(report)
    assert "days/2026-11-30" not in labels(report)


def test_a_night_without_time_writes_nothing_and_says_what_is_left(
    house: House, shop: RepoBuilder
) -> None:
    house.take_in(shop)
    report = house.night(seconds=0.0)
    assert report.night is None
    assert report.skipped == ["marks", "themes", "compaction", "check"]
    assert labels(house.night())


class After:
    """Says stop from the given question on."""

    def __init__(self, asked: int) -> None:
        self._left = asked

    def __call__(self) -> bool:
        self._left -= 1
        return self._left < 0


def stopped(house: House, asked: int) -> Report:
    return house.nights().make_themes(Limits(should_stop=After(asked)), None)


@pytest.mark.parametrize("asked", [0, 1, 3, 30, 60, 100])
def test_a_night_that_was_stopped_anywhere_goes_on_and_comes_to_the_same(
    house: House, shop: RepoBuilder, tmp_path: Path, asked: int
) -> None:
    house.take_in(shop)
    stopped(house, asked)
    assert labels(house.night()) or house.themes.log()
    assert len(house.themes.log()) == 1, "what was stopped and what went on are one night"
    went_on = house.files()
    shutil.rmtree(house.folder / "themes")
    house.night()
    assert house.files() == went_on


def test_stopped_again_and_again_it_comes_to_its_end(house: House, shop: RepoBuilder) -> None:
    house.take_in(shop)
    asked, rounds = 2, 0
    while stopped(house, asked).left:
        asked, rounds = asked + 10, rounds + 1
    assert rounds > 3
    assert len(house.themes.log()) == 1
    assert len(house.files()) == 12


def test_a_night_that_ran_out_of_time_keeps_the_pages_it_made(
    house: House, shop: RepoBuilder
) -> None:
    repo = house.take_in(shop)
    moments = iter(range(1_000))
    limits = Limits(seconds=4.0, clock=lambda: float(next(moments)))
    report = house.nights().make_themes(limits, None)
    assert report.left > 0
    assert [page.label for page in house.themes.pages(repo.id, weeks=False)] == ["2026-11-30"]
    house.night()
    assert len(house.themes.log()) == 2, "a night that came to its end stands by itself"
    assert len(house.files()) == 12


def test_too_much_on_disk_is_packed_and_nothing_of_it_goes(house: House, shop: RepoBuilder) -> None:
    house.take_in(shop)
    commits = house.memory.stats().commits
    report = house.nights(most_bytes=1).run(Limits())
    packed = next(step for step in report.steps if step.name == "compaction")
    assert packed.counts["tables"] > 0
    assert report.bytes > 1
    assert house.memory.stats().commits == commits


def test_progress_is_told_of_each_step(house: House, shop: RepoBuilder) -> None:
    house.take_in(shop)
    told: list[tuple[str, int, int]] = []

    def tell(phase: str, done: int, total: int) -> None:
        told.append((phase, done, total))

    house.nights().run(Limits(progress=tell))
    assert list(dict.fromkeys(phase for phase, _, _ in told)) == [
        *("marks", "themes", "compaction", "check"),
    ]
    ends = [(done, total) for phase, done, total in told if phase == "themes"]
    assert ends[-1][0] == ends[-1][1]


def test_what_was_rewritten_away_leaves_its_page(house: House, shop: RepoBuilder) -> None:
    repo = house.take_in(shop)
    house.night()
    shop.git("reset", "--quiet", "--hard", "HEAD~1")
    ingest(Git.open(shop.path), house.memory, repo)
    house.night(NOW + DAY)
    shown = "".join(to_json(page) for page in house.themes.pages(repo.id, weeks=True))
    assert "stop after the third try" not in shown.lower()
    assert not (list((house.folder / "themes").glob("shop-*/days/2026-11-30.*")))
