"""Slack's export archive as a source (slack.com/help/articles/220556107).

``users.json``, lists of channels (``channels.json``, ``groups.json``, ``dms.json``,
``mpims.json``), and a folder for each channel with a file for each day. It is read in two passes:
all days of the channels that are wanted onto disk, then discussion by discussion from there.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ....memory.records import Item
from ..contract import Contact, Offered, Page, SourceBroken
from .archive import FAULTS, Archive, open_archive
from .channels import Channel, Choice, offered
from .contents import Contents, contents_of
from .discussions import Discussion, conversation, stretches, thread
from .fields import as_row, flag, text
from .items import Workspace, item_of
from .json_array import Damaged, objects
from .messages import Voice, host_of, state_of
from .spool import Spool

DAYS = 50
"""Files after which it is said how many were read."""
PAGE_ITEMS = 200
PAGE_CHARACTERS = 256_000
TOMORROW = 86_400
"""Seconds after now up to which a message's time may be a matter of clocks."""
_DONE = "done"


@dataclass(frozen=True, slots=True)
class Export:
    """An export on disk: a zip archive, or the folder that it was unpacked to."""

    path: Path
    wanted: Choice

    def contacts(self) -> tuple[Contact, ...]:
        """Return no host: it is read from disk."""
        return ()

    def discover(self) -> tuple[Offered, ...]:
        """Return every channel, and folders that no list of channels names."""
        with open_archive(self.path) as archive:
            contents = contents_of(archive)
            found = offered(contents.channels, self.wanted)
            unknown = sorted(contents.days.keys() - {each.folder for each in contents.channels})
            return (*found, *(Offered(name, False, "in no list of channels") for name in unknown))

    def fetch(self, cursor: str, should_stop: Callable[[], bool]) -> Iterator[Page]:
        """Yield the discussions of the wanted channels; none where the export is as it was.

        What is read first, all days, comes as pages without items that say how far it is.
        """
        stamp = _stamp(self.path)
        place = _place(cursor, stamp)
        if place is None:
            return
        with open_archive(self.path) as archive, Spool() as spool:
            contents = contents_of(archive)
            wanted = [each for each in contents.channels if not self.wanted.refusal(each)]
            reading = _Reading(archive, contents, spool)
            files = [
                (number, name)
                for number, channel in enumerate(wanted)
                for name in contents.days.get(channel.folder, ())
            ]
            for done, (number, name) in enumerate(files):
                if should_stop():
                    return
                if done % DAYS == 0:
                    yield Page(done=done, total=len(files), unit="files")
                reading.read(number, name)
            telling = _Telling(wanted, contents, spool, reading.hosts, stamp)
            yield Page(notes=(*contents.left_out(self.wanted), *reading.told()))
            for page in telling.pages(place):
                if should_stop():
                    return
                yield page
            total = spool.count()
            yield Page(
                cursor=json.dumps({"export": stamp, "channel": _DONE}),
                done=total,
                total=total,
                unit="messages",
                is_gone=telling.lacks(reading.damaged),
            )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where reading goes on: a channel, the threads of it that lack a beginning (which come last),
    and behind which ``ts``."""

    channel: str = ""
    lone: bool = False
    after: str = ""


@dataclass(slots=True)
class _Reading:
    """Days' files onto the spool, and what was odd about them."""

    archive: Archive
    contents: Contents
    spool: Spool
    hosts: dict[int, str] = field(default_factory=dict[int, str])
    """The workspace's host, by channel, where a file's address names it."""
    broken: list[str] = field(default_factory=list[str])
    damaged: set[int] = field(default_factory=set[int])
    """Channels that are not whole."""
    untold: int = 0
    """Messages without a time."""
    ahead: int = 0
    """Messages of the future."""

    def read(self, channel: int, name: str) -> None:
        """Set down a day's messages."""
        tomorrow = f"{time.time() + TOMORROW:.6f}"
        try:
            with self.archive.open(name) as file:
                for said in objects(file):
                    state = state_of(said, self.contents.people)
                    if state is None:
                        self.untold += 1
                        continue
                    self.ahead += state[0].ts > tomorrow
                    self.spool.put(channel, *state)
                    if channel not in self.hosts and (host := host_of(said)):
                        self.hosts[channel] = host
        except (Damaged, *FAULTS) as error:
            why = str(error) or type(error).__name__
            self.damaged.add(channel)
            self.broken.append(f"{name}: the rest of the day is left out: {why}")

    def told(self) -> list[str]:
        """Return what was odd, one line each."""
        told = list(self.broken)
        if self.untold:
            told.append(f"{self.untold:,} entries that are no messages, or have no time")
        if self.ahead:
            told.append(
                f"{self.ahead:,} messages are dated in the future: kept, with the time they have"
            )
        return told


