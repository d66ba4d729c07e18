"""``hermes jobs``: what is queued, what runs, and what became of it."""

from __future__ import annotations

import time

from ..client import Refused
from . import exits
from .columns import columns
from .connection import connect
from .moments import ago, exactly
from .output import table
from .report import answer_lines, report_rows
from .scope import WrongUse, place
from .states import (
    STYLES,
    is_routine,
    moment_of,
    number_of,
    reason_of,
    repo_of,
    state_of,
    took,
    what_of,
)
from .text import clean, count, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from ..client import Client
    from .output import Output, Stream

    Job = dict[str, Any]

MOST = 1_000
EXAMPLES = """\
examples:
  hermes jobs                    what went wrong, what runs, what waits, what ended last
  hermes jobs --state dead       those that failed each time they were tried
  hermes jobs show j12           all of one; `hermes why j12` tells how it came about
  hermes jobs retry --dead       give all of them another chance

states: queued, running, ok, silent, skipped, late, failed, blocked_config,
delivery_failed, cancelled, abandoned, dead
"""
PATIENT = frozenset({"queued", "running"})
UNSEEN = PATIENT | {"silent", "skipped"}
"""What a look at what ended leaves out."""
SPARE = 4
"""Jobs that are asked for, for each that is shown: most of what ends is routine."""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``jobs``."""
    parser.usage = "hermes jobs [ls|show ID|retry ID …|cancel ID …] [options]"
    parser.epilog = EXAMPLES
    parser.add_argument(
        "action",
        metavar="ACTION",
        nargs="?",
        default="ls",
        choices=("ls", "show", "retry", "cancel"),
        help="ls (the default), show, retry or cancel",
    )
    parser.add_argument("ids", metavar="ID", nargs="*", help="a job, as j12 or 12")
    parser.add_argument(
        "--all",
        action="store_true",
        help="routine too: upkeep that went well, and what had nothing to say",
    )
    parser.add_argument(
        "--state", metavar="STATE", help="only these: dead, or failed,dead; see below"
    )
    parser.add_argument("--agent", metavar="NAME", help="only this agent's")
    parser.add_argument("--repo", metavar="NAME", help="only this repository's; . for this one")
    parser.add_argument("-n", "--limit", metavar="N", type=int, help="how many to show (20)")
    parser.add_argument("--dead", action="store_true", help="with retry: all that are dead")


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what is asked. Return 1 when one of several could not be done."""
    _check(args)
    numbers = [number_of(text) for text in args.ids]
    client, _ = connect(out)
    with client:
        match args.action:
            case "ls":
                return _list(client, args, out)
            case "show":
                return _show(client, numbers, out)
            case action:
                if args.dead:
                    dead = client.call("GET", f"/v1/jobs?state=dead&limit={MOST}")["jobs"]
                    numbers = [job["id"] for job in reversed(dead)]
                return _change(client, action, numbers, out)


def _check(args: argparse.Namespace) -> None:
    named = bool(args.ids) or (args.dead and args.action == "retry")
    if args.action != "ls" and not named:
        raise WrongUse(
            f"{args.action} which job?", hint=f"for example: hermes jobs {args.action} j12"
        )
    if args.action == "ls" and args.ids:
        raise WrongUse(
            f"ls takes no {args.ids[0]}", hint=f"`hermes jobs show {args.ids[0]}` shows one job"
        )
    if args.dead and (args.action != "retry" or args.ids):
        raise WrongUse("--dead goes with retry alone", hint="hermes jobs retry --dead")
    if args.limit is not None and not 1 <= args.limit <= MOST:
        raise WrongUse(f"--limit takes a number from 1 to {MOST:,}")
    for state in (args.state or "").split(","):
        if args.state is not None and state.strip() not in STYLES:
            raise WrongUse(f"a job is never {state}", hint=f"states: {', '.join(STYLES)}")


def _list(client: Client, args: argparse.Namespace, out: Output) -> int:
    from urllib.parse import urlencode

    limit = args.limit or 20
    query = {"limit": str(limit)}
    if args.state or args.all:
        query["state"] = args.state or ",".join(STYLES)
    if args.agent:
        query["agent"] = args.agent
    if args.repo:
        query["repo"] = place(args.repo)
    found = client.call("GET", f"/v1/jobs?{urlencode(query)}")
    if out.as_json:
        out.emit(found)
        return exits.DONE
    shown_jobs = found["jobs"]
    if "state" not in query and any(is_routine(job) for job in shown_jobs):
        shown_jobs = _without_routine(client, shown_jobs, query, limit)
    if not shown_jobs:
        if found["jobs"]:
            out.say("nothing but routine; `hermes jobs --all` shows it")
        else:
            out.say("no jobs" + (" of that kind" if len(query) > 1 else " yet"))
        return exits.DONE
    for line in job_lines(shown_jobs, time.time(), out.out):
        out.line(line)
    shown = sum(job["state"] == "queued" for job in shown_jobs)
    waiting = sum(lane["queued"] for lane in found["lanes"].values())
    if "state" not in query and waiting > shown and not args.agent and not args.repo:
        out.say(f"{count(waiting - shown, 'more job')} in the queue", "dim")
    if waiting and (why := found.get("held_back")):
        out.say(f"what nobody waits for does not start: {why}", "yellow")
    return exits.DONE


