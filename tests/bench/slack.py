"""A large export of Slack, read into memory: how long, in how much room, and killed on the way.

    python -m hermes.tests.bench.slack [--messages 50000] [--channels 40] [--kill]

The export is made up: threads that go on for days, stretches of small talk, bots. With one channel
all of it is in one. ``--reading`` leaves memory out and measures the source alone.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hermes.ingest.sources.slack import open_source, options
from hermes.ingest.sources.sync import sync
from hermes.memory.memory import Memory
from hermes.tests.builders.slack import BEGUN, Workspace, as_bytes

WORDS = [
    "the",
    "limiter",
    "redis",
    "cache",
    "retry",
    "queue",
    "deploy",
    "rollback",
    "schema",
    "index",
    "migration",
    "latency",
    "budget",
    "because",
    "timeout",
    "worker",
    "parser",
    "token",
    "refund",
    "ledger",
    "invoice",
    "webhook",
    "cursor",
    "shard",
    "replica",
    "lock",
]


def write(path: Path, messages: int, channels: int) -> None:
    """Write an export of so many messages."""
    dice = random.Random(5)
    space = Workspace()
    people = [space.member(f"Person{number} Made-Up") for number in range(60)]
    places = [space.place(f"channel-{number}") for number in range(channels)]
    files = space.files()
    days: dict[str, list[dict[str, Any]]] = defaultdict(list)
    roots: dict[str, list[str]] = defaultdict(list)
    clock = dict.fromkeys(places, float(BEGUN))
    for number in range(messages):
        place = places[number % channels]
        clock[place] += dice.choice([20, 60, 300, 2_000, 8_000])
        ts = f"{int(clock[place])}.{number % 1_000_000:06}"
        message: dict[str, Any] = {
            "client_msg_id": f"{number:036}",
            "type": "message",
            "user": dice.choice(people),
            "text": " ".join(dice.choices(WORDS, k=dice.randrange(3, 40))) + f" {number}",
            "ts": ts,
            "blocks": [{"type": "rich_text", "block_id": "b", "elements": []}],
        }
        if dice.random() < 0.5 and roots[place]:
            message["thread_ts"] = dice.choice(roots[place][-30:])
        elif dice.random() < 0.1:
            message |= {"subtype": "bot_message", "bot_id": "B1", "username": "builds"}
        elif dice.random() < 0.3:
            roots[place].append(ts)
        day = datetime.fromtimestamp(clock[place], UTC).date()
        days[f"{space.places[place].name}/{day}.json"].append(message)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, value in {**files, **days}.items():
            packed.writestr(name, as_bytes(value))
    size = path.stat().st_size >> 20
    print(f"{messages:,} messages, {channels} channels, {len(days):,} files, {size} MB")


def read(path: Path, home: Path, reading: bool) -> None:
    """Read it, and print what that took."""
    source = open_source(options({"export": str(path)}), None, ())
    began = time.perf_counter()
    first, items = 0.0, 0
    if reading:
        for page in source.fetch("", lambda: False):
            items += len(page.items)
            if page.items and not first:
                first = time.perf_counter() - began
        told: dict[str, Any] = {"items": items}
    else:
        with Memory.open(home, embedder=None, write=True) as memory:
            sources = memory.index.sources
            if not sources.all():
                sources.add("slack", "slack", {"export": str(path)}, 1)
            report = sync(memory, sources.get("slack"), source, lambda: False)
            told = {"items": report.items, "news": report.news, "notes": report.notes}
            told["in memory"] = len(memory.index.items.refs())
            told["faults"] = memory.check()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    seconds = time.perf_counter() - began
    print(
        json.dumps({"seconds": round(seconds, 1), "peak MB": peak, "first": round(first, 1)} | told)
    )


def killed(path: Path, home: Path) -> None:
    """Kill the reading again and again until it comes to its end, then read once more."""
    dice = random.Random(3)
    for _ in range(6):
        child = subprocess.Popen([sys.executable, __file__, "--read", str(path), str(home)])
        try:
            child.wait(dice.uniform(15, 40))
            break
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
            print("killed")
    read(path, home, reading=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=50_000)
    parser.add_argument("--channels", type=int, default=40)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--reading", action="store_true")
    parser.add_argument("--read", nargs=2, type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.read:
        read(args.read[0], args.read[1], reading=args.reading)
        return
    with tempfile.TemporaryDirectory() as folder:
        path, home = Path(folder) / "export.zip", Path(folder) / "memory"
        write(path, args.messages, args.channels)
        if args.kill:
            killed(path, home)
        else:  # in a process of its own: what writing took would count as well
            command = [sys.executable, __file__, *(["--reading"] if args.reading else [])]
            subprocess.run([*command, "--read", str(path), str(home)], check=True)


if __name__ == "__main__":
    main()
