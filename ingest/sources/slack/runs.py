"""Cuts what is read of a channel, newest first, where nobody said anything for a while.

Only whole runs can be told as discussions: what a stretch is called after is its first message, and
that is the one read last.
"""

from __future__ import annotations

from collections.abc import Sequence

from .discussions import SILENCE
from .messages import Message, Voice

LONGEST_RUN = 2_000
"""Messages without a silence that are held; of more, those are told that are whole hours."""
_HOUR = 3_600


def worth(message: Message) -> bool:
    """Whether a message of a channel's history leads to anything: a person said it, or it was
    answered."""
    return message.voice is Voice.PERSON or message.answered


def whole_runs(
    held: Sequence[Message], low: int, end: bool
) -> tuple[list[list[Message]], list[Message]]:
    """Given messages, newest first, and the second down to which they were read, return the runs
    that are whole, newest first, each newest first, and what may go on further down.

    ``end``: there is nothing further down.
    """
    runs: list[list[Message]] = []
    current: list[Message] = []
    last: int | None = None  # when a person last spoke
    for message in held:
        spoke = message.voice is Voice.PERSON and not message.is_answer
        if spoke and last is not None and last - message.time >= SILENCE:
            runs.append(current)
            current = []
        current.append(message)
        last = message.time if spoke else last
    if end or last is None or last - low >= SILENCE:
        return ([*runs, current] if current else runs), []
    if len(current) > LONGEST_RUN:
        hour = current[-1].time // _HOUR
        whole = [message for message in current if message.time // _HOUR > hour]
        return [*runs, whole or current], current[len(whole) :] if whole else []
    return runs, current
