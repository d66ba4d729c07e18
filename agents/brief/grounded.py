"""What a model's sentence about a fact may not do: say anything that the fact does not.

It may leave words out and put function words in. Names and numbers stay in the order in which the
fact has them, a number stays with what it counts, and a "not" stays: with the same words that is
what could still turn a fact round. What reviewers said of a pull request stays as well, in its order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ..commits.grounding import gives_orders
from ..commits.mentions import Mention, mentions
from .columns import harmless
from .records import Fact

SHORTEST = 8
LONGEST = 180
"""Characters of a sentence."""
_LONGER = 20
"""Characters by which it may be longer than the fact's own."""

_FUNCTION_TEXT = """
    a an and are as at be been being but by can did do does for from had has have here in into is it its
    of on or over that the their them there these they this those through to too under up was were
    which who whose will with within you your yours yourself also while where about
"""
_NEGATION_TEXT = "no not never none nothing nobody neither nor without cannot"
FUNCTION = frozenset(_FUNCTION_TEXT.split())
_NEGATIONS = frozenset(_NEGATION_TEXT.split())
_REACH = 3
"""Words after a number among which the thing is that it counts."""
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ENDS = re.compile(r"\b(?:asks?|changes|approved|failed|merged|assigned|waits)\b")
_TOKEN = re.compile(r"[^\s,;!?\"“”()\[\]]*[^\W_]")
_WORD = re.compile(r"[^\W\d_]+")
_ENDINGS = ("ings", "ing", "ies", "ied", "es", "ed", "s", "y", "e")


def problems(said: str, fact: Fact) -> list[str]:
    """Return what is wrong with a sentence about a fact, each in a few words; empty: it may stand."""
    text = said.strip()
    if text != harmless(text) or "`" in text or "**" in text or "http" in text:
        return ["it is not one line of plain text"]
    if not SHORTEST <= len(text) <= max(SHORTEST, min(LONGEST, len(fact.text) + _LONGER)):
        return [f"it has {len(text)} characters"]
    if gives_orders(text):
        return ["it gives orders"]
    known = _Known(fact.text, " ".join(each.text for each in fact.references))
    return known.foreign(text) or list(known.turned(text)) or _unsaid(text, fact)


def _unsaid(text: str, fact: Fact) -> list[str]:
    """Return whether a sentence about a pull request leaves out what became of it, or of whose doing
    that was: with the words in another order, who approved it would be who asked for changes."""
    about = any(each.kind in ("pull", "ticket") for each in fact.references)
    if about and _ENDS.findall(text.lower()) != _ENDS.findall(fact.text.lower()):
        return ["what became of it is gone, or in another order"]
    return []


def foreign(said: str, facts: str) -> list[str]:
    """Return the names, numbers and words of a text that some facts do not have, each in a few
    words; and whether it says "not" where they never do."""
    found = _Known(facts, "").foreign(said)
    if not found and _negations(said) and not _negations(facts):
        return ["a 'not' is new"]
    return found


class _Known:
    """What one fact, or several, say: to look things up in."""

    def __init__(self, said: str, references: str) -> None:
        self._said = said
        self._all = f"{said} {references}"
        self._tokens = [_plain(token) for token in _TOKEN.findall(self._all)]
        self._stems = {_stem(word) for word in _words(self._all)}
        self._numbers = {one.text for one in mentions(self._all) if one.sort == "number"}

    def foreign(self, text: str) -> list[str]:
        """Return what is not in the fact, each in a few words."""
        found = [f"{one.text!r} is not in the fact" for one in mentions(text) if not self.has(one)]
        found += [f"{w!r} is not in the fact" for w in _words(text) if not self.has_word(w)]
        return list(dict.fromkeys(found))

    def has(self, mention: Mention) -> bool:
        text = mention.text.lower()
        if mention.sort == "sha":
            return len(text) >= 7 and any(token.startswith(text) for token in self._tokens)
        return re.search(rf"(?<![\w]){re.escape(text)}(?![\w])", self._all.lower()) is not None

    def has_word(self, word: str) -> bool:
        if word in FUNCTION or word in _NEGATIONS or _stem(word) in self._stems:
            return True
        return word in _NUMBERS and str(_NUMBERS.index(word)) in self._numbers

    def turned(self, text: str) -> Iterator[str]:
        """Yield what says something else with the same words."""
        if _negations(text) != _negations(self._said):
            yield "a 'not' is gone, or new"
        names = _names(text)
        several = len({token for token in self._tokens if token.isdigit()}) > 1
        place = 0
        for name in names if several else [name for name in names if not name.isdigit()]:
            if name not in self._tokens[place:]:
                where = "stands in another place than" if name in self._tokens else "is not"
                yield f"{name!r} {where} in the fact"
                return
            place = self._tokens.index(name, place) + 1
        if not _counted(text, 1) <= _counted(self._all, _REACH):
            yield "a number counts something else"
        own = set(_names(self._said))
        if len(own & set(names)) * 2 < len(own):
            yield "most of the fact's names and numbers are gone"


def _words(text: str) -> list[str]:
    """Return words that are no part of a name, in small letters."""
    words: list[str] = []
    for token in _TOKEN.findall(text):
        if _is_name(token) and not token.isalpha():
            continue
        words += [word.lower() for word in _WORD.findall(token.partition("'")[0])]
    return words


def _is_name(token: str) -> bool:
    return any(c.isdigit() or c in "_/.#@" for c in token) or any(c.isupper() for c in token[1:])


def _names(text: str) -> list[str]:
    """Return names and numbers in their order; a capital at the beginning makes none."""
    found: list[str] = []
    for place, token in enumerate(_TOKEN.findall(text)):
        if _is_name(token) or (place and token[:1].isupper()):
            found.append(_plain(token))
    return found


def _plain(token: str) -> str:
    return token.lower().removesuffix("'s").removesuffix("’s")


def _counted(text: str, reach: int) -> set[tuple[str, str]]:
    """Return each number with the stems of the next words."""
    tokens = [_plain(token) for token in _TOKEN.findall(text)]
    return {
        (token, _stem(other))
        for place, token in enumerate(tokens)
        if token.isdigit()
        for other in tokens[place + 1 : place + 1 + reach]
    }


def _negations(text: str) -> Counter[str]:
    words = re.findall(r"\b(?:\w+n['’]t|\w+)\b", text.lower())
    return Counter("not" for word in words if word in _NEGATIONS or word.endswith(("n't", "n’t")))


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word.removesuffix(ending)
            return stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] else stem
    return word
