"""``hermes brief``: today's brief, or another."""

from __future__ import annotations

import os
import re

from ...daemon.paths import locate
from ...memory.errors import HermesError
from ..client import DaemonAbsent
from . import exits
from .connection import connect
from .scope import WrongUse, place
from .text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from ..client import Client
    from .output import Output

    Found = dict[str, Any]

EXAMPLES = """\
examples:
  hermes brief                       today's, as your first shell printed it
  hermes brief --all                 with what found no room, and details
  hermes brief --week --markdown     to be pasted into a chat
  hermes brief --since "last friday" --author ana
  hermes brief rate 3 -              line 3 is of no use: less of that from now on
"""
NARROWEST, WIDEST = 30, 100


class NoBrief(HermesError):
    """The daemon does not run, and left no brief."""

    code = "not_running"


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``brief``."""
    parser.usage = "hermes brief [options]\n       hermes brief rate N +|-"
    parser.epilog = EXAMPLES
    parser.add_argument("words", metavar="rate N +|-", nargs="*", help="say how useful a line is")
    time = parser.add_argument_group("another brief than today's")
    time.add_argument("--week", action="store_true", help="this week; on a Monday the last one")
    time.add_argument("--since", metavar="DATE", help="2025-03-01, yesterday, 'last friday' …")
    time.add_argument("--author", metavar="NAME", help="what somebody else finished")
    time.add_argument("--team", action="store_true", help="what everybody finished")
    time.add_argument(
        "--repo",
        metavar="NAME",
        action="append",
        default=[],
        help="this repository alone; . is the one you are in; can be given again",
    )
    time.add_argument(
        "--all-repos", action="store_true", help="every repository in memory, as usual"
    )
    form = parser.add_argument_group("form")
    form.add_argument("--all", action="store_true", help="more than a screen: all, with details")
    form.add_argument("--markdown", action="store_true", help="for pasting into a chat")
    form.add_argument(
        "--speak-plain", action="store_true", help="sentences to be read aloud: no symbols"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Show a brief, or rate a line of one."""
    rated = _rated(args)
    body = _other(args)
    if rated is not None:
        client, _ = connect(out)
        with client:
            return _rate(client, *rated, out)
    try:
        client, _ = connect(out)
    except DaemonAbsent as absent:
        if body is not None or args.all:
            raise
        return _from_file(args, out, absent)
    with client:
        found = _ask(client, args, body, out)
    return _show(found, args, out, today=body is None)


def _rated(args: argparse.Namespace) -> tuple[int, bool] | None:
    """Return the line's number and whether it is useful; None if none is rated. Raise WrongUse."""
    if not args.words:
        return None
    match args.words:
        case ["rate", number, ("+" | "-") as sign] if re.fullmatch(r"[1-9]\d{0,3}", number):
            return int(number), sign == "+"
        case ["rate", *_]:
            raise WrongUse("rate takes a line's number and + or -", hint="hermes brief rate 3 -")
        case words:
            raise WrongUse(
                f"brief takes no {words[0]}",
                hint="`hermes brief --help` says how it is used",
            )


def _other(args: argparse.Namespace) -> Found | None:
    """Return what another brief is asked for with; None for today's. Raise WrongUse."""
    if args.repo and args.all_repos:
        raise WrongUse("--repo and --all-repos exclude each other")
    if args.week and args.since:
        raise WrongUse("--week and --since exclude each other")
    if args.team and args.author:
        raise WrongUse("--team and --author exclude each other")
    if args.markdown and args.speak_plain:
        raise WrongUse("--markdown and --speak-plain exclude each other")
    for name in ("since", "author"):
        value: str | None = getattr(args, name)
        if value is not None and not value.strip():
            raise WrongUse(f"--{name} is empty")
    if not (args.week or args.since or args.author or args.team or args.repo):
        return None
    return {
        "since": args.since or "",
        "week": args.week,
        "author": args.author or "",
        "team": args.team,
        "repos": [place(name) for name in args.repo],
        "whole": args.all,
    }


def _ask(client: Client, args: argparse.Namespace, body: Found | None, out: Output) -> Found:
    form = {"width": _width(out), "style": _style(args, out)}
    if body is not None:
        found: Found = client.call("POST", "/v1/brief", body | form)
        return found
    from urllib.parse import urlencode

    query = urlencode(form | ({"whole": "true"} if args.all else {}))
    found = client.call("GET", f"/v1/brief?{query}")
    return found


def _width(out: Output) -> int:
    return max(NARROWEST, min(out.out.columns, WIDEST))


