"""How one piece of memory is shown: what it says, where it comes from, what is known of it."""

from __future__ import annotations

import time

from .output import table
from .text import clean, fit, fit_path, one_line, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .output import Stream

    Found = dict[str, Any]

PARTS = 20
"""Other parts that are listed."""
SHORT = 8
"""Digits of a piece's id that are shown; so many are enough to name it."""


def named(found: Found) -> str:
    """Return what something is called in a sentence: ``the message of 3f2a9c1e0d in shop``."""
    chunk, item = found["chunk"], found["item"]
    where = f" in {found['repo']['name']}" if found["repo"] else ""
    if item is not None:
        whole = f"the {item['kind']} {item['key'] or item['ref']}"
    else:
        whole = f"commit {found['ref'][:10]}"
    if found["kind"] != "chunk" or chunk is None:
        return clean(whole + where)
    if chunk["path"]:
        return clean(f"{chunk['path']} of {whole}{where}")
    if item is not None:
        return clean(f"part {chunk['part'] + 1} of {whole}{where}")
    part = "the message" if not chunk["part"] else f"part {chunk['part'] + 1}"
    return clean(f"{part} of {whole}{where}")


def candidate_lines(candidates: list[Found], stream: Stream) -> list[str]:
    """Return a line for each thing that an id may mean."""
    lines: list[str] = []
    for each in candidates:
        name = each["chunk"][:12] if each["chunk"] else each["ref"]
        if each["kind"] == "commit":
            name = name[:12]
        where = f"{each['repo_name']}: {each['path']}" if each["repo_name"] else each["path"]
        text = f"  {each['kind']:<6}  {name}  {_day(each['time'])}  {clean(where).rstrip(': ')}"
        text += f"  {one_line(each['title'])}"
        lines.append(fit(text, stream.width) if stream.terminal else text)
    return lines


def shown_lines(found: Found, stream: Stream) -> list[str]:
    """Return all that is known of one piece, or of a commit or an item."""
    chunk = found["chunk"]
    width = stream.width if stream.terminal else 100
    head = named(found)
    lines = [stream.style(fit(head[:1].upper() + head[1:], width), "bold")]
    lines += table(_facts(found), width)
    if chunk is not None:
        lines += ["", *wrap(clean(chunk["text"]), stream.width if stream.terminal else 0)]
    if found["parts"]:
        lines += ["", stream.style("its other parts", "bold")]
        for part in found["parts"][:PARTS]:
            name = part["path"] or ("message" if not part["part"] else f"part {part['part'] + 1}")
            edited = "  edited by hand" if part["edited"] is not None else ""
            place = fit_path(clean(name), max(10, width - SHORT - 4 - len(edited)))
            lines.append(f"  {part['id'][:SHORT]}  {place}{edited}")
        if len(found["parts"]) > PARTS:
            lines.append(f"  … and {len(found['parts']) - PARTS:,} more")
    return lines


def _facts(found: Found) -> list[tuple[str, str]]:
    """Return names and values of what is known."""
    chunk, commit, item, mark = found["chunk"], found["commit"], found["item"], found["mark"]
    rows: list[tuple[str, str]] = []

    def add(name: str, value: str) -> None:
        if value:
            rows.append((name, clean(value)))

    if chunk is not None:
        add("id", chunk["id"])
    add("of", found["ref"])
    if chunk is not None:
        add("source", chunk["source"])
        add("title", one_line(chunk["title"]))
        add("author", one_line(f"{chunk['author']} <{chunk['email']}>".removesuffix(" <>")))
        add("written", _moment(chunk["time"]))
    if commit is not None:
        if commit["committed"] != commit["time"]:
            add("committed", _moment(commit["committed"]))
        add("tickets", ", ".join(commit["tickets"]))
    if item is not None:
        add("changed", _moment(item["changed"]))
        add("state", item["state"])
        add("assignee", item["assignee"])
        add("closed", _moment(item["closed"]) if item["closed"] is not None else "")
        add("link", item["url"])
    if mark is not None:
        add("marked", _marked(mark))
    add("also as", ", ".join(twin["ref"][:10] for twin in found["twins"]))
    for fact in found["facts"]:
        until = f" to {_day(fact['until'])}" if fact["until"] is not None else ""
        add(fact["relation"], f"{fact['value']}, from {_day(fact['since'])}{until}")
    if chunk is not None:
        if chunk["edited"] is not None:
            add("edited", f"by hand on {_moment(chunk['edited'])}")
        add("vectors", ", ".join(found["vectors"]) or "none yet")
    for answer in found["cited"]:
        add("cited", f"{answer['at'][:10]}: {one_line(answer['question'])}")
    return rows


def _marked(mark: Found) -> str:
    parts = [mark["why"]]
    if mark["folded_into"]:
        parts.append(f"folded into {mark['folded_into'][:10]}, which is shown in its place")
    if mark["ended"] is not None:
        by = f" by {mark['ended_by'][:10]}" if mark["ended_by"] else ""
        parts.append(f"holds no more since {_day(mark['ended'])}{by}")
    if mark["weight"] != 1:
        parts.append(f"counts {round(100 * mark['weight'])} % in a search")
    return "; ".join(part for part in parts if part)


def _day(seconds: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))


def _moment(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
