"""Which of several options a text is for: read by form, in English, German, French and Spanish.

An option that is only compared with is no vote for it, one that is turned down is a vote against it,
and where a text is for several, or for none that can be told, that is what is returned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache

BOTH = "both"
NEITHER = "neither"
UNCLEAR = ""

LONGEST = 2_000
"""Characters of a text that are read: a position is short, and what is not may be anything."""
_NEAR = 4
"""Words around an option that can turn its meaning."""

_CLAUSE = re.compile(
    r"\s*(?:[.;:!?\n]+(?=\s|$)|\s[–—-]\s|,?\s+(?:but|however|yet|aber|jedoch|sondern|mais|cependant|pero|sino"
    r"|sin\s+embargo)\b,?)\s*",
    re.IGNORECASE,
)
_CONCESSION = re.compile(
    r"\b(?:although|though|while|whereas|even\s+if|even\s+though|despite|obwohl|auch\s+wenn|während|wobei|bien\s+que"
    r"|même\s+si|alors\s+que|aunque|mientras)\b[^,]*(?:,|$)",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"\b(?:no\s+doubt|without\s+(?:a\s+)?doubt|why\s+not|not\s+(?:only|just)|no\s+question|kein(?:e)?\s+(?:zweifel|frage)"
    r"|ohne\s+zweifel|warum\s+nicht|nicht\s+nur|sans\s+(?:aucun\s+)?doute|pourquoi\s+pas|pas\s+seulement"
    r"|sin\s+duda|no\s+solo|no\s+s[oó]lo)\b",
    re.IGNORECASE,
)
_DEPENDS = re.compile(
    r"\bdepend(?:s|ing)?\b|\bkommt\s+(?:ganz\s+)?darauf\s+an\b|\bhängt\b.*\bab\b|\b[çc]a\s+d[ée]pend|\bd[ée]pend\s+d"
    r"|\bdepende\b|\bhard\s+to\s+say\b|\bcan(?:no|')t\s+(?:say|tell|decide)\b|\bunclear\b|\bundecided\b"
    r"|\beither\s+(?:one|way|works|is\s+fine)\b|\bunklar\b|\bschwer\s+zu\s+sagen\b|\bdifficile\s+[àa]\s+dire\b|\bdif[ií]cil\s+decir\b",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"\bboth\b|\bbeide[srnm]?\b|\bles\s+deux\b|\bamb[oa]s\b|\blos\s+dos\b|\bside\s+by\s+side\b|\bhybrid\b",
    re.IGNORECASE,
)
_NEITHER = re.compile(
    r"\bneither\b|\bnone\s+of\b|\bweder\b|\bkein(?:e[rsn]?)?\s+(?:von|der)\s+(?:beiden|denen)\b|\bni\s+l'une?\b"
    r"|\bni\b.*\bni\b|\baucune?\b|\bning[uú]n[oa]?\b|\bnot\s+either\b",
    re.IGNORECASE,
)
_COMPARED_BEFORE = re.compile(
    r"\b(?:than|over|instead\s+of|unlike|versus|vs\.?|compared\s+(?:to|with)|next\s+to|from|like"
    r"|(?:besser|schneller|sicherer|einfacher|mehr|lieber|eher|günstiger|größer|weniger)\s+als"
    r"|statt|anstatt|anstelle\s+von|gegenüber|im\s+vergleich\s+(?:zu|mit)|von"
    r"|(?:mieux|plus\s+\w+|moins\s+\w+|plut[ôo]t|meilleure?)\s+qu[e']|au\s+lieu\s+d[e']|par\s+rapport\s+[àa]|compar[ée]e?\s+[àa]"
    r"|(?:mejor|m[áa]s\s+\w+|menos\s+\w+|antes)\s+que|en\s+(?:vez|lugar)\s+de|frente\s+a|comparado\s+con|a\s+diferencia\s+de)"
    r"\s*(?:(?:the|a|an|der|die|das|dem|den|le|la|les|el|los)\s+)?$",
    re.IGNORECASE,
)
_VERSUS_AFTER = re.compile(r"^\s*(?:vs\.?|versus)\b", re.IGNORECASE)
_NOT_BEFORE = re.compile(
    r"\b(?:not|no|never|don't|doesn't|shouldn't|won't|wouldn't|can't|cannot|avoid\w*|against|reject\w*|drop|ditch|without"
    r"|nor|neither|nicht|kein\w*|nie|niemals|ohne|gegen|vermeide\w*|weder|noch|pas|jamais|sans|contre|[ée]vite\w*|ni|nunca"
    r"|jam[áa]s|sin|contra|evit\w*|rechaz\w*)$",
    re.IGNORECASE,
)
_NOT_AFTER = re.compile(
    r"^(?:not|isn't|doesn't|won't|wouldn't|can't|cannot|don't|never|no|lacks?|loses?|fails?|breaks?|wrong|bad|poor|worse"
    r"|risky|overkill|slow|weak|too|unsafe|nicht|kein\w*|nie|falsch|schlecht\w*|riskant\w*|zu|verliert|fehlt|langsam\w*"
    r"|pas|jamais|n'est|ne|trop|risqu[ée]\w*|mauvais\w*|perd|manque|nunca|malo|mala|arriesgad\w*|demasiado|pierde|falta|carece|lent[oa])$",
    re.IGNORECASE,
)
_FOR_BEFORE = re.compile(
    r"\b(?:use|using|choose|pick|take|adopt|prefer\w*|go\s+(?:with|for)|going\s+with|recommend\w*|favou?r\w*|lean\w*(?:\s+\w+)?"
    r"|better|best|keep|stay\s+with|vote\s+for|nehm\w*|nimm|verwend\w*|nutz\w*|bevorzug\w*|empfehl\w*|lieber|besser|für"
    r"|utilis\w*|prend\w*|prenez|choisi\w*|pr[ée]f[ée]r\w*|recommand\w*|plut[ôo]t|pour|mieux|us[ae]\w*|eleg\w*|elij\w*|prefier\w*"
    r"|recomiend\w*|mejor|por)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_ALSO = re.compile(
    r"\b(?:too|as\s+well|also|auch|aussi|egalement|également|tambi[ée]n)\b", re.IGNORECASE
)
_AND = re.compile(r"\s*(?:,?\s*\b(?:and|or|und|oder|et|ou|y|o)\b|&|\+|/)\s*", re.IGNORECASE)
_COMMA = re.compile(r"[,(]")
_WORD = re.compile(r"[\w'’]+")
_SMALL = frozenset("the a an it we to of and or in on for with is be keep".split())  # noqa: SIM905


class _Mood(IntEnum):
    COMPARED = 0
    REJECTED = 1
    NAMED = 2
    BACKED = 3


@dataclass(slots=True)
class _Seen:
    """What a text says of each option, by its place among them."""

    moods: dict[int, _Mood] = field(default_factory=dict[int, _Mood])
    neither: bool = False
    both: bool = False

    def note(self, option: int, mood: _Mood) -> None:
        self.moods[option] = max(mood, self.moods.get(option, _Mood.COMPARED))

    def having(self, *moods: _Mood) -> list[int]:
        return sorted(option for option, mood in self.moods.items() if mood in moods)


def leaning(text: str, options: Sequence[str]) -> str:
    """Given a text and options, return the option it is for, BOTH, NEITHER, or UNCLEAR."""
    seen = _read(text, options)
    backed = seen.having(_Mood.BACKED)
    named = seen.having(_Mood.BACKED, _Mood.NAMED)
    rejected = seen.having(_Mood.REJECTED)
    if seen.both and (len(named) > 1 or not seen.moods):
        return BOTH
    if len(backed) == 1:
        return options[backed[0]]
    if len(backed) > 1:
        return UNCLEAR
    if len(named) == 1:
        return options[named[0]]
    if named:
        return UNCLEAR
    if seen.neither or (rejected and len(rejected) == len(options)):
        return NEITHER
    if len(options) == 2 and len(rejected) == 1:
        return options[1 - rejected[0]]
    return UNCLEAR


def is_vague(text: str) -> bool:
    """Whether a text says that it depends, or says nothing."""
    return not text.strip() or _DEPENDS.search(text[:LONGEST]) is not None


def _read(text: str, options: Sequence[str]) -> _Seen:
    seen = _Seen()
    plain = text[:LONGEST].replace("’", "'")
    plain = _CONCESSION.sub(" ", _HARMLESS.sub(" ", plain))
    patterns = _patterns(tuple(options))
    for clause in _CLAUSE.split(plain):
        if _DEPENDS.search(clause):
            continue
        mentions = _mentions(clause, patterns)
        if _NEITHER.search(clause):
            seen.neither = True
            for option, _ in mentions:
                seen.note(option, _Mood.REJECTED)
            continue
        seen.both = seen.both or _BOTH.search(clause) is not None
        also = bool(seen.having(_Mood.NAMED, _Mood.BACKED)) and _ALSO.search(clause) is not None
        for group, before, after in _groups(clause, mentions):
            mood = _mood(before, after)
            seen.both = seen.both or (len(group) > 1 and mood is _Mood.BACKED)
            for option in group:
                if not (also and mood is _Mood.NAMED):
                    seen.note(option, mood)
    return seen


def _groups(
    clause: str, mentions: Sequence[tuple[int, tuple[int, int]]]
) -> Iterator[tuple[list[int], str, str]]:
    """Yield options that stand in a row, with the text before the first and after the last."""
    group: list[int] = []
    before, begun = "", 0
    for place, (option, (start, end)) in enumerate(mentions):
        if not group:
            before = clause[begun:start]
        group.append(option)
        following = mentions[place + 1][1][0] if place + 1 < len(mentions) else len(clause)
        between = clause[end:following]
        if place + 1 == len(mentions) or not (
            _AND.fullmatch(between) or (len(mentions) > 2 and between.strip() == ",")
        ):
            yield group, before, between
            group, begun = [], end


def _mood(before: str, after: str) -> _Mood:
    if _COMPARED_BEFORE.search(before) or _VERSUS_AFTER.search(after):
        return _Mood.COMPARED
    near = [word.lower() for word in _WORD.findall(_COMMA.split(before)[-1])[-_NEAR:]]
    if any(_NOT_BEFORE.search(word) for word in near):
        return _Mood.REJECTED
    following = [word.lower() for word in _WORD.findall(_COMMA.split(after)[0])[:_NEAR]]
    if any(_NOT_AFTER.match(word) for word in following):
        return _Mood.REJECTED
    return _Mood.BACKED if _FOR_BEFORE.search(before) else _Mood.NAMED


def _mentions(
    clause: str, patterns: Sequence[tuple[int, re.Pattern[str]]]
) -> list[tuple[int, tuple[int, int]]]:
    """Return options with where they are named, in order; the longest name wins a place."""
    taken: list[tuple[int, tuple[int, int]]] = []
    for option, pattern in patterns:
        for found in pattern.finditer(clause):
            start, end = found.span()
            if all(end <= one[1][0] or start >= one[1][1] for one in taken):
                taken.append((option, (start, end)))
    return sorted(taken, key=lambda one: one[1])


@lru_cache(maxsize=64)
def _patterns(options: tuple[str, ...]) -> list[tuple[int, re.Pattern[str]]]:
    """Return what each option is known by, whole names and long ones first."""
    whole: list[tuple[int, str]] = []
    parts: list[tuple[int, str]] = []
    words = [[word.casefold() for word in _WORD.findall(option)] for option in options]
    for place, mine in enumerate(words):
        others = {word for other, theirs in enumerate(words) if other != place for word in theirs}
        whole.append((place, r"\W+".join(_stem(word) for word in mine)))
        if len(mine) > 1:
            own = [word for word in mine if word not in others and len(word) > 3]
            parts += [(place, _stem(word)) for word in own if word not in _SMALL or word == mine[0]]
    whole.sort(key=lambda one: (-len(one[1]), one[0]))
    return [
        (place, re.compile(rf"(?<!\w){text}", re.IGNORECASE))
        for place, text in [*whole, *parts]
        if text
    ]


def _stem(word: str) -> str:
    """A word as it may be bent: ``rewrite`` also finds ``rewriting``, ``Postgres`` PostgreSQL."""
    if len(word) < 4:
        return re.escape(word) + r"(?!\w)"
    return re.escape(word[:-1] if word.endswith("e") and len(word) > 4 else word) + r"\w*"
