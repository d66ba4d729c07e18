"""The test runner: after a save it runs the tests that may depend on it, and says what broke."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..ingest.git.command import Git
from .contract import Assignment, Context, Done, Followup, Hopeless, Lane, Nothing, Outcome, Skipped
from .events import Requested
from .project_settings import ProjectSettings
from .testing.allowed import Allowed, allowed
from .testing.first_bad import FirstBad
from .testing.parts import Parts
from .testing.real import real_parts
from .testing.recording import changed_in
from .testing.records import Changed, Tree
from .testing.session import Place, Session, Wanted
from .testing.threads import to_end
from .testing.turns import Turns

if TYPE_CHECKING:
    from ..memory.memory import Memory
    from ..memory.work import Work

PATIENCE = 5
"""So many runs in a row are ended by newer saves; the next one runs to its end."""

Started = Callable[[int, str, int], None]
"""Told of the leader of a process group that was started: its id, what it is, and the job."""


@dataclass(frozen=True, slots=True)
class Running:
    """How tests are run."""

    isolation: Literal["snapshot", "in_place"] = "snapshot"
    limit: float = 600.0
    """Seconds that the affected tests may take in all."""
    full_limit: float = 3_600.0
    """Seconds that all tests may take, at night."""


class TestRunner:
    """Subjects: affected (after a save), full (all tests, at night or on demand), first_bad (with
    which commit a test began to fail)."""

    __test__ = False  # not pytest's
    name = "test_runner"

    def __init__(
        self,
        work: Work,
        memory: Callable[[], Awaitable[Memory]],
        git_of: Callable[[str | None], Git | None],
        project: Callable[[Path], ProjectSettings],
        folder: Path,
        running: Running,
        *,
        started: Started = lambda pid, what, job: None,
        parts: Parts | None = None,
    ) -> None:
        """``folder`` is ours, for snapshots and what frameworks keep. ``git_of`` returns a known
        repository's git without asking git. ``project`` reads its settings."""
        self._work = work
        self._memory = memory
        self._git_of = git_of
        self._project = project
        self._folder = folder
        self._running = running
        self._started = started
        self._parts = parts or real_parts()
        self._turns = Turns()
        self._cut_short: dict[str, int] = {}
        """Runs in a row that newer saves ended, by repository."""

    def gives_way(self, running: Assignment, newer: Assignment) -> bool:
        """A newer save ends a run that nobody waits for, and its paths are tested with the next;
        but not for ever: a repository under constant change is tested too."""
        if running.subject not in ("", "affected") or running.repo is None:
            return False
        if running.lane is Lane.ON_DEMAND or running.dry_run:
            return False
        if newer.lane is Lane.ON_DEMAND:
            return True
        return self._cut_short.get(running.repo, 0) < PATIENCE

    async def handle(self, assignment: Assignment, context: Context) -> Outcome:
        """Run tests. Raise as the contract says."""
        if assignment.subject not in ("", "affected", "full", "first_bad"):
            raise Hopeless(f"the test runner has no task {assignment.subject!r}")
        repo = assignment.repo
        if repo is None:
            if assignment.subject != "full":
                return Nothing("no repository was named")
            return await self._everywhere(assignment)
        git = self._git_of(repo)
        if git is None:
            return Skipped("the repository is not in memory any more")
        if git.worktree is None or not git.worktree.is_dir():
            return Nothing("there are no files to test: the repository has no working tree")
        git = await asyncio.to_thread(git.with_facts)
        assert git.worktree is not None
        may = await asyncio.to_thread(
            allowed,
            self._work,
            repo,
            git.worktree,
            assignment.lane,
            self._project,
            lambda project: self._has_tests(git, repo, project),
        )
        if not isinstance(may, Allowed):
            return may
        place = Place(repo, git, may.project, self._folder / repo, self._in_place(may.project))
        session = Session(
            place,
            self._work,
            self._memory,
            self._parts,
            context,
            assignment.job,
            assignment.lane,
            lambda pid, what: self._started(pid, f"{what} of {place.name}", assignment.job),
        )
        if assignment.subject == "first_bad":
            work = FirstBad(session, self._running.limit / 2).find()
            return await self._turns.take(repo, assignment.lane, work)
        wanted = await to_end(lambda: self._wanted(assignment, git, repo))
        return await self._run(session, wanted, assignment)

    async def _run(self, session: Session, wanted: Wanted, assignment: Assignment) -> Outcome:
        repo = session.place.repo
        try:
            outcome = await self._turns.take(repo, assignment.lane, session.run(wanted))
        except asyncio.CancelledError:
            self._cut_short[repo] = self._cut_short.get(repo, 0) + 1
            raise
        self._cut_short.pop(repo, None)
        if wanted.kind != "asked" or wanted.dry_run or isinstance(outcome, Skipped):
            return outcome
        waiting = await asyncio.to_thread(self._work.runs.waiting.pending, repo)
        if not waiting.upto:
            return outcome
        # What it was asked between two saves must not keep what these changed from being tested.
        return replace(outcome, then=[*outcome.then, Followup(self.name, "affected", repo)])

    def _wanted(self, assignment: Assignment, git: Git, repo: str) -> Wanted:
        """Return what is to be run. What changed is remembered until a run has covered it."""
        waiting, dry = self._work.runs.waiting, assignment.dry_run
        limit, full_limit = self._running.limit, self._running.full_limit
        if assignment.subject == "full":
            upto = waiting.pending(repo).upto
            return Wanted("full", full_limit, Changed(whole=True), upto, dry_run=dry)
        if tests := _named(assignment):
            return Wanted("asked", limit, tests=tests, dry_run=dry)
        paths, folders, whole = assignment.paths, assignment.folders, assignment.whole
        known = waiting.pending(repo)
        if assignment.lane is Lane.ON_DEMAND and not (paths or folders or whole or known.upto):
            paths = changed_in(git)
        if dry:
            changed = Changed(
                tuple(dict.fromkeys([*known.paths, *paths])),
                tuple(dict.fromkeys([*known.folders, *folders])),
                known.whole or whole,
            )
            return Wanted("affected", limit, changed, dry_run=True)
        kept = waiting.add(repo, paths, folders, whole)
        changed = Changed(kept.paths, kept.folders, kept.whole)
        return Wanted("affected", limit, changed, kept.upto)

    async def _everywhere(self, assignment: Assignment) -> Outcome:
        """Have all tests run of each repository that is trusted."""
        trusted = await asyncio.to_thread(self._work.trust.all)
        known = [each.repo for each in trusted if self._git_of(each.repo) is not None]
        if not known:
            return Nothing("no repository is trusted: hermes trust says which may be tested")
        count = "1 repository" if len(known) == 1 else f"{len(known)} repositories"
        if assignment.dry_run:
            return Done(f"would run all tests of {count}", {"repos": known})
        then = [Followup(self.name, "full", repo, lane=assignment.lane) for repo in known]
        return Done(f"all tests of {count} are to be run", {"repos": known}, then=then)

    def _in_place(self, project: ProjectSettings) -> bool:
        return (project.tests.isolation or self._running.isolation) == "in_place"

    def _has_tests(self, git: Git, repo: str, project: ProjectSettings) -> bool:
        assert git.worktree is not None
        tree = Tree(git.worktree, git.worktree, self._folder / repo)
        return bool(self._parts.detect(tree, project))


def _named(assignment: Assignment) -> tuple[str, ...]:
    """Return the tests that a person named, one a line. Their own words to the router are none."""
    if any(isinstance(event, Requested) for event in assignment.events):
        return ()
    return tuple(line.strip() for line in assignment.text.splitlines() if line.strip())
