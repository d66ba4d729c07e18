"""``hermes status``: what runs, what waits, what is wrong, and how far memory is."""

from __future__ import annotations

import time

from ...daemon.paths import locate
from ..client import Client, DaemonAbsent, DaemonLost
from . import exits
from .connection import connect
from .moments import ago
from .output import table
from .scope import WrongUse
from .standing import attention_lines, note_lines, runtime_rows
from .text import clean, count, duration, one_line, size
from .waiting import empty, how_far
from .work_lines import answers_line, work_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Any

    from .output import Output, Stream

NOT_READ = frozenset({"failed", "dead", "abandoned", "blocked_config"})
ABSENT = "hermes is not running; `hermes up` starts it"
SETTLE = 0.25
"""Seconds after something happened until it is drawn, with all that happened meanwhile."""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``status``."""
    parser.usage = "hermes status [options]"
    parser.add_argument(
        "-w", "--watch", action="store_true", help="show it again whenever something happens"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Show the state of everything. Return 4 when the daemon is not running."""
    try:
        client, _ = connect(out)
    except DaemonAbsent:
        if out.as_json:
            out.emit({"running": False})
        else:
            out.line(ABSENT)
        return exits.ABSENT
    with client:
        found = client.call("GET", "/v1/status")
    if args.watch:
        return _watch(found, out)
    _show(found, out)
    return exits.DONE


def _show(found: dict[str, Any], out: Output) -> None:
    if out.as_json:
        out.emit({"running": True} | found)
        return
    for line in status_lines(found, out.out):
        out.line(line)


def _watch(found: dict[str, Any], out: Output) -> int:
    """Show it whenever the journal says that something happened; nothing ticks in between."""
    if out.as_json:
        return _changes(lambda now: out.emit(now or {"running": False}), found)
    if not out.out.terminal:
        raise WrongUse("--watch needs a terminal", hint="`hermes status --watch --json` streams")
    from .screen import Screen

    with Screen(out.out) as screen:

        def draw(now: dict[str, Any] | None) -> None:
            nonlocal found
            if now is None:
                away = out.out.style("the daemon is away; waiting for it", "yellow")
                screen.show(lambda: [away, "", *status_lines(found, out.out)])
            else:
                found = now
                screen.show(lambda: status_lines(found, out.out))

        return _changes(draw, found)


def _changes(show: Callable[[dict[str, Any] | None], None], found: dict[str, Any]) -> int:
    """Show what is found, then each new state; None while the daemon is away. Without end."""
    from ..events import Follower

    with Follower(locate()) as follower:
        now: dict[str, Any] | None = {"running": True} | found
        while True:
            show(now)
            happened = follower.next()
            until = time.monotonic() + SETTLE
            while happened is not None and happened["type"] != "away":
                happened = follower.next(max(0.0, until - time.monotonic()))
            now = None if happened is not None else _look()


def _look() -> dict[str, Any] | None:
    try:
        with Client.connect(locate()) as client:
            found: dict[str, Any] = client.call("GET", "/v1/status")
            return {"running": True} | found
    except (DaemonAbsent, DaemonLost):
        return None


def status_lines(found: dict[str, Any], stream: Stream) -> list[str]:
    """Return the whole status as lines: what is well in a line each, what is not in full."""
    width = stream.width if stream.terminal else 10_000
    now = time.time()
    rows = [
        (
            "hermes",
            f"{found['version']}, process {found['pid']}, up {duration(found['uptime'])}"
            + (f", {size(found['rss'])} of RAM" if found["rss"] else ""),
        )
    ]
    if memory := found["memory"]:
        rows.append(("memory", f"{_amount(memory)}, {size(memory['bytes'])} on disk"))
        rows.append(("vectors", _vectors(memory)))
    if model := found["model"]:
        rows.append(("model", _model(model)))
    rows += runtime_rows(found, now)
    if ahead := answers_line(found, now):
        rows.append(("answers", ahead))
    if sources := found.get("sources"):
        rows.append(("sources", ", ".join(_source(source, now) for source in sources)))
    if (page := found.get("web")) and page["open"]:
        rows.append(("page", f"{page['address']} (`hermes web` lets a browser in)"))
    rows.append(("log", found["log"]))
    lines = table(rows, width, indent=0)
    if repos := found["repos"]:
        lines += ["", stream.style("Repositories", "bold")]
        lines += table([(clean(repo["name"]), _repo(repo)) for repo in repos], width)
    elif found["memory"] and not found["memory"]["commits"]:
        lines += ["", empty(bool(found.get("sources")))]
    lines += work_lines(found, stream, width)
    return [*lines, *attention_lines(found, now, stream), *note_lines(found, stream, width)]


def _source(source: dict[str, Any], now: float) -> str:
    """Return e.g. ``slack (1,204 items, read 4 min ago)``; what is wrong with one is a note."""
    state = source["state"]
    read = f", read {ago(source['synced'], now)}" if source["synced"] else ""
    told = f"{count(source['items'], 'item')}{read}" if state == "ok" else state
    return f"{clean(source['name'])} ({told})"


def _amount(memory: dict[str, Any]) -> str:
    return f"{count(memory['commits'], 'commit')}, {count(memory['chunks'], 'passage')}"


def _vectors(memory: dict[str, Any]) -> str:
    embedder, done, total = memory["embedder"], memory["vectors"], memory["vectors_total"]
    if embedder in ("", "none", None):
        return "none: full text only"
    if not total:
        return f"none yet ({embedder})"
    if done >= total:
        return f"complete ({embedder})"
    return f"{100 * done // total} % ({done:,} of {total:,}, {embedder}); full text serves all"


def _model(model: dict[str, Any]) -> str:
    if model["name"] is None:
        return "off: answers quote the commits"
    if not model["present"]:
        return f"{model['name']}: {(model['detail'] or 'not there').rstrip('.')}"
    warm = {True: ", warm", False: ", not loaded now", None: ""}[model.get("warm")]
    return f"{model['name']}: ready{warm}"


def _repo(repo: dict[str, Any]) -> str:
    parts = [count(repo["commits"], "commit"), clean(repo["worktree"] or repo["path"])]
    if repo["commits"] and (far := how_far(repo)):
        parts.insert(1, f"reading: {far.removeprefix(repo['name']).strip()}")
    if repo["job"] and repo["job"]["state"] in NOT_READ:
        parts.append(f"last read failed: {one_line(repo['job']['reason'])}")
    if repo["problem"]:
        parts.append(clean(repo["problem"]))
    return ", ".join(parts)
