"""``hermes status``: what runs and how far memory is."""

from __future__ import annotations

from ..client import DaemonAbsent
from . import exits
from .connection import connect
from .output import table
from .text import clean, count, duration, size, wrap
from .waiting import how_far

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from .output import Output, Stream

TASKS = {
    "index": "reading history",
    "vectors": "filling vectors",
    "maintain": "tidying the store",
    "rebuild": "building memory again",
    "forget": "forgetting a repository",
}


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``status``."""
    parser.usage = "hermes status [options]"


def run(args: argparse.Namespace, out: Output) -> int:
    """Show the state of everything. Return 4 when the daemon is not running."""
    try:
        client, _ = connect(out)
    except DaemonAbsent:
        if out.as_json:
            out.emit({"running": False})
        else:
            out.line("hermes is not running; `hermes up` starts it")
        return exits.ABSENT
    with client:
        found = client.call("GET", "/v1/status")
    if out.as_json:
        out.emit({"running": True} | found)
        return exits.DONE
    for line in status_lines(found, out.out):
        out.line(line)
    return exits.DONE


def status_lines(found: dict[str, Any], stream: Stream) -> list[str]:
    """Return the whole status as lines."""
    width = stream.width if stream.terminal else 10_000
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
    rows.append(("now", _work(found["work"], found["repos"])))
    rows.append(("log", found["log"]))
    lines = table(rows, width, indent=0)
    if repos := found["repos"]:
        lines += ["", stream.style("Repositories", "bold")]
        lines += table([(clean(repo["name"]), _repo(repo)) for repo in repos], width)
    elif found["memory"] and not found["memory"]["commits"]:
        lines += ["", "memory is empty: `hermes up` in a repository takes it in"]
    if notes := found["notes"]:
        lines += ["", stream.style("Worth knowing", "bold")]
        for note in notes:
            first, *rest = wrap(clean(note), width - 2)
            lines += [stream.style(f"- {first}", "yellow")]
            lines += [stream.style(f"  {line}", "yellow") for line in rest]
    return lines


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
    return f"{model['name']}: " + (
        "ready" if model["present"] else (model["detail"] or "not there").rstrip(".")
    )


def _work(work: dict[str, Any] | None, repos: list[dict[str, Any]]) -> str:
    if work is None or work["running"] is None:
        return "nothing to do"
    job = work["running"]
    names = {repo["id"]: repo["name"] for repo in repos}
    text: str = TASKS.get(job["task"]) or job["task"]
    if job["repo"] in names:
        text += f" of {clean(names[job['repo']])}"
    if job["total"] and job["task"] != "vectors":  # of which a line above has the share of all
        text += f", {100 * job['done'] // job['total']} %"
    if waiting := len(work["waiting"]):
        text += f"; {count(waiting, 'more job')} after that"
    return text


def _repo(repo: dict[str, Any]) -> str:
    parts = [count(repo["commits"], "commit"), clean(repo["worktree"] or repo["path"])]
    if repo["commits"] and (far := how_far(repo)):
        parts.insert(1, f"reading: {far.removeprefix(repo['name']).strip()}")
    if repo["job"] and repo["job"]["state"] == "failed":
        parts.append(f"last read failed: {clean(repo['job']['error'])}")
    if repo["problem"]:
        parts.append(clean(repo["problem"]))
    return ", ".join(parts)
