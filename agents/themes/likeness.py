"""How alike pieces of work are: by the words of their titles and the files that they touch."""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from ...memory.tokens import terms
from ..brief.grouping import scope_in
from ..brief.wording import bare_title
from ..commits.paths import role_of, stem_of
from ..subjects import without_verbs
from ..words import word_set
from .records import Evidence, EvidenceKind

Features = Mapping[str, float]
"""Weights by term."""

FILE_WEIGHT = 0.5
"""What a file counts, beside a word of a title."""
SCOPE_WEIGHT = 1.5
_MOST_FILES = 4
"""Of one piece of evidence; what touches more says little by each."""
_DIGITS = 6
"""Of a likeness: below that, the order of a sum would show."""

_KEY = re.compile(r"[#!]\d+|\b(?!UTF|ISO|RFC|PEP|CVE|SHA)[A-Z][A-Z0-9]{1,9}-[1-9]\d*\b")
_ANY_FOLDER = word_set("src lib libs pkg internal cmd app apps packages crates source main java")

_COMMON = word_set(
    "add adds added fix fixes fixed fixing update updates updated remove removes removed use uses "
    "using used make makes made support supports improve improved change changes changed new more "
    "some not all any now only also when while where test tests testing doc docs documentation code "
    "file files refs ref closes close see note notes work works better get set allow allows handle "
    "handling error errors bug issue via instead other than after before again wip try tweak tweaks "
    "minor small clean cleanup move moved rename renamed refactor default method methods function "
    "functions class type types option options argument arguments value values python same first "
    "last one two feat chore don't doesn't can't version release merge pull request show section "
    "page example examples readme index init main plugin plugins out away apart together"
)


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    return frozenset(term for word in _COMMON for term in terms(word))


@lru_cache(maxsize=1 << 14)
def words_in(title: str) -> tuple[str, ...]:
    """Return the terms of a title that tell what it is about, stems in its order."""
    return tuple(
        term
        for term in terms(_KEY.sub(" ", bare_title(title)))
        if len(term) > 2 and not term.isdigit() and term not in _common()
    )


def topics_in(title: str) -> tuple[str, ...]:
    """Return the same without the verbs: that two things were laid out makes them no more alike."""
    return words_in(without_verbs(bare_title(title)))


def features(evidence: Sequence[Evidence], area_weight: float = 0.0) -> Features:
    """Return what a piece of work is about: the terms of its titles, its scopes and its files; the
    part of the project that it is in with a weight."""
    found: defaultdict[str, float] = defaultdict(float)
    for each in evidence:
        is_test = each.kind is EvidenceKind.TEST
        title = each.title.rpartition("::")[2] if is_test else each.title
        for term in dict.fromkeys(topics_in(title)):
            found[term] += 0.5 if is_test else 1.0
        scope = scope_in(each.title)
        if scope:
            found[f"scope {scope}"] += SCOPE_WEIGHT
        telling = [path for path in each.paths if role_of(path) in ("code", "test", "docs")]
        for path in telling[:_MOST_FILES]:
            found[f"file {_stem(path)}"] += FILE_WEIGHT
    area = area_in(evidence)
    if area and area_weight:
        found[f"area {area}"] += area_weight
    return found


def area_in(evidence: Sequence[Evidence]) -> str:
    """Return the part of the project that a piece of work is in, mostly: its folder below those
    that every project has; empty where its code lies at the top."""
    counts: Counter[str] = Counter()
    for each in evidence:
        for path in each.paths[:_MOST_FILES]:
            if role_of(path) == "code":
                folders = [part for part in path.split("/")[:-1] if part not in _ANY_FOLDER]
                counts[folders[0].lower() if folders else ""] += 1
    return max(sorted(counts), key=lambda area: counts[area], default="")


def _stem(path: str) -> str:
    return stem_of(path).lower().strip("_").removeprefix("test_").removesuffix("_test")


def cluster(
    pieces: Sequence[Features], sizes: Sequence[float], least: float, largest: float
) -> list[list[int]]:
    """Given pieces of work, put the most alike together, again and again, while they are ``least``
    alike (cosine of weighted terms, 0..1) and make no more than the share ``largest`` of all.

    A term weighs by how few pieces have it, log(N / n), as in tf-idf: Spärck Jones, "A statistical
    interpretation of term specificity", Journal of Documentation 28 (1972). Return places, in order.
    """
    weighted, alone = _weighted(pieces)
    vectors: list[dict[str, float] | None] = [*weighted]
    lengths = [_length(*each) for each in zip(weighted, alone, strict=True)]
    members = [[place] for place in range(len(pieces))]
    total = sum(sizes)
    weights = list(sizes)
    waiting: list[tuple[float, int, int]] = []

    def compare(one: int, other: int) -> None:
        first, second = vectors[one], vectors[other]
        if first is None or second is None or first.keys().isdisjoint(second):
            return
        if weights[one] + weights[other] > largest * total:
            return
        both = lengths[one] * lengths[other]
        alike = round(_product(first, second) / both, _DIGITS) if both else 0.0
        if alike >= least:
            heapq.heappush(waiting, (-alike, one, other))

    for one in range(len(pieces)):
        for other in range(one + 1, len(pieces)):
            compare(one, other)
    while waiting:
        _, one, other = heapq.heappop(waiting)
        first, second = vectors[one], vectors[other]
        if first is None or second is None:
            continue
        vectors[one] = vectors[other] = None
        joined = {
            term: first.get(term, 0.0) + second.get(term, 0.0)
            for term in sorted(first.keys() | second.keys())
        }
        vectors.append(joined)
        alone.append(alone[one] + alone[other])
        lengths.append(_length(joined, alone[-1]))
        members.append(sorted(members[one] + members[other]))
        weights.append(weights[one] + weights[other])
        for place in range(len(vectors) - 1):
            compare(place, len(vectors) - 1)
    return sorted(members[place] for place, vector in enumerate(vectors) if vector is not None)


def _weighted(pieces: Sequence[Features]) -> tuple[list[dict[str, float]], list[float]]:
    """Return the weights of the terms that several pieces have, and of each piece the sum of the
    squares of the others: they make nothing alike, but make it less so."""
    counts = Counter(term for piece in pieces for term in piece)
    many = len(pieces)
    shared: list[dict[str, float]] = []
    alone: list[float] = []
    for piece in pieces:
        weights = {
            term: (1 + math.log(weight) if weight > 1 else weight) * math.log(many / counts[term])
            for term, weight in sorted(piece.items())
        }
        shared.append({term: weight for term, weight in weights.items() if counts[term] > 1})
        alone.append(sum(w * w for term, w in weights.items() if counts[term] == 1))
    return shared, alone


def _length(vector: Mapping[str, float], alone: float) -> float:
    return math.sqrt(alone + sum(weight * weight for weight in vector.values()))


def _product(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    if len(other) < len(one):
        one, other = other, one
    return sum(weight * other[term] for term, weight in one.items() if term in other)