@dataclass(slots=True)
class _Telling:
    """The spool's messages as pages of items."""

    channels: list[Channel]
    contents: Contents
    spool: Spool
    hosts: dict[int, str]
    stamp: str
    done: int = 0
    total: int = 0

    def pages(self, place: _Place) -> Iterator[Page]:
        """Yield the items from a place on."""
        names = {channel.id: channel.name for channel in self.contents.channels}
        ids = [channel.id for channel in self.channels]
        start = ids.index(place.channel) if place.channel in ids else 0
        if place.channel not in ids:
            place = _Place()
        self.total = self.spool.count()
        upto = "9" if place.lone else place.after
        self.done = self.spool.count(before=start, channel=start, upto=upto)
        if place != _Place():  # what an earlier run has told of
            for number in range(start + 1):
                for discussions, _, _ in self._discussions(number, _Place()):
                    self._note(number, discussions)
        for number in range(start, len(ids)):
            workspace = Workspace(self.contents.people, names, self.hosts.get(number, ""))
            here = place if number == start else _Place()
            yield from self._channel(number, workspace, here)

    def _channel(self, number: int, workspace: Workspace, place: _Place) -> Iterator[Page]:
        channel = self.channels[number]
        items: list[Item] = []
        size = 0
        for discussions, said, after in self._discussions(number, place):
            self._note(number, discussions)
            found = [item_of(each, channel, workspace) for each in discussions]
            items += [item for item in found if item is not None]
            size += sum(len(item.text) for item in found if item is not None)
            self.done += said
            if len(items) >= PAGE_ITEMS or size >= PAGE_CHARACTERS:
                yield self._page(items, channel, after)
                items, size = [], 0
        if items:
            yield self._page(items, channel, _Place(channel.id, True, "9"))

    def _note(self, number: int, discussions: Iterable[Discussion]) -> None:
        for each in discussions:
            self.spool.tell(number, each.ts)

    def lacks(self, damaged: Collection[int]) -> Callable[[str], bool]:
        """Return what says of a reference whether this export would have it and does not: what was
        said between the first and the last message of a channel that is whole is all there."""
        numbers = {
            channel.id: number
            for number, channel in enumerate(self.channels)
            if number not in damaged
        }

        def is_gone(ref: str) -> bool:
            channel, _, ts = ref.removeprefix("slack:").partition("/")
            return channel in numbers and self.spool.lacks(numbers[channel], ts)

        return is_gone

    def _discussions(
        self, number: int, place: _Place
    ) -> Iterator[tuple[list[Discussion], int, _Place]]:
        """Yield discussions that are read at once, how many messages they are made of, and the
        place behind them."""
        channel = self.channels[number].id
        if not place.lone:
            for stretch in stretches(self.spool.top(number, place.after)):
                some = [conversation(stretch)]
                said = len(stretch)
                for root in stretch:
                    if root.answered:
                        answers = list(self.spool.answers(number, root.ts))
                        some.append(thread(root.ts, root, answers))
                        said += sum(each.voice is Voice.PERSON for each in answers)
                kept = [each for each in some if each is not None]
                yield kept, said, _Place(channel, False, stretch[-1].ts)
        after = place.after if place.lone else ""
        for ts, first in self.spool.lone_threads(number, after):
            answers = list(self.spool.answers(number, ts))
            said = sum(each.voice is Voice.PERSON for each in answers)
            lone = thread(ts, first, answers)
            yield [lone] if lone else [], said, _Place(channel, True, ts)

    def _page(self, items: list[Item], channel: Channel, place: _Place) -> Page:
        cursor = {
            "export": self.stamp,
            "channel": channel.id,
            "lone": place.lone,
            "after": place.after,
        }
        return Page(
            items=tuple(items),
            cursor=json.dumps(cursor),
            done=min(self.done, self.total),
            total=self.total,
            unit="messages",
        )


def _stamp(path: Path) -> str:
    """Return what the export looks like from outside: a new one has another."""
    try:
        inner = [each.stat() for each in (path.iterdir() if path.is_dir() else ())]
        states = [path.stat(), *inner]
    except OSError as error:
        raise SourceBroken(f"{path} can't be read: {error.strerror}") from None
    newest = max(state.st_mtime_ns for state in states)
    return f"{sum(state.st_size for state in states)}:{newest}"


def _place(cursor: str, stamp: str) -> _Place | None:
    """Return where to go on: at the beginning in another export, nowhere where all is read."""
    try:
        said = as_row(json.loads(cursor or "{}"))
    except ValueError:
        return _Place()
    if said.get("export") != stamp:
        return _Place()
    place = _Place(text(said, "channel"), flag(said, "lone"), text(said, "after"))
    return None if place.channel == _DONE else place
