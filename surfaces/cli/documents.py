"""``hermes docs``: documents that do not match the code any more."""

from __future__ import annotations

import re
import time

from ..client import Refused
from . import exits
from .connection import connect, connect_or_start
from .documents_lines import accepted_lines, list_lines, show_lines
from .progress import follow
from .scope import WrongUse, here, place
from .states import reason_of, state_of
from .text import clean, count

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from ..client import Client
    from .output import Output

    Found = dict[str, Any]

WELL = frozenset({"ok", "silent", "skipped"})
NAMED = frozenset({"show", "accept", "dismiss"})
EXAMPLES = """\
examples:
  hermes docs                  what is open: how sure, where, why
  hermes docs show D3          the reason, the commit that did it, the fix as a diff
  hermes docs accept D3        stage the fix; `git commit` opens with its message
  hermes docs dismiss D3       it is right as it is; not a word until text or code change
  hermes docs scan --wait      look through the whole repository now, and list what is open

tiers: certain (it named something that is gone), likely (a signature or a default
changed), possible (it usually changes with this code, and did not)
"""
_ID = re.compile(r"[dD]?(\d{1,18})", re.ASCII)


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``docs``."""
    parser.usage = "hermes docs [ls|show ID|accept ID|dismiss ID|scan] [options]"
    parser.epilog = EXAMPLES
    parser.add_argument(
        "action",
        metavar="ACTION",
        nargs="?",
        default="ls",
        choices=("ls", "list", "show", "accept", "dismiss", "scan"),
        help="show, accept, dismiss or scan; else what is open",
    )
    parser.add_argument("ids", metavar="ID", nargs="*", help="a proposal, as D3 or 3")
    parser.add_argument(
        "--all", action="store_true", help="also what is held back, and what is over"
    )
    parser.add_argument("--reason", metavar="TEXT", help="with dismiss: why it is right as it is")
    parser.add_argument("--wait", action="store_true", help="with scan: wait for its end")
    parser.add_argument(
        "--repo", metavar="NAME", help="this repository instead of the one you are in"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Show drift, or say what becomes of it."""
    number = _number(args)
    if args.action == "scan":
        with connect_or_start(out) as client:
            return _scan(client, args, out)
    client, _ = connect(out)
    with client:
        match args.action:
            case "show":
                return _show(client, number, out)
            case "accept":
                return _accept(client, number, out)
            case "dismiss":
                return _dismiss(client, number, args.reason or "", out)
            case _:
                return _list(client, args, out)


def _number(args: argparse.Namespace) -> int:
    """Return the number that is named; 0 where none is wanted. Raise WrongUse."""
    if args.reason is not None and args.action != "dismiss":
        raise WrongUse("--reason goes with dismiss alone")
    if args.wait and args.action != "scan":
        raise WrongUse("--wait goes with scan alone")
    if args.all and args.action not in ("ls", "list"):
        raise WrongUse(f"--all does not go with {args.action}")
    if args.action not in NAMED:
        if args.ids:
            raise WrongUse(
                f"{args.action} takes no {args.ids[0]}", hint=f"hermes docs show {args.ids[0]}"
            )
        return 0
    if len(args.ids) != 1:
        what = "one at a time" if args.ids else "which one?"
        raise WrongUse(f"{args.action}: {what}", hint=f"for example: hermes docs {args.action} D3")
    found = _ID.fullmatch(args.ids[0])
    if found is None:
        raise WrongUse(f"{args.ids[0]} is no proposal", hint="`hermes docs` lists them, such as D3")
    return int(found[1])


def _whose(args: argparse.Namespace) -> dict[str, str]:
    return {"repo": place(args.repo)} if args.repo else {"cwd": here()}


def _list(client: Client, args: argparse.Namespace, out: Output) -> int:
    from urllib.parse import urlencode

    query = _whose(args) | ({"all": "true"} if args.all else {})
    found = client.call("GET", f"/v1/documents?{urlencode(query)}")
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in list_lines(found["proposals"], time.time(), out.out, everything=args.all):
        out.line(line)
    if not found["proposals"]:
        out.say("no document has drifted, as far as was looked", "green")
    if not found["enabled"]:
        out.say("documents are not watched: the setting documents.enabled is off", "yellow")
    if found["held"] and not args.all:
        out.say(
            f"{count(found['held'], 'more', 'more')} held back until one of these is closed", "dim"
        )
    waiting: list[Found] = [] if args.all else found["waiting"]
    for each in waiting:
        out.say(f"{each['name']} is staged in {clean(each['document'])}: git commit", "dim")
    return exits.DONE


def _show(client: Client, number: int, out: Output) -> int:
    found = client.call("GET", f"/v1/documents/{number}")["proposal"]
    if out.as_json:
        out.emit({"proposal": found})
        return exits.DONE
    for line in show_lines(found, time.time(), out.out):
        out.line(line)
    return exits.DONE


def _accept(client: Client, number: int, out: Output) -> int:
    found = client.call("POST", f"/v1/documents/{number}/accept", {"cwd": here()})
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in accepted_lines(found, out.out):
        out.line(line)
    return exits.DONE


def _dismiss(client: Client, number: int, reason: str, out: Output) -> int:
    found = client.call("POST", f"/v1/documents/{number}/dismiss", {"reason": reason})
    if out.as_json:
        out.emit(found)
    each = found["proposal"]
    out.say(f"{each['name']} is dismissed: {clean(each['place'])} stays as it is")
    return exits.DONE


def _scan(client: Client, args: argparse.Namespace, out: Output) -> int:
    body = _whose(args) | {"agent": "doc_keeper", "subject": "scan"}
    found = client.call("POST", "/v1/run", body)
    jobs: list[Found] = found["jobs"]
    if not args.wait or not jobs:
        if out.as_json:
            out.emit(found)
        for job in jobs:
            out.say(f"j{job['id']} looks through the documents; `hermes docs` shows what it finds")
        return exits.DONE if jobs else exits.FAILED
    for job in jobs:
        code = _await(client, job["id"], out)
        if code != exits.DONE:
            return code
    return exits.DONE if out.as_json else _list(client, args, out)


def _await(client: Client, number: int, out: Output) -> int:
    """Follow a scan to its end. Return 1 if it did not end well."""
    try:
        follow(client.stream("GET", f"/v1/jobs/{number}/watch"), out)
    except KeyboardInterrupt:
        out.say(f"\nj{number} goes on behind; `hermes docs` shows what it finds")
        raise
    except Refused:
        pass  # the job itself says it better
    job: Found = client.call("GET", f"/v1/jobs/{number}")["job"]
    if out.as_json:
        out.emit({"type": "ended", "job": job})
    if job["state"] in WELL:
        return exits.DONE
    word, style = state_of(job)
    out.say(f"j{number} {word}: {reason_of(job, time.time())}".rstrip(": "), style)
    if hint := job["error"].get("hint"):
        out.say(hint, "dim")
    return exits.FAILED
