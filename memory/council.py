"""What councils were asked, what each juror said, the verdicts, how they turned out, and the weights that follow.

Packets, opinions, cases, verdicts and proposals are JSON texts of those who write them: memory keeps
them to the byte and reads none of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .database import Database
from .errors import HermesError

MOST_FOUND = 200


class Progress(StrEnum):
    """How far a council is."""

    RUNNING = "running"
    DONE = "done"
    ABANDONED = "abandoned"
    """The daemon went away meanwhile, or a person stopped it."""


class Result(StrEnum):
    """How a verdict turned out."""

    RIGHT = "right"
    WRONG = "wrong"
    MIXED = "mixed"

    @property
    def share(self) -> float:
        """How much of it was right, 0..1."""
        return {"right": 1.0, "wrong": 0.0, "mixed": 0.5}[self]


class Answer(StrEnum):
    """What became of a proposal."""

    OPEN = "open"
    APPROVED = "approved"
    DISMISSED = "dismissed"


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


class NoSuchCouncil(HermesError):
    """A number is named that no council has."""

    code = "no_such_id"

    def __init__(self, number: int) -> None:
        super().__init__(f"there is no council {number}", hint="`hermes council list` shows them")


class NoVerdict(HermesError):
    """A council has no verdict yet, so it can't have turned out in any way."""

    code = "no_verdict"

    def __init__(self, number: int) -> None:
        super().__init__(
            f"council {number} has no verdict",
            hint=f"`hermes council show {number}` tells how far it got",
        )


class NothingOpen(HermesError):
    """A proposal is answered that is not open, or a change taken back that does not hold."""

    code = "no_such_id"


@dataclass(frozen=True, slots=True)
class Council:
    """One question that was asked."""

    id: int
    repo: str
    topic: str
    mode: str
    question: str
    packet: str
    progress: Progress
    asked: float
    ended: float | None


@dataclass(frozen=True, slots=True)
class Spoken:
    """One juror's opinion of one round, and what it took."""

    round: int
    seat: str
    juror: str
    opinion: str
    at: float
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True)
class Sitting:
    """When one round was held."""

    round: int
    began: float
    ended: float | None


@dataclass(frozen=True, slots=True)
class Decided:
    """A verdict and all that it depends on."""

    council: int
    state: str
    support: float
    at: float
    case: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a verdict turned out, as a person said."""

    council: int
    topic: str
    result: Result
    note: str
    at: float
    support: float
    """The verdict's."""


@dataclass(frozen=True, slots=True)
class Score:
    """How right one juror was in one case whose outcome is known."""

    juror: str
    topic: str
    value: float
    """1 right, 0 wrong, 0.5 half right."""


@dataclass(frozen=True, slots=True)
class Told:
    """A factor that a person set for a juror on a topic, or approved."""

    juror: str
    """``ollama:hermes3:8b``, or the model alone."""
    topic: str
    factor: float


@dataclass(frozen=True, slots=True)
class Change:
    """One change of weights, as its history lists it."""

    id: int
    told: Told
    why: str
    at: float
    undone: float | None
    """When it was taken back."""


@dataclass(frozen=True, slots=True)
class Suggested:
    """A proposal that waits for an answer, or had one."""

    id: int
    juror: str
    topic: str
    proposal: str
    evidence: tuple[int, ...]
    """Councils that it rests on."""
    answer: Answer
    at: float
    answered: float | None
    told: int | None
    """The change of weights that its approval made."""


class Councils:
    """Councils by number, and what was learnt from them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- what was asked and said

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

    # -- how it turned out

    def set_outcome(
        self, number: int, result: Result, note: str, scores: Sequence[Score], now: float
    ) -> None:
        """Store how a verdict turned out and how right each juror was; said again, it takes the
        place of what was said before. Raise NoSuchCouncil, NoVerdict."""
        self.get(number)
        if self.verdict(number) is None:
            raise NoVerdict(number)
        with self._database.writing() as db:
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
