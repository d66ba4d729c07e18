"""Which side each opinion is on. Pure; the order of opinions does not matter.

Of a judgment the sides are the votes. Of a choice they are its options: read from the position, and
where that is vague from the reasons. Of an open question they are positions that say the same in
other words (complete linkage over shared terms: everybody on a side is near everybody on it).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...memory.tokens import terms
from ..words import word_set
from .leaning import UNCLEAR, is_vague, leaning
from .records import Kind, Opinion, Placement, Vote

ALIKE = 0.6
"""Share of the shorter position's terms that the other must have too."""
OTHER_HEAD = 0.3
"""Taken off where the first terms differ: ``Redis`` against ``Postgres with Redis``."""
LONGEST_LABEL = 80
"""Characters of a position that names a side."""

_FILLER = word_set(
    "use using choose pick take adopt prefer go with recommend should would we i it the a my position yes no option best better "
    "suggest think keep nehmen verwenden sollten sollte wir ich man die der das ein eine für mit und "
    "utiliser prendre nous il faut on le la les un une pour avec et usar elegir debemos el los las con y para"
)
_NOT = word_set(
    "not no never don't avoid without against nicht kein keine nie ohne pas jamais sans ne nunca sin evitar"
)


def place(
    opinions: Sequence[Opinion], kind: Kind, options: Sequence[str] = ()
) -> tuple[Placement, ...]:
    """Return the side of each opinion that is no abstention, by seat and round."""
    counted = [one for one in opinions if one.vote is not Vote.ABSTAIN]
    if kind is Kind.JUDGMENT:
        placed = [_placed(one, str(one.vote), "vote") for one in counted]
    elif options:
        placed = [_by_option(one, options) for one in counted]
    else:
        placed = _by_likeness(counted)
    return tuple(sorted(placed, key=lambda one: (one.round, one.seat, one.side)))


def _placed(opinion: Opinion, side: str, how: str) -> Placement:
    return Placement(opinion.juror.seat, opinion.round, side, how if side else "unclear")


def _by_option(opinion: Opinion, options: Sequence[str]) -> Placement:
    if side := leaning(opinion.position, options):
        return _placed(opinion, side, "position")
    if side := leaning(opinion.decision, options):
        return _placed(opinion, side, "reasons")
    leanings = Counter(leaning(text, options) for text in (opinion.insight, *opinion.reasons))
    del leanings[UNCLEAR]
    ranked = leanings.most_common(2)
    if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]):
        return _placed(opinion, ranked[0][0], "reasons")
    return _placed(opinion, UNCLEAR, "unclear")


def _by_likeness(opinions: Sequence[Opinion]) -> list[Placement]:
    """Group positions; an opinion whose position is vague is read by its decision and insight."""
    texts: list[tuple[Opinion, str, str]] = []
    placed: list[Placement] = []
    for one in opinions:
        if not is_vague(one.position) and _said(one.position)[0]:
            texts.append((one, one.position, "position"))
        elif text := next((t for t in (one.decision, one.insight) if not is_vague(t)), ""):
            texts.append((one, text, "reasons"))
        else:
            placed.append(_placed(one, UNCLEAR, "unclear"))
    labels = _groups(sorted({" ".join(text.split()) for _, text, _ in texts}))
    for one, text, how in texts:
        placed.append(_placed(one, labels[" ".join(text.split())], how))
    return placed


def _groups(texts: Sequence[str]) -> dict[str, str]:
    """Return the label of each text: the shortest one of those that say the same."""
    said = {text: _said(text) for text in texts}
    groups = [[text] for text in texts]
    while True:
        nearest = max(
            (
                (min(_likeness(said[a], said[b]) for a in one for b in other), -i, -j)
                for i, one in enumerate(groups)
                for j, other in enumerate(groups[i + 1 :], i + 1)
            ),
            default=(0.0, 0, 0),
        )
        if nearest[0] < ALIKE:
            break
        _, first, second = nearest
        groups[-first] += groups.pop(-second)
    labels: dict[str, str] = {}
    for group in groups:
        label = min(group, key=lambda text: (len(text), text)).rstrip(".!")
        if len(label) > LONGEST_LABEL:
            label = f"{label[: LONGEST_LABEL - 1].rstrip()}…"
        labels.update(dict.fromkeys(group, label))
    return labels


def _said(text: str) -> tuple[tuple[str, ...], bool]:
    """Return the terms of a position in order, and whether it turns something down."""
    words = text.replace("’", "'").lower().split()
    plain = " ".join(word for word in words if word.strip(".,;:!?()\"'") not in _FILLER)
    negated = any(word.strip('.,;:!?()"') in _NOT for word in words)
    kept = " ".join(word for word in plain.split() if word.strip('.,;:!?()"') not in _NOT)
    return tuple(dict.fromkeys(terms(kept))), negated


def _likeness(one: tuple[tuple[str, ...], bool], other: tuple[tuple[str, ...], bool]) -> float:
    """Overlap coefficient (Szymkiewicz and Simpson) of two positions, 0..1."""
    (mine, negated), (theirs, also_negated) = one, other
    if negated != also_negated or not mine or not theirs:
        return 0.0
    shared = len(set(mine) & set(theirs)) / min(len(set(mine)), len(set(theirs)))
    return shared - (OTHER_HEAD if mine[0] != theirs[0] else 0.0)
