"""Drift that was found in documents, the fixes that are proposed, and what a person said to them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from .database import Database
from .errors import HermesError

MOST_OPEN = 5
"""Proposals of one repository that are shown at a time; the others wait for their turn."""
MOST_LIVE = 500
"""Open and held ones of one repository; what comes after that is not kept, and is found again."""
MOST_CLOSED = 200
MOST_DISMISSED = 5_000
MOST_BRANCHES = 100


class State(StrEnum):
    """Where a proposal stands."""

    OPEN = "open"
    HELD = "held"
    """Better ones are shown first."""
    ACCEPTED = "accepted"
    """Its fix was staged; ``why`` is empty until a commit has it."""
    DISMISSED = "dismissed"
    GONE = "gone"
    """It does not apply any more: the document was fixed, or the code came back."""


LIVE = (State.OPEN, State.HELD)


def m004_drift(db: sqlite3.Connection) -> None:
    """Make the tables of proposals and dismissals."""
    db.execute(
        "CREATE TABLE proposals (id INTEGER PRIMARY KEY AUTOINCREMENT, repo TEXT NOT NULL,"
        " same TEXT NOT NULL, state TEXT NOT NULL, rank INTEGER NOT NULL, at REAL NOT NULL,"
        " changed REAL NOT NULL, why TEXT NOT NULL, found TEXT NOT NULL)"
    )
    db.execute("CREATE INDEX proposals_by_repo ON proposals (repo, state, rank)")
    db.execute(
        "CREATE TABLE drift_dismissed (repo TEXT NOT NULL, key TEXT NOT NULL, at REAL NOT NULL,"
        " why TEXT NOT NULL, PRIMARY KEY (repo, key)) WITHOUT ROWID"
    )
    db.execute(
        "CREATE TABLE drift_checked (repo TEXT NOT NULL, branch TEXT NOT NULL, sha TEXT NOT NULL,"
        " at REAL NOT NULL, PRIMARY KEY (repo, branch)) WITHOUT ROWID"
    )


class NoSuchProposal(HermesError):
    """A number is named that no proposal has."""

    code = "no_such_id"

    def __init__(self, number: int) -> None:
        super().__init__(f"there is no D{number}", hint="`hermes docs` lists what is open")


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines of a document and what takes their place; both with their line ends."""

    line: int
    """The first of ``old``, counted from 1; where there are none, what stands before which line
    the new ones come."""
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """All places of one document that are wrong for one reason, and how to put them right."""

    document: str
    thing: str
    name: str
    tier: str
    reason: str
    lines: tuple[int, ...]
    """Counted from 1; (0,) for the document as a whole."""
    texts: tuple[str, ...]
    """Those lines as they stand, without secrets."""
    keys: tuple[str, ...]
    """One for each line: the same until the text or the code changes again."""
    loose: tuple[str, ...]
    """The same, without the commit that did it: a look at everything may not know that one."""
    rank: int
    """The lower, the sooner it is shown."""
    subject: str = ""
    """What tells several of one name in one document apart."""
    section: str = ""
    """The heading above the first line."""
    commit: str | None = None
    replacement: str | None = None
    scanned: bool = False
    """A look at the whole repository found it, not one at a commit."""
    digest: str = ""
    """SHA-256 of the document that ``edits`` were made for; empty without a fix."""
    edits: tuple[Edit, ...] = ()
    by: str = ""
    """``rule``, or the model that wrote the fix."""
    note: str = ""

    @property
    def same(self) -> str:
        """What stays the same while only lines around it change."""
        return same_of(self.document, self.name, self.subject)


def same_of(document: str, name: str, subject: str) -> str:
    """Return what stays the same of a drift while only lines around it change."""
    parts = f"{document}\0{name}\0{subject}"
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Proposal:
    """One that was stored."""

    id: int
    repo: str
    state: State
    at: float
    changed: float
    """When its state last changed."""
    why: str
    """What a person, or hermes, said when it was closed."""
    found: Found

    @property
    def live(self) -> bool:
        """Whether nothing has become of it yet."""
        return self.state in LIVE


