"""Which tests a person means by what they typed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..memory.errors import HermesError

if TYPE_CHECKING:
    from ..memory.records import Repo
    from ..memory.test_records import Standing
    from ..memory.test_runs import Runs

MOST = 500
"""Tests that one word may stand for."""
SHOWN = 5
"""Tests that are named to someone who has to choose."""


class NoSuchTest(HermesError):
    """No test is called so, or more than one."""

    code = "no_such_test"


def the_one(runs: Runs, repo: Repo, text: str) -> Standing:
    """Given an id or a part of it that no other has, return how that test stands. Raise
    NoSuchTest."""
    exact = runs.standing(repo.id, text)
    if exact is not None:
        return exact
    found = runs.find(repo.id, text, MOST) if text.strip() else []
    ending = [each for each in found if each.test.endswith(text)]
    if len(found) == 1 or len(ending) == 1:
        return (found if len(found) == 1 else ending)[0]
    if not found:
        raise NoSuchTest(
            f"no test of {repo.name} that was run has {text} in its id",
            hint="`hermes tests --all` lists them",
        )
    shown = ", ".join(each.test for each in found[:SHOWN])
    more = f" and {len(found) - SHOWN:,} more" if len(found) > SHOWN else ""
    raise NoSuchTest(f"{text} may be {shown}{more}", hint="give more of the id")


def chosen(runs: Runs, repo: Repo, words: Sequence[str]) -> tuple[str, ...]:
    """Given ids, parts of ids, and files, return what is to be run: a file that is there as it
    is, else all tests whose ids hold the word. Raise NoSuchTest."""
    names: dict[str, None] = {}
    for word in words:
        for name in _named(runs, repo, word):
            names[name] = None
    return tuple(names)


def _named(runs: Runs, repo: Repo, word: str) -> Sequence[str]:
    if runs.standing(repo.id, word) is not None or _there(repo, word):
        return (word,)
    found = [each.test for each in runs.find(repo.id, word, MOST)] if word.strip() else []
    if not found:
        raise NoSuchTest(
            f"no test of {repo.name} has {word} in its id, and there is no such file",
            hint="`hermes tests --all` lists those that were run",
        )
    return found


def _there(repo: Repo, word: str) -> bool:
    """Say whether a word names a file or folder of the worktree, or a test in one."""
    place = word.partition("::")[0]
    if repo.worktree is None or not place or place.startswith(("/", "-")) or "\0" in place:
        return False
    path = Path(place)
    return ".." not in path.parts and (Path(repo.worktree) / path).exists()
