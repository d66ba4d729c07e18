"""What the tests of rendering share."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from hermes.surfaces.cli.output import Stream


class Terminal(io.StringIO):
    """Text that claims to be a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


MakeStream = Callable[..., Stream]


@pytest.fixture
def make_stream(monkeypatch: pytest.MonkeyPatch) -> MakeStream:
    """Give a function that makes a stream: of a terminal with so many columns, or of a pipe."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def make(columns: int | None = None, *, colours: bool = False) -> Stream:
        if columns is not None:
            monkeypatch.setenv("COLUMNS", str(columns))
        stream = Stream(io.StringIO() if columns is None else Terminal())
        stream.colours = colours
        return stream

    return make
