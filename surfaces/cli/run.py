"""``hermes run``: an agent at work on demand, through the same queue as everything else."""

from __future__ import annotations

import time

from ..client import Refused
from . import exits
from .connection import connect_or_start
from .output import table
from .progress import follow
from .report import answer_lines, report_rows
from .scope import WrongUse, here, place
from .states import reason_of, state_of, took, what_of
from .text import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from ..client import Client
    from .output import Output

    Job = dict[str, Any]

WELL = frozenset({"ok", "silent", "skipped"})
EXAMPLES = """\
examples:
  hermes run indexer                        what the agent does when nothing else is said
  hermes run indexer vectors --dry-run      only say what would be done
  hermes run indexer rescan --detach        don't wait; `hermes jobs` shows how it goes
  hermes run "why was the queue dropped?"   in your own words: hermes finds who is to do it
"""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``run``."""
    parser.usage = (
        'hermes run [options] AGENT [SUBJECT] [TEXT …]\n       hermes run "what you want"'
    )
    parser.epilog = EXAMPLES
    parser.add_argument(
        "words", metavar="WORD", nargs="*", help="the agent, its task, and what it is to know"
    )
    parser.add_argument("--dry-run", action="store_true", help="change nothing, say what would be")
    parser.add_argument("--detach", action="store_true", help="don't wait for the end")
    parser.add_argument(
        "--repo", metavar="NAME", help="this repository instead of the one you are in"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Have it done. Return 1 if a job did not end well."""
    method, path, body = asked(args)
    with connect_or_start(out) as client:
        found = client.call(method, path, body)
        jobs: list[Job] = found["jobs"]
        if not out.as_json:
            _say_route(found, free="text" in body and "agent" not in body, out=out)
        if args.detach or not jobs:
            if out.as_json:
                out.emit(found)
            for job in jobs:
                out.say(f"`hermes jobs show j{job['id']}` says how it went", "dim")
            return exits.DONE if jobs or found["decision"] is None else exits.FAILED
        ended = [_await(client, job, out) for job in jobs]
    return exits.DONE if all(job["state"] in WELL for job in ended) else exits.FAILED


def asked(args: argparse.Namespace) -> tuple[str, str, dict[str, Any]]:
    """Return the request for what was typed. Raise WrongUse."""
    words = [word for word in args.words if word.strip()]
    if not words:
        raise WrongUse("run what?", hint="for example: hermes run indexer")
    body: dict[str, Any] = {"repo": place(args.repo)} if args.repo else {"cwd": here()}
    if " " in words[0].strip():
        if args.dry_run:
            raise WrongUse(
                "--dry-run needs the name of an agent", hint="hermes run AGENT --dry-run"
            )
        return "POST", "/v1/requests", body | {"text": " ".join(words)}
    agent, *more = words
    # One word more is the agent's task; what has a space in it, and what follows, is text.
    subject = more.pop(0) if more and " " not in more[0] else ""
    body |= {"agent": agent, "subject": subject, "text": " ".join(more), "dry_run": args.dry_run}
    return "POST", "/v1/run", body


def _say_route(found: dict[str, Any], *, free: bool, out: Output) -> None:
    decision: dict[str, Any] = found["decision"] or {}
    names = [f"j{job['id']} {what_of(job)}" for job in found["jobs"]]
    reason = one_line(str(decision.get("reason", "")))
    if names:
        out.say(", ".join(names) + (f": {reason}" if free and reason else ""), "dim")
    elif decision:
        out.say(f"nobody is to do this: {reason}" if reason else "nobody is to do this", "yellow")
    else:
        out.say(
            f"it is not decided yet who does it; `hermes why e{found['event']}` will say", "yellow"
        )


def _await(client: Client, job: Job, out: Output) -> Job:
    """Follow a job to its end, and show what came of it."""
    number = job["id"]
    try:
        follow(client.stream("GET", f"/v1/jobs/{number}/watch"), out)
    except KeyboardInterrupt:
        out.say(f"\nj{number} goes on behind; `hermes jobs show j{number}` says how it went")
        raise
    except Refused:
        pass  # the job itself says it better
    ended: Job = client.call("GET", f"/v1/jobs/{number}")["job"]
    if out.as_json:
        out.emit({"type": "ended", "job": ended})
    else:
        _show(ended, out)
    return ended


def _show(job: Job, out: Output) -> None:
    word, style = state_of(job)
    now = time.time()
    report: dict[str, Any] = job["report"]
    reason = "" if report.get("answer") else reason_of(job, now)
    after = took(job, now)
    out.say(
        f"j{job['id']} {word}"
        + (f" after {after}" if after else "")
        + (f": {reason}" if reason else ""),
        style,
    )
    if hint := job["error"].get("hint"):
        out.say(hint, "dim")
    width = out.out.width if out.out.terminal else 10_000
    for line in [*answer_lines(report, out.out), *table(report_rows(report), width)]:
        out.line(line)
