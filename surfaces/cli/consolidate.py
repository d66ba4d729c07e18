"""``hermes consolidate``: does a night's work now."""

from __future__ import annotations

from . import exits
from .connection import connect_or_start
from .output import table
from .progress import follow
from .text import count, listing, size, wrap
from .themes_lines import labels_of, pages_in_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from .output import Output, Stream

    Found = dict[str, Any]

EXAMPLES = """\
It runs by itself at 03:00 (hermes schedule). Asked for by hand it also tells of today
so far, and takes as long as it takes. It changes nothing where nothing has changed.
hermes themes shows the themes, hermes memory diff what was changed.
"""
UNWRAPPED = 1_000_000
"""Columns where nobody's terminal is in the way."""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``consolidate``."""
    parser.usage = "hermes consolidate [options]"
    parser.epilog = EXAMPLES
    parser.add_argument(
        "--dry-run", action="store_true", help="write nothing, say which pages would change"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Have a night done, and say what it changed."""
    with connect_or_start(out) as client:
        try:
            report = follow(
                client.stream("POST", "/v1/consolidate", {"dry_run": args.dry_run}), out
            )
        except KeyboardInterrupt:
            out.say("\nit goes on behind; `hermes status` says how far it is")
            raise
    if not out.as_json:
        lines = _rehearsed(report, out.out) if args.dry_run else report_lines(report, out.out)
        for line in lines:
            out.line(line)
        for text in notes_of(report):
            out.say(text, "yellow")
    return exits.DONE


def _rehearsed(report: Found, stream: Stream) -> list[str]:
    night: Found | None = report["night"]
    if night is None:
        return ["no page of themes would change"]
    said = f"would change {count(len(night['pages']), 'page')}: {labels_of(night['pages'])}"
    return wrap(said, stream.width if stream.terminal else 0)


def report_lines(report: Found, stream: Stream) -> list[str]:
    """Return what a night did: to the themes, to memory, and to the store."""
    return table(list(_told(report)), stream.width if stream.terminal else UNWRAPPED, indent=0)


def _told(report: Found) -> Iterator[tuple[str, str]]:
    steps = {step["name"]: step["counts"] for step in report["steps"]}
    night: Found | None = report["night"]
    if night is None:
        yield "themes", "nothing has changed since the last time"
    else:
        commit = night["commit"][:7]
        yield "themes", pages_in_words(night["pages"]) or "a night that was stopped is whole now"
        yield "", f"night {commit}; `hermes memory diff {commit}` shows what it changed"
    if marks := steps.get("marks"):
        said = [
            count(marks["folded"], "duplicate") + " folded",
            f"{marks['ended']:,} over or taken back",
            f"{marks['faded']:,} faded",
            count(marks["facts"], "dated fact"),
        ]
        news = f"; {marks['changed']:,} of these are new" if marks["changed"] else ", as before"
        yield "memory", f"{listing(said)}{news}"
    if "compaction" in steps:
        freed = steps["compaction"]["freed"]
        packed = f", {size(freed)} freed" if freed else ""
        yield "disk", f"{size(report['bytes'])}{packed}"
    if kept := steps.get("answers", {}).get("kept", 0):
        yield "answers", f"{count(kept, 'question')} of tomorrow answered already"


def notes_of(report: Found) -> list[str]:
    """Return what was left out, or is not well."""
    said: list[str] = []
    if report["left"]:
        said.append(
            f"{count(report['left'], 'page')} of themes were not looked at; the next run does"
        )
    said += [f"not done: {name}" for name in report["skipped"]]
    said += [f"{step['name']}: {note}" for step in report["steps"] for note in step["notes"]]
    said += [f"memory: {each['problem']}. {each['hint']}" for each in report["problems"]]
    return said
