"""Messages of a channel as discussions: what memory keeps as one.

A message that was answered is a discussion with its answers. What stands alone is one with what was
written around it, for in most channels half of the talk is not in threads, and "yes, since monday"
says nothing by itself. Such a stretch ends with a silence of twenty minutes, or, once it is long,
with the hour. Both are read off the messages near by, so the same stretches come out wherever
reading began, and a discussion is called after its first message whatever is added to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .messages import Message, Voice

SILENCE = 20 * 60
"""Seconds without a message that end a stretch."""
LONG = 20
"""Messages from which on a stretch ends with the hour (UTC)."""
LONGEST = 200
"""Messages of a stretch, however much is said in an hour."""
MOST_ANSWERS = 1_000
"""Answers of one thread that are kept: the first ones."""
_HOUR = 3_600


@dataclass(frozen=True, slots=True)
class Discussion:
    """Some messages that belong together, oldest first."""

    ts: str
    """What it is called after: the message that began it."""
    messages: tuple[Message, ...]
    """What is kept of it. The first one may be a program's that people have answered, and is not
    the one that began it where that is deleted."""


def stretches(top: Iterable[Message]) -> Iterator[list[Message]]:
    """Yield the stretches of a channel's messages that answer nothing, given oldest first."""
    current: list[Message] = []
    for message in top:
        if message.voice is not Voice.PERSON:
            continue
        if current and _ends(current, message):
            yield current
            current = []
        current.append(message)
    if current:
        yield current


def _ends(stretch: Sequence[Message], after: Message) -> bool:
    last = stretch[-1].time
    if after.time - last >= SILENCE or len(stretch) >= LONGEST:
        return True
    return len(stretch) >= LONG and after.time // _HOUR != last // _HOUR


def conversation(stretch: Sequence[Message]) -> Discussion | None:
    """Return what of a stretch was not answered in threads; None if all of it was."""
    alone = [message for message in stretch if not message.answered]
    return Discussion(alone[0].ts, tuple(alone)) if alone else None


def thread(ts: str, root: Message | None, answers: Iterable[Message]) -> Discussion | None:
    """Return a thread; None where no person said anything in it.

    ``root`` may be missing, a tombstone or a notice: then its answers are left. What a program
    began is kept if a person answered.
    """
    said = [answer for answer in answers if answer.voice is Voice.PERSON][:MOST_ANSWERS]
    opens = [root] if root is not None and root.voice is not Voice.NOBODY else []
    if not said and not (opens and opens[0].voice is Voice.PERSON):
        return None
    return Discussion(ts, (*opens, *said))
