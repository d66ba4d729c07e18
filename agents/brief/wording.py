"""Words for facts: counts, lists, titles, none longer than a line can hold."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..subjects import past_clause
from .records import Reference

MOST = 200
"""Characters of a fact's sentence."""
USUAL = 120
"""Characters that a sentence has where names and titles can be left out to keep to it."""
FILES = 60
"""Characters for the files that a sentence names."""
TITLE = 90
_LEAST_TITLE = 30
"""Characters of a title below which it says nothing any more."""
_PULL = re.compile(r"\s*\((?:[\w.-]+/[\w.-]+)?[#!]\d+\)$")
_KEYS = re.compile(
    r"[\s,;.(-]+(?:(?:this\s+)?(?:closes?|closed|fix(?:es|ed)?|resolves?d?|refs?|see|part of)[\s:]+)?"
    r"[#!]\d+(?:(?:\s*,\s*|\s+and\s+)[#!]\d+)*\)?\.?$",
    re.IGNORECASE,
)
"""Tickets at the end: they are among the references."""
_DANGLING = re.compile(r"\s(?:in|of|from|for|to|on|with|by|since|after|before|and|than|as)$")
_KEY_FIRST = re.compile(
    r"^(?:\[[A-Z][A-Z0-9]{1,9}-\d{1,6}\]:?|[A-Z][A-Z0-9]{1,9}-\d{1,6}:|\[?#\d{1,7}\]?:?)[\s-]+(?=\S)"
)
_PREFIX = re.compile(r"^(?:[a-z]{2,12}(?:\([^)]{1,40}\))?!?: +|\[[^\]]{1,30}\] *|:[a-z_]+: *)+")
_EMPTY = re.compile(
    r"^(?:wip|fix(?:es|ed)?|updates?d?|changes?d?|stuff|misc|tmp|temp|test(?:s|ing)?|typos?|cleanup"
    r"|clean up|more|minor|work|save|checkpoint|small fix(?:es)?|fix tests?|fix typos?|lint|format"
    r"|black|ruff|isort|mypy|flake8|run black|apply black|ran black|prettier|bump|pr feedback|review(?: comments)?|address(?: review)?(?: comments| feedback)?|nit|oops|\W*)"
    r"(?:\s+\d+)?$",
    re.IGNORECASE,
)


_RELEASE = re.compile(
    r"^(?:(?:bump|prepare|cut|update)\s+(?:the\s+)?)?"
    r"(?:(?:new\s+)?(?:version|release)\s*:?\s*(?:to\s+|of\s+)?)?"
    r"v?(?P<number>\d+\.\d+(?:\.\d+)*(?:[.-]?(?:a|b|rc|alpha|beta|post)[.-]?\d*)?)"
    r"(?:\s+release)?$",
    re.IGNORECASE,
)
"""A subject that says no more than which version it makes: ``Version 0.42.0``, ``v2.1rc1``."""


def says_little(subject: str) -> bool:
    """Say whether a subject does not tell what was done: ``wip``, ``fix``, ``more``."""
    bare = bare_title(subject).strip(" .!")
    return bool(_EMPTY.match(bare)) or subject.lower().startswith(("wip:", "wip ", "[wip]"))


def bare_title(subject: str) -> str:
    """Return a subject without what stands before and behind it: type, scope, pull request."""
    bare = _PREFIX.sub("", _without_keys(subject.strip())).strip()
    return bare or subject.strip()


def _without_keys(title: str) -> str:
    title = _KEY_FIRST.sub("", title) or title
    while (shorter := _KEYS.sub("", _PULL.sub("", title))) != title and shorter:
        if _DANGLING.search(shorter):  # "fix the tests that broke in #1096"
            break
        title = shorter
    return title.rstrip(" .")


def clause_of(subject: str) -> str:
    """Return what was done, as a clause in the past: ``added retries``; else the title, quoted."""
    title = _without_keys(subject.strip())
    if release := _RELEASE.match(bare_title(title)):
        return f"released {release['number']}"
    clause = past_clause(title)
    if clause is not None and len(clause) <= TITLE:
        return clause
    return quoted(title)


def quoted(subject: str, most: int = TITLE) -> str:
    """Return a title in quotation marks, cut at a word where it is long."""
    return f"“{cut(bare_title(subject), most)}”"


def cut(text: str, most: int) -> str:
    """Return text of at most so many characters, cut between words."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    head = text[: most - 2].rpartition(" ")[0] or text[: most - 2]
    open_quote = head.count("“") > head.count("”")
    return head.rstrip(" ,;:.-–(") + ("…”" if open_quote else "…")


def listed(items: Sequence[str], most: int = 3) -> str:
    """Return ``a, b and c``, or ``a, b and 4 more``."""
    if len(items) > most:
        shown = [*items[: most - 1], f"{len(items) - most + 1} more"]
    else:
        shown = list(items)
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def files_within(paths: Sequence[str], room: int = FILES, most: int = 3) -> str:
    """Return as many files as have room, at least one, and how many more; of those in one folder
    only the first has it: ``queue/retry.py, send.py and 2 more``."""
    names = [
        path.rpartition("/")[2] if place and _folder(path) == _folder(paths[place - 1]) else path
        for place, path in enumerate(paths)
    ]
    text = ""
    for number in range(min(most, len(names)), 0, -1):
        left = len(names) - number
        text = listed([*names[:number], *([f"{left} more"] if left else [])], most + 1)
        if len(text) <= room:
            break
    return text


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def with_title(text: str, subject: str) -> str:
    """Return a sentence with a title behind it, as far as there is room for one."""
    room = USUAL - len(text) - len(": “”")
    return f"{text}: {quoted(subject, room)}" if room >= _LEAST_TITLE else text


def counted(number: int, word: str, many: str = "") -> str:
    """Return ``1 commit``, ``4 commits``."""
    return f"{number:,} {word if number == 1 else many or word + 's'}"


def lines(added: int, removed: int) -> str:
    """Return ``+210 −34``; empty if nothing was counted."""
    parts = [f"+{added:,}" if added else "", f"−{removed:,}" if removed else ""]
    return " ".join(part for part in parts if part)


def commit_ref(sha: str) -> Reference:
    """A reference to a commit."""
    return Reference("commit", sha[:7], sha)


def path_ref(path: str) -> Reference:
    """A reference to a file."""
    return Reference("path", path)
