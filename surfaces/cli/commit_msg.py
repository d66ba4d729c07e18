"""``hermes commit-msg``: messages for what is staged or was committed.

Standard output holds the messages and nothing else, for scripts and editors.
"""

from __future__ import annotations

from . import exits
from .connection import connect_or_serve
from .scope import WrongUse, here
from .text import clean, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from .output import Output

MOST = 5
TIMEOUT = 180.0
"""Seconds for a model that is slow to begin."""
BETWEEN = "---"
"""The line between two messages."""
EXAMPLES = """\
examples:
  hermes commit-msg                        for what is staged
  hermes commit-msg -n 3 --why             three to choose from, and what they rest on
  hermes commit-msg --rev HEAD             how a commit could have been worded
  hermes commit-msg --range main..HEAD     one for a whole branch, for a squash
  hermes commit-msg --split                how it could be several commits
  git commit -F <(hermes commit-msg)       commit with it, unseen
"""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``commit-msg``."""
    parser.usage = "hermes commit-msg [options]"
    parser.epilog = EXAMPLES
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--staged", action="store_true", help="what is staged (the default)")
    what.add_argument("--rev", metavar="SHA", help="a commit")
    what.add_argument("--range", metavar="A..B", help="all from A to B, as one")
    parser.add_argument(
        "-n", metavar="N", type=int, default=1, help=f"how many to print, at most {MOST} (1)"
    )
    parser.add_argument("--why", action="store_true", help="what each rests on, on standard error")
    parser.add_argument(
        "--split", action="store_true", help="how it could be several commits; changes nothing"
    )
    parser.add_argument("--plain", action="store_true", help="no model: by rule alone")


def run(args: argparse.Namespace, out: Output) -> int:
    """Print messages. Return 3 when nothing is staged."""
    if not 1 <= args.n <= MOST:
        raise WrongUse(f"-n takes a number from 1 to {MOST}")
    if args.split and (args.rev is not None or args.range is not None):
        raise WrongUse("--split is for what is staged")
    if args.split:
        with connect_or_serve(out) as client:
            found = client.call("POST", "/v1/commits/split", {"cwd": here()})
        _show_split(found, out)
        return exits.DONE
    body: dict[str, Any] = {"cwd": here(), "n": args.n, "plain": args.plain}
    for name in ("rev", "range"):
        if (value := getattr(args, name)) is not None:
            body[name] = value
    with connect_or_serve(out) as client:
        found = client.call("POST", "/v1/commits/message", body, timeout=TIMEOUT)
    _show(found, args.n, out, why=args.why)
    return exits.DONE


def _show(found: dict[str, Any], wanted: int, out: Output, *, why: bool) -> None:
    if out.as_json:
        out.emit(found)
        return
    for note in found["notes"]:
        out.say(note, "yellow")
    messages: list[dict[str, Any]] = found["messages"]
    if len(messages) < wanted:
        out.say(f"{len(messages)} of {wanted}: no more can be told apart honestly", "dim")
    for number, message in enumerate(messages):
        if number:
            out.line(BETWEEN)
        out.line(clean(str(message["message"])).rstrip("\n"))
        if why:
            _explain(message, out)
    if why:
        for problem in found["problems"]:
            out.say(f"  the model was corrected: {one_line(problem)}", "dim")


def _explain(message: dict[str, Any], out: Output) -> None:
    by = "by rule" if message["by"] == "rule" else f"worded by {one_line(message['by'])}"
    out.say(f"  {by}", "dim")
    for line in message["why"]:
        out.say(f"  {one_line(line)}", "dim")


def _show_split(found: dict[str, Any], out: Output) -> None:
    if out.as_json:
        out.emit(found)
        return
    groups: list[dict[str, Any]] = found["groups"]
    if len(groups) < 2:
        out.line("This belongs together: one commit.")
        out.line(f"  {one_line(groups[0]['subject'])}")
        return
    out.line(
        f"# {len(groups)} commits. Nothing was changed; to do it, type at the top of the tree:"
    )
    plan = found["plan"]
    for command in plan["first"]:
        out.line(command)
    for number, (group, step) in enumerate(zip(groups, plan["steps"], strict=True), start=1):
        out.line()
        out.line(f"# {number}. {one_line(step['subject'])}")
        for part in _parts(group):
            out.line(f"#    {part}")
        for line in group["why"]:
            out.line(f"#    because {one_line(line)}")
        for command in step["commands"]:
            out.line(clean(command))
    out.line()
    out.line("# To go back before the first commit:")
    out.line(f"# {plan['undo']}")


def _parts(group: dict[str, Any]) -> list[str]:
    hunks: dict[str, list[int]] = {}
    for part in group["parts"]:
        found = hunks.setdefault(part["path"], [])
        if part["hunk"] is not None:
            found.append(part["hunk"] + 1)
    return [
        clean(path) + (f" (part {', '.join(map(str, numbers))})" if numbers else "")
        for path, numbers in hunks.items()
    ]
