"""Pull requests and issues from exported JSON.

Read is what GitHub's command line prints (``gh pr list --json …``, ``gh issue list --json …``) and
what the REST API answers (``gh api …``): pull requests, issues, and beside them comments, reviews,
remarks on lines and events, in one list, several lists after another, or a record a line.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ....memory.records import Item, Repo
from ..contract import Contact, Offered, Page, SourceBroken, SourceRefused
from ..ticket import Person
from .accounts import account, account_of, by_logins
from .bundle import Bundle, Place, repository_of
from .fields import Json, as_list, as_object, inner, many, number, objects, text
from .issues import issue_item
from .place import GITHUB, placed
from .pulls import pull_item

LARGEST = 256 * 1024 * 1024
"""Bytes of an export; reading takes about five times as much memory."""
GROUP = 200
"""Items of a page."""
UNIT = "issues and pull requests"


class Export:
    """An export on disk."""

    def __init__(self, path: str, repository: str, repos: Sequence[Repo]) -> None:
        """``repository``: ``owner/name``, where the export itself does not tell."""
        self._path = Path(path)
        self._repository = repository
        self._repos = repos

    def contacts(self) -> tuple[Contact, ...]:
        """Return none."""
        return ()

    def discover(self) -> tuple[Offered, ...]:
        """Return the file. Raise SourceRefused, SourceBroken where nothing in it can be read."""
        found = Found(self._path.name)
        found.take(self._raw())
        if not found.bundles:
            raise _ended(found, self._path.name)
        return (Offered(str(self._path), True),)

    def fetch(self, cursor: str, should_stop: Callable[[], bool]) -> Iterator[Page]:
        """Yield what is in it, unless that very file was read; see Source."""
        raw = self._raw()
        stamp = hashlib.sha256(raw).hexdigest()
        was, _, place = cursor.partition(":")
        start = int(place) if was == stamp and place.isdigit() else 0
        found = Found(self._path.name)
        found.take(raw)
        del raw
        bundles = sorted(found.bundles.items(), key=lambda each: each[0])
        places = _Places(self._repository, self._repos, self._path.name)
        name = by_logins(found.people)
        for at in range(start, len(bundles), GROUP):
            if should_stop():
                return
            group = bundles[at : at + GROUP]
            items = tuple(self._item(bundle, places.of(key), name) for key, bundle in group)
            done = at + len(group)
            total = len(bundles)
            yield Page(items, (), f"{stamp}:{done}", done, total, UNIT, tuple(found.notes))
        if found.fault or not bundles:
            raise _ended(found, self._path.name)

    @staticmethod
    def _item(bundle: Bundle, place: Place, name: Callable[..., Person]) -> Item:
        return (pull_item if bundle.is_pull else issue_item)(bundle, place, name)

    def _raw(self) -> bytes:
        try:
            size = self._path.stat().st_size
            if size > LARGEST:
                raise SourceBroken(
                    f"{self._path.name} is too large: {size / 1e6:.0f} MB",
                    hint=f"export it in parts of at most {LARGEST // 1_000_000} MB",
                )
            return self._path.read_bytes()
        except OSError as error:
            raise SourceRefused(
                f"{self._path} can't be read: {error.strerror or error}",
                hint="is the file still there?",
            ) from error


def _ended(found: Found, file: str) -> SourceBroken:
    """Return why an export ends where it does, or holds nothing."""
    if found.fault:
        return SourceBroken(found.fault, hint="export it again")
    return SourceBroken(
        f"{file} holds neither pull requests nor issues",
        hint="gh pr list --state all --json … prints what is read here",
    )


class Found:
    """What an export holds, put together by what it belongs to."""

    def __init__(self, file: str) -> None:
        self.bundles: dict[tuple[str, str, int], Bundle] = defaultdict(Bundle)
        """By host, ``owner/name`` and number; host and name are empty where not told."""
        self.people: dict[str, Person] = {}
        """Names and addresses by login, in lower case."""
        self.notes: list[str] = []
        self.fault = ""
        """Why it was not read to its end."""
        self._file = file
        self._strays = 0

    def take(self, raw: bytes) -> None:
        """Sort all records in."""
        try:
            said = raw.decode(
                "utf-8-sig" if not raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-16"
            )
        except UnicodeDecodeError:
            self.fault = f"{self._file} is not UTF-8 text, so it is no JSON"
            return
        try:
            for value in values(said):
                for each in as_list(value) or [value]:  # pages in one list: --slurp
                    self._record(as_object(each))
        except ValueError as error:
            read = f" behind {len(self.bundles)} records" if self.bundles else ""
            self.fault = f"{self._file} is cut off, or no JSON{read}: {error}"
        if self._strays:
            self.notes.append(f"{self._strays} records are neither issues nor anything on one")
        alone = [key for key, bundle in self.bundles.items() if not bundle.data]
        for key in alone:
            del self.bundles[key]
        if alone:
            self.notes.append(
                f"comments on {len(alone)} issues or pull requests that are not in it are left out"
            )

    def _record(self, data: Json) -> None:
        for each in objects(data.get("items")):  # an answer of the search
            self._record(each)
        owner = text(data, "issue_url", "pull_request_url")
        event = text(data, "event")
        if number(data, "number") and ("title" in data or "body" in data):
            self._whole(data)
        elif owner:
            there = self._of(owner)
            if there is None:
                self._strays += 1
            elif "diff_hunk" in data or "original_line" in data:
                there.remarks.append(data)
            elif "submitted_at" in data:
                there.reviews.append(data)
            else:
                there.comments.append(data)
        elif event and number(inner(data, "issue"), "number"):
            issue = inner(data, "issue")
            self.bundles[(*repository_of(issue), number(issue, "number") or 0)].events.append(data)
        elif "items" not in data:
            self._strays += 1
        self._learn(data)

    def _of(self, address: str) -> Bundle | None:
        """Return what an API address ends with: ``https://HOST/repos/acme/shop/issues/482``."""
        before, _, path = address.partition("/repos/")
        parts = path.split("/")
        if len(parts) < 4 or not parts[3].isdigit():
            return None
        host = before.partition("://")[2].partition("/")[0].removeprefix("api.")
        return self.bundles[(host, f"{parts[0]}/{parts[1]}", int(parts[3]))]

    def _whole(self, data: Json) -> None:
        bundle = self.bundles[(*repository_of(data), number(data, "number") or 0)]
        # A pull request is listed among the issues too, and there with less.
        if "pull_request" not in data or not bundle.data:
            bundle.data = data
            bundle.take_nested()

    def _learn(self, data: Json) -> None:
        """Learn which login is whom, from profiles and from commits."""
        people = [inner(data, "user", "author"), *many(data, "assignees")]
        for commit in many(data, "commits"):
            people += many(commit, "authors")
        if inner(data, "commit") and inner(data, "author"):  # a commit of the REST API
            people.append(
                {**inner(inner(data, "commit"), "author"), "login": account(data, "author").login}
            )
        for each in people:
            who = account_of(each)
            if who.login and (who.name or who.email):
                before = self.people.get(who.login.lower(), ("", ""))
                self.people[who.login.lower()] = (who.name or before[0], who.email or before[1])


