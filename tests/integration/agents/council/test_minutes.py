"""What councils decided as memory has it: found and cited, and no evidence for anything derived."""

from __future__ import annotations

import time
from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.agents.council.case import make_case
from hermes.agents.council.codec import to_json
from hermes.agents.council.docket import Docket
from hermes.agents.council.gathering import decided_before, recalled
from hermes.agents.council.learning import set_outcome
from hermes.agents.council.minutes import remember
from hermes.agents.council.packet import Given, make_packet
from hermes.agents.council.perspectives import Mode, preset_of
from hermes.agents.council.records import Opinion, Vote
from hermes.agents.council.verdict import decide
from hermes.agents.council.wish import read_wish
from hermes.agents.hygiene.chatter import marks
from hermes.agents.themes.item_evidence import gather_items
from hermes.memory.council_records import Result, Spoken
from hermes.memory.memory import Memory
from hermes.memory.recall import recall
from hermes.memory.records import Filters
from hermes.memory.work import Work
from hermes.tests.builders.council import opinion

ASKED = "Postgres or Mongo for the ledger?"


@pytest.fixture
def work(tmp_path: Path) -> Generator[Work]:
    found = Work(tmp_path / "work.db")
    yield found
    found.close()


@pytest.fixture
def memory(tmp_path: Path) -> Generator[Memory]:
    with Memory.open(tmp_path / "memory", embedder=None, write=True) as found:
        yield found


def decided(work: Work, question: str, *opinions: Opinion) -> int:
    """Store a council with its verdict; return its number."""
    packet = make_packet(read_wish(question), Given(), preset=preset_of("general"))
    docket = Docket(packet, Mode.STANDARD, "general", 1)
    number = work.councils.open("", "general", "standard", question, to_json(docket), time.time())
    for one in opinions:
        spoken = Spoken(one.round, one.juror.seat, one.juror.name, to_json(one), time.time())
        work.councils.hear(number, spoken)
    case = make_case(packet, opinions)
    verdict = decide(case)
    stored = (to_json(case), to_json(verdict))
    work.councils.decide(number, str(verdict.state), verdict.support, *stored, time.time())
    return number


def ledger(work: Work) -> int:
    return decided(
        work,
        ASKED,
        opinion("a", Vote.PASS, "Postgres", insight="the ledger needs transactions"),
        opinion("b", Vote.PASS, "Postgres over Mongo", insight="we know how to restore it"),
        opinion("c", Vote.WARN, "Mongo", insight="documents vary"),
    )


def test_a_verdict_is_found_with_who_said_what_and_later_with_how_it_turned_out(
    work: Work, memory: Memory
) -> None:
    number = ledger(work)
    assert remember(memory, work) == {"taken": 1, "damaged": 0}
    assert remember(memory, work) == {"taken": 0, "damaged": 0}
    found = recall(memory, "what did the council decide about the ledger?", Filters())
    (passage,) = found.passages
    assert passage.chunk.ref == f"council:{number}"
    assert "Postgres" in passage.chunk.text
    assert "the ledger needs transactions" in passage.chunk.text
    set_outcome(work, number, Result.RIGHT, "a year without trouble", time.time() + 5)
    assert remember(memory, work)["taken"] == 1
    item = memory.index.items.get(f"council:{number}")
    assert item is not None
    assert "It turned out right: a year without trouble." in item.text


def test_one_that_can_not_be_read_hides_no_other(work: Work, memory: Memory) -> None:
    ledger(work)
    broken = ledger(work)
    with work.database.writing() as db:
        db.execute("UPDATE councils SET packet = '{' WHERE id = ?", (broken,))
    assert remember(memory, work) == {"taken": 1, "damaged": 1}


def test_what_a_council_said_is_no_evidence_for_another_nor_for_themes(
    work: Work, memory: Memory
) -> None:
    number = ledger(work)
    remember(memory, work)
    wish = read_wish("Mongo or Postgres for the ledger now?")
    assert recalled(memory, recall, wish, ()) == ()
    (prior,) = decided_before(work, "", wish)
    assert (prior.kind, prior.ref) == ("verdict", f"council {number}")
    assert prior.title.startswith("Postgres over Mongo")
    now = int(time.time())
    assert gather_items(memory, "", now - 86_400, now + 86_400) == []


def test_a_verdict_that_turned_out_wrong_is_no_precedent(work: Work) -> None:
    number = ledger(work)
    set_outcome(work, number, Result.WRONG, "", time.time())
    (prior,) = decided_before(work, "", read_wish(ASKED))
    assert prior.kind == "overturned verdict"
    assert prior.title.endswith("it turned out wrong")


def test_another_question_is_not_related(work: Work) -> None:
    ledger(work)
    assert decided_before(work, "", read_wish("should we split the worker?")) == ()


def test_councils_of_the_same_form_do_not_count_as_small_talk(work: Work, memory: Memory) -> None:
    for topic in ("ledger", "sessions", "search", "audit trail"):
        decided(work, f"Postgres or Mongo for the {topic}?", opinion("a", Vote.PASS, "Postgres"))
    remember(memory, work)
    items = memory.index.items.find()
    assert len(items) == 4
    assert marks("", items, int(time.time()) + 400 * 86_400) == []
