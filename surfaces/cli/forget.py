"""``hermes forget``: takes something out of everything that hermes keeps, for good, and proves it."""

from __future__ import annotations

import sys
import time

from . import exits
from .connection import connect, connect_or_start
from .forget_lines import look_lines, proof_lines, rule_lines, unexplained
from .progress import follow
from .scope import WrongUse
from .text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from ..client import Client
    from .output import Output

    Fields = dict[str, Any]

EXAMPLES = """\
examples:
  hermes forget --person "Jo Roe" --dry-run    what would go, by part
  hermes forget --person "Jo Roe" --person jo@example.org
  hermes forget --path "secrets/**"            files, and where they are named
  hermes forget --source slack                 all that came from there
  hermes forget --before 2024-01-01            all that is older
  hermes forget --repo shop                    a repository, as hermes remove does
  hermes forget --list                         what is kept out
  hermes forget --undo 3                       let it in again

what is forgotten stays so when everything is read again; your repositories, and
the chats and trackers it came from, are not touched
"""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``forget``."""
    parser.usage = "hermes forget WHAT [--dry-run] [options]"
    parser.epilog = EXAMPLES
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--person",
        metavar="WHO",
        action="append",
        help="a name or an address; again for more of the same person",
    )
    what.add_argument("--path", metavar="GLOB", help="a file, a folder, or a glob")
    what.add_argument("--source", metavar="NAME", help="git, slack, linear, github, docs …")
    what.add_argument("--before", metavar="DATE", help="all that is older than that day")
    what.add_argument("--repo", metavar="NAME", help="a repository, by name or folder")
    what.add_argument("--list", action="store_true", help="list what is kept out")
    what.add_argument("--undo", metavar="N", help="let in again what a rule keeps out")
    parser.add_argument("--dry-run", action="store_true", help="say what would go, and stop")
    parser.add_argument(
        "-y", "--yes", action="count", default=0, help="don't ask; twice if all would go"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what is asked. Return 1 if something is left."""
    if args.list:
        return _list(out)
    if args.undo is not None:
        return _undo(args.undo, out)
    if args.repo is not None:
        return _repo(args, out)
    asked = _asked(args)
    with connect_or_start(out) as client:
        return _forget(client, asked, args, out)


def _asked(args: argparse.Namespace) -> Fields:
    """Return what is to be forgotten. Raise WrongUse."""
    for name in ("path", "source", "before"):
        value = getattr(args, name)
        if value is not None and not value.strip():
            raise WrongUse(f"--{name} is empty")
    if args.person is not None:
        if not all(each.strip(" <>@,.") for each in args.person):
            raise WrongUse("--person is empty", hint='for example: --person "Jo Roe"')
        return {"person": [part for each in args.person for part in _parts(each)]}
    if args.path is not None:
        return {"path": args.path}
    if args.source is not None:
        return {"source": args.source}
    if args.before is not None:
        return {"before": _date(args.before)}
    raise WrongUse("forget what?", hint='for example: hermes forget --person "Jo Roe" --dry-run')


def _parts(who: str) -> list[str]:
    """Read ``Jo Roe <jo@example.org>`` as the two that it names."""
    name, opened, rest = who.partition("<")
    parts = [name.strip(), rest.partition(">")[0].strip()] if opened else [who.strip()]
    return [part for part in parts if part]


def _date(value: str) -> int:
    from datetime import datetime

    from ...memory.dates import parse

    return parse(value, datetime.now(), end=False)


def _forget(client: Client, asked: Fields, args: argparse.Namespace, out: Output) -> int:
    look = _quietly(client, asked, out)
    if out.as_json and args.dry_run:
        out.emit(look)
        return exits.DONE
    if not out.as_json:
        for line in look_lines(look, out.out):
            out.line(line)
        for warning in look["warnings"]:
            out.say(clean(warning), "yellow")
    if args.dry_run:
        return exits.DONE
    if not _sure(look, args.yes):
        out.say("nothing was forgotten")
        return exits.FAILED
    return _carry_out(client, asked, look, out)


def _quietly(client: Client, asked: Fields, out: Output) -> Fields:
    """Look, with progress on a terminal; what is emitted as JSON is what it came to."""
    as_json, out.as_json = out.as_json, False
    try:
        return follow(client.stream("POST", "/v1/forget/look", asked), out)
    finally:
        out.as_json = as_json


def _sure(look: Fields, yes: int) -> bool:
    """Ask; twice, if nothing would be left. Raise WrongUse where nobody can be asked."""
    questions = ["forget all of this, for good?"]
    if look["empties"]:
        questions.append("that leaves memory empty. Really all of it?")
    for question in questions[yes:]:
        if not sys.stdin.isatty():
            wanted = "--yes" if len(questions) == 1 else "--yes twice: nothing would be left"
            raise WrongUse("forgetting needs a yes", hint=f"add {wanted} where nobody can be asked")
        sys.stderr.write(f"{question} [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            return False
    return True


def _carry_out(client: Client, asked: Fields, look: Fields, out: Output) -> int:
    rule = 0
    events = client.stream("POST", "/v1/forget", asked)

    def noted() -> Any:
        nonlocal rule
        for event in events:
            rule = event.get("rule", rule)
            yield event

    try:
        report = follow(noted(), out)
    except KeyboardInterrupt:
        out.say("\nit goes on behind; `hermes forget --list` says when it is done")
        raise
    proof = report.get("proof", {})
    for line in proof_lines(proof, out.out) if not out.as_json else []:
        out.line(line)
    if not out.as_json:
        out.say(
            f"it is kept out from now on; `hermes forget --undo {rule}` lets it in again", "dim"
        )
    return exits.FAILED if unexplained(proof) else exits.DONE


def _list(out: Output) -> int:
    client, _ = connect(out)
    with client:
        found = client.call("GET", "/v1/forget")
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in rule_lines(found["rules"], time.time(), out.out):
        out.line(line)
    if not found["rules"]:
        out.say("nothing is kept out", "dim")
    return exits.DONE


def _undo(number: str, out: Output) -> int:
    if not (number.isascii() and number.isdigit() and len(number) < 18):
        raise WrongUse(f"{number} is no rule's number", hint="`hermes forget --list` lists them")
    with connect_or_start(out) as client:
        follow(client.stream("DELETE", f"/v1/forget/{number}"), out)
    out.say("it is let in again: what git and your sources still have is read anew, behind")
    return exits.DONE


def _repo(args: argparse.Namespace, out: Output) -> int:
    from .repos import remove

    return remove(args.repo, yes=bool(args.yes), dry_run=args.dry_run, out=out)
