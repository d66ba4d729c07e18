"""What an answer is made of while it streams, and how each piece looks on the wire."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

GIT = "git"
TEST = "test"
"""Kind of a source that is a test run; in place of a sha it has ``run 412``."""

Mode = Literal["model", "extractive", "index", "facts"]
"""Who wrote the answer: a model, rules over passages, over the structured index, or over all that is
known exactly (themes, test runs, tickets, branches)."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about this answer is not as good as it could be; ``hint`` says what to do."""

    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """What is being done now, for a progress line."""

    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A checked sentence (or a heading between sentences), citations as ``[1]``."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()
    """Spans (start, end) of ``text`` that match words of the question."""


@dataclass(frozen=True, slots=True)
class SourceRef:
    """What a citation's number stands for."""

    number: int
    repo: str
    """The repository's id."""
    sha: str
    """The commit's; of what people wrote outside of git, the item's reference."""
    time: int
    author: str
    path: str
    """Empty when the source is a commit's message or a commit as a whole."""
    subject: str
    kind: str
    """``message``, ``context``, ``commit``, ``file``, ``log`` or ``blame``; an item's kind, such as
    ``ticket``; ``test``."""
    source: str = GIT
    """What brought it: ``git``, or an item's source such as ``slack``."""
    said: str = ""
    """What is known of it besides what it says: "taken back by 3f2a9c1e0d on 2025-05-12"."""

    @property
    def label(self) -> str:
        """What stands for it in a list: a short sha, or an item's source; its subject says more."""
        if self.kind == TEST:
            return self.sha
        return self.sha[:10] if self.source == GIT else self.source

    @property
    def date(self) -> str:
        """The day, ISO form, UTC."""
        return iso_day(self.time)


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources that the answer cited, in order of number."""

    sources: tuple[SourceRef, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """The last event."""

    mode: Mode
    confidence: float
    """Recall's: 0..1, how likely it is that anything found bears on the question."""
    relevant: bool
    """False: memory holds nothing relevant, and the answer says so."""
    model: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    dropped: int = 0
    """Sentences of the model that the evidence did not bear out."""
    made: float | None = None
    """When it was answered ahead, at night; nothing it was made from has changed since."""


AnswerEvent = Notice | Step | Text | Sources | Done


def to_object(event: AnswerEvent) -> dict[str, Any]:
    """Given an event, return it as a JSON object with its ``type``."""
    fields: dict[str, Any] = {"type": type(event).__name__.lower()}
    if isinstance(event, Sources):
        fields["sources"] = [{**asdict(source), "date": source.date} for source in event.sources]
    else:
        fields.update(asdict(event))
    return fields


def place_of(source: str) -> str:
    """Return what people call a source: ``Slack`` for ``slack``."""
    return {"github": "GitHub", "gitlab": "GitLab", "docs": "the documents"}.get(
        source, source.capitalize()
    )


def iso_day(time: int) -> str:
    """Given seconds since the epoch, return the day in UTC, e.g. ``2025-03-02``."""
    return datetime.fromtimestamp(time, UTC).date().isoformat()
