"""Recall: given a question, find the passages of memory that bear on it, or say that none does.

Four arms (full text and vectors, of messages and of contexts) are fused by commit. What the
question names to the letter (a sha, a ticket, a symbol) comes first. See docs/recall.md.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime

from .fusion import fuse, text_evidence
from .hints import Hints, read_hints
from .hits import Hit
from .memory import Memory
from .records import Chunk, Commit, Filters, Kind, Passage, Recollection, chunk_id
from .tokens import symbols, terms

CANDIDATES = 200
"""Commits each arm brings to the fusion."""
CONTEXT_HITS = 3 * CANDIDATES
"""Chunks asked of a context arm: a commit has several, and counts by its best."""
FLOOR = 0.5
"""Confidence under which nothing counts as relevant."""
MAX_QUESTION = 2_000
"""Characters of a question that are searched; the rest only dilutes it."""
SYMBOL_LIFT = 0.05
RECENCY_LIFT = 0.05
"""Share of the score that a commit of today gains over one from long ago: it decides ties."""
HALF_LIFE = 180 * 86_400
"""Seconds after which half the recency lift is left."""

_SHA = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b", re.IGNORECASE)
_TICKET = re.compile(r"(?<![\w&])#\d{1,7}\b|\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b")
_OPEN_ENDED = re.compile(r"\s*(?:what|who|show|tell|list|summari[sz]e)\b", re.IGNORECASE)
_QUOTED = re.compile(r"`([^`]+)`")

_FILLER = frozenset(
    terms(
        "happen happened change changed new news recent recently latest lately work "
        "worked done going commit commits update updated everything anything something stuff things us "
        "me tell show list summarize summary"
    )
)
"""Words that ask without saying about what."""
_RECENT = "recent"

_pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="recall")
Arms = dict[str, list[Hit]]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, taken apart."""

    terms: list[str]
    symbols: list[str]
    text: str
    """Without the words that were hints; what is embedded."""
    pins_symbols: bool
    """Whether it asks for its symbols alone, so that their exact matches come first."""


def recall(
    memory: Memory,
    question: str,
    filters: Filters | None = None,
    k: int = 8,
    *,
    now: datetime | None = None,
) -> Recollection:
    """Given a question, return up to ``k`` passages, one for each commit, best first.

    ``now`` is local wall-clock time. When, who and where are read from the question's words unless
    ``filters`` already says them; where such a hint leaves nothing, the search is done without it
    and a note says so.
    """
    filters = filters or Filters()
    now = now or datetime.now()
    question = question[:MAX_QUESTION]
    hints = read_hints(question, _known_authors(memory, filters), now)
    narrowed, said = _narrow(filters, hints)
    notes: list[str] = []
    asked = _take_apart(hints.rest, narrowed=bool(said))
    found = _search(memory, asked, narrowed, question)
    if not found.scores and said:
        notes.append(f"nothing matches {_spoken(said)}; searched without that")
        said, narrowed = {}, filters
        asked = _take_apart(question)
        found = _search(memory, asked, narrowed, question)
    ranked = sorted(found.scores, key=lambda ref: _order(found, ref, now), reverse=True)[:k]
    passages = _passages(memory, found, ranked)
    exact = any(passage.exact for passage in passages)
    confidence = 1.0 if exact else found.confidence
    return Recollection(
        passages=passages,
        confidence=confidence,
        relevant=bool(passages) and confidence >= FLOOR,
        hints=said,
        notes=(*notes, *found.notes),
    )


@dataclass(slots=True)
class _Found:
    """What the arms brought, by commit."""

    scores: dict[str, dict[str, float]]
    hits: dict[str, list[Hit]]
    """Each commit's hits, best first."""
    pinned: dict[str, tuple[int, str]]
    """Commits that match something to the letter: (rank of that kind of match, what)."""
    confidence: float
    notes: list[str]


def _take_apart(text: str, *, narrowed: bool = False) -> _Asked:
    unique = [term for term in dict.fromkeys(terms(text)) if term != _RECENT]
    if (narrowed or _OPEN_ENDED.match(text)) and _FILLER.issuperset(unique):
        unique = []
    named = symbols(text)
    quoted = [word for part in _QUOTED.findall(text) for word in symbols(part) or terms(part)[:1]]
    covered = {term for name in named for term in terms(name)}
    prose = [term for term in unique if term not in covered]
    return _Asked(
        terms=unique,
        symbols=list(dict.fromkeys([*named, *quoted])),
        text=text,
        pins_symbols=bool(quoted) or (bool(named) and len(prose) <= 3),
    )


