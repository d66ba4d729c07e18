"""Tests as lines of a terminal: how they stand, a run, and one test's past."""

from __future__ import annotations

import re

from .columns import columns
from .moments import ago, clock
from .text import clean, count, duration, fit, one_line, width_of, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .output import Stream

    Found = dict[str, Any]

MOST = 20
"""Tests of a kind that are shown if not all are asked for."""
STYLES = {
    "red": "red",
    "green": "green",
    "unknown": "yellow",
    "flaky": "yellow",
    "passed": "green",
    "failed": "red",
    "error": "red",
    "skipped": "dim",
}
LEAST = 16
"""Columns that a test's id must have, or what stands right of it gives way."""
NOTE = 200
"""Columns of a note that are shown; `--json` has all of it."""
MARGIN = 8
"""Columns before what is said of a test: its colour's word and a gap."""
LITTLE_TOLD = 4
"""Test files below which it does not matter that all of them are run."""
KINDS = {"affected": "after a change", "full": "all tests", "asked": "on demand"}


def state_lines(found: Found, now: float, stream: Stream, *, everything: bool) -> list[str]:
    """Return how tests stand: red first, the summary last, where the eye is."""
    lines: list[str] = []
    most = None if everything else MOST
    for tests in _alike(found["red"][:most]):
        for test in tests:
            lines.append(_red(test, now, stream))
        lines += _what(tests[0], stream)
    lines += [_row("green", name, "again", stream) for name in found["newly_green"][:most]]
    for test in found["flaky"][:most]:
        failed = f"failed {_times(test['flaky_count'])}, then passed"
        lines.append(_row("flaky", test["test"], failed, stream))
    for word, name in (("red", "red"), ("green again", "newly_green"), ("flaky", "flaky")):
        if most is not None and len(found[name]) > most:
            more = f"and {len(found[name]) - most:,} more {word}: hermes tests --all"
            lines += _said(more, "dim", stream)
    if everything:
        shown = {test["test"] for test in found["red"]}
        for test in found["all"]:
            if test["test"] not in shown:
                lines.append(_row(test["mark"], test["test"], ago(test["last_at"], now), stream))
    if lines:
        lines.append("")
    for text, style in _verdict(found):
        lines += _said(text, style, stream)
    last = found["last"]
    if last and last["state"] == "red" and last["detail"] and last["detail"] != found["detail"]:
        lines += _said(last["detail"], "yellow", stream)
    if running := found["running"]:
        lines += _said(_running(running), "cyan", stream)
    elif waiting := found.get("waiting"):
        lines += _said(_waiting(waiting, now), "yellow", stream)
    if found["last"]:
        lines += _summary(found, now, stream)
    if (found["missed"] or everything) and (checked := selection(found)):
        lines += _said(checked, "yellow" if found["missed"] else "dim", stream)
    return lines


def run_lines(run: Found, now: float, stream: Stream, *, brief: bool) -> list[str]:
    """Return a run: what was chosen and why, then each result; only failures if ``brief``."""
    lines: list[str] = []
    if not brief:
        head = f"{ago(run['at'], now)}, {KINDS.get(run['kind'], run['kind'])}"
        why = "" if run["kind"] == "full" else f": {one_line(run['why'])}"
        lines += _said(f"{head}, by {clean(run['framework'])}{why}", "", stream)
        rows = [
            ((" ", ""), (one_line(pick["target"]), ""), (one_line(pick["why"]), "dim"))
            for pick in run["picks"]
        ]
        lines += columns(rows[:MOST], stream, give=())
        if len(rows) > MOST:
            lines += _said(f"and {len(rows) - MOST:,} more: --json has them all", "dim", stream)
        if better := better_way(run):
            lines += _said(better, "dim", stream)
        if rows or better:
            lines.append("")
    shown = 0
    for result in run["results"]:
        bad = result["mark"] in ("failed", "error") or result["flaky"]
        shown += not bad
        if not bad and (brief or shown > MOST):
            continue
        word = "flaky" if result["flaky"] else result["mark"]
        lines.append(_row(word, result["test"], duration(result["seconds"]), stream))
        if result["failure"] and bad:
            lines += _failure(result["failure"], stream)
    if not brief and shown > MOST:
        lines += _said(f"and {shown - MOST:,} more: --json has them all", "dim", stream)
    if run["results"] and lines:
        lines.append("")
    text, style = ended(run)
    return lines + _said(text, style, stream)


