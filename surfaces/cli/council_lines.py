"""Councils as lines of a terminal: the verdict card, lists, weights, calibration."""

from __future__ import annotations

import re

from .columns import columns
from .moments import ago
from .output import table
from .text import clean, count, duration, one_line, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .output import Stream

    Found = dict[str, Any]
    Cell = tuple[str, str]

STYLES = {
    "PASS": "green",
    "WARN": "yellow",
    "FAIL": "red",
    "DISAGREE": "mark",
    "NEEDS_HUMAN": "mark",
    "ABSTAIN": "dim",
}
CHECKS = "rule:checks"
"""All rules as one juror beside models."""
SEVERITIES = {"critical": "red", "significant": "red", "minor": "yellow", "note": "dim"}


def heard_line(event: Found) -> str:
    """Return what is shown of an opinion while others are still to come."""
    took = f" ({duration(event['seconds'])})" if event["seconds"] >= 1 else ""
    return f"{event['vote']:<8} {seat_of(event['seat'])}: {_reason(event)}{took}"


def _reason(each: Found) -> str:
    reasons: list[str] = each.get("reasons", [])
    said = one_line(each["insight"] or next(iter(reasons), "")).removeprefix("by rule: ")
    position = one_line(each["position"])
    if position.casefold() in ("", each["vote"].casefold()) or position == said:
        return said
    return f"“{position}” – {said}" if said else f"“{position}”"


def seat_of(seat: str) -> str:
    """Return a seat as people read it: a model by its name, a program without its folders."""
    provider, _, rest = seat.partition(":")
    if provider in ("ollama", "openai"):
        return one_line(rest)
    if provider != "command":
        return one_line(seat)
    command, slash, perspective = rest.rpartition("/")
    if not command or not re.fullmatch(r"[A-Z]\w*", perspective):
        command, slash, perspective = rest, "", ""
    program, space, arguments = command.partition(" ")
    return one_line(f"{program.rpartition('/')[2]}{space}{arguments}{slash}{perspective}")


def card_lines(council: Found, stream: Stream) -> list[str]:
    """Return the verdict card of a council; of one without a verdict, what was said in it."""
    width = stream.width if stream.terminal else 0
    verdict = council["verdict"]
    lines: list[str] = []
    if verdict is None:
        return [*_section("Who said what", _said(council, stream), stream)]
    lines += ["", *_head(council, verdict, stream, width), "", *_numbers(verdict, width)]
    lines += _section("Why", _items(verdict["why"], width), stream)
    lines += _section("Who said what", _said(council, stream), stream)
    lines += _section(_split_title(council, verdict), _dissent(verdict, width), stream)
    lines += _section("Findings", _findings(verdict, stream, width), stream)
    lines += _section("Changed minds", _shifts(verdict, width), stream)
    lines += _section("Missing evidence", _items(verdict["missing"], width), stream)
    lines += _section("Not counted", _items(_not_counted(council, verdict), width), stream)
    lines += ["", *(stream.style(line, "dim") for line in wrap(_cost(council), width))]
    return lines


def _head(council: Found, verdict: Found, stream: Stream, width: int) -> list[str]:
    state, side = verdict["words"], verdict["side"]
    said = f"{state}: {one_line(side)}" if side and side != verdict["vote"] else state
    if verdict["state"] == "NEEDS_HUMAN" and side == verdict["vote"]:
        said = f"{state} (they say {side})"
    lines = [stream.style(line, STYLES[verdict["state"]]) for line in wrap(said, width)]
    summary: Found = council.get("summary") or {}
    if summary.get("text"):
        lines += wrap(one_line(summary["text"]), width)
    elif verdict["decision"] and verdict["decision"] != side:
        lines += wrap(one_line(verdict["decision"]), width)
    if council["target"]:
        about = f"about {one_line(council['target'])}"
        lines += [stream.style(line, "dim") for line in wrap(about, width)]
    return lines


