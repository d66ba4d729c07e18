"""The standup of a daemon: what attention holds for its brief, as facts, and what a person saw."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from ..agents.brief.calendar import Calendar
from ..agents.brief.records import Fact, Reference, Section
from ..agents.standup import Standup
from ..ingest.git.command import Git
from .attention.attention import Attention
from .attention.digest import Digest, Item
from .paths import Paths
from .settings import Settings

if TYPE_CHECKING:
    from ..memory.memory import Memory
    from ..memory.work import Work

OWN_SOURCES = frozenset({"doc_keeper", "commit_helper", "test_runner", "standup"})
"""Agents whose results the brief reads itself, as they stand now: findings would say them again."""
WEIGHTS = {"incident": 1.2, "finding": 0.9, "recovered": 0.5, "over": 0.5, "agent": 0.4}
LONGEST = 200


def standup_of(
    settings: Settings,
    paths: Paths,
    work: Work,
    memory: Callable[[], Awaitable[Memory]],
    git_of: Callable[[str | None], Git | None],
    attention: Attention,
) -> Standup:
    """Return the standup as the settings want it."""
    working, person = settings.working, settings.person
    return Standup(
        work,
        memory,
        git_of,
        lambda: facts_of(attention),
        paths.brief,
        Calendar(working.days, working.hours, working.off),
        names=person.names,
        emails=person.emails,
        lines=settings.brief.lines,
        on_told=lambda told, at: note_told(attention, told, at),
    )


def facts_of(attention: Attention) -> list[Fact]:
    """Return what no brief has told yet. Blocking."""
    return [_fact(item) for item in attention.digest().items() if _is_told(item)]


def note_told(attention: Attention, told: Sequence[Fact], at: float) -> None:
    """Given facts that a person saw, let attention tell them no more. Blocking. What agents found
    that have a source of their own was told by that, as far as it was there by then."""
    keys = {fact.key for fact in told}
    digest = attention.digest()
    seen = Digest(
        [
            each
            for each in digest.incidents
            if keys & {_key("incident", each.id), _key("over", each.id)}
        ],
        [
            each
            for each in digest.findings
            if keys & {_key("finding", each.id), _key("recovered", each.id)}
            or (each.agent in OWN_SOURCES and each.at <= at)
        ],
        [each for each in digest.turns if _key("agent", each.agent) in keys],
    )
    attention.tell(seen, at)


def _is_told(item: Item) -> bool:
    return item.kind in ("incident", "over", "agent") or item.agent not in OWN_SOURCES


def _key(kind: str, which: object) -> str:
    return f"held:{kind}:{which}"


def _fact(item: Item) -> Fact:
    incident = item.kind == "incident"
    text = item.text if len(item.text) <= LONGEST else item.text[: LONGEST - 1].rstrip() + "…"
    return Fact(
        key=_key(item.kind, item.agent if item.id is None else item.id),
        section=Section.HERMES,
        text=text,
        references=(Reference("job", item.why),) if item.why else (),
        weight=WEIGHTS[item.kind],
        topic="incident" if incident else item.agent,
        repo=item.repo,
        details=(item.next_step,) if item.next_step else (),
        move=f"see why {item.text}: {item.next_step}"[:LONGEST] if incident else "",
        state=item.text,
    )
