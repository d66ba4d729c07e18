"""What a text names that memory may know: tickets, pull requests, commits, discussions, files, tests.

Names are read by their form alone. Whether there is such a thing is found out where a link is
followed, so a name of nothing costs a row and misleads nobody.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from ..memory.authority import RECORD
from ..memory.records import Link, LinkKind
from .git.branch_names import ticket_of
from .git.tickets import tickets

MOST = 60
"""Links kept of one text; a report that lists hundreds says little about each."""

_URL = re.compile(r"https?://[^\s<>|\"'`\])}]+")
_THERE = re.compile(
    r"(?<![\w.\-/])(?P<place>[A-Za-z\d][\w.\-]*/[\w.\-]+)#(?P<number>[1-9]\d{0,6})(?![\w\-])"
)
"""``owner/name#482``."""
_SHA = re.compile(
    r"(?<![\w#\-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f]|\d{40})[0-9a-f]{7,40}(?![\w\-@])(?!\.\w)"
)
_TEST = re.compile(
    r"(?<![\w/.\-])(?P<path>(?:[\w.@+\-]+/)*[\w.\-]+\.\w{1,4})"
    r"(?:::[A-Za-z_]\w*(?:\[[^\]\s]{1,200}\])?)+"
)
_PATH = re.compile(r"(?<![\w/.@\-])(?:\./)?(?:[\w.@+\-]+/)*[\w.@+\-]*[\w+\-]")
_FILE = re.compile(r"\.?[\w@+\-]+/(?:[\w.@+\-]+/)*[\w.@+\-]*[\w+\-]\.[a-z]\w{0,7}")
"""A path that can be nothing else: it lies in a folder, and its name has an ending."""
_BRANCH = re.compile(r"(?<![\w/.:@\-])[A-Za-z][\w.\-]*(?:/[\w.\-]*[\w])+(?![\w/])")
_MERGED = re.compile(
    r"^Merged? (?:remote-tracking )?(?P<what>branch|pull request \S+ from) '?(?P<branch>[^\s']+)"
)
_RECORD_FILE = re.compile(
    r"(?:^|/)(?:(?:[\w\-]*-)?adrs?|(?:[\w\-]*-)?decisions?|decision-records?)/"
    r"(?:adr[_\-]?)?0*(?P<number>[1-9]\d{0,3})[_\-. ][^/]*$",
    re.IGNORECASE,
)
_STAMP = re.compile(r"p(\d{10})(\d{6})")


@dataclass(frozen=True, slots=True)
class Mentioned:
    """What a text names."""

    tickets: tuple[str, ...] = ()
    """``#482``, ``ENG-17``, ``ADR-7``, in order and once each."""
    links: tuple[Link, ...] = ()


def mentions(text: str, *, home: str = "", paths: Collection[str] = ()) -> Mentioned:
    """Return what a text names.

    ``home``: the repository on GitHub that it is from (``owner/name``), whose numbers need no
    name in front. ``paths``: those of ``paths_in`` that are files of the repository; others count
    where their form leaves no doubt.
    """
    found = _Found(home.casefold())
    rest = _URL.sub(lambda match: found.url(match[0].rstrip(".,;:!?")), text)
    rest = _THERE.sub(lambda match: found.there(match["place"], match["number"]), rest)
    for match in _TEST.finditer(rest):
        found.add(LinkKind.TEST, match[0])
    for path in _paths(rest):
        if path in paths or _FILE.fullmatch(path):
            found.add(LinkKind.PATH, path)
        if (key := record_key(path)) is not None:
            found.keys.append(key)
    for match in _BRANCH.finditer(rest):
        branch = match[0]
        is_file = branch in paths or _FILE.fullmatch(branch)
        key = ticket_of(branch) if "-" in branch and not is_file else None
        if key is not None and not key.startswith("#"):
            found.add(LinkKind.BRANCH, branch)
            found.keys.append(key)
    for match in _SHA.finditer(rest):
        found.add(LinkKind.COMMIT, match[0])
    found.keys += (f"ADR-{match['number']}" for match in RECORD.finditer(rest))
    keys = dict.fromkeys([*tickets(rest), *found.keys])
    return Mentioned(tuple(keys)[:MOST], tuple(dict.fromkeys(found.links))[:MOST])


