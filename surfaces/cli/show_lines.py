"""How one thing is shown: its head, what it says, its neighbours in groups, what happened when."""

from __future__ import annotations

import time

from .output import table
from .text import clean, count, fit, one_line, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .output import Stream

    Found = dict[str, Any]

GROUPS = {
    "pull request": "pull requests",
    "commit": "commits",
    "ticket": "tickets",
    "discussion": "discussions",
    "document": "documents",
    "test": "tests",
    "council": "councils",
    "file": "files",
}
"""Neighbours are shown in this order."""
IN_A_GROUP = 10
NO_TITLE = "(memory does not hold it; others name it)"


def shown_lines(found: Found, stream: Stream) -> list[str]:
    """Return all that is told of one thing."""
    width = stream.width if stream.terminal else 100
    lines = [stream.style(fit(_head(found), width), "bold")]
    title = one_line(found["title"]) if found["known"] else NO_TITLE
    if title:
        lines += wrap(title, width)
    facts = [(one_line(fact["name"]), one_line(fact["value"])) for fact in found["facts"]]
    lines += table(facts, width) if facts else []
    if found["text"]:
        room = width - 2 if stream.terminal else 0
        lines += ["", *(f"  {line}".rstrip() for line in wrap(clean(found["text"]), room))]
        if found["left"]:
            more = f"  … {count(found['left'], 'more character')}"
            lines.append(stream.style(more, "dim"))
    for sort, heading in GROUPS.items():
        group = [near for near in found["near"] if near["sort"] == sort]
        if group:
            lines += ["", stream.style(heading, "bold"), *_near_lines(group, stream, width)]
    if len(found["timeline"]) > 1:
        lines += [
            "",
            stream.style("timeline", "bold"),
            *_timeline(found["timeline"], stream, width),
        ]
    return lines


def candidate_lines(candidates: list[Found], stream: Stream) -> list[str]:
    """Return a line for each thing that a reference may mean."""
    lines: list[str] = []
    for each in candidates:
        parts = [each["sort"], clean(each["name"]), _day(each["time"])]
        parts += [clean(each["repo"]), one_line(each["title"])]
        text = "  " + "  ".join(part for part in parts if part)
        lines.append(fit(text, stream.width) if stream.terminal else text)
    return lines


def _head(found: Found) -> str:
    name = one_line(found["name"])
    if found["line"]:
        name += f":{found['line']}"
    head = name if name.startswith(found["sort"]) else f"{found['sort']} {name}"
    where = f" in {one_line(found['repo'])}" if found["repo"] else ""
    return f"{head}{where}"


def _near_lines(group: list[Found], stream: Stream, width: int) -> list[str]:
    lines: list[str] = []
    for near in group[:IN_A_GROUP]:
        name = one_line(near["name"])
        if len(name) > 24 and near["title"]:  # a discussion has no name that people say
            name = ""
        how = one_line(near["how"])
        title = one_line(near["title"]) if near["title"] and near["title"] != name else ""
        head = "  ".join(part for part in (_day(near["time"]), name) if part)
        room = width - 2
        if len(head) + len(title) + len(how) + 6 <= room or not stream.terminal:
            text = "  ".join(part for part in (head, title) if part)
            lines.append(f"  {text}  {stream.style(how, 'dim')}")
            continue
        left = room - len(head) - len(how) - 6
        if left >= 20:
            lines.append(f"  {head}  {fit(title, left)}  {stream.style(how, 'dim')}")
            continue
        lines.append(f"  {fit(head, room)}")
        for text in (title, how):
            if text:
                lines.append(f"    {stream.style(fit(text, room - 2), 'dim')}")
    if len(group) > IN_A_GROUP:
        lines.append(stream.style(f"  … and {len(group) - IN_A_GROUP:,} more", "dim"))
    return lines


def _timeline(moments: list[Found], stream: Stream, width: int) -> list[str]:
    lines: list[str] = []
    for moment in moments:
        day = time.strftime("%Y-%m-%d", time.gmtime(moment["at"]))
        name = one_line(moment["name"])
        name = "" if len(name) > 24 else name
        what = "  ".join(part for part in (name, one_line(moment["what"])) if part)
        lines.append(f"  {day}  {fit(what, max(1, width - 14)) if stream.terminal else what}")
    return lines


def _day(seconds: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds)) if seconds else ""
