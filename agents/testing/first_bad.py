"""Finds the commit with which a test began to fail, when that is cheap.

Looked at are the commits since HEAD at which the test last passed, of which the changed files are
among those that the test depends on. Each is written into a folder of ours and the one test is run
on it: five times at most. A commit is named only if the test was seen to fail from it on, as it
does now, and to pass before it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from ...memory.test_records import Colour, Standing
from ..contract import Done, Nothing, Outcome
from .commit_tree import CommitTree, TooLarge
from .confirm import BAD
from .framework import EnvironmentBroken, Framework
from .recording import Head, head_of
from .records import Changed, Choice, Mark, Pick, State, Tree
from .session import Session
from .threads import to_end

MOST_RUNS = 5
MOST_COMMITS = 30
"""Commits since the test last passed; of more it is not cheap to find one."""
MOST_TESTS = 2
"""Tests looked into by one job."""


@dataclass(slots=True)
class _Search:
    """What was seen of one test, by commit: True where it passes, False where it fails as now."""

    standing: Standing
    framework: Framework
    tree: CommitTree
    scratch: Path
    seen: dict[str, bool | None] = field(default_factory=dict[str, "bool | None"])


class FirstBad:
    """The search for one repository. ``seconds`` bound it."""

    def __init__(self, session: Session, seconds: float) -> None:
        self._session = session
        self._place = session.place
        self._end = time.monotonic() + seconds
        self._folder = session.place.folder / "first_bad"

    async def find(self) -> Outcome:
        """Look into the newest failures whose first bad commit is not known."""
        place, runs = self._place, self._session.work.runs
        head = await asyncio.to_thread(head_of, place.git)
        red = await asyncio.to_thread(runs.standings, place.repo, (Colour.RED,), 50)
        cheap = [
            each
            for each in red
            if not each.first_bad and each.green_head and each.green_head != head.sha
        ][:MOST_TESTS]
        if not cheap or not head.sha:
            return Nothing("no failure began with a commit, as far as can be told cheaply")
        found: dict[str, str] = {}
        why: list[str] = []
        try:
            for standing in cheap:
                sha, reason = await self._look_into(standing, head)
                if sha:
                    found[standing.test] = sha
                    await asyncio.to_thread(
                        runs.first_bad, place.repo, standing.framework, standing.test, sha
                    )
                else:
                    why.append(f"{standing.test}: {reason}")
        finally:
            await to_end(lambda: shutil.rmtree(self._folder, ignore_errors=True))
        if not found:
            return Nothing("; ".join(why))
        words = ", ".join(f"{test} began to fail with {sha[:12]}" for test, sha in found.items())
        return Done(words, {"first_bad": found, "not_found": why})

    async def _look_into(self, standing: Standing, head: Head) -> tuple[str, str]:
        """Return the first bad commit, or an empty text and why there is none."""
        git = self._place.git
        try:
            commits = await asyncio.to_thread(_commits, git, standing.green_head)
        except GitError:
            return "", "the commit at which it passed is gone"
        if not commits or len(commits) > MOST_COMMITS:
            return "", f"{len(commits)} commits came since it passed"
        take = self._session.parts.in_place
        worktree = await asyncio.to_thread(take, git, self._folder)
        frameworks = await asyncio.to_thread(
            self._session.parts.detect, worktree, self._place.project
        )
        framework = next((each for each in frameworks if each.name == standing.framework), None)
        if framework is None:
            return "", f"{standing.framework} is not there any more"
        bearing = [
            sha
            for sha, paths in commits
            if await asyncio.to_thread(_bears, framework, worktree, standing.test, paths)
        ]
        if not bearing:
            return "", "no commit since it passed changed what it depends on"
        root = self._folder / "tree" / self._place.git.folder.name
        search = _Search(standing, framework, CommitTree(git, root), self._folder / "scratch")
        try:
            return await self._search(search, standing.green_head, bearing, head.sha)
        except TooLarge:
            return "", "the repository is too large to be written out for one test"
        except EnvironmentBroken as error:
            return "", str(error)

    async def _search(
        self, search: _Search, good: str, bearing: Sequence[str], head: str
    ) -> tuple[str, str]:
        """Halve the commits between one on which it passes and one on which it fails."""
        if await self._passes(search, head) is not False:
            return "", "it does not fail at HEAD: what is not committed makes it fail"
        before, after = -1, len(bearing) - 1  # passes at the first, fails at the second
        search.seen[bearing[-1]] = False  # nothing after it bears on the test
        while after - before > 1:
            middle = (before + after) // 2
            passes = await self._passes(search, bearing[middle])
            if passes is None:
                return "", f"{bearing[middle][:12]} could not be tested"
            before, after = (middle, after) if passes else (before, middle)
        if before == -1 and await self._passes(search, good) is not True:
            return "", "it does not pass either on the commit at which it passed"
        return bearing[after], ""

    async def _passes(self, search: _Search, sha: str) -> bool | None:
        """Run the test on a commit: True if it passes, False if it fails as now, else None."""
        if sha in search.seen:
            return search.seen[sha]
        left = self._end - time.monotonic()
        if len(search.seen) > MOST_RUNS or left <= 1.0:
            return None
        self._session.context.progress(f"testing {sha[:12]}", len(search.seen), MOST_RUNS)
        await to_end(lambda: self._bring(search, sha))
        test, worktree = search.standing.test, self._place.git.worktree
        assert worktree is not None
        tree = Tree(search.tree.root, worktree, search.scratch)
        choice = Choice((Pick(test, "when did it begin to fail?"),), "asked", "one test")
        invocation = await asyncio.to_thread(search.framework.invocation, tree, choice)
        ended = await self._session.parts.run(
            invocation, limit=left, started=lambda pid: self._session.started(pid, "one test")
        )
        report = await asyncio.to_thread(search.framework.read, tree, choice, ended)
        case = next((case for case in report.cases if case.id == test), None)
        result: bool | None = None
        if case is not None and case.mark is Mark.PASSED:
            result = True
        elif case is not None and case.mark in BAD and report.state is State.RED:
            now = search.standing.failure
            if case.failure is None or now is None or case.failure.exception == now.exception:
                result = False
        search.seen[sha] = result
        return result

    def _bring(self, search: _Search, sha: str) -> None:
        shutil.rmtree(search.scratch, ignore_errors=True)
        search.scratch.mkdir(parents=True)
        search.tree.bring(sha)


def _commits(git: Git, good: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the commits since ``good`` with their paths, the oldest first."""
    out = git.run(
        *("log", "--reverse", "--topo-order", "--first-parent", "-m", "--no-renames"),
        *("--name-only", "-z", "--format=%x01%H", f"--max-count={MOST_COMMITS + 1}"),
        *(f"{good}..HEAD", "--"),
    )
    found: list[tuple[str, tuple[str, ...]]] = []
    for part in out.split(b"\1")[1:]:
        sha, *paths = part.replace(b"\n", b"\0").split(b"\0")
        found.append((sha.decode(), tuple(os.fsdecode(path) for path in paths if path)))
    return found


def _bears(framework: Framework, tree: Tree, test: str, paths: Sequence[str]) -> bool:
    """Say whether a change of these paths may change the test's result. When in doubt it does."""
    try:
        choice = framework.choose(tree, Changed(tuple(paths)))
    except EnvironmentBroken:
        return True
    file = test.split("::", 1)[0]
    return choice.whole or any(
        pick.target in (test, file) or test.startswith((f"{pick.target}::", f"{pick.target}/"))
        for pick in choice.picks
    )
