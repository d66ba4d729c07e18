"""Fixes by rule: renames, moved paths, defaults, signatures, and entries of what was removed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from . import links
from .checks import problems
from .edits import lines_of, readable
from .entries import without_entry, without_member
from .present import sample_lines
from .records import Document, Drift, Fix, Mention, Thing, Tier

Read = Callable[[str, str], Document | None]
"""Given a path and a text, read it as a document."""
Exists = Callable[[str], bool]
"""Given a path from the top, say whether the repository has it: a file or a folder."""

_PATHS = frozenset({Thing.PATH, Thing.LINK})
_ORDINARY = re.compile(r"[A-Z]?[a-z]+")
"""A name that prose may use as a word."""
_SPAN = re.compile(r"(?<!`)(`{1,3})(?!`).+?(?<!`)\1(?!`)")
_MOVED = re.compile(r"(?P<old>.+) is (?P<new>.+) since [0-9a-f]+$")
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
        if made is None:
            made = without_member(text, wrong.lines, first.name)
            note = f"takes {_shown(first)} out of what is enumerated"
    else:
        return None
    if made is None or made == text:
        return None
    lines = wrong.lines
    if problems(first.document, text, made, lines=lines, name=first.name, read=read, exists=exists):
        return None
    return Fix(first.document, text, made, "rule", note)


def _shown(drift: Drift) -> str:
    return f"the default of {drift.name}" if drift.thing is Thing.DEFAULT else drift.name


def _replaced(wrong: Wrong, text: str, before: Document) -> str | None:
    lines = lines_of(text)
    places, samples = _places(before, wrong.first), sample_lines(before)
    changed = False
    for drift in wrong.drifts:
        if not 0 < drift.line <= len(lines):
            return None
        line = lines[drift.line - 1]
        sample = drift.line in samples
        made = _line(drift, line, places.get(drift.line, ()), sample=sample)
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


def _line(drift: Drift, line: str, mentions: Sequence[Mention], *, sample: bool) -> str | None:
    """Return the line with the replacement in it; None where it can't be told how."""
    new = drift.replacement or ""
    if drift.thing in _PATHS:
        return _moved(drift, line, new)
    if drift.thing is Thing.DEFAULT:
        return _default(drift, line, new)
    made = _renamed(line, drift.name, new, [each.column for each in mentions], sample=sample)
    return None if made == line else made


def _renamed(line: str, old: str, new: str, columns: Collection[int], *, sample: bool) -> str:
    """Return the line with a name changed wherever it stands whole, and is meant as a name."""
    old_base, new_base = _without_call(old, new)
    kept = [column for column in columns if line.startswith(old_base, column)]
    plain = _ORDINARY.fullmatch(old_base) is not None

    def one(found: re.Match[str]) -> str:
        if not plain:
            return new_base
        # A word of prose too: only where the document marks it as code it is meant. In a sample
        # it may be a variable of the reader's as well, so there the place itself counts.
        meant = not kept or found.start() in kept if sample else in_code(line, *found.span())
        return new_base if meant else found.group()

    return whole(old_base).sub(one, line)


def _without_call(old: str, new: str) -> tuple[str, str]:
    """``total()`` is renamed like ``total``: what stands between the parentheses stays."""
    if old.endswith("()"):
        return old[:-2], new.removesuffix("()")
    return old, new


def whole(name: str, *, path: bool = False) -> re.Pattern[str]:
    """Return what finds a name, or a path, where it is not part of a longer one."""
    path = path or "/" in name
    inside = r"\w./-" if path else r"\w-"
    before = rf"(?<![{inside}])" if re.match(r"[\w./-]", name) else ""
    after = r"(?![\w/-])(?!\.\w)" if path else r"(?![\w-])"
    return re.compile(before + re.escape(name) + after)


def in_code(line: str, start: int, end: int) -> bool:
    """Say whether a part of a line stands in code: between backticks or quotes, or as a field of a
    docstring."""
    if any(span.start() < start and end < span.end() for span in _SPAN.finditer(line)):
        return True
    if line[:start].endswith(('"', "'")) and line[end:].startswith(('"', "'")):
        return True
    field = re.match(r"\s*(?::\w+ (?:[\w\[\], |.]+ )?)?$", line[:start])
    return field is not None and re.match(r"\s*(?:\([^)]*\))?\s*:", line[end:]) is not None


def _moved(drift: Drift, line: str, new: str) -> str | None:
    """Return the line with a path, as it is written there, leading to the new place."""
    written, anchor = links.split(drift.name)
    target, new_anchor = links.split(new)
    made = _written_anew(drift, written, target)
    if made is None:
        return None
    pieces = whole(drift.name, path=True).split(line)
    return None if len(pieces) == 1 else (made + (new_anchor or anchor)).join(pieces)


def _written_anew(drift: Drift, written: str, new: str) -> str | None:
    if drift.thing is Thing.PATH and "/" not in written.strip("/"):
        return new  # it was decided how much of it is to be written
    meant = links.targets(drift.document, written)
    told = _MOVED.match(drift.reason)
    if told is not None and told["new"] == new:
        old = told["old"]
    elif drift.thing is Thing.LINK:
        old = meant[0] if meant else ""
    else:
        old = meant[-1] if meant else ""  # a path in prose is mostly one from the top
    if old in meant:
        return links.rewritten(drift.document, written, old, new)
    # Only the end of the path was written.
    if not old.endswith("/" + written.strip("/")):
        return None
    left_out = old[: len(old) - len(written.strip("/"))]
    return new.removeprefix(left_out) + ("/" if written.endswith("/") else "")


def _default(drift: Drift, line: str, new: str) -> str | None:
    """Return the line with the one value that was the default changed."""
    told = _DEFAULTS.search(drift.reason)
    if told is None:
        return None
    old = told["old"].strip("`'\" ")
    value = re.compile(rf"(?<![\w.-]){re.escape(old)}(?![\w-]|\.\w)")
    named = whole(drift.name).search(line)
    found = list(value.finditer(line, named.end() if named else 0))
    if len(found) != 1:
        return None  # which of them is meant, nobody can tell
    return line[: found[0].start()] + new.strip("`'\"") + line[found[0].end() :]