def _numbers(verdict: Found, width: int) -> list[str]:
    """Three numbers that mean different things, each with its name."""
    agreement, claimed = verdict["agreement"], verdict["claimed"]
    share = f"{agreement['agreeing']} of {agreement['of']} ({agreement['share']:.0%} of the weight)"
    sure = f"{claimed['mean']:.0%} sure, as they say themselves" if claimed else "nobody says"
    rows = [
        ("agreement", share),
        ("confidence", sure),
        ("probability", f"{verdict['probability_words']}"),
    ]
    return table(rows, width or 10_000, indent=0)


def _said(council: Found, stream: Stream) -> list[str]:
    """Each juror: vote, how sure, how much it counts, and what decides it, whole, below on a terminal.
    What it said last; what it said before is told among the changed minds."""
    verdict: Found = council["verdict"] or {"weights": {}, "absent": [], "shifts": []}
    weights: Found = verdict["weights"]
    changed = {one["seat"] for one in verdict["shifts"]}
    last: dict[str, Found] = {one["seat"]: one for one in council["opinions"]}
    rows: list[list[Cell]] = []
    reasons: list[str] = []
    for one in last.values():
        if one["vote"] == "ABSTAIN" and one["juror"]["provider"] == "rule":
            continue  # said below, all in one line
        name = f"{one['juror']['provider']}:{one['juror']['model']}"
        weight = weights.get(name, {}).get("value", 1.0)
        rows.append(
            [
                ("⇄" if one["seat"] in changed else "", "cyan"),
                (one["vote"], STYLES[one["vote"]]),
                (f"{one['confidence']:.0%}" if one["vote"] != "ABSTAIN" else "", "dim"),
                (f"×{weight:.2g}" if abs(weight - 1) >= 0.05 else "", "cyan"),
                (seat_of(one["seat"]), "bold"),
            ]
        )
        reasons.append(_reason(one))
    absent: list[Found] = verdict["absent"]
    for one in absent:
        juror = one["juror"]
        name = f"{juror['provider']}:{juror['model']}"
        if juror["perspective"]:
            name = f"{name}/{juror['perspective']}"
        then = f"; {seat_of(one['replaced_by'])} took the seat" if one["replaced_by"] else ""
        rows.append([("", ""), ("–", "dim"), ("", ""), ("", ""), (seat_of(name), "dim")])
        reasons.append(f"{one_line(one['why'])}{then}")
    heads = columns(rows, stream, give=(3, 2), least=12)
    if not stream.terminal:
        return [f"{head}  {reason}" for head, reason in zip(heads, reasons, strict=True)]
    lines: list[str] = []
    for head, reason in zip(heads, reasons, strict=True):
        lines += [head, *(f"    {part}" for part in wrap(reason, stream.width - 4))]
    return lines


def _split_title(council: Found, verdict: Found) -> str:
    return "The sides" if verdict["state"] == "DISAGREE" else "Dissent"


def _dissent(verdict: Found, width: int) -> list[str]:
    labels = [side["label"] for side in verdict["sides"]]
    shown = labels if verdict["state"] == "DISAGREE" else verdict["dissent"]
    lines: list[str] = []
    for side in verdict["sides"]:
        if side["label"] in shown:
            who = ", ".join(seat_of(seat) for seat in side["seats"])
            lines += _item(
                f"{one_line(side['label'])} ({who}, {side['share']:.0%}): {one_line('; '.join(side['reasons']))}",
                width,
            )
    return lines