class _Places:
    """Tells where each record's repository is, here and there."""

    def __init__(self, repository: str, repos: Sequence[Repo], file: str) -> None:
        self._repository = repository
        self._repos = repos
        self._file = file
        self._known: dict[tuple[str, str], Place] = {}

    def of(self, key: tuple[str, str, int]) -> Place:
        """Return it. Raise SourceRefused where nothing tells the repository."""
        host, name = key[0] or GITHUB, key[1] or self._repository
        if not name:
            raise SourceRefused(
                f"{self._file} does not tell of which repository it is",
                hint="export the field url as well, or say it: --repo owner/name",
            )
        if (host, name) not in self._known:
            self._known[host, name] = placed([name], host, self._repos)
        return self._known[host, name]


def values(said: str) -> Iterator[object]:
    """Yield the JSON values of a text, one after another, and of a list each of its own.

    What comes before a fault is yielded first. Raise ValueError.
    """
    decoder = json.JSONDecoder()
    place, inside = _skip(said, 0), False
    while place < len(said):
        if not inside and said[place] == "[":
            place, inside = _skip(said, place + 1), True
        elif inside and said[place] in "],":
            inside = said[place] == ","
            place = _skip(said, place + 1)
        else:
            try:
                value, place = decoder.raw_decode(said, place)
            except RecursionError as error:
                raise ValueError("it is nested too deep") from error
            yield value
            place = _skip(said, place)
    if inside:
        raise ValueError("its list has no end")


def _skip(said: str, place: int) -> int:
    """Return where the next thing begins: behind blanks, and the mark that begins a record in
    JSON text sequences."""
    while place < len(said) and said[place] in " \t\r\n\x1e\ufeff":
        place += 1
    return place