def ended(run: Found) -> tuple[str, str]:
    """Return how a run ended in one line, and its style."""
    counts = run["counts"]
    total = sum(counts[name] for name in ("passed", "failed", "errors", "skipped"))
    parts = [
        f"{counts[name]:,} {word}"
        for name, word in (
            ("failed", "failed"),
            ("errors", "with errors"),
            ("passed", "passed"),
            ("flaky", "of them flaky"),
            ("skipped", "skipped"),
        )
        if counts[name]
    ]
    took = f"{count(total, 'test')} in {duration(run['seconds'])}"
    tally = f"{took}: {', '.join(parts)}" if parts else took
    detail = one_line(run["detail"])
    match run["state"]:
        case "green":
            return tally, "green"
        case "nothing":
            return f"no test was to be run: {detail or one_line(run['why'])}", "dim"
        case "red":
            return (f"{tally} ({detail})" if detail else tally), "red"
        case state:
            said = sentence(state, detail)
            return (f"{said} ({tally})" if total else said), "red"


def history_lines(found: Found, now: float, stream: Stream) -> list[str]:
    """Return a test's results, the newest first."""
    lines = _said(_stands(found["test"], now), STYLES[found["test"]["mark"]], stream)
    rows = [
        (
            (ago(each["run"]["at"], now), "dim"),
            _marked(each["result"]),
            (duration(each["result"]["seconds"]), "dim"),
            (KINDS.get(each["run"]["kind"], ""), "dim"),
            (each["run"]["head"][:10] + ("" if each["run"]["clean"] else "+"), "dim"),
            (_error(each["result"]["failure"]) if each["result"]["failure"] else "", ""),
        )
        for each in found["history"]
    ]
    lines += columns(rows, stream, give=(3, 4, 2), least=24)
    if any(not each["run"]["clean"] for each in found["history"]):
        lines += _said("+ with changes that were not committed", "dim", stream)
    return lines


def why_lines(found: Found, now: float, stream: Stream) -> list[str]:
    """Return why a test was run, or not, and what is known of its failure."""
    test = found["test"]
    lines = _said(_stands(test, now), STYLES[test["mark"]], stream)
    if test["mark"] != "green" and test["failure"]:
        lines += _failure(test["failure"], stream)
        lines += _known(test, stream)
    rows = [
        (
            (ago(each["run"]["at"], now), "dim"),
            ("ran" if each["ran"] else "not run", "green" if each["ran"] else "dim"),
            (one_line(each["why"]), ""),
        )
        for each in found["runs"]
    ]
    if rows:
        lines += ["", stream.style("The last runs", "bold"), *columns(rows, stream, give=(0,))]
    past = [episode for episode in found["episodes"] if episode["ended"]]
    if past:
        lines += ["", stream.style("Failed before", "bold")]
        lines += columns(
            [
                (
                    (clock(episode["began"], now), "dim"),
                    (f"for {duration(episode['ended'] - episode['began'])}", "dim"),
                    (_error(episode), ""),
                )
                for episode in past
            ],
            stream,
            give=(1,),
        )
    text = test["failure"]["text"] if test["mark"] == "red" and test["failure"] else ""
    if text:
        lines += ["", stream.style("What it said", "bold")]
        lines += [clean(line) for line in text.rstrip().split("\n")]
    return lines


