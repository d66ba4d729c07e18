"""The structured index: repositories, history, people, tickets, tips and what is being written."""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from .census import Census
from .database import Database
from .edits import Edits
from .facts import Facts
from .generations import forget_generations, read_generations
from .graph import Node, read_graph
from .history import KNOWN, LISTED, State, delete_history, listed, read_commits, set_state
from .intents import Intents
from .items import Items, mark_items_unread
from .links import Links
from .marks import Marks
from .records import Commit, Filters, Repo
from .selection import selection, within
from .sources import Sources
from .unlinked import Unlinked
from .withheld import Withheld

_REPO_COLUMNS = "id, name, path, worktree, root_commit, added"


@dataclass(frozen=True, slots=True)
class AuthorCount:
    """One person's share of history."""

    name: str
    email: str
    commits: int
    last: int
    """When the last of them was authored."""


class Index:
    """What hermes knows exactly, in SQLite. Safe to share between threads."""

    def __init__(self, path: Path) -> None:
        """Open ``path`` (``memory.db``). Raise as Database does."""
        self._database = Database(path)
        self.intents = Intents(self._database)
        self.items = Items(self._database)
        self.links = Links(self._database)
        self.marks = Marks(self._database)
        self.edits = Edits(self._database)
        self.facts = Facts(self._database)
        self.census = Census(self._database)
        self.withheld = Withheld(self._database)
        self.sources = Sources(self._database)
        self.unlinked = Unlinked(self._database, self.withheld)

    @property
    def read_only(self) -> bool:
        """Whether the folder can't be written."""
        return self._database.read_only

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """Hand out the connection for a few queries."""
        return self._database.reading()

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Hand out the connection in a transaction that calls in the block join."""
        return self._database.writing()

    def generations(self) -> Mapping[str, int]:
        """Return how often each part of what may change without a commit was changed."""
        with self._database.reading() as db:
            return read_generations(db)

    # Repositories

    def repos(self) -> list[Repo]:
        """Return all repositories, oldest first."""
        with self._database.reading() as db:
            rows = db.execute(f"SELECT {_REPO_COLUMNS} FROM repos ORDER BY added, name").fetchall()
        return [Repo(*row) for row in rows]

    def repo(self, repo: str) -> Repo | None:
        """Given an id, return the repository."""
        with self._database.reading() as db:
            row = db.execute(f"SELECT {_REPO_COLUMNS} FROM repos WHERE id = ?", (repo,)).fetchone()
        return Repo(*row) if row else None

    def add_repo(self, name: str, path: str, worktree: str | None, root_commit: str | None) -> Repo:
        """Add the repository whose common git directory is ``path``, or return the one that is it.

        The same path is the same repository. A path that is gone from disk while the same root
        commit turns up elsewhere has moved: it keeps its id, and its place is updated.
        """
        with self._database.writing() as db:
            known = self._same(db, path, root_commit)
            if known is None:
                repo = Repo(
                    secrets.token_hex(8), name, path, worktree, root_commit, int(time.time())
                )
                db.execute(
                    f"INSERT INTO repos ({_REPO_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
                    (repo.id, name, path, worktree, root_commit, repo.added),
                )
                return repo
            repo = replace(
                known,
                name=name,
                path=path,
                worktree=known.worktree if worktree is None else worktree,
                root_commit=root_commit or known.root_commit,
            )
            db.execute(
                "UPDATE repos SET name = ?, path = ?, worktree = ?, root_commit = ? WHERE id = ?",
                (repo.name, repo.path, repo.worktree, repo.root_commit, repo.id),
            )
            return repo

    @staticmethod
    def _same(db: sqlite3.Connection, path: str, root_commit: str | None) -> Repo | None:
        row = db.execute(f"SELECT {_REPO_COLUMNS} FROM repos WHERE path = ?", (path,)).fetchone()
        if row:
            return Repo(*row)
        if root_commit is None:
            return None
        rows = db.execute(
            f"SELECT {_REPO_COLUMNS} FROM repos WHERE root_commit = ? ORDER BY added",
            (root_commit,),
        ).fetchall()
        return next((Repo(*row) for row in rows if not os.path.exists(row[2])), None)

    def delete_repo(self, repo: str) -> None:
        """Remove the rows of a repository and the intents that name it."""
        with self._database.writing() as db:
            delete_history(db, repo)
            for table in ("items", "marks", "facts", "edits", "withheld_refs", "intents"):
                db.execute(f"DELETE FROM {table} WHERE repo = ?", (repo,))
            db.execute("DELETE FROM repos WHERE id = ?", (repo,))
            forget_generations(db, repo)

    def vacuum(self) -> None:
        """Rewrite the file so that nothing deleted is left in it or in its log. Raise StoreBusy if
        somebody goes on reading."""
        self._database.rewrite()

    # Tips and settings

    def tips(self, repo: str) -> dict[str, str]:
        """Return full ref name → sha, as of the last finished ingest."""
        with self._database.reading() as db:
            return dict(db.execute("SELECT ref, sha FROM tips WHERE repo = ?", (repo,)).fetchall())

    def set_tips(self, repo: str, tips: Mapping[str, str]) -> None:
        """Replace the tips of a repository."""
        with self._database.writing() as db:
            db.execute("DELETE FROM tips WHERE repo = ?", (repo,))
            db.executemany(
                "INSERT INTO tips (repo, ref, sha) VALUES (?, ?, ?)",
                ((repo, ref, sha) for ref, sha in tips.items()),
            )

    def setting(self, key: str) -> str | None:
        """Return what was kept under ``key``."""
        with self._database.reading() as db:
            row = db.execute("SELECT value FROM settings WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None

    def set_setting(self, key: str, value: str | None) -> None:
        """Keep ``value`` under ``key``; None removes it."""
        with self._database.writing() as db:
            if value is None:
                db.execute("DELETE FROM settings WHERE key = ?", (key,))
            else:
                db.execute(
                    "INSERT INTO settings (key, value) VALUES (?, ?)"
                    " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                    (key, value),
                )

    # Commits

    def mark_all_unread(self) -> None:
        """Say of every live commit that it is to be read again."""
        with self._database.writing() as db:
            db.execute(
                "UPDATE commits SET state = ?, chunks = 0 WHERE state = ?",
                (State.UNREAD, State.LIVE),
            )
            db.execute("DELETE FROM tips")
            mark_items_unread(db)

    def mark_unread(self, repo: str, shas: Iterable[str]) -> None:
        """Say of these commits that they are to be read again."""
        with self._database.writing() as db:
            set_state(db, repo, shas, State.UNREAD)
            db.execute("DELETE FROM tips WHERE repo = ?", (repo,))

    def read_again(self, repo: str, shas: Iterable[str]) -> None:
        """Say of those of these commits that are known that they are to be read again."""
        with self._database.writing() as db:
            db.execute(
                f"UPDATE commits SET state = {State.UNREAD:d}, chunks = 0"
                f" WHERE repo = ? AND state IN {KNOWN} AND sha IN {LISTED}",
                (repo, listed(shas)),
            )
            db.execute("DELETE FROM tips WHERE repo = ?", (repo,))

    def known(self, repo: str) -> set[str]:
        """Return the shas that are not to be read again: they live in memory, or are withheld."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT sha FROM commits WHERE repo = ? AND state IN {KNOWN}", (repo,)
            )
            return {row[0] for row in rows}

    def known_among(self, repo: str, shas: Iterable[str]) -> set[str]:
        """Return which of these shas are not to be read again."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT sha FROM commits WHERE repo = ? AND state IN {KNOWN} AND sha IN {LISTED}",
                (repo, listed(shas)),
            )
            return {row[0] for row in rows}

    def counts(self, repo: str | None = None) -> tuple[int, int]:
        """Return how many live commits there are, and how many chunks they and the items should
        have."""
        where, values = ("repo = ?", (repo,)) if repo else ("1", ())
        with self._database.reading() as db:
            row = db.execute(
                "SELECT count(*), coalesce(sum(chunks), 0) FROM commits"
                f" WHERE state = {State.LIVE:d} AND {where}",
                values,
            ).fetchone()
        return int(row[0]), int(row[1]) + self.items.chunks(repo)

    def chunk_counts(self, repo: str) -> dict[str, int]:
        """Return how many chunks each live commit should have."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT sha, chunks FROM commits WHERE repo = ? AND state = ?", (repo, State.LIVE)
            )
            return dict(rows.fetchall())

    def commit(self, repo: str, sha: str) -> Commit | None:
        """Return the live commit with this full sha."""
        found = self.commits_for(repo, (sha,))
        return found[0] if found else None

    def commits_for(self, repo: str, shas: Iterable[str]) -> list[Commit]:
        """Return the live commits among ``shas``, newest first."""
        with self._database.reading() as db:
            return read_commits(
                db, f"c.repo = ? AND c.sha IN {LISTED}", (repo, listed(shas)), _NEWEST_FIRST
            )

    def resolve_sha(self, prefix: str, repos: Collection[str] = ()) -> list[Commit]:
        """Return the live commits whose sha starts with ``prefix`` (4 hex digits or more)."""
        prefix = prefix.lower()
        if len(prefix) < 4 or not set(prefix) <= set("0123456789abcdef"):
            return []
        where, values = within(repos)
        with self._database.reading() as db:
            return read_commits(
                db,
                f"c.sha >= ? AND c.sha < ? AND {where}",
                (prefix, prefix + "g", *values),
                _NEWEST_FIRST + " LIMIT 50",
            )

    def commits_by_ticket(self, key: str, repos: Collection[str] = ()) -> list[Commit]:
        """Return the live commits whose message names ``key`` (case does not matter)."""
        where, values = within(repos)
        with self._database.reading() as db:
            return read_commits(
                db,
                f"c.id IN (SELECT commit_id FROM tickets WHERE key = ?) AND {where}",
                (key, *values),
                _NEWEST_FIRST,
            )

    def graph(self, repo: str, since: int) -> list[Node]:
        """Return the live commits that were authored or committed ``since`` then, without what
        they touch, the first committed first."""
        with self._database.reading() as db:
            return read_graph(db, repo, since)

    # Who and when

    def newest(self, filters: Filters, limit: int = 200) -> list[Commit]:
        """Return the newest live commits that the filters leave.

        A path stands for the commits that touched it, under its older names too.
        """
        where, values = selection(filters)
        with self._database.reading() as db:
            return read_commits(db, where, values, f"{_NEWEST_FIRST} LIMIT {limit:d}")

    def touching(
        self,
        path: str,
        repos: Collection[str] = (),
        since: int | None = None,
        until: int | None = None,
        limit: int = 200,
    ) -> list[Commit]:
        """Return the newest live commits that touched a file, a folder or a glob."""
        return self.newest(Filters(tuple(repos), path=path, since=since, until=until), limit)

    def shas(self, filters: Filters) -> frozenset[str]:
        """Return the shas of all live commits that the filters leave."""
        where, values = selection(filters)
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT c.sha FROM commits c JOIN people p ON p.id = c.person"
                f" WHERE c.state = {State.LIVE:d} AND {where}",
                values,
            )
            return frozenset(row[0] for row in rows)

    def people_like(self, part: str) -> tuple[list[str], list[str]]:
        """Return the names and the addresses that hold ``part``; case does not matter."""
        part = part.casefold()
        with self._database.reading() as db:
            names = db.execute(
                "SELECT DISTINCT name FROM people WHERE instr(fold(name), ?)", (part,)
            )
            found = [row[0] for row in names]
            emails = db.execute(
                "SELECT DISTINCT email FROM people WHERE instr(fold(email), ?)", (part,)
            )
            others, theirs = self.items.people_like(part)
            return list({*found, *others}), list({*theirs, *(row[0] for row in emails)})

    def authors(self, repos: Collection[str] = ()) -> list[AuthorCount]:
        """Return everybody with live commits, most commits first."""
        return self.authors_of(Filters(tuple(repos)))

    def authors_of(self, filters: Filters) -> list[AuthorCount]:
        """Return who wrote the live commits that the filters leave, most commits first."""
        where, values = selection(filters)
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT p.name, p.email, count(*), max(c.time)"
                " FROM commits c JOIN people p ON p.id = c.person"
                f" WHERE c.state = {State.LIVE:d} AND {where}"
                " GROUP BY p.id ORDER BY 3 DESC, 4 DESC",
                values,
            ).fetchall()
        return [AuthorCount(*row) for row in rows]

    def names_of(self, emails: Collection[str]) -> dict[str, str]:
        """Return by address, in small letters, the name in the newest live commit of each."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT lower(p.email), p.name, max(c.time)"
                " FROM commits c JOIN people p ON p.id = c.person"
                f" WHERE c.state = {State.LIVE:d} AND lower(p.email) IN {LISTED} AND p.name != ''"
                " GROUP BY 1",
                (listed(emails),),
            ).fetchall()
        return {email: name for email, name, _ in rows}

    def paths(self, repos: Collection[str] = ()) -> list[str]:
        """Return every path that a live commit touched."""
        where, values = within(repos)
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT DISTINCT n.path FROM paths n JOIN changes x ON x.path = n.id"
                f" JOIN commits c ON c.id = x.commit_id"
                f" WHERE c.state = {State.LIVE:d} AND {where} ORDER BY n.path",
                values,
            )
            return [row[0] for row in rows]

    def all_paths(self) -> list[str]:
        """Return every path that memory knows, also of commits that are orphaned."""
        with self._database.reading() as db:
            return [row[0] for row in db.execute("SELECT DISTINCT path FROM paths ORDER BY path")]

    def paths_holding(self, parts: Collection[str], repos: Collection[str] = ()) -> list[str]:
        """Return the paths that live commits touched and that hold every part; case does not
        matter."""
        where, values = within(repos)
        held = " AND ".join(["instr(lower(n.path), ?)"] * len(parts)) or "1"
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT n.path FROM paths n WHERE {held} AND EXISTS (SELECT 1 FROM changes x"
                f" JOIN commits c ON c.id = x.commit_id WHERE x.path = n.id"
                f" AND c.state = {State.LIVE:d} AND {where}) ORDER BY n.path",
                (*(part.lower() for part in parts), *values),
            )
            return [row[0] for row in rows]

    def files_among(self, paths: Collection[str]) -> dict[str, set[str]]:
        """Return those of ``paths`` that some commit changed, each with its repositories."""
        found: dict[str, set[str]] = {}
        with self._database.reading() as db:
            for repo, path in db.execute(
                "SELECT n.repo, n.path FROM repos r, json_each(?) said"
                " JOIN paths n ON n.repo = r.id AND n.path = said.value",
                (listed(sorted(paths)),),
            ):
                found.setdefault(path, set()).add(repo)
        return found

    def path_exists(self, path: str, repos: Collection[str] = ()) -> bool:
        """Return whether a live commit touched this file, folder or glob."""
        return bool(self.touching(path, repos, limit=1))


_NEWEST_FIRST = "ORDER BY c.time DESC, c.id DESC"
