"""The indexer: keeps memory current. Seconds from a commit to an answer that knows it.

It looks at git itself, and has the worker write only where memory and git differ. So it does not
matter how often, or by whom, it is told of the same commit.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..ingest.git.command import Git
from ..ingest.git.errors import GitError
from ..ingest.git.history import heads, plan
from ..ingest.sources.deliveries import PROVIDERS, concerns
from ..ingest.sources.due import stamp_of, why_not
from ..ingest.sources.table import KINDS, kind_of
from ..memory.errors import HermesError
from ..memory.records import Repo
from .contract import (
    Assignment,
    Context,
    Done,
    Followup,
    Hopeless,
    Lane,
    NeedsUser,
    Nothing,
    NotReady,
    Outcome,
    Skipped,
)
from .roster import TOLD

if TYPE_CHECKING:
    from ..memory.memory import Memory
    from ..memory.sources import SourceRow

NOT_READY = frozenset(
    {
        *("embedder", "store_busy", "store_unreachable", "no_space", "read_only"),
        "source_away",
    }
)
"""Codes of what comes back by itself, or with a hand that lends none to hermes."""
NEEDS_USER = frozenset(
    {
        *("path_missing", "not_a_repository", "dubious_ownership", "repository_unreadable"),
        *("store_damaged", "store_too_new", "no_memory", "git_missing"),
        *("source_refused", "no_token"),
    }
)
GONE = "not_in_memory"
REMOVED = "no_such_source"
BROKEN = frozenset({"crashed", "source_broken"})
SYNC = "sync"
"""All sources whose turn it is; with a name behind it, that one."""
TOLD_DELAY = 2.0
"""Seconds in which more deliveries may come before a source is read for all of them."""
LAST_TRY = 8
AWAY_SECONDS = 86_400
"""So long a source may be away before that is worth telling."""
ADDED_SECONDS = 60
"""So long after it was added a repository that was never read is left to who added it."""

FinishForgetting = Callable[[Callable[[str, int, int], None]], Awaitable[Mapping[str, Any]]]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Standing:
    """A repository and how memory stands to it."""

    repo: Repo
    heads: Mapping[str, str]
    tips: Mapping[str, str]
    """The heads that memory has read."""

    @property
    def digest(self) -> str:
        return hashlib.sha256(
            repr((sorted(self.heads.items()), sorted(self.tips.items()))).encode()
        ).hexdigest()


class Indexer:
    """Subjects: read, links, vectors, upkeep, forget, amend, rebuild, rescan, sync, ``sync NAME``,
    ``told PROVIDER PLACE``."""

    name = "indexer"

    def __init__(
        self,
        memory: Callable[[], Awaitable[Memory]],
        *,
        on_rebuilt: Callable[[], None] = lambda: None,
        finish_forgetting: FinishForgetting | None = None,
        upkeep_delay: float = 0.0,
        offered: Callable[[str], str | None] = lambda source: None,
        on_brought: Callable[[], None] = lambda: None,
    ) -> None:
        """``memory`` returns the memory for reading, once it is open. ``on_rebuilt`` is called when
        its files were made anew. ``finish_forgetting`` takes out of what lies around memory what
        was taken out of it, told how to say how far it is, and returns the proof.
        ``upkeep_delay``: seconds after a change to wait with tidying up, so that it is done once
        for many. ``offered`` returns the token that a person's shell handed over for a source.
        ``on_brought`` is called when a source brought something, or stands otherwise than before."""
        self._memory = memory
        self._on_rebuilt = on_rebuilt
        self._finish_forgetting = finish_forgetting
        self._upkeep_delay = upkeep_delay
        self._offered = offered
        self._on_brought = on_brought

    async def handle(self, assignment: Assignment, context: Context) -> Outcome:
        """Do one of the subjects. Raise as the contract says."""
        try:
            match assignment.subject:
                case "read":
                    return await self._read(assignment, context)
                case "links":
                    return await self._links(assignment, context)
                case "vectors":
                    return await self._vectors(assignment, context)
                case "upkeep":
                    return await self._upkeep(assignment, context)
                case "forget":
                    return await self._forget(assignment, context)
                case "amend":
                    return await self._amend(assignment, context)
                case "rebuild":
                    return await self._rebuild(assignment, context)
                case "rescan":
                    return await self._rescan(assignment)
                case "sync":
                    return await self._sync_due(assignment)
                case subject if subject.startswith(f"{SYNC} "):
                    return await self._sync(subject.removeprefix(f"{SYNC} "), assignment, context)
                case subject if subject.startswith(f"{TOLD} "):
                    return await self._told(subject.removeprefix(f"{TOLD} "), assignment)
                case other:
                    raise Hopeless(f"the indexer has no task {other!r}")
        except (NotReady, NeedsUser, Hopeless):
            raise
        except HermesError as error:
            if error.code == GONE:
                return Skipped("the repository is not in memory any more")
            if error.code == REMOVED:
                return Skipped("the source was removed")
            raise _failure(error) from error

    async def _read(self, assignment: Assignment, context: Context) -> Outcome:
        if assignment.repo is None:
            return await self._rescan(assignment)
        memory = await self._memory()
        standing = await asyncio.to_thread(_standing, memory, assignment.repo)
        name = standing.repo.name
        current = standing.heads == standing.tips
        if assignment.dry_run:
            if current:
                return Nothing(f"{name} is current")
            count = await asyncio.to_thread(_unread, memory, standing)
            return Done(f"would read {_commits(count)} of {name}", {"unread": count})
        # A person who asks has it looked at anew, whatever memory says.
        if current and assignment.lane is not Lane.ON_DEMAND:
            return Nothing(f"{name} is current")
        for sha in sorted(set(standing.heads.values()) - set(standing.tips.values())):
            context.read(f"{standing.repo.id}:{sha}")
        report = dict(await context.bulk("read", standing.repo.id))
        new, gone = report["new_commits"], report["orphaned"]
        then = [Followup(self.name, "vectors")]
        if new:  # what was committed may be a document
            due = await asyncio.to_thread(self._due, memory)
            then += [self._syncing(row, Lane.REACTIVE) for row in due if row.kind == "docs"]
        if not new and not gone:
            return Done(f"{name} is current", report, then=then)
        return Done(f"read {_commits(new)} of {name}", report, then=then)

    async def _links(self, assignment: Assignment, context: Context) -> Outcome:
        if assignment.dry_run:
            memory = await self._memory()
            count = await asyncio.to_thread(memory.index.unlinked.count)
            return Done(f"would look at what {_commits(count)} of before name")
        report = await context.bulk("links")
        if not report["commits"]:
            return Nothing("of all commits it is known what they name")
        return Done(f"looked at what {_commits(report['commits'])} of before name", report)

    async def _vectors(self, assignment: Assignment, context: Context) -> Outcome:
        memory = await self._memory()
        if assignment.dry_run:
            stats = await asyncio.to_thread(memory.stats)
            return Done(f"would make {_count(stats.vectors_total - stats.vectors, 'vector')}")
        report = await context.bulk("vectors")
        then = [Followup(self.name, "upkeep", delay=self._upkeep_delay)]
        if not report["vectors"]:
            return Nothing("no vectors were missing", then)
        return Done(f"made {_count(report['vectors'], 'vector')}", report, then=then)

    async def _upkeep(self, assignment: Assignment, context: Context) -> Outcome:
        if assignment.dry_run:
            return Nothing("it is seen while doing it what there is to tidy up")
        report = await context.bulk("upkeep")
        if not report["tables"] and not report["indexed"]:
            return Nothing("there was nothing to tidy up")
        return Done("tidied up", report)

    async def _forget(self, assignment: Assignment, context: Context) -> Outcome:
        if assignment.repo is None:
            return await self._forget_withheld(assignment, context)
        if assignment.dry_run:
            memory = await self._memory()
            stats = await asyncio.to_thread(memory.stats, assignment.repo)
            return Done(f"would forget {_commits(stats.commits)}")
        try:
            report = await context.bulk("forget", assignment.repo)
        except HermesError as error:
            if error.code == GONE and assignment.attempt == 1:
                raise Hopeless(error.message, hint=error.hint) from error
            raise
        return Done("forgotten", report, then=[Followup(self.name, "upkeep")])

    async def _forget_withheld(self, assignment: Assignment, context: Context) -> Outcome:
        """Carry out the rules that are on disk: what they name stands in no assignment."""
        if assignment.dry_run:
            memory = await self._memory()
            pending = await asyncio.to_thread(memory.index.withheld.pending)
            return Done(f"{_count(len(pending), 'rule')} to be carried out")
        report = dict(await context.bulk("forget"))
        if self._finish_forgetting is not None:
            report["proof"] = await self._finish_forgetting(context.progress)
        # What was read before the rule was there, and what was taken back with it.
        then = [Followup(self.name, "vectors"), Followup(self.name, "rescan")]
        if report["lifted"]:
            then.append(Followup(self.name, SYNC))
        return Done("forgotten", report, then=then)

    async def _amend(self, assignment: Assignment, context: Context) -> Outcome:
        if assignment.dry_run:
            return Nothing("what was changed by hand is carried out at once")
        report = dict(await context.bulk("amend"))
        then: list[Followup] = []
        if report["edited"] or report["restored"]:
            then.append(Followup(self.name, "vectors"))
        if report["deleted"]:
            then.append(Followup(self.name, "forget"))
        count = report["edited"] + report["restored"] + report["deleted"]
        return Done(f"carried out {_count(count, 'change')} by hand", report, then=then)

    async def _rebuild(self, assignment: Assignment, context: Context) -> Outcome:
        if assignment.dry_run:
            memory = await self._memory()
            repos = await asyncio.to_thread(memory.index.repos)
            return Done(f"would make the memory anew and read {_count(len(repos), 'repository')}")
        report = await context.bulk("rebuild")
        if report["beside"]:
            summary = f"the memory was made anew: {_commits(report['commits'])}"
            return Done(summary, report, then=[Followup(self.name, "upkeep")])
        self._on_rebuilt()
        # Memory is empty until they are done: whoever asked for this waits for them too.
        lane = assignment.lane
        then = [Followup(self.name, "read", repo=repo, lane=lane) for repo in report["repos"]]
        return Done("the memory was made anew", report, then=then)

    async def _sync_due(self, assignment: Assignment) -> Outcome:
        memory = await self._memory()
        due = await asyncio.to_thread(self._due, memory)
        if not due:
            return Nothing("no source is to be read")
        summary = f"{_count(len(due), 'source')} to be read"
        if assignment.dry_run:
            return Done(summary, {"sources": [row.name for row in due]})
        then = [self._syncing(row, assignment.lane) for row in due]
        return Done(summary, {"sources": [row.name for row in due]}, then=then)

    async def _told(self, subject: str, assignment: Assignment) -> Outcome:
        """Have the sources read that a delivery is about."""
        name, _, place = subject.partition(" ")
        provider = PROVIDERS.get(name)
        if provider is None:
            raise Hopeless(f"there are no deliveries of {name}")
        sources = (await self._memory()).index.sources
        concerned = [
            row
            for row in await asyncio.to_thread(sources.all)
            if concerns(provider, row.kind, row.options, row.cursor, place)
        ]
        if not concerned:
            return Nothing(f"no source reads {place} of {provider.title}")
        now = time.time()
        held = {row.name: why_not(row, "", self._offered(row.name), now) for row in concerned}
        concerned = [row for row in concerned if not held[row.name]]
        if not concerned:
            return Nothing("; ".join(f"{name}: {why}" for name, why in held.items()))
        names = [row.name for row in concerned]
        summary = f"{', '.join(names)} to be read"
        if assignment.dry_run:
            return Done(summary, {"sources": names})
        then = [self._syncing(row, assignment.lane, TOLD_DELAY) for row in concerned]
        return Done(summary, {"sources": names}, then=then)

    def _due(self, memory: Memory) -> list[SourceRow]:
        now, repos = time.time(), memory.index.repos()
        return [
            row
            for row in memory.index.sources.all()
            if not why_not(row, stamp_of(row.options), self._offered(row.name), now)
            and not _is_current(row, repos)
        ]

    def _syncing(self, row: SourceRow, lane: Lane, delay: float = 0.0) -> Followup:
        return Followup(self.name, f"{SYNC} {row.name}", delay=delay, lane=lane)

    async def _sync(self, name: str, assignment: Assignment, context: Context) -> Outcome:
        sources = (await self._memory()).index.sources
        row = await asyncio.to_thread(sources.get, name)
        if row.paused:
            return Skipped(f"{name} is paused")
        if assignment.dry_run:
            return Nothing("it is seen while reading it what is new")
        try:
            report = dict(await context.bulk(SYNC, source=name))
        except HermesError as error:
            self._on_brought()
            if error.code != "source_away":
                raise
            row = await asyncio.to_thread(sources.get, name)
            return _away(row, assignment, error)
        if report["news"] or report["gone"] or row.fault is not None:
            self._on_brought()
        if not report["news"] and not report["gone"]:
            return Done(f"{name} is current", report)
        summary = f"read {_count(report['items'], 'item')} of {name}: {report['news']:,} new"
        summary += f", {report['gone']:,} gone" if report["gone"] else ""
        return Done(summary, report, then=[Followup(self.name, "vectors")])

    async def _rescan(self, assignment: Assignment) -> Outcome:
        memory = await self._memory()
        # Who adds a repository has it read, and is told what was learnt: not by the clock.
        spared = ADDED_SECONDS if assignment.lane is Lane.SCHEDULED else 0
        behind, missing = await asyncio.to_thread(_behind, memory, spared)
        unlinked = await asyncio.to_thread(memory.index.unlinked.count)
        summary = f"{_count(len(behind), 'repository')} to be read" if behind else "all is current"
        if assignment.dry_run:
            return Done(summary, {"repos": behind})
        lane = assignment.lane
        then = [Followup(self.name, "read", repo=repo, lane=lane) for repo in behind]
        if missing and not behind:
            then.append(Followup(self.name, "vectors"))
        if unlinked:  # since an older version read them
            then.append(Followup(self.name, "links"))
        if not then:
            return Nothing(summary)
        return Done(summary, {"repos": behind}, then=then)


def _standing(memory: Memory, repo_id: str) -> _Standing:
    repo = memory.index.repo(repo_id)
    if repo is None:
        error = HermesError("this repository is not in memory", hint="add it with hermes up")
        error.code = GONE
        raise error
    return _Standing(repo, heads(Git.open(repo.path)), memory.index.tips(repo.id))


def _unread(memory: Memory, standing: _Standing) -> int:
    known = memory.index.known(standing.repo.id)
    return len(plan(Git.open(standing.repo.path), known, standing.tips).unread)


def _behind(memory: Memory, spared: float) -> tuple[list[str], bool]:
    """Return the repositories that have moved on, but for those never read that were added less
    than ``spared`` seconds ago, and whether vectors or repairs are missing."""
    behind: list[str] = []
    for repo in memory.index.repos():
        try:
            standing = _standing(memory, repo.id)
        except GitError as error:
            logger.warning("%s can't be read: %s", repo.name, error.message)
        else:
            just_added = not standing.tips and time.time() - repo.added < spared
            if standing.heads != standing.tips and not just_added:
                behind.append(repo.id)
    stats = memory.stats()
    return behind, stats.vectors < stats.vectors_total or bool(memory.index.intents.pending())


def _is_current(row: SourceRow, repos: Sequence[Repo]) -> bool:
    """Say whether there is surely nothing new in a source that was read well: no worker is started
    to find that out."""
    if row.synced is None or row.fault is not None or row.kind not in KINDS:
        return False
    try:
        return kind_of(row.kind).is_current(row.options, row.cursor, repos)
    except HermesError:  # whoever reads it says what is wrong
        return False


def _away(row: SourceRow, assignment: Assignment, error: HermesError) -> Outcome:
    """Have a source tried again when it has said; else later each time. By the clock it is asked
    again anyway, so there that it is away ends a job badly only once it has been so for long. Raise
    NotReady."""
    now = time.time()
    since = row.synced or row.added
    by_clock = assignment.lane is Lane.SCHEDULED and now - since < AWAY_SECONDS
    if by_clock and assignment.attempt >= LAST_TRY:
        return Skipped(f"{row.name} is away: {error.message}")
    wait = row.waits_until - now if row.waits_until > now else None
    failure = NotReady(error.message, hint=error.hint, retry_after=wait)
    failure.code = error.code
    raise failure


def _failure(error: HermesError) -> HermesError:
    """Given what memory, git or the worker says, return what it means for the job."""
    kind: type[HermesError]
    if error.code in NOT_READY:
        kind = NotReady
    elif error.code in NEEDS_USER:
        kind = NeedsUser
    elif error.code in BROKEN:
        kind = Hopeless
    else:
        return error
    failure = kind(error.message, hint=error.hint)
    failure.code = error.code
    return failure


def _commits(count: Any) -> str:
    return _count(count, "commit")


def _count(count: Any, one: str) -> str:
    many = f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
    return f"{count:,} {one if count == 1 else many}"
