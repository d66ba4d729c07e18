"""A message of an export, of the Web API or of an event, as far as it is read.

Fields and subtypes are those of the "message" event (docs.slack.dev/reference/events/message).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from .fields import Row, flag, number, row, rows, text
from .people import SLACKBOT, People

_TS = re.compile(r"\d{10}\.\d{6}")
_SAID = frozenset(["", "file_share", "me_message", "thread_broadcast", "reply_broadcast"])
"""Subtypes of what people say. All others are notices (who joined, which topic a channel has), what
programs say (``bot_message``), and ``tombstone``: something was here and is deleted."""


class Voice(StrEnum):
    """Whose a message is."""

    PERSON = "person"
    PROGRAM = "program"
    """Left out, but where people answered it."""
    NOBODY = "nobody"
    """A notice, or what is deleted: left out."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message, by what identifies it in its channel: its ``ts``."""

    ts: str
    """Ten digits of seconds and six of what comes after; so text sorts like time."""
    thread: str
    """The ``ts`` of the message that it answers; its own where it answers none."""
    voice: Voice
    user: str
    """A member's id; of a program its name."""
    profile: Row
    """What the message says of the member itself, where it does (``user_profile``)."""
    text: str
    """In Slack's mrkdwn."""
    files: tuple[str, ...] = ()
    """Names."""
    edited: str = ""
    """When it was last edited, as a ``ts``."""
    answered: bool = False
    """Whether there were answers to it, whoever gave them."""
    answers: int = 0
    latest: str = ""
    """The ``ts`` of the last answer."""

    @property
    def is_answer(self) -> bool:
        """Whether it answers another."""
        return self.thread != self.ts

    @property
    def time(self) -> int:
        """When it was sent, in seconds."""
        return seconds(self.ts)

    @property
    def changed(self) -> int:
        """When it was sent, or last edited."""
        return max(self.time, seconds(self.edited) if self.edited else 0)

    @property
    def version(self) -> str:
        """Of two states of one message, the later one has the greater version."""
        return self.edited or self.ts


def message_of(said: Row, people: People) -> Message | None:
    """Return a message from its object; None where it is none, or where its ``ts`` is not one."""
    ts = ts_of(said.get("ts"))
    if not ts or said.get("type", "message") != "message":
        return None
    thread = ts_of(said.get("thread_ts")) or ts
    voice = _voice(said, people)
    edited = ts_of(row(said, "edited").get("ts"))
    answers = number(said, "reply_count")
    return Message(
        ts=ts,
        thread=thread,
        voice=voice,
        user=_program(said) if voice is Voice.PROGRAM else text(said, "user"),
        profile=_short(row(said, "user_profile")),
        text=_program_says(said) if voice is Voice.PROGRAM else text(said, "text"),
        files=tuple(name for file in rows(said, "files") if (name := text(file, "name", "title"))),
        edited=edited,
        answered=thread == ts and (answers > 0 or bool(text(said, "thread_ts"))),
        answers=answers,
        latest=ts_of(said.get("latest_reply")),
    )


def ts_of(value: object) -> str:
    """Return a ``ts`` as text; empty where it is none. Some exporters write it as a number."""
    if isinstance(value, float | int) and not isinstance(value, bool):
        value = f"{value:.6f}"
    return value if isinstance(value, str) and _TS.fullmatch(value) else ""


def seconds(ts: str) -> int:
    """Return a ``ts`` in whole seconds."""
    return int(ts[:10])


def host_of(said: Row) -> str:
    """Return the workspace's host, ``acme.slack.com``, where a file of the message names it."""
    for file in rows(said, "files"):
        found = re.match(
            r"https://([a-z0-9-]+(?:\.enterprise)?\.slack\.com)/", text(file, "permalink")
        )
        if found:
            return found[1]
    return ""


def _voice(said: Mapping[str, object], people: People) -> Voice:
    subtype = text(said, "subtype")
    user = text(said, "user")
    if subtype == "bot_message" or (subtype in _SAID and not user and text(said, "bot_id")):
        return Voice.PROGRAM
    if subtype not in _SAID or not user or user == SLACKBOT or flag(said, "hidden"):
        return Voice.NOBODY
    if user in people:
        return Voice.PROGRAM if people.find(user).is_bot else Voice.PERSON
    return Voice.PROGRAM if text(said, "bot_id") else Voice.PERSON


def _program(said: Row) -> str:
    return text(row(said, "bot_profile"), "name") or text(said, "username") or "a program"


def _program_says(said: Row) -> str:
    """Programs say much in attachments; of them, what is shown where attachments can't be."""
    parts = [text(said, "text")]
    for attachment in rows(said, "attachments")[:3]:
        whole = [text(attachment, "title"), text(attachment, "text")]
        parts.append("\n".join(part for part in whole if part) or text(attachment, "fallback"))
    return "\n".join(part for part in parts if part)


def _short(profile: Row) -> Row:
    kept = ("real_name", "display_name", "name", "email")
    return {name: value for name in kept if (value := text(profile, name))}


def state_of(said: Row, people: People) -> tuple[Message, str] | None:
    """Return a message as an object of a day's file or of an event leaves it, and the version of
    that: it was said, changed (``message_changed``) or deleted (``message_deleted``)."""
    at = ts_of(said.get("ts"))
    match text(said, "subtype"):
        case "message_changed":
            message = message_of(row(said, "message"), people)
            return (message, max(message.version, at)) if message is not None else None
        case "message_deleted":
            before = row(said, "previous_message") or row(said, "original")
            ts = ts_of(said.get("deleted_ts")) or ts_of(before.get("ts"))
            if not ts:
                return None
            thread = ts_of(before.get("thread_ts")) or ts
            return Message(ts, thread, Voice.NOBODY, "", {}, ""), max(at, ts)
        case _:
            message = message_of(said, people)
            return (message, message.version) if message is not None else None
