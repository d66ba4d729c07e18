"""The doc keeper: finds documents that a commit made wrong, and prepares what puts them right."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..ingest.git.command import Git
from ..ingest.git.errors import GitError
from ..memory.drift import LIVE, Found, Proposal, State
from ..memory.errors import HermesError
from .contract import (
    Assignment,
    Context,
    Done,
    Finding,
    Hopeless,
    Nothing,
    NotReady,
    Outcome,
    Skipped,
)
from .documents import drift, scan
from .documents.documents import load, read
from .documents.edits import decode
from .documents.fix import Wrong, by_rule
from .documents.help import differing
from .documents.phrasing import Phrasing
from .documents.printed import printed
from .documents.proposing import (
    as_known,
    finding_of,
    found_of,
    grouped,
    line_of,
    rank_of,
    recovered,
)
from .documents.records import Drift, Fix
from .documents.since import branch_of, head_of, span_of
from .documents.standing import Standing, standing_of, unseen
from .documents.tree import Tree
from .project_settings import ProjectDocuments, ProjectSettings

if TYPE_CHECKING:
    from ..memory.memory import Memory
    from ..memory.work import Work

SCANNED = "(scan)"
"""Stands among branches for the look at the whole repository."""

logger = logging.getLogger(__name__)


class DocKeeper:
    """Subjects: check (after a commit), scan (a whole repository)."""

    name = "doc_keeper"

    def __init__(
        self,
        work: Work,
        memory: Callable[[], Awaitable[Memory]],
        git_of: Callable[[str | None], Git | None],
        project: Callable[[Path], ProjectSettings],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._work = work
        self._memory = memory
        self._git_of = git_of
        self._project = project
        self._clock = clock

    async def handle(self, assignment: Assignment, context: Context) -> Outcome:
        """Look for drift. Raise as the contract says."""
        # Asked in a person's own words, it is the documents as they are that are meant.
        asked = any(
            event.kind in ("requested", "delivered", "noted") for event in assignment.events
        )
        try:
            match assignment.subject:
                case "check" | "" if not asked and assignment.repo is not None:
                    return await self._check(assignment, context)
                case "check" | "scan" | "":
                    return await self._scan(assignment, context)
                case other:
                    raise Hopeless(f"the doc keeper has no task {other!r}")
        except GitError as error:
            raise NotReady(error.message, hint=error.hint) from error

    async def _check(self, assignment: Assignment, context: Context) -> Outcome:
        repo = assignment.repo or ""
        git = self._git_of(repo)
        if git is None:
            return Skipped("the repository is not in memory any more")
        git = await asyncio.to_thread(git.with_facts)
        project = await self._documents_of(git)
        if not project.enabled:
            return Nothing("its .hermes.toml turns this off")
        proposals = self._work.proposals
        span = await asyncio.to_thread(span_of, git, proposals, repo, assignment.events)
        if span is None:
            return Nothing("there is no commit yet")
        if span.old == span.new:
            return Nothing("it was checked before")
        context.read(f"{repo}:{span.new}")
        found = await asyncio.to_thread(drift.after, git, span.old, span.new, project)
        helped = await self._help(git, repo, span.new, project)
        looked = _Look(git, repo, span.new, project, scanned=False, helped=helped is not None)
        found = [*found, *(helped or ())]
        return await self._settle(looked, found, assignment, context, span.branch)

    async def _scan(self, assignment: Assignment, context: Context) -> Outcome:
        if assignment.repo is not None:
            outcome = await self._scan_one(assignment.repo, assignment, context)
            return Nothing("there is no commit yet") if outcome is None else outcome
        memory = await self._memory()
        repos = [repo.id for repo in await asyncio.to_thread(memory.index.repos)]
        done: list[Done] = []
        failed: list[str] = []
        for number, repo in enumerate(repos):
            context.progress("scanning repositories", number, len(repos))
            try:
                outcome = await self._scan_one(repo, assignment, context)
            except HermesError as error:  # one that is away does not keep the others from it
                failed.append(error.message)
                continue
            if isinstance(outcome, Done):
                done.append(outcome)
        if failed and len(failed) == len(repos):
            raise NotReady(failed[0])
        if not done:
            return Nothing("; ".join(["no document has drifted", *failed]))
        return Done(
            "; ".join([each.summary for each in done] + failed),
            {"repos": [dict(each.report) for each in done], "failed": failed},
            [finding for each in done for finding in each.findings],
        )

    async def _scan_one(
        self, repo: str, assignment: Assignment, context: Context
    ) -> Outcome | None:
        git = self._git_of(repo)
        if git is None:
            return Skipped("the repository is not in memory any more")
        git = await asyncio.to_thread(git.with_facts)
        project = await self._documents_of(git)
        if not project.enabled:
            return Nothing("its .hermes.toml turns this off")
        head = await asyncio.to_thread(head_of, git)
        if head is None:
            return None
        context.read(f"{repo}:{head}")
        context.progress("reading documents", 0, 0)
        found = await asyncio.to_thread(scan.scan, git, project, head)
        helped = await self._help(git, repo, head, project)
        looked = _Look(git, repo, head, project, scanned=True, helped=helped is not None)
        found = [*found, *(helped or ())]
        return await self._settle(looked, found, assignment, context, SCANNED)

    async def _help(
        self, git: Git, repo: str, head: str, project: ProjectDocuments
    ) -> list[Drift] | None:
        """Return where documents show another help than the programs print; None if these were not
        asked. They are the repository's code: they run only where a person trusts it."""
        if not project.help or git.worktree is None:
            return None
        if not await asyncio.to_thread(self._work.trust.holds, repo, git.worktree):
            return None
        documents = await asyncio.to_thread(load, git, head, project)
        found = await printed(git, project.help, documents, head)
        return None if found is None else list(differing(documents, found))

    async def _documents_of(self, git: Git) -> ProjectDocuments:
        if git.worktree is None:
            return ProjectDocuments()
        return (await asyncio.to_thread(self._project, git.worktree)).documents

    async def _settle(
        self,
        looked: _Look,
        drifts: Sequence[Drift],
        assignment: Assignment,
        context: Context,
        branch: str,
    ) -> Outcome:
        """Store what was found and close what is over; return what there is to say."""
        proposals, repo, now = self._work.proposals, looked.repo, self._clock()
        dismissed = await asyncio.to_thread(proposals.dismissed, repo)
        known = await asyncio.to_thread(proposals.find, repo, [*LIVE, State.ACCEPTED])
        known = [each for each in known if each.live or not each.why]
        if looked.scanned:
            drifts = as_known(drifts, {each.found.same: each.found for each in known})
        wrongs = sorted(grouped(drifts, dismissed), key=lambda wrong: rank_of(wrong.first))
        if assignment.dry_run:
            return _trial(wrongs)
        found = await self._prepared(looked, wrongs, context)
        seen = {each.same for each in found}
        standing = await asyncio.to_thread(looked.standing, known, seen)
        since = await asyncio.to_thread(proposals.last_look, repo)
        new = await asyncio.to_thread(self._store, looked, found, standing, branch, now)
        over = await asyncio.to_thread(self._over, repo, since)
        opened = [each for each in new if each.state is State.OPEN]
        findings: list[Finding] = [recovered(repo, document) for document in over]
        if (finding := finding_of(repo, opened)) is not None:
            findings.append(finding)
        for each in new:
            context.wrote(f"D{each.id}")
        report = {
            "new": [f"D{each.id} {line_of(each.found)}" for each in opened],
            "held": len(new) - len(opened),
            "over": [f"D{number}" for number in standing.gone],
            "committed": [f"D{number}" for number in standing.committed],
        }
        if not new and not findings and not standing.gone and not standing.committed:
            return Nothing("no document has drifted")
        return Done(_summary(new, standing), report, findings)

    async def _prepared(
        self, looked: _Look, wrongs: Sequence[Wrong], context: Context
    ) -> list[Found]:
        """Return what is to be stored, with fixes: by rule, and by a model for the first few that
        no rule can put right."""
        tree = await asyncio.to_thread(Tree.at, looked.git, looked.head)
        phrasing = Phrasing(looked.git, context.model(), tree.has)
        found: list[Found] = []
        for wrong in wrongs:
            data = await asyncio.to_thread(_content, tree, wrong.first.document)
            text = None if data is None else decode(data)
            fix: Fix | None = None
            if text is not None:
                fix = await asyncio.to_thread(by_rule, wrong, text, read, tree.has)
                if fix is None:
                    fix = await phrasing.fix(wrong, text)
            scanned = looked.scanned and wrong.first.commit is None
            found.append(found_of(wrong, data, fix, scanned=scanned))
        return found

    def _store(
        self, looked: _Look, found: Sequence[Found], standing: Standing, branch: str, now: float
    ) -> list[Proposal]:
        """Write all of a run at once; return what is new, the best first."""
        proposals, repo = self._work.proposals, looked.repo
        with self._work.database.writing():
            for number, why in standing.gone.items():
                proposals.close(number, State.GONE, now, why)
            for number in standing.committed:
                proposals.close(number, State.ACCEPTED, now, "committed")
            seen = {each.same for each in found}
            again = [each for each in standing.undone if each.same not in seen]
            numbers = proposals.put(repo, [*found, *again], now)
            proposals.set_checked(repo, branch, looked.head, now)
            if looked.scanned:
                # A scan has looked at everything up to here.
                proposals.set_checked(repo, branch_of(looked.git), looked.head, now)
        new = [proposals.get(number) for number in numbers]
        return sorted(new, key=lambda each: (each.found.rank, each.id))

    def _over(self, repo: str, since: float) -> list[str]:
        """Return the documents of which something was closed since the last run, and of which
        nothing is left."""
        proposals = self._work.proposals
        closed = proposals.find(repo, [State.GONE, State.ACCEPTED, State.DISMISSED], 1_000)
        live = {each.found.document for each in proposals.find(repo)}
        documents = {each.found.document for each in closed if each.changed >= since}
        return sorted(documents - live)