def _findings(verdict: Found, stream: Stream, width: int) -> list[str]:
    lines: list[str] = []
    for raised in verdict["findings"]:
        finding = raised["finding"]
        cited = ", ".join(one_line(ref) for ref in finding["evidence"]) or "no evidence cited"
        text = f"{finding['severity']}: {one_line(finding['title'])} [{cited}]"
        if raised["withdrawn"]:
            text += " – given up in the debate without a new reason, so it stands"
        first, *more = _item(text, width)
        word = finding["severity"]
        lines += [first.replace(word, stream.style(word, SEVERITIES[word]), 1), *more]
        if finding["recommendation"]:
            lines += [
                f"    {part}"
                for part in wrap(f"→ {one_line(finding['recommendation'])}", max(0, width - 4))
            ]
    return lines


def _shifts(verdict: Found, width: int) -> list[str]:
    lines: list[str] = []
    for one in verdict["shifts"]:
        before, after = one["side_before"] or one["before"], one["side_after"] or one["after"]
        change = f"{before} → {after}" if before != after else f"holds {after}, gives up a finding"
        why = one_line(one["reason"]) or "without a new reason: counts half from then on"
        lines += _item(f"⇄ {seat_of(one['seat'])}: {one_line(change)}: {why}", width)
    return lines


def _not_counted(council: Found, verdict: Found) -> list[str]:
    texts = [clean(text) for text in verdict["duplicates"]]
    heard = {one["seat"]: _reason(one) for one in council["opinions"] if one["seat"] == CHECKS}
    silent = [seat for seat in verdict["abstained"] if seat.startswith("rule:")]
    if CHECKS in silent:  # beside models: it may have seen a lot
        silent.remove(CHECKS)
        texts.append(f"rules, which have no vote here: {heard[CHECKS]}")
    if silent:
        who = ", ".join(seat.removeprefix("rule:") for seat in silent)
        texts.append(f"{count(len(silent), 'rule')} had nothing to say to this ({who})")
    if verdict["undecided"]:
        who = ", ".join(seat_of(seat) for seat in verdict["undecided"])
        texts.append(f"{who}: the position could not be told")
    return texts


def _cost(council: Found) -> str:
    cost = council["cost"]
    parts = [f"council {council['id']}", council["mode"], council["preset"]]
    if cost["models"]:
        parts.append(", ".join(seat_of(name) for name in cost["models"]))
        parts.append(f"{cost['tokens_in']:,} tokens in, {cost['tokens_out']:,} out")
    else:
        parts.append("by rules, without a model")
    parts.append(duration(cost["seconds"]))
    summary: Found = council.get("summary") or {}
    if summary.get("text"):
        parts.append(f"phrased by {one_line(summary['model'])}")
    if council["outcome"]:
        note = f" ({one_line(council['note'])})" if council["note"] else ""
        parts.append(f"turned out {council['outcome']}{note}")
    return " · ".join(parts)


def _section(title: str, lines: Sequence[str], stream: Stream) -> list[str]:
    return ["", stream.style(title, "bold"), *lines] if lines else []


def _items(texts: Sequence[str], width: int) -> list[str]:
    return [line for text in texts for line in _item(one_line(text), width)]


def _item(text: str, width: int) -> list[str]:
    first, *more = wrap(text, max(0, width - 2) if width else 0) or [""]
    return [f"- {first}", *(f"  {line}" for line in more)]


def list_lines(found: Sequence[Found], now: float, stream: Stream) -> list[str]:
    """Return a line for each council, the newest first."""
    rows: list[list[Cell]] = []
    for one in found:
        if problem := one.get("problem"):
            rows.append(
                [
                    (str(one["id"]), "bold"),
                    ("damaged", "red"),
                    ("", ""),
                    ("", ""),
                    (one_line(problem), ""),
                ]
            )
            continue
        state = one["state"] or one["progress"]
        word = "needs a human" if state == "NEEDS_HUMAN" else state
        side = one_line(one["side"]) if one["side"] not in ("", "PASS", "WARN", "FAIL") else ""
        question = one_line(one["question"])
        rows.append(
            [
                (str(one["id"]), "bold"),
                (word, STYLES.get(state, "dim")),
                (one["outcome"] or "", "cyan"),
                (ago(one["asked"], now), "dim"),
                (f"{question} → {side}" if side else question, ""),
            ]
        )
    return columns(rows, stream, give=(3, 2), least=30)


