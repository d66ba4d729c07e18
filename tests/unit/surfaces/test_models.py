"""How `hermes models` shows what it was told."""

from __future__ import annotations

from typing import Any

import pytest

from hermes.surfaces.cli.models import model_lines
from hermes.surfaces.cli.text import width_of

from .conftest import MakeStream

HOST: dict[str, Any] = {
    "host": "http://127.0.0.1:11434",
    "warm": True,
    "away": "",
    "running": 1,
    "waiting": 2,
    "reachable": True,
    "present": True,
    "detail": "",
    "hint": "",
    "version": "0.13.5",
    "models": ["hermes3:8b"],
    "warnings": [],
    "loaded": [
        {
            "name": "hermes3:8b",
            "size": 5_200_000_000,
            "on_gpu": 2_600_000_000,
            "until": "2318-01-01T00:00:00.123456789Z",
            "context": 8_192,
            "ours": True,
        }
    ],
}
USED: dict[str, Any] = {
    "agent": "router", "model": "hermes3:8b", "calls": 212, "failed": 2, "tokens_in": 61_000,
    "tokens_out": 1_700, "seconds": 300.0, "median": 1.2,
}  # fmt: skip
UNUSED = USED | {"agent": "qa", "calls": 0, "failed": 0, "median": None}


def shown(**changed: Any) -> dict[str, Any]:
    found = {
        "provider": "ollama",
        "model": "hermes3:8b",
        "context": 8_192,
        "hosts": [HOST],
        "agents": [USED, UNUSED],
        "usage_days": 30,
        "suggestions": [],
        "warnings": [],
    }
    return found | changed


def test_all_is_said_in_a_few_lines(make_stream: MakeStream) -> None:
    assert model_lines(shown(), make_stream()) == [
        "model    hermes3:8b, through ollama",
        "context  8,192 tokens are asked for",
        "",
        "Hosts",
        "  http://127.0.0.1:11434  Ollama 0.13.5, in memory, 1 call now, 2 waiting",
        "",
        "In memory",
        (
            "  hermes3:8b  5.2 GB, 50 % of it on the graphics card, 8,192 tokens of context, "
            "until it is told to go"
        ),
        "",
        "Use in the last 30 days",
        (
            "  router  hermes3:8b, 212 calls, 61,000 tokens in, 1,700 out, 5 min in all, "
            "median 1.2 s, 2 failed"
        ),
        "  qa      hermes3:8b, not asked yet",
    ]


def test_a_host_that_is_away_says_why_and_what_to_do(make_stream: MakeStream) -> None:
    away: dict[str, Any] = HOST | {
        "reachable": False,
        "present": False,
        "loaded": [],
        "detail": "Ollama does not answer at http://127.0.0.1:11434.",
        "hint": "Start it (ollama serve).",
    }
    lines = model_lines(shown(hosts=[away]), make_stream())
    assert lines[4].endswith("http://127.0.0.1:11434. Start it (ollama serve)")


def test_a_model_that_is_missing_says_how_to_fetch_it(make_stream: MakeStream) -> None:
    poor: dict[str, Any] = HOST | {
        "present": False,
        "loaded": [],
        "running": 0,
        "waiting": 0,
        "detail": "no hermes3:8b there",
        "hint": "hermes models pull hermes3:8b",
    }
    lines = model_lines(shown(hosts=[poor]), make_stream())
    assert lines[4].endswith("Ollama 0.13.5, no hermes3:8b there: hermes models pull hermes3:8b")


def test_what_an_ollama_calls_a_time_is_shown_as_one(make_stream: MakeStream) -> None:
    soon = HOST["loaded"][0] | {"until": "2026-11-30T15:04:05.123456789+01:00"}
    odd = HOST["loaded"][0] | {"until": "later"}
    text = "\n".join(model_lines(shown(hosts=[HOST | {"loaded": [soon, odd]}]), make_stream()))
    assert "until later" in text
    assert text.count(", until ") == 2


def test_without_a_model_one_line_says_so(make_stream: MakeStream) -> None:
    (line,) = model_lines(shown(model=None), make_stream())
    assert line.startswith("no language model")


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_no_line_is_wider_than_the_terminal(make_stream: MakeStream, columns: int) -> None:
    found = shown(warnings=["granted less " * 20], suggestions=["router may " * 20])
    assert all(width_of(line) <= columns for line in model_lines(found, make_stream(columns)))
