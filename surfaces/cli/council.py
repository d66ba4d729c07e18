"""``hermes council``: several judges on a judgment call, and exactly why they split."""

from __future__ import annotations

import os
import re
import time

from ..client import DaemonLost
from . import exits
from .connection import connect_or_start
from .council_lines import (
    calibration_lines,
    card_lines,
    juror_lines,
    list_lines,
    proposal_lines,
    weight_lines,
)
from .council_progress import Progress
from .scope import WrongUse, here, place, question_of
from .text import clean, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from typing import Any

    from ..client import Client
    from .output import Output

    Found = dict[str, Any]
    Act = Callable[[Client, list[str], argparse.Namespace, Output], int]

EXAMPLES = """\
examples:
  hermes council "Postgres or Mongo for the ledger?"
  hermes council "is this safe to merge?" --diff main..HEAD --preset security
  hermes council --diff                       is what is staged safe to merge?
  hermes council --pr 482                     a pull request, with what was said on it
  hermes council "can we ship it?" --file docs/plan.md --log ci.log
  hermes council show 12                      the verdict again; list has all of them
  hermes council outcome 12 right             how it turned out: jurors are weighed by it
  hermes council learn "hermes3:8b | security | 1.5"
  hermes council reflect                      one change of a weight, if there is reason to

also: list [WORDS], replay ID, undo CHANGE, approve N, dismiss N, weights, calibration, jurors

The exit code is 0 for PASS and WARN, 1 for FAIL, 3 where a person has to decide.
"""
RESULTS = ("right", "wrong", "mixed")
DECIDED = {"PASS": exits.DONE, "WARN": exits.DONE, "FAIL": exits.FAILED}
MOST_TEXT = 2_000_000
_PULL = re.compile(r"#?([1-9]\d{0,8})", re.ASCII)
_ID = re.compile(r"[cC#]?(\d{1,18})", re.ASCII)


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``council``."""
    parser.usage = "hermes council [options] QUESTION\n       hermes council ACTION [ID] [options]"
    parser.epilog = EXAMPLES
    parser.add_argument(
        "words", metavar="QUESTION", nargs="*", help="in your own words; - reads it from stdin"
    )
    evidence = parser.add_argument_group("what it is judged from, besides memory")
    evidence.add_argument(
        "--diff", metavar="A..B", nargs="?", const="", help="a difference; alone, what is staged"
    )
    evidence.add_argument("--pr", metavar="N", help="a pull request; its change comes from git")
    evidence.add_argument(
        "--file", metavar="FILE", action="append", default=[], help="a text; can be given again"
    )
    evidence.add_argument(
        "--log", metavar="FILE", action="append", default=[], help="the same; its end counts most"
    )
    parser.add_argument(
        "--preset",
        metavar="NAME",
        default="",
        help="architecture, code-review, security, product, operations, or your own",
    )
    parser.add_argument(
        "--mode",
        choices=("quick", "standard", "deep", "debate", "mixed-model"),
        help="1, 3 or 5 judges; two rounds of debate; different model families",
    )
    parser.add_argument("--note", metavar="TEXT", default="", help="with outcome: what happened")
    parser.add_argument(
        "--repo", metavar="NAME", help="this repository instead of the one you are in"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Ask a council, or look at what councils decided and learnt."""
    _mend_diff(args)
    act, words = _action(args.words)
    if act is None:
        return _ask(args, out)
    evidence = args.diff is not None or args.pr or args.file or args.log
    if evidence or args.preset or args.mode:
        raise WrongUse(f"{args.words[0]} takes no evidence, preset or mode")
    with connect_or_start(out) as client:
        return act(client, words, args, out)


def _mend_diff(args: argparse.Namespace) -> None:
    """``--diff "is it safe?"`` is a question after an option without a value."""
    if args.diff and re.search(r"\s|\?$", args.diff):
        args.words, args.diff = [args.diff, *args.words], ""


def _action(words: list[str]) -> tuple[Act | None, list[str]]:
    """Return what is to be done, and with what; None for a question."""
    if not words or words[0] not in ACTIONS:
        return None, words
    act, most = ACTIONS[words[0]]
    if len(words) - 1 > most or "?" in words[-1]:
        return None, words  # "list the risks of …" is a question
    return act, words[1:]


# Asking


def _ask(args: argparse.Namespace, out: Output) -> int:
    body = body_of(args)
    with connect_or_start(out) as client:
        return show_progress(client.stream("POST", "/v1/councils", body), out)


def body_of(args: argparse.Namespace) -> Found:
    """Return the question with its evidence as the API takes it. Raise WrongUse."""
    if args.note:
        raise WrongUse("--note goes with outcome", hint="hermes council outcome 12 right --note …")
    evidence = args.diff is not None or args.pr or args.file or args.log
    body: Found = {
        "question": question_of(args.words, "council") if args.words or not evidence else "",
        "files": [_read(name) for name in args.file],
        "logs": [_read(name) for name in args.log],
        "preset": args.preset,
    }
    if args.diff is not None:
        body["diff"] = args.diff
    if args.pr is not None:
        body["pull"] = _pull(args)
    if args.mode:
        body["mode"] = args.mode
    return body | ({"repo": place(args.repo)} if args.repo else {"cwd": here()})


