"""Filters as a condition on the structured index's commits."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection

from .filters import glob_pattern
from .history import LISTED, listed
from .records import Filters

Condition = tuple[str, tuple[str | int, ...]]
"""SQL on ``c`` (commits) and ``p`` (people), and its parameters."""

_NO_END = 1 << 62


def add_functions(db: sqlite3.Connection) -> None:
    """Give a connection what the conditions use."""
    db.create_function("fold", 1, str.casefold, deterministic=True)
    db.create_function("regexp", 2, _matches, deterministic=True)


def _matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text) is not None


def within(repos: Collection[str]) -> Condition:
    """Return the condition that a commit is of these repositories; of any when there are none."""
    return (f"c.repo IN {LISTED}", (listed(repos),)) if repos else ("1", ())


def selection(filters: Filters) -> Condition:
    """Given filters, return the condition on commits that they make."""
    where, values = within(filters.repos)
    conditions: list[str] = [where]
    parameters: list[str | int] = [*values]
    if filters.source not in (None, "git"):
        conditions.append("0")  # all commits are git's
    if filters.path:
        where, values = _touching(filters.path, filters.repos)
        conditions.append(where)
        parameters += values
    if filters.author:
        conditions.append("(instr(fold(p.name), ?) OR instr(fold(p.email), ?))")
        parameters += [filters.author.casefold()] * 2
    if filters.since is not None:
        conditions.append("c.time >= ?")
        parameters.append(filters.since)
    if filters.until is not None:
        conditions.append("c.time < ?")
        parameters.append(filters.until)
    if filters.refs is not None:
        conditions.append(f"c.sha IN {LISTED}")
        parameters.append(listed(filters.refs))
    return " AND ".join(conditions), tuple(parameters)


def on_path(column: str, path: str) -> Condition:
    """Return the condition that a path is this one, lies in this folder, or fits this glob."""
    path = path.removeprefix("./").rstrip("/")
    if re.search(r"[*?\[]", path):
        return f"{column} REGEXP ?", (glob_pattern(path),)
    if path in ("", "."):
        return f"{column} != ''", ()
    return (
        f"({column} = ? OR ({column} >= ? AND {column} < ?))",
        (path, path + "/", path + "0"),
    )


def _touching(path: str, repos: Collection[str]) -> Condition:
    """Commits that touched a file, a folder or a glob, under the older names of its files too.

    An older name counts up to the commit that renamed it: what is made under that name afterwards
    is another file.
    """
    named = on_path("path", path)
    where, values = (f"repo IN {LISTED}", (listed(repos),)) if repos else ("1", ())
    return (
        (
            "c.id IN ("
            "WITH RECURSIVE names (id, before) AS ("
            f"SELECT id, {_NO_END} FROM paths WHERE {named[0]} AND {where}"
            " UNION SELECT x.old_path, k.time FROM names"
            " JOIN changes x ON x.path = names.id AND x.change = 'R' AND x.old_path IS NOT NULL"
            " JOIN commits k ON k.id = x.commit_id AND k.time <= names.before)"
            " SELECT x.commit_id FROM names JOIN changes x ON x.path = names.id"
            " JOIN commits k ON k.id = x.commit_id AND k.time <= names.before"
            " UNION SELECT x.commit_id FROM names JOIN changes x ON x.old_path = names.id"
            " AND x.change = 'R'"
            f" WHERE names.before = {_NO_END})"
        ),
        (*named[1], *values),
    )
