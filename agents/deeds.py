"""Deeds: which verb of a question and which of a subject mean the same, and about what."""

from __future__ import annotations

import re

from ..memory.tokens import terms
from .subjects import leading_verb
from .words import word_set

DEEDS = {
    "add": "added introduced created implemented supported wrote built began brought",
    "remove": "removed dropped deleted eliminated retired killed pruned disabled reverted",
    "fix": "fixed repaired resolved corrected",
    "rename": "renamed moved",
    "change": "changed switched migrated replaced upgraded bumped converted moved refactored rewrote "
    "used updated made ported",
    "deprecate": "deprecated",
    "release": "released prepared bumped",
}
"""Families of deeds: the past-tense verbs that subjects tell each with."""

_VERBS = {
    "add": "add added introduce introduced create created implement implemented write wrote written build "
    "built invent invented author authored start started support supported",
    "remove": "remove removed drop dropped delete deleted kill killed retire retired stop stopped",
    "fix": "fix fixed repair repaired resolve resolved solve solved",
    "rename": "rename renamed move moved",
    "change": "change changed switch switched migrate migrated replace replaced upgrade upgraded "
    "bump bumped convert converted refactor refactored rewrite rewrote rewritten",
    "deprecate": "deprecate deprecated",
    "release": "release released ship shipped",
}
FAMILY_OF = {verb: family for family, verbs in _VERBS.items() for verb in verbs.split()}
"""The family of each verb that questions ask with."""
FAMILIES = {family: verbs.split() for family, verbs in _VERBS.items()}
"""Its verbs, for each family."""

_NOUNS = word_set("support fix move release start build bump switch")
_AKIN = {"remove": "deprecate", "rename": "change", "change": "rename"}
"""The family that often prepares another, or does it under another name."""
_GENERIC = frozenset(
    terms(
        "support feature option flag argument parameter keyword function method command code thing "
        "class module field setting api handling default new old file hook"
    )
)
"""Words that say what sort of thing is meant, which subjects often leave out or say otherwise."""
_SILENT = frozenset(terms("support feature new"))
_JOINED = re.compile(r"(?:\band|&|,)\s+([A-Za-z]+)")
_COMPOUND = re.compile(r"\w*[A-Za-z][-_][A-Za-z][\w-]*")
_BEGINS = re.compile(
    r"^(?:initial|first)\s+(?:\w+\s+){0,2}?(?:version|prototype|implementation|pass|cut|draft)"
    r"\s+(?:of|at|for)\s+(?:the\s+)?",
    re.IGNORECASE,
)
_NEW_THING = re.compile(
    r"\w\s+(?:support|command|option|flag|feature|hook|method|parameter)$", re.IGNORECASE
)
_ASIDE = re.compile(
    r"\b(?:docs?|docstrings?|documentation|typos?|tests?|changelog|examples?)\b", re.IGNORECASE
)
_ATOM = re.compile(r"[^\W\d_]+|\d+")
_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+)*)(?![\w.]*\w)")
_NAME = re.compile(r"`([^`]+)`|(?<![\w-])(--?[A-Za-z][\w-]+)|\b(\w+(?:[_.]\w+)+)\b")


def asked_family(question: str) -> str:
    """Given a question, return the family of the first of its verbs that has one, or "".

    Words that are nouns more often ("support") count only where there is no other.
    """
    words = re.findall(r"[a-z]+", question.lower())
    verbs = [word for word in words if word in FAMILY_OF]
    surer = [verb for verb in verbs if verb not in _NOUNS]
    return FAMILY_OF[(surer or verbs)[0]] if verbs else ""


def does(subject: str, family: str) -> float:
    """Given a subject, return how far its verb is of a family: 1, or 0.5 for one akin
    or a second verb, or 0."""
    verb = leading_verb(subject)
    if verb is None:
        return 1.0 if family == "add" and _arrives(subject) else 0.0
    if verb in DEEDS[family].split():
        return 1.0
    akin = [*DEEDS[family].split(), *DEEDS[_AKIN.get(family, family)].split()]
    also = [leading_verb(f"{word} it") for word in _JOINED.findall(subject)]
    return 0.5 if any(each in akin for each in (verb, *also)) else 0.0


def _arrives(subject: str) -> bool:
    """Whether a subject without a verb names what is new: "llm logs command", "First version of"."""
    named = re.sub(r"(?:,?\s+(?:closes?|refs?|fixes)\s+)?\(?#\d+\)?", "", subject).strip()
    return bool(_BEGINS.match(named) or _NEW_THING.search(named))


def essential(text: str) -> frozenset[str]:
    """Given words, return the terms that tell which thing they mean, each in its smallest parts."""
    atoms = _atoms(text)
    return atoms - _GENERIC or atoms


def _atoms(text: str) -> frozenset[str]:
    return frozenset(term for term in terms(text) if _ATOM.fullmatch(term))


def holds_versions(subject: str, topic: str) -> bool:
    """Whether a subject names each version of the topic, or one under it: 4.0 is a 4."""
    return all(
        re.search(rf"(?<![\d.]){re.escape(version)}(?:\.\d+)*(?![\d])", subject)
        for version in _VERSION.findall(topic)
    )


def names_in(topic: str) -> list[str]:
    """Given a topic, return the options and names of code in it, to be found to the letter."""
    found = [next(filter(None, match.groups())) for match in _NAME.finditer(topic)]
    return [name for name in found if not re.fullmatch(r"v?[\d.]+", name)]


def is_aside(subject: str, question: str) -> bool:
    """Whether a subject is about documents or tests, and the question is not."""
    return bool(_ASIDE.search(subject)) and not _ASIDE.search(question)


def closeness(subject: str, topic: str) -> float:
    """Given a subject and a topic that it holds in full, return how little else it says, 0..1.

    0 where it does not hold the topic: such a subject tells of another thing.
    """
    wanted = essential(topic)
    return closeness_to(subject, wanted) if holds_versions(subject, topic) else 0.0


def closeness_to(subject: str, wanted: frozenset[str]) -> float:
    """The same, given the essential terms of a topic."""
    text = _without_verb(subject)
    said = _atoms(text) - _SILENT
    # A word of another name's is not the thing itself: --schema-multi is not schemas.
    own = _COMPOUND.sub(lambda name: name[0] if _atoms(name[0]) <= wanted else " ", text)
    return len(wanted) / len(said) if wanted and wanted <= _atoms(own) else 0.0


def _without_verb(subject: str) -> str:
    text = re.sub(r"\(#\d+\)|#\d+", " ", subject)
    text = re.sub(r"\b(?:closes?|refs?)\b|^[a-z]+(?:\([^)]*\))?!?:\s+", "", text)
    words = _BEGINS.sub("", text).split()
    return " ".join(words[1:]) if leading_verb(subject) else " ".join(words)
