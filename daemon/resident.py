"""Builds what makes a daemon resident: ledger, queue, runtime, triggers, attention, and how each
hears of the others. All of it is built here, once, and handed to the supervisor."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..agents.answering import Answering
from ..agents.brief import files as brief_files
from ..agents.brief.calendar import read_hours
from ..agents.brief.prompt import VERSION as BRIEF
from ..agents.commit_helper import CommitHelper
from ..agents.commits.prompt import VERSION as COMMITS
from ..agents.commits.ready import remove_all as remove_drafts
from ..agents.contract import Agent, Context, Lane
from ..agents.council.prompt import VERSION as COUNCIL
from ..agents.council_agent import CouncilAgent
from ..agents.doc_keeper import DocKeeper
from ..agents.documents.prompt import VERSION as DOCUMENTS
from ..agents.events import Committed, Event, RunAsked, Scheduled
from ..agents.indexer import Indexer
from ..agents.models.call import Call
from ..agents.models.protocol import ChatModel
from ..agents.project_settings import read_project
from ..agents.prompt import VERSION as ANSWERING
from ..agents.router import Decision, Router
from ..agents.routing_facts import Change, look_at
from ..agents.routing_prompt import VERSION as ROUTING
from ..agents.synthesizer import Synthesizer
from ..agents.test_runner import Running, TestRunner
from ..agents.themes.prompt import VERSION as THEMES
from ..agents.themes.records import Step
from ..agents.themes.titling import Titling
from ..ingest.git.errors import GitError
from ..memory import plain
from ..memory.work import Work
from . import removing
from .attention.attention import Attention
from .attention.decide import Policy
from .attention.quiet import Quiet
from .briefing import standup_of
from .bulk import Bulk
from .chamber import Chamber
from .chat import chat_of
from .dispatch import Dispatcher
from .forgetting import Forgetting
from .heartbeat import Heartbeat
from .host import Host, Warm
from .jury import Jury
from .ledger.followers import Followers
from .ledger.ledger import Ledger
from .ledger.records import State
from .lock import Holder
from .loopwatch import LoopWatch
from .machine import Limits, Machine, Strength
from .main import begin_anew
from .morning import Morning
from .paths import Paths
from .plan import to_specs
from .reaper import Reaper
from .requests import AskIn, FiltersIn
from .runtime import Runtime
from .settings import Settings
from .sourcing import Sourcing
from .supervisor import Service
from .triggers.entries import SOURCES, read_entries
from .triggers.heads import Heads
from .triggers.schedule import Schedule
from .triggers.spool import Spool
from .triggers.watch import Watch
from .watching import Later, Watching
from .wire import Fields
from .write_behind import WriteBehind

if TYPE_CHECKING:
    from ..memory.memory import Memory

UPKEEP = "upkeep"
"""The scheduled job with which the ledger is trimmed too."""

MOST_WAITING = 1_000
"""Jobs of the indexer that are looked at for one that forgets."""

BY_ITSELF = frozenset({"cron", "rescan", "daemon", "webhook"})
"""Sources of events that are no sign of anybody at work."""

PROMPTS = {
    "router": ROUTING,
    "qa": ANSWERING,
    "commit_helper": COMMITS,
    "doc_keeper": DOCUMENTS,
    "standup": BRIEF,
    "synthesizer": THEMES,
    "council": COUNCIL,
}
"""The version of the prompt that each agent's calls are made with."""

logger = logging.getLogger(__name__)


