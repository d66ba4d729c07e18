"""``hermes why``: how something came about, from the event to what was written."""

from __future__ import annotations

import re
import time

from . import exits
from .connection import connect
from .happened import SOURCES, happened
from .log import style_of
from .moments import ago, exactly
from .scope import WrongUse
from .states import reason_of, repo_of, state_of, took, what_of
from .text import clean, count, duration, one_line, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator
    from typing import Any

    from .output import Output, Stream

    Found = dict[str, Any]
    Line = tuple[int, str, str]
    """Indentation, text and style."""

EXAMPLES = """\
examples:
  hermes why j12     a job: what led to it, what it read and wrote
  hermes why e3      an event: who took it up, and why they did
  hermes why f4      what you were shown: where it is from
"""
MOST = 8
"""References and events of a kind that are listed; --json has them all."""
_SHA = re.compile(r"\b([0-9a-f]{10})[0-9a-f]{30}\b")
_ID = re.compile(r"[jef]?\d{1,18}", re.ASCII | re.IGNORECASE)


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``why``."""
    parser.usage = "hermes why ID [options]"
    parser.epilog = EXAMPLES
    parser.add_argument("id", metavar="ID", help="j12 or 12 (a job), e3 (an event), f4 (a finding)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Tell the story."""
    name = args.id.strip().lower()
    if name.startswith("i") and _ID.fullmatch(name[1:]):
        raise WrongUse(
            f"{args.id} is an incident, which stands for jobs",
            hint="`hermes incidents` names the last of them; why takes that",
        )
    if not _ID.fullmatch(name):
        raise WrongUse(
            f"{args.id} is no id", hint="a job is j12, an event e3, a finding f4; see `hermes log`"
        )
    client, _ = connect(out)
    with client:
        found = client.call("GET", f"/v1/why/{name}")
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in story_lines(found, time.time(), out.out):
        out.line(line)
    return exits.DONE


def story_lines(found: Found, now: float, stream: Stream) -> list[str]:
    """Return the story as lines, what led to what from top to bottom."""
    width = stream.width if stream.terminal else 0
    lines: list[str] = []
    for indent, text, style in _story(found, now):
        for part in wrap(text, width - indent if width else 0):
            lines.append((" " * indent + stream.style(part, style)).rstrip())
    return lines


def _story(found: Found, now: float) -> Iterator[Line]:
    names: dict[str, str] = found["repos"]
    if finding := found.get("finding"):
        yield from _finding(finding, 0)
    events = found["events"]
    if len(events) > MOST:
        yield 0, f"{count(len(events) - MOST, 'earlier event')} led to this as well", "dim"
    for event in events[-MOST:]:
        yield from _event(event, names, now)
    if not events and not found["jobs"]:
        yield 0, "what led to it is not kept any more", "dim"
    for job in found["jobs"]:
        yield from _job(job | {"repo_name": names.get(job["repo"] or "")}, names, now)


def _event(event: Found, names: dict[str, str], now: float) -> Iterator[Line]:
    where = f" in {one_line(names.get(event['repo']) or event['repo'])}" if event["repo"] else ""
    yield 0, f"e{event['id']}  {event['kind'].replace('_', ' ')}{where}", "bold"
    if told := happened(event["event"]):
        yield 4, told, ""
    by = SOURCES.get(event["source"]) or event["source"]
    yield 4, f"{exactly(event['at'], now)} ({ago(event['at'], now)}), told by {by}", "dim"
    late = event["accepted_at"] - event["at"]
    if late > 5:
        yield 4, f"it was {duration(late)} old when it was taken in", "dim"
    for call in event["calls"]:
        yield 4, _call(call), ""
    yield 2, *_decision(event)


def _decision(event: Found) -> tuple[str, str]:
    decision = event["decision"]
    if decision is None:
        return "→ it is not decided yet who takes it up", "yellow"
    who = ", ".join(f"{r['agent']} {r['subject']}".rstrip() for r in decision.get("routes", ()))
    by, seconds = decision.get("by", ""), decision.get("seconds")
    how = f"by {by}" + (f" in {duration(seconds)}" if seconds and seconds >= 0.001 else "")
    if model := decision.get("model"):
        how += f" ({one_line(model)})"
    reason = one_line(decision.get("reason", ""))
    return f"→ {one_line(who) or 'nobody'}, {how}" + (f": {reason}" if reason else ""), "cyan"


