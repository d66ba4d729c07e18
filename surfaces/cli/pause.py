"""``hermes pause`` and ``hermes resume``: nothing starts by itself for a while."""

from __future__ import annotations

import time

from . import exits
from .connection import connect
from .moments import clock, how_long

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from .output import Output

EXAMPLES = """\
examples:
  hermes pause                until hermes resume
  hermes pause 2h             or 90min, 1h 30m
  hermes pause until 18:00
  hermes pause today          until midnight
"""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``pause`` and ``resume``."""
    parser.set_defaults(name=name)
    if name == "resume":
        parser.usage = "hermes resume [options]"
        return
    parser.usage = "hermes pause [options] [HOW LONG]"
    parser.epilog = EXAMPLES
    parser.add_argument("words", metavar="HOW LONG", nargs="*", help="2h, until 18:00, today")


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what the name says."""
    now = time.time()
    seconds = how_long(" ".join(args.words), now) if args.name == "pause" else None
    client, _ = connect(out)
    with client:
        if args.name == "resume":
            found = client.call("POST", "/v1/resume")
        else:
            found = client.call("POST", "/v1/pause", {"seconds": seconds})
    if out.as_json:
        out.emit(found)
        return exits.DONE
    if args.name == "resume":
        if found.get("was_paused", True):
            out.say("hermes goes on", "green")
        else:
            out.say("hermes was not paused")
        return exits.DONE
    until = "until `hermes resume`" if seconds is None else f"until {clock(now + seconds, now)}"
    out.say(f"paused {until}: nothing starts by itself; events are kept, and you are answered")
    return exits.DONE
