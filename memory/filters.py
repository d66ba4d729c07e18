"""Filters as a condition in the store's SQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from .records import Filters

REFS_IN_SQL = 1_000
"""Up to so many commits are named in the condition; more are sifted from a longer list."""


def quoted(text: str) -> str:
    """Return ``text`` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def one_of(column: str, values: Iterable[str]) -> str:
    """Return the condition that ``column`` is one of ``values``; false when there are none."""
    listed = ", ".join(quoted(value) for value in sorted(set(values)))
    return f"{column} IN ({listed})" if listed else "false"


People = Callable[[str], tuple[Sequence[str], Sequence[str]]]
"""Given part of a name or an address, returns the names and the addresses that hold it."""


def where(filters: Filters, people: People) -> str:
    """Given filters, return the condition they make, empty when they confine nothing.

    A set of refs above REFS_IN_SQL is left out: the caller sifts it.
    """
    parts: list[str] = []
    if filters.repos:
        # What people wrote outside of git belongs to no repository, and to each.
        parts.append(one_of("repo", ("", *filters.repos)))
    if filters.source:
        parts.append(f"source = {quoted(filters.source)}")
    if filters.path:
        parts.append(_path(filters.path))
    if filters.author:
        names, emails = people(filters.author)  # whole ones: an index finds those
        parts.append(f"({one_of('author', names)} OR {one_of('email', emails)})")
    if filters.since is not None:
        parts.append(f"time >= {filters.since:d}")
    if filters.until is not None:
        parts.append(f"time < {filters.until:d}")
    if filters.refs is not None and len(filters.refs) <= REFS_IN_SQL:
        parts.append(one_of("ref", filters.refs))
    return " AND ".join(parts)


def _path(path: str) -> str:
    path = path.removeprefix("./").rstrip("/")
    if not path or path == ".":
        return "path <> ''"
    if re.search(r"[*?\[]", path):
        return f"regexp_like(path, {quoted(glob_pattern(path))})"
    return f"(path = {quoted(path)} OR starts_with(path, {quoted(path + '/')}))"


def glob_pattern(glob: str) -> str:
    """Given a glob, return a pattern for the path itself and for all that lies under it.

    ``*`` and ``?`` stay within a folder's name, ``**`` does not, ``[a-z]`` is one of a set.
    """
    pattern = ""
    rest = glob
    while rest:
        if rest.startswith("**/"):
            pattern, rest = pattern + "(?:.*/)?", rest[3:]
        elif rest.startswith("**"):
            pattern, rest = pattern + ".*", rest[2:]
        elif rest[0] == "*":
            pattern, rest = pattern + "[^/]*", rest[1:]
        elif rest[0] == "?":
            pattern, rest = pattern + "[^/]", rest[1:]
        elif found := re.match(r"\[([!^]?)([^]/]+)\]", rest):
            negated = "^" if found[1] else ""
            members = re.sub(r"([\\\[\]^&~])", r"\\\1", found[2])
            pattern, rest = f"{pattern}[{negated}{members}]", rest[found.end() :]
        else:
            pattern, rest = pattern + re.escape(rest[0]), rest[1:]
    return f"^{pattern}(?:/.*)?$"
