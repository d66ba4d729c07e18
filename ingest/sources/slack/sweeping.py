"""Reads a channel through the Web API: its history from the newest message down, and the threads in
it that are not as they were.

A reading goes some days further back than what is new: messages are edited, deleted and answered
later. Answers to older threads are found by a reading that goes further, once a day.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ....memory.records import Item
from .channels import Channel
from .discussions import MOST_ANSWERS, Discussion, conversation, stretches, thread
from .items import Workspace, item_of, ref_of
from .messages import Message, Voice, message_of, seconds
from .runs import whole_runs, worth
from .state import MOST_HEADS, Read, Sweep, latest
from .web import Unreadable, Web

DAY = 86_400
NEAR = 7 * DAY
"""Seconds that every reading looks back behind what was read."""
FAR = 60 * DAY
"""Seconds that the reading of the day looks back."""
ANSWERS_EDITED = 2 * DAY
"""Seconds for which the reading of the day reads threads again: an edited answer shows nowhere
else."""
NONE = "-"
"""In place of a fingerprint: there was nothing in it to keep."""
FLUSH_ITEMS = 50
FLUSH_THREADS = 5
_GONE = frozenset(["thread_not_found", "message_not_found"])


@dataclass(slots=True)
class Brought:
    """What came of a part of a reading."""

    items: list[Item] = field(default_factory=list[Item])
    gone: list[str] = field(default_factory=list[str])
    threads: int = 0


@dataclass(slots=True)
class Sweeping:
    """The reading of one channel."""

    web: Web
    channel: Channel
    workspace: Workspace
    state: Read
    should_stop: Callable[[], bool]
    messages: int = 0
    """How many were read."""
    _brought: Brought = field(default_factory=Brought)

    def read(self) -> Iterator[Brought]:
        """Yield what is new; after each, ``state`` says where to go on.

        What was broken off is finished first, then comes what was written since. Raise as
        `Web.call`.
        """
        if self.state.sweep is not None:
            yield from self._sweep(self.state.sweep)
        yield from self._sweep(None)

    def _sweep(self, sweep: Sweep | None) -> Iterator[Brought]:
        held: list[Message] = []
        for said, more in self._history(sweep.upto if sweep else ""):
            if sweep is None:
                sweep = self.state.sweep = self._begin(said)
            low = min((message.ts for message in said), default=sweep.upto)
            held += [message for message in said if worth(message)]
            runs, held = whole_runs(held, seconds(low) if low else 0, end=not more)
            over = not held and bool(sweep.floor) and low <= sweep.floor
            for run in runs:
                if sweep.floor and run[0].ts <= sweep.floor:
                    over = True
                    break
                yield from self._tell(run, sweep)
                sweep.upto = run[-1].ts
                if len(self._brought.items) >= FLUSH_ITEMS:
                    yield self._flush()
            if over:
                break
            if not held and low:
                sweep.upto = low
        if sweep is not None:
            self._brought.gone += self._finish(sweep)
        yield self._flush()

    def _flush(self) -> Brought:
        brought, self._brought = self._brought, Brought()
        return brought

    def _history(self, upto: str) -> Iterator[tuple[list[Message], bool]]:
        """Yield the channel's messages, newest first, from below a ``ts``."""
        below: dict[str, str | int | bool] = {"latest": upto, "inclusive": False} if upto else {}
        pages = self.web.pages(
            "conversations.history", "messages", self.should_stop, channel=self.channel.id, **below
        )
        for page, more in pages:
            found = [message_of(each, self.workspace.people) for each in page]
            said = sorted(
                (each for each in found if each is not None), key=lambda each: each.ts, reverse=True
            )
            self.messages += len(said)
            yield said, more

    def _begin(self, said: Sequence[Message]) -> Sweep:
        """Return a reading whose newest messages are these: all that was sent up to their latest
        ``ts`` shows in what is listed from now on."""
        top = max((ts for each in said for ts in (each.ts, each.latest)), default=self.state.seen)
        top = max(top, self.state.seen)
        if not self.state.seen:
            return Sweep(top, deep=True)
        deep = seconds(top) - seconds(self.state.deep or top) >= DAY
        return Sweep(top, _before(self.state.seen, FAR if deep else NEAR), deep)

    def _tell(self, run: list[Message], sweep: Sweep) -> Iterator[Brought]:
        """Keep the discussions of a whole run; yield what is to be passed on before it is over."""
        oldest_first = run[::-1]
        said = [each for each in oldest_first if each.voice is Voice.PERSON and not each.is_answer]
        for stretch in stretches(said):
            talk = conversation(stretch)
            if talk is not None:
                self._keep(talk, "", sweep)
        for message in oldest_first:
            if message.is_answer:  # sent to the channel too; the thread may be older than the floor
                if sweep.floor and message.thread <= sweep.floor and message.ts > self.state.seen:
                    self._thread(message.thread, None, "", sweep)
            elif message.answered:
                mark = _fingerprint(message)
                if not self._as_it_was(message, mark, sweep):
                    self._thread(message.ts, message, mark, sweep)
            if self._brought.threads >= FLUSH_THREADS:
                yield self._flush()
        sweep.found = latest(sweep.found, _before(sweep.top, NEAR))

    def _as_it_was(self, root: Message, mark: str, sweep: Sweep) -> bool:
        """Whether a thread was read in the state that it is in."""
        if sweep.found.get(root.ts) in (mark, NONE + mark):  # by this reading, before it broke off
            return True
        known = self.state.heads.get(root.ts)
        if known is None:
            return bool(self.state.deep) and max(root.latest, root.version) <= self.state.deep
        if known not in (mark, NONE + mark):
            return False
        if sweep.deep and root.latest > _before(self.state.seen, ANSWERS_EDITED):
            return False
        sweep.found[root.ts] = known
        return True

    def _thread(self, ts: str, root: Message | None, mark: str, sweep: Sweep) -> None:
        """Read a thread's answers and keep it."""
        answers: list[Message] = []
        self._brought.threads += 1
        try:
            for page, _ in self.web.pages(
                "conversations.replies",
                "messages",
                self.should_stop,
                channel=self.channel.id,
                ts=ts,
            ):
                found = [message_of(each, self.workspace.people) for each in page]
                answers += [each for each in found if each is not None]
                self.messages += len(page)
                if len(answers) > MOST_ANSWERS:
                    break
        except Unreadable as error:
            if error.code not in _GONE:
                raise
        first = next((each for each in answers if each.ts == ts), root)
        answers = sorted((each for each in answers if each.ts != ts), key=lambda each: each.ts)
        kept = thread(ts, first, answers)
        if kept is None:
            sweep.found[ts] = NONE + mark
        else:
            self._keep(kept, mark, sweep)

    def _keep(self, talk: Discussion, mark: str, sweep: Sweep) -> None:
        item = item_of(talk, self.channel, self.workspace)
        if item is not None:
            self._brought.items.append(item)
            sweep.found[talk.ts] = mark

    def _finish(self, sweep: Sweep) -> list[str]:
        """End a reading. Return the references of what was there before and is not any more."""
        near = _before(sweep.top, NEAR)
        oldest = min(sweep.found) if len(sweep.found) >= MOST_HEADS else ""
        since = max(sweep.upto or sweep.floor, near, oldest)
        lost = [
            ts
            for ts, mark in self.state.heads.items()
            if ts >= since and ts not in sweep.found and not mark.startswith(NONE)
        ]
        self.state.seen = sweep.top
        self.state.deep = sweep.top if sweep.deep else self.state.deep
        self.state.heads = latest(sweep.found, near)
        self.state.sweep = None
        return [ref_of(self.channel.id, ts) for ts in lost]


def _before(ts: str, by: int) -> str:
    return f"{max(0, seconds(ts) - by):010}.000000" if ts else ""


def _fingerprint(root: Message) -> str:
    state = f"{root.answers}/{root.latest}/{root.edited}/{root.voice}"
    return hashlib.sha256(state.encode()).hexdigest()[:8]
