"""How real models do as jurors: eleven questions over real repositories, each verdict as a person sees it.

    python -m hermes.tests.bench.jurors --openai http://127.0.0.1:8080/v1 --juror openai:qwen \\
        --repo ~/src/hermes --repo ~/src/llm --repo ~/src/click --out verdicts

By hand, with whatever endpoints there are: ``--juror`` can be given again, ``--ollama`` and ``--openai``
name the servers. A daemon of its own, in a home of its own, reads the repositories (of council_questions.jsonl
those that are given) and is asked over its API. Of every answer it is counted whether it could be read at
once, after a repair, or when it was asked anew; of every finding, whether it cites something that the packet
has. What a verdict is worth, a person reads: each is printed, and put into ``--out``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from hermes.memory.errors import HermesError
from hermes.tests.builders.daemon import Daemon, running

QUESTIONS = Path(__file__).with_name("council_questions.jsonl")
HOW = ("at once", "after a repair", "asked anew", "repaired then", "never")
"""How an answer came to be read."""


@dataclass(slots=True)
class Record:
    """What one juror's answers came to."""

    how: Counter[str] = field(default_factory=Counter[str])
    seconds: list[float] = field(default_factory=list[float])
    tokens_in: list[int] = field(default_factory=list[int])
    tokens_out: list[int] = field(default_factory=list[int])
    findings: int = 0
    cited: int = 0
    why: list[str] = field(default_factory=list[str])
    """Why an answer could not be read."""


@dataclass(slots=True)
class Totals:
    """What all verdicts came to."""

    jurors: defaultdict[str, Record] = field(default_factory=lambda: defaultdict(Record))
    waited: list[float] = field(default_factory=list[float])
    slowest: list[float] = field(default_factory=list[float])
    """Seconds that the slowest juror of each verdict took, of one round."""
    tokens: list[int] = field(default_factory=list[int])
    """Of each verdict, in and out."""
    debates: int = 0
    shifts: int = 0
    conformed: int = 0

    def count(self, events: Sequence[dict[str, Any]], council: dict[str, Any]) -> None:
        """Count one council: how each answer came to be read, what it took, what it cites."""
        tries: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
        for event in events:
            if event["type"] == "trying":
                tries[event["round"], event["seat"]].append(event["what"])
                self.jurors[_model(event["seat"])].why.append(event["what"])
            elif event["type"] in ("heard", "away"):
                place = event["round"], event["seat"]
                if not event["seat"].startswith("rule:"):
                    how = HOW[min(len(tries[place]), 3)] if event["type"] == "heard" else HOW[4]
                    self.jurors[_model(event["seat"])].how[how] += 1
        for one in council["opinions"]:
            if one["juror"]["provider"] == "rule":
                continue
            record = self.jurors[_model(one["seat"])]
            record.seconds.append(one["seconds"])
            record.tokens_in.append(one["tokens_in"])
            record.tokens_out.append(one["tokens_out"])
            record.findings += len(one["findings"])
            record.cited += sum(bool(finding["evidence"]) for finding in one["findings"])
        first = [one["seconds"] for one in council["opinions"] if one["round"] == 1]
        self.tokens.append(sum(one["tokens_in"] + one["tokens_out"] for one in council["opinions"]))
        self.debates += any(one["round"] > 1 for one in council["opinions"])
        shifts: list[dict[str, Any]] = (
            council["verdict"]["shifts"] if council.get("verdict") else []
        )
        self.shifts += len(shifts)
        self.conformed += sum(not one["reason"] for one in shifts)
        self.waited.append(council["cost"]["seconds"])
        self.slowest.append(max(first, default=0.0))

    def lines(self) -> Iterable[str]:
        """Yield the totals, juror by juror."""
        for name, record in sorted(self.jurors.items()):
            asked = sum(record.how.values())
            read = ", ".join(f"{how} {record.how[how]}" for how in HOW if record.how[how])
            yield f"{name}: {asked} answers: {read}"
            if record.seconds:
                yield (
                    f"  medians: {median(record.seconds):.1f} s, {median(record.tokens_in):.0f} tokens in, "
                    f"{median(record.tokens_out):.0f} out; {record.cited} of {record.findings} findings cite the packet"
                )
            for why, times in Counter(record.why).most_common(6):
                yield f"  {times} × {why}"
        if self.waited:
            yield (
                f"a verdict: {median(self.waited):.1f} s, the slowest answer of its first round {median(self.slowest):.1f} s"
                f" (medians of {len(self.waited)}), {median(self.tokens):.0f} tokens"
            )
            yield f"debates: {self.debates} of {len(self.waited)}; changed {self.shifts}, without a new reason {self.conformed}"


