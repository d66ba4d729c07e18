"""What surfaces report of the findings they were to show."""

from __future__ import annotations

import logging

from ..ledger.errors import NoSuchId
from ..ledger.ledger import Ledger
from .decide import Place
from .findings import Findings, Row
from .reputation import Reputation

logger = logging.getLogger(__name__)


class Delivery:
    """Whether a finding reached a screen, and what the person did with it."""

    def __init__(self, ledger: Ledger, findings: Findings, reputation: Reputation) -> None:
        self._ledger = ledger
        self._findings = findings
        self._reputation = reputation

    def delivered(self, id: int, now: float) -> Row:
        """Note that a surface showed a finding. Raise NoSuchId."""
        row = self._findings.get(id)
        place = Place.SHOWN if row.place is Place.DIGEST and row.shown_at else row.place
        return self._findings.change(id, delivered=now, delivery_error=None, state=str(place))

    def undelivered(self, id: int, now: float, reason: str) -> Row:
        """Note that a surface could not show a finding: status says so, and the next brief tells
        the finding. Raise NoSuchId."""
        row = self._findings.get(id)
        if row.delivered is not None or row.place is not Place.SHOWN:
            return row
        with self._ledger.writing():
            row = self._findings.change(id, delivery_error=reason, state=str(Place.DIGEST))
            text = f"could not be shown: {reason}"
            self._ledger.journal.append(
                "finding", "undelivered", now, id, row.repo, text, row.fields()
            )
            if row.job is not None:
                try:
                    self._ledger.queue.undelivered(row.job, now, reason)
                except NoSuchId:
                    logger.info("the job of finding %d is gone already", row.id)
        return row

    def opened(self, id: int, now: float) -> Row:
        """Note that a person opened a finding. Raise NoSuchId."""
        with self._ledger.writing():
            row = self._findings.change(id, opened_at=now)
            if turn := self._reputation.reconsider(row.agent, now):
                text = f"{turn.agent} may show things again: {turn.reason}"
                self._ledger.journal.append("finding", "promoted", now, text=text)
        return row

    def dismissed(self, id: int, now: float) -> Row:
        """Note that a person sent a finding away. Raise NoSuchId."""
        return self._findings.change(id, dismissed_at=now)

    def ignored(self, id: int, now: float) -> Row:
        """Note that a finding went away by itself, unopened. Raise NoSuchId."""
        return self._findings.change(id, ignored_at=now)
