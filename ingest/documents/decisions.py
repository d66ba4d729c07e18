"""Decision records (ADRs) by their conventions: Nygard's, MADR's, and front matter."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .dates import day_of
from .front_matter import Fields
from .headings import plain_title

_FOLDER = re.compile(
    r"(?:^|/)(?:adrs?|(?:architecture[-_])?decisions?|(?:architecture[-_])?decision[-_]records?)/",
    re.IGNORECASE,
)
_NAME = re.compile(r"^(?:(adr)[-_ ]?)?(?!\d{4}-\d\d-\d\d)0*(\d{1,6})(?=[-_. ])", re.IGNORECASE)
_TITLE = re.compile(
    r"^(?:\[?adr[-\s#:]*0*(\d{1,6})\]?|0*(\d{1,6})(?=\s*[.:–—-]))\s*[.:–—-]*\s*(.*)$", re.IGNORECASE
)
_FIELD = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+|\|[ \t]*|:(?=\w))?[*_]{0,2}"
    r"(status|date|deciders|decision[- ]makers|authors?|supersedes|superseded[- ]by)"
    r"[*_]{0,2}[ \t]*(?:\||:)[*_]{0,2}[ \t]*(\S.*?)[ \t]*\|?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_STATUS_HEADING = re.compile(
    r"^(?:#{1,6}|={2,6})[ \t]*status[ \t]*#*[ \t]*$|^status[ \t]*\n[-=~^\"'*+]{3,}[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_NEXT_HEADING = re.compile(
    r"^(?:#{1,6}|={2,6})[ \t]+\S|^\S[^\n]*\n[-=~^\"'*+]{3,}[ \t]*$", re.MULTILINE
)
_SUPERSEDED = re.compile(r"\bsuper[sc]eded\b(?:[ \t]+by)?|\breplaced by\b", re.IGNORECASE)
_SUPERSEDES = re.compile(r"\bsuper[sc]edes\b|\breplaces\b", re.IGNORECASE)
_WORDS = (
    ("rejected", r"rejected|declined|withdrawn|abandoned"),
    ("deprecated", r"deprecated|obsolete|retired|no longer in use"),
    ("proposed", r"proposed|draft|pending|in review|under review|open|rfc\b"),
    ("accepted", r"accepted|approved|adopted|decided|implemented|done|active|final"),
)
_UNFILLED = re.compile(r"^\s*[{<\[][^()\n]*[|…]|\?\s*$|\w\s*\|\s*\w.*\|", re.MULTILINE)
"""A template's: ``{proposed | accepted}``."""
_LINK = re.compile(r"\[([^\]\n]*)\]\(<?([^)\s>]+)>?\)|`([^`<\n]*)<([^>\n]+)>`_")
_NUMBER = re.compile(
    r"\badr[-\s#:]*0*(\d{1,6})\b|(?<![\w.-])0*(\d{1,6})(?=\s*[.:–-]|\s*$|[-_])", re.IGNORECASE
)
_TOP = 8_000
"""Characters in which a record says what its state is."""


@dataclass(frozen=True, slots=True)
class Named:
    """Another record that one names: by its number, the path of its file, or both."""

    number: int | None
    path: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a decision record says of itself."""

    number: int | None
    title: str
    """``ADR 7: Redis for rate limits``."""
    state: str
    """``proposed``, ``accepted``, ``rejected``, ``deprecated``, ``superseded by ADR 12``; empty where
    it doesn't say."""
    date: int | None
    """Seconds."""
    people: tuple[str, ...]
    """Who decided."""
    supersedes: tuple[Named, ...]

    @property
    def key(self) -> str:
        """What people call it: ``ADR-7``."""
        return f"ADR-{self.number}" if self.number is not None else ""


def number_of(path: str) -> int | None:
    """Return the number that a decision record's file name begins with; None where it is none."""
    folder, _, name = path.rpartition("/")
    found = _NAME.match(name)
    if found is None or not (found[1] or _FOLDER.search(f"{folder}/")):
        return None
    return int(found[2])