class Proposals:
    """Drift that is open, held, accepted, dismissed, or gone by itself."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, repo: str, found: Sequence[Found], now: float) -> list[int]:
        """Store what was found; return the numbers of what is new. What is known is brought up to
        date; what was accepted and is wrong again, or still, is open again."""
        new: list[int] = []
        with self._database.writing() as db:
            for each in found:
                row = db.execute(
                    "SELECT id, state FROM proposals WHERE repo = ? AND same = ?"
                    " AND (state IN ('open', 'held') OR (state = 'accepted' AND why = ''))"
                    " ORDER BY id DESC LIMIT 1",
                    (repo, each.same),
                ).fetchone()
                text = json.dumps(asdict(each))
                if row is None:
                    made = db.execute(
                        "INSERT INTO proposals (repo, same, state, rank, at, changed, why, found)"
                        " VALUES (?, ?, 'held', ?, ?, ?, '', ?)",
                        (repo, each.same, each.rank, now, now, text),
                    )
                    new.append(int(made.lastrowid or 0))
                    continue
                number, state = row
                db.execute(
                    "UPDATE proposals SET rank = ?, found = ? WHERE id = ?",
                    (each.rank, text, number),
                )
                if state == State.ACCEPTED:
                    self._turn(db, number, State.HELD, now, "")
            self._arrange(db, repo, now)
            kept = {
                row[0] for row in db.execute("SELECT id FROM proposals WHERE repo = ?", (repo,))
            }
        return [number for number in new if number in kept]

    def get(self, number: int) -> Proposal:
        """Return one. Raise NoSuchProposal."""
        with self._database.reading() as db:
            row = db.execute(f"SELECT {_COLUMNS} FROM proposals WHERE id = ?", (number,)).fetchone()
        if row is None:
            raise NoSuchProposal(number)
        return _proposal(row)

    def find(
        self, repo: str | None, states: Collection[State] = LIVE, limit: int = MOST_LIVE
    ) -> list[Proposal]:
        """Return those of a repository, or of all, in these states: the best first."""
        marks = ", ".join("?" for _ in states)
        where, values = f"state IN ({marks})", [str(state) for state in states]
        if repo is not None:
            where, values = f"{where} AND repo = ?", [*values, repo]
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM proposals WHERE {where} ORDER BY rank, id LIMIT ?",
                (*values, limit),
            ).fetchall()
        return [_proposal(row) for row in rows]

    def close(self, number: int, state: State, now: float, why: str = "") -> Proposal:
        """Set what became of one; the next that is held takes its place. Raise NoSuchProposal."""
        found = self.get(number)
        with self._database.writing() as db:
            self._turn(db, number, state, now, why)
            self._arrange(db, found.repo, now)
        return replace(found, state=state, changed=now, why=why)

    def dismiss(self, number: int, now: float, why: str = "") -> Proposal:
        """Close one, and remember that its lines are right as they are. Raise NoSuchProposal."""
        found = self.get(number)
        with self._database.writing() as db:
            db.executemany(
                "INSERT OR REPLACE INTO drift_dismissed VALUES (?, ?, ?, ?)",
                [(found.repo, key, now, why) for key in {*found.found.keys, *found.found.loose}],
            )
            db.execute(
                "DELETE FROM drift_dismissed WHERE repo = ?1 AND key NOT IN (SELECT key FROM"
                " drift_dismissed WHERE repo = ?1 ORDER BY at DESC LIMIT ?2)",
                (found.repo, MOST_DISMISSED),
            )
            return self.close(number, State.DISMISSED, now, why)

    def dismissed(self, repo: str) -> frozenset[str]:
        """Return the keys that a person said no to."""
        with self._database.reading() as db:
            rows = db.execute("SELECT key FROM drift_dismissed WHERE repo = ?", (repo,)).fetchall()
        return frozenset(row[0] for row in rows)

    def checked(self, repo: str, branch: str) -> str | None:
        """Return the commit up to which a branch was checked; None if it never was."""
        with self._database.reading() as db:
            row = db.execute(
                "SELECT sha FROM drift_checked WHERE repo = ? AND branch = ?", (repo, branch)
            ).fetchone()
        return None if row is None else str(row[0])

    def set_checked(self, repo: str, branch: str, sha: str, now: float) -> None:
        """Remember that a branch was checked up to a commit."""
        with self._database.writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO drift_checked VALUES (?, ?, ?, ?)", (repo, branch, sha, now)
            )
            db.execute(
                "DELETE FROM drift_checked WHERE repo = ?1 AND branch NOT IN (SELECT branch FROM"
                " drift_checked WHERE repo = ?1 ORDER BY at DESC LIMIT ?2)",
                (repo, MOST_BRANCHES),
            )

    def last_look(self, repo: str) -> float:
        """Return when a repository was last checked or scanned; 0 if it never was."""
        with self._database.reading() as db:
            row = db.execute("SELECT MAX(at) FROM drift_checked WHERE repo = ?", (repo,)).fetchone()
        return float(row[0] or 0.0)

    def forget(self, repo: str) -> None:
        """Remove everything of one repository."""
        with self._database.writing() as db:
            for table in ("proposals", "drift_dismissed", "drift_checked"):
                db.execute(f"DELETE FROM {table} WHERE repo = ?", (repo,))

    @staticmethod
    def _turn(db: sqlite3.Connection, number: int, state: State, now: float, why: str) -> None:
        db.execute(
            "UPDATE proposals SET state = ?, changed = ?, why = ? WHERE id = ?",
            (state, now, why, number),
        )

    def _arrange(self, db: sqlite3.Connection, repo: str, now: float) -> None:
        """Show the best, hold the others, and drop what is too much."""
        live = db.execute(
            "SELECT id, state FROM proposals WHERE repo = ? AND state IN ('open', 'held')"
            " ORDER BY rank, id",
            (repo,),
        ).fetchall()
        for place, (number, state) in enumerate(live):
            wanted = State.OPEN if place < MOST_OPEN else State.HELD
            if place >= MOST_LIVE:
                db.execute("DELETE FROM proposals WHERE id = ?", (number,))
            elif wanted != state:
                self._turn(db, number, wanted, now, "")
        db.execute(
            "DELETE FROM proposals WHERE repo = ?1 AND state NOT IN ('open', 'held') AND id NOT IN"
            " (SELECT id FROM proposals WHERE repo = ?1 AND state NOT IN ('open', 'held')"
            " ORDER BY changed DESC, id DESC LIMIT ?2)",
            (repo, MOST_CLOSED),
        )


_COLUMNS = "id, repo, state, at, changed, why, found"


def _proposal(row: Sequence[Any]) -> Proposal:
    number, repo, state, at, changed, why, text = row
    fields: dict[str, Any] = json.loads(text)
    fields["edits"] = tuple(
        Edit(edit["line"], tuple(edit["old"]), tuple(edit["new"])) for edit in fields["edits"]
    )
    for name in ("lines", "texts", "keys", "loose"):
        fields[name] = tuple(fields[name])
    return Proposal(number, repo, State(state), at, changed, why, Found(**fields))
