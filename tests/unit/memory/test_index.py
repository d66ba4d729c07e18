"""The structured index: repositories, who and when, tips, settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from hermes.memory.errors import HermesError
from hermes.memory.index import AuthorCount, Index
from hermes.memory.intents import Action
from hermes.memory.records import Commit, Content, FileChange, Filters, Repo
from hermes.tests.builders.records import START, commit_of, sha_of


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """An empty index."""
    opened = Index(tmp_path / "memory.db")
    yield opened
    opened.close()


@pytest.fixture
def repo(index: Index) -> Repo:
    """A repository in it."""
    return index.add_repo("shop", "/shop/.git", "/shop", "a" * 40)


def put(index: Index, commits: Sequence[Commit]) -> None:
    """Take commits in, as Memory.write does."""
    intent = index.intents.begin(commits[0].repo, Action.WRITE, [c.sha for c in commits])
    index.intents.finish_write(intent, commits, {})


def test_a_repository_added_again_is_the_same(index: Index, repo: Repo) -> None:
    again = index.add_repo("shop", "/shop/.git", "/shop-two", "a" * 40)
    assert again.id == repo.id
    assert index.repos() == [again]
    assert index.repo(repo.id) == again
    assert again.worktree == "/shop-two"


def test_a_repository_that_moved_keeps_its_id(index: Index, repo: Repo, tmp_path: Path) -> None:
    moved = index.add_repo("store", str(tmp_path), None, "a" * 40)
    assert (moved.id, moved.name, moved.path) == (repo.id, "store", str(tmp_path))
    assert len(index.repos()) == 1


def test_a_second_clone_is_another_repository(index: Index, tmp_path: Path) -> None:
    first = index.add_repo("shop", str(tmp_path), None, "a" * 40)
    second = index.add_repo("shop", "/elsewhere/.git", None, "a" * 40)
    assert first.id != second.id


def test_repositories_without_commits_do_not_count_as_moved(index: Index) -> None:
    first = index.add_repo("one", "/one/.git", None, None)
    second = index.add_repo("two", "/two/.git", None, None)
    assert first.id != second.id
    assert index.add_repo("one", "/one/.git", None, "b" * 40).root_commit == "b" * 40


def test_commits_come_back_whole(index: Index, repo: Repo) -> None:
    commit = commit_of(
        repo.id,
        3,
        files=[
            FileChange("b.py", "R", old_path="a.py", added=3, removed=0),
            FileChange("logo.png", "A", Content.BINARY),
            FileChange("b.py", "M"),
        ],
        tickets=("#12", "ENG-17"),
    )
    put(index, [commit])
    assert index.commit(repo.id, commit.sha) == commit
    assert index.commits_for(repo.id, [commit.sha, "f" * 40]) == [commit]
    assert index.commit("elsewhere", commit.sha) is None


def test_a_batch_for_a_repository_that_was_removed_meanwhile_is_refused(
    index: Index, repo: Repo
) -> None:
    index.delete_repo(repo.id)
    with pytest.raises(HermesError, match="not in memory"):
        put(index, [commit_of(repo.id, 1)])


@pytest.mark.parametrize(
    ("prefix", "found"),
    [(7, 1), (40, 1), (4, 1), (3, 0)],
)
def test_a_sha_is_resolved_from_four_digits_on(
    index: Index, repo: Repo, prefix: int, found: int
) -> None:
    put(index, [commit_of(repo.id, number) for number in range(5)])
    assert len(index.resolve_sha(sha_of(3)[:prefix].upper())) == found
    assert index.resolve_sha(sha_of(3)[:prefix], ["elsewhere"]) == []


@pytest.mark.parametrize("prefix", ["", "zzzz", "%%%%", "____", "dead'--"])
def test_what_is_no_sha_resolves_to_nothing(index: Index, repo: Repo, prefix: str) -> None:
    put(index, [commit_of(repo.id, 1)])
    assert index.resolve_sha(prefix) == []


def test_tickets_are_found_in_any_case(index: Index, repo: Repo) -> None:
    put(index, [commit_of(repo.id, 1, tickets=("ENG-17", "#4")), commit_of(repo.id, 2)])
    for key in ("ENG-17", "eng-17", "#4"):
        assert [commit.sha for commit in index.commits_by_ticket(key)] == [sha_of(1)]
    assert index.commits_by_ticket("ENG-1") == []
    assert index.commits_by_ticket("ENG-17", ["elsewhere"]) == []


@pytest.fixture
def renames(index: Index, repo: Repo) -> Repo:
    """a.py becomes b.py (2), then lib/c.py (4); a new a.py comes (5)."""
    changes = [
        [FileChange("a.py", "A")],
        [FileChange("a.py", "M"), FileChange("other.py", "A")],
        [FileChange("b.py", "R", old_path="a.py")],
        [FileChange("b.py", "M")],
        [FileChange("lib/c.py", "R", old_path="b.py")],
        [FileChange("a.py", "A")],
        [FileChange("lib/c.py", "M")],
    ]
    put(index, [commit_of(repo.id, n, files=files) for n, files in enumerate(changes)])
    return repo


@pytest.mark.parametrize(
    ("path", "numbers"),
    [
        ("lib/c.py", [6, 4, 3, 2, 1, 0]),
        ("lib", [6, 4, 3, 2, 1, 0]),
        ("lib/*.py", [6, 4, 3, 2, 1, 0]),
        ("b.py", [4, 3, 2, 1, 0]),
        ("a.py", [5, 2, 1, 0]),
        ("other.py", [1]),
        ("li", []),
        (".", [6, 5, 4, 3, 2, 1, 0]),
    ],
)
def test_touching_follows_renames(
    index: Index, renames: Repo, path: str, numbers: list[int]
) -> None:
    found = index.touching(path, [renames.id])
    assert [commit.sha for commit in found] == [sha_of(number) for number in numbers]
    assert index.path_exists(path) == bool(numbers)
    assert index.touching(path, ["elsewhere"]) == []


def test_a_file_renamed_there_and_back_is_followed_to_an_end(index: Index, repo: Repo) -> None:
    there = [FileChange("b.py", "R", old_path="a.py")]
    back = [FileChange("a.py", "R", old_path="b.py")]
    put(index, [commit_of(repo.id, n, files=(there, back)[n % 2], time=START) for n in range(6)])
    assert len(index.touching("a.py")) == 6


def test_newest_keeps_to_its_filters_and_its_limit(index: Index, repo: Repo) -> None:
    people = [("Zoë Ångström", "Zoe@x.org"), ("Sam Ito", "sam@x.org")]
    put(
        index,
        [commit_of(repo.id, n, author=people[n % 2][0], email=people[n % 2][1]) for n in range(10)],
    )

    def numbers(filters: Filters, limit: int = 100) -> list[int]:
        shas = [sha_of(number) for number in range(10)]
        return [shas.index(commit.sha) for commit in index.newest(filters, limit)]

    assert numbers(Filters(), 3) == [9, 8, 7]
    assert numbers(Filters(author="zoë å")) == [8, 6, 4, 2, 0]
    assert numbers(Filters(author="SAM@")) == [9, 7, 5, 3, 1]
    assert numbers(Filters(author="%")) == []
    assert numbers(Filters(since=START + 60 * 7)) == [9, 8, 7]
    assert numbers(Filters(until=START + 60 * 2)) == [1, 0]
    assert numbers(Filters(refs=frozenset([sha_of(4)]))) == [4]
    assert numbers(Filters(refs=frozenset())) == []
    assert numbers(Filters(source="slack")) == []
    assert numbers(Filters(path="src/a3.py", author="sam")) == [3]
    assert index.shas(Filters(path="src/a3.py")) == {sha_of(3)}


def test_authors_are_counted_with_their_last_commit(index: Index, repo: Repo) -> None:
    put(
        index,
        [commit_of(repo.id, n, author="Zoë" if n == 4 else "Sam Ito") for n in range(6)],
    )
    assert index.authors() == [
        AuthorCount("Sam Ito", "sam@example.org", 5, START + 300),
        AuthorCount("Zoë", "sam@example.org", 1, START + 240),
    ]
    assert index.authors(["elsewhere"]) == []
    touched = index.authors_of(Filters(path="src/a4.py"))
    assert [author.name for author in touched] == ["Zoë"]


def test_paths_are_those_of_live_commits(index: Index, repo: Repo) -> None:
    put(index, [commit_of(repo.id, n, files=[FileChange(f"{n}.py", "A")]) for n in range(3)])
    intent = index.intents.begin(repo.id, Action.ORPHAN, [sha_of(1)])
    index.intents.finish_orphan(intent)
    assert index.paths() == ["0.py", "2.py"]
    assert index.paths_holding(["2", "P"]) == ["2.py"]
    assert index.paths_holding(["1"]) == []
    assert not index.path_exists("1.py")


def test_tips_are_replaced_whole(index: Index, repo: Repo) -> None:
    assert index.tips(repo.id) == {}
    index.set_tips(repo.id, {"refs/heads/main": "a", "refs/heads/x": "b"})
    index.set_tips(repo.id, {"refs/heads/main": "c"})
    assert index.tips(repo.id) == {"refs/heads/main": "c"}


def test_settings_are_kept_and_removed(index: Index) -> None:
    assert index.setting("x") is None
    index.set_setting("x", "1")
    index.set_setting("x", "2")
    assert index.setting("x") == "2"
    index.set_setting("x", None)
    assert index.setting("x") is None


def test_removing_a_repository_leaves_the_others_people(index: Index, repo: Repo) -> None:
    other = index.add_repo("other", "/other/.git", None, None)
    put(index, [commit_of(repo.id, 1, author="Gone"), commit_of(repo.id, 2)])
    put(index, [commit_of(other.id, 1)])
    index.delete_repo(repo.id)
    assert [author.name for author in index.authors()] == ["Sam Ito"]
    assert index.repos() == [other]
