"""What is sought for the proof, in the forms in which a file may have it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, Self
from urllib.parse import quote

from ..memory.forgetting_rules import words

AROUND = 4
"""Bytes beside a needle by which one place of it is told from another."""
TELLING = 6
"""A form of so many bytes stands in bytes that are no text only because it was written there."""


class Around(NamedTuple):
    """A needle with what stands beside it, in small letters."""

    before: bytes
    needle: bytes
    after: bytes

    @classmethod
    def of(cls, data: bytes, begin: int, end: int) -> Self:
        """Given bytes and where in them the needle is, return it with what stands beside it."""
        low = data.lower()
        return cls(low[max(begin - AROUND, 0) : begin], low[begin:end], low[end : end + AROUND])


class Surroundings:
    """How needles stand in what is rightly there."""

    def __init__(self, around: Iterable[Around] = ()) -> None:
        self.all = set(around)
        self._grouped: dict[bytes, dict[tuple[int, int], set[tuple[bytes, bytes]]]] = {}
        self._count = 0

    def hold(self, found: Around) -> bool:
        """Say whether a place in bytes is one of those, or as much of one as its page has."""
        if self._count != len(self.all):
            self._group()
        lengths = self._grouped.get(found.needle, {})
        for (before, after), known in lengths.items():
            told = (found.before[len(found.before) - before :], found.after[:after])
            if before <= len(found.before) and after <= len(found.after) and told in known:
                return True
        # Where a page ends, the rest of the value lies elsewhere.
        return any(
            (before.endswith(found.before) or found.before.endswith(before))
            and (after.startswith(found.after) or found.after.startswith(after))
            for known in lengths.values()
            for before, after in known
            if len(before) > len(found.before) or len(after) > len(found.after)
        )

    def _group(self) -> None:
        self._grouped = {}
        for before, needle, after in self.all:
            of = self._grouped.setdefault(needle, {})
            of.setdefault((len(before), len(after)), set()).add((before, after))
        self._count = len(self.all)


class Needles:
    """What is sought. Case does not matter."""

    def __init__(self, sought: Iterable[str]) -> None:
        self.sought = tuple(sought)
        forms: set[bytes] = set()
        patterns: set[str] = set()
        for text in self.sought:
            for form in (text, text.replace("@", "%40"), json.dumps(text)[1:-1], quote(text)):
                forms |= {form.encode(), form.casefold().encode(), form.upper().encode()}
                forms.add(form.encode("utf-16-le"))
            parts = words(text)
            if len(parts) > 1 and "/" not in text and "@" not in text:
                patterns.add(r"[\s\xa0]+".join(map(re.escape, parts)))
        within = rf"(?<![^\W_])(?:{'|'.join(sorted(patterns))})(?![^\W_])"
        self._text = re.compile(within, re.IGNORECASE) if patterns else None
        self._lower = {form.lower() for form in forms}
        self.pattern = "|".join(
            r"\s+".join(map(re.escape, text.split())) for text in sorted(set(self.sought))
        )
        """Finds, whatever its case, all that may hold one; for Python and RE2."""

    def may_be_in(self, data: bytes) -> bool:
        """Say whether any is in these bytes, be it as part of a longer word."""
        lower = data.lower()
        return any(form in lower for form in self._lower)

    def are_in(self, data: bytes) -> bool:
        """Say whether any is in these bytes, as a word of its own."""
        forms = self._within(data)
        return bool(forms) and any(pattern.search(data) for pattern in _as_words(forms))

    def are_in_text(self, text: str) -> bool:
        """Say whether any is in this text, also where its words are set apart otherwise."""
        if self._text is not None and self._text.search(text):
            return True
        return self.are_in(text.encode("utf-8", "surrogatepass"))

    def places(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield where in bytes any is, whatever stands beside it; a short one only as a word of its
        own: chance would have it there."""
        forms = self._within(data)
        if not forms:
            return
        telling = frozenset(form for form in forms if len(form) >= TELLING)
        for found in _anywhere(telling).finditer(data) if telling else ():
            yield found.span()
        for found in _as_words(forms)[0].finditer(data):
            yield found.span()

    def note(self, text: str, known: Surroundings) -> None:
        """Note how they stand in a text that is rightly there."""
        data = text.encode("utf-8", "surrogatepass")
        if self.may_be_in(data):
            known.all |= {Around.of(data, begin, end) for begin, end in self.places(data)}

    def _within(self, data: bytes) -> frozenset[bytes]:
        """Return the forms that are in these bytes. Looking for each is far faster than one pattern
        of all of them, which asks at every byte for every form."""
        lower = data.lower()
        return frozenset(form for form in self._lower if form in lower)


@lru_cache(maxsize=256)
def _as_words(forms: frozenset[bytes]) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Return what finds any of them as a word of its own, and behind an escaped line end. A longer
    word that holds one is another word: Jo Roe is not Jo Roebuck."""
    told = _any_of(forms)
    bounded = rb"(?<![0-9A-Za-z])(?:" + told + rb")(?![0-9A-Za-z])"
    escaped = rb"\\[nrt](?:" + told + rb")(?![0-9A-Za-z])"
    return re.compile(bounded, re.IGNORECASE), re.compile(escaped, re.IGNORECASE)


@lru_cache(maxsize=256)
def _anywhere(forms: frozenset[bytes]) -> re.Pattern[bytes]:
    return re.compile(_any_of(forms), re.IGNORECASE)


def _any_of(forms: Iterable[bytes]) -> bytes:
    escaped = sorted({re.escape(form) for form in forms}, key=lambda form: (-len(form), form))
    return b"|".join(escaped) or b"(?!)"  # nothing is found where nothing is sought
