"""``hermes tests``: how the tests stand."""

from __future__ import annotations

import time

from ..client import Refused
from . import exits
from .connection import connect, connect_or_start
from .progress import follow
from .scope import WrongUse, here, place
from .states import reason_of, state_of
from .tests_lines import history_lines, run_lines, state_lines, why_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from ..client import Client
    from .output import Output

    Found = dict[str, Any]

GOOD = frozenset({"green"})
BAD = frozenset({"red", "broken", "uncollected", "timed_out", "overran"})
WELL = frozenset({"ok", "silent", "skipped"})
MOST = 200
FRAMEWORKS = 8
"""Runs that one job may make, at most."""
EXAMPLES = """\
examples:
  hermes tests                      what is red, and why; exit code 0 green, 1 red, 3 unknown
  hermes tests run                  the tests that your last changes affect, now
  hermes tests run test_cart        those whose ids hold the word; also a file, or --all
  hermes tests last                 the last run: what was chosen and why, each result
  hermes tests history test_total   one test's results; any part of its id that no other has
  hermes tests why test_total       why it was run or not, its failure, what memory knows of it
"""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``tests``."""
    parser.usage = "hermes tests [run [ID …]|last|history ID|why ID] [options]"
    parser.epilog = EXAMPLES
    parser.add_argument(
        "action",
        metavar="ACTION",
        nargs="?",
        default="ls",
        choices=("ls", "run", "last", "history", "why"),
        help="run, last, history or why; else how all stand",
    )
    parser.add_argument("words", metavar="ID", nargs="*", help="a test, or any part of its id")
    parser.add_argument("--all", action="store_true", help="each test; with run: run all of them")
    parser.add_argument(
        "--repo", metavar="NAME", help="this repository instead of the one you are in"
    )
    parser.add_argument("-n", "--limit", metavar="N", type=int, help="with history: results (20)")
    parser.add_argument("--no-wait", action="store_true", help="with run: don't wait for the end")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show tests, or run them. Return 0 if all is green, 1 if not, 3 if nothing is known."""
    _check(args)
    whose = {"repo": place(args.repo)} if args.repo else {"cwd": here()}
    if args.action == "run":
        with connect_or_start(out) as client:
            return _run(client, whose, args, out)
    client, _ = connect(out)
    with client:
        match args.action:
            case "last":
                return _last(client, whose, out)
            case "history":
                query = whose | {"test": args.words[0], "limit": str(args.limit or 20)}
                found = _get(client, "/v1/tests/history", query)
                return _print(found, history_lines, out)
            case "why":
                found = _get(client, "/v1/tests/why", whose | {"test": args.words[0]})
                return _print(found, why_lines, out)
            case _:
                return _state(client, whose, args.all, out)


def _check(args: argparse.Namespace) -> None:
    one = args.action in ("history", "why")
    if one and len(args.words) != 1:
        what = "one test at a time" if args.words else "of which test?"
        raise WrongUse(f"{args.action}: {what}", hint=f"hermes tests {args.action} test_total")
    if args.words and not one and args.action != "run":
        raise WrongUse(
            f"{args.action} takes no {args.words[0]}", hint=f"hermes tests run {args.words[0]}"
        )
    if args.all and args.words:
        raise WrongUse("--all is all tests; leave it out, or the ids")
    if args.all and args.action not in ("ls", "run"):
        raise WrongUse(f"--all does not go with {args.action}")
    if args.no_wait and args.action != "run":
        raise WrongUse("--no-wait goes with run alone")
    if args.limit is not None and (args.action != "history" or not 1 <= args.limit <= MOST):
        raise WrongUse(f"--limit goes with history, and takes a number from 1 to {MOST}")


def _state(client: Client, whose: Found, everything: bool, out: Output) -> int:
    found = _get(client, "/v1/tests", whose | ({"all": "true"} if everything else {}))
    if out.as_json:
        out.emit(found)
    else:
        for line in state_lines(found, time.time(), out.out, everything=everything):
            out.line(line)
    return code_of(found)


def code_of(found: Found) -> int:
    """Return the exit code for how tests stand: red in any way is 1, nothing known 3."""
    if found["verdict"] in BAD:
        return exits.FAILED
    return exits.DONE if found["verdict"] in GOOD else exits.NOTHING_RELEVANT


def _last(client: Client, whose: Found, out: Output) -> int:
    found = _get(client, "/v1/tests/runs", whose | {"limit": str(FRAMEWORKS)})
    newest = found["runs"][:1]
    # One for each framework of the repository, all by the same job.
    same = [run for run in found["runs"] if newest and run["job"] == newest[0]["job"]]
    if out.as_json:
        out.emit(found | {"runs": same})
    elif not same:
        out.say("no tests were run yet; `hermes tests` says why")
    for run in reversed(same if not out.as_json else []):
        for line in run_lines(run, time.time(), out.out, brief=False):
            out.line(line)
    return exits.DONE if found["runs"] else exits.NOTHING_RELEVANT


def _run(client: Client, whose: Found, args: argparse.Namespace, out: Output) -> int:
    body = whose | {"tests": args.words, "whole": args.all}
    asked = client.call("POST", "/v1/tests/run", body)
    jobs: list[Found] = asked["jobs"]
    if args.no_wait or not jobs:
        if out.as_json:
            out.emit(asked)
        elif jobs:
            out.say(f"j{jobs[0]['id']} runs them; `hermes tests` shows how they stand")
        else:
            out.say(
                f"it is not decided yet who runs them; `hermes why e{asked['event']}`", "yellow"
            )
        return exits.DONE if jobs else exits.FAILED
    codes = [_await(client, whose, job["id"], out) for job in jobs]
    return max(codes)


def _await(client: Client, whose: Found, number: int, out: Output) -> int:
    """Follow a job to its end, and show its runs."""
    try:
        follow(client.stream("GET", f"/v1/jobs/{number}/watch"), out)
    except KeyboardInterrupt:
        out.say(f"\nj{number} goes on behind; `hermes tests` shows how they stand")
        raise
    except Refused:
        pass  # the job itself says it better
    job: Found = client.call("GET", f"/v1/jobs/{number}")["job"]
    found = _get(client, "/v1/tests/runs", whose | {"job": str(number)})
    if out.as_json:
        out.emit({"type": "ended", "job": job, "runs": found["runs"]})
    now = time.time()
    for run in reversed(found["runs"] if not out.as_json else []):
        for line in run_lines(run, now, out.out, brief=True):
            out.line(line)
    if job["state"] not in WELL or not found["runs"]:
        word, style = state_of(job)
        reason = reason_of(job, now)
        said = f"j{number}: {reason}" if job["state"] in WELL else f"j{number} {word}: {reason}"
        out.say(said.rstrip(": "), style)
        if hint := job["error"].get("hint"):
            out.say(hint, "dim")
    if job["state"] not in WELL:
        return exits.FAILED
    return exits.FAILED if any(run["state"] in BAD for run in found["runs"]) else exits.DONE


def _print(found: Found, lines: Any, out: Output) -> int:
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in lines(found, time.time(), out.out):
        out.line(line)
    return exits.DONE


def _get(client: Client, path: str, query: Found) -> Found:
    from urllib.parse import urlencode

    found: Found = client.call("GET", f"{path}?{urlencode(query)}")
    return found
