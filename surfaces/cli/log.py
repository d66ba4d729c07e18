"""``hermes log``: the numbered journal of what happened, to read back and to follow."""

from __future__ import annotations

import time

from ...daemon.paths import locate
from . import exits
from .columns import columns
from .connection import connect
from .happened import SOURCES
from .moments import exactly
from .scope import WrongUse, place
from .states import UPKEEP
from .text import count, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from .output import Output, Stream

    Entry = dict[str, Any]

TOPICS = ("event", "job", "finding", "incident", "model", "trigger", "daemon")
MOST = 1_000
BAD = frozenset({"failed", "dead", "abandoned", "refused", "down", "interrupt"})
DOUBTFUL = frozenset(
    {"late", "blocked_config", "delivery_failed", "retry", "degraded", "opened", "again", "away"}
)
GOOD = frozenset({"ok", "recovered", "back", "loaded", "resumed"})
QUIET = frozenset({"silent", "skipped", "joined", "routed", "given_back", "cancelled"})
LETTERS = {"event": "e", "job": "j", "finding": "f", "incident": "i"}
"""What the ids of a topic begin with; `hermes why` takes them, `hermes incidents` those of its
own."""
ROUTINE = {
    "event": frozenset({"routed"}),
    "job": frozenset({"queued", "joined", "started", "silent", "skipped", "given_back"}),
}
"""What is on the way to something, or came to nothing."""
OUTSIDE = frozenset({"spool", "webhook"})
"""Sources whose events are told for themselves. Of others the job that came of them tells."""
SPACE = 7
"""Columns kept for ids in what is followed, where the widest is not known beforehand."""
EXAMPLES = """\
examples:
  hermes log -f                        follow what happens, Ctrl-C ends it
  hermes log --all                     each step of it: what came, who took it up, what began
  hermes log --topic job --since 2h    what became of the jobs of the last two hours
  hermes log --json -f | jq .text      one object a line
"""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``log``."""
    parser.usage = "hermes log [options]"
    parser.epilog = EXAMPLES
    parser.add_argument("-f", "--follow", action="store_true", help="go on with what comes")
    parser.add_argument(
        "--topic",
        metavar="TOPIC",
        action="append",
        default=[],
        choices=TOPICS,
        help="only event, job, finding, incident, model, trigger or daemon; can be given again",
    )
    parser.add_argument("--agent", metavar="NAME", help="only what this agent's jobs did")
    parser.add_argument("--repo", metavar="NAME", help="only this repository; . for this one")
    parser.add_argument("--since", metavar="DATE", help="2h, today, yesterday, 2025-03-01 …")
    parser.add_argument(
        "--all",
        action="store_true",
        help="routine too: events, the way of each job, upkeep, what came to nothing",
    )
    parser.add_argument("-n", "--limit", metavar="N", type=int, help="how many to show (20)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show the last entries, and with ``-f`` those that come."""
    from urllib.parse import urlencode

    if args.limit is not None and not 0 <= args.limit <= MOST:
        raise WrongUse(f"--limit takes a number up to {MOST:,}")
    query = [("topic", topic) for topic in args.topic]
    query += [("agent", args.agent)] if args.agent else []
    query += [("repo", place(args.repo))] if args.repo else []
    filters = urlencode(query)
    since = [("since", str(_moment(args.since)))] if args.since else []
    limit = args.limit if args.limit is not None else MOST if args.since else 20
    whole = args.all or out.as_json or bool(args.topic)
    read = max(limit, 1) if whole else MOST  # most of what there is is routine
    client, _ = connect(out)
    with client:
        asked = urlencode([*query, *since, ("limit", str(read))])
        found = client.call("GET", f"/v1/journal?{asked}")
    there: list[Entry] = found["entries"]
    told = [entry for entry in there if whole or not is_routine(entry)]
    entries = told[-limit:] if limit else []
    if out.as_json:
        for entry in entries:
            out.emit(entry)
    else:
        for line in entry_lines(entries, time.time(), out.out):
            out.line(line)
        if there and not told and not args.follow:
            out.say("nothing but routine; `hermes log --all` shows it")
        elif not there and limit and not args.follow:
            out.say("nothing is written down" + (" of that kind" if query or since else " yet"))
    return _follow(filters, found["newest"], whole, out) if args.follow else exits.DONE


def _follow(filters: str, after: int, whole: bool, out: Output) -> int:
    from ..events import Follower

    with Follower(locate(), filters, after) as follower:
        while True:
            if (found := follower.next()) is not None:
                _tell(found, whole, out)


def _tell(found: dict[str, Any], whole: bool, out: Output) -> None:
    match found.pop("type"):
        case "gap":
            out.say(_missed(found["missed"]), "yellow")
        case "away":
            out.say("the daemon is away; waiting for it", "yellow")
        case "back":
            out.say("the daemon is back", "green")
        case _ if out.as_json:
            out.emit(found)
        case _ if whole or not is_routine(found):
            for line in entry_lines([found], time.time(), out.out):
                out.line(line)
        case _:
            pass


def is_routine(entry: Entry) -> bool:
    """Say whether an entry is only a step on the way, or upkeep that nobody asked for."""
    topic, what, fields = entry["topic"], entry["what"], entry["fields"]
    if (topic, what) == ("event", "accepted"):
        return fields.get("source") not in OUTSIDE
    if (topic, what) == ("job", "ok") and fields.get("lane") != "on_demand":
        return (fields.get("agent"), fields.get("subject")) in UPKEEP
    return what in ROUTINE.get(topic, ())


def _missed(number: int) -> str:
    if not number:
        return "the journal begins anew: what was followed so far is not there any more"
    were = "was" if number == 1 else "were"
    return f"{count(number, 'entry', 'entries')} {were} trimmed before being read here"


def entry_lines(entries: Sequence[Entry], now: float, stream: Stream) -> list[str]:
    """Return a line for each entry: number, time, what happened, to what, in words."""
    rows = [
        (
            (f"{entry['number']:>6}", "dim"),
            (exactly(entry["at"], now), "dim"),
            (f"{entry['topic']} {entry['what']}".ljust(15), style_of(entry["what"])),
            (id_of(entry).ljust(SPACE - 2), "bold"),
            (one_line(text_of(entry)), ""),
        )
        for entry in entries
    ]
    return columns(rows, stream, give=(0,), least=30)


def style_of(what: str) -> str:
    """Return the colour of something that happened."""
    for words, style in ((BAD, "red"), (DOUBTFUL, "yellow"), (GOOD, "green"), (QUIET, "dim")):
        if what in words:
            return style
    return ""


def text_of(entry: Entry) -> str:
    """Return what happened, in words; of an event that came its kind and who told."""
    if (entry["topic"], entry["what"]) == ("event", "accepted"):
        source = entry["fields"].get("source", "")
        return f"{entry['text'].replace('_', ' ')}, told by {SOURCES.get(source) or source}"
    return str(entry["text"])


def id_of(entry: Entry) -> str:
    """Return e.g. ``j12``: what the entry is about, as `hermes why` takes it."""
    about, topic = entry["about"], entry["topic"]
    return "" if about is None else f"{LETTERS.get(topic, '#')}{about}"


def _moment(text: str) -> int:
    from datetime import datetime

    from ...memory.dates import parse
    from .moments import length

    if (seconds := length(text)) is not None:
        return int(time.time() - seconds)
    return parse(text, datetime.now())
