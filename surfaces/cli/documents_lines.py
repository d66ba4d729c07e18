"""Drift and its fixes as lines of a terminal."""

from __future__ import annotations

from .columns import columns
from .moments import ago
from .output import table
from .text import clean, fit, one_line, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .output import Stream

    Found = dict[str, Any]
    Cell = tuple[str, str]

TIERS = {"certain": "red", "likely": "yellow", "possible": "cyan"}
STATES = {
    "open": "bold",
    "held": "dim",
    "accepted": "green",
    "dismissed": "dim",
    "gone": "dim",
}
DIFF = {"+": "green", "-": "red", "@": "cyan"}


def list_lines(
    found: Sequence[Found], now: float, stream: Stream, *, everything: bool
) -> list[str]:
    """Return a line for each proposal, as they came: the surest first."""
    several = len({each["repo"] for each in found}) > 1
    rows: list[list[Cell]] = [
        [
            (each["name"], "bold"),
            (each["state"] if everything else "", STATES[each["state"]]),
            (each["tier"], TIERS.get(each["tier"], "")),
            (clean(each["repo_name"] or "") if several else "", ""),
            (clean(each["place"]), ""),
            ("fix" if each["has_fix"] else "", "green"),
            (ago(each["changed"], now) if everything else "", "dim"),
            (one_line(each["reason"]), ""),
        ]
        for each in found
    ]
    return columns(rows, stream, give=(6, 3, 2), least=30)


def show_lines(each: Found, now: float, stream: Stream) -> list[str]:
    """Return all of one proposal: why, which commit, the fix, and what accepting does."""
    width = stream.width if stream.terminal else 10_000
    tier = stream.style(each["tier"], TIERS.get(each["tier"], ""))
    head = f"{stream.style(each['name'], 'bold')}  {tier}  {clean(each['place'])}"
    rows = [(name, value) for name, value in _rows(each, now) if value]
    return [
        head,
        *table(rows, width),
        *_diff(each, stream),
        "",
        *(stream.style(line, "dim") for line in _next(each, width)),
    ]


def _rows(each: Found, now: float) -> list[tuple[str, str]]:
    did = each["did"]
    state = each["state"] + (f": {one_line(each['why'])}" if each["why"] else "")
    places = ", ".join(str(line) for line in each["lines"] if line)
    said = "" if each["has_fix"] else "\n".join(clean(text) for text in each["texts"][:5] if text)
    return [
        ("repository", clean(each["repo_name"] or "")),
        ("section", clean(each["section"])),
        ("lines", places if len(each["lines"]) > 1 else ""),
        ("reason", one_line(each["reason"])),
        ("commit", _commit(did, now) if did else clean(each["commit"] or "")[:10]),
        ("it says", said),
        ("fix", one_line(_by(each)) if each["has_fix"] else "none that could be made safely"),
        ("state", state if not each["live"] else ("held back" if each["state"] == "held" else "")),
    ]


def _by(each: Found) -> str:
    by = "by rule" if each["by"] == "rule" else f"by {each['by']}"
    return f"{each['note']} ({by})" if each["note"] else by


def _commit(did: Found, now: float) -> str:
    subject, author = one_line(did["subject"]), one_line(did["author"])
    return f"{did['sha'][:10]} {subject} ({author}, {ago(did['at'], now)})"


def _diff(each: Found, stream: Stream) -> list[str]:
    if not each["diff"]:
        return []
    width = stream.columns if stream.terminal else 0
    lines = [""]
    for number, line in enumerate(each["diff"]):
        shown = clean(line)
        shown = fit(shown, width) if width else shown
        lines.append(stream.style(shown, "bold" if number < 2 else DIFF.get(line[:1], "")))
    return lines


def _next(each: Found, width: int) -> list[str]:
    """Return what can be done about it."""
    name, document = each["name"], clean(each["document"])
    if not each["live"]:
        return []
    if not each["has_fix"]:
        text = (
            f"change {document} yourself, and it is closed with your commit; or, if it is right "
            f"as it is: hermes docs dismiss {name}"
        )
        return wrap(text, width)
    if not each["current"]:
        text = f"{document} is another in HEAD now; `hermes docs scan --wait` makes the fix anew"
        return wrap(text, width)
    return wrap(
        f"hermes docs accept {name}   changes {document} in your worktree and stages it; "
        f"nothing is committed\nhermes docs dismiss {name}  it is right as it is",
        width,
    )


def accepted_lines(found: Found, stream: Stream) -> list[str]:
    """Return what was done, the message, and how to take it back."""
    name, document = found["proposal"]["name"], clean(found["document"])
    message = [f"    {clean(line)}" for line in found["message"].rstrip("\n").split("\n")]
    if found["opens"]:
        how = "`git commit` opens with this message:"
    else:
        how = "commit it with this message (`hermes hooks install` has git open with it):"
    return [
        f"{name} is staged: {document}",
        how,
        "",
        *message,
        "",
        stream.style(f"to take it back: {clean(found['undo'])}", "dim"),
    ]
