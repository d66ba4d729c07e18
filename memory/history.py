"""Commits in the structured index: how they are put in, and read back as records."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

from .records import Commit, Content, FileChange, Link, LinkKind
from .text import storable

LISTED = "(SELECT value FROM json_each(?))"
"""A list of any length as one parameter, made by ``listed``."""


class State(IntEnum):
    """Where a commit stands."""

    LIVE = 0
    ORPHANED = 1
    """No branch reaches it any more; it has no chunks, so nothing can cite it."""
    UNREAD = 2
    """Its chunks are gone and it is to be read again."""
    WITHHELD = 3
    """It was forgotten: known by its sha, so that it is not read again, and nothing else."""


KNOWN = f"({State.LIVE:d}, {State.WITHHELD:d})"
"""States of commits that are not to be read again."""


def insert_commits(
    db: sqlite3.Connection, commits: Sequence[Commit], chunks: Mapping[str, int]
) -> None:
    """Put ``commits`` of one repository in as live, over what an earlier reading left of them.

    ``chunks`` says how many chunks each sha has in the vector store.
    """
    people: dict[tuple[str, str], int] = {}
    paths: dict[str, int] = {}
    for commit in commits:
        who = (storable(commit.author), storable(commit.email))
        if who not in people:
            people[who] = _person(db, *who)
        row = db.execute(
            "INSERT INTO commits (repo, sha, state, parents, person, time, committed, subject,"
            " chunks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (repo, sha) DO UPDATE SET state = excluded.state,"
            " parents = excluded.parents, person = excluded.person, time = excluded.time,"
            " committed = excluded.committed, subject = excluded.subject,"
            " chunks = excluded.chunks RETURNING id",
            (
                commit.repo,
                commit.sha,
                State.LIVE,
                " ".join(commit.parents),
                people[who],
                commit.time,
                commit.committed,
                storable(commit.subject),
                chunks.get(commit.sha, 0),
            ),
        ).fetchone()
        _insert_details(db, int(row[0]), commit, paths)


def _insert_details(
    db: sqlite3.Connection, commit_id: int, commit: Commit, paths: dict[str, int]
) -> None:
    def path_id(path: str) -> int:
        if path not in paths:
            paths[path] = _path(db, commit.repo, storable(path))
        return paths[path]

    db.execute("DELETE FROM changes WHERE commit_id = ?", (commit_id,))
    db.executemany(
        "INSERT INTO changes (commit_id, position, path, old_path, change, content, added, removed)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                commit_id,
                position,
                path_id(file.path),
                None if file.old_path is None else path_id(file.old_path),
                file.change,
                file.content.value,
                file.added,
                file.removed,
            )
            for position, file in enumerate(commit.files)
        ),
    )
    insert_names(db, commit_id, commit.tickets, commit.links)


def insert_names(
    db: sqlite3.Connection, commit_id: int, tickets: Sequence[str], links: Sequence[Link]
) -> None:
    """Put in what a commit's message names, over what an earlier reading left of it."""
    db.execute("DELETE FROM tickets WHERE commit_id = ?", (commit_id,))
    db.execute("DELETE FROM commit_links WHERE commit_id = ?", (commit_id,))
    db.executemany(
        "INSERT OR IGNORE INTO tickets (key, commit_id, position) VALUES (?, ?, ?)",
        ((storable(key), commit_id, n) for n, key in enumerate(tickets)),
    )
    db.executemany(
        "INSERT INTO commit_links (commit_id, position, kind, target) VALUES (?, ?, ?, ?)",
        ((commit_id, n, link.kind.value, storable(link.target)) for n, link in enumerate(links)),
    )


def _person(db: sqlite3.Connection, name: str, email: str) -> int:
    db.execute("INSERT OR IGNORE INTO people (name, email) VALUES (?, ?)", (name, email))
    row = db.execute("SELECT id FROM people WHERE name = ? AND email = ?", (name, email))
    return int(row.fetchone()[0])


