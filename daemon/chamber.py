"""Where councils are set up, held and followed: packet and seats from memory, jurors from the settings.

What happens in a council is kept here while it sits, so that whoever comes later sees it from the
beginning. What counts is on disk: a daemon that is killed goes on with those who have not spoken.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..agents.contract import Context
from ..agents.council.codec import from_json, to_json
from ..agents.council.docket import Docket
from ..agents.council.foreman import summarize
from ..agents.council.gathering import decided_before, recalled, said_of, went_wrong
from ..agents.council.learning import curve_on, past, weights_on
from ..agents.council.minutes import minutes_of
from ..agents.council.packet import Given, make_packet
from ..agents.council.perspectives import (
    PLANS,
    Mode,
    Perspective,
    Plan,
    Preset,
    perspectives_for,
    preset_of,
)
from ..agents.council.progress import Heard, Step, to_object
from ..agents.council.prompt import shown_to_models
from ..agents.council.records import Absent, Juror, Packet, Vote
from ..agents.council.report import Minutes, ReportRefused, write_report
from ..agents.council.seats import agreements, choose, seat
from ..agents.council.session import Session
from ..agents.council.wish import Wish, read_wish
from ..memory.council_records import NoVerdict, Progress, Summarized
from ..memory.errors import HermesError
from ..memory.work import Work
from .council_fields import whole
from .jury import ONE_BY_ONE, Jury
from .settings import Settings
from .wire import Fields

if TYPE_CHECKING:
    from ..agents.models.protocol import ChatModel
    from ..memory.memory import Memory

logger = logging.getLogger(__name__)

READY_SECONDS = 5.0
"""How long it may take to find out who is there."""

PHRASING_SECONDS = 60.0
"""How long a model may take to put a verdict into words."""

QUIET = 30.0
"""Seconds after which who follows a council is told that it goes on: a model may think for minutes, and
silence is taken for an end."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with all that came with it."""

    question: str
    given: Given = field(default_factory=Given)
    repo: str = ""
    worktree: str = ""
    mode: Mode | None = None
    preset: str = ""


@dataclass(slots=True)
class Room:
    """What happened in one council since this daemon began."""

    events: list[Fields] = field(default_factory=list[Fields])
    over: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, event: Fields, *, last: bool = False) -> None:
        """Add an event, and wake who follows."""
        self.events.append(event)
        self.over = self.over or last
        self.news.set()
        self.news = asyncio.Event()


