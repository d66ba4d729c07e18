"""What was forgotten for good: rules that hold whenever something is read again.

A rule is written down before anything is removed, and from then on nothing that it names comes in.
While it is being carried out it has a stage; whoever opens memory for writing next goes on there.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from .database import Database
from .forgetting_rules import RuleKind, read_rule
from .history import LISTED, State, listed
from .sieve import Sieve

_SALT = "withheld.salt"
_COLUMNS = "id, kind, rule, at, pending"


class Stage(IntEnum):
    """How far a rule is carried out."""

    DONE = 0
    AROUND = 1
    """Memory is done; what lies around it is not."""
    MEMORY = 2
    """Nothing is done yet."""
    LIFTING = 3
    """It is being taken back: what it kept out is to be read again."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One rule as it is kept."""

    id: int
    kind: RuleKind
    rule: str
    """What is forgotten; of a person, and of a plain path, only hashes."""
    at: int
    stage: Stage
    commits: int = 0
    """How many commits it has left something out of."""
    items: int = 0


class Withheld:
    """The rules of one database. Safe to share between threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: tuple[tuple[int, RuleKind, str], ...] = ()
        self._sieve = Sieve()

    def rules(self) -> list[Kept]:
        """Return all rules, oldest first."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS},"
                " (SELECT count(*) FROM withheld_refs WHERE rule = id AND repo != ''),"
                " (SELECT count(*) FROM withheld_refs WHERE rule = id AND repo = '')"
                " FROM withheld ORDER BY id"
            ).fetchall()
        return [
            Kept(row[0], RuleKind(row[1]), row[2], row[3], Stage(row[4]), row[5], row[6])
            for row in rows
        ]

    def pending(self) -> list[Kept]:
        """Return the rules that are not carried out yet, or not taken back."""
        return [rule for rule in self.rules() if rule.stage is not Stage.DONE]

    def sieve(self, only: Collection[int] | None = None) -> Sieve:
        """Return what holds now, or what some of the rules say."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT id, kind, rule FROM withheld WHERE pending != ? ORDER BY id",
                (Stage.LIFTING,),
            ).fetchall()
        known = tuple((int(row[0]), RuleKind(row[1]), str(row[2])) for row in rows)
        if known != self._known:
            salt = self.salt() if known else b""
            self._sieve = Sieve((id, read_rule(kind, rule, salt)) for id, kind, rule in known)
            self._known = known
        if only is None:
            return self._sieve
        return Sieve((id, rule) for id, rule in self._sieve.rules if id in only)

    def add(self, kind: RuleKind, rule: str, stage: Stage = Stage.MEMORY) -> int:
        """Keep a rule, as `sieve` makes it, and return its number; one that is there is carried
        out anew."""
        with self._database.writing() as db:
            row = db.execute(
                "INSERT INTO withheld (kind, rule, at, pending) VALUES (?, ?, ?, ?)"
                " ON CONFLICT (kind, rule) DO UPDATE SET pending = excluded.pending RETURNING id",
                (kind.value, rule, int(time.time()), stage),
            ).fetchone()
        return int(row[0])

    def set_stage(self, rule: int, stage: Stage) -> None:
        """Note how far a rule is carried out; one that is being taken back meanwhile stays so."""
        with self._database.writing() as db:
            db.execute(
                "UPDATE withheld SET pending = ? WHERE id = ? AND pending != ?",
                (stage, rule, Stage.LIFTING),
            )

    def remove(self, rule: int) -> None:
        """Keep a rule no more."""
        with self._database.writing() as db:
            db.execute("DELETE FROM withheld WHERE id = ?", (rule,))

    def touched(self, rule: int) -> dict[str, set[str]]:
        """Return what a rule has left something out of: shas by repository; under an empty one
        the references of items."""
        found: dict[str, set[str]] = {}
        with self._database.reading() as db:
            for repo, ref in db.execute(
                "SELECT repo, ref FROM withheld_refs WHERE rule = ?", (rule,)
            ):
                found.setdefault(repo, set()).add(ref)
        return found

    def gone(self, rule: int) -> frozenset[str]:
        """Return what a rule has left nothing of: shas, and references of items."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT w.ref FROM withheld_refs w WHERE w.rule = ?"
                " AND NOT EXISTS (SELECT 1 FROM items i WHERE i.ref = w.ref)"
                " AND NOT EXISTS (SELECT 1 FROM commits c WHERE c.repo = w.repo AND c.sha = w.ref"
                f" AND c.state = {State.LIVE:d})",
                (rule,),
            )
            return frozenset(row[0] for row in rows)

    def salt(self) -> bytes:
        """Return what hashes are made with, made when it is first wanted."""
        with self._database.writing() as db:
            db.execute(
                "INSERT OR IGNORE INTO settings (key, value) VALUES (?, ?)",
                (_SALT, secrets.token_hex(16)),
            )
            row = db.execute("SELECT value FROM settings WHERE key = ?", (_SALT,)).fetchone()
        return bytes.fromhex(row[0])


def note_touched(db: sqlite3.Connection, repo: str, touched: Mapping[int, Collection[str]]) -> None:
    """Note what rules have left something out of, in the transaction that is open."""
    for rule, refs in touched.items():
        db.executemany(
            "INSERT OR IGNORE INTO withheld_refs (rule, repo, ref)"
            " SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM withheld WHERE id = ?)",
            ((rule, repo, ref, rule) for ref in sorted(refs)),
        )


def set_withheld(db: sqlite3.Connection, repo: str, shas: Iterable[str]) -> None:
    """Say of commits that they are known and that nothing of them is kept."""
    db.execute(
        f"UPDATE commits SET state = {State.WITHHELD:d}, chunks = 0"
        f" WHERE repo = ? AND sha IN {LISTED}",
        (repo, listed(shas)),
    )