def read(path: str, title: str, text: str, fields: Fields) -> Decision | None:
    """Return what a document says of itself where it is a decision record: by its folder or name
    together with a number or a status, or by its title."""
    titled = _TITLE.match(title.strip())
    calls_itself = titled is not None and bool(titled[1])
    number = number_of(path)
    top = text[:_TOP]
    given = {
        found[1].lower().replace(" ", "-"): found[2]
        for found in reversed(list(_FIELD.finditer(top)))
    }
    given |= {name: ", ".join(values) for name, values in fields.items()}
    said = _under_status(top) or given.get("status", "")
    by = given.get("superseded-by", "")
    state = _state(f"superseded by {by}" if by else said)
    in_folder = bool(_FOLDER.search(f"/{path.rpartition('/')[0]}/"))
    if not (calls_itself or number is not None or (in_folder and state)):
        return None
    if titled is not None:
        number = int(titled[1] or titled[2]) if calls_itself or number is not None else number
    bare = titled[3].strip() if titled is not None and titled[3].strip() else title.strip()
    return Decision(
        number=number,
        title=f"ADR {number}: {bare}" if number is not None else bare,
        state=state,
        date=day_of(given.get("date", ""), *_status_dates(said), path.rpartition("/")[2]),
        people=_names(given),
        supersedes=_supersedes(said, given.get("supersedes", "")),
    )


def _under_status(text: str) -> str:
    """Return what stands under the heading Status."""
    found = _STATUS_HEADING.search(text)
    if found is None:
        return ""
    rest = text[found.end() :]
    end = _NEXT_HEADING.search(rest)
    return rest[: end.start() if end else len(rest)].strip()


def _state(said: str) -> str:
    """Return the state that a status says, in the words that all records share."""
    if (found := _SUPERSEDED.search(said)) and not _UNFILLED.search(said):
        others = _others(said[found.end() :].split("\n", 1)[0])
        named = next((other.number for other in others if other.number is not None), None)
        return f"superseded by ADR {named}" if named is not None else "superseded"
    first = next((line for line in said.splitlines() if line.strip()), "")
    first = re.sub(r"~~.*?~~", "", first)  # struck out: it was that once
    said_first = [
        (word.start(), state)
        for state, words in _WORDS
        if (word := re.search(rf"\b(?:{words})", first, re.IGNORECASE))
    ]
    return min(said_first)[1] if said_first and not _UNFILLED.search(first) else ""


def _supersedes(said: str, given: str) -> tuple[Named, ...]:
    found = [*_others(given)]
    for line in said.splitlines():
        if verb := _SUPERSEDES.search(line):
            found += _others(line[verb.end() :])
    return tuple(dict.fromkeys(found))


def _others(text: str) -> list[Named]:
    """Return the records that some words name: links first, else numbers."""
    found: list[Named] = []
    for link in _LINK.finditer(text):
        words, path = link[1] or link[3] or "", (link[2] or link[4] or "").partition("#")[0]
        number = number_of(f"adr/{path.rpartition('/')[2]}")
        if number is None and (said := _NUMBER.search(plain_title(words))):
            number = int(said[1] or said[2])
        found.append(Named(number, path if "://" not in path else ""))
    if not found:
        for each in _NUMBER.finditer(text.strip()):
            found.append(Named(int(each[1] or each[2])))
    return found


def _status_dates(said: str) -> list[str]:
    """``Accepted (2026-03-12)``."""
    return [line for line in said.splitlines() if not _SUPERSEDED.search(line)]


def _names(given: dict[str, str]) -> tuple[str, ...]:
    names: list[str] = []
    for field in ("deciders", "decision-makers", "author", "authors"):
        for name in re.split(r",|;|\band\b|&", plain_title(given.get(field, ""))):
            name = name.strip(" @.")
            if name and len(name) < 60 and not name.startswith(("{", "<")) and name not in names:
                names.append(name)
    return tuple(names)
