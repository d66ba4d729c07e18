"""Drafts of commit messages by what they are for, and what people made of them."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field
from typing import Literal

from .database import Database

State = Literal["ready", "used", "stale"]
Outcome = Literal["", "accepted", "edited", "replaced"]

KEPT = 200
"""Drafts of one repository that are kept, the newest."""

_COLUMNS = (
    "id, repo, worktree, tree, head, branch, at, by, phrased, subject, body, trailers, "
    "alternatives, why, problems, seconds, state, outcome, likeness, sha, sign"
)


def m003_drafts(db: sqlite3.Connection) -> None:
    """Make the table of drafts."""
    db.execute(
        "CREATE TABLE drafts (id INTEGER PRIMARY KEY, repo TEXT NOT NULL, worktree TEXT NOT NULL,"
        " tree TEXT NOT NULL, head TEXT NOT NULL, branch TEXT NOT NULL, at REAL NOT NULL,"
        " by TEXT NOT NULL, phrased INTEGER NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL,"
        " trailers TEXT NOT NULL, alternatives TEXT NOT NULL, why TEXT NOT NULL,"
        " problems TEXT NOT NULL, seconds REAL NOT NULL, state TEXT NOT NULL,"
        " outcome TEXT NOT NULL, likeness REAL NOT NULL, sha TEXT NOT NULL, sign TEXT NOT NULL,"
        " UNIQUE (repo, worktree, tree, head, branch))"
    )
    db.execute("CREATE INDEX drafts_state ON drafts (repo, worktree, state)")


@dataclass(frozen=True, slots=True)
class Stored:
    """A draft as it is kept."""

    repo: str
    worktree: str
    tree: str
    """The tree that would be committed."""
    head: str
    """The commit that it stands on; empty before the first."""
    branch: str
    at: float
    """Seconds since 1970."""
    by: str
    """``rule``, or the model that phrased it."""
    subject: str
    body: str = ""
    trailers: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    """Other messages for it, whole, best first."""
    why: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    """What was wrong with what a model wrote, so that it was repaired or dropped."""
    phrased: bool = False
    """A model was asked, whatever came of it."""
    seconds: float = 0.0
    """From the look at the index until it was ready."""
    state: State = "ready"
    outcome: Outcome = ""
    """What the person made of it; empty while that is not known."""
    likeness: float = 0.0
    """Of the message that was committed, 0..1."""
    sha: str = ""
    """The commit it was used in."""
    sign: str = ""
    """``Name <email>`` of the Signed-off-by that it gets, if it gets one."""
    id: int = 0


@dataclass(frozen=True, slots=True)
class Quality:
    """How drafts of a repository fared, by who phrased them."""

    by: str
    accepted: int = 0
    edited: int = 0
    replaced: int = 0
    likeness: float = field(default=0.0)
    """The mean, 0..1."""


class Drafts:
    """The newest draft for each tree on each commit of a worktree."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, draft: Stored) -> None:
        """Keep a draft in the place of an earlier one for the same; the oldest beyond KEPT go."""
        lists = (draft.trailers, draft.alternatives, draft.why, draft.problems)
        trailers, alternatives, why, problems = (json.dumps(one) for one in lists)
        row = (
            *(draft.repo, draft.worktree, draft.tree, draft.head, draft.branch, draft.at),
            *(draft.by, draft.phrased, draft.subject, draft.body, trailers, alternatives, why),
            *(problems, draft.seconds, draft.state, draft.outcome, draft.likeness, draft.sha),
            draft.sign,
        )
        marks = ", ".join("?" * len(row))
        columns = _COLUMNS.removeprefix("id, ")
        with self._database.writing() as db:
            db.execute(f"INSERT OR REPLACE INTO drafts ({columns}) VALUES ({marks})", row)
            db.execute(
                "DELETE FROM drafts WHERE repo = ?1 AND id NOT IN"
                " (SELECT id FROM drafts WHERE repo = ?1 ORDER BY id DESC LIMIT ?2)",
                (draft.repo, KEPT),
            )

    def find(
        self, repo: str, worktree: str, tree: str, head: str | None, branch: str
    ) -> Stored | None:
        """Return the draft for exactly this, if there is one, whatever its state."""
        with self._database.reading() as db:
            row = db.execute(
                f"SELECT {_COLUMNS} FROM drafts"
                " WHERE repo = ? AND worktree = ? AND tree = ? AND head = ? AND branch = ?",
                (repo, worktree, tree, head or "", branch),
            ).fetchone()
        return None if row is None else _stored(row)

    def ready(self, repo: str, worktree: str) -> list[Stored]:
        """Return the drafts of a worktree of which it is not known what became, oldest first."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM drafts"
                " WHERE repo = ? AND worktree = ? AND state = 'ready' ORDER BY id",
                (repo, worktree),
            ).fetchall()
        return [_stored(row) for row in rows]

    def used(self, draft: int, sha: str, outcome: Outcome, likeness: float) -> None:
        """Note that a draft's tree was committed, and how its message compares."""
        with self._database.writing() as db:
            db.execute(
                "UPDATE drafts SET state = 'used', outcome = ?, likeness = ?, sha = ? WHERE id = ?",
                (outcome, likeness, sha, draft),
            )

    def stale(self, repo: str, worktree: str, but: int = 0) -> None:
        """Note that the drafts of a worktree, all but one, are for nothing any more."""
        with self._database.writing() as db:
            db.execute(
                "UPDATE drafts SET state = 'stale'"
                " WHERE repo = ? AND worktree = ? AND state = 'ready' AND id <> ?",
                (repo, worktree, but),
            )

    def quality(self, repo: str | None = None) -> list[Quality]:
        """Return how used drafts fared, of one repository or of all."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT by, SUM(outcome = 'accepted'), SUM(outcome = 'edited'),"
                " SUM(outcome = 'replaced'), AVG(likeness) FROM drafts"
                " WHERE state = 'used' AND (?1 IS NULL OR repo = ?1) GROUP BY by ORDER BY by",
                (repo,),
            ).fetchall()
        return [Quality(*row) for row in rows]

    def worktrees(self, repo: str) -> list[str]:
        """Return the worktrees of a repository that drafts were made for."""
        with self._database.reading() as db:
            rows = db.execute("SELECT DISTINCT worktree FROM drafts WHERE repo = ?", (repo,))
            return [row[0] for row in rows]

    def forget(self, repo: str) -> None:
        """Remove everything of one repository."""
        with self._database.writing() as db:
            db.execute("DELETE FROM drafts WHERE repo = ?", (repo,))


def _stored(row: tuple[object, ...]) -> Stored:
    names = _COLUMNS.split(", ")
    fields = dict(zip(names, row, strict=True))
    for name in ("trailers", "alternatives", "why", "problems"):
        fields[name] = tuple(json.loads(str(fields[name])))
    fields["phrased"] = bool(fields["phrased"])
    return Stored(**fields)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
