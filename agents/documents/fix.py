"""Fixes by rule: renames, moved paths, defaults, signatures, and entries of what was removed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from . import links
from .checks import problems
from .edits import lines_of, readable
from .entries import without_entry
from .records import Document, Drift, Fix, Mention, Thing, Tier

Read = Callable[[str, str], Document | None]
"""Given a path and a text, read it as a document."""
Exists = Callable[[str], bool]
"""Given a path from the top, say whether the repository has it: a file or a folder."""

_PATHS = frozenset({Thing.PATH, Thing.LINK})
_VALUES = frozenset({Thing.DEFAULT})
_ORDINARY = re.compile(r"[a-z]+|[A-Z]?[a-z]+")
"""A name that prose may use as a word: only where a document marks it as code it is meant."""
_DEFAULTS = re.compile(r"defaults to (?P<new>.+?), (?:it )?was (?P<old>.+?)(?:[,;:]| by | in |$)")


@dataclass(frozen=True, slots=True)
class Wrong:
    """All that is wrong in one document for one reason."""

    drifts: tuple[Drift, ...]
    """Of one document, thing and name, by line."""

    @property
    def first(self) -> Drift:
        """The one that is nearest to the top."""
        return self.drifts[0]

    @property
    def lines(self) -> frozenset[int]:
        """Where the document is wrong."""
        return frozenset(each.line for each in self.drifts)


def by_rule(wrong: Wrong, text: str, read: Read, exists: Exists) -> Fix | None:
    """Given what is wrong in a document and its text, return a fix of exactly those lines; None
    where no rule can tell one, or where it would put something else wrong."""
    first = wrong.first
    before = read(first.document, readable(text))
    if before is None or first.line == 0 or len(wrong.lines & before.ignored) > 0:
        return None
    if first.replacement is not None:
        made = _replaced(wrong, text, before)
        note = f"{_shown(first)} becomes {first.replacement}"
    elif first.tier is Tier.CERTAIN:
        made = without_entry(text, wrong.lines, first.name)
        note = f"takes out the entry of {_shown(first)}"
    else:
        return None
    if made is None or made == text:
        return None
    lines = wrong.lines
    if problems(first.document, text, made, lines=lines, name=first.name, read=read, exists=exists):
        return None
    return Fix(first.document, text, made, "rule", note)


def _shown(drift: Drift) -> str:
    return f"the default of {drift.name}" if drift.thing in _VALUES else drift.name


def _replaced(wrong: Wrong, text: str, before: Document) -> str | None:
    lines = lines_of(text)
    places = _places(before, wrong.first)
    changed = False
    for drift in wrong.drifts:
        if not 0 < drift.line <= len(lines):
            return None
        line = lines[drift.line - 1]
        made = _line(drift, line, places.get(drift.line, ()))
        if made is None:
            return None
        changed = changed or made != line
        lines[drift.line - 1] = made
    return "".join(lines) if changed else None


def _places(before: Document, drift: Drift) -> dict[int, list[Mention]]:
    found: dict[int, list[Mention]] = {}
    for mention in before.mentions:
        if mention.name == drift.name:
            found.setdefault(mention.line, []).append(mention)
    return found


def _line(drift: Drift, line: str, mentions: Sequence[Mention]) -> str | None:
    """Return the line with the replacement in it; None where it can't be told how."""
    replacement = drift.replacement or ""
    if drift.thing in _PATHS:
        return _moved(drift, line, replacement)
    if drift.thing in _VALUES:
        return _default(drift, line, replacement)
    if drift.thing is Thing.SIGNATURE:
        old = drift.name
        return line.replace(old, replacement) if line.count(old) == 1 else None
    made = _renamed(line, drift.name, replacement, [each.column for each in mentions])
    return None if made == line else made


def _renamed(line: str, old: str, new: str, columns: Collection[int]) -> str:
    """Return the line with a name changed wherever it stands whole, and is meant as a name."""
    old_base, new_base = _without_call(old, new)
    pattern = whole(old_base)
    kept = [column for column in columns if line.startswith(old_base, column)]

    def one(found: re.Match[str]) -> str:
        plain = _ORDINARY.fullmatch(old_base) is not None
        marked = found.start() in kept or _in_code(line, found.start(), found.end())
        return found.group() if plain and not marked else new_base

    return pattern.sub(one, line)


def _without_call(old: str, new: str) -> tuple[str, str]:
    """``total()`` is renamed like ``total``: what stands between the parentheses stays."""
    if old.endswith("()"):
        return old[:-2], new.removesuffix("()")
    return old, new


def whole(name: str) -> re.Pattern[str]:
    """Return what finds a name where it is not part of a longer one."""
    inside = r"\w./-" if "/" in name or (name.startswith(".") and len(name) > 1) else r"\w-"
    before = rf"(?<![{inside}])" if re.match(r"[\w.-]", name) else ""
    after = r"(?![\w-])(?!\.\w)" if "/" in name else r"(?![\w-])"
    return re.compile(before + re.escape(name) + after)


def _in_code(line: str, start: int, end: int) -> bool:
    return line[start - 1 : start] in ("`", '"', "'") or line[end : end + 1] == "`"


def _moved(drift: Drift, line: str, new: str) -> str | None:
    """Return the line with a path, as it is written there, leading to the new place."""
    path, anchor = links.split(drift.name)
    new_path, new_anchor = links.split(new)
    meant = links.targets(drift.document, drift.name)
    for old in meant:
        made = links.rewritten(drift.document, path, old, new_path)
        if made is not None:
            pieces = whole(drift.name).split(line)
            return None if len(pieces) == 1 else (made + (new_anchor or anchor)).join(pieces)
    return None


def _default(drift: Drift, line: str, new: str) -> str | None:
    """Return the line with the one value that was the default changed."""
    told = _DEFAULTS.search(drift.reason)
    if told is None:
        return None
    old = told["old"].strip("`'\" ")
    value = whole(old) if re.match(r"[\w-]", old) else re.compile(re.escape(old))
    found = [each for each in value.finditer(line) if not _of_the_name(line, each, drift.name)]
    if len(found) != 1:
        return None  # which of them is meant, nobody can tell
    return line[: found[0].start()] + new.strip("`'\"") + line[found[0].end() :]


def _of_the_name(line: str, found: re.Match[str], name: str) -> bool:
    return any(
        place.start() <= found.start() and found.end() <= place.end()
        for place in re.finditer(re.escape(name), line)
    )
