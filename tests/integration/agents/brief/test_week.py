"""The brief of a week: its themes, once, and what belongs to none of them."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from hermes.agents.brief.looking import with_looks
from hermes.agents.brief.records import Section
from hermes.agents.brief.sources import gather
from hermes.agents.brief.week import with_themes
from hermes.agents.themes.records import Line, Page, State, Theme
from hermes.ingest.git.command import Git
from hermes.ingest.git.ingest import ingest
from hermes.tests.builders.git import ALEX, SAM
from hermes.tests.builders.mornings import YESTERDAY, Morning


@pytest.fixture
def morning(tmp_path: Path) -> Generator[Morning]:
    made = Morning(tmp_path)
    yield made
    made.close()


def theme(key: str, title: str, *shas: str, people: tuple[str, ...] = ("Sam Doe",)) -> Theme:
    line = Line(title, (shas[0],))
    return Theme(key, title, State.DONE, (line,), people=people, references=shas)


def test_a_theme_stands_for_its_commits_and_the_rest_is_told_beside_it(morning: Morning) -> None:
    shop = morning.add()
    first = shop.commit(
        {"queue/retry.py": "a = 1\n"}, "Retry five times", author=SAM, when=YESTERDAY
    )
    second = shop.commit(
        {"queue/retry.py": "a = 2\n"}, "Wait between tries", author=SAM, when=YESTERDAY + 60
    )
    other = shop.commit(
        {"web/login.py": "x = 1\n"}, "Log people in", author=SAM, when=YESTERDAY + 90
    )
    theirs = shop.commit({"api.py": "y = 1\n"}, "Serve an API", author=ALEX, when=YESTERDAY + 120)
    scope = morning.scope()
    repo, git = scope.repos[0]
    known = morning.memory.index.add_repo(repo.name, repo.path, repo.worktree, None)
    ingest(Git.open(shop.path), morning.memory, known)
    page = Page(
        *(known.id, known.name, date(2025, 3, 3), date(2025, 3, 9)),
        (
            theme("ticket:ENG-4", "Retries", first, second, people=("Sam Doe", "Alex Roe")),
            theme("scope:api", "An API", theirs, people=("Alex Roe",)),
        ),
        "digest",
    )
    scope = replace(scope, repos=[(known, git)])
    themes, rest = with_themes(with_looks(scope), [page])
    assert [fact.text for fact in themes] == ["Retries: 2 commits, done, with Alex Roe"]
    assert [each.target for each in themes[0].references] == [second, first]
    finished = [f for f in gather(rest).facts if f.section is Section.FINISHED]
    assert [each.target for fact in finished for each in fact.references if each.target] == [other]


def test_a_team_is_told_of_all_themes(morning: Morning) -> None:
    shop = morning.add()
    sha = shop.commit({"api.py": "y = 1\n"}, "Serve an API", author=ALEX, when=YESTERDAY)
    scope = morning.scope(everybody=True)
    repo, git = scope.repos[0]
    known = morning.memory.index.add_repo(repo.name, repo.path, repo.worktree, None)
    ingest(Git.open(shop.path), morning.memory, known)
    page = Page(
        *(known.id, known.name, date(2025, 3, 3), date(2025, 3, 9)),
        (theme("scope:api", "An API", sha, people=("Alex Roe",)),),
        "digest",
    )
    scope = replace(scope, repos=[(known, git)])
    themes, _ = with_themes(with_looks(scope), [page])
    assert [fact.text for fact in themes] == ["An API: 1 commit, done"]
