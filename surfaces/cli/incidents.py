"""``hermes incidents``: what keeps failing, and a word that you know."""

from __future__ import annotations

import time

from . import exits
from .columns import columns
from .connection import connect
from .moments import ago
from .scope import WrongUse
from .text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from .output import Output, Stream

    Incident = dict[str, Any]

STYLES = {"open": "red", "acknowledged": "yellow", "recovered": "green"}
EXAMPLES = """\
examples:
  hermes incidents          what failed and is not over
  hermes incidents --all    what is over as well
  hermes incidents ack 3    I know: not another word until it has recovered and comes again
"""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``incidents``."""
    parser.usage = "hermes incidents [ack ID] [options]"
    parser.epilog = EXAMPLES
    parser.add_argument(
        "action",
        metavar="ACTION",
        nargs="?",
        default="ls",
        choices=("ls", "ack"),
        help="ack, or ls",
    )
    parser.add_argument("number", metavar="ID", nargs="?", help="with ack: which, as 3 or i3")
    parser.add_argument("--all", action="store_true", help="what is over as well")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show the incidents, or acknowledge one."""
    number = _number(args)
    client, _ = connect(out)
    with client:
        if number is not None:
            found = client.call("POST", f"/v1/incidents/{number}/acknowledge")
        else:
            found = client.call("GET", f"/v1/incidents?over={'true' if args.all else 'false'}")
    if out.as_json:
        out.emit(found)
    elif number is not None:
        said = "is over already" if found["incident"]["state"] == "recovered" else "is noted"
        out.say(f"i{number} {said}: {found['incident']['title']}")
    elif not found["incidents"]:
        out.say("nothing has failed" if args.all else "nothing is failing", "green")
    else:
        for line in incident_lines(found["incidents"], time.time(), out.out):
            out.line(line)
    return exits.DONE


def incident_lines(incidents: Sequence[Incident], now: float, stream: Stream) -> list[str]:
    """Return a line for each incident, the latest first."""
    rows = [
        (
            (f"i{incident['id']}", "bold"),
            (incident["state"], STYLES[incident["state"]]),
            (ago(incident["last"], now), "dim"),
            ("once" if incident["count"] == 1 else f"{incident['count']} times", ""),
            (clean(incident["repo_name"] or ""), ""),
            (incident["why"] or "", "dim"),
            (clean(incident["title"]), ""),
        )
        for incident in incidents
    ]
    return columns(rows, stream, give=(4, 2, 5), least=30)


def _number(args: argparse.Namespace) -> int | None:
    if args.action == "ls":
        if args.number is not None:
            raise WrongUse(f"ls takes no {args.number}", hint="`hermes incidents ack ID` notes one")
        return None
    text = str(args.number or "").lower().removeprefix("i")
    if not (text.isascii() and text.isdecimal()):
        what = f"{args.number} is no incident" if args.number else "ack which incident?"
        raise WrongUse(what, hint="`hermes incidents` lists them, for example i3")
    return int(text)
