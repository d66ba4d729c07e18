"""What nights over a made-up life leave behind: every reference leads somewhere, nothing is told
twice, what is over has an end, and a night that finds nothing new changes nothing."""

from __future__ import annotations

import shutil
from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from hermes.daemon.consolidating import Limits
from hermes.ingest.items import take_in
from hermes.memory.recall import recall
from hermes.memory.records import Filters, ItemChange
from hermes.tests.builders.life import build_life
from hermes.tests.builders.nights import Living

EVENTS = 400


@pytest.fixture(scope="module")
def living(tmp_path_factory: pytest.TempPathFactory) -> Generator[Living]:
    """A life with one night behind it; tests only read it."""
    place = tmp_path_factory.mktemp("life")
    taken = Living(build_life(place / "shop", events=EVENTS, seed=3), place / "home")
    taken.take_in()
    report = taken.night()
    assert [step.name for step in report.steps] == ["marks", "themes", "compaction", "check"]
    assert report.problems == []
    yield taken
    taken.close()


def test_the_same_seed_gives_the_same_life(tmp_path: Path) -> None:
    one = build_life(tmp_path / "one", events=200, seed=5)
    two = build_life(tmp_path / "two", events=200, seed=5)
    other = build_life(tmp_path / "other", events=200, seed=6)
    assert one.events == two.events == other.events == 200
    assert one.truths == two.truths != other.truths
    assert one.items("r") == two.items("r")


def test_every_line_of_a_theme_rests_on_something_that_is_there(living: Living) -> None:
    assert len(living.pages()) > 20
    assert living.unresolved() == []
    assert living.unfounded() == []


def test_nothing_is_told_twice(living: Living) -> None:
    pages = living.repeated_in_pages()
    found = living.repeated_in_recall([ticket.title for ticket in living.life.tickets])
    assert pages.exact == found.exact == 0
    assert pages.near_rate < 0.02
    assert found.near_rate < 0.02


def test_themes_are_made_of_no_themes_and_no_search_finds_them(living: Living) -> None:
    assert living.self_derived() == []
    assert living.memory.store.count_chunks() == living.memory.index.counts()[1]


def test_what_is_superseded_has_its_end(living: Living) -> None:
    assert len(living.life.truths.superseded) > 50
    assert living.not_closed() == []


def test_what_was_taken_back_is_over_and_what_came_again_holds(living: Living) -> None:
    truths = living.life.truths
    assert truths.reverted
    assert truths.again
    marks = living.memory.index.marks.of([*truths.reverted, *truths.again])
    for sha, by in truths.reverted.items():
        assert marks[living.repo.id, sha].ended_by == by
    ended = [mark.ref for mark in marks.values() if mark.ended is not None]
    assert truths.again.isdisjoint(ended)


def test_duplicates_are_folded_into_what_stands_for_them(living: Living) -> None:
    truths, folded = living.life.truths, living.folded()
    assert truths.picks
    assert {sha: folded.get(sha) for sha in truths.picks} == truths.picks
    assert truths.copies
    assert truths.copies.keys() <= folded.keys()


def test_a_tickets_theme_has_all_its_commits(living: Living) -> None:
    told: dict[str, set[str]] = {}
    for page in living.pages():
        for theme in page.themes:
            for key in theme.tickets:
                told.setdefault(key, set()).update(theme.references)
    evidence = living.life.truths.evidence
    there = {
        key: {s for s in shas if living.memory.index.commit(living.repo.id, s)}
        for key, shas in evidence.items()
    }
    missing = {key: shas - told.get(key, set()) for key, shas in there.items()}
    assert {key: shas for key, shas in missing.items() if shas} == {}


def test_secrets_that_people_committed_and_pasted_are_nowhere(living: Living) -> None:
    secrets = [secret.encode() for secret in living.life.truths.secrets]
    assert secrets
    for path in living.home.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert not any(secret in content for secret in secrets), path


def is_over(asked: Iterator[int], steps: int) -> bool:
    """Whether it was asked so often."""
    return next(asked) >= steps


# Nights that change something; each test has a life of its own.


@pytest.fixture
def small(tmp_path: Path) -> Generator[Living]:
    """A small life, taken in."""
    taken = Living(build_life(tmp_path / "shop", days=14, events=150, seed=2), tmp_path / "home")
    taken.take_in()
    yield taken
    taken.close()


def test_a_second_night_changes_nothing_to_the_byte(small: Living) -> None:
    first = small.night()
    assert first.night is not None
    before, chunks = small.files(), small.memory.store.count_chunks()
    for _ in range(2):
        again = small.night()
        assert again.night is None
        assert again.steps[0].counts["changed"] == 0
        assert small.files() == before
    assert len(small.themes.log()) == 1
    assert small.memory.store.count_chunks() == chunks


def test_a_night_that_is_stopped_goes_on_and_comes_to_the_same(small: Living) -> None:
    for steps in (1, 5, 30, 60):
        small.night(Limits(should_stop=partial(is_over, count(), steps)))
    small.night()
    stopped = small.files()
    shutil.rmtree(small.themes.path)
    small.night()
    assert small.files() == stopped


def test_commits_that_a_rebase_has_made_anew_are_told_as_they_are_now(small: Living) -> None:
    small.night()
    small.life.rewrite()
    small.read()
    small.night()
    gone = small.life.truths.rewritten
    assert len(gone) == 3
    assert small.unresolved() == []
    told = {r for page in small.pages() for theme in page.themes for r in theme.references}
    assert told.isdisjoint(gone)
    found = recall(small.memory, small.life.topic[0].message, Filters()).passages
    assert {passage.chunk.ref for passage in found}.isdisjoint(gone)


def test_a_ticket_that_is_closed_after_a_night_is_told_as_closed_after_the_next(
    small: Living,
) -> None:
    small.night()
    key = min(small.life.truths.open)
    [ticket] = small.memory.index.items.by_key(key)
    at = small.life.end - 7200
    done = (*ticket.changes, ItemChange(at, "state", "Done"))
    take_in(
        small.memory,
        [replace(ticket, state="Done", closed=at, changed=at, changes=done)],
    )
    assert small.night().night is not None
    states = small.memory.index.facts.of(f"ticket:{key}", relation="state")
    assert [fact.value for fact in states if fact.until is None] == ["Done"]
