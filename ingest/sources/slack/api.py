"""Slack's Web API as a source: the channels that a token may read (docs.slack.dev/reference/methods).

``auth.test``, ``conversations.list``, ``conversations.history``, ``conversations.replies``,
``users.list`` and ``users.info``: all of them only read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from ..contract import Contact, Offered, Page
from .channels import Channel, Choice, Visibility, channel_of, missing, offered, unique
from .fields import flag, row, text
from .items import Workspace
from .people import People
from .state import Read, as_cursor, read_cursor
from .sweeping import Sweeping
from .web import MissingScope, Stopped, Unreadable, Web

MOST_PEOPLE = 2_000
"""Members that are asked for at once; in larger workspaces the rest one by one, when they speak."""
NOTHING = "no channel is read: name some with --channels, or invite the app to some"
_TYPES = (
    ("public_channel", Visibility.PUBLIC),
    ("private_channel", Visibility.PRIVATE),
    ("im", Visibility.DIRECT),
    ("mpim", Visibility.DIRECT),
)
_WHY = {
    "not_in_channel": "the app is not in it: /invite it there",
    "channel_not_found": "the token can't see it",
    "missing_scope": "the token lacks the scope for it",
}


@dataclass(frozen=True, slots=True)
class Api:
    """What one token may read."""

    web: Web
    wanted: Choice

    def contacts(self) -> tuple[Contact, ...]:
        """Return the one host that is asked."""
        return (Contact(self.web.host, "Slack's Web API: channels, messages and members' names"),)

    def discover(self) -> tuple[Offered, ...]:
        """Return every channel that the token sees, with why it is not read."""
        people = People()
        channels, _ = self._channels(_never)
        if any(channel.visibility is Visibility.DIRECT for channel in channels):
            self._members(people, _never)
        return offered([_by_name(channel, people) for channel in channels], self.wanted)

    def fetch(self, cursor: str, should_stop: Callable[[], bool]) -> Iterator[Page]:
        """Yield what is new in the wanted channels, the newest first in each."""
        try:
            yield from self._fetch(cursor, should_stop)
        except Stopped:
            return

    def _fetch(self, cursor: str, should_stop: Callable[[], bool]) -> Iterator[Page]:
        states = read_cursor(cursor)
        host = urlsplit(text(self.web.call("auth.test", should_stop), "url")).hostname or ""
        people = People()
        channels, notes = self._channels(should_stop)
        notes += [
            f"#{name}: not there, or not to be seen" for name in missing(channels, self.wanted)
        ]
        self._members(people, should_stop)
        if all(self.wanted.refusal(channel) for channel in channels):
            notes.append(NOTHING)
        asked: set[str] = set()

        def ask(member: str) -> None:
            if member and member not in asked:
                asked.add(member)
                self._member(member, people, should_stop)

        names = {channel.id: channel.name for channel in channels}
        workspace = Workspace(people, names, host, ask)
        done = 0
        for channel in channels:
            if self.wanted.refusal(channel):
                continue
            state = states.setdefault(channel.id, Read())
            sweeping = Sweeping(self.web, channel, workspace, state, should_stop)
            try:
                for brought in sweeping.read():
                    yield Page(
                        items=tuple(brought.items),
                        gone=tuple(brought.gone),
                        cursor=as_cursor(states),
                        done=done + sweeping.messages,
                        unit="messages",
                    )
            except (Unreadable, MissingScope) as error:
                code = error.code if isinstance(error, Unreadable) else "missing_scope"
                name = _by_name(channel, people).shown
                notes.append(f"{name} is not read: {_WHY.get(code, code)}")
            done += sweeping.messages
        yield Page(done=done, unit="messages", notes=tuple(notes))

    def _channels(self, should_stop: Callable[[], bool]) -> tuple[list[Channel], list[str]]:
        """Return the channels, and what to say of the lists. Those that a token may not see are not
        among them; public ones it must see."""
        found: list[Channel] = []
        for kind, visibility in _TYPES:
            try:
                pages = self.web.pages(
                    "conversations.list",
                    "channels",
                    should_stop,
                    types=kind,
                    exclude_archived=False,
                )
                for page, _ in pages:
                    for described in page:
                        member = text(described, "user")  # of direct messages, whom with
                        channel = channel_of(described, visibility, member)
                        if channel is not None:
                            joined = flag(described, "is_member") or (
                                visibility is not Visibility.PUBLIC
                            )
                            found.append(replace(channel, joined=joined, folder=channel.id))
            except MissingScope:
                if visibility is Visibility.PUBLIC:
                    raise
        return unique(found)

    def _members(self, people: People, should_stop: Callable[[], bool]) -> None:
        for page, _ in self.web.pages("users.list", "members", should_stop):
            for user in page:
                people.add(user)
            if len(people) >= MOST_PEOPLE:
                break

    def _member(self, member: str, people: People, should_stop: Callable[[], bool]) -> None:
        try:
            people.add(row(self.web.call("users.info", should_stop, user=member), "user"))
        except Unreadable:  # of another organisation, or gone: called by what messages say
            return


def _by_name(channel: Channel, people: People) -> Channel:
    """Return direct messages by the name of whom they are with."""
    if channel.visibility is not Visibility.DIRECT:
        return channel
    return replace(channel, name=people.find(channel.name).name)


def _never() -> bool:
    return False
