"""``hermes sources``: documents, chat, tickets and pull requests beside git."""

from __future__ import annotations

import argparse
import sys
import time
from urllib.parse import quote

from ...memory.errors import HermesError
from . import exits, sources_add
from .commands import HelpFormatter, add_json
from .connection import connect, connect_or_start
from .forget_lines import proof_lines, unexplained
from .progress import follow
from .scope import WrongUse
from .sources_lines import added_lines, list_lines, synced
from .text import clean, count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..client import Client
    from .output import Output

    Found = dict[str, Any]

ACTIONS = {
    "add": ("KIND", "read something from now on"),
    "sync": ("[NAME]", "read what is new, now"),
    "pause": ("NAME", "read it no more until it is resumed"),
    "resume": ("NAME", "go on reading it"),
    "remove": ("NAME", "take it off the list; --forget: and out of memory"),
}
"""Each action's words, and what it does."""
EXAMPLES = """\
Without an action: every source, how far it was read, and whom it may contact.
Nothing is read or contacted that was not added here.

examples:
  hermes sources
  hermes sources add docs "docs/**/*.md" postmortems/
  hermes sources sync slack
  hermes sources remove slack --forget    what only it brought is forgotten for good

hermes sources ACTION --help says more on one.
"""
LOOK_SECONDS = 150.0
"""How long it may take to say what a source offers."""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the actions of ``sources``."""
    parser.usage = "hermes sources [ACTION] [options]"
    parser.epilog = EXAMPLES
    parser.set_defaults(perform=_list)
    actions = parser.add_subparsers(
        dest="action",
        metavar="ACTION",
        help="what to do; nothing: list them",
        prog="hermes sources",
    )
    performs = {"add": _add, "sync": _sync, "pause": _pause, "resume": _pause, "remove": _remove}
    for action, (words, summary) in ACTIONS.items():
        command = actions.add_parser(
            action,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            usage=f"hermes sources {action} {words} [options]",
            formatter_class=HelpFormatter,
            allow_abbrev=False,
        )
        if action == "add":
            sources_add.declare(command)
        else:
            command.add_argument(
                "source",
                metavar="NAME",
                nargs="?" if action == "sync" else None,
                help="as hermes sources lists it",
            )
        if action == "remove":
            command.add_argument(
                "--forget", action="store_true", help="forget what only it brought, and prove it"
            )
            command.add_argument("-y", "--yes", action="store_true", help="don't ask")
        add_json(command)
        command.set_defaults(perform=performs[action])


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what is asked."""
    return int(args.perform(args, out))


def _list(args: argparse.Namespace, out: Output) -> int:
    with connect_or_start(out) as client:
        found = client.call("GET", "/v1/sources")
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in list_lines(found["sources"], time.time(), out.out):
        out.line(line)
    if not found["sources"]:
        out.say(
            "there are no sources besides git; `hermes sources add --help` says which there are"
        )
    return exits.DONE


def _add(args: argparse.Namespace, out: Output) -> int:
    body = sources_add.body_of(args)
    with connect_or_start(out) as client:
        out.passing(f"looking what {clean(body['kind'])} has …")
        added = client.call("POST", "/v1/sources", body, timeout=LOOK_SECONDS)
        out.clear_passing()
        if out.as_json:
            out.emit({"type": "added"} | added)
        else:
            for line in added_lines(added, out.out):
                out.line(line)
            if body.get("token"):
                out.say(
                    f"the token of {args.token_env} stays in the daemon's memory until it restarts;"
                    " --token-keyring lasts",
                    "dim",
                )
        _sync_one(client, added["source"], {}, out)
    return exits.DONE


def _sync(args: argparse.Namespace, out: Output) -> int:
    """Sync one source, or all that are not paused, one after the other."""
    with connect_or_start(out) as client:
        sources = client.call("GET", "/v1/sources")["sources"]
        if args.source is not None:
            source = _named(args.source, sources)
            _sync_one(client, source["name"], _offer(source), out)
            return exits.DONE
        if not sources:
            raise WrongUse("there are no sources", hint="hermes sources add --help")
        failed = False
        for source in sources:
            if source["state"] == "paused":
                out.say(f"{source['name']} is paused", "dim")
                continue
            try:
                _sync_one(client, source["name"], _offer(source), out)
            except HermesError as error:
                failed = True
                out.fail(error)
    return exits.FAILED if failed else exits.DONE


def _sync_one(client: Client, name: str, offer: dict[str, str], out: Output) -> None:
    try:
        report = follow(client.stream("POST", f"{_path(name)}/sync", offer), out)
    except KeyboardInterrupt:
        out.say(
            f"\nit goes on behind; `hermes sources` says how far it is, `hermes sources pause {name}`"
            " stops it"
        )
        raise
    if out.as_json:
        return
    out.line(synced(name, report))
    for note in report.get("notes", ()):
        out.say(f"- {clean(note)}", "yellow", indent=2)
    if more := report.get("more_notes"):
        out.say(f"- and {count(more, 'more such thing')}", "yellow", indent=2)


def _offer(source: Found) -> dict[str, str]:
    return sources_add.offer(source["token"]["place"] if source["token"] else None)


def _pause(args: argparse.Namespace, out: Output) -> int:
    client, _ = connect(out)
    with client:
        found = client.call("POST", f"{_path(args.source)}/{args.action}")
    if out.as_json:
        out.emit(found)
    elif args.action == "pause":
        out.say(f"{args.source} is not read until `hermes sources resume {args.source}`")
    else:
        out.say(f"{args.source} is read again, at the next time or by `hermes sources sync`")
    return exits.DONE


def _remove(args: argparse.Namespace, out: Output) -> int:
    with connect_or_start(out) as client:
        source = _named(args.source, client.call("GET", "/v1/sources")["sources"])
        name, alone = source["name"], source["alone"]
        question = f"take {name} off the list?"
        if args.forget:
            question = f"take {name} off the list, and forget {count(alone, 'item')} for good?"
        if not args.yes and not _agrees(question):
            out.say("nothing was removed")
            return exits.FAILED
        where = _path(name) + ("?forget=true" if args.forget else "")
        report = follow(client.stream("DELETE", where), out)
    proof: Found = report.get("proof") or {}
    if out.as_json:
        return exits.FAILED if unexplained(proof) else exits.DONE
    for line in proof_lines(proof, out.out):
        out.line(line)
    if args.forget:
        kept = source["items"] - alone
        stays = f"; {count(kept, 'item')} that another source brought too stay" if kept else ""
        out.say(f"{name} is off the list, and what only it brought is forgotten{stays}")
    else:
        kept = count(report["kept"], "item of it stays", "items of it stay")
        out.say(f"{name} is off the list; {kept} in memory")
    return exits.FAILED if unexplained(proof) else exits.DONE


def _named(name: str, sources: list[Found]) -> Found:
    for source in sources:
        if source["name"] == name:
            return source
    import difflib

    near = difflib.get_close_matches(name, [source["name"] for source in sources], n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    raise WrongUse(f"there is no source {name}{meant}", hint="`hermes sources` lists them")


def _path(name: str) -> str:
    return f"/v1/sources/{quote(name, safe='')}"


def _agrees(question: str) -> bool:
    if not sys.stdin.isatty():
        raise WrongUse("removing needs a yes", hint="add --yes where nobody can be asked")
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
