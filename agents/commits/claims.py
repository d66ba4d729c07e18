"""Whether what a message says was done is what the change did: verbs against the two sides of it.

Names may all be known and the sentence be false: ``rename B to A``, ``add X`` where X went, ``from
2 to 1``. Said is only what lines can refute; where a change was not read whole, nothing is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from .mentions import PLAIN, is_name, is_path
from .options import changed_options
from .paths import role
from .records import Change, Draft, Facts, Problem
from .style import CONVENTIONAL, EMOJI

_NAME = r"[`'\"]?(?P<{0}>@?-{{0,2}}[\w.][\w./:\-\[\]]*(?:\(\))?)[`'\"]?"
_OLD, _NEW = _NAME.format("old"), _NAME.format("new")
_TURNED = (
    re.compile(rf"\brenam(?:e|es|ed|ing)\b(?: the)?(?: \w+){{0,2}}? {_OLD} (?:to|as|into|->|=>|→) {_NEW}", re.IGNORECASE),
    re.compile(rf"\bfrom (?:version )?{_OLD} (?:to|->|=>|→) (?:version )?{_NEW}", re.IGNORECASE),
    re.compile(rf"(?:^| ){_OLD} (?:->|=>|→) {_NEW}"),
    re.compile(rf"\breplac(?:e|es|ed|ing)\b(?: the)?(?: \w+)? {_OLD} (?:with|by) {_NEW}", re.IGNORECASE),
    re.compile(rf"(?:^| ){_NEW} (?:instead of|rather than|over|in place of) {_OLD}", re.IGNORECASE),
)  # fmt: skip
_KINDS = (
    r"(?:(?:an?|the|new|missing|more|unused|deprecated|obsolete|old|optional|required|command|line|cli|env|environment"
    r"|options?|flags?|arguments?|args?|parameters?|params?|methods?|functions?|class(?:es)?|attributes?|propert(?:y|ies)"
    r"|decorators?|variables?|fields?|settings?|keyword|kwarg|helper|constant|hook|fixture|type|struct|trait"
    r"|interface|enum|module|file) )*"
)
_LIST = r"(?P<names>[`'\"]?@?[\w\-.][^\s,;]*(?:(?:, and |, | and )[`'\"]?@?[\w\-.][^\s,;]*)*)(?P<rest>.*)$"
_CAME = re.compile(rf"^(?:add(?:s|ed|ing)?|introduc(?:e|es|ed|ing)|creat(?:e|es|ed|ing)|implement(?:s|ed)?) {_KINDS}{_LIST}", re.IGNORECASE)  # fmt: skip
_WENT = re.compile(rf"^(?:remov(?:e|es|ed|ing)|delet(?:e|es|ed|ing)|drop(?:s|ped|ping)?|get rid of) {_KINDS}{_LIST}", re.IGNORECASE)  # fmt: skip
_TESTS = re.compile(
    r"^(?:add(?:s|ed|ing)?|writ(?:e|es)|wrote) (?:\w+ ){0,3}?tests?\b(?! (?:command|method|option|helper|function|util))",
    re.IGNORECASE,
)
_SPLIT = re.compile(r", and |, | and ")
_ELSEWHERE = re.compile(
    r"^ (?:to|in|for|on|into|from) (?:\w+ ){0,3}?(?:docs?|documentation|readme|help|changelog|changes|examples?|tests?|completions?|ci\b|man\b|test\w*)",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"^ (?:support|tests?|docs?|documentation|examples?|badge|section|handling|compat\w*|warnings?|errors?|checks?|link|typing"
    r"|hints?|implementation|info|message|example|fixtures?|usage|description|note|entry|reference|docstrings?|to)\b",
    re.IGNORECASE,
)
_FLAG = re.compile(r"^--[A-Za-z][\w\-]*$")


@dataclass(frozen=True)
class Sides:
    """The text of a change before and after, in small letters."""

    change: Change

    @cached_property
    def whole(self) -> bool:
        """Whether all lines were read: only then can something be said not to be there."""
        return not self.change.cut and all(
            file.hunks or not file.added + file.removed for file in self.change.files
        )

    @cached_property
    def added(self) -> str:
        """Lines that came, paths and names that are new."""
        return self._side("+")

    @cached_property
    def removed(self) -> str:
        """Lines that went, paths and names that are gone."""
        return self._side("-")

    def _side(self, sign: str) -> str:
        parts: list[str] = []
        for file in self.change.files:
            if sign == "+" and file.kind != "removed" and file.kind != "changed":
                parts.append(file.path)
            if sign == "-" and (file.kind == "removed" or file.old_path):
                parts.append(file.old_path or file.path)
            if file.kind == "submodule":
                parts.append(file.new_id if sign == "+" else file.old_id)
            parts += [line[1:] for hunk in file.hunks for line in hunk.lines if line[0] == sign]
            for one in file.symbols:
                symbol = one.after if sign == "+" else one.before
                if symbol is not None and one.what not in ("body",):
                    parts.append(symbol.name)
        return "\n".join(parts).lower().replace("\\-", "-")

    def came(self, name: str) -> int:
        """Return how many more times a name stands in the new lines than in the old ones."""
        bare = name.lower().strip("`'\"").removesuffix("()")
        if _times(bare, self.added) + _times(bare, self.removed):
            return _times(bare, self.added) - _times(bare, self.removed)
        return self.count(name, self.added) - self.count(name, self.removed)

    @staticmethod
    def count(name: str, text: str) -> int:
        """Return how often a name stands in a text as a word of its own; if it does not, how often
        its last part does, or what an option's name is derived from."""
        bare = name.lower().strip("`'\"").removesuffix("()").lstrip("@")
        if number := _times(bare, text):
            return number
        if bare.startswith("--"):
            return sum(_times(word, text) for word in {bare[2:], bare[2:].replace("-", "_")})
        last = re.split(r"\.|::", bare)[-1]
        return 0 if last == bare or last.isdigit() else _times(last, text)


