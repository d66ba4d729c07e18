"""Which of a number of things belong together: those that have a key in common, or most words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

ALIKE = 0.5
"""Share of words that two texts have in common, from which on they tell of one thing."""


class Joined:
    """Sets of things, by their places, joined step by step."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def by_key(self, keys: Sequence[str]) -> None:
        """Join those with the same key; an empty one is none."""
        first: dict[str, int] = {}
        for place, key in enumerate(keys):
            if key:
                self.join(first.setdefault(key, place), place)

    def by_words(self, places: Sequence[int], words: Sequence[frozenset[str]]) -> None:
        """Join those that have most of their words in common."""
        for at, one in enumerate(places):
            for other in places[at + 1 :]:
                both = words[one] & words[other]
                if len(both) >= 2 and len(both) >= ALIKE * len(words[one] | words[other]):
                    self.join(one, other)

    def join(self, one: int, other: int) -> None:
        """Join two, and all that belongs with either."""
        one, other = self._root(one), self._root(other)
        self._parent[max(one, other)] = min(one, other)

    def sets(self) -> list[list[int]]:
        """Return what belongs together, each in order."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for place in range(len(self._parent)):
            found[self._root(place)].append(place)
        return list(found.values())

    def _root(self, place: int) -> int:
        while self._parent[place] != place:
            self._parent[place] = self._parent[self._parent[place]]
            place = self._parent[place]
        return place
