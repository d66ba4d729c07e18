"""The commit helper: has the message written before `git commit` asks for it.

A draft by rule is put where the git hook finds it as soon as the index is read; a model's takes
its place if it may stand and the index is still the same. Each draft is for one tree on one commit
of one branch of one worktree, and the hook shows it for nothing else.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..ingest.git.command import Git
from ..ingest.git.errors import GitError
from ..memory.drafts import Drafts, Stored
from ..memory.errors import HermesError
from .commits import staged
from .commits.compose import Composed, Styles, compose
from .commits.fate import fate_of
from .commits.message import NotWritable, to_bytes
from .commits.phrasing import Phrased, phrase
from .commits.ready import Ready, Worktree, worktrees_of
from .commits.records import Draft
from .contract import Assignment, Context, Done, Misconfigured, Nothing, Outcome, Skipped
from .models.protocol import ChatModel
from .project_settings import ProjectSettings

if TYPE_CHECKING:
    from ..memory.memory import Memory
    from ..memory.work import Work

ALTERNATIVES = 3
"""Drafts by rule that are kept for one index."""
PATIENCE = 90.0
"""Seconds after which a model's words come too late for what is staged: the rule's stay."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Seat:
    """One worktree at work: its git, and where its drafts go."""

    repo: str
    git: Git
    worktree: Worktree
    ready: Ready

    @property
    def path(self) -> str:
        return str(self.worktree.path)


@dataclass(frozen=True, slots=True)
class _Index:
    """What a draft is for."""

    head: str | None
    tree: str
    at: str
    """The line in HEAD: its branch, if it is on one."""


class CommitHelper:
    """Drafts the message for what is staged, and puts it where the git hook finds it."""

    name = "commit_helper"

    def __init__(
        self,
        work: Work,
        memory: Callable[[], Awaitable[Memory]],
        git_of: Callable[[str | None], Git | None],
        project: Callable[[Path], ProjectSettings],
        folder: Path,
        *,
        wait: float = 0.0,
        patience: float = PATIENCE,
    ) -> None:
        """``folder`` is where the hook looks for drafts; ``wait``: seconds that it may wait for
        one; ``patience``: seconds that a model may take."""
        self._drafts: Drafts = work.drafts
        self._memory = memory
        self._git_of = git_of
        self._project = project
        self._folder = folder
        self._wait = wait
        self._patience = patience
        self._styles = Styles()

    async def handle(self, assignment: Assignment, context: Context) -> Outcome:
        """Draft for each worktree of the repository whose index is another than before. Raise as
        the contract says."""
        repo, git = assignment.repo, self._git_of(assignment.repo)
        if repo is None or git is None:
            return Skipped("no repository of memory is meant")
        if git.is_bare:
            return Nothing("a bare repository has no index")
        git = await asyncio.to_thread(git.with_facts)
        reports: list[dict[str, Any]] = []
        quiet: list[str] = []
        for worktree in await asyncio.to_thread(worktrees_of, git):
            tree = replace(git, worktree=worktree.path)
            seat = _Seat(repo, tree, worktree, Ready(self._folder, worktree))
            try:
                report = await self._tend(seat, context, dry_run=assignment.dry_run)
            except GitError as error:
                await asyncio.to_thread(seat.ready.remove)
                report = error.message
            if isinstance(report, str):
                quiet.append(report)
            else:
                reports.append(report)
        if not reports:
            return Nothing("; ".join(dict.fromkeys(quiet)) or "there is no worktree")
        first = reports[0]
        more = f", and {len(reports) - 1} more worktrees" if len(reports) > 1 else ""
        return Done(f"{first['subject']}{more}", {"answer": first["message"], "drafts": reports})

    async def _tend(self, seat: _Seat, context: Context, *, dry_run: bool) -> dict[str, Any] | str:
        """See to one worktree: return its new draft, or in words why there is none."""
        began = time.monotonic()
        model = context.model()
        project = await asyncio.to_thread(self._read_project, seat)
        if not project.commits.enabled:
            await asyncio.to_thread(seat.ready.remove)
            return "turned off in .hermes.toml"
        index = await asyncio.to_thread(_look, seat)
        if isinstance(index, str):
            if not dry_run:
                await asyncio.to_thread(self._settle, seat)
            return index
        known = await asyncio.to_thread(
            self._drafts.find, seat.repo, seat.path, index.tree, index.head, index.at
        )
        if known is not None and (known.phrased or model is None) and known.subject:
            if not dry_run:
                await asyncio.to_thread(self._restore, seat, index, known)
            return "the draft for this index is ready"
        if dry_run:
            return "would draft a message for what is staged"
        try:
            await asyncio.to_thread(seat.ready.announce, self._wait)
            composed = await self._compose(seat, index, project)
        finally:
            await asyncio.to_thread(seat.ready.withdraw)
        if isinstance(composed, str):
            await asyncio.to_thread(self._settle, seat)
            return composed
        stored = _to_store(seat, index, composed, time.monotonic() - began)
        if composed.drafts:
            await asyncio.to_thread(self._place, seat, index, composed.drafts[0], composed, stored)
            context.wrote(f"draft:{seat.path}")
        if model is not None and (better := await self._phrase(model, seat, index, composed)):
            stored = _phrased(stored, better, time.monotonic() - began)
            if not stored.subject:
                return "no honest message was found for this change"
            await asyncio.to_thread(self._place, seat, index, better.draft, composed, stored)
        elif not composed.drafts:
            return "no honest message was found for this change"
        return _report(seat, stored, composed)

    def _read_project(self, seat: _Seat) -> ProjectSettings:
        try:
            return self._project(seat.worktree.path)
        except Misconfigured:
            seat.ready.remove()
            raise

    async def _compose(
        self, seat: _Seat, index: _Index, project: ProjectSettings
    ) -> Composed | str:
        change = await asyncio.to_thread(staged.read_staged, seat.git)
        if change.empty:
            return "nothing is staged"
        memory: Memory | None = None
        try:
            memory = await self._memory()
        except HermesError as error:
            logger.warning("a draft is made without memory: %s", error.message)
        return await asyncio.to_thread(
            compose,
            seat.git,
            replace(change, tree=index.tree),
            project.commits,
            self._styles,
            ALTERNATIVES,
            memory=memory,
            repo=seat.repo,
        )

    async def _phrase(
        self, model: ChatModel, seat: _Seat, index: _Index, composed: Composed
    ) -> Phrased | None:
        """Return what came of a model; None if what is staged is another thing meanwhile."""
        try:
            async with asyncio.timeout(self._patience):
                phrased = await phrase(model, composed)
        except TimeoutError:
            phrased = Phrased(None, (f"slow: no answer within {self._patience:.0f} s",))
        now = await asyncio.to_thread(_look, seat)
        return phrased if now == index else None

    # What is written down. These block for some milliseconds.

    def _settle(self, seat: _Seat, but: int = 0) -> None:
        """Take away a draft that is for nothing any more, and note what became of the ones before."""
        if not but:
            seat.ready.remove()
        for draft in self._drafts.ready(seat.repo, seat.path):
            if draft.id == but:
                continue
            fate = fate_of(seat.git, draft)
            if fate is not None:
                self._drafts.used(draft.id, fate.sha, fate.outcome, fate.likeness)
        self._drafts.stale(seat.repo, seat.path, but)

    def _restore(self, seat: _Seat, index: _Index, known: Stored) -> None:
        """See that the hook finds a draft that was made before."""
        if known.state != "ready":
            self._drafts.put(replace(known, state="ready", outcome="", likeness=0.0, sha=""))
        self._settle(seat, self._id_of(known))
        if not seat.ready.holds(index.tree, index.head, index.at):
            draft = Draft(known.subject, known.body, known.trailers)
            _put(seat, index, draft, known.sign)

    def _place(
        self,
        seat: _Seat,
        index: _Index,
        draft: Draft | None,
        composed: Composed,
        stored: Stored,
    ) -> None:
        """Put a draft where the hook finds it, if it can be written there, and keep it."""
        stored = replace(stored, sign=composed.style.sign_off)
        self._drafts.put(stored)
        self._settle(seat, self._id_of(stored))
        if draft is not None:
            _put(seat, index, draft, composed.style.sign_off)

    def _id_of(self, stored: Stored) -> int:
        key = (stored.repo, stored.worktree, stored.tree, stored.head, stored.branch)
        found = self._drafts.find(*key)
        return found.id if found is not None else 0