def _times(word: str, text: str) -> int:
    lead = r"(?<![\w\-])" if word[:1] == "-" else r"(?<![\w])" if word[:1].isalnum() else ""
    if word[:1].isdigit():
        lead = r"(?<![\d.])"
    return len(re.findall(rf"{lead}{re.escape(word)}(?!\w|\.\d)", text)) if word else 0


def false_claims(draft: Draft, change: Change, facts: Facts) -> list[Problem]:
    """Return what a message says was done that the lines of the change refute."""
    sides = Sides(change)
    return [
        problem
        for text in _sentences(draft)
        for problem in (*_turned(text, sides, facts), *_came_or_went(text, sides))
    ]


def _sentences(draft: Draft) -> Iterator[str]:
    bare = EMOJI.sub("", draft.subject)
    bare = re.sub(r"^\[?(?:#\d+|[A-Z][A-Z0-9]+-\d+)\]?:? +", "", bare)
    bare = CONVENTIONAL.sub("", bare, count=1)
    yield re.sub(r"^[\w./\-]{1,30}: +", "", bare)
    for line in draft.body.splitlines():
        yield re.sub(r"^\s*[-*] +", "", line)


def _turned(text: str, sides: Sides, facts: Facts) -> Iterator[Problem]:
    for pattern in _TURNED:
        for match in pattern.finditer(text):
            old, new = match["old"].rstrip(".:,"), match["new"].rstrip(".:,")
            if "/" in old and old.count("/") == new.count("/"):
                old, new = old.split("/")[0], new.split("/")[0]
            if pattern is _TURNED[1] and not (_exact(old) and _exact(new)):
                continue  # from one place to another
            if not _is_turned(old, new, sides, facts, strict=_exact(old) and _exact(new)):
                yield Problem("false_claim", f"the change does not turn {old!r} into {new!r}")


def _exact(word: str) -> bool:
    return any(character.isdigit() for character in word) or is_name(word) or word[:1] == "-"


