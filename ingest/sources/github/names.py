"""By which names git knows the accounts that wrote something."""

from __future__ import annotations

from ..ticket import NOBODY, Person
from .accounts import LOGIN, Account, plainly
from .api import Api, Forbidden, Gone
from .fields import as_object, inner, objects, text

MOST_ASKED = 200
"""Accounts that are looked up in one sync; others are called by their logins."""


class Names:
    """Looks each account up once: in the repository's commits, else in its profile.

    An account that never committed there keeps its login, which is all that its notes show.
    """

    def __init__(self, api: Api, repository: str) -> None:
        self._api = api
        self._repository = repository
        self._found: dict[str, Person] = {}

    def __call__(self, who: Account) -> Person:
        """Return an account's name and address; the address is empty where none is known."""
        login = who.login
        if not LOGIN.fullmatch(login) or who.robot or who.stranger:
            return plainly(who)
        key = login.lower()
        if key not in self._found:
            if len(self._found) >= MOST_ASKED:
                return plainly(who)
            self._found[key] = self._committer(login) or self._profile(login)
        name, email = self._found[key]
        said = plainly(who)
        return name or said[0], email or said[1]

    def _committer(self, login: str) -> Person | None:
        try:
            answer = self._api.get(
                f"/repos/{self._repository}/commits", {"author": login, "per_page": 1}
            )
        except (Gone, Forbidden):
            return None
        for data in objects(answer.value):
            author = inner(inner(data, "commit"), "author")
            if text(author, "name"):
                return text(author, "name"), text(author, "email")
        return None

    def _profile(self, login: str) -> Person:
        try:
            data = as_object(self._api.get(f"/users/{login}").value)
        except (Gone, Forbidden):
            return NOBODY
        return text(data, "name"), text(data, "email")