def _look(seat: _Seat) -> _Index | str:
    """Return what is staged, or in words why there is nothing to draft."""
    try:
        at = seat.worktree.at()
        head, tree = staged.key(seat.git)
    except staged.Unmerged:
        return "a conflict is open"
    except OSError as error:
        raise GitError(f"HEAD can't be read: {error.strerror or error}") from error
    if head is not None and tree == _tree_of(seat.git, head):
        return "nothing is staged"
    if head is None and tree in staged.EMPTY_TREE.values():
        return "nothing is staged"
    return _Index(head, tree, at)


def _tree_of(git: Git, head: str) -> str:
    return git.run("rev-parse", "--verify", "--quiet", f"{head}^{{tree}}").decode().strip()


def _put(seat: _Seat, index: _Index, draft: Draft, sign: str) -> None:
    try:
        message = to_bytes(seat.git, draft, sign)
        seat.ready.put(message, index.tree, index.head, index.at, sign and f"Signed-off-by: {sign}")
    except NotWritable as error:
        logger.warning("a draft was not put into %s: %s", seat.path, error.message)
        seat.ready.remove()
    except OSError as error:
        logger.warning("the draft can't be written: %s", error.strerror or error)


def _to_store(seat: _Seat, index: _Index, composed: Composed, seconds: float) -> Stored:
    best, *others = composed.drafts or (Draft(""),)
    return Stored(
        repo=seat.repo,
        worktree=seat.path,
        tree=index.tree,
        head=index.head or "",
        branch=index.at,
        at=time.time(),
        by=best.by,
        subject=best.subject,
        body=best.body,
        trailers=best.trailers,
        alternatives=tuple(other.text for other in others),
        why=best.why,
        seconds=seconds,
    )


def _phrased(stored: Stored, phrased: Phrased, seconds: float) -> Stored:
    # A model that could not be asked is asked again the next time.
    asked = replace(stored, phrased=not phrased.failure, problems=phrased.problems)
    draft = phrased.draft
    if draft is None:
        return asked
    rule = Draft(stored.subject, stored.body, stored.trailers).text
    return replace(
        asked,
        by=draft.by,
        subject=draft.subject,
        body=draft.body,
        trailers=draft.trailers,
        why=draft.why,
        alternatives=(*([rule] if stored.subject else []), *stored.alternatives),
        seconds=seconds,
    )


def _report(seat: _Seat, stored: Stored, composed: Composed) -> dict[str, Any]:
    draft = Draft(stored.subject, stored.body, stored.trailers)
    return {
        "worktree": seat.path,
        "subject": stored.subject,
        "message": draft.text,
        "by": stored.by,
        "why": list(stored.why),
        "problems": list(stored.problems),
        "notes": list(composed.notes),
        "seconds": round(stored.seconds, 3),
    }
