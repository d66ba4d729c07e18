"""What the journal tells attention: jobs that failed or went well, and what the person does."""

from __future__ import annotations

from collections.abc import Callable

from ...agents.contract import Finding, Level
from ..ledger.errors import NoSuchId
from ..ledger.ledger import Ledger
from ..ledger.records import OPEN, WELL, Entry, Job, State
from .findings import Findings, Origin, Row
from .incidents import Incidents
from .person import BOUNDARIES, Person

BATCH = 200
CURSOR = "attention:journal"
ACTIVE = frozenset({"files_changed", "run_asked", "requested"})
"""Events of these kinds are signs of a person in the middle of something. Git's own are not: a
commit brings several, and is followed by a moment of rest."""
PERSONAL = frozenset({"watch", "hook", "api"})
"""Sources of events that a person caused just now."""
TOPICS = ("job", "event")
BOUNDARY = "boundary"
"""In the report of a job that went well: what a person has finished by it, of BOUNDARIES."""

Act = Callable[[Finding, Origin, float], Row]

_ENDS = frozenset(str(state) for state in State if state not in OPEN)


class Listening:
    """Reads on in the journal from where it was last, also after a restart."""

    def __init__(
        self,
        ledger: Ledger,
        findings: Findings,
        incidents: Incidents,
        person: Person,
        admit: Act,
        take_back: Act,
    ) -> None:
        """``admit`` decides what becomes of a finding, ``take_back`` takes back what was said of
        its cause."""
        self._ledger = ledger
        self._findings = findings
        self._incidents = incidents
        self._person = person
        self._admit = admit
        self._take_back = take_back
        self._read: int | None = None

    def catch_up(self, now: float) -> None:
        """Act on all that was written since the last time."""
        while self._read_on(now):
            pass

    def _read_on(self, now: float) -> bool:
        """Act on the next entries of the journal; return whether there were any."""
        # Held for the whole batch: two threads would otherwise count the same failure.
        with self._ledger.database.reading():
            if self._read is None:
                self._read = int(self._ledger.values.get(CURSOR) or 0)
            entries = self._ledger.journal.after(self._read, BATCH, TOPICS)
            if not entries:
                return False
            with self._ledger.writing():
                for entry in entries:
                    if self._heed(entry, now):
                        # Only then: nothing else of it would be wrong if it were read again.
                        self._ledger.values.set(CURSOR, entry.number, now)
            self._read = entries[-1].number
        return True

    def _heed(self, entry: Entry, now: float) -> bool:
        """Given an entry of the journal, act on it; return whether anything was written."""
        if entry.topic == "event":
            if entry.what == "accepted" and entry.fields.get("source") in PERSONAL:
                if entry.fields.get("kind") == "committed":
                    self._person.boundary("commit", entry.at)
                elif entry.fields.get("kind") in ACTIVE:
                    self._person.active(entry.at)
            return False
        if entry.topic != "job" or entry.about is None or entry.what not in _ENDS:
            return False
        try:
            job = self._ledger.queue.get(entry.about)
        except NoSuchId:
            return False
        if job.state != entry.what:
            return False  # it was tried again since
        if job.state is State.OK and job.report.get(BOUNDARY) in BOUNDARIES:
            self._person.boundary(job.report[BOUNDARY], entry.at)
        if job.state in WELL:
            return self._recover(job, now) if job.state in (State.OK, State.SILENT) else False
        self._count(job, now)
        return True

    def _count(self, job: Job, now: float) -> None:
        incident, new = self._incidents.count(job, now)
        what = "opened" if new else "again"
        fields = {**incident.fields(), "subject": job.subject}
        self._ledger.journal.append(
            "incident", what, now, incident.id, job.repo, incident.title, fields
        )
        if new and job.state is State.BLOCKED_CONFIG:
            # Nothing goes on without the person: said at once, where it does not disturb.
            alert = Finding(
                f"incident:{incident.id}",
                incident.title,
                Level.GLANCE,
                str(job.error.get("hint", "")) or f"hermes why j{job.id}",
            )
            self._admit(alert, Origin(job.agent, job.repo, job.id), now)

    def _recover(self, job: Job, now: float) -> bool:
        over = self._incidents.recover(job)
        for incident in over:
            text = f"works again: {incident.title}"
            self._ledger.journal.append("incident", "recovered", now, incident.id, job.repo, text)
            gone = Finding(f"incident:{incident.id}", text, Level.LOG, recovered=True)
            if self._findings.standing(gone.cause):
                self._take_back(gone, Origin(job.agent, job.repo, job.id), now)
        return bool(over)
