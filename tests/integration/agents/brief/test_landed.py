"""Branches whose work came to the main branch in another shape."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.agents.brief import landed
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.mornings import ALEX, HOUR, LAST_NIGHT, NOW, YESTERDAY, Morning, dated

BEFORE = YESTERDAY - 5 * 86_400
LONG = "".join(f"line {number}\n" for number in range(60))


def changed(first: str = "line 1", last: str = "line 58") -> str:
    """The long file with another second and another last but one line."""
    return LONG.replace("line 1\n", f"{first}\n", 1).replace("line 58\n", f"{last}\n")


@pytest.fixture
def both(tmp_path: Path) -> Generator[tuple[Morning, RepoBuilder, RepoBuilder]]:
    """A morning, Sam's clone with a branch `retry` of two commits, and Alex's."""
    morning = Morning(tmp_path / "sam")
    sam, alex = morning.shared()
    sam.commit({"queue/long.py": LONG}, "Add a long file", when=BEFORE)
    sam.git("push", "--quiet", environment=dated(BEFORE))
    alex.git("pull", "--quiet", "--ff-only", environment=dated(BEFORE))
    sam.commit({"queue/retry.py": "a = 7\n"}, "Try", branch="retry", when=YESTERDAY)
    sam.commit({"queue/long.py": changed("first")}, "More", when=YESTERDAY + HOUR)
    sam.switch("main")
    yield morning, sam, alex
    morning.close()


WHOLE = {"queue/retry.py": "a = 7\n", "queue/long.py": changed("first")}


def bring(alex: RepoBuilder, sam: RepoBuilder) -> None:
    alex.git("push", "--quiet", "--force")
    sam.git("fetch", "--quiet", environment=dated(NOW - 600))


def is_open(morning: Morning) -> bool:
    """Whether the branch counts as open work, in all that is told of it."""
    touched = any("retry changes" in text for text in morning.texts("touched:"))
    told = bool(morning.facts("unpushed:"))
    assert touched == told
    return told


Both = tuple[Morning, RepoBuilder, RepoBuilder]


def test_a_branch_that_was_squashed_under_another_title_is_not_open(both: Both) -> None:
    morning, sam, alex = both
    alex.commit(WHOLE, "Retry with a longer queue (#603)", author=ALEX, when=LAST_NIGHT)
    bring(alex, sam)
    assert not is_open(morning)
    assert not any(text.startswith("rebase") for text in morning.texts("first:"))


def test_a_later_change_of_the_same_file_does_not_open_it_again(both: Both) -> None:
    morning, sam, alex = both
    alex.commit(WHOLE, "Retry with a longer queue (#603)", author=ALEX, when=LAST_NIGHT)
    later = {"queue/retry.py": "a = 8\n", "queue/long.py": changed("other")}
    alex.commit(later, "Go on", author=ALEX, when=LAST_NIGHT + HOUR)
    bring(alex, sam)
    assert not is_open(morning)


def test_nor_does_a_change_elsewhere_in_the_file_before(both: Both) -> None:
    morning, sam, alex = both
    near = changed(last="elsewhere").replace("line 3\n", "line three\n", 1)
    before = {"queue/long.py": near}
    alex.commit(before, "Change the end", author=ALEX, when=LAST_NIGHT - HOUR)
    both_ends = {
        **WHOLE,
        "queue/long.py": near.replace("line 1\n", "first\n", 1),
        "CHANGES.md": "x\n",
    }
    alex.commit(both_ends, "Retry (#603)", author=ALEX, when=LAST_NIGHT)
    bring(alex, sam)
    assert not is_open(morning)


def test_a_branch_whose_commits_were_rebased_one_by_one_is_not_open(both: Both) -> None:
    morning, sam, alex = both
    alex.commit({"web/login.py": "x = 5\n"}, "Between", author=ALEX, when=LAST_NIGHT - HOUR)
    alex.commit({"queue/retry.py": "a = 7\n"}, "Try it", author=ALEX, when=LAST_NIGHT)
    alex.commit({"queue/long.py": changed("first")}, "More", author=ALEX, when=LAST_NIGHT)
    alex.commit({"queue/retry.py": "a = 8\n"}, "Go on", author=ALEX, when=LAST_NIGHT + HOUR)
    bring(alex, sam)
    assert not is_open(morning)


def test_a_branch_whose_change_came_in_pieces_of_another_cut_is_not_open(both: Both) -> None:
    morning, sam, alex = both
    alex.commit({"queue/retry.py": "a = 6\n"}, "Half", author=ALEX, when=LAST_NIGHT)
    alex.commit(WHOLE, "The rest", author=ALEX, when=LAST_NIGHT + HOUR)
    bring(alex, sam)
    assert not is_open(morning)


def test_a_branch_of_which_only_a_part_came_in_is_open(both: Both) -> None:
    morning, sam, alex = both
    alex.commit({"queue/retry.py": "a = 7\n"}, "Try", author=ALEX, when=LAST_NIGHT)
    bring(alex, sam)
    assert is_open(morning)


def test_a_branch_with_work_after_the_squash_is_open(both: Both) -> None:
    morning, sam, alex = both
    alex.commit(WHOLE, "Retry (#603)", author=ALEX, when=LAST_NIGHT)
    bring(alex, sam)
    sam.switch("retry")
    sam.commit({"queue/retry.py": "a = 77\n"}, "And on", when=NOW - HOUR)
    assert is_open(morning)


@pytest.mark.parametrize("body", ["This reverts commit {sha}.", "Reverts sam/shop#603"])
def test_a_squash_that_was_taken_back_leaves_the_branch_open(both: Both, body: str) -> None:
    morning, sam, alex = both
    sha = alex.commit(WHOLE, "Retry (#603)", author=ALEX, when=LAST_NIGHT)
    back = {"queue/retry.py": "a = 1\nb = 2\nc = 3\n", "queue/long.py": LONG}
    title = 'Revert "Retry (#603)"' if "#603" in body else "Go back"
    message = f"{title}\n\n{body.format(sha=sha)}"
    alex.commit(back, message, author=ALEX, when=LAST_NIGHT + HOUR)
    bring(alex, sam)
    assert is_open(morning)


def test_of_another_binary_file_of_the_same_name_nothing_is_claimed(both: Both) -> None:
    morning, sam, alex = both
    sam.switch("retry")
    sam.commit({"logo.png": b"\x89PNG\0one"}, "Add a logo", when=YESTERDAY + 2 * HOUR)
    other = WHOLE | {"logo.png": b"\x89PNG\0two"}
    alex.commit(other, "Retry (#603)", author=ALEX, when=LAST_NIGHT)
    bring(alex, sam)
    assert is_open(morning)


def test_where_too_much_would_have_to_be_compared_no_claim_is_made(
    both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    morning, sam, alex = both
    alex.commit(WHOLE, "Retry (#603)", author=ALEX, when=LAST_NIGHT)
    bring(alex, sam)
    for limit in ("MOST_COMMITS", "MOST_PATHS"):
        with monkeypatch.context() as patched:
            patched.setattr(landed, limit, 1)
            assert is_open(morning)
    monkeypatch.setattr(landed, "SECONDS", 0.0)
    assert is_open(morning)


def test_ones_own_squash_and_its_branch_are_one_piece_of_work(both: Both) -> None:
    morning, sam, alex = both
    message = "Retry with a longer queue (#603)"
    alex.commit(WHOLE, message, author="Sam Doe <sam@example.com>", when=LAST_NIGHT)
    bring(alex, sam)
    (text,) = morning.texts("theme:")
    assert "Retry with a longer queue" in text
    assert "commits" not in text


def test_local_work_on_main_that_was_squashed_elsewhere_is_not_unpushed(both: Both) -> None:
    morning, sam, alex = both
    sam.git("branch", "-D", "retry")
    sam.commit({"queue/retry.py": "a = 7\n"}, "Try", when=YESTERDAY)
    alex.commit({"queue/retry.py": "a = 7\n"}, "Retry (#603)", author=ALEX, when=LAST_NIGHT)
    bring(alex, sam)
    assert morning.facts("unpushed:") == []
