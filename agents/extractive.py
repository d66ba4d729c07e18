"""The answer without a model: sentences made by rule from what commits say about themselves.

Each sentence states what was done, by whom and when, and quotes why in the author's own words.
Nothing is phrased that the cited commit does not hold. The same recollection gives the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..memory.records import Chunk, Kind, Passage, Recollection
from .events import Text, iso_day
from .evidence import Evidence, Source
from .reasons import Reason, find_reasons, shorten, split_message
from .subjects import past_clause
from .words import find_marks, overlap, question_terms

MAX_SENTENCES = 6
MAX_COMMITS = 3
WEAK_SHOWN = 3
_CLOSE_ENOUGH = 0.55
"""A commit joins the answer when its score is at least this share of the best one's."""
_SECOND_REASON = 0.75
_LINE_OVERLAP = 0.34
_MERGED = re.compile(r"^Merge (?:pull request|branch|remote)", re.IGNORECASE)
_PULL = re.compile(r"#\d+")


MessageOf = Callable[[str, str], Chunk | None]
"""(repository, sha) → the chunk that holds the commit's message."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A commit that will be told about."""

    message: Source
    change: Chunk | None
    reasons: Sequence[Reason]


def compose(
    question: str,
    recollection: Recollection,
    message_of: MessageOf,
    evidence: Evidence,
) -> list[Text]:
    """Given what recall found, return 2-6 cited sentences; sources are numbered into ``evidence``."""
    wanted = question_terms(question)
    if not recollection.relevant:
        return compose_weak(question, recollection, message_of, evidence)
    told = _choose(recollection.passages, wanted, message_of, evidence)
    sentences: list[Text] = []
    for place, commit in enumerate(told):
        sentences.extend(_tell(commit, wanted, evidence, in_detail=place == 0))
    return sentences[:MAX_SENTENCES]


def compose_weak(
    question: str, recollection: Recollection, message_of: MessageOf, evidence: Evidence
) -> list[Text]:
    """Given a recollection without anything relevant, say so and tell the nearest candidates."""
    texts = [Text("Nothing in memory clearly answers this.")]
    wanted = question_terms(question)
    for passage in recollection.passages[:WEAK_SHOWN]:
        if len(texts) == 1:
            texts.append(Text("The nearest commits, which may have nothing to do with it:"))
        message = message_chunk(passage, message_of) or passage.chunk
        reasons = find_reasons(message.text, wanted) if message.kind is Kind.MESSAGE else []
        line = f"- {what_happened(evidence.add_chunk(message), reasons)}"
        texts.append(Text(line, find_marks(line, wanted)))
    return texts


def _choose(
    passages: Sequence[Passage],
    wanted: frozenset[str],
    message_of: MessageOf,
    evidence: Evidence,
) -> list[_Told]:
    best = passages[0].score if passages else 0.0
    # A commit that was picked onto several branches is told once.
    unique = {(p.chunk.repo, p.chunk.title, p.chunk.author): p for p in reversed(passages)}
    near = [
        passage
        for passage in reversed(unique.values())
        if passage.exact or passage.score >= _CLOSE_ENOUGH * best
    ]
    ranked: list[tuple[float, Passage, Chunk, list[Reason]]] = []
    for passage in near[: MAX_COMMITS * 2]:
        message = message_chunk(passage, message_of)
        reasons = find_reasons(message.text, wanted) if message else []
        bonus = 0.1 * min(reasons[0].score, 1.5) if reasons else 0.0
        exact = 10.0 if passage.exact else 0.0
        score = exact + passage.score * (1 + bonus)
        ranked.append((score, passage, message or passage.chunk, reasons))
    ranked.sort(key=lambda entry: -entry[0])
    return [
        _Told(evidence.add_chunk(message), _change(passage), reasons)
        for _, passage, message, reasons in ranked[:MAX_COMMITS]
    ]


def message_chunk(passage: Passage, message_of: MessageOf) -> Chunk | None:
    """Given a passage, return its commit's message."""
    for chunk in (passage.chunk, *passage.also):
        if chunk.kind is Kind.MESSAGE:
            return chunk
    return message_of(passage.chunk.repo, passage.chunk.ref)


def _change(passage: Passage) -> Chunk | None:
    changes = (chunk for chunk in (passage.chunk, *passage.also) if chunk.kind is Kind.CONTEXT)
    return next(changes, None)


def _tell(
    commit: _Told, wanted: frozenset[str], evidence: Evidence, *, in_detail: bool
) -> list[Text]:
    sentences = [what_happened(commit.message, commit.reasons)]
    if in_detail and len(commit.reasons) > 1 and commit.reasons[1].score >= _SECOND_REASON:
        quote = shorten(commit.reasons[1].text)
        sentences.append(f"The message adds: {_quoted(quote)} [{commit.message.number}]")
    if in_detail and commit.change is not None and not commit.reasons:
        line = _changed_line(commit.change.text, wanted)
        if line:
            number = evidence.add_chunk(commit.change).number
            sentences.append(f"In {commit.change.path} it {line} [{number}]")
    return [Text(sentence, find_marks(sentence, wanted)) for sentence in sentences]


def what_happened(source: Source, reasons: Sequence[Reason]) -> str:
    """Given a commit's message, return one sentence: who did what when, and why if it says so."""
    subject, _ = split_message(source.text)
    subject = source.ref.subject or subject
    day, author, cite = iso_day(source.ref.time), source.ref.author, f"[{source.number}]"
    reason = reasons[0] if reasons else None
    quote = _quoted(shorten(reason.text)) if reason else ""
    if _MERGED.match(subject):
        pull = _PULL.search(subject)
        what = f"merged pull request {pull[0]}" if pull else "merged a branch"
        return f"{author} {what} on {day}{': ' + quote if quote else ''} {cite}".rstrip()
    clause = past_clause(subject)
    if clause:
        head = f"{author} {clause} on {day}"
        return f"{head}: {quote} {cite}" if quote else f"{head} {cite}."
    if quote:
        return f"{author} committed {_quoted(subject)} on {day}, and explained: {quote} {cite}"
    return f"{author} committed {_quoted(subject)} on {day} {cite}."


def _changed_line(diff: str, wanted: frozenset[str]) -> str | None:
    """What the change did to the line that matches best, if any matches well."""
    best: tuple[float, str, str] | None = None
    for line in diff.splitlines():
        sign, rest = line[:1], line[1:].strip()
        if sign not in "+-" or line.startswith(("+++", "---")) or len(rest) < 8:
            continue
        score = overlap(rest, wanted)
        if score >= _LINE_OVERLAP and (best is None or score > best[0]):
            best = (score, sign, rest)
    if best is None:
        return None
    verb = "added" if best[1] == "+" else "took out"
    return f"{verb}: {_quoted(shorten(best[2], 140))}"


def _quoted(text: str) -> str:
    return f"“{text}”" if '"' in text else f'"{text}"'