def _pull(args: argparse.Namespace) -> int:
    """Return the number of a pull request: ``482`` or ``#482``. Raise WrongUse."""
    if args.diff is not None:
        raise WrongUse("--pr and --diff are two changes", hint="one council judges one of them")
    found = _PULL.fullmatch(args.pr.strip())
    if found is None:
        raise WrongUse(f"{args.pr} is no pull request", hint="give its number: --pr 482")
    return int(found[1])


def _read(name: str) -> dict[str, str]:
    """Return a file with its name as the repository has it. Raise WrongUse."""
    try:
        with open(name, "rb") as file:
            data = file.read(MOST_TEXT)
    except OSError as error:
        raise WrongUse(f"{name} can't be read: {error.strerror}") from error
    if b"\0" in data[:8_000]:
        raise WrongUse(f"{name} is no text", hint="judges read texts, diffs and logs")
    shown = os.path.relpath(name) if os.path.isabs(name) else os.path.normpath(name)
    shown = os.path.basename(name) if shown.startswith("..") else shown
    return {
        "path": os.fsencode(shown).decode("utf-8", "replace"),
        "text": data.decode("utf-8", "replace"),
    }


def show_progress(events: Iterator[Found], out: Output) -> int:
    """Show how a council goes, then its verdict. Return what the verdict comes to."""
    number = 0
    council: Found | None = None
    progress = Progress(out)
    try:
        for event in events:
            if out.as_json:
                out.emit(event)
            if event["type"] == "numbered":
                number = event["id"]
            elif event["type"] == "done":
                council = event["council"]
            else:
                progress.take(event)
    except DaemonLost as error:
        if not number:
            raise
        raise DaemonLost(
            error.message, hint=f"council {number} goes on: hermes council show {number}"
        ) from error
    except KeyboardInterrupt:
        if number:
            out.say(f"\ncouncil {number} goes on behind; `hermes council show {number}` shows it")
        raise
    if council is None:
        raise DaemonLost("the council was cut off", hint="`hermes council list` shows how far")
    if not out.as_json:
        _card(council, out)
    return _code(council)


def _card(council: Found, out: Output) -> None:
    for line in card_lines(council, out.out):
        out.line(line)
    if council["verdict"] is None:
        out.say(f"council {council['id']} has no verdict: it was abandoned", "yellow")
        return
    if report := council.get("report"):
        out.say(f"report: {clean(report)}", "dim")
    if council["verdict"]["vote"] == "ABSTAIN":
        out.say(
            "nobody could judge it: `hermes models` says why no model is there, `hermes ask` shows "
            "what memory holds on it, and --diff, --file and --log hand in more",
            "dim",
        )
    elif council["outcome"] is None:
        out.say(f"once you know: hermes council outcome {council['id']} right|wrong|mixed", "dim")


def _code(council: Found) -> int:
    verdict = council["verdict"]
    return (
        exits.FAILED if verdict is None else DECIDED.get(verdict["state"], exits.NOTHING_RELEVANT)
    )


# What was decided


def _number(words: list[str], action: str) -> int:
    found = _ID.fullmatch(words[0]) if words else None
    if found is None:
        what = f"{words[0]} is no number" if words else "which one?"
        raise WrongUse(f"{action}: {what}", hint="`hermes council list` shows them, for example 12")
    return int(found[1])


def _list(client: Client, words: list[str], args: argparse.Namespace, out: Output) -> int:
    from urllib.parse import urlencode

    query = {"words": " ".join(words)} if words else {}
    query |= {"repo": place(args.repo)} if args.repo else {"cwd": here()}
    found = client.call("GET", f"/v1/councils?{urlencode(query)}")
    if out.as_json:
        out.emit(found)
    else:
        for line in list_lines(found["councils"], time.time(), out.out):
            out.line(line)
        if not found["councils"] and words:
            out.say("no question that a council was asked here has these words", "dim")
        elif not found["councils"]:
            out.say('no council was asked here yet: hermes council "A or B?"', "dim")
    return exits.DONE if found["councils"] else exits.NOTHING_RELEVANT


def _show(client: Client, words: list[str], args: argparse.Namespace, out: Output) -> int:
    number = _number(words, "show")
    council = client.call("GET", f"/v1/councils/{number}")["council"]
    if council["progress"] == "running":
        return show_progress(client.stream("GET", f"/v1/councils/{number}/watch"), out)
    if out.as_json:
        out.emit({"council": council})
    else:
        out.line(one_line(council["question"]))
        _card(council, out)
    return _code(council)


