"""Tickets by Linear's API: what changed since the last time, and what was said since."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from ....memory.records import Item
from ..contract import Contact, Offered, Page, SourceBroken, SourceRefused
from ..github.fields import Json, as_list, inner, many, text, truth
from .api import Api, Stopped
from .options import API
from .queries import ISSUES, MORE_COMMENTS, MORE_HISTORY, PAGE, TALKED_OF, TEAMS
from .tickets import read, ref_of

MOST_PAGES = 50
"""Of comments or changes of one ticket, and of teams."""


@dataclass
class Cursor:
    """Where a sync is. Times are Linear's own, as it writes them: they order as text."""

    tickets: str = ""
    """Tickets that changed from then on are not known yet."""
    comments: str = ""
    """The same of comments."""
    newest: str = ""
    """The latest change that this sweep has seen: the next one begins there."""
    after: str = ""
    """Where the sweep is; empty at its beginning."""
    swept: bool = False
    """Whether tickets are done and comments are next."""

    @classmethod
    def load(cls, text: str) -> Cursor:
        """Return what `dump` wrote; a new one for anything else."""
        try:
            return cls(**json.loads(text)) if text else cls()
        except (ValueError, TypeError):
            return cls()

    def dump(self) -> str:
        """Return it as text."""
        return json.dumps(asdict(self))


