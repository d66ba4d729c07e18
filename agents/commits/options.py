"""Command-line options that code defines, read from both sides of its changed lines.

An option counts where the program declares it (``add_argument("--type")``, click's and clap's
forms, a flag of Go), not where it is only named: in a comment, a help text, an argument of a call
to another program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from .paths import role
from .records import FileChange, Hunk

_OPENS = re.compile(
    r"(?:\badd_argument|\badd_option|\bmake_option|\boption|\bOption|\bArg::new|\bArg::with_name)"
    r"\s*\((?P<rest>.*)$"
)
_LITERAL = re.compile(r"""["'`](?P<flag>--?[A-Za-z][\w\-]*)(?:[ =/,|<\[][^"'`]*)?["'`]""")
_ONLY_LITERALS = re.compile(r"""^\s*(?:["'`][^"'`]*["'`]\s*,?\s*)+(?P<end>.*)$""")
_LONG = re.compile(r"""\blong\s*(?:=\s*|\()\s*"(?P<name>[a-z][a-z0-9\-]+)\"""")
_GO = re.compile(
    r"""(?:\b(?:p?flag|flags|fs)\.|Flags\(\)\.)\w+\((?:&[\w.]+,\s*)?"(?P<name>[a-z][\w\-]*)\""""
)
_SHELL = re.compile(r"^\s*(?:-\w\|)?(?P<flag>--[a-z][\w\-]*)(?:\|-\w)?(?:=\*)?\)")
_BARE_LONG = re.compile(r"^\s*(?:#\[(?:arg|clap)\(.*\blong\b(?!\s*[=(])|long,\s*$)")
_FIELD = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?P<name>[a-z]\w*)\s*:\s*\S")
_COMMENT = re.compile(r"^\s*(?:#(?!\[)|//|\*|/\*)")
_ALIKE = 0.5
_FIELD_WITHIN = 12
"""Lines from clap's attribute to the field that it is about."""


def defined(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the options that lines of code define, each with its line's number."""
    opened = False
    derived = -1
    for number, line in enumerate(lines):
        if _COMMENT.match(line):
            continue
        match = _OPENS.search(line)
        if match is not None:
            first = re.split(r"\bhelp\b|\babout\b", match["rest"])[0]
            yield from ((number, found["flag"]) for found in _LITERAL.finditer(first))
            opened = first.strip() == "" or (
                ")" not in first and _ONLY_LITERALS.match(first) is not None
            )
        elif opened:
            only = _ONLY_LITERALS.match(line)
            if only is not None:
                yield from ((number, found["flag"]) for found in _LITERAL.finditer(line))
            opened = only is not None and ")" not in only["end"]
        for found in _LONG.finditer(line):
            yield number, f"--{found['name']}"
        for found in _GO.finditer(line):
            yield number, f"--{found['name']}"
        shell = _SHELL.match(line)
        if shell is not None:
            yield number, shell["flag"]
        if _BARE_LONG.match(line):
            derived = number
        elif 0 <= derived < number <= derived + _FIELD_WITHIN and (field := _FIELD.match(line)):
            if field["name"] not in ("long", "short", "help", "value_name"):
                yield number, f"--{field['name'].replace('_', '-')}"
            derived = -1


def changed_options(files: Sequence[FileChange]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the options that the code defines now and did not, and those that it did and does not
    any more; one that stands on both sides is neither."""
    before: dict[str, None] = {}
    after: dict[str, None] = {}
    for file in files:
        if role(file) != "code":
            continue
        for hunk in file.hunks:
            before.update((flag, None) for _, flag in defined(_side(hunk, "-")))
            after.update((flag, None) for _, flag in defined(_side(hunk, "+")))
    long = any(flag.startswith("--") for flag in (*before, *after))
    new = [flag for flag in after if flag not in before]
    old = [flag for flag in before if flag not in after]
    return tuple(_told(new, long=long)), tuple(_told(old, long=long))


def renamed_option(files: Sequence[FileChange]) -> tuple[str, str] | None:
    """Return the one option whose definition stands in the place of another one's."""
    new, old = changed_options(files)
    if len(new) != 1 or len(old) != 1:
        return None
    for file in files:
        for hunk in file.hunks:
            removed = next((one for one in hunk.lines if one[0] == "-" and old[0] in one), None)
            added = next((one for one in hunk.lines if one[0] == "+" and new[0] in one), None)
            if removed is None or added is None:
                continue
            rest = removed[1:].replace(old[0], ""), added[1:].replace(new[0], "")
            if SequenceMatcher(None, *rest, autojunk=False).ratio() >= _ALIKE:
                return old[0], new[0]
    return None


def _side(hunk: Hunk, sign: str) -> list[str]:
    return [line[1:] for line in hunk.lines if line[0] in (" ", sign)]


def _told(flags: Sequence[str], *, long: bool) -> Iterator[str]:
    """Of an option with a long name, its short one says nothing."""
    return (flag for flag in flags if flag.startswith("--") or not long)