class Chamber:
    """See the module. All of it belongs to the daemon's loop."""

    def __init__(
        self,
        settings: Settings,
        work: Work,
        jury: Jury,
        memory: Callable[[], Awaitable[Memory]],
        worktree_of: Callable[[str | None], str],
    ) -> None:
        """``worktree_of`` returns where a repository's files are; empty where it has none."""
        self._settings = settings
        self._work = work
        self._jury = jury
        self._memory = memory
        self._worktree_of = worktree_of
        self._rooms: dict[int, Room] = {}
        self._phrasing: set[asyncio.Task[None]] = set()

    async def open_for(self, question: str, repo: str | None) -> int:
        """Set up a council on a question alone. Raise HermesError."""
        worktree = self._worktree_of(repo)
        return await self.open(Asked(question, repo=repo or "", worktree=worktree))

    async def open(self, asked: Asked) -> int:
        """Gather the evidence, give the seats, and store both; return the council's number.

        Raise NoQuestion, NotAJudgment, NoSuchPreset.
        """
        given, council = asked.given, self._settings.council
        texts = bool(given.files or given.logs)
        wish = read_wish(asked.question, diff=bool(given.diff), texts=texts)
        preset = preset_of(asked.preset or council.preset, self._own_presets())
        mode = asked.mode or Mode(council.mode)
        memory = await self._memory_if_any()
        packet = await asyncio.to_thread(self._packet, asked, wish, preset, memory)
        there, absent = await self.who_is_there()
        docket = await asyncio.to_thread(self._docket, packet, preset, mode, there, absent)
        if await self._jury.is_tight(docket.jury):
            docket = replace(docket, notices=(*docket.notices, ONE_BY_ONE))
        docket = await asyncio.to_thread(self._measured, docket)
        docket = replace(docket, worktree=asked.worktree)
        number = await asyncio.to_thread(
            self._work.councils.open,
            asked.repo,
            preset.name,
            str(mode),
            packet.question,
            to_json(docket),
            time.time(),
        )
        self._rooms[number] = Room()
        return number

    def _own_presets(self) -> tuple[Preset, ...]:
        return tuple(
            Preset(name, tuple(Perspective(each, text) for each, text in perspectives.items()))
            for name, perspectives in self._settings.council.presets.items()
        )

    async def _memory_if_any(self) -> Memory | None:
        """Return memory; without one a council judges what it is handed."""
        try:
            return await self._memory()
        except HermesError as error:
            logger.warning("a council without memory: %s", error.message)
            return None

    def _packet(self, asked: Asked, wish: Wish, preset: Preset, memory: Memory | None) -> Packet:
        from ..memory.recall import recall

        critical = self._settings.council.critical
        before = decided_before(self._work, asked.repo, wish)
        bare = make_packet(wish, asked.given, preset=preset, critical=critical, prior=before)
        if memory is None:
            note = "memory can't be read: what it holds is missing here"
            return replace(bare, left_out=(*bare.left_out, note))
        repos = (asked.repo,) if asked.repo else ()
        pieces = recalled(memory, recall, wish, repos)
        wrong = went_wrong(memory, recall, asked.repo, bare.touched)
        return replace(bare, pieces=(*bare.pieces, *pieces), prior=(*before, *wrong))

    async def who_is_there(self) -> tuple[list[Juror], list[Absent]]:
        """Return who of the pool can be asked now, and who can't, with the reason."""
        pool = await self._jury.identified(self._jury.pool)

        async def look(juror: Juror) -> str:
            try:
                async with asyncio.timeout(READY_SECONDS):
                    return await self._jury.voice(juror, 0).absent()
            except TimeoutError:
                return "it does not say whether it is there"

        reasons = await asyncio.gather(*(look(juror) for juror in pool))
        there: list[Juror] = []
        away: list[Absent] = []
        by_digest: dict[str, Juror] = {}
        for juror, why in zip(pool, reasons, strict=True):
            twin = by_digest.get(juror.digest) if juror.digest and not why else None
            if why or twin is not None:
                said = why.rstrip(".") if twin is None else f"the same model as {twin.name}"
                away.append(Absent(juror, said))
                continue
            by_digest.setdefault(juror.digest, juror)
            there.append(juror)
        return there, away

    def _docket(
        self,
        packet: Packet,
        preset: Preset,
        mode: Mode,
        there: Sequence[Juror],
        absent: Sequence[Absent],
    ) -> Docket:
        """Give the seats: by trust on the topic, then to those who agree least with each other."""
        plan = PLANS[mode]
        perspectives = perspectives_for(preset, plan.seats)
        sat: dict[str, float] = {}
        for council in self._work.councils.find():
            for spoken in self._work.councils.opinions(council.id):
                sat.setdefault(spoken.juror, spoken.at)
        weights = weights_on(self._work, [one.name for one in there], preset.name)
        met = agreements([one.case for one in past(self._work)])
        chosen = choose(there, plan.seats, weights, met, families=plan.families, last_seated=sat)
        seated = seat(chosen, perspectives)
        notices = [*self._jury.leaving(there), *_shortcomings(plan, seated.jurors, seated.families)]
        return Docket(
            packet=packet,
            mode=mode,
            preset=preset.name,
            rounds=plan.rounds,
            jury=seated.jurors,
            reserve=tuple(one for one in there if one not in chosen),
            perspectives=perspectives,
            absent=tuple(absent),
            notices=tuple(notices),
        )

    def _measured(self, docket: Docket) -> Docket:
        """Return a docket whose packet says what jurors will not be shown of it."""
        contexts = [self._jury.voice(juror, 0).context_tokens for juror in docket.jury]
        shown = shown_to_models(docket.packet, contexts)
        return replace(docket, packet=replace(docket.packet, left_out=shown.left_out))

    async def hold(self, number: int, job: int, context: Context) -> Fields:
        """Hold a council to its verdict and return it; one that has its verdict is not held again."""
        room = self._rooms.setdefault(number, Room())
        try:
            found = await self._hold(number, job, context, room)
        except BaseException as error:
            self._rooms.pop(number, None)
            room.tell(_told(error, number), last=True)
            raise
        self._rooms.pop(number, None)
        room.tell({"type": "done", "council": found}, last=True)
        self._put_into_words(number, job)
        minutes = await asyncio.to_thread(self._minutes, number)
        verdict = minutes.verdict
        line = said_of(minutes.council.question, minutes.case.kind, verdict)
        decision = verdict.decision if verdict.decision != verdict.side else ""
        return {"line": line, "told": f"{line}. {decision}".strip()}

    def _put_into_words(self, number: int, job: int) -> None:
        """Have a model say a verdict in a sentence or two, which nobody waits for."""
        model = self._jury.foreman(job)
        if model is None:
            return
        task = asyncio.create_task(self._summarized(number, model))
        self._phrasing.add(task)
        task.add_done_callback(self._phrasing.discard)

    async def _summarized(self, number: int, model: ChatModel) -> None:
        try:
            council = await asyncio.to_thread(self._work.councils.get, number)
            docket = from_json(Docket, council.packet)
            known = await asyncio.to_thread(self._work.councils.summary, number)
            tight = await self._jury.is_tight(docket.jury)
            if known is not None or tight or council.progress is not Progress.DONE:
                return
            minutes = await asyncio.to_thread(self._minutes, number)
            try:
                async with asyncio.timeout(PHRASING_SECONDS):
                    summary = await summarize(model, docket.packet, minutes.verdict)
            except TimeoutError:
                summary = Summarized(model=model.name, why="the model took too long")
            await asyncio.to_thread(self._work.councils.summarize, number, summary)
        except HermesError as error:  # forgotten meanwhile; the verdict is what it was
            logger.warning("council %d is not put into words: %s", number, error.message)

    def _minutes(self, number: int) -> Minutes:
        minutes = minutes_of(self._work, self._work.councils.get(number))
        if minutes is None:
            raise NoVerdict(number)
        return minutes

    async def _hold(self, number: int, job: int, context: Context, room: Room) -> Fields:
        councils = self._work.councils
        council = await asyncio.to_thread(councils.get, number)
        docket = from_json(Docket, council.packet)
        if council.progress is not Progress.RUNNING:
            return await self._reported(number, docket, context)
        room.tell(
            {"type": "opened", "council": await asyncio.to_thread(whole, self._work, council)}
        )
        tight = await self._jury.is_tight(docket.jury)
        seats = max(1, len(docket.jury))
        spoken = 0

        def tell(step: Step) -> None:
            nonlocal spoken
            spoken += isinstance(step, Heard) and step.round == 1
            room.tell(to_object(step))
            context.progress(f"council {number}", min(spoken, seats), seats)

        session = Session(
            number,
            docket,
            councils,
            lambda juror: self._jury.voice(juror, job),
            self._settings.council.seconds,
            lambda names: weights_on(self._work, names, council.topic),
            await asyncio.to_thread(curve_on, self._work, council.topic),
            tell,
            self._jury.apart if tight else lambda juror: nullcontext(),
        )
        await session.hold()
        await self._jury.leave((*docket.jury, *docket.reserve), tight=tight)
        for piece in docket.packet.pieces:
            context.read(piece.ref)
        return await self._reported(number, docket, context)

    async def _reported(self, number: int, docket: Docket, context: Context) -> Fields:
        """Return a council that is over, with its report. A daemon may have been killed between the
        verdict and the report: what is missing is written now, and what is there stays."""
        council = await asyncio.to_thread(self._work.councils.get, number)
        fields = await asyncio.to_thread(whole, self._work, council)
        if council.progress is not Progress.DONE:
            return fields
        report = await asyncio.to_thread(self._report, number, docket)
        if report:
            context.wrote(report)
        return fields | {"report": report}

    def _report(self, number: int, docket: Docket) -> str:
        """Write the report; return where, or nothing where none is wanted or possible."""
        folder = self._settings.council.report
        if not folder or not docket.worktree or not Path(docket.worktree).is_dir():
            return ""
        minutes = self._minutes(number)
        if minutes.verdict.vote is Vote.ABSTAIN:
            return ""  # nobody said anything
        try:
            return str(write_report(Path(docket.worktree), folder, minutes))
        except ReportRefused as error:
            logger.warning("no report of council %d: %s", number, error.message)
            return ""

    async def follow(self, number: int) -> AsyncGenerator[Fields]:
        """Yield what happens in a council from its beginning, to its verdict. Raise NoSuchCouncil.

        Of one that is over, only how it ended; one that nobody holds yet is waited for.
        """
        council = await asyncio.to_thread(self._work.councils.get, number)
        if council.progress is not Progress.RUNNING:
            yield {"type": "done", "council": await asyncio.to_thread(whole, self._work, council)}
            return
        room = self._rooms.setdefault(number, Room())
        council = await asyncio.to_thread(self._work.councils.get, number)
        if council.progress is not Progress.RUNNING and not room.events:  # it ended just now
            self._rooms.pop(number, None)
            yield {"type": "done", "council": await asyncio.to_thread(whole, self._work, council)}
            return
        place = 0
        while True:
            news = room.news
            for event in room.events[place:]:
                place += 1
                yield event
            if room.over:
                return
            if place == len(room.events):
                try:
                    async with asyncio.timeout(QUIET):
                        await news.wait()
                except TimeoutError:
                    yield {"type": "waiting"}

    async def abandon(self, number: int) -> None:
        """End a council that nobody will hold any more."""
        await asyncio.to_thread(self._work.councils.abandon, number, time.time())
        room = self._rooms.pop(number, None)
        if room is not None:
            council = await asyncio.to_thread(self._work.councils.get, number)
            fields = await asyncio.to_thread(whole, self._work, council)
            room.tell({"type": "done", "council": fields}, last=True)


def _told(error: BaseException, number: int) -> Fields:
    """Return what followers are told of a council that broke off."""
    if isinstance(error, HermesError):
        return {"type": "error", "error": error.message, "hint": error.hint, "code": error.code}
    if isinstance(error, asyncio.CancelledError):
        said = f"council {number} was stopped before it had a verdict"
        return {"type": "error", "error": said, "hint": "", "code": "stopped"}
    return {
        "type": "error",
        "error": f"council {number} broke off by a fault of ours; it is tried again",
        "hint": f"hermes council show {number} tells how far it is; the log says what happened",
        "code": "internal",
    }


def _shortcomings(plan: Plan, jury: Sequence[Juror], families: int) -> list[str]:
    """Return what a jury lacks of what its mode wants."""
    if not jury:
        return ["no model can be asked: rules alone judge, and they say so"]
    found: list[str] = []
    models = {juror.name for juror in jury}
    if len(models) < len(jury):
        several = "one model" if len(models) == 1 else f"{len(models)} models"
        found.append(f"{several} on {len(jury)} seats: who is one in mind errs alike")
    elif families < plan.families:
        found.append(
            f"{families} of {plan.families} model families that {plan.seats} seats should have"
        )
    return found
