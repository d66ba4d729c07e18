"""One council from its first question to its verdict: everybody alone, a debate only on a split.

What is said is stored as it is said. A session that is begun again after the daemon was away asks only
those who have not spoken.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace

from ...memory.council import Councils
from ...memory.council_records import Spoken
from ..models.protocol import Message
from .case import make_case
from .codec import from_json, to_json
from .docket import Docket
from .jurors.asking import Silent, Turn
from .jurors.voice import Voice
from .progress import Asking, Away, RoundBegan, Settled, Step, Trying, heard
from .prompt import first_round, later_round, shown_to_models
from .records import Absent, Case, Curve, Juror, Kind, Opinion, Packet, Verdict, Vote, Weight
from .rule_jurors import judge, judge_as_one
from .stopping import settled
from .verdict import decide

_GO = {str(Vote.PASS), str(Vote.WARN)}
_STOP = {str(Vote.FAIL), str(Vote.DISAGREE)}


@dataclass(slots=True)
class Session:
    """See the module."""

    number: int
    docket: Docket
    councils: Councils
    voices: Callable[[Juror], Voice]
    limit: float
    """Seconds that a juror may take for one answer; who shares a model has as much more."""
    weigh: Callable[[Iterable[str]], tuple[Weight, ...]] = lambda names: ()
    """Given jurors' names, returns how much they count. Called in a thread."""
    curve: Curve | None = None
    tell: Callable[[Step], None] = lambda step: None
    apart: Callable[[Juror], AbstractAsyncContextManager[object]] = lambda juror: nullcontext()
    """What a juror's turn is held in, before its time begins: where not all can be asked at once."""
    _said: dict[tuple[int, str], Opinion] = field(
        default_factory=dict[tuple[int, str], Opinion], init=False
    )
    _absent: list[Absent] = field(default_factory=list[Absent], init=False)
    _reserve: list[Juror] = field(default_factory=list[Juror], init=False)
    _shown: Packet = field(init=False)

    async def hold(self) -> tuple[Case, Verdict]:
        """Hear everybody, debate if they split, and return the case with its verdict, stored."""
        for spoken in await asyncio.to_thread(self.councils.opinions, self.number):
            self._said[spoken.round, spoken.seat] = from_json(Opinion, spoken.opinion)
        self._absent = list(self.docket.absent)
        self._reserve = list(self.docket.reserve)
        jury = self.docket.jury
        contexts = [self.voices(juror).context_tokens for juror in jury]
        self._shown = await asyncio.to_thread(shown_to_models, self.docket.packet, contexts)
        await self._first_round(jury)
        case = await self._case()
        verdict = decide(case)
        for number in range(2, 2 + self.docket.rounds):
            why = split(case, verdict)
            if not why:
                break
            await self._debate(number, why)
            case = await self._case()
            verdict = decide(case)
        stored = to_json(case), to_json(verdict)
        await asyncio.to_thread(
            self.councils.decide,
            self.number,
            str(verdict.state),
            verdict.support,
            *stored,
            time.time(),
        )
        return case, verdict

    @property
    def left_out(self) -> tuple[str, ...]:
        """What of the packet jurors were not shown."""
        return self._shown.left_out

    async def _first_round(self, jury: Sequence[Juror]) -> None:
        await self._begin(1, [juror.seat for juror in jury])
        async with asyncio.TaskGroup() as group:
            for juror in sorted(jury, key=_by_model):
                group.create_task(self._fill(juror))
        rules = await asyncio.to_thread(self._rules)
        for one in rules:
            if (1, one.juror.seat) not in self._said:
                await self._hear(one)
        await asyncio.to_thread(self.councils.end_round, self.number, 1, time.time())

    def _rules(self) -> tuple[Opinion, ...]:
        """Return what rules say: all of them where no model spoke, else as one, if it has anything to
        say. Rules read the whole packet, not what was cut to fit a model."""
        packet = self.docket.packet
        if not any(not one.juror.is_rule for one in self._said.values()):
            return judge(packet)
        together = judge_as_one(packet)
        return () if together is None else (together,)

    async def _fill(self, juror: Juror) -> None:
        """Have one seat spoken for: by its juror, or by whoever is next in reserve."""
        sitting = juror
        while True:
            known = self._said.get((1, sitting.seat))
            if known is not None:
                self.tell(heard(known, 0.0))
                return
            messages = first_round(
                self._shown, self.docket.perspective(juror.perspective), sitting.seat
            )
            try:
                await self._ask(sitting, 1, messages)
                return
            except Silent as silent:
                following = self._next(juror.perspective)
                seat = following.seat if following else ""
                self._absent.append(Absent(sitting, str(silent), seat))
                self.tell(Away(1, sitting.seat, str(silent), seat))
            if following is None:
                return
            sitting = following

    def _next(self, perspective: str) -> Juror | None:
        return replace(self._reserve.pop(0), perspective=perspective) if self._reserve else None

    async def _debate(self, number: int, why: str) -> None:
        """Let everybody but rules hold or change, until the rest can't matter any more."""
        last = self._last()
        seats = [one for one in last if not one.juror.is_rule]
        await self._begin(number, [one.juror.seat for one in seats], why)
        tasks = {
            asyncio.create_task(self._speak_again(one, last, number)): one.juror
            for one in sorted(seats, key=lambda one: _by_model(one.juror))
        }
        waiting = set(tasks)
        try:
            while waiting:
                _, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                pending = [tasks[task] for task in waiting]
                if pending and await self._is_settled(pending):
                    self.tell(Settled(number, tuple(juror.seat for juror in pending)))
                    break
        finally:
            for task in tasks:
                task.cancel()
            done = await asyncio.gather(*tasks, return_exceptions=True)
        for result in done:
            if isinstance(result, Exception):
                raise result
        await asyncio.to_thread(self.councils.end_round, self.number, number, time.time())

    async def _speak_again(self, own: Opinion, last: Sequence[Opinion], number: int) -> None:
        juror = own.juror
        known = self._said.get((number, juror.seat))
        if known is not None:
            self.tell(heard(known, 0.0))
            return
        perspective = self.docket.perspective(juror.perspective)
        first = first_round(self._shown, perspective, juror.seat)
        others = [
            one for one in last if one.juror.seat != juror.seat and one.vote is not Vote.ABSTAIN
        ]
        try:
            await self._ask(juror, number, later_round(first, own, others))
        except Silent as silent:
            self.tell(Away(number, juror.seat, f"{silent}; what it said before stands"))

    async def _is_settled(self, pending: Sequence[Juror]) -> bool:
        away = {juror.seat for juror in pending}
        spoken = [one for one in self._said.values() if one.juror.seat not in away]
        weights = await asyncio.to_thread(self.weigh, {juror.name for juror in pending})
        known = {one.name: one.value for one in weights}
        case = await self._case(spoken)
        return settled(case, [known.get(juror.name, 1.0) for juror in pending])

    async def _ask(self, juror: Juror, number: int, messages: Sequence[Message]) -> None:
        """Ask a juror and store what it says. Raise Silent."""
        async with self.apart(juror):
            opinion, turn = await self._turn(juror, number, messages)
        await self._hear(opinion, turn.seconds, turn.tokens_in, turn.tokens_out)

    async def _turn(
        self, juror: Juror, number: int, messages: Sequence[Message]
    ) -> tuple[Opinion, Turn]:
        self.tell(Asking(number, juror.seat))
        turn = Turn(
            self.voices(juror),
            juror,
            self._shown,
            number,
            lambda what: self.tell(Trying(number, juror.seat, what)),
        )
        sharing = Counter(one.name for one in self.docket.jury)[juror.name]
        return await turn.ask(messages, self.limit * max(1, sharing)), turn

    async def _hear(
        self, opinion: Opinion, seconds: float = 0.0, tokens_in: int = 0, tokens_out: int = 0
    ) -> None:
        spoken = Spoken(
            opinion.round,
            opinion.juror.seat,
            opinion.juror.name,
            to_json(opinion),
            time.time(),
            seconds,
            tokens_in,
            tokens_out,
        )
        # First of all it counts: cancelled here, it is stored all the same.
        self._said[opinion.round, opinion.juror.seat] = opinion
        await asyncio.to_thread(self.councils.hear, self.number, spoken)
        self.tell(heard(opinion, seconds))

    async def _begin(self, number: int, seats: Sequence[str], why: str = "") -> None:
        await asyncio.to_thread(self.councils.begin_round, self.number, number, time.time())
        self.tell(RoundBegan(number, tuple(seats), why))

    def _last(self) -> list[Opinion]:
        """Return everybody's last opinion, by seat."""
        last: dict[str, Opinion] = {}
        for (_, seat), one in sorted(self._said.items()):
            last[seat] = one
        return [last[seat] for seat in sorted(last)]

    async def _case(self, opinions: Sequence[Opinion] | None = None) -> Case:
        counted = list(self._said.values()) if opinions is None else list(opinions)
        names = {one.juror.name for one in counted}
        weights = await asyncio.to_thread(self.weigh, names)
        return make_case(
            self.docket.packet, counted, absent=self._absent, weights=weights, curve=self.curve
        )


def _by_model(juror: Juror) -> str:
    """Order those who share a model one after another: it is loaded once."""
    return juror.name


def split(case: Case, verdict: Verdict) -> str:
    """Say why there is something to debate; empty if there is not."""
    models = [
        one for one in case.opinions if not one.juror.is_rule and one.vote is not Vote.ABSTAIN
    ]
    if len({one.juror.seat for one in models}) < 2:
        return ""
    labels = {side.label for side in verdict.sides}
    if case.kind is Kind.JUDGMENT:
        stop = labels & _STOP
        if labels & _GO and stop:
            return "some would go ahead and some would not"
        return "they read the evidence differently" if len(stop) > 1 else ""
    return f"they hold {len(labels)} positions" if len(labels) > 1 else ""