def _path(db: sqlite3.Connection, repo: str, path: str) -> int:
    db.execute("INSERT OR IGNORE INTO paths (repo, path) VALUES (?, ?)", (repo, path))
    row = db.execute("SELECT id FROM paths WHERE repo = ? AND path = ?", (repo, path))
    return int(row.fetchone()[0])


def read_commits(
    db: sqlite3.Connection, where: str, values: Sequence[str | int], tail: str = ""
) -> list[Commit]:
    """Given a condition on ``c`` (commits) and ``p`` (people), return the live commits it holds for.

    ``tail`` orders and limits.
    """
    rows = db.execute(
        "SELECT c.id, c.repo, c.sha, c.parents, p.name, p.email, c.time, c.committed, c.subject"
        " FROM commits c JOIN people p ON p.id = c.person"
        f" WHERE c.state = {State.LIVE:d} AND ({where}) {tail}",
        values,
    ).fetchall()
    files, tickets, links = _details(db, [int(row[0]) for row in rows])
    return [
        Commit(
            repo=row[1],
            sha=row[2],
            parents=tuple(row[3].split()),
            author=row[4],
            email=row[5],
            time=row[6],
            committed=row[7],
            subject=row[8],
            files=tuple(files.get(row[0], ())),
            tickets=tuple(tickets.get(row[0], ())),
            links=tuple(links.get(row[0], ())),
        )
        for row in rows
    ]


def _details(
    db: sqlite3.Connection, ids: Sequence[int]
) -> tuple[dict[int, list[FileChange]], dict[int, list[str]], dict[int, list[Link]]]:
    files: dict[int, list[FileChange]] = defaultdict(list)
    tickets: dict[int, list[str]] = defaultdict(list)
    links: dict[int, list[Link]] = defaultdict(list)
    for row in db.execute(
        "SELECT x.commit_id, n.path, x.change, x.content, o.path, x.added, x.removed"
        " FROM changes x JOIN paths n ON n.id = x.path LEFT JOIN paths o ON o.id = x.old_path"
        f" WHERE x.commit_id IN {LISTED} ORDER BY x.commit_id, x.position",
        (listed(ids),),
    ):
        files[row[0]].append(FileChange(row[1], row[2], Content(row[3]), *row[4:]))
    for row in db.execute(
        f"SELECT commit_id, key FROM tickets WHERE commit_id IN {LISTED}"
        " ORDER BY commit_id, position",
        (listed(ids),),
    ):
        tickets[row[0]].append(row[1])
    for number, kind, target in db.execute(
        f"SELECT commit_id, kind, target FROM commit_links WHERE commit_id IN {LISTED}"
        " ORDER BY commit_id, position",
        (listed(ids),),
    ):
        links[number].append(Link(LinkKind(kind), target))
    return files, tickets, links


def set_state(db: sqlite3.Connection, repo: str, shas: Iterable[str], state: State) -> None:
    """Move commits of one repository to ``state``, none of which has chunks."""
    db.execute(
        f"UPDATE commits SET state = ?, chunks = 0 WHERE repo = ? AND sha IN {LISTED}",
        (state, repo, listed(shas)),
    )


def delete_history(db: sqlite3.Connection, repo: str) -> None:
    """Remove a repository's commits and all that only they have brought."""
    mine = "(SELECT id FROM commits WHERE repo = ?)"
    for table in ("changes", "tickets", "commit_links"):
        db.execute(f"DELETE FROM {table} WHERE commit_id IN {mine}", (repo,))
    for table in ("commits", "paths", "tips"):
        db.execute(f"DELETE FROM {table} WHERE repo = ?", (repo,))
    db.execute("DELETE FROM people WHERE id NOT IN (SELECT person FROM commits)")


def listed(values: Iterable[str | int]) -> str:
    """Return the values as the parameter of LISTED."""
    return json.dumps(list(values))
