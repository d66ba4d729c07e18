"""Errors of the ledger that a person can act on."""

from __future__ import annotations

from ...memory.errors import HermesError


class NoSuchId(HermesError):
    """Nothing has the id that was asked for, or not any more."""

    code = "no_such_id"

    def __init__(self, id: str) -> None:
        super().__init__(
            f"there is no {id}",
            hint="`hermes jobs` and `hermes log` show what there is; what ended long ago is gone.",
        )
