"""A brief as JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from .records import Brief, Fact, Reference, Section
from .render import numbered


def to_fields(brief: Brief) -> dict[str, Any]:
    """Return a brief as an object."""
    numbers = {fact.key: number for number, fact in numbered(brief)}
    return {
        "day": brief.day.isoformat(),
        "made": brief.made,
        "words": brief.words,
        "facts": [_fact(fact, brief, numbers.get(fact.key)) for fact in brief.facts],
        "more": brief.more,
        "rest": [_fact(fact, brief, numbers.get(fact.key)) for fact in brief.rest],
        "folded": [_fact(fact, brief, None) for fact in brief.folded],
        "unreadable": list(brief.unreadable),
        "model": brief.model,
        "silent": brief.silent,
    }


def from_fields(fields: Mapping[str, Any]) -> Brief:
    """Given what `to_fields` returned, return the brief."""
    told: Sequence[Mapping[str, Any]] = fields["facts"]
    rest: Sequence[Mapping[str, Any]] = fields["rest"]
    folded: Sequence[Mapping[str, Any]] = fields["folded"]
    return Brief(
        day=date.fromisoformat(fields["day"]),
        made=float(fields["made"]),
        words=str(fields["words"]),
        facts=tuple(map(_read, told)),
        more=int(fields["more"]),
        sentences={each["key"]: each["sentence"] for each in told if each["by"] == "model"},
        unreadable=tuple(fields["unreadable"]),
        model=str(fields["model"]),
        rest=tuple(map(_read, rest)),
        folded=tuple(map(_read, folded)),
        silent=str(fields["silent"]),
    )


def _fact(fact: Fact, brief: Brief, number: int | None) -> dict[str, Any]:
    sentence = brief.sentences.get(fact.key)
    return {
        "number": number,
        "key": fact.key,
        "section": str(fact.section),
        "sentence": fact.text if sentence is None else sentence,
        "by": "rule" if sentence is None else "model",
        "text": fact.text,
        "references": [
            {"kind": each.kind, "text": each.text, "target": each.target}
            for each in fact.references
        ],
        "weight": round(fact.weight, 4),
        "topic": fact.topic,
        "repo": fact.repo,
        "details": list(fact.details),
        "move": fact.move,
        "digest": fact.digest,
        "state": fact.state,
    }


def _read(fields: Mapping[str, Any]) -> Fact:
    return Fact(
        key=fields["key"],
        section=Section(fields["section"]),
        text=fields["text"],
        references=tuple(
            Reference(each["kind"], each["text"], each["target"]) for each in fields["references"]
        ),
        weight=float(fields["weight"]),
        topic=fields["topic"],
        repo=fields["repo"],
        details=tuple(fields["details"]),
        move=str(fields.get("move", "")),
        state=fields["state"],
    )