def _without_routine(
    client: Client, jobs: list[Job], query: dict[str, str], limit: int
) -> list[Job]:
    """Return what is not routine, and in its place what ended before."""
    from urllib.parse import urlencode

    more = query | {
        "limit": str(min(MOST, SPARE * limit)),
        "state": ",".join(state for state in STYLES if state not in UNSEEN),
    }
    kept = [job for job in jobs if not is_routine(job)]
    known = {job["id"] for job in kept}
    ended: list[Job] = client.call("GET", f"/v1/jobs?{urlencode(more)}")["jobs"]
    kept += [job for job in ended if job["id"] not in known and not is_routine(job)]
    return kept[:limit]


def job_lines(jobs: Sequence[Job], now: float, stream: Stream) -> list[str]:
    """Return a line for each job: what went wrong first, then what runs and waits, then the rest
    as it came."""
    rows = [
        (
            (f"j{job['id']}", "bold"),
            state_of(job),
            (what_of(job), ""),
            (repo_of(job), ""),
            (ago(moment_of(job), now), "dim"),
            (took(job, now), "dim"),
            (reason_of(job, now), "" if job["state"] in PATIENT else state_of(job)[1]),
        )
        for job in jobs
    ]
    return columns(rows, stream, give=(5, 3, 4), least=24)


def _show(client: Client, numbers: list[int], out: Output) -> int:
    for number in numbers:
        job = client.call("GET", f"/v1/jobs/{number}")["job"]
        if out.as_json:
            out.emit(job)
            continue
        for line in show_lines(job, time.time(), out.out):
            out.line(line)
    return exits.DONE


def show_lines(job: Job, now: float, stream: Stream) -> list[str]:
    """Return all that is known of a job."""
    word, style = state_of(job)
    name = f"j{job['id']}"
    width = stream.width if stream.terminal else 10_000
    rows = [(name, value) for name, value in _rows(job, now) if value]
    return [
        f"{stream.style(name, 'bold')}  {stream.style(word, style)}",
        *table(rows + report_rows(job["report"]), width),
        *(
            stream.style(f"  {line}", "dim")
            for line in wrap(f"how it came about: hermes why {name}", width - 2)
        ),
        *(["", *answer] if (answer := answer_lines(job["report"], stream)) else []),
    ]


def _rows(job: Job, now: float) -> list[tuple[str, str]]:
    error: dict[str, str] = job["error"]
    told, reason = clean(error.get("error", "")), reason_of(job, now)
    waits = job["state"] == "queued" and job["not_before"] > now
    ran = f", after {took(job, now)}" if job["started_at"] else ""
    return [
        ("agent", what_of(job) + (", as a trial" if job["dry_run"] else "")),
        ("repository", repo_of(job)),
        ("lane", job["lane"].replace("_", "-")),
        ("text", clean(job["text"])),
        ("changed", _changed(job)),
        ("queued", _when(job["queued_at"], now)),
        ("not before", _when(job["not_before"], now) if waits else ""),
        ("started", _when(job["started_at"], now)),
        ("ended", _when(job["ended_at"], now) + ran if job["ended_at"] else ""),
        ("attempts", str(job["attempts"]) if job["attempts"] > 1 else ""),
        ("events", str(job["events"]) if job["events"] > 1 else ""),
        ("reason", reason),
        ("error", told if told not in reason else ""),
        ("what to do", clean(error.get("hint", ""))),
    ]


def _changed(job: Job) -> str:
    if job["whole"]:
        return "the whole worktree"
    parts = [count(job[name], name[:-1]) for name in ("paths", "folders") if job[name]]
    return " and ".join(parts)


def _when(at: float | None, now: float) -> str:
    return f"{exactly(at, now)} ({ago(at, now)})" if at else ""


def _change(client: Client, action: str, numbers: list[int], out: Output) -> int:
    if not numbers:
        if out.as_json:
            out.emit({"jobs": []})
        out.say("no job is dead")
        return exits.DONE
    changed: list[Job] = []
    code = exits.DONE
    for number in numbers:
        try:
            changed.append(client.call("POST", f"/v1/jobs/{number}/{action}")["job"])
        except Refused as error:
            if len(numbers) == 1:
                raise
            out.fail(error)
            code = exits.FAILED
    if out.as_json:
        out.emit({"jobs": changed})
    for job in changed:
        word = "waits again" if action == "retry" else _ended(job)
        out.say(f"j{job['id']} {word} ({what_of(job)})")
    return code


def _ended(job: Job) -> str:
    return "is cancelled" if job["state"] == "cancelled" else "is being stopped"