def _is_turned(old: str, new: str, sides: Sides, facts: Facts, *, strict: bool) -> bool:
    old, new = old.lower().strip("`'\""), new.lower().strip("`'\"")
    told = [(one.before, one.after) for one in facts.dependencies]
    told += [facts.version] if facts.version else []
    if any((_bare(before), _bare(after)) == (_bare(old), _bare(new)) for before, after in told):
        return True
    if any(
        _bare(old) in (_bare(b), _bare(a)) and _bare(new) in (_bare(b), _bare(a))
        for b, a in told
        if b != a
    ) and _bare(old) != _bare(new):
        return False  # the other way round
    if sides.came(old) > 0 > sides.came(new):
        return False
    if not strict or not sides.whole:
        return True
    return bool(sides.count(_bare(old), sides.removed) and sides.count(_bare(new), sides.added))


def _bare(version: str | None) -> str:
    return re.sub(r"^[v^~=<>!\s]+(?=\d)", "", (version or "").lower())


def _came_or_went(text: str, sides: Sides) -> Iterator[Problem]:
    for pattern, sign in ((_CAME, "+"), (_WENT, "-")):
        match = pattern.match(text)
        if match is None:
            continue
        words = _SPLIT.split(match["names"])
        if _ABOUT.match(match["rest"]) and words[-1][:1] != "-":
            continue
        for word in (part for one in words for part in _parts(one)):
            name = re.split(r"[(\[=]", word.strip("`'\".:;)("))[0]
            if not _named(name, word) or not _refuted(name, sign, match["rest"], sides):
                continue
            verb = "add" if sign == "+" else "remove"
            yield Problem("false_claim", f"the change does not {verb} {name!r}")
    if _TESTS.match(text) and sides.whole and not _tested(sides.change):
        yield Problem("false_claim", "the change adds no test")


def _parts(word: str) -> list[str]:
    """``-q/--quiet`` is two names."""
    return word.split("/") if re.match(r"^[`'\"]?-{1,2}\w", word) else [word]


def _named(name: str, word: str) -> bool:
    if name.lower() in PLAIN or re.fullmatch(r"v?\d[\w.]*|", name):
        return False
    return is_name(name) or name[:2] == "--" or is_path(name) or word[:1] == "`"


def _refuted(name: str, sign: str, rest: str, sides: Sides) -> bool:
    here, there = (sides.added, sides.removed) if sign == "+" else (sides.removed, sides.added)
    if _FLAG.match(name) and not _ELSEWHERE.match(rest):
        return _option_refuted(name, sign, sides)
    if sides.count(name, here):
        return False
    return bool(sides.count(name, there)) or sides.whole


def _option_refuted(name: str, sign: str, sides: Sides) -> bool:
    """An option comes or goes only where code defines it; in a change to nothing that defines
    options, the lines say."""
    files = sides.change.files
    new, old = changed_options(files)
    here, there = (new, old) if sign == "+" else (old, new)
    if name in here or name in there:
        return name in there
    if not sides.whole:
        return False
    code = tuple(file for file in files if role(file) == "code")
    program = any(option[:2] == "--" for file in code for option in file.defines) or new or old
    text = Sides(replace(sides.change, files=code)) if program else sides
    more, less = (text.added, text.removed) if sign == "+" else (text.removed, text.added)
    derived = name.lstrip("-").replace("-", "_").lower()
    words = {derived, name.lower()}
    return not any(_times(word, more) > _times(word, less) for word in words)


def _tested(change: Change) -> bool:
    for file in change.files:
        if file.added and role(file) == "test":
            return True
        if any(
            one.what == "added" and one.symbol.short.lower().startswith("test")
            for one in file.symbols
        ):
            return True
        if any(
            re.search(r"\btests?\b|assert|>>> ", line, re.IGNORECASE)
            for hunk in file.hunks
            for line in hunk.lines
            if line[0] == "+"
        ):
            return True
    return False
