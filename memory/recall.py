"""Recall: given a question, find the passages of memory that bear on it, or say that none does.

Four arms (full text and vectors, of messages and of contexts) are fused by commit. What the
question names to the letter (a sha, a ticket, a symbol) comes first. See docs/recall.md.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import itemgetter

from .beyond import led_to, named
from .errors import EmbedderError
from .exact import SYMBOL_LIFT, Exact, Pin, named_commits, symbol_searches
from .fusion import fuse, text_evidence
from .hints import read_hints
from .hits import Hit, Search, TextSearch, VectorSearch
from .marks import Key
from .memory import Memory
from .question import Asked, narrow, spoken, take_apart
from .records import Chunk, Filters, Kind, Mark, Passage, Recollection, chunk_id, is_item
from .same import same
from .standing import stand

CANDIDATES = 200
"""Commits each arm brings to the fusion."""
CONTEXT_HITS = 2 * CANDIDATES
"""Chunks asked of a context arm: a commit has several, and counts by its best."""
FLOOR = 0.4
"""Confidence under which nothing counts as relevant. Under a half: a weak answer is told from a
strong one by its sources at a glance, a right one that is called weak may never be read."""
MAX_QUESTION = 2_000
"""Characters of a question that are searched; the rest only dilutes it."""
RECENCY_LIFT = 0.05
"""Share of the score that a commit of today gains over one from long ago: it decides ties."""
HALF_LIFE = 180 * 86_400
"""Seconds after which half the recency lift is left."""
ALONE = 0.75
"""Share of what its words give that a discussion gains: a commit is looked for in two texts, its
message and what it changed, and a discussion in one. Without it the right discussion comes first
for none of 60 sentences out of a made-up month's, with it for 47, and commits lose little."""
_LOOKED_AT = 16
"""Of what was found, so many of the best are looked at for what is the same, and what they lead to."""
AUTHORITY = 0.2
"""Share of its score that an accepted decision gains over what was said about it. In a made-up
company's 66 questions the record then comes earlier, and what else is evidence not later."""
BEFORE = 1.1
"""Times the score of what it superseded that a decision has at least, where both are found."""
CHUNKS_SHOWN = 3
"""Chunks that stand for a commit: its message, and its best files."""

_VECTORS = ("vector_message", "vector_context")


@dataclass(slots=True)
class _Found:
    """What a search brought, by commit."""

    scores: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])
    hits: dict[str, list[Hit]] = field(default_factory=dict[str, list[Hit]])
    pins: dict[str, Pin] = field(default_factory=dict[str, Pin])
    """Commits that match something to the letter."""
    confidence: float = 0.0
    notes: list[str] = field(default_factory=list[str])
    led: dict[str, str] = field(default_factory=dict[str, str])
    """What was lifted by what leads to it, with that one's reference."""
    same: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """What is shown with another one: a pull request's commit, say."""

    def is_of(self, ref: str, repo: str) -> bool:
        """Whether a commit was found in this repository, as far as that is known."""
        hits = self.hits.get(ref)
        return not hits or hits[0].repo == repo


def recall(
    memory: Memory,
    question: str,
    filters: Filters | None = None,
    k: int = 8,
    *,
    now: datetime | None = None,
) -> Recollection:
    """Given a question, return up to ``k`` passages, one for each commit, best first.

    ``now`` is local wall-clock time. When and who are read from the question's words unless
    ``filters`` already says them; where such a hint leaves nothing, the search is done without it
    and a note says so.
    """
    filters = filters or Filters()
    now = now or datetime.now()
    question = question[:MAX_QUESTION]
    hints = read_hints(question, lambda: _authors(memory, filters), now)
    narrowed, said = narrow(filters, hints)
    asked = take_apart(hints.rest, question, narrowed=bool(said))
    found = _search(memory, asked, narrowed)
    if not found.scores and said:
        note = f"nothing matches {spoken(said)}; searched without that"
        said = {}
        found = _search(memory, asked, filters)
        found.notes.insert(0, note)
    _follow(memory, asked, narrowed if said else filters, found, now)
    _weigh(memory, found)
    passages = _passages(memory, found, _ranked(memory, found, now, k))
    confidence = 1.0 if any(passage.exact for passage in passages) else found.confidence
    return Recollection(
        passages=passages,
        confidence=confidence,
        relevant=bool(passages) and confidence >= FLOOR,
        hints=said,
        notes=tuple(found.notes),
    )


def _authors(memory: Memory, filters: Filters) -> list[tuple[str, str]]:
    authors = [(who.name, who.email) for who in memory.index.authors(filters.repos)]
    return list(dict.fromkeys([*authors, *memory.index.items.people(filters.repos)]))


