"""How long a person waits for a standard verdict, against the slowest of its jurors.

    python -m hermes.tests.bench.council_time
    python -m hermes.tests.bench.council_time --repo ~/src/llm --rounds 10

Three models behind Ollama's wire protocol answer after one, two and three seconds. A real daemon over a
real repository is asked; the clock starts when the question is sent and stops when the verdict is there,
and where it goes between is read from the stream. The promise is 1.3 times the slowest juror.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from hermes.tests.builders.daemon import Daemon, running
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.servers.ollama import OllamaModel, OllamaServer

DELAYS = {"llama-one": 1.0, "qwen-two": 2.0, "gemma-three": 3.0}
"""Seconds until a model has answered."""
PROMISE = 1.3
OPINION = {
    "reasons": ["the ledger needs transactions"],
    "findings": [],
    "missing": [],
    "insight": "the ledger needs transactions",
    "position": "Postgres",
    "decision": "take Postgres",
    "vote": "PASS",
    "confidence": 0.7,
}
QUESTIONS = (
    "Postgres or Mongo for the ledger?",
    "is it safe to keep the cache in memory?",
    "should we split the worker from the server?",
)


async def _answer(body: Mapping[str, Any]) -> AsyncIterator[str]:
    await asyncio.sleep(DELAYS[str(body["model"])])
    yield json.dumps(OPINION)


def measure(daemon: Daemon, repo: str, question: str) -> dict[str, float]:
    """Ask once; return the seconds from the question to each step."""
    steps: dict[str, float] = {}
    with daemon.connect() as client:
        began = time.perf_counter()
        for event in client.stream("POST", "/v1/councils", {"question": question, "repo": repo}):
            steps[event["type"]] = time.perf_counter() - began
            if event["type"] == "done":
                spoken = [one["seconds"] for one in event["council"]["opinions"]]
                steps["slowest"] = max(spoken)
    return steps


def from_shell(daemon: Daemon, repo: Path, question: str) -> float:
    """Return the seconds that the command takes, its process and all."""
    began = time.perf_counter()
    daemon.hermes("council", question, cwd=repo)
    return time.perf_counter() - began


def report(found: Sequence[Mapping[str, float]], shell: Sequence[float]) -> None:
    """Print medians and ratios."""
    ratios = [one["done"] / max(DELAYS.values()) for one in found]
    for name, (begin, end) in {
        "the packet, the seats": ("", "numbered"),
        "the job": ("numbered", "opened"),
        "until all have spoken": ("opened", "heard"),
        "the verdict, the report": ("heard", "done"),
    }.items():
        spans = [one[end] - one.get(begin, 0.0) for one in found]
        print(f"  {name:26} {median(spans):7.3f} s  {max(spans):7.3f} s at most")
    whole = median(one["done"] for one in found)
    print(
        f"  {'in all':26} {whole:7.3f} s, {median(ratios):.3f} times the slowest juror, at most {max(ratios):.3f}"
    )
    print(
        f"  {'the command':26} {median(shell):7.3f} s, {median(shell) / max(DELAYS.values()):.3f} times"
    )
    print(f"  promised: {PROMISE} times")


def main() -> None:
    """Measure on a small repository, or on one that is given."""
    parser = argparse.ArgumentParser(description="the time of a verdict against its slowest juror")
    parser.add_argument("--repo", type=Path, help="a repository; without one a small one is made")
    parser.add_argument("--rounds", type=int, default=6)
    given = parser.parse_args()
    models = [OllamaModel(f"{name}:latest", size=1_000_000) for name in DELAYS]
    with (
        tempfile.TemporaryDirectory() as folder,
        OllamaServer(models=models, answer=_answer) as server,
    ):
        path = given.repo
        if path is None:
            builder = RepoBuilder(Path(folder) / "ledger")
            builder.commit({"ledger.py": "POSTGRES = True\n"}, "Keep the ledger in Postgres")
            path = builder.path
        settings = {
            "HERMES_AMBIENT_MODELS__PROVIDER": "none",
            "HERMES_AMBIENT_OLLAMA__HOST": server.url,
            "HERMES_AMBIENT_COUNCIL__JURORS": json.dumps([f"ollama:{name}" for name in DELAYS]),
        }
        with running(Path(folder) / "home", settings) as daemon:
            repo = daemon.index(path.resolve())[0]["id"]
            daemon.settle(600)
            asked = [QUESTIONS[number % len(QUESTIONS)] for number in range(given.rounds)]
            first = measure(daemon, repo, asked[0])
            print(f"the first after a start: {first['done']:.3f} s")
            found = [measure(daemon, repo, question) for question in asked]
            shell = [from_shell(daemon, path, question) for question in asked[:3]]
            report(found, shell)


if __name__ == "__main__":
    main()
