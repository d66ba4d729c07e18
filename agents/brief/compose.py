"""From facts to a brief: what is so, less what was told before, weighed by what was said to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from ...ingest.redaction import redact_all
from ...memory.briefs import Told
from .choose import STILL_OPEN, Choice, choose, everything, within
from .records import Brief, Fact, Found, Reference, Scope, Section
from .render import cost

WIDTH = 80
"""Columns for which it is counted what fits."""
_ASIDE = 2
"""Lines for the head, and for what is said of the rest."""

Gather = Callable[[Scope, Sequence[Fact]], Found]


@dataclass(frozen=True, slots=True)
class Before:
    """What earlier briefs told, and what the person said to them."""

    told: Mapping[str, Told]
    factors: Mapping[str, float]


def today(
    found: Found, scope: Scope, before: Before, lines: int, made: float, *, working: bool
) -> Brief:
    """Return the brief of a day: nothing that an earlier one has told, within ``lines``."""
    period = scope.period
    facts, unreadable = _without_secrets(found)
    chosen = choose(
        facts,
        before.told,
        before.factors,
        period.day,
        _room(lines, unreadable),
        cost(WIDTH),
        working=working,
    )
    return _brief(period.day, made, period.words, chosen, unreadable)


def asked(found: Found, scope: Scope, before: Before, lines: int, made: float) -> Brief:
    """Return a brief that was asked for: all there is of its time, told before or not. Of others
    only what they finished."""
    period = scope.period
    facts, unreadable = _without_secrets(found)
    order = everything(facts, before.factors)
    if scope.everybody:
        order = [fact for fact in order if fact.section is Section.FINISHED]
    firsts = [fact for fact in order if fact.section is Section.FIRST_MOVE]
    order = [fact for fact in order if fact.section is not Section.FIRST_MOVE or fact is firsts[0]]
    kept, _ = within(order, _room(lines, unreadable), cost(WIDTH))
    keys = {fact.key for fact in kept}
    rest = tuple(fact for fact in order if fact.key not in keys)
    return _brief(period.day, made, period.words, Choice(tuple(kept), rest), unreadable)


def of_author(found: Found) -> Found:
    """Given what is so of another person, return what they finished: the rest is one's own."""
    kept = tuple(fact for fact in found.facts if fact.section is Section.FINISHED)
    return replace(found, facts=kept)


def what_was_told(brief: Brief, seen: Sequence[Fact]) -> list[Told]:
    """Return what a person knows who has seen these facts of a brief."""
    day = brief.day.isoformat()
    folded = brief.folded if any(fact.key == STILL_OPEN for fact in seen) else ()
    return [Told(fact.key, fact.digest, day, day, fact.repo) for fact in (*seen, *folded)]


def kept_sentences(old: Brief, new: Brief) -> Brief:
    """Return a brief with a model's sentences for what is as it was when they were written."""
    digests = {fact.key: fact.digest for fact in old.facts}
    kept = {
        fact.key: old.sentences[fact.key]
        for fact in new.facts
        if fact.key in old.sentences and digests.get(fact.key) == fact.digest
    }
    return replace(new, sentences=kept, model=old.model if kept else "")


def _brief(
    day: date, made: float, words: str, chosen: Choice, unreadable: tuple[str, ...]
) -> Brief:
    return Brief(
        day,
        made,
        words,
        chosen.told,
        more=len(chosen.rest),
        unreadable=unreadable,
        rest=chosen.rest,
        folded=chosen.folded,
        silent=chosen.silent,
    )


def _room(lines: int, unreadable: Sequence[str]) -> int:
    return lines - _ASIDE - bool(unreadable)


def _without_secrets(found: Found) -> tuple[list[Fact], tuple[str, ...]]:
    """Return the facts as they may be stored, shown and given to a model."""
    if not found.facts and not found.unreadable:
        return [], ()  # the detector's first look costs seconds
    pieces: list[str] = list(found.unreadable)
    for fact in found.facts:
        pieces += [fact.text, fact.move, *fact.details, *(each.text for each in fact.references)]
    clean, counts = redact_all([piece.encode("utf-8", "replace") for piece in pieces])
    if not any(counts):
        return list(found.facts), found.unreadable
    texts = iter(piece.decode("utf-8", "replace") for piece in clean)
    unreadable = tuple(next(texts) for _ in found.unreadable)
    facts: list[Fact] = []
    for fact in found.facts:
        text, move = next(texts), next(texts)
        details = tuple(next(texts) for _ in fact.details)
        references = tuple(
            Reference(each.kind, next(texts), each.target) for each in fact.references
        )
        # The state stays: what is told again must not hang on what a detector knows today.
        state = fact.state or fact.digest
        facts.append(
            replace(fact, text=text, move=move, details=details, references=references, state=state)
        )
    return facts, unreadable
