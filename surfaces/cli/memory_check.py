"""``hermes memory check`` and ``rebuild``: is it whole, and building it again from git."""

from __future__ import annotations

import sys

from . import exits
from .connection import connect_or_start
from .doctor import check_lines, examine
from .progress import follow
from .scope import WrongUse
from .text import count, duration, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from ..client import Client
    from .output import Output


def declare(action: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``memory check`` or ``memory rebuild``."""
    if action == "rebuild":
        parser.epilog = (
            "It is built beside the one of now, which answers until the new one takes its place."
            " What you\nedited, deleted or had forgotten stays so. Stopped or killed, it goes on"
            " where it was.\n"
        )
        parser.add_argument("-y", "--yes", action="store_true", help="without asking")


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what is asked. Return 1 when the memory is not whole."""
    return _check(out) if args.action == "check" else _rebuild(args.yes, out)


def _check(out: Output) -> int:
    checks = [check for check in examine(out) if check["name"] == "memory"]
    whole = all(check["state"] != "fail" for check in checks)
    if out.as_json:
        out.emit({"ok": whole, "checks": checks})
    for line in check_lines(checks, out.out) if not out.as_json else []:
        out.line(line)
    return exits.DONE if whole else exits.FAILED


def _rebuild(yes: bool, out: Output) -> int:
    with connect_or_start(out) as client:
        if not yes:
            if not sys.stdin.isatty():
                raise WrongUse("rebuilding needs a yes", hint="add --yes where nobody can be asked")
            memory = client.call("GET", "/v1/status")["memory"]
            room = f", and the two take some {size(2 * memory['bytes'])}" if memory else ""
            out.say(
                "everything is read again from the repositories, into a second memory beside the "
                f"one of now, which answers meanwhile{room}"
            )
            sys.stderr.write("begin? [y/N] ")
            sys.stderr.flush()
            if sys.stdin.readline().strip().lower() not in ("y", "yes"):
                out.say("nothing was changed")
                return exits.FAILED
        report = follow(client.stream("POST", "/v1/memory/rebuild"), out)
        if report.get("beside"):
            return _say_built(report, out)
        return _read_again(client, report, out)


def _say_built(report: dict[str, Any], out: Output) -> int:
    for note in report["notes"]:
        out.say(note, "yellow")
    for name, commits in report["carried"].items():
        out.say(
            f"{name}: {count(commits, 'commit')} could not be read again and stay as they were",
            "yellow",
        )
    held = f"{count(report['commits'], 'commit')}, {count(report['chunks'], 'piece')} of text"
    took = duration(report["seconds"])
    out.say(f"memory is built again and serves: {held}, in {took}", "green")
    return exits.DONE


def _read_again(client: Client, report: dict[str, Any], out: Output) -> int:
    """Follow the readings of a memory that was too damaged to be kept while it was made anew."""
    out.say(
        f"{report.get('why', 'the memory is damaged')}; there is no old one to answer meanwhile, so"
        " answers come from what is read by now",
        "yellow",
    )
    repos = client.call("GET", "/v1/repos")["repos"]
    for repo in repos:
        out.say(f"reading {repo['name']} again")
        follow(client.stream("POST", f"/v1/repos/{repo['id']}/index"), out)
    if not repos:
        out.say(
            "memory is empty now, and does not know any more which repositories it held: "
            "`hermes up` in each takes it in again",
            "yellow",
        )
        return exits.DONE
    out.say("memory is built again; vectors fill in behind", "green")
    return exits.DONE
