"""What the changed lines say by themselves: flags, environment variables, keys, versions, and one
name put in another's place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from .mentions import is_name
from .paths import name_of, role
from .records import FileChange

_ENVIRONMENT = re.compile(
    r"""(?:environ(?:\.get|\.pop|\.setdefault)?\s*[\[(]|getenv\s*\(|[gG]etenv\(|LookupEnv\(|env::var(?:_os)?\(
    |\bENV\[|envvar\s*=\s*|process\.env\[?\.?)\s*["'`]?(?P<name>[A-Z][A-Z0-9_]{2,})""",
    re.VERBOSE,
)
_VERSION = re.compile(
    r"""^\s*(?:__version__|VERSION|Version|["']?version["']?|const\ Version)\s*(?::\s*|=\s*|:=\s*)
    ["'](?P<version>v?\d+(?:\.\w+)+(?:[-+][\w.]+)?)["']""",
    re.VERBOSE,
)
_KEYS = {
    "toml": re.compile(r"^\s*(?P<key>[A-Za-z][\w.\-]*)\s*=\s*(?P<value>.*?)\s*,?$"),
    "ini": re.compile(r"^(?P<key>[A-Za-z][\w.\-]*)\s*[=:]\s*(?P<value>.*)$"),
    "yaml": re.compile(r"^\s*(?:-\s+)?(?P<key>[A-Za-z_][\w.\-]*):(?:\s+(?P<value>.*))?$"),
    "json": re.compile(r'^\s*"(?P<key>[A-Za-z_$][\w.\-$]*)"\s*:\s*(?P<value>.*?),?\s*$'),
}
_FORMATS = {
    "toml": "toml",
    "cfg": "ini",
    "ini": "ini",
    "conf": "ini",
    "properties": "ini",
    "env": "ini",
    "yaml": "yaml",
    "yml": "yaml",
    "json": "json",
}
_TOKEN = re.compile(r"[\w.\-]*\w|\s+|.")
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class Difference:
    """Names of one sort that came and went."""

    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """A key of a settings file whose value came, went or is another; empty: not there."""

    key: str
    before: str
    after: str
    path: str


def changed(files: Iterable[FileChange], sign: str) -> Iterator[str]:
    """Yield the added (``+``) or removed (``-``) lines, without their sign."""
    for file in files:
        for hunk in file.hunks:
            for line in hunk.lines:
                if line[0] == sign:
                    yield line[1:]


def environment_variables(files: Sequence[FileChange]) -> Difference:
    """Return the environment variables that code reads now and did not, and the reverse."""
    return _difference([file for file in files if role(file) == "code"], _variables_of)


def _variables_of(line: str) -> Iterator[str]:
    for match in _ENVIRONMENT.finditer(line):
        yield match["name"]


def _difference(files: Sequence[FileChange], names: Callable[[str], Iterator[str]]) -> Difference:
    seen: dict[str, dict[str, None]] = {"+": {}, "-": {}, " ": {}}
    for file in files:
        for hunk in file.hunks:
            for line in hunk.lines:
                for name in names(line[1:]):
                    seen[line[0]][name] = None
    known = seen[" "]
    return Difference(
        tuple(name for name in seen["+"] if name not in seen["-"] and name not in known),
        tuple(name for name in seen["-"] if name not in seen["+"] and name not in known),
    )


def version_of(files: Sequence[FileChange]) -> tuple[str, str] | None:
    """Return the project's own version before and now; None where it stays."""
    for file in files:
        if role(file) not in ("manifest", "code", "config"):
            continue
        before = [m["version"] for line in changed([file], "-") if (m := _VERSION.match(line))]
        after = [m["version"] for line in changed([file], "+") if (m := _VERSION.match(line))]
        if len(before) == len(after) == 1 and before != after:
            return before[0], after[0]
    return None


def settings(files: Sequence[FileChange]) -> tuple[Setting, ...]:
    """Return the keys of settings files that came, went or have another value."""
    found: list[Setting] = []
    for file in files:
        form = _FORMATS.get(name_of(file.path).rpartition(".")[2].lower())
        if form is None or role(file) not in ("config", "ci", "manifest"):
            continue
        before = dict(_keys(_KEYS[form], changed([file], "-")))
        after = dict(_keys(_KEYS[form], changed([file], "+")))
        for key in dict.fromkeys([*before, *after]):
            if before.get(key) != after.get(key):
                found.append(Setting(key, before.get(key, ""), after.get(key, ""), file.path))
    return tuple(found)


def _keys(pattern: re.Pattern[str], lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        match = pattern.match(line)
        if match is not None:
            yield match["key"], (match["value"] or "").strip()


def pairs(files: Iterable[FileChange]) -> Iterator[tuple[str, str]]:
    """Yield lines with what stands in their place; a run of another length yields nothing."""
    for file in files:
        for hunk in file.hunks:
            old: list[str] = []
            new: list[str] = []
            for line in [*hunk.lines, " "]:
                if line[0] == "-" and not new:
                    old.append(line[1:])
                elif line[0] == "+":
                    new.append(line[1:])
                else:
                    if len(old) == len(new):
                        yield from zip(old, new, strict=True)
                    old, new = ([line[1:]] if line[0] == "-" else []), []


def replacement(files: Sequence[FileChange]) -> tuple[str, str] | None:
    """Return the name or word that another one is put in place of, if that is most of what the
    change does."""
    total = sum(file.added + file.removed for file in files)
    if not total or total > 2_000:
        return None
    counted: Counter[tuple[str, str]] = Counter()
    for old, new in pairs(files):
        counted.update(set(_replaced(old, new)))
    if not counted:
        return None
    (old, new), number = counted.most_common(1)[0]
    told = is_name(old) and is_name(new) or old[0].isdigit() or number > 1
    if not told or (new, old) in counted or {old, new} & _EVERYWHERE:
        return None
    return (old, new) if 2 * number >= 0.5 * total else None


_EVERYWHERE = frozenset(
    ["Some", "Ok", "Err", "None", "True", "False", "true", "false", "null", "nil", "self", "this"]
)
"""Words that say nothing of what stands in whose place."""


def _replaced(old: str, new: str) -> Iterator[tuple[str, str]]:
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "replace" and j - i == m - k == 1:
            was, now = before[i], after[k]
            if was[-1:].isalnum() and now[-1:].isalnum() and len(was) > 1 and len(now) > 1:
                yield was, now


def typos(files: Sequence[FileChange]) -> int:
    """Return in how many lines only the spelling of a word or two differs; 0 if there is more."""
    number = 0
    for old, new in pairs(files):
        if not _is_typo(old, new):
            return 0
        number += 1
    total = sum(file.added + file.removed for file in files)
    return number if 2 * number == total and number <= 20 else 0


def _is_typo(old: str, new: str) -> bool:
    before, after = _WORD.findall(old), _WORD.findall(new)
    if _WORD.sub("", old) != _WORD.sub("", new) or len(before) != len(after):
        return _squeezed(old) == _squeezed(new)
    different = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    return 0 < len(different) <= 2 and all(
        sorted(a.lower()) == sorted(b.lower()) or SequenceMatcher(None, a, b).ratio() >= 0.75
        for a, b in different
    )


def _squeezed(line: str) -> str:
    """A doubled word, or a letter too much in one, is gone."""
    words = line.split()
    kept = [word for index, word in enumerate(words) if index == 0 or words[index - 1] != word]
    return " ".join(kept)


_COMMENT = re.compile(r"^\s*(?:#(?!!)|//|/\*|\*/?(?:\s|$)|--\s|;|<!--|%|\"\"\"|''')")


def only_comments(files: Sequence[FileChange]) -> bool:
    """Say whether all lines that changed in code are comments."""
    lines = [line for sign in "+-" for line in changed(files, sign) if line.strip()]
    return bool(lines) and all(_COMMENT.match(line) for line in lines)


def only_space(files: Sequence[FileChange]) -> bool:
    """Say whether nothing but blanks, line ends and trailing commas changed."""
    for file in files:
        if not file.hunks or file.kind not in ("changed", "renamed"):
            return False
        for hunk in file.hunks:
            if _bare(hunk.lines, "+") != _bare(hunk.lines, "-"):
                return False
    return bool(files)


def _bare(lines: Sequence[str], sign: str) -> str:
    text = "".join(line[1:] for line in lines if line[0] == sign)
    joined = re.sub(r"\s+", "", text).replace("'", '"')
    return re.sub(r",(?=[)\]}])", "", joined)
