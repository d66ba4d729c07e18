"""What attention holds for the brief, as facts of it: jobs that failed, and what agents said.

What a table of work.db tells better (tests, drift, drafts) is left to that: a brief says each thing
once. It counts as told with the brief all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ..agents.brief.records import Fact, Reference, Section
from ..agents.brief.wording import MOST, cut
from .attention.digest import Digest, Item

if TYPE_CHECKING:
    from .attention.attention import Attention

ELSEWHERE = ("tests:", "docs:")
"""Beginnings of the causes of findings that the brief reads where they are kept."""
NIGHT = "synthesizer"
_PREFIX = "attention:"
_WEIGHTS = {"incident": 1.5, "finding": 0.9, "agent": 0.7, "over": 0.5, "recovered": 0.4}


def facts_of(
    attention: Attention, last_night: Callable[[], float | None] = lambda: None
) -> list[Fact]:
    """Return what no brief has told yet. ``last_night`` says when themes were written last; it is
    asked only where a night failed. Blocking."""
    digest = attention.digest()
    elsewhere = {row.id for row in digest.findings if row.cause.startswith(ELSEWHERE)}
    items = [
        item
        for item in digest.items()
        if not (item.kind in ("finding", "recovered") and item.id in elsewhere)
    ]
    return [_told(item, attention, last_night) for item in items]


def _told(item: Item, attention: Attention, last_night: Callable[[], float | None]) -> Fact:
    if item.agent == NIGHT and item.kind == "incident":
        asked = None if item.id is None else attention.asked_at(item.id)
        return night_fact(item, last_night(), asked)
    return _over(item) if item.agent == NIGHT and item.kind == "over" else _fact(item)


def _over(item: Item) -> Fact:
    return replace(_fact(item), text=cut(f"nights work again; one failed: {_reason(item)}", MOST))


def _reason(item: Item) -> str:
    text = item.text.removeprefix("works again: ").removeprefix(f"{NIGHT}: ")
    return text.removeprefix("the night was not done: ")


def night_fact(item: Item, last: float | None, asked: float | None = None) -> Fact:
    """Return in words a person understands that a night failed: why, and of when themes are.
    ``asked``: when a person asked for it, seconds since 1970; None if it ran by itself."""
    why = _reason(item)
    if last is None:
        themes = "there are no themes yet"
    else:
        day = datetime.fromtimestamp(last)
        lately = (datetime.fromtimestamp(item.at) - day).days < 6
        themes = f"themes are as of {day:%A}" if lately else f"themes are as of {day:%Y-%m-%d}"
    look = f": hermes why {item.why}" if item.why else ""
    if asked is None:
        which, it = "last night's consolidation", "the night"
    else:
        which = f"the consolidation you asked for on {datetime.fromtimestamp(asked):%A at %H:%M}"
        it = "the consolidation"
    said = f"{which} failed ({why}); {themes}"
    text = cut(said, MOST - len(look)) + look
    move = f"see why {it} failed{look}" if look else ""
    return replace(_fact(item), text=text, references=(), move=move)


def key_of(item: Item) -> str:
    """Return the key of the fact that tells an item."""
    return f"{_PREFIX}{item.kind}:{item.agent if item.id is None else item.id}"


def note_told(attention: Attention, facts: Sequence[Fact], at: float) -> None:
    """Given the facts of a brief that a person saw, note that those of attention need not be told
    again, nor what the brief reads elsewhere. What has grown since it was composed is told again.
    Blocking."""
    seen = {fact.key: fact.state for fact in facts}
    digest = attention.digest()
    shown = {
        (item.kind, item.id, item.agent)
        for item in digest.items()
        if seen.get(key_of(item)) == item.text
    }
    incidents = {id for kind, id, _ in shown if kind in ("incident", "over")}
    findings = {id for kind, id, _ in shown if kind in ("finding", "recovered")}
    agents = {agent for kind, _, agent in shown if kind == "agent"}
    told = Digest(
        [each for each in digest.incidents if each.id in incidents],
        [
            row
            for row in digest.findings
            if row.id in findings or (row.cause.startswith(ELSEWHERE) and row.at <= at)
        ],
        [turn for turn in digest.turns if turn.agent in agents],
    )
    attention.tell(told, at)


def _fact(item: Item) -> Fact:
    return Fact(
        key=key_of(item),
        section=Section.HERMES,
        text=cut(item.text, MOST),
        references=_references(item),
        weight=_WEIGHTS.get(item.kind, 0.8),
        topic="incident" if item.kind == "incident" else item.agent,
        repo=item.repo,
        details=(item.next_step,) if item.next_step else (),
        move=_move(item),
        state=item.text,
    )


def _references(item: Item) -> tuple[Reference, ...]:
    found: list[Reference] = [Reference("job", item.why)] if item.why else []
    found += [
        Reference("commit" if _is_sha(text) else "path", text[:7] if _is_sha(text) else text, text)
        for text in item.references[:2]
    ]
    return tuple(found)


def _is_sha(text: str) -> bool:
    return len(text) >= 7 and all(letter in "0123456789abcdef" for letter in text)


def _move(item: Item) -> str:
    if item.kind != "incident" or not item.why:
        return ""
    return cut(f"see why {item.text.removeprefix(f'{item.agent}: ')}: hermes why {item.why}", MOST)
