"""One step on from what a search found: what the best of it leads to, and bears on the question too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from .links import Neighbour
from .marks import Key
from .memory import Memory
from .records import chunk_id, is_item
from .standing import short
from .tokens import terms

LEADS = 5
"""Of what was found, so many of the best are followed."""
NEAR_THE_BEST = 0.5
"""Share of the best score from which something found is followed."""
LINKED = 0.6
"""Share of the score of what leads there that a neighbour gains, if all that was asked for is in it."""
CEILING = 0.95
"""Share of the score of what leads there up to which a neighbour is lifted."""
LEAST_COVERED = 0.25
"""Share of the question's terms that a neighbour has to hold to count."""
_READ = 4_000
"""Characters of a text in which the question's words are looked for."""
_MOST = 40
"""Neighbours looked at; more are a list of something, and no discussion of it."""


@dataclass(frozen=True, slots=True)
class Led:
    """What a neighbour gains by being one."""

    key: Key
    score: float
    by: str
    """The reference of what led there."""


def led_to(
    memory: Memory,
    asked: Sequence[str],
    scores: Mapping[str, float],
    leads: Sequence[Key],
    around: Mapping[Key, Sequence[Neighbour]],
    admits: Callable[[Key], bool],
) -> list[Led]:
    """Return what the best of what was found leads to, with what it gains.

    ``asked``: the question's terms. ``scores``: of everything that was found, by reference.
    ``leads``: the best of it, best first, and what is ``around`` them. ``admits``: whether a neighbour may be shown at all.
    Each gains by the one lead that gives it most.
    """
    least = NEAR_THE_BEST * max((scores[ref] for _, ref in leads), default=0.0)
    followed = [key for key in leads if scores[key[1]] >= least > 0][:LEADS]
    if not followed or not asked:
        return []
    by: dict[Key, list[str]] = {}
    for lead in followed:
        for near in around.get(lead, ()):
            if admits(near.key):
                by.setdefault(near.key, []).append(lead[1])
    some = dict(list(by.items())[:_MOST])
    covered = _covered(memory, some, set(asked))
    gains: list[Led] = []
    for key, refs in some.items():
        share = covered.get(key, 0.0)
        if share < LEAST_COVERED:
            continue
        by_ref = max(refs, key=lambda ref: scores[ref])
        has = scores.get(key[1], 0.0)
        gain = min(LINKED * share * scores[by_ref], CEILING * scores[by_ref] - has)
        if gain > 0:
            gains.append(Led(key, gain, by_ref))
    return gains


def named(memory: Memory, refs: Iterable[str]) -> dict[str, str]:
    """Return what people call commits and items: ``#482``, ``3f2a9c1e0d``, a discussion's title."""
    wanted = set(refs)
    items = memory.index.items.get_all([ref for ref in wanted if is_item(ref)])
    return {
        ref: items[ref].key or items[ref].title if ref in items else short(ref) for ref in wanted
    }


def _covered(memory: Memory, keys: Iterable[Key], asked: set[str]) -> dict[Key, float]:
    """Return the share of the question's terms that each of some commits and items holds."""
    wanted = list(keys)
    items = memory.index.items.get_all([ref for _, ref in wanted if is_item(ref)])
    texts = {
        (item.repo, ref): f"{item.key} {item.title}\n{item.text[:_READ]}"
        for ref, item in items.items()
    }
    commits = {chunk_id(*key, "", 0): key for key in wanted if not is_item(key[1])}
    for chunk, text in memory.store.texts(commits).items():
        texts[commits[chunk]] = text[:_READ]
    return {key: len(asked.intersection(terms(text))) / len(asked) for key, text in texts.items()}