def selection(found: Found) -> str:
    """Say in one line how well tests were chosen, as far as full runs could tell."""
    checked, missed = found["selections"], found["missed"]
    if not checked:
        return ""
    share = f"at most {100 * found['error_bound']:.2g} % do, with 95 % confidence"
    told = (
        f"{missed:,} of {count(checked, 'selection')}"
        if missed
        else "none of " + count(checked, "selection")
    )
    return f"{told} that a full run checked missed a failing test ({share})"


def sentence(state: str, detail: str) -> str:
    """Say what a state of a run means where it is more than a colour."""
    said = {
        "broken": "the tests can't be run",
        "uncollected": "some tests could not be collected",
        "timed_out": "the tests took too long and were ended",
        "overran": "the tests used too much and were ended",
    }.get(state, state)
    if state == "uncollected" and "not be collected" in detail:
        return detail  # it says how many files
    return f"{said}: {detail}" if detail else said


def better_way(run: Found) -> str:
    """Say how fewer tests would be run where imports tell little; empty where they do."""
    told = re.match(r"([\d,]+) of ([\d,]+) test files", run["why"])
    if run["by"] != "imports" or told is None:
        return ""
    some, total = (int(number.replace(",", "")) for number in told.groups())
    if total < LITTLE_TOLD or some < 0.9 * total:
        return ""
    every = "every test imports" if some == total else "nearly every test imports"
    return (
        f"{every} what changed; with pytest-testmon in the project's environment only those that "
        "ran it would run"
    )


def _verdict(found: Found) -> list[tuple[str, str]]:
    """Return what is to be said besides colours, each with its style."""
    name, detail = clean(found["repo"]["name"]), one_line(found["detail"])
    match found["verdict"]:
        case "disabled":
            return [("no tests are run: the setting tests.enabled is off", "yellow")]
        case "untrusted":
            return [
                (f"{name} is not trusted, so none of its code is run", "yellow"),
                ("`hermes trust` lets hermes run its tests, as you, in the background", "dim"),
            ]
        case "never" if found["running"]:
            return []
        case "never" if detail:
            return [(f"no test of {name} was run yet: {detail}", "yellow")]
        case "never":
            return [
                (f"no test of {name} was run yet; the next save runs those it affects", "yellow"),
                ("`hermes tests run --all` runs all of them now", "dim"),
            ]
        case "nothing":
            last = found["last"]
            why = detail or one_line(last["detail"] or last["why"])
            return [
                (f"there are no tests to be run: {why}" if why else "there are no tests", "yellow"),
                ("docs/tests.md says how to name a command that runs them", "dim"),
            ]
        case "timed_out" | "overran" | "broken" | "uncollected" as state:
            return [(sentence(state, detail), "red")]
        case _ if detail:
            return [(detail, "yellow")]
        case _:
            return []


def _summary(found: Found, now: float, stream: Stream) -> list[str]:
    counts = found["counts"]
    parts = [
        (f"{counts[name]:,} {name}", STYLES[name])
        for name in ("red", "green", "flaky", "unknown")
        if counts[name]
    ]
    last = found["last"]
    ran = sum(last["counts"][name] for name in ("passed", "failed", "errors", "skipped"))
    total = sum(counts[name] for name in ("red", "green", "unknown"))
    when = ago(last["at"] + last["seconds"], now)
    amount = count(ran, "test") if ran >= total else f"{ran:,} of {count(total, 'test')}"
    text = f"last run {when}: {amount} in {duration(last['seconds'])}"
    if last["state"] == "nothing":
        text = f"last change {when}, no test to run: {one_line(last['why'])}"
    tally = ", ".join(part for part, _ in parts)
    styled = ", ".join(stream.style(part, style) for part, style in parts)
    room = stream.width if stream.terminal else 10_000
    if not parts:
        return _said(text, "dim", stream)
    if width_of(tally) + 2 + width_of(text) <= room:
        return [f"{styled}; {stream.style(text, 'dim')}"]
    first = [styled] if width_of(tally) <= room else wrap(tally, room)
    return first + _said(text, "dim", stream)


