"""What a model's message may not do although each of its names is known: leave out what the change
is, or follow orders that stand in the change.

Whoever writes a file writes what the model reads. Lines that give orders to a reader of prompts are
kept from the model, and a message that repeats such a line, or has no word of the computed facts
in its subject, may not stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from .records import Change, Draft, Facts, Problem, Sources

_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instruction|prompt|rule|above|previous"
    r"|prior|earlier|context)"
    r"|\b(?:system|developer|assistant)\s+(?:prompt|message|instruction)"
    r"|\byou (?:are|act as|must|should|will|shall)\b.{0,40}\b(?:assistant|model|ai|llm|now|reply|answer"
    r"|respond|write|output|say)\b"
    r"|\b(?:commit|this|the)\s+(?:message|subject)\s+(?:must|should|shall|has to|needs to|is to)\b"
    r"|\b(?:write|answer|respond|reply|output|print|say|use)\b.{0,30}\b(?:commit message|as (?:the )?"
    r"(?:subject|message|title)|exactly|only the|the following|instead)\b"
    r"|\b(?:new|real|actual) (?:instructions?|task)\b|</?\s*source\b|<\|im_",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]{2,}(?![a-z])|\d+")
_RUN = 3
"""Words in a row that are no chance."""
_SHORTEST = 3
_STEM = 5
"""Letters that words of one root share."""
_AROUND = 2
"""Lines beside an order that may go on with it."""

_FILLERS_TEXT = """
    the and for with from into that this its was are not use uses add adds new set get one all change
    changes update updates fix fixes remove removes make makes file files line lines
"""
_FILLERS = frozenset(_FILLERS_TEXT.split())


def gives_orders(line: str) -> bool:
    """Say whether a line speaks to whoever reads it as a prompt."""
    return _ORDER.search(line) is not None


def quiet(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines of a diff but for those that give orders, and those right beside them."""
    ordering = {
        near
        for number, line in enumerate(lines)
        if gives_orders(line)
        for near in range(number - _AROUND, number + _AROUND + 1)
        if near == number or _is_prose(lines, near)
    }
    return (line for number, line in enumerate(lines) if number not in ordering)


def ungrounded(draft: Draft, change: Change, facts: Facts, sources: Sources) -> list[Problem]:
    """Return what is wrong with a model's message in the light of the facts."""
    found: list[Problem] = []
    told = _words([facts.main, facts.main_path, facts.scope, *facts.statements, facts.aside])
    if sources.ticket is not None:
        told |= _words([sources.ticket.key, sources.ticket.title])
    if not _share(_words([draft.subject]), told - _FILLERS):
        what = f"the subject does not say what the change is about: name {facts.main}"
        found.append(Problem("ungrounded", what))
    orders = [line for line in _changed(change) if gives_orders(line)]
    if orders:
        given = {run for line in _beside_orders(change) for run in _runs(line)}
        said = [run for part in draft.text.splitlines() for run in _runs(part)]
        repeated = next((run for run in said if run in given), None)
        if repeated is not None:
            what = f"“{' '.join(repeated)}” repeats text of the diff that gives orders"
            found.append(Problem("injected", what))
    return found


def _share(words: set[str], others: set[str]) -> bool:
    if words & others:
        return True
    roots = {other[:_STEM] for other in others if len(other) >= _STEM}
    return any(word[:_STEM] in roots for word in words if len(word) >= _STEM)


def _words(texts: Iterable[str]) -> set[str]:
    return {
        word.lower()
        for text in texts
        for word in _WORD.findall(text)
        if len(word) >= _SHORTEST and word.lower() not in _FILLERS
    }


def _changed(change: Change) -> Iterator[str]:
    for file in change.files:
        for hunk in file.hunks:
            yield from (line for line in hunk.lines if line[:1] in "+-")


def _beside_orders(change: Change) -> Iterator[str]:
    for file in change.files:
        for hunk in file.hunks:
            kept = list(quiet(hunk.lines))
            if len(kept) < len(hunk.lines):
                left = iter(kept)
                expected = next(left, None)
                for line in hunk.lines:
                    if line == expected:
                        expected = next(left, None)
                    else:
                        yield line


def _is_prose(lines: Sequence[str], number: int) -> bool:
    """Say whether a line is more words than code."""
    if not 0 <= number < len(lines):
        return False
    text = lines[number][1:]
    return len(text.split()) >= _RUN and not re.search(r"[=(){};]", text)


def _runs(line: str) -> Iterator[tuple[str, ...]]:
    words = [word.lower() for word in re.findall(r"[A-Za-z]{2,}", line)]
    for start in range(len(words) - _RUN + 1):
        yield tuple(words[start : start + _RUN])
