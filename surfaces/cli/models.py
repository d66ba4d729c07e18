"""``hermes models``: the language model, where it runs, who uses it; and fetching one."""

from __future__ import annotations

import re

from . import exits
from .connection import connect_or_start
from .output import table
from .progress import follow
from .scope import WrongUse
from .text import clean, count, duration, size, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from .output import Output, Stream

_NAME = re.compile(r"[A-Za-z0-9][\w.:/-]*", re.ASCII)


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``models``."""
    parser.usage = "hermes models [pull NAME] [options]"
    parser.add_argument("action", nargs="?", choices=("pull",), help="fetch a model through Ollama")
    parser.add_argument("model", metavar="NAME", nargs="?", help="its name, e.g. hermes3:8b")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show the model, or fetch one. Return 1 when no host answers or has the model."""
    if args.action == "pull":
        if not args.model:
            raise WrongUse("pull needs the model's name", hint="hermes models pull hermes3:8b")
        if not _NAME.fullmatch(args.model):
            raise WrongUse(
                f"{args.model} is no model's name",
                hint="for example: hermes models pull hermes3:8b",
            )
        return _pull(args.model, out)
    with connect_or_start(out) as client:
        found = client.call("GET", "/v1/models")
    if out.as_json:
        out.emit(found)
    else:
        for line in model_lines(found, out.out):
            out.line(line)
    usable = found["model"] is None or any(host["present"] for host in found["hosts"])
    return exits.DONE if usable else exits.FAILED


def _pull(name: str, out: Output) -> int:
    with connect_or_start(out) as client:
        try:
            events = client.stream("POST", "/v1/models/pull", {"name": name})
            report = follow(events if out.as_json else _in_megabytes(events), out)
        except KeyboardInterrupt:
            out.say(f"stopped; `hermes models pull {name}` goes on from where it was", "yellow")
            return exits.INTERRUPTED
    out.say(f"{report['model']} is there, after {duration(report['seconds'])}", "green")
    return exits.DONE


def _in_megabytes(events: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Bytes have too many digits for a line."""
    for event in events:
        if event["type"] == "progress" and event["total"] > 10_000_000:
            whole = {name: event[name] // 1_000_000 for name in ("done", "total")}
            yield event | whole | {"phase": f"{event['phase']} (MB)"}
        else:
            yield event


def model_lines(found: dict[str, Any], stream: Stream) -> list[str]:
    """Return everything as lines."""
    width = stream.width if stream.terminal else 10_000
    if found["model"] is None:
        return ["no language model: answers quote the commits ([models] provider is none)"]
    rows = [
        ("model", f"{clean(found['model'])}, through {found['provider']}"),
        ("context", f"{found['context']:,} tokens are asked for"),
    ]
    lines = table(rows, width, indent=0)
    lines += ["", stream.style("Hosts", "bold")]
    lines += table([(clean(host["host"]), _host(host)) for host in found["hosts"]], width)
    loaded = [(model, host) for host in found["hosts"] for model in host["loaded"]]
    if loaded:
        lines += ["", stream.style("In memory", "bold")]
        several = len(found["hosts"]) > 1
        lines += table(
            [
                (clean(model["name"]), _loaded(model, host["host"] if several else ""))
                for model, host in loaded
            ],
            width,
        )
    lines += ["", stream.style(f"Use in the last {found['usage_days']} days", "bold")]
    lines += table([(clean(row["agent"]), _usage(row)) for row in found["agents"]], width)
    for title, style, texts in (
        ("Worth knowing", "yellow", found["warnings"]),
        ("Worth a try", "", found["suggestions"]),
    ):
        if texts:
            lines += ["", stream.style(title, "bold")]
            for text in texts:
                first, *rest = wrap(clean(text), width - 2)
                lines += [stream.style(f"- {first}", style)]
                lines += [stream.style(f"  {line}", style) for line in rest]
    return lines


def _host(host: dict[str, Any]) -> str:
    if not host["reachable"]:
        return ". ".join(clean(part).rstrip(".") for part in (host["detail"], host["hint"]) if part)
    parts = [f"Ollama {clean(host['version'])}" if host["version"] else "answers"]
    if not host["present"]:
        parts.append(f"{clean(host['detail'])}: {clean(host['hint'])}")
    elif host["version"]:
        parts.append("in memory" if any(m["ours"] for m in host["loaded"]) else "not in memory")
    if host["running"] or host["waiting"]:
        parts.append(f"{count(host['running'], 'call')} now, {host['waiting']} waiting")
    if host["away"]:
        parts.append(f"left out until it answers again: {clean(host['away'])}")
    return ", ".join(parts)


def _loaded(model: dict[str, Any], where: str) -> str:
    parts = [size(model["size"])]
    if model["on_gpu"]:
        share = 100 * model["on_gpu"] // max(1, model["size"])
        parts.append(f"{share} % of it on the graphics card")
    if model["context"]:
        parts.append(f"{model['context']:,} tokens of context")
    if model["until"]:
        parts.append(_until(model["until"]))
    if where:
        parts.append(clean(where))
    return ", ".join(parts)


def _until(text: str) -> str:
    """Say until when, in the reader's own time; a far year means for ever."""
    from datetime import datetime

    # Ollama gives nanoseconds, which Python 3.11 reads only up to six digits.
    trimmed = re.sub(r"(\.\d{6})\d+", r"\1", text)
    try:
        moment = datetime.fromisoformat(trimmed)
    except ValueError:
        return f"until {clean(text)}"
    if moment.year > datetime.now().year + 1:
        return "until it is told to go"
    return f"until {moment.astimezone():%H:%M}"


def _usage(row: dict[str, Any]) -> str:
    name = clean(row["model"] or "no model")
    if not row["calls"]:
        return f"{name}, not asked yet"
    parts = [
        name,
        count(row["calls"], "call"),
        f"{row['tokens_in']:,} tokens in, {row['tokens_out']:,} out",
        f"{duration(row['seconds'])} in all",
    ]
    if row["median"] is not None:
        parts.append(f"median {duration(row['median'])}")
    if row["failed"]:
        parts.append(f"{row['failed']} failed")
    return ", ".join(parts)