def _alike(tests: list[Found]) -> list[list[Found]]:
    """Put tests of which the same is to be said together, each group where its first stands: a
    fault that many tests run into is told once."""
    groups: dict[object, list[Found]] = {}
    for number, test in enumerate(tests):
        failure = test["failure"]
        same: object = number
        if failure:
            said = (_error(failure), failure["path"], failure["line"])
            same = (test["new"], *said, test["note"], test["first_bad"])
        groups.setdefault(same, []).append(test)
    return list(groups.values())


def _red(test: Found, now: float, stream: Stream) -> str:
    since = max(0.0, now - test["since"])
    right = f"new, {ago(test['since'], now)}" if test["new"] else f"for {duration(since)}"
    return _row("red", test["test"], right, stream)


def _what(test: Found, stream: Stream) -> list[str]:
    lines = _failure(test["failure"], stream) if test["failure"] else []
    return lines + _known(test, stream)


def _failure(failure: Found, stream: Stream) -> list[str]:
    place = one_line(failure["path"])
    if place and failure["line"]:
        place += f":{failure['line']}"
    text = _error(failure) or "it failed without a word"
    return _said(f"{place}: {text}" if place else text, "", stream, margin=MARGIN)


def _known(test: Found, stream: Stream) -> list[str]:
    lines: list[str] = []
    if test["note"]:
        source = f" ({one_line(test['reference'])})" if test["reference"] else ""
        text = fit(one_line(test["note"]), NOTE)
        lines += _said(f"{text}{source}", "cyan", stream, margin=MARGIN)
    if test["first_bad"]:
        text = f"it fails since commit {test['first_bad'][:10]}"
        lines += _said(text, "cyan", stream, margin=MARGIN)
    return lines


def _error(failure: Found) -> str:
    parts = (one_line(failure["exception"]), one_line(failure["message"]))
    if parts[0] and parts[1].startswith(parts[0]):
        return parts[1]
    return ": ".join(part for part in parts if part)


def _stands(test: Found, now: float) -> str:
    text = f"{one_line(test['test'])} is {test['mark']} since {clock(test['since'], now)}"
    if test["flaky"]:
        text += f", flaky: {_times(test['flaky_count'])} it failed and then passed"
    return text


def _marked(result: Found) -> tuple[str, str]:
    word = "flaky" if result["flaky"] else str(result["mark"])
    return word, STYLES[word]


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _running(job: Found) -> str:
    phase = one_line(job.get("phase") or "").replace(": running ", ", ", 1)
    return f"tests run now (j{job['id']})" + (f": {phase}" if phase else "")


def _waiting(job: Found, now: float) -> str:
    """Say why what changed is not tested: what stands above is older."""
    left = job["not_before"] - now
    when = f"tried again in {duration(left)}" if left > 0 else "tried again now"
    return f"what changed is not tested yet (j{job['id']}): {one_line(job['reason'])}; {when}"


def _row(word: str, name: str, right: str, stream: Stream) -> str:
    """A test's line: its colour, its id cut at its head if need be, and a few words."""
    name = one_line(name)
    pad = " " * max(1, MARGIN - width_of(word))
    if stream.terminal:
        room = stream.width - width_of(word) - len(pad)
        if room - width_of(right) - 2 < LEAST:
            right = ""
        name = fit_end(name, room - width_of(right) - 2 if right else room)
    return f"{stream.style(word, STYLES[word])}{pad}{name}  {stream.style(right, 'dim')}".rstrip()


def fit_end(text: str, width: int) -> str:
    """Return the text cut at its beginning to the width: a test's own name stands at the end."""
    if width_of(text) <= width:
        return text
    while text and width_of(text) > width - 1:
        text = text[1:]
    return f"…{text}"


def _said(text: str, style: str, stream: Stream, *, margin: int = 0) -> list[str]:
    width = stream.width - margin if stream.terminal else 0
    return [
        (" " * margin + stream.style(line, style)).rstrip() for line in wrap(clean(text), width)
    ]
