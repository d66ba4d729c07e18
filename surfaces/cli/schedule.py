"""``hermes schedule``: what runs at which times, and what became of the last."""

from __future__ import annotations

import time

from . import exits
from .columns import columns
from .connection import connect
from .moments import ago, clock
from .scope import WrongUse
from .text import clean, count, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from .output import Output, Stream

    Entry = dict[str, Any]

EXAMPLES = """\
examples:
  hermes schedule               what runs when
  hermes schedule run upkeep    now, whatever its times are
"""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``schedule``."""
    parser.usage = "hermes schedule [run NAME] [options]"
    parser.epilog = EXAMPLES
    parser.add_argument(
        "action",
        metavar="ACTION",
        nargs="?",
        default="ls",
        choices=("ls", "run"),
        help="run, or ls",
    )
    parser.add_argument("entry", metavar="NAME", nargs="?", help="with run: which entry")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show the schedule, or have one of its entries run."""
    if (args.action == "run") != (args.entry is not None):
        raise WrongUse(
            "run which entry?" if args.action == "run" else f"ls takes no {args.entry}",
            hint="`hermes schedule` lists them",
        )
    if "/" in (args.entry or ""):  # no path of the API, and no entry's name either
        raise WrongUse(
            f"the schedule has no entry {args.entry}", hint="`hermes schedule` lists them"
        )
    client, _ = connect(out)
    with client:
        if args.action == "run":
            from urllib.parse import quote

            found = client.call("POST", f"/v1/schedule/{quote(args.entry, safe='')}/run")
        else:
            found = client.call("GET", "/v1/schedule")
    if out.as_json:
        out.emit(found)
    elif args.action == "run":
        out.say(f"{args.entry} is queued; `hermes why e{found['event']}` tells what becomes of it")
    else:
        for line in schedule_lines(found["entries"], time.time(), out.out):
            out.line(line)
        out.say(f"times are those of {found['zone']}", "dim")
    return exits.DONE


def schedule_lines(entries: Sequence[Entry], now: float, stream: Stream) -> list[str]:
    """Return a line for each entry, the next to come first, and what was out of the ordinary."""
    rows = [
        (
            (clean(entry["name"]), "bold"),
            (_next(entry, now), ""),
            (_last(entry, now), "yellow" if _odd(entry) else "dim"),
            (f"{entry['agent']} {entry['subject']}".strip(), ""),
            (entry["words"], "dim"),
        )
        for entry in entries
    ]
    lines = columns(rows, stream, give=(3, 2))
    for entry in entries:
        if _odd(entry):
            width = stream.width - 2 if stream.terminal else 10_000
            for number, part in enumerate(wrap(_oddity(entry, now), width)):
                lines.append(stream.style(("  " if number else "- ") + part, "yellow"))
    return lines


def _next(entry: Entry, now: float) -> str:
    if entry["waiting"]:
        return "in a moment"
    return f"{clock(entry['next'], now)} ({ago(entry['next'], now)})"


def _last(entry: Entry, now: float) -> str:
    last = entry["last"]
    if last is None:
        return "not yet"
    word = {"late": "late, ", "dropped": "left out, ", "asked": "by hand, "}.get(
        last["outcome"], ""
    )
    return word + ago(last["at"], now)


def _odd(entry: Entry) -> bool:
    last = entry["last"]
    return last is not None and (last["outcome"] in ("late", "dropped") or last["missed"] > 0)


def _oddity(entry: Entry, now: float) -> str:
    last = entry["last"]
    text = f"{clean(entry['name'])} was due {clock(last['due'], now)}"
    text += {"late": " and ran late", "dropped": " and was left out"}.get(last["outcome"], "")
    if last["missed"]:
        text += f", with {count(last['missed'], 'earlier time')}"
    return text + (f": {clean(last['reason'])}" if last["reason"] else "")
