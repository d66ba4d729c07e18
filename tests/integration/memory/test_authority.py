"""Which document holds: what was decided outweighs what was said, and what was decided otherwise since
says so."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from hermes.ingest.items import take_in
from hermes.ingest.sources.docs import open_source, options
from hermes.memory.memory import Memory
from hermes.memory.recall import recall
from hermes.memory.records import Passage
from hermes.memory.standing import said_of
from hermes.tests.builders.items import thread

NOW = datetime(2026, 6, 1, 12)


def record(
    number: int, title: str, status: str, decision: str = "It is the counter.", date: str = ""
) -> str:
    day = f"Date: {date}\n\n" if date else ""
    return f"# {number}. {title}\n\n{day}## Status\n\n{status}\n\n## Decision\n\n{decision}\n"


def take_records(memory: Memory, folder: Path, records: dict[str, str]) -> None:
    (folder / "adr").mkdir(exist_ok=True)
    for name, text in records.items():
        (folder / "adr" / name).write_text(text)
    source = open_source(options({"patterns": [str(folder / "adr")]}), None, ())
    for page in source.fetch("", lambda: False):
        take_in(memory, page.items)


def asked(memory: Memory, question: str) -> list[Passage]:
    return list(recall(memory, question, now=NOW).passages)


def title(passage: Passage) -> str:
    return passage.chunk.title.partition(" › ")[0]


def test_an_accepted_decision_comes_before_a_discussion_that_says_as_much(
    memory: Memory, tmp_path: Path
) -> None:
    words = "Redis for rate limits, then? It has counters."
    others = [thread(number, f"build {number} has no limits") for number in range(2, 30)]
    take_in(memory, [thread(1, words), *others])
    take_records(
        memory,
        tmp_path,
        {"0007-redis.md": record(7, "Redis for rate limits", "Accepted", "Redis has counters.")},
    )
    best, second, *_ = asked(memory, "why Redis for rate limits")
    assert title(best) == "ADR 7: Redis for rate limits"
    assert second.chunk.ref == thread(1).ref
    text = sum(share for arm, share in best.arms.items() if arm != "authority")
    assert text < second.score  # by its words alone it would come second
    assert best.arms["authority"] > 0


def test_a_proposal_gains_nothing(memory: Memory, tmp_path: Path) -> None:
    take_records(memory, tmp_path, {"0007-redis.md": record(7, "Redis for limits", "Proposed")})
    [passage] = asked(memory, "Redis limits")
    assert "authority" not in passage.arms
    assert passage.mark is None


CHAIN = {
    "0003-memcached.md": record(
        3, "Memcached for rate limits", "Superseded by [7](0007-redis.md)", date="2024-02-01"
    ),
    "0007-redis.md": record(7, "Redis for rate limits", "Accepted", date="2025-03-12"),
    "0012-valkey.md": record(
        12,
        "Valkey for rate limits",
        "Accepted\n\nSupersedes [7. Redis](0007-redis.md)",
        date="2026-04-02",
    ),
}
"""The first says by what it was superseded; of the second only the third says so."""


def test_what_was_superseded_says_by_what_and_comes_after_what_holds(
    memory: Memory, tmp_path: Path
) -> None:
    take_records(memory, tmp_path, CHAIN)
    found = asked(memory, "what do we use for rate limits")
    assert title(found[0]) == "ADR 12: Valkey for rate limits"
    said = {title(each): said_of(each.mark) for each in found}
    assert said == {
        "ADR 12: Valkey for rate limits": "",
        "ADR 7: Redis for rate limits": "superseded by ADR 12 on 2026-04-02",
        "ADR 3: Memcached for rate limits": "superseded by ADR 7 on 2025-03-12",
    }


def test_a_decision_holds_again_when_what_superseded_it_is_taken_away(
    memory: Memory, tmp_path: Path
) -> None:
    take_records(memory, tmp_path, CHAIN)
    later = next(ref for ref in memory.index.items.refs() if ref.endswith("0012-valkey.md"))
    memory.delete_items((later,))
    found = asked(memory, "what do we use for rate limits")
    assert title(found[0]) == "ADR 7: Redis for rate limits"
    assert found[0].mark is None


@pytest.mark.parametrize("state", ["Proposed", "Rejected"])
def test_what_was_not_accepted_supersedes_nothing(
    memory: Memory, tmp_path: Path, state: str
) -> None:
    later = CHAIN["0012-valkey.md"].replace("Accepted", state)
    take_records(memory, tmp_path, CHAIN | {"0012-valkey.md": later})
    marks = {title(each): said_of(each.mark) for each in asked(memory, "rate limits")}
    assert marks["ADR 7: Redis for rate limits"] == ""


@pytest.mark.parametrize("state", ["Deprecated", "Rejected", "Superseded"])
def test_what_does_not_hold_says_so_without_another(
    memory: Memory, tmp_path: Path, state: str
) -> None:
    take_records(memory, tmp_path, {"0007-redis.md": record(7, "Redis for limits", state)})
    [passage] = asked(memory, "Redis limits")
    assert said_of(passage.mark).startswith(f"{state.lower()} on ")


@pytest.mark.parametrize("question", ["What does ADR 7 say?", "adr-0007", "ADR-007"])
def test_a_record_that_is_named_comes_first(memory: Memory, tmp_path: Path, question: str) -> None:
    take_records(memory, tmp_path, CHAIN)
    take_in(memory, [thread(1, "What do they say, the decisions? ADR, ADR and ADR")])
    found = recall(memory, question, now=NOW)
    assert title(found.passages[0]) == "ADR 7: Redis for rate limits"
    assert found.passages[0].exact == "ADR-7"
