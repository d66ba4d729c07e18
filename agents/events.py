"""What can happen: the events that triggers make, that are on disk before they are acknowledged,
and that the router turns into work.

An event is a fact, small and typed. It never carries a file's content, and what text it has (a
request, a message, a webhook) is data that no code obeys.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

MAX_PATHS = 1_000
"""Paths one event may list; more are told by their folders, or by ``whole``."""
MAX_TEXT = 20_000
"""Characters a request, a message or a webhook may bring."""

Source = Literal["watch", "hook", "spool", "cron", "webhook", "api", "rescan", "daemon"]
"""Which trigger saw it."""
Cause = Literal[
    "commit", "amend", "merge", "checkout", "rebase", "reset", "fetch", "stash", "unknown"
]
"""What a person did with git, as far as the trigger could tell."""

Time = Annotated[float, Field(ge=0, lt=253_402_300_800, allow_inf_nan=False)]
"""Seconds since 1970, up to the year 10,000: what can be stored and shown as a date."""
Name = Annotated[str, Field(max_length=4096)]
"""Of a branch, a ref or a repository. A limit also has half characters refused, which no file can
hold."""
Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{4,64}$")]
Path = Annotated[str, Field(min_length=1, max_length=4096)]
"""Relative to the worktree, with ``/``."""
Text = Annotated[str, Field(max_length=MAX_TEXT)]
Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_.-]{0,63}$")]


class _Event(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    at: Time
    """When it happened."""
    source: Source
    repo: Name | None = None
    """The id of the repository, where there is one."""


class Committed(_Event):
    """History grew at a branch: a commit, an amend, a merge."""

    kind: Literal["committed"] = "committed"
    cause: Cause = "commit"
    old: Sha | None = None
    new: Sha | None = None
    """HEAD before and after, where known."""
    branch: Name | None = None


class HeadMoved(_Event):
    """HEAD stands elsewhere without new work: a checkout, a reset, a finished rebase, a stash."""

    kind: Literal["head_moved"] = "head_moved"
    cause: Cause = "unknown"
    old: Sha | None = None
    new: Sha | None = None
    branch: Name | None = None


class RefsMoved(_Event):
    """Branches other than HEAD's moved, came or went: a fetch, a push by someone else."""

    kind: Literal["refs_moved"] = "refs_moved"
    cause: Cause = "fetch"
    refs: tuple[Name, ...] = Field(default=(), max_length=MAX_PATHS)
    """Full names of those that differ, e.g. ``refs/remotes/origin/main``."""


class IndexChanged(_Event):
    """Something was staged or unstaged."""

    kind: Literal["index_changed"] = "index_changed"


class FilesChanged(_Event):
    """Files of the worktree were saved, made, moved or deleted."""

    kind: Literal["files_changed"] = "files_changed"
    paths: tuple[Path, ...] = Field(default=(), max_length=MAX_PATHS)
    folders: tuple[Path, ...] = Field(default=(), max_length=MAX_PATHS)
    """Each stands for everything beneath it: too much changed there to be listed."""
    whole: bool = False
    """Too much changed anywhere: the whole worktree is meant."""


class RepoAdded(_Event):
    """A repository came into memory."""

    kind: Literal["repo_added"] = "repo_added"


class RepoGone(_Event):
    """A repository's folder is not there any more, or is there again."""

    kind: Literal["repo_gone"] = "repo_gone"
    back: bool = False


class Scheduled(_Event):
    """A scheduled time came."""

    kind: Literal["scheduled"] = "scheduled"
    job: Word
    """The name of the schedule's entry, e.g. ``upkeep``."""
    due: Time
    missed: Annotated[int, Field(ge=0, lt=1 << 32)] = 0
    """So many earlier times passed without a run, while the machine slept or hermes was down."""
    agent: Name = ""
    subject: Name = ""
    """What the entry runs."""


class RunAsked(_Event):
    """A person asked for one agent by name."""

    kind: Literal["run_asked"] = "run_asked"
    agent: Word
    subject: Name = ""
    """What of the agent's work is meant, where it does several things."""
    text: Text = ""
    dry_run: bool = False


class Requested(_Event):
    """A person asked for something in their own words, and left open who is to do it."""

    kind: Literal["requested"] = "requested"
    text: Text


class Delivered(_Event):
    """A webhook came, and its signature was right."""

    kind: Literal["delivered"] = "delivered"
    provider: Word
    """``github``, ``linear``, ``slack``."""
    what: Annotated[str, Field(max_length=200)] = ""
    """The provider's own name for it, e.g. ``pull_request.review_submitted``."""
    place: Annotated[str, Field(max_length=200)] = ""
    """Where something changed, for the sources that read that; empty where it has words instead."""
    title: Text = ""
    text: Text = ""
    url: Annotated[str, Field(max_length=2_000)] = ""


class Noted(_Event):
    """A script dropped a message into the spool folder."""

    kind: Literal["noted"] = "noted"
    title: Annotated[str, Field(min_length=1, max_length=500)]
    text: Text = ""
    paths: tuple[Path, ...] = Field(default=(), max_length=MAX_PATHS)


Event = Annotated[
    Committed
    | HeadMoved
    | RefsMoved
    | IndexChanged
    | FilesChanged
    | RepoAdded
    | RepoGone
    | Scheduled
    | RunAsked
    | Requested
    | Delivered
    | Noted,
    Field(discriminator="kind"),
]
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)

KINDS: tuple[str, ...] = tuple(
    sorted(schema.model_fields["kind"].default for schema in _Event.__subclasses__())
)
"""The name of every kind."""


def parse_event(found: Any) -> Event:
    """Given an object as JSON has it, return the event. Raise pydantic's ValidationError."""
    return _EVENT.validate_python(found)


def dump_event(event: Event) -> str:
    """Given an event, return the JSON that `load_event` reads."""
    return event.model_dump_json()


def load_event(text: str) -> Event:
    """Given what `dump_event` wrote, return the event. Raise pydantic's ValidationError."""
    return _EVENT.validate_json(text)
