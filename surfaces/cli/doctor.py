"""``hermes doctor``: checks that everything works, and says what to do where it does not."""

from __future__ import annotations

from . import exits, shell
from .connection import connect_or_serve
from .output import table
from .text import clean, width_of, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from .output import Output, Stream

    Check = dict[str, Any]
    Destination = dict[str, Any]

SIGNS = {"ok": ("ok", "green"), "warn": ("note", "yellow"), "fail": ("FAIL", "red")}


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``doctor``."""
    parser.usage = "hermes doctor [options]"
    parser.add_argument(
        "--network", action="store_true", help="only: every host that may be contacted, and why"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Show every check. Return 1 when one failed."""
    if args.network:
        return _network(out)
    checks = examine(out)
    failed = any(check["state"] == "fail" for check in checks)
    if out.as_json:
        out.emit({"ok": not failed, "checks": checks})
    else:
        for line in check_lines(checks, out.out):
            out.line(line)
    return exits.FAILED if failed else exits.DONE


def _network(out: Output) -> int:
    with connect_or_serve(out) as client:
        found = client.call("GET", "/v1/network")
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in network_lines(found["destinations"], out.out):
        out.line(line)
    return exits.DONE


def network_lines(found: list[Destination], stream: Stream) -> list[str]:
    """Return each host that may be contacted, and what for."""
    if not found:
        return ["nobody: nothing is ever contacted"]
    rows = [
        (clean(each["address"]), clean("; ".join([*each["why"], _what_leaves(each)])))
        for each in found
    ]
    lines = table(rows, stream.width if stream.terminal else 10_000, indent=0)
    return [*lines, stream.style("nothing else is contacted", "dim")]


def _what_leaves(each: Destination) -> str:
    if each["local"]:
        return "this machine"
    return (
        "text of yours goes there" if each["sends_text"] else "it is read, nothing of yours is sent"
    )


def examine(out: Output) -> list[Check]:
    """Return what the daemon's doctor found, or without a daemon what this process finds; and how
    the person's shell stands, which no daemon can know."""
    with connect_or_serve(out) as client:
        out.passing("looking at everything …")
        checks: list[Check] = client.call("GET", "/v1/doctor")["checks"]
    out.clear_passing()
    return [*checks, shell.check()]


def check_lines(checks: list[Check], stream: Stream) -> list[str]:
    """Return each check on its line: how it is, what was looked at, what was found."""
    width = stream.width if stream.terminal else 0
    left = max((width_of(check["name"]) for check in checks), default=0)
    margin = 6 + left + 2
    lines: list[str] = []
    # A hint that several checks in a row share is said once, after the last of them.
    following = [check["hint"] for check in checks[1:]] + [""]
    for check, next_hint in zip(checks, following, strict=True):
        sign, style = SIGNS[check["state"]]
        head = stream.style(f"{sign:<4}", style) + "  " + check["name"].ljust(left) + "  "
        room = max(width - margin, 20) if width else 0
        found = wrap(clean(check["detail"]), room)
        lines.append(head + found[0])
        lines += [" " * margin + line for line in found[1:]]
        if check["hint"] and check["hint"] != next_hint:
            hint = wrap(clean(check["hint"]), room)
            lines += [" " * margin + stream.style(line, "dim") for line in hint]
    return lines