def _search(memory: Memory, asked: _Asked, filters: Filters, question: str) -> _Found:
    pinned = _exact_commits(memory, question, filters)
    if not asked.terms:
        return _newest(memory, filters, pinned, asked_for=bool(terms(question)))
    arms = _run_arms(memory, asked, filters)
    by_commit = {arm: _best_by_commit(hits) for arm, hits in arms.items()}
    scores = fuse(by_commit)
    hits: dict[str, list[Hit]] = {}
    for arm_hits in arms.values():
        for hit in arm_hits:
            if hit.ref in scores:
                hits.setdefault(hit.ref, []).append(hit)
    _lift_symbols(memory, asked, filters, scores, hits, pinned)
    for ref in pinned:
        scores.setdefault(ref, {})
    evidence = text_evidence(
        max(by_commit["message"].values(), default=0.0),
        max(by_commit["context"].values(), default=0.0),
        len(asked.terms),
        memory.store.count_chunks(),
    )
    similarity = max(
        (
            score
            for arm in ("vector_message", "vector_context")
            for score in by_commit[arm].values()
        ),
        default=None,
    )
    embedder = memory.embedder.name if memory.embedder else None
    return _Found(scores, hits, pinned, confidence_of(evidence, similarity, embedder), [])


def _run_arms(memory: Memory, asked: _Asked, filters: Filters) -> Arms:
    text = " ".join(asked.terms)
    store = memory.store
    of_messages = _for_messages(memory, filters)
    jobs: dict[str, Callable[[], list[Hit]]] = {
        "message": lambda: store.search_text(Kind.MESSAGE, text, of_messages, CANDIDATES),
        "context": lambda: store.search_text(Kind.CONTEXT, text, filters, CONTEXT_HITS),
        "vector_message": list,
        "vector_context": list,
    }
    if memory.embedder is not None and store.count_vectors():
        vector = memory.embedder.embed_query(asked.text)
        jobs["vector_message"] = lambda: store.search_vectors(
            Kind.MESSAGE, vector, of_messages, CANDIDATES
        )
        jobs["vector_context"] = lambda: store.search_vectors(
            Kind.CONTEXT, vector, filters, CONTEXT_HITS
        )
    running = {arm: _pool.submit(job) for arm, job in jobs.items()}
    return {arm: future.result() for arm, future in running.items()}


def _for_messages(memory: Memory, filters: Filters) -> Filters:
    """A message has no path: a path leaves the messages of the commits that touch it."""
    if filters.path is None:
        return filters
    return replace(filters, path=None, refs=memory.index.shas(filters))


def _best_by_commit(hits: Sequence[Hit]) -> dict[str, float]:
    """Given hits best first, return the best score of each of the first CANDIDATES commits."""
    best: dict[str, float] = {}
    for hit in hits:
        if hit.ref not in best:
            if len(best) == CANDIDATES:
                break
            best[hit.ref] = hit.score
    return best


def _exact_commits(memory: Memory, question: str, filters: Filters) -> dict[str, tuple[int, str]]:
    """Return the commits whose sha or ticket the question names, inside the filters."""
    pinned: dict[str, tuple[int, str]] = {}
    for sha in _SHA.findall(question):
        for commit in memory.index.resolve_sha(sha.lower(), filters.repos):
            if _admits(filters, commit):
                pinned.setdefault(commit.sha, (2, sha))
    for ticket in _TICKET.findall(question):
        for commit in memory.index.commits_by_ticket(ticket, filters.repos):
            if _admits(filters, commit):
                pinned.setdefault(commit.sha, (1, ticket))
    return pinned


def _admits(filters: Filters, commit: Commit) -> bool:
    who = f"{commit.author} {commit.email}".casefold()
    return (
        (filters.author is None or filters.author.casefold() in who)
        and (filters.since is None or commit.time >= filters.since)
        and (filters.until is None or commit.time <= filters.until)
        and (filters.refs is None or commit.sha in filters.refs)
    )


def _lift_symbols(
    memory: Memory,
    asked: _Asked,
    filters: Filters,
    scores: dict[str, dict[str, float]],
    hits: dict[str, list[Hit]],
    pinned: dict[str, tuple[int, str]],
) -> None:
    """Lift, or pin where the question is little else, the commits that hold a named symbol."""
    fields = ((Kind.MESSAGE, _for_messages(memory, filters)), (Kind.CONTEXT, filters))
    for symbol in asked.symbols[:4]:
        for kind, confined in fields:
            for hit in memory.store.search_text(kind, symbol, confined, CANDIDATES):
                shares = scores.setdefault(hit.ref, {})
                shares["symbol"] = max(shares.get("symbol", 0.0), SYMBOL_LIFT)
                hits.setdefault(hit.ref, []).append(hit)
                if asked.pins_symbols:
                    pinned.setdefault(hit.ref, (0, symbol))