def _replay(client: Client, words: list[str], args: argparse.Namespace, out: Output) -> int:
    number = _number(words, "replay")
    found = client.call("GET", f"/v1/councils/{number}/replay")
    if out.as_json:
        out.emit(found)
    elif found["same"]:
        out.line(
            f"council {number}: the same verdict again, {found['verdict']['words']} (rules {found['rules']})"
        )
    else:
        out.line(
            f"council {number}: rules {found['rules']} say {found['verdict']['words']}; the verdict was "
            f"made by rules {found['stored_rules']}"
        )
    return exits.DONE if found["same"] else exits.FAILED


def _outcome(client: Client, words: list[str], args: argparse.Namespace, out: Output) -> int:
    number = _number(words, "outcome")
    if len(words) < 2 or words[1] not in (*RESULTS, "unknown"):
        raise WrongUse(
            "outcome: how did it turn out?",
            hint=f"hermes council outcome {number} right, wrong, mixed, or unknown to take it back",
        )
    path = f"/v1/councils/{number}/outcome"
    if words[1] == "unknown":
        found = client.call("DELETE", path)
        if out.as_json:
            out.emit(found)
        else:
            out.line(f"council {number}: not known how it turned out")
        return exits.DONE
    found = client.call("POST", path, {"result": words[1], "note": args.note})
    if out.as_json:
        out.emit(found)
        return exits.DONE
    out.line(f"council {number} turned out {words[1]}")
    for one in found["scores"]:
        how = {1.0: "right", 0.0: "wrong"}.get(one["value"], "half right")
        out.line(f"  {one_line(one['juror'])} was {how} on {one['topic']}")
    return exits.DONE


# What is learnt


def _learn(client: Client, words: list[str], args: argparse.Namespace, out: Output) -> int:
    if not words:
        raise WrongUse("learn what?", hint='hermes council learn "hermes3:8b | security | 1.5"')
    return _said(client.call("POST", "/v1/council/learn", {"lesson": " ".join(words)}), out)


def _undo(client: Client, words: list[str], args: argparse.Namespace, out: Output) -> int:
    return _said(client.call("DELETE", f"/v1/council/learn/{_number(words, 'undo')}"), out)


def _said(found: Found, out: Output) -> int:
    """Say what a change of weights comes to, and how it is taken back."""
    if out.as_json:
        out.emit(found)
        return exits.DONE
    out.line(clean(found["text"]))
    if "no longer" not in found["text"]:
        out.say(f"to take it back: hermes council undo {found['change']}", "dim")
    return exits.DONE


def _reflect(client: Client, words: list[str], args: argparse.Namespace, out: Output) -> int:
    found = client.call("POST", "/v1/council/reflect", {})
    if out.as_json:
        out.emit(found)
    elif found["proposal"] is None:
        out.say(f"nothing to propose: {found['why']}")
        out.say(found["hint"], "dim")
    else:
        for line in proposal_lines(found["proposal"], out.out):
            out.line(line)
    return exits.DONE if found["proposal"] else exits.NOTHING_RELEVANT


def _approve(client: Client, words: list[str], args: argparse.Namespace, out: Output) -> int:
    number = _number(words, "approve")
    return _said(client.call("POST", f"/v1/council/proposals/{number}/approve", {}), out)


def _dismiss(client: Client, words: list[str], args: argparse.Namespace, out: Output) -> int:
    number = _number(words, "dismiss")
    found = client.call("POST", f"/v1/council/proposals/{number}/dismiss", {})
    if out.as_json:
        out.emit(found)
    else:
        out.line(f"proposal {number} is dismissed: weights stay as they are")
    return exits.DONE


def _weights(client: Client, words: list[str], args: argparse.Namespace, out: Output) -> int:
    found = client.call("GET", "/v1/council/weights")
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in weight_lines(found, time.time(), out.out):
        out.line(line)
    if not found["weights"]:
        out.say("every juror counts 1: no outcome is known yet, and nothing was set", "dim")
    return exits.DONE


def _calibration(client: Client, words: list[str], args: argparse.Namespace, out: Output) -> int:
    found = client.call("GET", "/v1/council/calibration")
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in calibration_lines(found, out.out):
        out.line(line)
    return exits.DONE


def _jurors(client: Client, words: list[str], args: argparse.Namespace, out: Output) -> int:
    found = client.call("GET", "/v1/council/jurors")
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in juror_lines(found["jurors"], out.out):
        out.line(line)
    if not found["jurors"]:
        out.say("no model is set: rules alone judge (hermes config explain council.jurors)", "dim")
    return exits.DONE


ACTIONS: dict[str, tuple[Act, int]] = {
    "show": (_show, 1),
    "list": (_list, 4),
    "replay": (_replay, 1),
    "outcome": (_outcome, 2),
    "learn": (_learn, 9),
    "undo": (_undo, 1),
    "reflect": (_reflect, 0),
    "approve": (_approve, 1),
    "dismiss": (_dismiss, 1),
    "weights": (_weights, 0),
    "calibration": (_calibration, 0),
    "jurors": (_jurors, 0),
}
"""What can be done besides asking, and how many words each takes at most."""
