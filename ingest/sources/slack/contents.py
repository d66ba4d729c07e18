"""What an export says that it holds: who, which channels, and the files of their days."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..contract import SourceBroken
from .archive import FAULTS, Archive
from .channels import Channel, Choice, Visibility, channel_of, missing, unique
from .fields import Row, texts
from .json_array import Damaged, objects
from .people import People

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.json")
_LISTS = {
    "channels.json": Visibility.PUBLIC,
    "groups.json": Visibility.PRIVATE,
    "dms.json": Visibility.DIRECT,
    "mpims.json": Visibility.DIRECT,
}
_WHO = ("users.json", "org_users.json")
_MEMBERS_SHOWN = 4


@dataclass(slots=True)
class Contents:
    """What an export's lists say."""

    people: People
    channels: list[Channel]
    days: dict[str, list[str]]
    """The files of each folder's days, in order."""
    notes: list[str]

    def left_out(self, wanted: Choice) -> list[str]:
        """Return what to say of it: what was odd, and what is wanted and not there."""
        lost = [f"there is no channel #{name}" for name in missing(self.channels, wanted)]
        return self.notes + lost


def contents_of(archive: Archive) -> Contents:
    """Return who and what there is. Raise SourceBroken where it is no export."""
    present = [name for name in _LISTS if name in archive.names]
    if not present:
        raise SourceBroken(
            "the export has no channels.json: it is not one of Slack's JSON exports",
            hint="unpack it and look: channels.json lies beside the channels' folders",
        )
    notes = list(archive.notes)
    people = People()
    for name in _WHO:
        if name in archive.names:
            for user in _listed(archive, name, notes):
                people.add(user)
    if not len(people):
        notes.append("users.json names nobody: people are called by what messages say of them")
    channels = [
        channel
        for name in present
        for described in _listed(archive, name, notes)
        if (channel := channel_of(described, _LISTS[name], _called(described, people, name)))
    ]
    kept, odd = unique(channels)
    days: dict[str, list[str]] = {}
    for name in archive.names:
        folder, _, file = name.rpartition("/")
        if folder and _DAY.fullmatch(file):
            days.setdefault(folder, []).append(name)
    return Contents(people, kept, days, notes + odd)


def _listed(archive: Archive, name: str, notes: list[str]) -> list[Row]:
    found: list[Row] = []
    try:
        with archive.open(name) as file:
            found.extend(objects(file))
    except (Damaged, *FAULTS) as error:
        notes.append(f"{name}: what follows is left out: {error or type(error).__name__}")
    return found


def _called(described: Row, people: People, file: str) -> str:
    """Return what direct messages are called: by those who write there."""
    if file not in ("dms.json", "mpims.json"):
        return ""
    ids = texts(described, "members")
    names = [people.find(each).name for each in ids[:_MEMBERS_SHOWN]]
    return ", ".join(names) + (", …" if len(ids) > _MEMBERS_SHOWN else "")
