"""Errors a person can act on: one line of what is wrong and where, one of what to do."""

from __future__ import annotations


class HermesError(Exception):
    """Something went wrong that the person at the keyboard can understand and act on."""

    code = "error"
    """Stable word for scripts and for the API."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
