"""Errors of the ledger that a person can act on."""

from __future__ import annotations

from pathlib import Path

from ...memory.errors import HermesError


class NoSuchId(HermesError):
    """Nothing has the id that was asked for, or not any more."""

    code = "no_such_id"

    def __init__(self, id: str) -> None:
        super().__init__(
            f"there is no {id}",
            hint="`hermes incidents --all` lists them."
            if id.startswith("i")
            else "`hermes jobs` and `hermes log` show what there is; what ended long ago is gone.",
        )


class LedgerDamaged(HermesError):
    """The file of the ledger can't be read; the memory is another file and not concerned."""

    code = "ledger_damaged"

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"the list of jobs and events at {path} is damaged: {reason}",
            hint=f"Move {path.name} away and start hermes again: it makes a new one and looks"
            " through all repositories. What was queued and the journal are lost, memory is not.",
        )
