"""A discussion as memory keeps it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ....memory.records import Item, ItemKind
from ..transcript import transcript, turn
from .channels import Channel, Visibility
from .discussions import Discussion
from .messages import Message, Voice
from .mrkdwn import plain
from .people import People, Person

SOURCE = "slack"
TITLE_LIMIT = 100
"""Characters of a title's first line."""
_FENCE = re.compile(r"```|^>\s?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Workspace:
    """What a discussion's words are resolved with."""

    people: People
    channels: Mapping[str, str]
    """Names by id."""
    host: str = ""
    """``acme.slack.com``; empty where it is not known."""
    ask: Callable[[str], None] = lambda member: None
    """Looks for a member that is not among ``people`` yet."""

    def person(self, message: Message) -> Person:
        """Return who said it."""
        if message.voice is Voice.PROGRAM:
            return Person(message.user, is_bot=True)
        if message.user not in self.people and not message.profile:
            self.ask(message.user)
        return self.people.find(message.user, message.profile)

    def plain(self, text: str) -> str:
        """Return mrkdwn as text."""
        return plain(text, self._name, lambda channel: self.channels.get(channel, ""))

    def _name(self, member: str) -> str:
        if member not in self.people:
            self.ask(member)
        return self.people.find(member).name if member in self.people else ""


def ref_of(channel: str, ts: str) -> str:
    """Return what a discussion is called in memory: ``slack:C024/1732871234.001200``."""
    return f"{SOURCE}:{channel}/{ts}"


def item_of(discussion: Discussion, channel: Channel, workspace: Workspace) -> Item | None:
    """Return a discussion as an item; None where nothing is said in it."""
    said = [
        (message, workspace.person(message), body)
        for message in discussion.messages
        if (body := _body(message, workspace))
    ]
    if not said:
        return None
    people = list(dict.fromkeys(person for _, person, _ in said if not person.is_bot))
    author = people[0] if people else said[0][1]
    return Item(
        source=SOURCE,
        ref=ref_of(channel.id, discussion.ts),
        kind=ItemKind.THREAD,
        repo="",
        title=_title(channel, said[0][2]),
        text=transcript("", [turn(who.name, each.time, body) for each, who, body in said]),
        author=author.name,
        email=author.email,
        time=said[0][0].time,
        changed=max(message.changed for message, _, _ in said),
        url=_address(workspace.host, channel.id, discussion.ts),
        people=tuple((person.name, person.email) for person in people),
    )


def _body(message: Message, workspace: Workspace) -> str:
    files = [f"[file: {' '.join(name.split())}]" for name in message.files]
    return "\n".join(part for part in (workspace.plain(message.text), *files) if part)


def _title(channel: Channel, body: str) -> str:
    lines = [line.strip() for line in _FENCE.sub("", body).splitlines()]
    first = next((line for line in lines if line), "")
    if len(first) > TITLE_LIMIT:
        first = first[: TITLE_LIMIT - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
    where = "direct message" if channel.visibility is Visibility.DIRECT else channel.shown
    return f"{where}: {first}"


def _address(host: str, channel: str, ts: str) -> str:
    return f"https://{host}/archives/{channel}/p{ts.replace('.', '')}" if host else ""