def mentions_of_commit(message: str) -> Mentioned:
    """Return what a commit's message names. Files are left to what it changes."""
    merged = _MERGED.match(message)
    rest = message if merged is None else f"{merged['what']} {message[merged.end() :]}"
    said = mentions(rest) if _worth_reading(rest) else Mentioned(tickets(rest))
    if merged is None:
        return said
    branch = merged["branch"]
    if merged["what"] != "branch":
        branch = branch.partition("/")[2] or branch  # sam/retry: of the fork or organisation sam
    key = ticket_of(branch)
    known = said.tickets if key is None or key.startswith("#") else (*said.tickets, key)
    links = dict.fromkeys((Link(LinkKind.BRANCH, branch), *said.links))
    return Mentioned(tuple(dict.fromkeys(known)), tuple(links))


def paths_in(text: str) -> set[str]:
    """Return the words of a text that may be files' paths, as a repository calls them."""
    rest = _URL.sub(lambda match: f" {_path_of_url(match[0])} ", text)
    return set(_paths(rest))


def record_key(path: str) -> str | None:
    """Return what people call the decision record at a path: ``docs/adr/0007-redis.md`` is
    ``ADR-7``."""
    match = _RECORD_FILE.search(path)
    return None if match is None else f"ADR-{match['number']}"


def _worth_reading(message: str) -> bool:
    """Whether it may name more than tickets; most messages of a long history don't."""
    return (
        "/" in message
        or "adr" in message
        or "ADR" in message
        or "::" in message
        or _SHA.search(message) is not None
    )


def _paths(text: str) -> Iterator[str]:
    for match in _PATH.finditer(text):
        path = match[0].removeprefix("./")
        if "/" in path or "." in path[1:-1]:
            yield path


def _path_of_url(url: str) -> str:
    """Return the file that an address of a repository's page shows, if any."""
    try:
        path = urlsplit(url).path
    except ValueError:  # brackets that hold no address
        return ""
    _, marker, rest = path.partition("/blob/")
    return rest.partition("/")[2] if marker else ""


class _Found:
    """What was found so far."""

    def __init__(self, home: str) -> None:
        self._home = home
        self.keys: list[str] = []
        self.links: list[Link] = []

    def add(self, kind: LinkKind, target: str) -> None:
        """Note where the text leads to."""
        self.links.append(Link(kind, target))

    def there(self, place: str, number: str) -> str:
        """Note a number of a repository that is named; return what is left of the text there."""
        if place.casefold() != self._home:
            self.add(LinkKind.ITEM, f"github:{place}#{number}")
        if self._home in ("", place.casefold()):
            self.keys.append(f"#{number}")
        return " "

    def url(self, address: str) -> str:
        """Note what an address leads to; return what is left of the text in its place."""
        try:
            split = urlsplit(address)
            asked = parse_qs(split.query)
        except ValueError:  # brackets that hold no address
            return " "
        match [part for part in split.path.split("/") if part]:
            case [owner, name, "pull" | "issues", number, *_] if number.isdecimal():
                return self.there(f"{owner}/{name}", number.lstrip("0"))
            case [*_, "commit" | "commits", sha] if _SHA.fullmatch(sha):
                return f" {sha} "
            case [_, _, "blob", _, *_]:
                return f" {_path_of_url(address)} "
            case ["archives", channel, message, *_] if stamp := _STAMP.fullmatch(message):
                began = asked.get("thread_ts", [f"{stamp[1]}.{stamp[2]}"])[0]
                self.add(LinkKind.ITEM, f"slack:{channel}/{began}")
            case [*_, "issue" | "browse", key] | [*_, "issue", key, _]:
                self.keys += tickets(key.upper())
            case [*_, "issues" | "merge_requests" | "pull-requests", number]:
                self.keys += tickets(f"#{number}")
            case _:
                pass
        return " "
