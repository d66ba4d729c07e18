"""The table of agents is whole, and agrees with the events and the agents there are."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hermes.agents.events import KINDS
from hermes.agents.roster import CARDS, of_schedule

AGENTS = Path(__file__).resolve().parents[3] / "agents"


def agents_in_code() -> dict[str, str]:
    """Return the name of each class that can be handed an assignment, by its file."""
    found: dict[str, str] = {}
    for path in AGENTS.rglob("*.py"):
        if path.name == "contract.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and any(
                isinstance(part, ast.AsyncFunctionDef) and part.name == "handle"
                for part in node.body
            ):
                found[str(path.relative_to(AGENTS))] = _name_of(node)
    return found


def _name_of(node: ast.ClassDef) -> str:
    for part in node.body:
        match part:
            case (
                ast.Assign(targets=[ast.Name("name")], value=ast.Constant(str(value)))
                | ast.AnnAssign(target=ast.Name("name"), value=ast.Constant(str(value)))
            ):
                return value
            case _:
                pass
    return ""


def test_every_agent_in_the_code_has_its_card() -> None:
    assert set(agents_in_code().values()) <= set(CARDS)


def test_all_eight_specialists_have_a_card() -> None:
    assert set(CARDS) == {
        *("indexer", "synthesizer", "test_runner", "commit_helper"),
        *("doc_keeper", "standup", "qa", "council"),
    }


@pytest.mark.parametrize("name", CARDS)
def test_a_card_makes_sense(name: str) -> None:
    card = CARDS[name]
    assert card.name == name
    assert card.must | card.may <= set(KINDS)
    assert not card.must & card.may, "an agent that must run is no choice"
    assert card.subjects
    assert set(card.schedules.values()) <= {*card.subjects, "themes", "links"}
    assert card.quiet <= card.longest or card.longest == 0.0
    assert len(card.does) < 200


def test_every_kind_of_event_but_those_that_name_their_agent_calls_somebody() -> None:
    called = {kind for card in CARDS.values() for kind in card.must | card.may}
    assert set(KINDS) - called == {"run_asked", "scheduled"}


def test_no_two_agents_claim_a_scheduled_job() -> None:
    jobs = [job for card in CARDS.values() for job in card.schedules]
    assert len(jobs) == len(set(jobs))


@pytest.mark.parametrize(
    ("job", "meant"),
    [
        ("upkeep", ("indexer", "upkeep")),
        ("brief", ("standup", "")),
        ("indexer.rebuild", ("indexer", "rebuild")),
        ("standup", ("standup", "")),
        ("indexer.rm", None),
        ("backup", None),
    ],
)
def test_a_scheduled_job_belongs_to_whom_its_name_says(
    job: str, meant: tuple[str, str] | None
) -> None:
    assert of_schedule(job) == meant
