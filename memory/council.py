"""What councils were asked, what each juror said, and the verdicts.

Packets, opinions, cases, verdicts and proposals are JSON texts of those who write them: memory keeps
them to the byte and reads none of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from .council_records import (
    Council,
    Decided,
    NoSuchCouncil,
    Progress,
    Sitting,
    Spoken,
    Summarized,
)
from .database import Database

MOST_FOUND = 200


def m007_council(db: sqlite3.Connection) -> None:
    """Make the tables of councils and of what is learnt from them."""
    db.execute(
        "CREATE TABLE councils (id INTEGER PRIMARY KEY AUTOINCREMENT, repo TEXT NOT NULL,"
        " topic TEXT NOT NULL, mode TEXT NOT NULL, question TEXT NOT NULL, packet TEXT NOT NULL,"
        " progress TEXT NOT NULL, asked REAL NOT NULL, ended REAL)"
    )
    db.execute("CREATE INDEX councils_by_repo ON councils (repo, asked)")
    db.execute(
        "CREATE TABLE council_rounds (council INTEGER NOT NULL REFERENCES councils ON DELETE"
        " CASCADE, round INTEGER NOT NULL, began REAL NOT NULL, ended REAL,"
        " PRIMARY KEY (council, round)) WITHOUT ROWID"
    )
    db.execute(
        "CREATE TABLE council_opinions (council INTEGER NOT NULL REFERENCES councils ON DELETE"
        " CASCADE, round INTEGER NOT NULL, seat TEXT NOT NULL, juror TEXT NOT NULL,"
        " opinion TEXT NOT NULL, at REAL NOT NULL, seconds REAL NOT NULL,"
        " tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL,"
        " PRIMARY KEY (council, round, seat)) WITHOUT ROWID"
    )
    db.execute(
        "CREATE TABLE council_verdicts (council INTEGER PRIMARY KEY REFERENCES councils ON DELETE"
        " CASCADE, state TEXT NOT NULL, support REAL NOT NULL, at REAL NOT NULL,"
        " case_json TEXT NOT NULL, verdict TEXT NOT NULL)"
    )
    db.execute(
        "CREATE TABLE council_outcomes (council INTEGER PRIMARY KEY REFERENCES councils ON DELETE"
        " CASCADE, result TEXT NOT NULL, note TEXT NOT NULL, at REAL NOT NULL)"
    )
    db.execute(
        "CREATE TABLE council_scores (council INTEGER NOT NULL REFERENCES councils ON DELETE"
        " CASCADE, place INTEGER NOT NULL, juror TEXT NOT NULL, topic TEXT NOT NULL,"
        " value REAL NOT NULL, PRIMARY KEY (council, place)) WITHOUT ROWID"
    )
    db.execute(
        "CREATE TABLE council_told (id INTEGER PRIMARY KEY AUTOINCREMENT, juror TEXT NOT NULL,"
        " topic TEXT NOT NULL, factor REAL NOT NULL, why TEXT NOT NULL, at REAL NOT NULL,"
        " undone REAL)"
    )
    db.execute(
        "CREATE TABLE council_proposals (id INTEGER PRIMARY KEY AUTOINCREMENT, juror TEXT NOT NULL,"
        " topic TEXT NOT NULL, proposal TEXT NOT NULL, answer TEXT NOT NULL, at REAL NOT NULL,"
        " answered REAL, told INTEGER)"
    )
    db.execute(
        "CREATE TABLE council_evidence (proposal INTEGER NOT NULL REFERENCES council_proposals ON"
        " DELETE CASCADE, council INTEGER NOT NULL, PRIMARY KEY (proposal, council)) WITHOUT ROWID"
    )


def m008_council_summaries(db: sqlite3.Connection) -> None:
    """Make the table of what a model put verdicts into."""
    db.execute(
        "CREATE TABLE council_summaries (council INTEGER PRIMARY KEY REFERENCES councils ON DELETE"
        " CASCADE, text TEXT NOT NULL, model TEXT NOT NULL, why TEXT NOT NULL)"
    )


class Councils:
    """Councils by number."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def open(self, repo: str, topic: str, mode: str, question: str, packet: str, now: float) -> int:
        """Store a question with its packet; return its number."""
        with self._database.writing() as db:
            made = db.execute(
                "INSERT INTO councils (repo, topic, mode, question, packet, progress, asked)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (repo, topic, mode, question, packet, Progress.RUNNING, now),
            )
        return int(made.lastrowid or 0)

    def get(self, number: int) -> Council:
        """Return one. Raise NoSuchCouncil."""
        with self._database.reading() as db:
            row = db.execute(f"SELECT {_COUNCIL} FROM councils WHERE id = ?", (number,)).fetchone()
        if row is None:
            raise NoSuchCouncil(number)
        return _council(row)

    def find(
        self, repo: str | None = None, words: str = "", limit: int = MOST_FOUND
    ) -> list[Council]:
        """Return councils, the newest first; with ``words``, those whose question has them all."""
        where, values = ["1"], list[Any]()
        if repo is not None:
            where.append("repo = ?")
            values.append(repo)
        for word in words.split():
            where.append("instr(lower(question), lower(?)) > 0")
            values.append(word)
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COUNCIL} FROM councils WHERE {' AND '.join(where)}"
                " ORDER BY asked DESC, id DESC LIMIT ?",
                (*values, limit),
            ).fetchall()
        return [_council(row) for row in rows]

    def running(self) -> list[Council]:
        """Return those that have not ended: after a start, the ones that were cut short."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COUNCIL} FROM councils WHERE progress = 'running' ORDER BY id"
            ).fetchall()
        return [_council(row) for row in rows]

    def abandon(self, number: int, now: float) -> None:
        """End one that will have no verdict. Raise NoSuchCouncil."""
        self.get(number)
        with self._database.writing() as db:
            db.execute(
                "UPDATE councils SET progress = ?, ended = ? WHERE id = ? AND progress = 'running'",
                (Progress.ABANDONED, now, number),
            )

    def begin_round(self, number: int, round: int, now: float) -> None:
        """Note that a round begins; one that begins again keeps what was said in it."""
        with self._database.writing() as db:
            db.execute(
                "INSERT OR IGNORE INTO council_rounds (council, round, began) VALUES (?, ?, ?)",
                (number, round, now),
            )

    def end_round(self, number: int, round: int, now: float) -> None:
        """Note that everybody was heard, or won't be any more."""
        with self._database.writing() as db:
            db.execute(
                "UPDATE council_rounds SET ended = ? WHERE council = ? AND round = ?",
                (now, number, round),
            )

    def rounds(self, number: int) -> list[Sitting]:
        """Return the rounds of one, in order."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT round, began, ended FROM council_rounds WHERE council = ? ORDER BY round",
                (number,),
            ).fetchall()
        return [Sitting(*row) for row in rows]

    def hear(self, number: int, spoken: Spoken) -> None:
        """Store an opinion as soon as it is there; said again, it takes the place of the first."""
        with self._database.writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO council_opinions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    number,
                    spoken.round,
                    spoken.seat,
                    spoken.juror,
                    spoken.opinion,
                    spoken.at,
                    spoken.seconds,
                    spoken.tokens_in,
                    spoken.tokens_out,
                ),
            )

    def opinions(self, number: int) -> list[Spoken]:
        """Return what was said in one, by round and seat."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT round, seat, juror, opinion, at, seconds, tokens_in, tokens_out"
                " FROM council_opinions WHERE council = ? ORDER BY round, seat",
                (number,),
            ).fetchall()
        return [Spoken(*row) for row in rows]

    def decide(
        self, number: int, state: str, support: float, case: str, verdict: str, now: float
    ) -> None:
        """Store the verdict of one and what it depends on. Raise NoSuchCouncil."""
        self.get(number)
        with self._database.writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO council_verdicts VALUES (?, ?, ?, ?, ?, ?)",
                (number, state, support, now, case, verdict),
            )
            db.execute(
                "UPDATE councils SET progress = ?, ended = ? WHERE id = ?",
                (Progress.DONE, now, number),
            )

    def verdict(self, number: int) -> Decided | None:
        """Return the verdict of one; None if it has none."""
        with self._database.reading() as db:
            row = db.execute(
                "SELECT council, state, support, at, case_json, verdict FROM council_verdicts"
                " WHERE council = ?",
                (number,),
            ).fetchone()
        return None if row is None else Decided(*row)

    def summarize(self, number: int, summary: Summarized) -> None:
        """Store a verdict in a model's words, or why it has none; nothing of one that is gone."""
        with self._database.writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO council_summaries SELECT id, ?, ?, ? FROM councils"
                " WHERE id = ?",
                (summary.text, summary.model, summary.why, number),
            )

    def summary(self, number: int) -> Summarized | None:
        """Return a verdict in a model's words; None if no model was asked for them."""
        with self._database.reading() as db:
            row = db.execute(
                "SELECT text, model, why FROM council_summaries WHERE council = ?", (number,)
            ).fetchone()
        return None if row is None else Summarized(*row)

    def forget(self, repo: str) -> None:
        """Remove everything of one repository: its councils, how they turned out, and proposals
        that rest on one of them. Weights that a person set stay."""
        with self._database.writing() as db:
            db.execute(
                "DELETE FROM council_proposals WHERE id IN (SELECT e.proposal FROM council_evidence"
                " e JOIN councils c ON c.id = e.council WHERE c.repo = ?)",
                (repo,),
            )
            db.execute("DELETE FROM councils WHERE repo = ?", (repo,))


_COUNCIL = "id, repo, topic, mode, question, packet, progress, asked, ended"


def _council(row: Sequence[Any]) -> Council:
    number, repo, topic, mode, question, packet, progress, asked, ended = row
    return Council(number, repo, topic, mode, question, packet, Progress(progress), asked, ended)
