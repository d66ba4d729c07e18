"""Pull requests and issues of a repository on GitHub, by its REST API.

Everything is listed in the order of its last change, oldest first, so a sync that ends in the middle
goes on where it was; and what changes meanwhile comes once more at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from urllib.parse import urlsplit

from ....memory.records import Item, Repo
from ..contract import Contact, Offered, Page, SourceRefused
from .api import PAUSES, Answer, Api, Forbidden, Gone, Stopped
from .bundle import Place
from .cursor import Cursor
from .fields import Json, as_object, moment, number, objects, seconds, text
from .names import Names
from .place import API, host_of, name_of, placed
from .reading import Reader

GROUP = 20
"""Items of a page: as many are fetched again after a kill."""
OVERLAP = 120
"""Seconds before the last known change that are listed once more: a change is listed a little after
the time that it bears."""
SWEEP_SECONDS = 7 * 86_400
"""What was deleted is in no list; as often it is looked for what is missing."""
MOST_MISSED = 200
"""Missing ones that are asked for in one sweep."""
UNIT = "issues and pull requests"
_SCOPES = (
    "a fine-grained token needs Metadata, Issues and Pull requests: read (Contents, Checks and Commit"
    " statuses: read for names and checks); a classic one needs repo, or nothing for public ones"
)


class GitHub:
    """A repository on GitHub."""

    def __init__(
        self,
        repository: str,
        token: str | None,
        repos: Sequence[Repo],
        *,
        url: str = API,
        pauses: tuple[float, ...] = PAUSES,
    ) -> None:
        """``repository``: ``owner/name``; ``repos``: the local ones that it may be."""
        self._repository = repository
        self._token = token
        self._repos = repos
        self._url = url
        self._pauses = pauses

    def contacts(self) -> tuple[Contact, ...]:
        """Return the API's host."""
        host = urlsplit(self._url).hostname or self._url
        return (Contact(host, f"pull requests and issues of {self._repository}"),)

    def discover(self) -> tuple[Offered, ...]:
        """Return the repository, by the name that it has now."""
        api = self._api(lambda: False)
        try:
            return (Offered(text(self._look(api), "full_name") or self._repository, True),)
        finally:
            api.close()

    def fetch(self, cursor: str, should_stop: Callable[[], bool]) -> Iterator[Page]:
        """Yield what is new, changed or gone; see Source."""
        api = self._api(should_stop)
        try:
            yield from self._fetch(api, Cursor.read(cursor))
        except Stopped:
            return
        except Forbidden as error:
            raise self._forbidden(error) from error
        except Gone as error:
            raise SourceRefused(
                f"the issues of {self._repository} can't be listed (HTTP {error.status})",
                hint=_SCOPES,
            ) from error
        finally:
            api.close()

    def _api(self, should_stop: Callable[[], bool]) -> Api:
        return Api(self._url, self._token, should_stop, pauses=self._pauses)

    def _look(self, api: Api) -> Json:
        """Return what is said of the repository."""
        try:
            return as_object(api.get(f"/repos/{self._repository}").value)
        except Gone as error:
            raise SourceRefused(
                f"there is no repository {self._repository}, or the token may not see it",
                hint=_SCOPES,
            ) from error
        except Forbidden as error:
            raise self._forbidden(error) from error

    def _forbidden(self, error: Forbidden) -> SourceRefused:
        said = f": {error.said}" if error.said else ""
        return SourceRefused(f"the token may not read {self._repository}{said}", hint=_SCOPES)

    def _fetch(self, api: Api, cursor: Cursor) -> Iterator[Page]:
        about = self._look(api)
        name = name_of(text(about, "full_name"))[1] or self._repository
        host = urlsplit(text(about, "html_url")).hostname or host_of(self._url)
        place = placed([name, self._repository], host, self._repos)
        if cursor.repository and cursor.repository != name:
            old = Place(cursor.repository)
            gone = tuple(old.ref(which) for which in sorted(cursor.known))
            cursor = Cursor(repository=name)
            yield Page(gone=gone, cursor=cursor.written())
        cursor.repository = name
        yield from _Sync(api, Reader(api, place, Names(api, name)), cursor).pages()


