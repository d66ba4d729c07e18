"""Documents that state a parameter or a default as it was before a change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .changes import Change
from .names import COMMON, word_of
from .present import line_of, live, sample_lines
from .records import Document, Drift, Mention, Thing, Tier

_AROUND = 6
"""Lines after a mention, of the same section, in which its parameters may be told."""
_STATES = re.compile(r"default|^\s*(?:async )?(?:def|class|func|fn)\b", re.IGNORECASE)
_CALL = re.compile(r"(?<!\w)(\w+)\(\)")
_OPTION_DEFAULT = re.compile(
    r"[\"'](?P<flag>--[a-z][\w-]*)(?:/--[\w-]+)?[\"'](?P<rest>[^()]*(?:\([^()]*\)[^()]*)*?)"
    r"\bdefault\s*=\s*(?P<value>[\"'][^\"'\n]*[\"']|[\w.+-]+)"
)


@dataclass(frozen=True, slots=True)
class Altered:
    """A value or a parameter that is another one now."""

    name: str
    """Of what it belongs to: a function, a constant, an option."""
    outer: str
    """The class it is in."""
    parameter: str
    """Empty for a constant's or an option's own value."""
    old: str
    new: str
    thing: Thing
    path: str
    reason: str


def altered(change: Change, documents: Mapping[str, Document], commit: str) -> Iterator[Drift]:
    """Yield the lines that show a parameter that is gone, or a default that is another now."""
    found: dict[str, list[Altered]] = {}
    for one in [*_of_symbols(change, commit), *_of_options(change, commit)]:
        found.setdefault(one.name, []).append(one)
    if not found:
        return
    for document in documents.values():
        lines = document.text.split("\n")
        blocks = sample_lines(document)
        seen: set[tuple[int, str]] = set()
        for mention in live(document):
            for one in found.get(word_of(mention), ()):
                holder = mention.name.rpartition(word_of(mention))[0].rstrip(".").split(".")[-1]
                if not _same(holder, one):
                    continue
                number = _shown(lines, mention, one)
                if number is None or (number, one.reason) in seen:
                    continue
                if number in document.ignored or number in document.past:
                    continue
                if number in blocks and not _tells(lines[number - 1], one):
                    continue
                seen.add((number, one.reason))
                name = one.old if one.thing is Thing.SIGNATURE else one.parameter or one.name
                yield Drift(
                    document.path, number, line_of(document, number), one.thing, name,
                    Tier.LIKELY, one.reason, commit, one.new or None,
                )  # fmt: skip


def _tells(line: str, one: Altered) -> bool:
    """Say whether a line of a sample states a default: a call gives a value of its own, and what a
    program printed is of that day."""
    return one.thing is not Thing.DEFAULT or _STATES.search(line) is not None


def _same(holder: str, one: Altered) -> bool:
    """Say whether a name in a document, with what stands before it, may be the one that changed."""
    if not holder:
        return one.name.lower() not in COMMON
    if one.outer:
        return holder == one.outer
    return holder in re.split(r"[/.]", one.path)


def _of_symbols(change: Change, commit: str) -> Iterator[Altered]:
    for one, path in change.symbols:
        was, now = one.before, one.after
        if was is None or now is None or not was.public:
            continue
        where = f"in {path} since {commit[:7]}"
        outer = was.outer.rpartition(".")[2]
        old, new = dict(was.parameters), dict(now.parameters)
        if one.what == "signature":
            gone = [name for name in old if name not in new]
            come = [name for name in new if name not in old]
            for name in gone:
                other = come[0] if len(gone) == len(come) == 1 else ""
                deed = f"is {other} now" if other else "is gone"
                yield Altered(
                    was.short, outer, "", name.lstrip("*"), other.lstrip("*"), Thing.SIGNATURE, path,
                    f"the parameter {name} of {now.name} {deed}, {where}",
                )  # fmt: skip
        elif one.what == "default":
            for name, default in new.items():
                if old.get(name) and default and old[name] != default:
                    yield Altered(
                        was.short, outer, name.lstrip("*"), old[name], default, Thing.DEFAULT, path,
                        f"{name} of {now.name} defaults to {default}, was {old[name]}, {where}",
                    )  # fmt: skip
            if was.value and now.value and was.value != now.value and "\n" not in was.value:
                yield Altered(
                    was.short, outer, "", was.value, now.value, Thing.DEFAULT, path,
                    f"{now.name} defaults to {now.value}, was {was.value}, {where}",
                )  # fmt: skip


def _of_options(change: Change, commit: str) -> Iterator[Altered]:
    for file in change.files:
        if "default" not in file.old_text or not file.new_text:
            continue
        before = _option_defaults(file.old_text)
        after = _option_defaults(file.new_text)
        for flag, old in before.items():
            new = after.get(flag)
            if new and new != old:
                yield Altered(
                    flag, "", "", old, new, Thing.DEFAULT, file.new_path,
                    f"{flag} defaults to {new}, was {old}, in {file.new_path} since {commit[:7]}",
                )  # fmt: skip


def _option_defaults(text: str) -> dict[str, str]:
    """Return the defaults of options, where each is given once."""
    found: dict[str, str] = {}
    double: set[str] = set()
    for each in _OPTION_DEFAULT.finditer(text):
        if "--" in each["rest"] and re.search(r"[\"']--[a-z]", each["rest"]):
            continue  # reaches over to the next option
        if each["flag"] in found and found[each["flag"]] != each["value"]:
            double.add(each["flag"])
        found[each["flag"]] = each["value"]
    return {flag: value for flag, value in found.items() if flag not in double}


def _shown(lines: list[str], mention: Mention, one: Altered) -> int | None:
    """Return the line near a mention that shows what is not so any more; of a call that is named
    after the mention, what follows is said of that one."""
    old = one.old.strip("\"'`")
    if not old or len(old) > 60:
        return None
    for number in range(mention.line, min(mention.line + _AROUND, len(lines)) + 1):
        line = lines[number - 1]
        if number > mention.line and re.match(r"\s*#{1,6}\s|[=\-~^\"]{4,}\s*$", line):
            return None
        start = mention.column + len(mention.name) if number == mention.line else 0
        other = next((each for each in _CALL.finditer(line, start) if each[1] != one.name), None)
        at = _shows(line, start, old, one, close=number == mention.line)
        if at is not None and (other is None or at < other.start()):
            return number
        if other is not None:
            return None
    return None


def _shows(line: str, start: int, old: str, one: Altered, *, close: bool) -> int | None:
    """Return where a line shows what is not so any more; ``close``: it has the mention itself."""
    value = re.compile(rf"(?<![\w.-]){re.escape(old)}(?![\w-]|\.\w)")
    if one.thing is Thing.SIGNATURE:
        marked = re.compile(
            rf"[`(,]\s*\**{re.escape(old)}\s*[`=,):]|:param [^:]*\b{re.escape(old)}:"
            rf"|^\s*\**{re.escape(old)}\s*(?:\([^)]*\))?\s*:"
        )
        found = marked.search(line, start)
    elif one.parameter:
        named = re.search(rf"(?<!\w){re.escape(one.parameter)}(?!\w)", line)
        found = value.search(line, named.end()) if named else None
    else:
        found = value.search(line, start) if close or "default" in line.lower() else None
    return None if found is None else found.start()
