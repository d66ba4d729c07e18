"""``hermes memory log``, ``diff`` and ``revert``: the nights, what each changed, and taking one back."""

from __future__ import annotations

import time

from . import exits
from .connection import connect_or_serve
from .scope import WrongUse
from .text import clean, count, wrap
from .themes_lines import diff_lines, labels_of, night_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from .output import Output

NIGHT = "its id or date, see hermes memory log"
MOST = 500


def declare(action: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``memory log``, ``diff`` or ``revert``."""
    match action:
        case "log":
            parser.add_argument(
                "-n", "--limit", metavar="N", type=int, default=20, help="so many; usually 20"
            )
        case "diff":
            parser.add_argument(
                "night", metavar="NIGHT", nargs="?", default="last", help=f"{NIGHT}; else the last"
            )
        case _:
            parser.add_argument("night", metavar="NIGHT", help=f"{NIGHT}; or last")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show nights, one of them, or take one back."""
    match args.action:
        case "log":
            return _log(args.limit, out)
        case "diff":
            return _diff(args.night, out)
        case _:
            return _revert(args.night, out)


def _log(limit: int, out: Output) -> int:
    if not 1 <= limit <= MOST:
        raise WrongUse(f"--limit takes a number from 1 to {MOST}")
    with connect_or_serve(out) as client:
        found = client.call("GET", f"/v1/nights?limit={limit}")
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in night_lines(found["nights"], time.time(), out.out):
        out.line(line)
    if not found["nights"]:
        out.say("there was no night yet; `hermes consolidate` makes one now", "dim")
    return exits.DONE


def _diff(night: str, out: Output) -> int:
    name = _quoted(night)
    with connect_or_serve(out) as client:
        found = client.call("GET", f"/v1/nights/{name}/diff")
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in diff_lines(found["diff"], out.out):
        out.line(line)
    return exits.DONE


def _revert(night: str, out: Output) -> int:
    name = _quoted(night)
    with connect_or_serve(out) as client:
        found = client.call("POST", f"/v1/nights/{name}/revert")
    if out.as_json:
        out.emit(found)
        return exits.DONE
    back = count(len(found["back"]), "page is", "pages are")
    said = [f"{back} as before {found['night']['id'][:7]}: {labels_of(found['back'])}"]
    if found["left"]:
        said.append(f"left as they are, since written again: {labels_of(found['left'])}")
    for line in wrap("\n".join(said), out.out.width if out.out.terminal else 0):
        out.line(line)
    out.say(
        "they stay so until something new happens on those days; to take this back too: "
        f"hermes memory revert {clean(found['commit'][:7])}",
        "dim",
    )
    return exits.DONE


def _quoted(night: str) -> str:
    from urllib.parse import quote

    if not night.strip() or "/" in night:
        raise WrongUse(f"{night!r} is no night", hint="`hermes memory log` lists them")
    return quote(night.strip(), safe="")
