"""Tokens that a person's shell handed over: in this process's memory, for as long as it lives."""

from __future__ import annotations


class Tokens:
    """Values by the names of their sources. Nothing shows or keeps them."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def put(self, source: str, value: str) -> None:
        """Keep a value in the place of an earlier one."""
        self._values[source] = value

    def of(self, source: str) -> str | None:
        """Return the value for a source; None where none was handed over."""
        return self._values.get(source)

    def drop(self, source: str) -> None:
        """Forget the value for a source."""
        self._values.pop(source, None)
