"""Whether lines that a model wrote may take the place of those that were there."""

from __future__ import annotations

import re

from ...ingest.redaction import redact
from .records import Thing, Tier

_NAME = re.compile(
    r"`[^`\n]+`|https?://[^\s)>\]]+|--?[A-Za-z][\w-]+|\$?[A-Z][A-Z0-9]*_[A-Z0-9_]+"
    r"|[\w.-]*/[\w./-]+|\w+(?:[._]\w+)+|\w+\(\)|[a-z]+[A-Z]\w*|\d+(?:[.,]\d+)*"
)
_SPAN = re.compile(r"`[^`\n]+`")
_WORD = re.compile(r"[^\W\d_]{3,}")
_PREAMBLE = re.compile(
    r"^\s*(?:sure|certainly|of course|here(?:'s| is| are)|okay|the (?:corrected|updated|new|fixed)"
    r" (?:text|lines?|paragraph|version)|updated?:|corrected:|note:)",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"\b(?:was|were|has been|have been|is|are) (?:removed|renamed|deleted|dropped|deprecated)"
    r"|\bno longer\b|\bpreviously\b|\bformerly\b",
    re.IGNORECASE,
)
_MARGIN = re.compile(r"^[ \t]*(?:[-*+>|]|\d+[.)]|#{1,6})?[ \t]*")
MOST_NEW_WORDS = 5
"""Words of prose that the new lines may have besides those of the old ones and of the facts."""


def complaints(
    old: str, new: str, facts: str, *, name: str, thing: Thing, tier: Tier, replacement: str | None
) -> list[str]:
    """Given the lines that were there, those that a model wrote, and all that it was told, return
    what speaks against them, each in one line that a model can act on."""
    found: list[str] = []
    if not new.strip():
        return ["the lines are empty"]
    if new.strip() == old.strip():
        return ["nothing was changed"]
    if _PREAMBLE.match(new) and not _PREAMBLE.match(old):
        found.append("it begins with a remark instead of the lines")
    for mark in ("```", "~~~", "<source", "</source"):
        if new.count(mark) != old.count(mark):
            found.append(f"{mark} must be there as often as before")
    if _margin(old) != _margin(new):
        found.append(f"it must begin with {_margin(old)!r} as before")
    if (remark := _REMARK.search(new)) and not _REMARK.search(old):
        found.append(f"no remark about the change is wanted: {remark[0]}")
    found += _length(old, new)
    found += _names(old, new, facts, replacement)
    gone = thing not in (Thing.SIGNATURE, Thing.DEFAULT) and tier is Tier.CERTAIN
    if gone and _mentions(new, name) and not (replacement and name in replacement):
        found.append(f"{name} is not there any more, and must not be named")
    if replacement and thing not in (Thing.SIGNATURE,) and replacement not in new:
        found.append(f"{replacement} must be named")
    found += _prose(old, new, facts)
    if redact(new)[1]:
        found.append("it holds what looks like a secret")
    return found


def _margin(text: str) -> str:
    found = _MARGIN.match(text)
    return found[0] if found else ""


def _mentions(text: str, name: str) -> bool:
    base = re.escape(name.removesuffix("()"))
    return re.search(rf"(?<![\w-]){base}(?![\w-])", text) is not None


def _length(old: str, new: str) -> list[str]:
    if len(new) > 1.5 * len(old) + 40:
        return ["it is much longer than before"]
    if len(new) < 0.25 * len(old):
        return ["it is much shorter than before: keep what is still true"]
    if new.count("\n") > old.count("\n") + 1:
        return ["it has more lines than before"]
    return []


def _names(old: str, new: str, facts: str, replacement: str | None) -> list[str]:
    known = f"{old}\n{facts}"
    spans = [_parts(span) | _parts(replacement or "") for span in _SPAN.findall(old)]
    unknown = [
        each
        for each in dict.fromkeys(_NAME.findall(new))
        if each.strip("`") not in known
        and not (each.startswith("`") and any(_parts(each) <= parts for parts in spans))
    ]
    return [f"{each} is neither in the lines nor in the facts" for each in unknown]


def _parts(text: str) -> frozenset[str]:
    """Return the words of a piece of code: a call that has lost an argument has no others."""
    return frozenset(re.findall(r"[\w-]+", text))


def _prose(old: str, new: str, facts: str) -> list[str]:
    known = {word.lower() for word in _WORD.findall(f"{old}\n{facts}")}
    unknown = [
        word
        for word in dict.fromkeys(_WORD.findall(new))
        if word.lower() not in known and word.lower() not in _SMALL
    ]
    if len(unknown) <= MOST_NEW_WORDS:
        return []
    return [f"it says more than before: {', '.join(unknown[:8])}"]


_SMALL = frozenset(
    {"the", "and", "for", "with", "that", "this", "its", "are", "can", "you", "not", "use", "set"}
)
