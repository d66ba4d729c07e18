"""Who wrote something, as GitHub names people: by their login, and sometimes by a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..ticket import NOBODY, Person
from .fields import Json, inner, text, truth

_ROBOTS = re.compile(r"\[bot\]$|[-_](?:ro)?bot$|^(?:app/|codecov|coveralls$)", re.IGNORECASE)
"""Logins of programs: those of apps, and what calls itself one."""
_STRANGERS = frozenset(("NONE", "FIRST_TIMER", "MANNEQUIN"))
"""How GitHub says that somebody never committed to the repository."""
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`", re.DOTALL)
_MENTION = re.compile(
    r"(?<![\w@/.`-])@(?P<login>[A-Za-z0-9](?:[A-Za-z0-9]|-(?=[A-Za-z0-9])){0,38}(?:_[A-Za-z0-9]{1,20})?)"
    r"(?![\w@/-]|\.\w)"
)
"""A login; those that a company manages end with an underscore and its short name."""
LOGIN = re.compile(r"[\w-]{1,100}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Account:
    """An account, as one record names it. Empty for one that was deleted."""

    login: str
    name: str = ""
    email: str = ""
    robot: bool = False
    stranger: bool = False
    """Whether it is known to have never committed to the repository."""


Naming = Callable[[Account], Person]
"""Tells the name and address by which git knows an account, as far as that can be known."""


def account(data: Json, *names: str) -> Account:
    """Return who a record's field names; ``author_association`` beside it is read as well."""
    return account_of(inner(data, *names), text(data, "author_association", "authorAssociation"))


def account_of(user: Json, association: str = "") -> Account:
    """Return the account that is described; ``association`` is how it belongs to the repository."""
    login = text(user, "login")
    kind = text(user, "type", "__typename")
    return Account(
        login=login,
        name=text(user, "name"),
        email=text(user, "email"),
        robot=kind == "Bot" or truth(user, "is_bot") or _ROBOTS.search(login) is not None,
        stranger=association in _STRANGERS,
    )


def plainly(who: Account) -> Person:
    """Name an account by what its own record says."""
    return (who.name or who.login, who.email) if who.login or who.name else NOBODY


def by_logins(known: Mapping[str, Person]) -> Naming:
    """Return a naming by the logins, in lower case, that commits or profiles told of."""

    def name(who: Account) -> Person:
        said = plainly(who)
        told = known.get(who.login.lower(), NOBODY)
        return told[0] or said[0], told[1] or said[1]

    return name


def mentioned(said: str) -> list[str]:
    """Return the logins that a text mentions, ``@kim``, outside of code; in order, once each."""
    return list(dict.fromkeys(match["login"] for match in _MENTION.finditer(_CODE.sub(" ", said))))


def with_names(said: str, name: Naming) -> str:
    """Return a text in which those it mentions are called by their names: ``@Kim Noor``."""
    names = {login: name(Account(login))[0] for login in mentioned(said)}
    if all(login == name for login, name in names.items()):
        return said

    def named(match: re.Match[str]) -> str:
        return f"@{names.get(match['login'], match['login'])}"

    pieces: list[str] = []
    end = 0
    for code in _CODE.finditer(said):
        pieces += [_MENTION.sub(named, said[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*pieces, _MENTION.sub(named, said[end:])])