def _search(memory: Memory, asked: Asked, filters: Filters) -> _Found:
    found = _Found()
    found.pins, unknown = named_commits(memory, asked, filters)
    found.notes += [f"no commit in memory names {name}" for name in unknown]
    if asked.subjectless:
        _add_newest(memory, filters, found)
    elif asked.terms:
        _add_matches(memory, asked, filters, found)
    for ref in found.pins:
        found.scores.setdefault(ref, {})
    return found


def _add_newest(memory: Memory, filters: Filters, found: _Found) -> None:
    """A question without a subject ("what happened last week?") asks for what is newest."""
    commits = memory.index.newest(filters, CANDIDATES)
    newest = [commit.sha for commit in commits]
    if not newest:  # somebody who only writes, a source that is no repository
        newest = [item.ref for item in memory.index.items.selected(filters, CANDIDATES)]
    for place, ref in enumerate(newest):
        found.scores[ref] = {"newest": 1.0 - place / (len(newest) + 1)}
    found.confidence = 1.0 if newest else 0.0


def _add_matches(memory: Memory, asked: Asked, filters: Filters, found: _Found) -> None:
    of_messages = _for_messages(memory, filters)
    arms = _arms(memory, asked, of_messages, filters, found.notes)
    symbols = symbol_searches(asked, of_messages, filters)
    results = memory.store.search(*arms.values(), *(search for _, search in symbols))
    if memory.store.shared:
        results = _own(memory, results)
    hits_of = dict(zip(arms, results, strict=False))
    by_commit = {arm: _best_by_commit(hits) for arm, hits in hits_of.items()}
    found.scores = fuse(by_commit)
    for ref, shares in found.scores.items():
        if is_item(ref):
            shares["alone"] = ALONE * (
                shares.get("message", 0.0) + shares.get("vector_message", 0.0)
            )
    for hits in hits_of.values():
        for hit in hits:
            if hit.ref in found.scores:
                found.hits.setdefault(hit.ref, []).append(hit)
    for (symbol, _), hits in zip(symbols, results[len(arms) :], strict=True):
        for hit in hits:
            found.scores.setdefault(hit.ref, {})["symbol"] = SYMBOL_LIFT
            found.hits.setdefault(hit.ref, []).append(hit)
            if asked.pins_symbols:
                found.pins.setdefault(hit.ref, Pin(Exact.SYMBOL, symbol))
    best = {arm: max(scores.values(), default=0.0) for arm, scores in by_commit.items()}
    evidence = text_evidence(
        best["message"], best["context"], len(asked.terms), memory.store.count_chunks()
    )
    vectors = [best[arm] for arm in _VECTORS if by_commit.get(arm)]
    embedder = memory.embedder.name if memory.embedder else None
    found.confidence = confidence_of(evidence, max(vectors, default=None), embedder)
    if len(asked.terms) == 1 and (by_commit["message"] or by_commit["context"]):
        found.confidence = max(found.confidence, FLOOR)  # all that was asked for is there


