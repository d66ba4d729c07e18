"""Trust in a repository's code: what a yes holds for, and what it does not."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.memory.trust import Trusted
from hermes.memory.work import Work


@pytest.fixture
def work(tmp_path: Path) -> Generator[Work]:
    opened = Work(tmp_path / "work.db")
    yield opened
    opened.close()


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "src" / "shop"
    folder.mkdir(parents=True)
    return folder


def test_nothing_is_trusted_until_a_person_says_so(work: Work, shop: Path) -> None:
    assert not work.trust.holds("r1", shop)
    assert work.trust.all() == []


def test_a_yes_holds_until_it_is_taken_back(work: Work, shop: Path) -> None:
    given = work.trust.give("r1", shop, 5.0)
    assert given == Trusted("r1", str(shop), shop.stat().st_uid, 5.0)
    assert work.trust.holds("r1", shop)
    assert work.trust.take("r1")
    assert not work.trust.holds("r1", shop)
    assert not work.trust.take("r1")


def test_a_yes_is_for_one_repository(work: Work, shop: Path) -> None:
    work.trust.give("r1", shop, 5.0)
    assert not work.trust.holds("r2", shop)


def test_a_yes_outlives_a_restart(work: Work, shop: Path, tmp_path: Path) -> None:
    work.trust.give("r1", shop, 5.0)
    work.close()
    again = Work(tmp_path / "work.db")
    assert again.trust.holds("r1", shop)
    again.close()


def test_a_link_is_followed_so_the_yes_is_for_what_it_led_to(
    work: Work, shop: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(shop)
    assert work.trust.give("r1", link, 5.0).path == str(shop)
    assert work.trust.holds("r1", link)
    assert work.trust.holds("r1", shop)


def test_a_link_that_leads_elsewhere_now_is_not_trusted(
    work: Work, shop: Path, tmp_path: Path
) -> None:
    link, other = tmp_path / "link", tmp_path / "other"
    other.mkdir()
    link.symlink_to(shop)
    work.trust.give("r1", link, 5.0)
    link.unlink()
    link.symlink_to(other)
    assert not work.trust.holds("r1", link)


def test_a_folder_above_that_became_a_link_takes_the_trust_away(
    work: Work, shop: Path, tmp_path: Path
) -> None:
    work.trust.give("r1", shop, 5.0)
    shop.parent.rename(tmp_path / "moved")
    (tmp_path / "planted" / "shop").mkdir(parents=True)
    shop.parent.symlink_to(tmp_path / "planted")
    assert not work.trust.holds("r1", shop)


def test_a_place_that_belongs_to_someone_else_now_is_not_trusted(work: Work, shop: Path) -> None:
    work.trust.give("r1", shop, 5.0)
    with work.database.writing() as db:  # as if it had been another's when the yes was given
        db.execute("UPDATE trust SET owner = owner + 1")
    assert not work.trust.holds("r1", shop)


def test_what_is_gone_is_not_trusted(work: Work, shop: Path) -> None:
    work.trust.give("r1", shop, 5.0)
    shop.rmdir()
    assert not work.trust.holds("r1", shop)
    with pytest.raises(FileNotFoundError):
        work.trust.give("r1", shop, 6.0)


def test_a_moved_repository_has_to_be_trusted_again(work: Work, shop: Path) -> None:
    work.trust.give("r1", shop, 5.0)
    moved = shop.rename(shop.parent / "store")
    assert not work.trust.holds("r1", moved)
    work.trust.give("r1", moved, 6.0)
    assert work.trust.holds("r1", moved)
    assert [(each.path, each.at) for each in work.trust.all()] == [(str(moved), 6.0)]


def test_all_are_listed_by_path(work: Work, shop: Path, tmp_path: Path) -> None:
    work.trust.give("r1", shop, 5.0)
    work.trust.give("r2", tmp_path, 6.0)
    assert [each.repo for each in work.trust.all()] == ["r2", "r1"]


def test_a_forgotten_repository_is_trusted_no_more(work: Work, shop: Path) -> None:
    work.trust.give("r1", shop, 5.0)
    work.forget("r1")
    assert not work.trust.holds("r1", shop)