class Linear:
    """One workspace, or one team of it."""

    def __init__(
        self, url: str, team: str, token: str | None, *, pauses: tuple[float, ...] | None = None
    ) -> None:
        self._url = url or API
        self._team = team
        self._token = token
        self._pauses: dict[str, Any] = {} if pauses is None else {"pauses": pauses}

    def contacts(self) -> tuple[Contact, ...]:
        """Return the host of the API."""
        host = urlsplit(self._url).hostname or self._url
        what = f"tickets of {self._team}" if self._team else "tickets of all public teams"
        return (Contact(host, f"{what}, with their comments and changes"),)

    def discover(self) -> tuple[Offered, ...]:
        """Return the teams. Raise SourceRefused if the one that is wanted is not among them, or as
        the API does."""
        with closing(self._api()) as api:
            teams = [team for page in self._pages(api, "Teams", TEAMS, {}) for team in page]
        if self._team and not any(text(team, "key") == self._team for team in teams):
            known = ", ".join(sorted(text(team, "key") for team in teams))
            raise SourceRefused(
                f"there is no team {self._team} that this token may see",
                hint=f"teams: {known}" if known else "this token sees no team",
            )
        return tuple(self._offered(team) for team in teams)

    def _offered(self, team: Json) -> Offered:
        key, name = text(team, "key"), text(team, "name")
        wanted = key == self._team if self._team else not truth(team, "private")
        why = (
            ""
            if wanted
            else "not asked for"
            if self._team
            else "a private team: name it to read it"
        )
        return Offered(f"{key} ({name})" if name else key, wanted, why)

    def fetch(self, cursor: str, should_stop: Callable[[], bool]) -> Iterator[Page]:
        """Yield tickets that changed, then those on which something was said. Raise as the API."""
        place = Cursor.load(cursor)
        with closing(self._api(should_stop)) as api:
            try:
                if not place.swept:
                    yield from self._tickets(api, place)
                yield from self._talked_of(api, place)
            except Stopped:
                return

    def _tickets(self, api: Api, place: Cursor) -> Iterator[Page]:
        """Sweep through what changed, newest first. What changes meanwhile comes to the front, and
        is later than the newest of this sweep: the next one has it."""
        done = 0
        since = {"updatedAt": {"gte": place.tickets}} if place.tickets else {}
        while True:
            variables = {"filter": self._filter() | since, "after": place.after or None}
            listed = inner(api.ask("Issues", ISSUES, variables), "issues")
            nodes = many(listed, "nodes")
            place.newest = max([place.newest, *(text(node, "updatedAt") for node in nodes)])
            page = self._page(api, nodes)
            place.after = _following(listed)
            if not place.after:
                place.tickets, place.newest, place.swept = place.newest or place.tickets, "", True
                if not place.comments:  # all that was said came with the tickets
                    place.comments = place.tickets
            done += len(nodes)
            yield Page(**page, cursor=place.dump(), done=done, unit="tickets")
            if place.swept:
                return

    def _talked_of(self, api: Api, place: Cursor) -> Iterator[Page]:
        """Read tickets again on which something was said or edited: that is not always a change of
        the ticket."""
        found: dict[str, None] = {}
        newest = place.comments
        if place.comments:
            said = {"updatedAt": {"gt": place.comments}, "issue": self._filter()}
            for nodes in self._pages(api, "TalkedOf", TALKED_OF, {"filter": said}):
                newest = max([newest, *(text(node, "updatedAt") for node in nodes)])
                found |= {id: None for node in nodes if (id := text(inner(node, "issue"), "id"))}
        ids = list(found)
        for start in range(0, len(ids), PAGE):
            wanted = {"filter": {"id": {"in": ids[start : start + PAGE]}}, "after": None}
            listed = inner(api.ask("Issues", ISSUES, wanted), "issues")
            yield Page(
                **self._page(api, many(listed, "nodes")),
                done=min(start + PAGE, len(ids)),
                total=len(ids),
                unit="tickets",
            )
        place.comments, place.swept = newest, False
        yield Page(cursor=place.dump(), done=len(ids), total=len(ids), unit="tickets")

    def _page(self, api: Api, nodes: list[Json]) -> dict[str, Any]:
        items: list[Item] = []
        gone: list[str] = []
        notes: list[str] = []
        for node in nodes:
            gone += [ref_of(key) for key in _former(node)]
            if truth(node, "trashed"):
                gone.append(ref_of(text(node, "identifier")))
                continue
            comments = self._all(api, node, "comments", "MoreComments", MORE_COMMENTS)
            history = self._all(api, node, "history", "MoreHistory", MORE_HISTORY)
            item = read(node, comments, history)
            if item is None:
                notes.append("a ticket without a key or a date")
            else:
                items.append(item)
        return {"items": tuple(items), "gone": tuple(gone), "notes": tuple(notes)}

    def _all(self, api: Api, issue: Json, part: str, name: str, query: str) -> list[Json]:
        """Return all of what a ticket has a first page of."""
        listed = inner(issue, part)
        found = many(listed, "nodes")
        for _ in range(MOST_PAGES):
            after = _following(listed)
            if not after:
                break
            variables = {"id": text(issue, "id"), "after": after}
            listed = inner(inner(api.ask(name, query, variables), "issue"), part)
            found += many(listed, "nodes")
        return found

    def _pages(
        self, api: Api, name: str, query: str, variables: dict[str, Any]
    ) -> Iterator[list[Json]]:
        after = ""
        for _ in range(100 * MOST_PAGES):
            data = api.ask(name, query, variables | {"after": after or None})
            listed = inner(data, "teams", "comments")
            yield many(listed, "nodes")
            after = _following(listed)
            if not after:
                return
        raise SourceBroken("a list of Linear does not end")

    def _filter(self) -> dict[str, Any]:
        """Return which tickets are meant: of a private team only if it is named."""
        return {"team": {"key": {"eq": self._team}} if self._team else {"private": {"eq": False}}}

    def _api(self, should_stop: Callable[[], bool] = lambda: False) -> Api:
        return Api(self._url, self._token, should_stop, **self._pauses)


def _following(listed: Json) -> str:
    info = inner(listed, "pageInfo")
    return text(info, "endCursor") if truth(info, "hasNextPage") else ""


def _former(node: Json) -> list[str]:
    return [key for key in as_list(node.get("previousIdentifiers")) if isinstance(key, str) and key]