def _style(args: argparse.Namespace, out: Output) -> str:
    if args.markdown:
        return "markdown"
    if args.speak_plain:
        return "spoken"
    if not _says_everything(out):
        return "ascii"
    return "ansi" if out.out.colours else "text"


def _says_everything(out: Output) -> bool:
    encoding = getattr(out.out.file, "encoding", None) or "ascii"
    return encoding.lower().replace("-", "").startswith("utf")


def _show(found: Found, args: argparse.Namespace, out: Output, *, today: bool) -> int:
    brief: Found = found["brief"]
    if out.as_json:
        out.emit(found["brief"])
        return exits.DONE
    if not brief["facts"] and not brief["unreadable"]:
        out.say(f"nothing to tell {brief['words']}".rstrip(), "green")
        return exits.DONE
    for line in found["lines"]:
        out.line(line)
    unnoted: str = found.get("unnoted", "")
    if today and not unnoted and out.out.terminal:
        cut = not args.all and _style(args, out) in ("text", "ascii", "ansi")
        unnoted = _mark(brief["day"], _width(out) if cut else 0)
    _say_unnoted(unnoted, out)
    return exits.DONE


def _mark(day: str, width: int) -> str:
    """Note that a person has seen the day's brief: no shell prints it any more, and tomorrow's does
    not repeat it. Return why that could not be noted; empty if it was. ``width``: the columns that
    it was fitted to; 0: it was whole. See docs/brief.md."""
    mark = locate().brief / "shown" / day
    try:
        descriptor = os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(f"hermes brief {width or ''}".rstrip().encode() + b"\n")
    except OSError as error:  # must not keep anybody from reading
        return f"can't write {mark}: {error.strerror}"
    return ""


def _say_unnoted(why: str, out: Output) -> None:
    if why:
        out.say(f"that this was shown could not be noted, it may be told again: {why}", "yellow")


def _rate(client: Client, number: int, useful: bool, out: Output) -> int:
    found = client.call("POST", "/v1/brief/rate", {"number": number, "useful": useful})
    if out.as_json:
        out.emit(found)
        return exits.DONE
    less = "more" if useful else "less"
    topic = clean(str(found["topic"]).replace("_", " "))
    out.say(f"{less} of {topic} from the next brief on: {clean(found['text'])}")
    return exits.DONE


# Without the daemon.


def _from_file(args: argparse.Namespace, out: Output, absent: DaemonAbsent) -> int:
    """Print the brief that lies there finished, and say how old it is. Raise NoBrief."""
    import json
    from datetime import date

    folder = locate().brief
    try:
        whole: Found = json.loads((folder / "today.json").read_text("utf-8"))
        name = _file_for(args, out)
        text = (folder / name).read_text("utf-8")
    except (OSError, ValueError):
        raise NoBrief(
            "hermes is not running, and has left no brief", hint="start it with hermes up"
        ) from absent
    today = whole["day"] == date.today().isoformat()
    if out.as_json:
        out.emit(whole)
    elif not whole["facts"]:
        out.say(f"nothing to tell {whole['words']}".rstrip(), "green")
    else:
        _, _, lines = text.partition("\n")
        for line in lines.splitlines() or [_fact_line(fact) for fact in whole["facts"]]:
            out.line(line)
        if today and out.out.terminal:
            width = re.match(r"today\.(\d+)", name)
            shown = int(width[1]) if width and text.count("\n") > 1 else 0
            _say_unnoted(_mark(whole["day"], shown), out)
    since = _since(folder / "daemon")
    stale = "" if today else f"this is the brief of {whole['day']}; "
    away = f"has not been running since {since}" if since else "is not running"
    out.say(f"{stale}hermes {away}: hermes up", "yellow")
    return exits.DONE


def _file_for(args: argparse.Namespace, out: Output) -> str:
    match _style(args, out):
        case "markdown":
            return "today.md"
        case "spoken":
            return "today.spoken"
        case style:
            wide = out.out.columns >= 80
            if style == "ansi" and wide:
                return "today.80.ansi"
            return ("today.80" if wide else "today.40") + (".ascii" if style == "ascii" else "")


def _fact_line(fact: Found) -> str:
    """A silent day's files hold no lines; who asks is told all the same."""
    return clean(f"{fact['number']:>2} {fact['sentence']}")


def _since(heartbeat: Any) -> str:
    """Return since when, as daemon/heartbeat.py wrote it; empty where that is not known."""
    try:
        words = heartbeat.read_text("utf-8").split(None, 5)
    except (OSError, ValueError):
        return ""
    return clean(words[5].strip()) if len(words) == 6 else ""
