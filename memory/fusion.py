"""Fuse what several searches found into one ranking, by score and not by rank.

Each arm's scores are scaled to 0..1 within the query and summed with fixed weights. On changelog
lines asked of commit history this beats rank fusion and every single arm (docs/recall.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

WEIGHTS: Mapping[str, float] = {
    "message": 1.0,
    "context": 1.0,
    "vector_message": 0.3,
    "vector_context": 0.5,
}
"""Each arm's weight; one setting for every repository and embedder."""


def scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """Given one arm's scores, return them scaled to 0..1 (all 1.0 where they are equal)."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high <= low:
        return dict.fromkeys(scores, 1.0)
    return {key: (score - low) / (high - low) for key, score in scores.items()}


def fuse(arms: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Given each arm's scores by document, return each document's weighted shares by arm.

    A document's fused score is the sum of its shares.
    """
    shares: dict[str, dict[str, float]] = {}
    for arm, scores in arms.items():
        for key, share in scaled(scores).items():
            shares.setdefault(key, {})[arm] = WEIGHTS[arm] * share
    return shares


def text_evidence(best_message: float, best_context: float, terms: int, chunks: int) -> float:
    """Return how strongly full text matched, comparable between questions and stores.

    ``best_message`` and ``best_context`` are the best BM25 scores, ``terms`` the number of terms
    asked, ``chunks`` the number of chunks searched. BM25 grows with the number of terms matched and
    with the weight a rare term has in a collection of that size, so it is divided by the root of
    the one and by the other (of three chunks about one is a message, and as many are one field's).
    """
    if not terms or not chunks:
        return 0.0
    return (best_message + best_context) / math.sqrt(terms) / math.log(1 + chunks / 3)
