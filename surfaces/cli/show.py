"""``hermes show``: what memory knows of one thing, what is around it, what happened when."""

from __future__ import annotations

import os

from . import exits
from .connection import connect_or_serve
from .scope import WrongUse, here, place
from .show_lines import candidate_lines, shown_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from .output import Output

EXAMPLES = """\
examples:
  hermes show 3f2a9c1          a commit, by the beginning of its sha
  hermes show '#482'           a pull request or an issue; also 482, acme/shop#482, its address
  hermes show ENG-17           a ticket
  hermes show ADR-7            a decision record; any other document by its path
  hermes show shop/limits.py   a file; with :42 the commit that wrote the line
  hermes show tests/test_limits.py::test_burst
  hermes show https://acme.slack.com/archives/C024/p1732871234001200
  hermes show 'council 3'
"""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``show``."""
    parser.epilog = EXAMPLES
    parser.add_argument("ref", metavar="REF", nargs="+", help="what it is called")
    parser.add_argument("--repo", metavar="NAME", help="the repository, where several have it")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show it, or what it may be."""
    from urllib.parse import urlencode

    ref = os.fsencode(" ".join(args.ref)).decode("utf-8", errors="replace").strip()
    if not ref:
        raise WrongUse("show what?", hint="for example: hermes show ENG-17")
    asked = {"ref": ref, "cwd": here()}
    if args.repo is not None:
        asked["repo"] = place(args.repo)
    with connect_or_serve(out) as client:
        answer = client.call("GET", f"/v1/show?{urlencode(asked)}")
    if out.as_json:
        out.emit(answer)
        return exits.DONE if "found" in answer else exits.USAGE
    if "found" in answer:
        for line in shown_lines(answer["found"], out.out):
            out.line(line)
        return exits.DONE
    out.say(f"{ref} may mean one of these; give more of it, or --repo:", "yellow")
    for line in candidate_lines(answer["candidates"], out.out):
        out.line(line)
    if answer["more"]:
        out.say("… and more", "dim")
    return exits.USAGE