class Resident:
    """Everything of a daemon that lives, built and wired; `services` is what runs."""

    def __init__(self, paths: Paths, settings: Settings, holder: Holder) -> None:
        """Raise HermesError if the ledger can't be opened."""
        self._settings = settings
        self._testing, self._drafts = paths.testing, paths.drafts
        self.ledger = ledger = Ledger.open(paths.ledger)
        self.work = Work(paths.work)
        self._behind = WriteBehind()
        self._followers = Followers(ledger.journal)
        self._reaper = Reaper()
        self._reaper.adopt()
        self._forgetting = Forgetting(paths, ledger, self.work, reaper=self._reaper)
        self._bulk = Bulk(self._reaper)
        self.chat = chat_of(settings, say=self._say("model"), may_warm=self._may_warm)
        self.warm = Warm(paths, settings, self._model("qa", Lane.ON_DEMAND), self.work)
        self._heads = Heads(ledger.values)
        self._router = Router(
            self._ask_router,
            look=self._look,
            mode=settings.router.mode,
            budget=settings.router.budget,
        )
        self._dispatcher = Dispatcher(
            ledger,
            self._decide,
            to_specs,
            is_choice=lambda event: self._router.is_choice(event, installed=self._agents),
            certain=lambda event: self._router.certain(event, installed=self._agents),
            on_hint=self._hint,
            on_queued=self._wake,
            on_routed=self._routed,
        )
        self._watch = Watch(
            self._dispatcher.accept,
            self._heads,
            paths.watch,
            own=(paths.state, paths.run, paths.log_file.parent),
            say=self._say("trigger"),
            on_heads=lambda: self.runtime.get_ready(),
        )
        self.watching = Watching(
            self.warm,
            self._watch,
            on_known=self._catch_up,
            on_forgotten=self._forgotten,
            exclude=settings.watch.exclude,
        )
        self._spool = Spool(
            self._take_in,
            paths.spool,
            refuse=self._refuse,
            repo_of=self.watching.repo_of,
        )
        begins, _ = read_hours(settings.working.hours)
        entries = read_entries(settings.schedule.jobs, paths.state_folder, begins)
        always = [entry for entry in entries if entry.name != SOURCES]
        self._schedule = Schedule(self._dispatcher.accept, always, ledger)
        of_sources = next((entry for entry in entries if entry.name == SOURCES), None)
        self._sourcing = Sourcing(self._bulk, self._schedule, of_sources)
        self._heartbeat = Heartbeat(paths.brief, ledger.journal.listen)
        attention = settings.attention
        self._attention = Attention(
            ledger,
            Policy(per_hour=attention.per_hour, per_day=attention.per_day),
            Quiet.parse(attention.quiet_hours),
        )
        self._brief_folder = paths.brief
        self._standup = standup = standup_of(
            settings, paths, self.work, self._memory, self.watching.git_of, self._attention
        )
        chamber = Chamber(
            settings,
            self.work,
            Jury(settings, self.chat, self._record, self._reaper.own),
            self._memory,
            self._worktree_of,
        )
        self._morning = Morning(standup, self._dispatcher.accept)
        self._agents: dict[str, Agent] = {
            agent.name: agent
            for agent in (
                Indexer(
                    self._memory,
                    on_rebuilt=self.warm.forget,
                    finish_forgetting=self._finish_forgetting,
                    offered=self._bulk.tokens.of,
                    on_brought=self._brought,
                ),
                Answering(self._answer),
                TestRunner(
                    self.work,
                    self._memory,
                    self.watching.git_of,
                    read_project,
                    paths.testing,
                    Running(
                        settings.tests.isolation, settings.tests.limit, settings.tests.full_limit
                    ),
                    started=self._reaper.own,
                ),
                CommitHelper(
                    self.work,
                    self._memory,
                    self.watching.git_of,
                    read_project,
                    paths.drafts,
                    wait=settings.commits.wait,
                ),
                DocKeeper(self.work, self._memory, self.watching.git_of, read_project),
                standup,
                CouncilAgent(chamber),
                Synthesizer(
                    seconds=settings.night.minutes * 60.0,
                    most_bytes=settings.night.size_mb * 1_000_000,
                    afterwards={"titles": Titling(paths.themes), "answers": self._answer_ahead},
                ),
            )
            if self._wanted(agent.name)
        }
        self._loop_watch = LoopWatch(self._begin_anew_now)
        background = settings.background
        self._strength = Strength(
            Machine(),
            Limits(
                on_battery=background.on_battery,
                slow_load=background.slow_load,
                pause_load=background.pause_load,
                rss=background.max_rss_mb * 1_000_000,
            ),
        )
        self.runtime = Runtime(
            ledger,
            self._agents,
            self._bulk,
            self._reaper,
            owner=uuid.uuid4().hex,
            models=lambda agent, lane, job: self._model(agent, lane, job=job),
            consider=self._attention.consider,
            trouble=self._attention.trouble,
            busy=self.watching.busy,
            ready=self.watching.ready,
            strength=self._strength,
            on_overgrown=self._overgrown,
            watch=self._loop_watch,
        )
        self.host = Host(
            paths,
            settings,
            holder,
            self.warm,
            chat=self.chat,
            ledger=ledger,
            work=self.work,
            followers=self._followers,
            runtime=self.runtime,
            dispatcher=self._dispatcher,
            reaper=self._reaper,
            schedule=self._schedule,
            attention=self._attention,
            watching=self.watching,
            sourcing=self._sourcing,
            chamber=chamber,
            standup=standup if settings.brief.enabled else None,
            agents=tuple(self._agents),
            triggers=(
                *((self._watch,) if settings.watch.enabled else ()),
                self._spool,
                self._schedule,
                self._dispatcher,
                self.runtime,
                self._attention,
            ),
        )

    @property
    def services(self) -> list[Service]:
        """What runs, in the order in which it starts; it is stopped in reverse."""
        known = self.watching.known
        triggers: list[Service] = [Later(self._spool, known), self._schedule]
        if self._settings.watch.enabled:
            triggers.insert(0, Later(self._watch, known))
        if self._settings.brief.enabled:
            triggers.append(Later(self._morning, known))
        keeper = [] if self.chat is None else [Later(self.chat.keeper, known)]
        return [
            self._heartbeat,
            self._bulk,
            self.runtime,
            self._attention,
            self._dispatcher,
            *keeper,
            Later(self.watching, self.host.answering),
            *triggers,
        ]

    def close(self) -> None:
        """Close what is open, after all services have ended."""
        self._loop_watch.close()
        self._reaper.sweep(time.time(), all_of_them=True)
        self.warm.close()
        self._behind.close()
        self.work.close()
        self.ledger.close()

    async def _catch_up(self) -> None:
        """Have memory compared with git: whatever was missed, by whatever trigger, is found. What
        waited for other settings is tried with those of now."""
        now = time.time()
        await asyncio.to_thread(self.ledger.trim, now)
        await asyncio.to_thread(self.ledger.queue.unblock, "misconfigured", now)
        await self._dispatcher.accept(Scheduled(at=now, source="daemon", job="rescan", due=now))
        await removing.finish(self.host)
        self._sourcing.keep_schedule(await self._memory())
        if await asyncio.to_thread(self._forgets, await self._memory()):
            await self._dispatcher.accept(
                RunAsked(at=now, source="daemon", agent=Indexer.name, subject="forget")
            )

    def _wanted(self, agent: str) -> bool:
        """Say whether settings leave an agent on."""
        settings = self._settings
        switches = {
            "test_runner": settings.tests.enabled,
            "commit_helper": settings.commits.enabled,
            "doc_keeper": settings.documents.enabled,
            "standup": settings.brief.enabled,
            "synthesizer": settings.night.enabled,
        }
        return switches.get(agent, True)

    # What the parts ask of each other.

    async def _memory(self) -> Memory:
        return (await self.warm.get()).memory

    def _worktree_of(self, repo: str | None) -> str:
        git = self.watching.git_of(repo)
        return str(git.worktree) if git is not None and git.worktree is not None else ""

    async def _answer_ahead(self, context: Context, should_stop: Callable[[], bool]) -> Step:
        services = await self.warm.get()
        return await services.foresight.precompute(context.model(), should_stop)

    async def _answer(
        self, question: str, repo: str | None, model: ChatModel | None
    ) -> AsyncGenerator[Fields]:
        services = await self.warm.get()
        filters = FiltersIn(repos=(repo,) if repo else ())
        asked = AskIn(question=question, filters=filters, k=None)
        async for event in services.ask(asked, model):
            yield event

    def _model(
        self, agent: str, lane: Lane, *, job: int | None = None, event: int | None = None
    ) -> ChatModel | None:
        if self.chat is None:
            return None
        if agent == "commit_helper" and self._strength.restraint == "pause":
            return None  # drafts go on while the machine is busy, by rule
        prompt = PROMPTS.get(agent, "")
        return self.chat.hosts.model(
            agent, lane, job=job, event=event, prompt=prompt, on_call=self._record
        )

    def _ask_router(self, lane: Lane, event: int | None) -> ChatModel | None:
        return self._model("router", lane, event=event)

    async def _decide(self, event: Event, number: int) -> Decision:
        return await self._router.decide(event, installed=self._agents, event_id=number)

    async def _take_in(self, event: Event, key: str | None) -> int:
        """Accept what was dropped. A hook's word is a hint to look at the repository, which knows
        more: both tips, and what was done. If the watch has told it all, there is nothing to add.
        """
        repo = self.watching.watched(event.repo) if event.source == "hook" else None
        if repo is None or not await asyncio.to_thread(self._heads.knows, repo):
            return await self._dispatcher.accept(event, key)
        self._hint(event)
        with suppress(GitError):
            await self._heads.tell(repo, self._dispatcher.accept, "hook")
            return 0
        return await self._dispatcher.accept(event, key)

    def _look(self, event: Committed) -> Change | None:
        git = self.watching.git_of(event.repo)
        return None if git is None else look_at(git, event)

    def _hint(self, event: Event) -> None:
        self.runtime.foresee(event)
        self._schedule.look()
        if self.chat is not None and event.source not in BY_ITSELF:
            self.chat.keeper.used()

    def _wake(self) -> None:
        self.runtime.wake()

    def _routed(self, event: Event) -> None:
        self._morning.hear(event)
        if event.kind == "scheduled" and event.job == UPKEEP:
            self._behind.put(lambda: self.ledger.trim(time.time()))
            if self.warm.ready is not None:
                memory = self.warm.ready.memory
                self._behind.put(lambda: self._forgetting.sweep(memory))

    def _brought(self) -> None:
        self._standup.outdate()
        self._morning.look()

    def _forgotten(self, repo: str) -> None:
        """Leave no trace of a repository's tests, drafts, documents and briefs either."""
        remove_drafts(self._drafts, self.work.drafts.worktrees(repo))
        self.work.forget(repo)
        brief_files.remove(self._brief_folder)
        shutil.rmtree(self._testing / repo, ignore_errors=True)
        self._forgetting.forget_repo(repo)

    async def _finish_forgetting(self, on_progress: Callable[[str, int, int], None]) -> Fields:
        return await asyncio.to_thread(self._forgetting.finish, await self._memory(), on_progress)

    def _forgets(self, memory: Memory) -> bool:
        """Say whether something is to be forgotten that was not carried through, and by no job that
        a daemon before us left in the queue."""
        pending = memory.index.withheld.pending()
        plain.keep_only(memory.folder, [rule.id for rule in pending])
        if not pending:
            return False
        states = (State.QUEUED, State.RUNNING)
        jobs = self.ledger.queue.find(states, Indexer.name, None, MOST_WAITING)
        return not any(job.subject == "forget" and job.repo is None for job in jobs)

    def _may_warm(self) -> bool:
        return self._strength.restraint != "pause" and not self.runtime.paused

    async def _refuse(self, name: str, reason: str) -> None:
        await asyncio.to_thread(self.ledger.intake.refuse, "spool", name, reason, time.time())

    # What is written down on the side.

    def _record(self, call: Call) -> None:
        self._behind.put(lambda: self.ledger.calls.record(call))

    def _say(self, topic: str) -> Callable[[str, str, dict[str, Any]], None]:
        def say(what: str, text: str, fields: dict[str, Any]) -> None:
            append = self.ledger.journal.append
            now = time.time()
            self._behind.put(lambda: append(topic, what, now, text=text, fields=fields))

        return say

    # Beginning anew.

    def _overgrown(self, rss: int) -> None:
        logger.warning("%.0f MB of memory is too much: the daemon starts itself anew", rss / 1e6)
        self._say("daemon")("restarting", f"it held {rss / 1e6:.0f} MB of memory", {"rss": rss})
        self.host.restart = True
        self.host.stop.set()

    def _begin_anew_now(self) -> None:
        """The loop is lost, so nothing can be stopped any more; what is on disk is taken up."""
        begin_anew()