def _job(job: Found, names: dict[str, str], now: float) -> Iterator[Line]:
    word, style = state_of(job)
    where = f" in {repo}" if (repo := repo_of(job)) else ""
    trial = " (dry run)" if job["dry_run"] else ""
    yield 0, f"j{job['id']}  {what_of(job)}{where}{trial}", "bold"
    if job["follows"]:
        yield 4, "follows from " + ", ".join(f"j{number}" for number in job["follows"]), "dim"
    if job["text"]:
        yield 4, f"“{one_line(job['text'])}”", ""
    for step, times in steps_of(job["history"]):
        text = _step(step, job) + (f" ({times} times)" if times > 1 else "")
        yield 4, f"{exactly(step['at'], now)}  {step['what']}{text}", _quiet(step["what"])
    for call in job["calls"]:
        yield 4, _call(call), ""
    for verb in ("read", "wrote"):
        yield from _references(verb, [_short(ref, names) for ref in job[verb]])
    for finding in job["findings"]:
        yield from _finding(finding, 4)
    reason = reason_of(job, now)
    if job["history"] and reason in one_line(job["history"][-1]["text"]):
        reason = ""  # said just above
    after = f" after {took(job, now)}" if job["ended_at"] and job["started_at"] else ""
    yield 2, f"→ {word}{after}" + (f": {reason}" if reason else ""), style
    if hint := job["error"].get("hint"):
        yield 4, clean(hint), "dim"
    for next_job in job["followups"]:
        state, colour = state_of(next_job)
        yield 2, f"→ then j{next_job['id']} {what_of(next_job)}: {state}", colour


def steps_of(history: Iterable[Found]) -> Iterator[tuple[Found, int]]:
    """Return each step and how often it came in a row, the last of them: a job that many events
    joined is one line."""
    from itertools import groupby

    for _, alike in groupby(history, lambda step: (step["what"], step["text"])):
        *before, last = alike
        yield last, len(before) + 1


def _step(step: Found, job: Found) -> str:
    """The journal names the job in each line; here that goes without saying."""
    text = one_line(step["text"]).removeprefix(what_of(job)).removeprefix(":").strip()
    return f": {text}" if text else ""


def _quiet(what: str) -> str:
    return style_of(what) if what in ("retry", "dead", "failed", "abandoned") else "dim"


def _call(call: Found) -> str:
    tokens = f"{call['tokens_in']:,} + {call['tokens_out']:,} tokens"
    waited = f" after waiting {duration(call['waited'])}" if call["waited"] >= 0.05 else ""
    ending = "" if call["outcome"] == "ok" else f", {one_line(call['outcome'])}"
    prompt = f", prompt {one_line(call['prompt'])}" if call["prompt"] else ""
    model = one_line(call["model"])
    return f"model {model}: {tokens} in {duration(call['seconds'])}{waited}{prompt}{ending}"


def _short(reference: str, names: dict[str, str]) -> str:
    """``shop:6317cc7a92`` says more than two long numbers do."""
    repo, colon, rest = reference.partition(":")
    if colon and repo in names:
        reference = f"{names[repo]}:{rest}"
    return _SHA.sub(r"\1", reference)


def _references(verb: str, references: Iterable[str]) -> Iterator[Line]:
    listed = [one_line(reference) for reference in references]
    if not listed:
        return
    yield 4, f"{verb} {listed[0]}" if len(listed) == 1 else f"{verb}", ""
    if len(listed) == 1:
        return
    for reference in listed[:MOST]:
        yield 6, reference, "dim"
    if len(listed) > MOST:
        yield 6, f"and {len(listed) - MOST:,} more (--json has them)", "dim"


def _finding(finding: Found, indent: int) -> Iterator[Line]:
    reason = f": {one_line(finding['reason'])}" if finding["reason"] else ""
    yield indent, f"f{finding['id']}  {one_line(finding['title'])}", "bold" if not indent else ""
    state, level = finding["state"].replace("_", " "), finding["level"]
    fate = f"{state}{reason}" if state == level else f"{state} as {level}{reason}"
    if finding["level"] != finding["wanted"]:
        fate += f" (the agent wanted {finding['wanted']})"
    yield indent + 4, fate, "dim"
    if finding["next_step"]:
        yield indent + 4, one_line(finding["next_step"]), ""
    yield from ((indent + 4, f"see {one_line(ref)}", "dim") for ref in finding["references"][:MOST])
