"""What sort of answer a question wants, and the options that it names.

Read by form alone, in English, German, French and Spanish. What is not understood is open: positions
are then compared with each other instead of with options.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .records import Kind

MOST_OPTIONS = 6
LONGEST = 1_000
"""Characters up to the last question mark that are read; what stands before is what it is about."""
LONGEST_OPTION = 5
"""Words; what is longer is a sentence, not an option."""

_OR = re.compile(r"\s*,?\s+(?:or|oder|ou|o|vs\.?|versus)\s+", re.IGNORECASE)
_OR_AND = re.compile(r"\s*,?\s+(?:or|and|oder|und|ou|et|o|y)\s+", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre)\b", re.IGNORECASE)
_COMMA = re.compile(r"\s*,\s*")
_OR_NOT = re.compile(
    r",?\s+(?:or|oder|ou|o)\s+(?:not|nicht|pas|non|no|nein|else|wait|should|shall|is|are)\b.*$",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^.*?\b(?:use|using|choose|pick|take|adopt|prefer|go\s+(?:with|for|to)|move\s+(?:\w+\s+)?to"
    r"|switch\s+to|migrate\s+to|(?:stay|remain|stick)\s+(?:on|with|in|at)|between"
    r"|should\s+(?:we|i|it|they|this)|shall\s+(?:we|i)|do\s+we|would\s+you|better|which"
    r"|soll(?:en|te|ten)?\s+(?:wir|ich|man)|nehmen\s+wir|besser|zwischen"
    r"|(?:devons|doit|faut|prend(?:re|s)?|choisir|utiliser|entre|mieux)(?:-on|-nous|-il)?"
    r"|(?:usar|usamos|elegir|elegimos|deber[ií]amos|debemos|entre|mejor))\b[:,]?\s+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:for|in|as|on|with|to|at|when|here|now|if|given|because|better|faster|safer|besser|mieux|mejor"
    r"|für|als|im|in|bei|mit|wenn|nehmen|verwenden|benutzen|einsetzen|wählen"
    r"|pour|comme|dans|en|avec|si|para|como|con)\b.*$",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"^(?:to|the|a|an|either|whether|den|die|das|einen?|le|la|les|un|une|el|los|las|una)\s+",
    re.IGNORECASE,
)
_STAY = re.compile(
    r"^(?:(?:stay|remain|stick|keep\s+(?:it|them)|leave\s+(?:it|them))\s+(?:on|with|in|at)"
    r"|(?:go|move|switch|migrate)\s+(?:it\s+|them\s+)?(?:to|with|for))\s+(?=\S)",
    re.IGNORECASE,
)
"""What stands before an option that is a place or a thing: "stay on the shared disk"."""
_YES_NO = re.compile(
    r"^[¿\s]*(?:is|are|was|does|do|did|can|could|will|would|should|shall|may|must|has|have|am"
    r"|ist|sind|kann|können|darf|dürfen|soll|sollen|sollte|sollten|muss|müssen|wird|hat|haben"
    r"|est-ce|est-il|peut-on|doit-on|faut-il|pouvons|devons|es|está|puede|podemos|debemos|deberíamos|hay)\b",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"^(?:in|on|with|by|to|as|for|from|into|auf|mit|bei|als|für|dans|avec|sur|par|en|con|por|para)\s+",
    re.IGNORECASE,
)
_IT = re.compile(
    r"^[¿\s]*(?:is|are|was|can|could|will|would|may|must|ist|kann|darf)\b", re.IGNORECASE
)
_WHICH = re.compile(
    r"^(?:which|what|welche[rsn]?|was|quelle?s?|lequel|cu[aá]l|qu[eé])\b[^,:]*[,:]\s+",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^[^:?]{1,60}:\s+")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for."""

    kind: Kind
    options: tuple[str, ...] = ()


def read_question(text: str) -> Asked:
    """Given a question, return what it asks for; the options as it spells them, each once."""
    question = _asking_part(text)
    without = _OR_NOT.sub("", question)
    options = _options(without)
    if options:
        return Asked(Kind.CHOICE, options)
    if _YES_NO.search(question) or without != question:
        return Asked(Kind.JUDGMENT)
    return Asked(Kind.OPEN)


def _asking_part(text: str) -> str:
    """Return the last sentence that ends in a question mark, or else the first line."""
    end = text.rfind("?") + 1
    if not end:
        return text.strip().partition("\n")[0][:LONGEST].strip(" ¿")
    paragraph = text[max(0, end - LONGEST) : end].rpartition("\n\n")[2]
    flat = " ".join(paragraph.split())
    asked = re.findall(r"[^.?!]*(?:\.\w[^.?!]*)*\?", flat)
    return (asked[-1] if asked else flat).strip().rstrip("?").strip(" ¿")


def _options(question: str) -> tuple[str, ...]:
    between = _BETWEEN.search(question)
    parts = (_OR_AND if between else _OR).split(_LABEL.sub("", question))
    if len(parts) < 2:
        return ()
    first, *others = parts
    led = _led(first)
    if led == first and _IT.search(first):
        if len(first.split()) != 2:
            return ()  # "is it safe to merge or to wait": about one thing
        led = first.split()[1]  # "is Postgres or Mongo better"
    listed = [*_COMMA.split(led), *others]
    if shared := _PREPOSITION.match(others[0]):  # "keep it in SQLite or in files"
        _, found_it, option = f" {first}".rpartition(f" {shared[0].strip()} ")
        if found_it:
            listed = [option, *(_PREPOSITION.sub("", other) for other in others)]
    shortened = [_shortened(part) for part in listed]
    found: dict[str, str] = {}
    for part in shortened:
        if part:
            found.setdefault(part.casefold(), part)
    kept = tuple(found.values())
    fits = all(len(part.split()) <= LONGEST_OPTION for part in kept)
    return kept if fits and 2 <= len(kept) <= MOST_OPTIONS else ()


def _led(first: str) -> str:
    """Return what comes after the words that ask."""
    led = _WHICH.sub("", first)
    while (shorter := _LEAD.sub("", led)) != led:
        led = shorter
    return led


def _shortened(part: str) -> str:
    """Return an option without the verb and the article before it and without what it is meant for."""
    bare = _HEAD.sub("", _STAY.sub("", part.strip(" \"'`“”«»„.,;:")))
    cut = _TAIL.sub("", bare)
    return (cut or bare).strip(" \"'`“”«»„.,;:")
