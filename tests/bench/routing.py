"""How well events are routed: by rules alone, and by rules with a model, over a labelled set.

    python -m hermes.tests.bench.routing                                  # rules alone
    python -m hermes.tests.bench.routing --openai http://127.0.0.1:8080/v1 qwen
    python -m hermes.tests.bench.routing --ollama http://127.0.0.1:11434 hermes3:8b

Each line of routing_events.jsonl is an event with the agents that should run (``right``), those
that may run besides (``also``) and those that must not (``never``); of a commit it has what git
would tell. A route is right if it has all of ``right`` and nothing but ``right`` and ``also``.
Lines with ``hard`` are adversarial. Prompt and rules were tuned on the odd lines only, so the even
ones tell what to expect; lines whose ``style`` is oblique were written afterwards, in words that the
rules do not look for, and nothing was tuned on them. Long and binary texts are made at load, from ``@huge:…:LENGTH`` and
``@binary:LENGTH``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hermes.agents.contract import Lane
from hermes.agents.events import Committed, Event, parse_event
from hermes.agents.models.call import Call
from hermes.agents.models.gate import Gate
from hermes.agents.models.ollama import OllamaModel
from hermes.agents.models.openai import OpenAIModel
from hermes.agents.models.protocol import ChatModel
from hermes.agents.models.timing import Timeouts
from hermes.agents.roster import CARDS
from hermes.agents.router import Decision, Mode, Router
from hermes.agents.routing_facts import Change
from hermes.agents.routing_prompt import VERSION

EVENTS = Path(__file__).with_name("routing_events.jsonl")
BUDGET = 2.0
"""Seconds that a decision may take by default."""
CHOICES = ("requested", "committed", "delivered", "noted")
"""Kinds of which a model can decide anything."""


@dataclass(frozen=True)
class Labelled:
    """One event of the set."""

    line: int
    event: Event
    right: frozenset[str]
    also: frozenset[str]
    never: frozenset[str]
    hard: str
    style: str
    change: Change | None

    def passes(self, routes: Iterable[str]) -> bool:
        """Say whether these routes are right."""
        given = frozenset(routes)
        return self.right <= given <= self.right | self.also


@dataclass
class Tally:
    """What came of one way to route."""

    passed: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    forbidden: list[int] = field(default_factory=list[int])
    by: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    seconds: list[float] = field(default_factory=list[float])
    """Of decisions that asked a model, or of all where none does."""
    wrong: list[tuple[Labelled, Decision]] = field(default_factory=list[tuple[Labelled, Decision]])


def load(path: Path = EVENTS) -> list[Labelled]:
    """Read the set."""
    found: list[Labelled] = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        row: dict[str, Any] = json.loads(text)
        event = _grown(row["event"], number)
        commit = row.get("commit")
        change = Change(**_grown(commit, number)) if commit else None
        found.append(
            Labelled(
                number,
                parse_event(event),
                frozenset(row["right"]),
                frozenset(row["also"]),
                frozenset(row["never"]),
                row.get("hard", ""),
                row.get("style", "plain"),
                change,
            )
        )
    return found


def _grown(fields: dict[str, Any], seed: int) -> dict[str, Any]:
    return {name: _grow(value, seed) for name, value in fields.items()}


def _grow(value: Any, seed: int) -> Any:
    """Make what a marker stands for."""
    if isinstance(value, list):
        return tuple(path for text in value for path in _paths(str(text), seed))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if not isinstance(value, str) or not value.startswith("@"):
        return value
    if found := re.fullmatch(r"@huge:(.*):(\d+)", value, re.DOTALL):
        filler = "".join(
            f"2025-01-01 worker {i}: step done, nothing to see\n" for i in range(2_000)
        )
        return f"{found[1]}\n\n{filler}"[: int(found[2])]
    if found := re.fullmatch(r"@binary:(\d+)", value):
        return _noise(int(found[1]), seed)
    return value


def _paths(text: str, seed: int) -> list[str]:
    if found := re.fullmatch(r"@many:(\d+):(.*)", text):
        return [found[2].format(i) for i in range(int(found[1]))]
    return [f"src/{_noise(40, seed)}.py" if text == "@binary-path" else text]


def _noise(length: int, seed: int) -> str:
    made = random.Random(seed).randbytes(length)
    return made.decode("latin-1").replace("/", "_")


async def measure(
    rows: Sequence[Labelled],
    mode: Mode,
    ask: Callable[[Lane, int | None], ChatModel | None] | None,
    budget: float,
) -> Tally:
    """Route every event and count."""
    changes = {row.event: row.change for row in rows}

    def look(event: Committed) -> Change | None:
        return changes[event]

    # A clock that stands still would keep a model that was late once resting for ever; one that
    # leaps lets every event ask.
    leaps = iter(range(0, 10**9, 10_000))
    router = Router(ask, look=look, mode=mode, budget=budget, clock=lambda: float(next(leaps)))
    tally = Tally()
    for row in rows:
        decision = await router.decide(row.event, installed=CARDS)
        routes = [route.agent for route in decision.routes]
        passed = row.passes(routes)
        for group in ("all", row.event.kind, f"hard: {row.hard}" if row.hard else ""):
            if group:
                tally.passed[group].append(passed)
        if row.event.kind in CHOICES:
            half = "tuned on (odd lines)" if row.line % 2 else "held out (even lines)"
            half = half if row.style == "plain" else row.style
            tally.passed["choices"].append(passed)
            tally.passed[f"choices, {half}"].append(passed)
        if row.never & set(routes):
            tally.forbidden.append(row.line)
        if not passed:
            tally.wrong.append((row, decision))
        tally.by[decision.by] += 1
        if decision.model or ask is None:
            tally.seconds.append(decision.seconds)
    return tally


def report(title: str, tally: Tally, calls: Sequence[Call], *, wrong: bool) -> None:
    """Print one way to route."""
    print(f"\n{title}")
    for group, passed in sorted(tally.passed.items()):
        print(f"  {group:<34}{sum(passed):>4} of {len(passed):<4} {sum(passed) / len(passed):6.1%}")
    print(f"  routed to who must not: {len(tally.forbidden)} {tally.forbidden or ''}")
    print(f"  decided by: {dict(tally.by)}")
    spent = sorted(tally.seconds)
    if spent:
        points = {p: spent[min(len(spent) - 1, int(len(spent) * p / 100))] for p in (50, 95, 99)}
        shown = ", ".join(f"p{p} {1000 * value:.2f} ms" for p, value in points.items())
        in_time = sum(value <= BUDGET for value in spent)
        print(f"  time of a decision: {shown}; {in_time} of {len(spent)} within {BUDGET:g} s")
    if calls:
        answered = [call for call in calls if call.outcome == "ok"]
        print(f"  model calls: {len(calls)}, of which answered {len(answered)}")
        if answered:
            tokens_in = sorted(call.tokens_in for call in answered)
            tokens_out = sorted(call.tokens_out for call in answered)
            print(
                f"  tokens: in, median {tokens_in[len(tokens_in) // 2]}, most {tokens_in[-1]}; "
                f"out, median {tokens_out[len(tokens_out) // 2]}, most {tokens_out[-1]}"
            )
    for row, decision in tally.wrong if wrong else ():
        routes = [route.agent for route in decision.routes]
        what = row.change.message if row.change else row.event.model_dump_json(exclude={"at"})
        print(f"  line {row.line}: {routes}, not {sorted(row.right)} ({decision.reason[:100]})")
        print(f"      {what[:150]!r}")


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="measure how events are routed")
    parser.add_argument("--openai", nargs=2, metavar=("URL", "MODEL"))
    parser.add_argument("--ollama", nargs=2, metavar=("URL", "MODEL"))
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds for the model")
    parser.add_argument("--half", choices=("odd", "even"), help="only these lines")
    parser.add_argument("--context", type=int, default=4_096, help="tokens of context")
    parser.add_argument("--mode", choices=("auto", "model"), default="auto")
    parser.add_argument("--wrong", action="store_true", help="list what was routed wrongly")
    return parser.parse_args()


async def main() -> None:
    """Measure what the command line asks for."""
    given = read_arguments()
    rows = [
        row for row in load() if given.half is None or (row.line % 2 == 1) is (given.half == "odd")
    ]
    hard = sum(bool(row.hard) for row in rows)
    print(f"{len(rows)} events, {hard} of them adversarial ({hard / len(rows):.0%}); {VERSION}")
    report("rules alone", await measure(rows, "rules", None, 0.0), (), wrong=given.wrong)
    if given.openai or given.ollama:
        url, name = given.openai or given.ollama
        patient = Timeouts(first=60.0, between=60.0, total=120.0)
        kind = OllamaModel if given.ollama else OpenAIModel
        gate = Gate(kind(name, url=url, context_tokens=given.context, timeouts=patient))
        calls: list[Call] = []

        def ask(lane: Lane, event: int | None) -> ChatModel:
            return gate.model("router", lane, prompt=VERSION, on_call=calls.append)

        tally = await measure(rows, given.mode, ask, given.budget)
        report(
            f"rules and {name}, mode {given.mode}, budget {given.budget:g} s",
            tally,
            calls,
            wrong=given.wrong,
        )


if __name__ == "__main__":
    asyncio.run(main())