def _model(seat: str) -> str:
    return seat.rpartition("/")[0] or seat


def settings_of(given: argparse.Namespace) -> dict[str, str]:
    """Return the settings of the daemon that is asked."""
    patience = {
        f"HERMES_AMBIENT_MODELS__{name}": str(given.seconds)
        for name in ("TOKEN_TIMEOUT", "TOTAL_TIMEOUT")
    }
    return patience | {
        "HERMES_AMBIENT_MODELS__PROVIDER": "none",
        "HERMES_AMBIENT_MODELS__NUM_CTX": str(given.context),
        "HERMES_AMBIENT_OLLAMA__HOST": given.ollama,
        "HERMES_AMBIENT_OPENAI__BASE_URL": given.openai,
        "HERMES_AMBIENT_OPENAI__API_KEY_ENV": given.key,
        "HERMES_AMBIENT_COUNCIL__JURORS": json.dumps(given.juror),
        "HERMES_AMBIENT_COUNCIL__SECONDS": str(given.seconds),
        "HERMES_AMBIENT_COUNCIL__MODE": given.mode,
        "HERMES_AMBIENT_COUNCIL__REPORT": "",
    }


def ask(daemon: Daemon, asked: dict[str, Any], repo: str, totals: Totals) -> str:
    """Ask one question; return the verdict as the command line prints it, or why there is none."""
    body = {key: asked[key] for key in ("question", "diff", "files", "preset") if key in asked}
    try:
        events = daemon.stream("POST", "/v1/councils", body | {"repo": repo})
    except HermesError as error:
        return f"{asked['question']}\n{error.message}\n{error.hint}\n"
    council = events[-1]["council"]
    totals.count(events, council)
    return daemon.hermes("council", "show", str(council["id"])).stdout


def main() -> None:
    """Ask the questions whose repositories are given, and print what came."""
    parser = argparse.ArgumentParser(description="ask real models as jurors")
    parser.add_argument("--juror", action="append", required=True, help="ollama:… or openai:…")
    parser.add_argument("--openai", default="http://127.0.0.1:8080/v1", help="base URL")
    parser.add_argument(
        "--key", default="", help="the variable that holds the key, if one is wanted"
    )
    parser.add_argument("--ollama", default="http://127.0.0.1:11434")
    parser.add_argument("--context", type=int, default=4_096, help="tokens")
    parser.add_argument("--seconds", type=float, default=600.0, help="for one answer")
    parser.add_argument(
        "--mode", default="standard", help="quick, standard, deep, debate, mixed-model"
    )
    parser.add_argument("--repo", type=Path, action="append", default=[], help="a repository")
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--only", action="append", default=[], help="the questions of these names")
    parser.add_argument("--out", type=Path, help="a folder for the verdicts")
    given = parser.parse_args()
    totals = Totals()
    with (
        tempfile.TemporaryDirectory() as home,
        running(Path(home) / "home", settings_of(given)) as daemon,
    ):
        repos = {path.name: daemon.index(path.resolve())[0]["id"] for path in given.repo}
        daemon.settle(600)
        for line in given.questions.read_text().splitlines():
            asked = json.loads(line)
            if asked["repo"] not in repos or given.only and asked["name"] not in given.only:
                continue
            verdict = ask(daemon, asked, repos[asked["repo"]], totals)
            print(f"\n{'=' * 20} {asked['name']}\n{verdict}", flush=True)
            if given.out:
                given.out.mkdir(parents=True, exist_ok=True)
                (given.out / f"{asked['name']}.txt").write_text(verdict)
    for line in totals.lines():
        print(line)


if __name__ == "__main__":
    main()
