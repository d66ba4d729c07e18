"""Channels, and which of them are read."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from ..contract import Offered
from .fields import Row, flag, text


class Visibility(StrEnum):
    """Who can read a channel in Slack."""

    PUBLIC = "public"
    PRIVATE = "private"
    DIRECT = "direct"
    """Of two people, or of a few."""


@dataclass(frozen=True, slots=True)
class Channel:
    """A place of a workspace where messages are."""

    id: str
    name: str
    """Without the ``#``; for direct messages the names of those who write there."""
    visibility: Visibility
    joined: bool = True
    """Whether the token's owner is in it; of an export, always."""
    folder: str = ""
    """Where an export holds its messages."""

    @property
    def shown(self) -> str:
        """How people call it."""
        return self.name if self.visibility is Visibility.DIRECT else f"#{self.name}"


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person wants read."""

    names: frozenset[str] = frozenset()
    """Names (without ``#``, folded) or ids; none: every public channel."""
    direct: bool = False
    """Direct messages too."""

    def names_it(self, channel: Channel) -> bool:
        """Whether the channel is named."""
        return channel.name.casefold() in self.names or channel.id.casefold() in self.names

    def refusal(self, channel: Channel) -> str:
        """Return why a channel is not read; empty where it is."""
        named = self.names_it(channel)
        match channel.visibility:
            case Visibility.DIRECT if not (named or self.direct):
                return "direct messages are read only with --direct"
            case Visibility.PRIVATE if not named:
                return "a private channel: name it with --channels to read it"
            case Visibility.PUBLIC if self.names and not named:
                return "not among those named with --channels"
            case Visibility.PUBLIC if not channel.joined:
                if named:
                    return ""  # asking says whether it can be read
                return "the token's owner is not in it: invite it, or name it with --channels"
            case _:
                return ""


def choice(names: Iterable[str], direct: bool) -> Choice:
    """Return what is wanted, from what a person wrote: ``#eng-platform`` or ``eng-platform``."""
    return Choice(frozenset(name.strip().removeprefix("#").casefold() for name in names), direct)


def offered(channels: Collection[Channel], wanted: Choice) -> tuple[Offered, ...]:
    """Return every channel with why it is not read, those that are read first, and what was named
    and is not there."""
    found = [
        Offered(channel.shown, not (why := wanted.refusal(channel)), why) for channel in channels
    ]
    known = {name.casefold() for channel in channels for name in (channel.name, channel.id)}
    found += [
        Offered(f"#{name}", False, "there is no such channel, or it can't be seen")
        for name in sorted(wanted.names - known)
    ]
    return tuple(sorted(found, key=lambda each: (not each.wanted, each.name)))


def missing(channels: Iterable[Channel], wanted: Choice) -> list[str]:
    """Return what was named and is not there."""
    known = {name.casefold() for channel in channels for name in (channel.name, channel.id)}
    return sorted(wanted.names - known)


def channel_of(described: Row, visibility: Visibility, name: str = "") -> Channel | None:
    """Return a channel from its object in an export or of the Web API; None where it has no id.

    What the object says of itself (``is_im``, ``is_mpim``, ``is_private``) goes before what the
    list is called that it stands in.
    """
    number = text(described, "id")
    if not number:
        return None
    if flag(described, "is_im") or flag(described, "is_mpim"):
        visibility = Visibility.DIRECT
    elif flag(described, "is_private") or flag(described, "is_group"):
        visibility = Visibility.PRIVATE
    called = name or text(described, "name_normalized", "name") or number
    return Channel(number, called, visibility, folder=text(described, "name") or number)


def unique(channels: Iterable[Channel]) -> tuple[list[Channel], list[str]]:
    """Return each channel once, by its id, and what to say of those that come again or share
    another's folder."""
    by_id: dict[str, Channel] = {}
    folders: dict[str, str] = {}
    notes: list[str] = []
    for channel in channels:
        if channel.id in by_id:
            kept = by_id[channel.id]
            # Of two lists that disagree, the one that lets fewer people read is believed.
            if kept.visibility is Visibility.PUBLIC and channel.visibility is not kept.visibility:
                by_id[channel.id] = replace(kept, visibility=channel.visibility)
            notes.append(f"{channel.shown} is listed twice")
        elif channel.folder in folders:
            notes.append(
                f"{channel.shown} ({channel.id}) has the folder of {folders[channel.folder]}:"
                " it is left out"
            )
        else:
            by_id[channel.id] = channel
            folders[channel.folder] = channel.id
    return list(by_id.values()), notes