def _own(memory: Memory, results: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
    """Leave out discussions that only another machine brought, or that were forgotten here: what is
    of no repository stands in a shared store for all."""
    refs = {hit.ref for hits in results for hit in hits if not hit.repo}
    known = memory.index.items.chunk_counts(refs)
    return [[hit for hit in hits if hit.repo or hit.ref in known] for hits in results]


def _follow(memory: Memory, asked: Asked, filters: Filters, found: _Found, now: datetime) -> None:
    """Take together what was found twice, and lift what the best of it leads to; what no arm brought
    comes in with that."""
    scores = {ref: sum(shares.values()) for ref, shares in found.scores.items()}
    best = heapq.nlargest(_LOOKED_AT, scores, key=lambda ref: (ref in found.pins, scores[ref]))
    leads = [(repo, ref) for ref in best if (repo := _repo_of(memory, found, ref)) is not None]
    around = memory.index.links.around(leads)
    itself = {ref for ref, pin in found.pins.items() if pin.kind in (Exact.SHA, Exact.ITEM)}
    gone = same(leads, around, found.hits, scores, itself)
    for ref, other in gone.items():
        more = scores.pop(ref) - scores[other]
        del found.scores[ref]
        found.same.setdefault(other, []).append(ref)
        if more > 0:
            found.scores[other]["same"] = more
            scores[other] += more
    highest = max(scores.values(), default=0.0)
    scores |= {ref: highest for ref in best if ref in found.pins and ref in scores}
    leads = [key for key in leads if key[1] in scores]
    at = now.timestamp()
    leads.sort(key=lambda key: _order(found, key[1], at), reverse=True)
    marks = memory.index.marks.of([ref for _, ref in leads])
    for key in leads:  # so that what took a commit back does not come before it by way of it
        if key in marks:
            scores[key[1]] *= marks[key].weight
    confined = replace(filters, repos=()) != Filters()

    def admits(key: Key) -> bool:
        if confined or key[1] in gone:
            return key[1] in found.scores
        return not filters.repos or key[0] in ("", *filters.repos)

    for led in led_to(memory, asked.terms, scores, leads, around, admits):
        found.scores.setdefault(led.key[1], {})["linked"] = led.score
        found.led[led.key[1]] = led.by


def _weigh(memory: Memory, found: _Found) -> None:
    """Lift the decisions that hold over what was said about the matter, and over those whose place
    they took."""
    documents = [ref for ref in found.scores if is_item(ref) and "newest" not in found.scores[ref]]
    for ref in memory.index.marks.accepted(documents):
        shares = found.scores[ref]
        shares["authority"] = AUTHORITY * sum(shares.values())
    marks = memory.index.marks.of(documents).values()
    for mark in sorted(marks, key=lambda mark: mark.ended or 0):
        if mark.ended_by in documents:
            shares = found.scores[mark.ended_by]
            least = sum(found.scores[mark.ref].values()) * mark.weight * BEFORE
            gain = shares.get("authority", 0.0) + least - sum(shares.values())
            shares["authority"] = max(shares.get("authority", 0.0), gain)


def _repo_of(memory: Memory, found: _Found, ref: str) -> str | None:
    """The repository in which something was found; of what no arm brought, the one that has it."""
    if hits := found.hits.get(ref):
        return hits[0].repo
    if is_item(ref):
        item = memory.index.items.get(ref)
        return None if item is None else item.repo
    commits = memory.index.resolve_sha(ref)
    return commits[0].repo if commits else None


def _for_messages(memory: Memory, filters: Filters) -> Filters:
    """A message has no path: a path leaves the messages of the commits that touch it, and the
    documents that lie there."""
    if filters.path is None:
        return filters
    refs = memory.index.shas(filters)
    if filters.refs is None:  # no document is on a branch
        refs |= set(memory.index.items.at_path(filters.path, filters.repos))
    return replace(filters, path=None, refs=refs)


def _arms(
    memory: Memory, asked: Asked, of_messages: Filters, of_contexts: Filters, notes: list[str]
) -> dict[str, Search]:
    text = " ".join(asked.terms)
    arms: dict[str, Search] = {
        "message": TextSearch(Kind.MESSAGE, text, of_messages, CANDIDATES),
        "context": TextSearch(Kind.CONTEXT, text, of_contexts, CONTEXT_HITS),
    }
    if memory.embedder is not None and memory.store.serving() is not None:
        try:
            vector = memory.embedder.embed_query(asked.text)
        except EmbedderError as error:
            notes.append(f"searched by words alone: {error.message}")
        else:
            arms["vector_message"] = VectorSearch(Kind.MESSAGE, vector, of_messages, CANDIDATES)
            arms["vector_context"] = VectorSearch(Kind.CONTEXT, vector, of_contexts, CONTEXT_HITS)
    return arms


def _best_by_commit(hits: Sequence[Hit]) -> dict[str, float]:
    """Given hits best first, return the best score of each of the first CANDIDATES commits."""
    best: dict[str, float] = {}
    for hit in hits:
        if hit.ref not in best:
            if len(best) == CANDIDATES:
                break
            best[hit.ref] = hit.score
    return best


def _ranked(memory: Memory, found: _Found, now: datetime, k: int) -> list[tuple[str, Mark | None]]:
    """The best ``k`` of what was found, each with its mark."""

    def marks_of(refs: Sequence[str]) -> dict[str, Mark]:
        marks = memory.index.marks.of(refs)
        # A commit of two repositories is shown as that of the one where it was found.
        return {ref: mark for (repo, ref), mark in marks.items() if found.is_of(ref, repo)}

    at = now.timestamp()
    in_order = [(_order(found, ref, at), ref) for ref in found.scores]
    in_order.sort(key=itemgetter(0), reverse=True)
    named = {ref for ref, pin in found.pins.items() if pin.kind is Exact.SHA}
    return stand(in_order, k, marks_of, named)


def _order(found: _Found, ref: str, at: float) -> tuple[int, float]:
    kind = found.pins[ref].kind if ref in found.pins else -1
    score = sum(found.scores[ref].values())
    newest = max([hit.time for hit in found.hits.get(ref, ())], default=0)
    age = max(0.0, at - newest)
    return kind, score * (1 + RECENCY_LIFT * math.exp2(-age / HALF_LIFE))


def _passages(
    memory: Memory, found: _Found, standing: Sequence[tuple[str, Mark | None]]
) -> tuple[Passage, ...]:
    """Fetch what the ranked commits are shown by: the best chunk, and the commit's others found."""
    ranked = [ref for ref, _ in standing]
    twins = memory.index.marks.folded_into(ranked)
    leads = _called(memory, found, ranked)
    wanted: dict[str, list[str]] = {}
    for ref in ranked:
        best = sorted(found.hits.get(ref, ()), key=lambda hit: hit.kind != Kind.MESSAGE)
        ids = [hit.id for hit in _best_of_each_kind(best)]
        for twin in found.same.get(ref, ()):
            ids += [hit.id for hit in _best_of_each_kind(found.hits.get(twin, ()))]
        wanted[ref] = ids
    everything = memory.store.fetch([chunk for ids in wanted.values() for chunk in ids])
    missing = [ref for ref in ranked if not any(i in everything for i in wanted[ref])]
    messages = _messages(memory, missing) if missing else {}
    passages: list[Passage] = []
    for ref, mark in standing:
        chunks = [everything[i] for i in wanted[ref] if i in everything] or messages.get(ref, [])
        if not chunks:
            continue
        shares = found.scores[ref]
        first = _leading(chunks, shares)
        passages.append(
            Passage(
                chunk=first,
                score=sum(shares.values()) * (mark.weight if mark else 1.0),
                arms=dict(shares),
                exact=found.pins[ref].name if ref in found.pins else None,
                also=tuple(chunk for chunk in chunks if chunk.id != first.id),
                mark=mark,
                twins=tuple(twins.get((first.repo, ref), ())),
                linked_from=leads.get(found.led.get(ref, ""), ""),
            )
        )
    return tuple(passages)


def _called(memory: Memory, found: _Found, refs: Sequence[str]) -> dict[str, str]:
    """What led to some of what was found, each by its name; of a pull request and its commit, the
    pull request's."""
    leads = {found.led[ref] for ref in refs if ref in found.led}
    known = {lead: next(filter(is_item, (lead, *found.same.get(lead, ()))), lead) for lead in leads}
    names = named(memory, known.values())
    return {lead: names[ref] for lead, ref in known.items()}


def _best_of_each_kind(hits: Sequence[Hit]) -> list[Hit]:
    best: dict[str, Hit] = {}
    for hit in hits:
        key = "" if hit.kind == Kind.MESSAGE else hit.path
        if key not in best and len(best) < CHUNKS_SHOWN:
            best[key] = hit
    return list(best.values())


def _leading(chunks: Sequence[Chunk], shares: Mapping[str, float]) -> Chunk:
    """The chunk of the field that brought the commit here; the message where they tie."""
    by_message = shares.get("message", 0.0) + shares.get("vector_message", 0.0)
    by_context = shares.get("context", 0.0) + shares.get("vector_context", 0.0)
    kind = Kind.MESSAGE if by_message >= by_context else Kind.CONTEXT
    return next((chunk for chunk in chunks if chunk.kind == kind), chunks[0])


def _messages(memory: Memory, refs: Sequence[str]) -> dict[str, list[Chunk]]:
    """The message chunks of what no arm brought: their ids follow from what they hold."""
    places = ("", *(repo.id for repo in memory.index.repos()))
    items = memory.index.items.get_all([ref for ref in refs if is_item(ref)])
    path_of = {ref: item.path for ref, item in items.items()}
    ids = {chunk_id(at, ref, path_of.get(ref, ""), 0): ref for ref in refs for at in places}
    return {ids[i]: [chunk] for i, chunk in memory.store.fetch(list(ids)).items()}


def confidence_of(evidence: float, similarity: float | None, embedder: str | None) -> float:
    """Return the probability that the best candidates bear on the question.

    A logistic curve over the strength of the full-text match and, for an embedder it was fitted
    for, the best cosine similarity. Fitted on changelog lines of three public projects, asked of
    their own repository (right) and of the others (wrong): docs/recall.md.
    """
    if similarity is None or embedder not in _CALIBRATION:
        embedder, similarity = "none", 0.0
    slope, per_similarity, offset = _CALIBRATION[embedder]
    odds = slope * evidence + per_similarity * similarity + offset
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))


_CALIBRATION: Mapping[str | None, tuple[float, float, float]] = {
    "none": (3.52, 0.0, -5.91),
    "static": (2.37, 8.60, -8.47),
    "minilm": (1.89, 20.06, -15.32),
}