def _newest(
    memory: Memory, filters: Filters, pinned: dict[str, tuple[int, str]], *, asked_for: bool
) -> _Found:
    """A question without a subject ("what happened last week?") asks for what is newest."""
    commits = memory.index.newest(filters, CANDIDATES) if asked_for else []
    scores: dict[str, dict[str, float]] = {
        commit.sha: {"newest": 1.0 - n / (len(commits) + 1)} for n, commit in enumerate(commits)
    }
    for ref in pinned:
        scores.setdefault(ref, {})
    return _Found(scores, {}, pinned, 1.0 if commits else 0.0, [])


def _order(found: _Found, ref: str, now: datetime) -> tuple[int, float]:
    kind = found.pinned[ref][0] if ref in found.pinned else -1
    score = sum(found.scores[ref].values())
    newest = max((hit.time for hit in found.hits.get(ref, ())), default=0)
    age = max(0.0, now.timestamp() - newest)
    return kind, score * (1 + RECENCY_LIFT * math.exp2(-age / HALF_LIFE))


def _passages(memory: Memory, found: _Found, ranked: Sequence[str]) -> tuple[Passage, ...]:
    """Fetch what the ranked commits are shown by: the best chunk, and the commit's others found."""
    wanted: dict[str, list[str]] = {}
    for ref in ranked:
        best = sorted(found.hits.get(ref, ()), key=lambda hit: hit.kind != Kind.MESSAGE)
        ids = [hit.id for hit in _best_of_each_kind(best)]
        wanted[ref] = ids
    everything = memory.store.fetch([chunk for ids in wanted.values() for chunk in ids])
    missing = [ref for ref in ranked if not any(i in everything for i in wanted[ref])]
    messages = _messages(memory, missing) if missing else {}
    passages: list[Passage] = []
    for ref in ranked:
        chunks = [everything[i] for i in wanted[ref] if i in everything] or messages.get(ref, [])
        if not chunks:
            continue
        shares = found.scores[ref]
        first = _leading(chunks, shares)
        passages.append(
            Passage(
                chunk=first,
                score=sum(shares.values()),
                arms=dict(shares),
                exact=found.pinned[ref][1] if ref in found.pinned else None,
                also=tuple(chunk for chunk in chunks if chunk.id != first.id),
            )
        )
    return tuple(passages)


def _best_of_each_kind(hits: Sequence[Hit]) -> list[Hit]:
    best: dict[str, Hit] = {}
    for hit in hits:
        key = "" if hit.kind == Kind.MESSAGE else hit.path
        if key not in best and len(best) < 3:
            best[key] = hit
    return list(best.values())


def _leading(chunks: Sequence[Chunk], shares: Mapping[str, float]) -> Chunk:
    """The chunk of the field that brought the commit here; the message where they tie."""
    by_message = shares.get("message", 0.0) + shares.get("vector_message", 0.0)
    by_context = shares.get("context", 0.0) + shares.get("vector_context", 0.0)
    kind = Kind.MESSAGE if by_message >= by_context else Kind.CONTEXT
    return next((chunk for chunk in chunks if chunk.kind == kind), chunks[0])


def _messages(memory: Memory, refs: Sequence[str]) -> dict[str, list[Chunk]]:
    """The message chunks of commits that no arm brought: their ids follow from what they hold."""
    ids = {chunk_id(repo.id, ref, "", 0): ref for ref in refs for repo in memory.index.repos()}
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


def _known_authors(memory: Memory, filters: Filters) -> Callable[[], list[tuple[str, str]]]:
    return lambda: [(who.name, who.email) for who in memory.index.authors(filters.repos)]


def _narrow(filters: Filters, hints: Hints) -> tuple[Filters, dict[str, str]]:
    """Fill what the filters leave open from the hints; also return what was taken, as words."""
    said: dict[str, str] = {}
    if hints.author and filters.author is None:
        filters = replace(filters, author=hints.author)
        said["author"] = hints.author
    if hints.span and filters.since is None and filters.until is None:
        until = hints.span.until
        filters = replace(
            filters, since=hints.span.since, until=until - 1 if until is not None else None
        )
        said["when"] = hints.span.words
    return filters, said


def _spoken(said: Mapping[str, str]) -> str:
    return " and ".join(f"{what} “{words}”" for what, words in said.items())
