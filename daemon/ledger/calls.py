"""What models were asked for: which, by whom, at what cost; never the text itself."""

from __future__ import annotations

from itertools import groupby
from statistics import median

from ...agents.models.call import Call
from ...memory.database import Database
from .records import Fields

_COLUMNS = (
    "agent, model, prompt, tokens_in, tokens_out, seconds, waited, outcome, at, host, job, event"
)


class Calls:
    """Every call of a model."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, call: Call) -> None:
        """Keep one call."""
        with self._database.writing() as db:
            db.execute(
                f"INSERT INTO calls ({_COLUMNS}) VALUES ({', '.join('?' * 12)})",
                (
                    call.agent,
                    call.model,
                    call.prompt,
                    call.tokens_in,
                    call.tokens_out,
                    call.seconds,
                    call.waited,
                    call.outcome,
                    call.at,
                    call.host,
                    call.job,
                    call.event,
                ),
            )

    def of_job(self, job: int) -> list[Call]:
        """Return the calls made for a job, oldest first."""
        return self._where("job = ?", job)

    def of_event(self, event: int) -> list[Call]:
        """Return the calls made to route an event, oldest first."""
        return self._where("event = ?", event)

    def by_agent(self, since: float) -> list[Fields]:
        """Return a row for each agent and model that was called since then: agent, model, calls,
        failed, tokens_in, tokens_out, seconds (all together) and median (of one that went well).

        A call that gave way to something more urgent is not counted as failed.
        """
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT agent, model, outcome, tokens_in, tokens_out, seconds FROM calls"
                " WHERE at >= ? ORDER BY agent, model",
                (since,),
            ).fetchall()
        found: list[Fields] = []
        for (agent, model), group in groupby(rows, key=lambda row: (row[0], row[1])):
            calls = list(group)
            well = [row[5] for row in calls if row[2] == "ok"]
            failed = sum(row[2] not in ("ok", "preempted", "cancelled") for row in calls)
            found.append(
                {
                    "agent": agent,
                    "model": model,
                    "calls": len(calls),
                    "failed": failed,
                    "tokens_in": sum(row[3] for row in calls),
                    "tokens_out": sum(row[4] for row in calls),
                    "seconds": sum(row[5] for row in calls),
                    "median": median(well) if well else None,
                }
            )
        return found

    def _where(self, condition: str, value: int) -> list[Call]:
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM calls WHERE {condition} ORDER BY id", (value,)
            ).fetchall()
        return [Call(*row) for row in rows]
