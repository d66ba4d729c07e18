"""Sources as lines: how each stands, what was added, what a sync brought."""

from __future__ import annotations

import os

from .columns import columns
from .moments import ago
from .text import clean, count, listing, one_line, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .output import Stream

    Found = dict[str, Any]

STYLES = {"ok": "green", "failed": "red", "paused": "dim", "new": "yellow"}
MOST_SHOWN = 10
"""Things that are left out which are named when a source is added."""

MADE_INTO = {"messages": "discussion"}
"""What some things become an item of together."""


def list_lines(sources: Sequence[Found], now: float, stream: Stream) -> list[str]:
    """Return a line for each source, and below them what is not as it should be."""
    rows = [
        (
            (clean(source["name"]), "bold"),
            (_state(source), STYLES.get(source["state"], "yellow")),
            (_when(source, now), ""),
            (count(source["items"], "item"), ""),
            (_contacts(source), "dim"),
            (one_line(what_of(source)), ""),
        )
        for source in sources
    ]
    lines = columns(rows, stream, give=(4, 3))
    for source in sources:
        for text in _troubles(source, now):
            lines += _wrapped(f"- {clean(source['name'])}: {clean(text)}", stream, "yellow")
        for note in source["notes"]:
            lines += _wrapped(f"- {clean(source['name'])}: {one_line(note)}", stream, "dim")
    return lines


def added_lines(added: Found, stream: Stream) -> list[str]:
    """Return what a source that was just added offers, what of it is read, and whom that contacts."""
    name = clean(added["source"])
    lines = [stream.style(name, "bold") + ("" if added["created"] else " was added already")]
    if added["contacts"]:
        lines += [
            line
            for contact in added["contacts"]
            for line in _wrapped(
                f"  contacts {clean(contact['host'])}: {clean(contact['why'])}", stream, ""
            )
        ]
    else:
        lines.append("  contacts nobody")
    wanted = [_from_here(one_line(each["name"])) for each in added["offered"] if each["wanted"]]
    left = [each for each in added["offered"] if not each["wanted"]]
    shown = (
        listing([*wanted[:MOST_SHOWN], *_rest(added["wanted"], MOST_SHOWN)])
        if wanted
        else "nothing"
    )
    lines += _wrapped(f"  reads {shown}", stream, "")
    for each in left[:MOST_SHOWN]:
        why = f": {one_line(each['why'])}" if each["why"] else ""
        left_out = _from_here(one_line(each["name"]))
        lines += _wrapped(f"  leaves out {left_out}{why}", stream, "dim")
    for more in _rest(added["in_all"] - added["wanted"], MOST_SHOWN):
        lines.append(stream.style(f"  leaves out {more}", "dim"))
    return lines


def synced(name: str, report: Found) -> str:
    """Return in one line what a sync brought."""
    if not report:
        return f"{name}: nothing was read"
    unit: str = report["unit"] or "things"
    read = count(report["read"], unit.removesuffix("s"), unit)
    said = [f"{report['news']:,} new"] if report["news"] else []
    if said and unit in MADE_INTO:  # fewer than what was looked at
        said = [count(report["news"], f"new {MADE_INTO[unit]}")]
    said += [f"{report['gone']:,} gone"] if report["gone"] else []
    said += [f"{report['older']:,} known better from another source"] if report["older"] else []
    said += [f"{count(report['redacted'], 'secret')} taken out"] if report["redacted"] else []
    if not said and not report["read"]:
        return f"{clean(name)}: all is current"
    return f"{clean(name)}: looked at {clean(read)}: {listing(said) if said else 'all is current'}"


def what_of(source: Found) -> str:
    """Return what a source reads, as it was set up."""
    options: Found = source["options"]
    parts: list[str] = [_from_here(str(each)) for each in options.get("patterns", ())]
    parts += [f"#{each}" for each in options.get("channels") or ()]
    parts += [str(options[name]) for name in ("repository", "team") if options.get(name)]
    parts += [_from_here(source["file"]["path"])] if source["file"] else []
    return ", ".join(parts)


def _from_here(path: str) -> str:
    """Return a path from the folder we are in, or from home, where it lies there."""
    try:
        here = os.getcwd()
    except FileNotFoundError:  # removed under us
        here = path
    if path == here:
        return "."
    for folder, name in ((here, ""), (os.path.expanduser("~"), "~/")):
        if path.startswith(folder + os.sep):
            return name + path[len(folder) + 1 :]
    return path


def _state(source: Found) -> str:
    job: Found | None = source["job"]
    if job is not None and job["state"] == "running":
        return f"reading {100 * job['done'] // job['total']} %" if job["total"] else "reading"
    if job is not None and job["state"] == "queued" and source["state"] in ("ok", "new"):
        return "waits"
    return str(source["state"])


def _when(source: Found, now: float) -> str:
    return "not read yet" if source["synced"] is None else f"read {ago(source['synced'], now)}"


def _contacts(source: Found) -> str:
    hosts = dict.fromkeys(clean(contact["host"]) for contact in source["contacts"])
    return ", ".join(hosts) or "contacts nobody"


def _troubles(source: Found, now: float) -> Iterator[str]:
    error: Found | None = source["error"]
    if error is not None:
        yield f"{error['error']}. {error['hint']}".rstrip(". ") if error["hint"] else error["error"]
    token: Found | None = source["token"]
    if token is not None and not token["there"] and (error is None or error["code"] != "no_token"):
        variable = token["place"].partition(":")[2]
        yield (
            f"{variable} is not set in the daemon's environment; `hermes sources sync"
            f" {source['name']}` from a shell that has it hands it over until the daemon restarts"
        )
    if source["waits_until"] and source["waits_until"] > now:
        yield f"it asked not to be read before {ago(source['waits_until'], now)}"
    if source["file"] and not source["file"]["there"]:
        yield f"{source['file']['path']} is not there any more; memory keeps what it brought"


def _rest(number: int, shown: int) -> list[str]:
    return [f"{number - shown:,} more"] if number > shown else []


def _wrapped(text: str, stream: Stream, style: str) -> list[str]:
    width = stream.width - 2 if stream.terminal else 10_000
    first, *rest = wrap(text, width)
    margin = " " * (len(text) - len(text.lstrip()) + 2)
    return [
        stream.style(first, style),
        *(stream.style(margin + line.strip(), style) for line in rest),
    ]
