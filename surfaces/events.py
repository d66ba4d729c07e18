"""Follows the daemon's journal, over restarts of the daemon and with nothing lost between.

What is read are server-sent events. Whoever follows waits in one place, for the next entry or for
as long as they like, so that a surface needs no thread.
"""

from __future__ import annotations

import json
import select
import sys
import time

from ..memory.errors import HermesError
from .client import Client, DaemonAbsent, DaemonLost, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Self

    from ..daemon.paths import Paths

SILENCE = 75.0
"""Seconds without even a comment, of which one comes each 30 s, after which the daemon is away."""
FIRST_DELAY = 0.1
LONGEST_DELAY = 2.0
"""Seconds between two tries to reach a daemon that is away."""
LONG = 86_400.0
"""Seconds of one wait, where no end is given."""


class Follower:
    """A reader of the journal. Also a context manager that hangs up."""

    def __init__(self, paths: Paths, filters: str = "", after: int | None = None) -> None:
        """Follow from the entry after that number, else from now on. ``filters`` is the query
        that confines it. Raise Refused; without a number also DaemonAbsent."""
        self.last = after
        """The number of the last entry seen."""
        self._paths = paths
        self._filters = filters
        self._client: Client | None = None
        self._pieces: Iterator[bytes] = iter(())
        self._rest = b""
        self._waiting: list[dict[str, Any]] = []
        self._delay = FIRST_DELAY
        try:
            self._connect()
        except (DaemonAbsent, DaemonLost):
            if after is None:
                raise
            self._go()  # it was there when the number was read

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def next(self, seconds: float | None = None) -> dict[str, Any] | None:
        """Return what comes next, or None when nothing has come after so many seconds.

        An object of type ``entry`` is one of the journal; ``gap`` says how many were ``missed``;
        ``away`` and ``back`` that the daemon went and came. Raise Refused, and BrokenPipeError when
        whoever reads our standard output has gone.
        """
        until = None if seconds is None else time.monotonic() + seconds
        while not self._waiting:
            left = LONG if until is None else max(0.0, until - time.monotonic())
            if self._client is None:
                self._come_back(left)
            elif self._client.holds or _ready(self._client.fileno(), min(left, SILENCE)):
                self._receive()
            elif left >= SILENCE:
                self._go()
            if not self._waiting and until is not None and time.monotonic() >= until:
                return None
        return self._waiting.pop(0)

    def _receive(self) -> None:
        try:
            self._parse(next(self._pieces))
        except (DaemonLost, StopIteration):
            self._go()

    def _parse(self, piece: bytes) -> None:
        *blocks, self._rest = (self._rest + piece).split(b"\n\n")
        for block in blocks:
            self._take(block.decode("utf-8"))

    def _take(self, block: str) -> None:
        fields: dict[str, str] = {}
        for line in block.split("\n"):
            name, _, value = line.partition(":")
            fields[name] = value.strip()
        if fields.get("id", "").isdigit():
            self.last = int(fields["id"])
        if "data" not in fields:
            return
        found: dict[str, Any] = json.loads(fields["data"])
        kind = fields.get("event", "")
        if kind == "failed":
            raise Refused(503, found["error"], hint=found["hint"], code=found["code"])
        self._waiting.append({"type": "gap" if kind == "gap" else "entry"} | found)

    def _go(self) -> None:
        self.close()
        self._delay = FIRST_DELAY
        self._waiting.append({"type": "away"})

    def _come_back(self, left: float) -> None:
        _ready(None, min(left, self._delay))
        self._delay = min(self._delay * 2, LONGEST_DELAY)
        try:
            self._connect()
        except (DaemonAbsent, DaemonLost):
            return
        self._waiting.append({"type": "back"})

    def _connect(self) -> None:
        query = self._filters if self.last is None else f"{self._filters}&after={self.last}"
        client = Client.connect(self._paths)
        pieces = client.pieces(f"/v1/journal/follow?{query}", timeout=SILENCE)
        try:
            first = next(pieces)  # it says at once where we stand
        except StopIteration:
            client.close()
            raise DaemonLost("the daemon went away", hint="`hermes up` starts it") from None
        except HermesError:
            client.close()
            raise
        self._client, self._pieces, self._rest = client, pieces, b""
        self._parse(first)


def _ready(number: int | None, seconds: float) -> bool:
    """Wait until there is something to read; return whether there is. A pipe that we write to
    and that nobody reads any more ends the wait: without it ``hermes log -f | head`` would stay
    until the next entry."""
    if not hasattr(select, "poll"):
        if number is None:
            time.sleep(seconds)
            return False
        return bool(select.select([number], [], [], seconds)[0])
    poll = select.poll()
    if number is not None:
        poll.register(number, select.POLLIN)
    out = _number_of_stdout()
    if out is not None:
        poll.register(out, 0)
    found = dict(poll.poll(1000 * seconds))
    if out is not None and found.get(out, 0) & (select.POLLERR | select.POLLNVAL):
        raise BrokenPipeError
    return number in found


def _number_of_stdout() -> int | None:
    try:
        return sys.stdout.fileno()
    except (OSError, ValueError):
        return None
