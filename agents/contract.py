"""What an agent is: what it is handed, what it may use, and the ways in which it can end.

An agent gets an assignment and a context and returns an outcome, or raises one of the failures
below, each of which has one consequence. It knows nothing of queues, leases or HTTP.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, Protocol

from ..memory.errors import HermesError
from .events import Event
from .models.protocol import ChatModel


class Lane(IntEnum):
    """Who waits for it; a lower one goes first everywhere: queue, slots, model."""

    ON_DEMAND = 0
    REACTIVE = 1
    SCHEDULED = 2


class Level(StrEnum):
    """How much a finding may ask of a person's attention, at most."""

    INTERRUPT = "interrupt"
    GLANCE = "glance"
    DIGEST = "digest"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class Assignment:
    """One piece of work for one agent."""

    job: int
    agent: str
    subject: str
    """Which of the agent's tasks; empty where it has one."""
    lane: Lane
    repo: str | None = None
    paths: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    whole: bool = False
    """With ``paths`` and ``folders``: what changed, from all events together."""
    events: tuple[Event, ...] = ()
    """What led to it, oldest first; the last few if there were many."""
    text: str = ""
    """What a person wrote, if anything."""
    dry_run: bool = False
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a person may want to know. Whether and when they are told is not the agent's
    business."""

    cause: str
    """The same for the same thing: ``test:shop:tests/test_a.py::test_b``. Names no times."""
    title: str
    """One line: what."""
    level: Level = Level.DIGEST
    next_step: str = ""
    """One line: what to do about it."""
    body: str = ""
    references: tuple[str, ...] = ()
    urgent: bool = False
    """Does not wait for a workflow boundary."""
    recovered: bool = False
    """The cause is gone: what was said about it is taken back."""


@dataclass(frozen=True, slots=True)
class Followup:
    """Work that an agent wants done next."""

    agent: str
    subject: str = ""
    repo: str | None = None
    delay: float = 0.0
    """Seconds before it may start."""
    lane: Lane | None = None
    """None: nobody waits for it, also if a person waited for what it follows."""


@dataclass(frozen=True, slots=True)
class Done:
    """The work is done. ``summary`` is one line; ``report`` is what JSON can hold."""

    summary: str
    report: Mapping[str, Any] = field(default_factory=dict[str, Any])
    findings: Sequence[Finding] = ()
    then: Sequence[Followup] = ()


@dataclass(frozen=True, slots=True)
class Nothing:
    """There was nothing to do or to say. No surface shows it by itself."""

    why: str
    then: Sequence[Followup] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """It was not done on purpose: the same input was done before, or it is not wanted any more."""

    why: str


Outcome = Done | Nothing | Skipped


class NotReady(HermesError):
    """Something that comes back by itself is away: tried again later, later each time."""

    code = "not_ready"

    def __init__(self, message: str, *, hint: str = "", retry_after: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after
        """Seconds, if the agent knows better than the usual wait."""


class NeedsUser(HermesError):
    """Only a person can go on: asked once, and tried again when they say so."""

    code = "needs_user"


class Misconfigured(HermesError):
    """The settings do not allow it: said once, and tried again when settings change."""

    code = "misconfigured"


class Hopeless(HermesError):
    """Trying again can't help."""

    code = "hopeless"


class Preempted(Exception):
    """Control flow: the work was stopped for something more urgent. It goes back into the queue
    and no attempt is counted."""


class Context(Protocol):
    """What an agent may use while it works. Everything is bound to its job: its lane gives the
    priority, and what it does is written down for `hermes why`."""

    def model(self) -> ChatModel | None:
        """Return this agent's model behind the gate; None where there is none.

        A background call may raise Preempted at any piece: let it pass.
        """
        ...

    async def bulk(
        self,
        task: str,
        repo: str | None = None,
        *,
        source: str | None = None,
        seconds: float | None = None,
    ) -> Mapping[str, Any]:
        """Have the worker, the only writer of memory, do a task, for a repository or a source by its
        name; return its report. ``seconds``: how long it may take, for a task that can end early
        and say how far it came.

        Raise HermesError as the task does, Preempted if it gave way to something more urgent.
        """
        ...

    def progress(self, phase: str, done: int, total: int) -> None:
        """Tell how far it is."""
        ...

    def read(self, reference: str) -> None:
        """Write down that this was read: a commit, a file, a passage."""
        ...

    def wrote(self, reference: str) -> None:
        """Write down that this was written."""
        ...


class Agent(Protocol):
    """One specialist."""

    name: str

    async def handle(self, assignment: Assignment, context: Context) -> Outcome:
        """Do the work. Raise NotReady, NeedsUser, Misconfigured or Hopeless; anything else is a
        fault of ours and tried again a few times. On cancellation stop soon and clean up."""
        ...
