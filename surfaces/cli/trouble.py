"""After any command: what is down, in one line, so that hermes never stops watching unnoticed."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .output import Output

CLIENT = f"{__name__.rsplit('.', 2)[0]}.client"
SHOWS_IT = frozenset({"status", "doctor", "up", "down"})
"""Commands that say it themselves, or end it."""


def say_trouble(words: Sequence[str], out: Output) -> None:
    """After the command of these words, say what the daemon told with its answers, if anything."""
    # A command that spoke to no daemon has not imported the client, and pays nothing for this.
    module = sys.modules.get(CLIENT)
    if module is None or not module.Client.trouble or words[0] in SHOWS_IT or out.as_json:
        return
    from ...daemon.paths import locate
    from ...memory.errors import HermesError
    from ..client import Client

    try:
        with Client.connect(locate()) as client:
            found = client.call("GET", "/v1/trouble", timeout=2.0)["trouble"]
    except HermesError:
        return  # it has gone since; what the command had to say is said
    if found:
        out.say(f"{in_words(found)}; `hermes doctor` says more", "yellow")


def in_words(found: list[dict[str, Any]]) -> str:
    """Return e.g. ``the file watch is down: too many folders``."""
    first, *more = found
    detail = str(first["detail"]).strip().rstrip(".")
    name = NAMES.get(first["name"], f"{first['name']} is down")
    others = f" (and {len(more)} more)" if more else ""
    return f"{name}{f': {detail}' if detail else ''}{others}"


NAMES = {
    "watch": "the file watch is down",
    "spool": "the spool is down: git hooks are not heard",
    "schedule": "the schedule is down: nothing runs at its time",
    "runtime": "the queue is down: no job runs",
    "dispatch": "the router is down: events wait",
    "dispatcher": "the router is down: events wait",
    "warm": "the memory is not open",
    "resume": "the memory is not open",
}
"""What it means for a person that a service is down."""
