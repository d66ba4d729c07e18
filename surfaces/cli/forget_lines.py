"""What ``hermes forget`` prints: what would go, what is kept out, and the proof, as lines."""

from __future__ import annotations

import time

from .columns import columns
from .moments import ago
from .output import table
from .text import clean, count, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .output import Stream

    Fields = dict[str, Any]

SHOWN = 12
"""Identities and paths that are shown before the rest is summed up."""
_HEX = frozenset("0123456789abcdef")
KINDS = {
    "person": "a person",
    "path": "a path",
    "source": "what came from",
    "before": "what is older than",
    "chunk": "a piece of text",
    "ref": "a commit or discussion",
}


def look_lines(look: Fields, stream: Stream) -> list[str]:
    """Return what would go, by part."""
    lines: list[str] = []
    if look["who"]:
        lines.append("known as")
        rows = [(_who(each), _their(each)) for each in look["who"][:SHOWN]]
        lines += table(rows, stream.width)
        if len(look["who"]) > SHOWN:
            lines.append(f"  and {len(look['who']) - SHOWN:,} more")
    if look["paths"]:
        shown = look["paths"][:SHOWN]
        lines += ["files", *(f"  {one_line(path)}" for path in shown)]
        if look["counts"]["paths"] > len(shown):
            lines.append(f"  and {look['counts']['paths'] - len(shown):,} more")
    lines.append("would go")
    rows = [row for row in _parts(look) if row[1]]
    return [*lines, *table(rows or [("nothing", "memory holds nothing of it")], stream.width)]


def _who(each: Fields) -> str:
    name, email = one_line(each["name"]), one_line(each["email"])
    return f"{name} <{email}>" if email else name


def _their(each: Fields) -> str:
    parts = [
        count(each["commits"], "commit") if each["commits"] else "",
        f"{each['items']:,} in discussions and tickets" if each["items"] else "",
    ]
    return ", ".join(part for part in parts if part) or "by .mailmap"


def _parts(look: Fields) -> list[tuple[str, str]]:
    counts, around = look["counts"], look["around"]
    return [
        (
            "commits",
            _number(counts["commits"], "author, text and files; their ids stay"),
        ),
        (
            "others' commits",
            _number(
                counts["mentions"],
                "lose a name, a path or a file",
                "loses a name, a path or a file",
            ),
        ),
        ("discussions", _number(counts["items"], "with all that is in them")),
        (
            "others' discussions",
            _number(
                counts["altered"], "lose what was said, or a name", "loses what was said, or a name"
            ),
        ),
        ("pieces of text", _both(counts["chunks"], counts["cleaned"])),
        ("paths", _number(counts["paths"], "")),
        ("facts and marks", _number(counts["facts"] + counts["marks"], "")),
        ("raw log", _number(counts["log"], "entries", "entry")),
        (
            "themes",
            _number(around["themes"], "pages, and all their history", "page, and all its history"),
        ),
        ("found by agents", _number(around["work"], "test runs, drafts, drift, briefs, answers")),
        ("events and jobs", _number(around["events"], "of the runtime's ledger")),
        ("drafts", _number(around["drafts"], "messages that lie ready")),
        ("daemon's log", _number(around["log"], "lines", "line")),
    ]


def _number(number: int, what: str, one: str = "") -> str:
    return f"{number:,}  {one if one and number == 1 else what}".rstrip() if number else ""


def _both(gone: int, cleaned: int) -> str:
    parts = [
        f"{gone:,} gone or made again" if gone else "",
        f"{cleaned:,} lose a word" if cleaned else "",
    ]
    return ", ".join(part for part in parts if part)


def proof_lines(proof: Fields, stream: Stream) -> list[str]:
    """Return what the search for what was forgotten came to."""
    if not proof.get("files"):
        return [stream.style("forgotten", "green")]
    size = proof["bytes"] / 1e6
    where = f"{count(proof['files'], 'file')} ({size:,.0f} MB) and {count(proof['rows'], 'row')}"
    left, unsearched = proof["left"], proof["unsearched"]
    what = "nothing is left" if not left else f"left in {count(len(left), 'place')}"
    lines = [stream.style(f"searched {where}: {what}", "green" if not left else "yellow")]
    for each in left:
        why = f": {each['why']}" if each["why"] else ""
        lines.append(f"  {clean(each['place'])}, {clean(each['what'])}{why}")
    if unsearched:
        lines.append(f"could not look into {count(len(unsearched), 'file')}")
        lines += [f"  {clean(each['place'])}: {clean(each['why'])}" for each in unsearched[:SHOWN]]
    return lines


def unexplained(proof: Fields) -> bool:
    """Say whether something is left that is not the person's own."""
    return any(not each["why"] for each in proof.get("left", []))


def rule_lines(rules: list[Fields], now: float, stream: Stream) -> list[str]:
    """Return what is kept out, one line for each rule."""
    rows = [
        [
            (str(rule["id"]), "bold"),
            (ago(rule["at"], now), "dim"),
            (_what(rule), ""),
            (_takes(rule), "dim"),
        ]
        for rule in rules
    ]
    return columns(rows, stream, give=(1,))


def _what(rule: Fields) -> str:
    said = clean(rule["what"])
    if rule["kind"] == "before":
        said = time.strftime("%Y-%m-%d", time.localtime(int(said)))
    if rule["kind"] == "path" and not said:
        said = "(kept as a hash)"
    if rule["kind"] in ("chunk", "ref"):
        said = _short(said)
    return f"{KINDS.get(rule['kind'], rule['kind'])} {said}".rstrip()


def _short(said: str) -> str:
    """Return an id, or a reference without its repository's, as other commands show it."""
    reference = said.partition(":")[2] or said
    if len(reference) in (40, 64) and _HEX.issuperset(reference):
        return reference[:10]
    return reference[:8] if len(reference) == 32 and _HEX.issuperset(reference) else reference


def _takes(rule: Fields) -> str:
    if not rule["done"]:
        return "being let in again" if rule["lifting"] else "being carried out"
    parts = [
        count(rule["commits"], "commit") if rule["commits"] else "",
        f"{rule['items']:,} in discussions and tickets" if rule["items"] else "",
    ]
    return ", ".join(part for part in parts if part) or "nothing since"