class _Look:
    """One look at one repository."""

    def __init__(
        self,
        git: Git,
        repo: str,
        head: str,
        project: ProjectDocuments,
        *,
        scanned: bool,
        helped: bool,
    ) -> None:
        self.git = git
        self.repo = repo
        self.head = head
        self.project = project
        self.scanned = scanned
        self.helped = helped

    def standing(self, known: Sequence[Proposal], seen: Collection[str]) -> Standing:
        """Return what has become of what was known. Raise a GitError."""
        found = standing_of(
            self.git,
            known,
            seen,
            self.head,
            lambda old, new: drift.after(self.git, old, new, self.project),
            helped=self.helped,
        )
        if not self.scanned:
            return found
        return Standing({**found.gone, **unseen(known, seen)}, found.committed, found.undone)


def _content(tree: Tree, path: str) -> bytes | None:
    entry = tree.entries.get(path)
    if entry is None or not entry.is_file:
        return None
    return tree.read([entry.blob]).get(entry.blob)


def _trial(wrongs: Sequence[Wrong]) -> Outcome:
    if not wrongs:
        return Nothing("no document has drifted")
    places = [f"{wrong.first.document}:{wrong.first.line}" for wrong in wrongs]
    return Done(f"would propose {_count(len(wrongs), 'fix', 'fixes')}", {"places": places[:50]})


def _summary(new: Sequence[Proposal], standing: Standing) -> str:
    parts: list[str] = []
    if new:
        held = sum(each.state is State.HELD for each in new)
        later = f", {held} held for later" if held else ""
        parts.append(f"{_count(len(new), 'place')} drifted{later}")
    if standing.gone:
        parts.append(f"{_count(len(standing.gone), 'proposal')} over")
    if standing.committed:
        parts.append(f"{_count(len(standing.committed), 'fix', 'fixes')} committed")
    return "; ".join(parts) or "documents match the code again"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