def weight_lines(found: Found, now: float, stream: Stream) -> list[str]:
    """Return how much each juror counts, and the changes that were made by hand."""
    rows: list[list[Cell]] = [
        [
            (one_line(one["juror"]), ""),
            ("every topic" if one["topic"] == "*" else one_line(one["topic"]), ""),
            (f"×{one['weight']:.2f}", "bold"),
            (one_line(one["basis"]), "dim"),
        ]
        for one in found["weights"]
    ]
    lines = columns(rows, stream, give=(3,), least=12)
    changes: list[list[Cell]] = [
        [
            (str(one["id"]), "bold"),
            (one_line(one["juror"]), ""),
            ("every topic" if one["topic"] == "*" else one_line(one["topic"]), ""),
            (f"×{one['factor']:g}", ""),
            (one_line(one["why"]), "dim"),
            ("taken back" if one["undone"] else ago(one["at"], now), "dim"),
        ]
        for one in found["changes"]
    ]
    return lines + _section("Changes", columns(changes, stream, give=(4, 2)), stream)


def juror_lines(found: Sequence[Found], stream: Stream) -> list[str]:
    """Return the pool: who, which family, how often right, trust by topic, what an answer takes."""
    rows: list[list[Cell]] = []
    for one in found:
        record = f"right {one['right']:g} of {one['of']}" if one["of"] else "no outcome yet"
        took = (
            f"{duration(one['seconds'])}, {one['tokens_in'] + one['tokens_out']:,.0f} tokens"
            if one["councils"]
            else ""
        )
        trust = ", ".join(
            f"{one_line(topic)} ×{weight:.2f}" for topic, weight in one["trust"].items()
        )
        rows.append(
            [
                ("–" if one["away"] else "+", "red" if one["away"] else "green"),
                (one_line(one["name"]), "bold"),
                (one["family"] or "family unknown", "dim"),
                (record, ""),
                (took, "dim"),
                (one_line(one["away"]) or trust, "yellow" if one["away"] else ""),
            ]
        )
    return columns(rows, stream, give=(4, 2), least=20)


def proposal_lines(proposal: Found, stream: Stream) -> list[str]:
    """Return a proposal, what it rests on, and how it is answered."""
    width = stream.width if stream.terminal else 0
    lines = wrap(clean(proposal["text"]), width)
    for one in proposal["evidence"]:
        how = {True: "it was right", False: "it was wrong"}.get(one["right"], "not known")
        lines += _item(f"council {one['council']}, {how}: {one_line(one['reason'])}", width)
    number = proposal["id"]
    ways = f"hermes council approve {number}   or   hermes council dismiss {number}"
    return [*lines, "", *(stream.style(line, "dim") for line in wrap(ways, width))]


def calibration_lines(found: Found, stream: Stream) -> list[str]:
    """Return how what verdicts said came true."""
    known, enough = found["outcomes"], found["enough"]
    lines = [f"{count(known, 'verdict')} with a known outcome"]
    if known < enough:
        lines[0] += f"; from {enough} on a verdict has a calibrated probability"
    for said in found["said"]:
        if not said["n"]:
            continue
        lines += [
            "",
            stream.style(
                f"{said['name']}: Brier {said['brier']:.3f}, calibration error {said['error']:.3f} ({said['n']})",
                "bold",
            ),
        ]
        rows: list[list[Cell]] = [
            [
                (f"{row['low']:.0%}–{row['high']:.0%}", ""),
                (f"said {row['said']:.0%}", ""),
                (f"came {row['came']:.0%}", "bold"),
                (count(row["n"], "verdict"), "dim"),
            ]
            for row in said["rows"]
        ]
        lines += columns(rows, stream, give=(3,), least=8)
    return lines
