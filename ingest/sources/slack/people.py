"""Who is who in a workspace: names, addresses, and who is a program."""

from __future__ import annotations

from dataclasses import dataclass

from .fields import Row, flag, row, text

SLACKBOT = "USLACKBOT"


@dataclass(frozen=True, slots=True)
class Person:
    """A member of a workspace, or a program that has joined it."""

    name: str
    email: str = ""
    is_bot: bool = False


class People:
    """The members that are known so far, by id."""

    def __init__(self) -> None:
        self._by_id: dict[str, Person] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, member: str) -> bool:
        return member in self._by_id

    def add(self, user: Row) -> None:
        """Take in a user object, of ``users.json``, ``users.list`` or ``users.info``."""
        if member := text(user, "id"):
            self._by_id[member] = _person(user, row(user, "profile"), member)

    def find(self, member: str, profile: Row | None = None) -> Person:
        """Return who it is; ``profile`` is the message's ``user_profile``, for those who are not
        known. Of whom nothing else is known, the id is the name."""
        known = self._by_id.get(member)
        if known is not None:
            return known
        return _person({}, profile or {}, member)


def _person(user: Row, profile: Row, member: str) -> Person:
    """The real name comes first: commits are signed with it, too."""
    name = text(profile, "real_name") or text(user, "real_name")
    name = name or text(profile, "display_name") or text(profile, "name") or text(user, "name")
    return Person(
        name=" ".join((name or member).split()),
        email=text(profile, "email").strip(),
        is_bot=flag(user, "is_bot") or member == SLACKBOT,
    )