class _Sync:
    """One sync of one repository."""

    def __init__(self, api: Api, reader: Reader, cursor: Cursor) -> None:
        self._api = api
        self._reader = reader
        self._place = reader.place
        self._base = f"/repos/{reader.place.name}"
        self._cursor = cursor
        self._done = 0
        self._total: int | None = None
        self._read: set[int] = set()

    def pages(self) -> Iterator[Page]:
        cursor = self._cursor
        began = _written(self._api.now)
        if not cursor.whole:
            self._total = self._newest_number()
            self._done = len(cursor.known)
            for kind in ("issues", "pulls"):
                cursor.edits.setdefault(kind, began)
        yield from self._changed()
        if not cursor.whole:
            cursor.whole, cursor.swept = True, int(self._api.now)
            yield self._page()
        yield from self._edited()
        yield from self._checked()
        if self._api.now - cursor.swept > SWEEP_SECONDS:
            yield from self._swept()

    def _newest_number(self) -> int | None:
        """Return about how many there are: the number of the newest."""
        query: dict[str, str | int] = {
            "state": "all",
            "sort": "created",
            "direction": "desc",
            "per_page": 1,
        }
        newest = objects(self._api.get(f"{self._base}/issues", query).value)
        return number(newest[0], "number") if newest else None

    def _changed(self) -> Iterator[Page]:
        """Bring what changed since, oldest first.

        The next list always begins at the last change that was seen: pages by number would skip what
        moves to the end meanwhile. Only where a whole page changed at one moment its next is asked
        for.
        """
        first = since = _earlier(self._cursor.since, OVERLAP)
        etag, following = self._cursor.etag, ""
        while True:
            answer = self._list(since, following, etag)
            if answer.unchanged:
                return
            listed = objects(answer.value)
            fresh = [each for each in listed if self._is_fresh(each)]
            for place in range(0, len(fresh), GROUP):
                yield self._group(fresh[place : place + GROUP])
            if not answer.following:
                break
            onward = _earlier(_changed_at(listed[-1]), 1) if listed else ""
            etag, following = "", "" if onward > since else answer.following
            since = max(since, onward)
        # The next sync begins with this same list, if nothing was new in it.
        same = not following and since == first == _earlier(self._cursor.since, OVERLAP)
        if same and answer.etag != self._cursor.etag:
            self._cursor.etag = answer.etag
            yield self._page()

    def _list(self, since: str, following: str, etag: str) -> Answer:
        if following:
            return self._api.get(following)
        query: dict[str, str | int] = {
            "state": "all",
            "sort": "updated",
            "direction": "asc",
            "per_page": 100,
        }
        return self._api.get(
            f"{self._base}/issues", query | ({"since": since} if since else {}), etag=etag
        )

    def _is_fresh(self, listed: Json) -> bool:
        which = number(listed, "number")
        return which is not None and self._cursor.recent.get(which) != _changed_at(listed)

    def _group(self, listed: Sequence[Json]) -> Page:
        """Fetch some of a list, and note that they were."""
        self._api.rest()
        cursor, gone, items = self._cursor, list[str](), list[Item]()
        for each in listed:
            which = number(each, "number") or 0
            items += self._fetched(which, each, gone)
            cursor.recent[which] = _changed_at(each)
            cursor.since = max(cursor.since, _changed_at(each))
        edge = _earlier(cursor.since, OVERLAP)
        cursor.recent = {n: at for n, at in cursor.recent.items() if at >= edge}
        cursor.etag = ""
        return self._page(items, gone)

    def _fetched(self, which: int, listed: Json | None, gone: list[str]) -> list[Item]:
        """Return an issue or pull request as it is now, or none, and then it is ``gone``."""
        cursor = self._cursor
        found = self._reader.item(listed) if listed is not None else None
        cursor.watch(which, found[1] if found is not None else None)
        self._read.add(which)
        if found is None:
            gone.append(self._place.ref(which))
            cursor.known.discard(which)
            return []
        cursor.known.add(which)
        self._done += 1
        return [found[0]]

    def _page(self, items: Sequence[Item] = (), gone: Sequence[str] = ()) -> Page:
        total = None if self._total is None else max(self._total, self._done)
        return Page(
            items=tuple(items),
            gone=tuple(gone),
            cursor=self._cursor.written(),
            done=self._done,
            total=total,
            unit=UNIT,
            notes=tuple(self._reader.notes),
        )

    def _again(self, numbers: Sequence[int]) -> Iterator[Page]:
        """Bring what a list of changes does not tell of."""
        waiting = [each for each in dict.fromkeys(numbers) if each not in self._read]
        for place in range(0, len(waiting), GROUP):
            self._api.rest()
            gone, items = list[str](), list[Item]()
            for which in waiting[place : place + GROUP]:
                items += self._fetched(which, self._reader.listed(which), gone)
            yield self._page(items, gone)

    def _edited(self) -> Iterator[Page]:
        """Bring what has comments that were edited: that is no change of the issue itself."""
        for kind in ("issues", "pulls"):
            since = self._cursor.edits.get(kind, "")
            query: dict[str, str | int] = {"sort": "updated", "direction": "asc", "per_page": 100}
            query |= {"since": since} if since else {}
            newest, numbers = "", list[int]()
            for page in self._api.pages(f"{self._base}/{kind}/comments", query):
                numbers += [which for each in page if (which := _issue_of(each))]
                newest = max([newest, *(_changed_at(each) for each in page)])
            yield from self._again(numbers)
            if newest:
                safe = _written(self._api.now - OVERLAP)
                self._cursor.edits[kind] = max(since, min(_earlier(newest, -1), safe))
                yield self._page()

    def _checked(self) -> Iterator[Page]:
        """Bring open pull requests whose checks have come to something else."""
        watched = [
            which
            for which, each in self._cursor.watched.items()
            if which not in self._read and not self._reader.unchanged(each)
        ]
        yield from self._again(watched)

    def _swept(self) -> Iterator[Page]:
        """Find what was deleted, or moved to another repository: it is listed no more."""
        query: dict[str, str | int] = {
            "state": "all",
            "sort": "created",
            "direction": "asc",
            "per_page": 100,
        }
        there: set[int] = set()
        for page in self._api.pages(f"{self._base}/issues", query):
            there.update(which for each in page if (which := number(each, "number")) is not None)
        missing = sorted(self._cursor.known - there)[:MOST_MISSED]
        gone = [which for which in missing if self._reader.listed(which) is None]
        self._cursor.known.difference_update(gone)
        self._cursor.swept = int(self._api.now)
        yield self._page(gone=[self._place.ref(which) for which in gone])


def _changed_at(listed: Json) -> str:
    return _written(moment(listed, "updated_at") or 0)


def _written(at: float) -> str:
    """Return a time in GitHub's way: ``2026-03-12T10:04:11Z``."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _earlier(said: str, by: int) -> str:
    at = seconds(said)
    return "" if at is None else _written(max(at - by, 0))


def _issue_of(comment: Json) -> int:
    """Return the number of what a comment is on, by the end of its address."""
    last = text(comment, "issue_url", "pull_request_url").rpartition("/")[2]
    return int(last) if last.isascii() and last.isdigit() else 0
