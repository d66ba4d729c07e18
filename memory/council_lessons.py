"""What is learnt from councils: how verdicts turned out, weights that a person set, and proposals."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from .council_records import (
    Answer,
    Change,
    NoSuchCouncil,
    NothingOpen,
    NoVerdict,
    Outcome,
    Result,
    Score,
    Suggested,
    Told,
)
from .database import Database


class Lessons:
    """Outcomes, weights and proposals. They go with the councils that they come from."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def set_outcome(
        self, number: int, result: Result, note: str, scores: Sequence[Score], now: float
    ) -> None:
        """Store how a verdict turned out and how right each juror was; said again, it takes the
        place of what was said before. Raise NoSuchCouncil, NoVerdict."""
        with self._database.writing() as db:
            if db.execute("SELECT 1 FROM councils WHERE id = ?", (number,)).fetchone() is None:
                raise NoSuchCouncil(number)
            decided = "SELECT 1 FROM council_verdicts WHERE council = ?"
            if db.execute(decided, (number,)).fetchone() is None:
                raise NoVerdict(number)
            self._drop_outcome(db, number)
            db.execute(
                "INSERT INTO council_outcomes VALUES (?, ?, ?, ?)", (number, result, note, now)
            )
            db.executemany(
                "INSERT INTO council_scores VALUES (?, ?, ?, ?, ?)",
                [
                    (number, place, one.juror, one.topic, one.value)
                    for place, one in enumerate(scores)
                ],
            )

    def take_back_outcome(self, number: int) -> bool:
        """Forget how a verdict turned out; return whether anything was known."""
        with self._database.writing() as db:
            return self._drop_outcome(db, number)

    @staticmethod
    def _drop_outcome(db: sqlite3.Connection, number: int) -> bool:
        db.execute("DELETE FROM council_scores WHERE council = ?", (number,))
        gone = db.execute("DELETE FROM council_outcomes WHERE council = ?", (number,))
        return gone.rowcount > 0

    def outcome(self, number: int) -> Outcome | None:
        """Return how a verdict turned out; None if nobody has said."""
        return next((one for one in self.outcomes() if one.council == number), None)

    def outcomes(self) -> list[Outcome]:
        """Return every outcome that is known, oldest council first."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT o.council, c.topic, o.result, o.note, o.at, v.support"
                " FROM council_outcomes o JOIN councils c ON c.id = o.council"
                " JOIN council_verdicts v ON v.council = o.council ORDER BY o.council"
            ).fetchall()
        return [
            Outcome(number, topic, Result(result), note, at, support)
            for number, topic, result, note, at, support in rows
        ]

    def scores(self) -> list[Score]:
        """Return how right jurors were, oldest council first."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT juror, topic, value FROM council_scores ORDER BY council, place"
            ).fetchall()
        return [Score(*row) for row in rows]

    # -- weights that a person set

    def tell(self, told: Told, why: str, now: float) -> int:
        """Set a factor; return the number by which it can be taken back."""
        with self._database.writing() as db:
            made = db.execute(
                "INSERT INTO council_told (juror, topic, factor, why, at) VALUES (?, ?, ?, ?, ?)",
                (told.juror, told.topic, told.factor, why, now),
            )
        return int(made.lastrowid or 0)

    def undo(self, number: int, now: float) -> Change:
        """Take back a change of weights: what held before holds again. Raise NothingOpen."""
        with self._database.writing() as db:
            done = db.execute(
                "UPDATE council_told SET undone = ? WHERE id = ? AND undone IS NULL", (now, number)
            )
            if not done.rowcount:
                raise NothingOpen(
                    f"there is no change {number} that holds",
                    hint="`hermes council weights` lists them",
                )
            return next(one for one in self.changes() if one.id == number)

    def changes(self) -> list[Change]:
        """Return the history of weights that were set, oldest first."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT id, juror, topic, factor, why, at, undone FROM council_told ORDER BY id"
            ).fetchall()
        return [
            Change(number, Told(juror, topic, factor), why, at, undone)
            for number, juror, topic, factor, why, at, undone in rows
        ]

    def told(self) -> list[Told]:
        """Return the factors that hold, the last one said last."""
        return [one.told for one in self.changes() if one.undone is None]

    # -- proposals

    def suggest(
        self, juror: str, topic: str, proposal: str, evidence: Sequence[int], now: float
    ) -> int:
        """Store a proposal that waits for an answer; return its number."""
        with self._database.writing() as db:
            made = db.execute(
                "INSERT INTO council_proposals (juror, topic, proposal, answer, at)"
                " VALUES (?, ?, ?, ?, ?)",
                (juror, topic, proposal, Answer.OPEN, now),
            )
            number = int(made.lastrowid or 0)
            db.executemany(
                "INSERT INTO council_evidence VALUES (?, ?)",
                [(number, council) for council in sorted(set(evidence))],
            )
        return number

    def suggested(self, answer: Answer | None = None) -> list[Suggested]:
        """Return proposals, or those with that answer, oldest first."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT id, juror, topic, proposal, answer, at, answered, told"
                " FROM council_proposals ORDER BY id"
            ).fetchall()
            evidence: dict[int, list[int]] = {}
            for proposal, council in db.execute(
                "SELECT proposal, council FROM council_evidence ORDER BY proposal, council"
            ):
                evidence.setdefault(proposal, []).append(council)
        return [
            Suggested(
                number,
                juror,
                topic,
                proposal,
                tuple(evidence.get(number, ())),
                Answer(answered_as),
                at,
                answered,
                told,
            )
            for number, juror, topic, proposal, answered_as, at, answered, told in rows
            if answer in (None, answered_as)
        ]

    def approve(self, number: int, told: Told, now: float) -> int:
        """Do what a proposal says; return the number of the change. Raise NothingOpen."""
        with self._database.writing() as db:
            self._answer(db, number, Answer.APPROVED, now)
            change = self.tell(told, f"proposal {number}", now)
            db.execute("UPDATE council_proposals SET told = ? WHERE id = ?", (change, number))
        return change

    def dismiss(self, number: int, now: float) -> None:
        """Turn a proposal down: its evidence is not proposed again. Raise NothingOpen."""
        with self._database.writing() as db:
            self._answer(db, number, Answer.DISMISSED, now)

    @staticmethod
    def _answer(db: sqlite3.Connection, number: int, answer: Answer, now: float) -> None:
        done = db.execute(
            "UPDATE council_proposals SET answer = ?, answered = ? WHERE id = ? AND answer = ?",
            (answer, now, number, Answer.OPEN),
        )
        if not done.rowcount:
            raise NothingOpen(
                f"there is no open proposal {number}",
                hint="`hermes council reflect` makes one if there is reason to",
            )
