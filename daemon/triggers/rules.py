"""The rules of one ignore file, asked about one path at a time: quick where none of them matches.

The language is translated by pathspec. Its own matching also says of what lies in a folder that it
matches; git asks about the folder first and enters only what is not ignored, and so do we.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import pathspec

_ANYWHERE = "^(?:.+/)?"
"""How pathspec begins what may lie in any folder."""
_ENDS = ("(?:(?P<ps_d>/)|$)", "(?P<ps_d>/)")
_ANYTHING = {".": ".+", "(?P<ps_d>/)": ".+/"}
"""How pathspec writes ``*`` and ``*/``, and what fits such an item as a whole."""


class Rules:
    """Compiled lines of a .gitignore. False if there are none."""

    def __init__(self, lines: Sequence[str]) -> None:
        """As git does, pass over a line that makes no sense."""
        self._rules: list[tuple[bool, bool, re.Pattern[str]]] = []
        for include, text in _translated(lines):
            by_name, expression = _of_item(text)
            self._rules.insert(0, (include, by_name, re.compile(expression, re.DOTALL)))
        self._names = _any_of(rule.pattern for _, by_name, rule in self._rules if by_name)
        self._paths = _any_of(rule.pattern for _, by_name, rule in self._rules if not by_name)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def say(self, path: str, start: int) -> bool | None:
        """Return True for ignored, False for expressly not, None for nothing said.

        ``path`` has a ``/`` at its end if it is a folder; it counts from ``start`` on.
        """
        name = path.rfind("/", start, len(path) - 1) + 1 or start
        if not (
            (self._names is not None and self._names.fullmatch(path, name))
            or (self._paths is not None and self._paths.fullmatch(path, start))
        ):
            return None
        for include, by_name, rule in self._rules:  # the last line of the file is the first here
            if rule.fullmatch(path, name if by_name else start):
                return include
        return None


def _translated(lines: Sequence[str]) -> list[tuple[bool, str]]:
    """Return for each line that says something whether it ignores, and its expression."""
    found: list[tuple[bool, str]] = []
    for line in lines:
        try:
            patterns = pathspec.GitIgnoreSpec.from_lines([_as_git_reads(line)]).patterns
        except ValueError:
            continue
        found += [_expression(each) for each in patterns if each.include is not None]
    return found


def _expression(pattern: Any) -> tuple[bool, str]:
    return pattern.include, pattern.regex.pattern


def _as_git_reads(line: str) -> str:
    """``a/**`` is what lies in a, not a itself; pathspec takes it for both."""
    bare = line.rstrip()
    if bare.endswith("/**"):
        return f"{bare}/*"
    return f"{bare}*/" if bare.endswith("/**/") else line


def _of_item(text: str) -> tuple[bool, str]:
    """Given pathspec's expression, return whether it is about the name alone, and one that fits an
    item as a whole."""
    if text in _ANYTHING:
        return True, _ANYTHING[text]
    expression = text.replace("?P<ps_d>", "?:").removeprefix("^")
    tail = text.removeprefix(_ANYWHERE)
    for end in _ENDS:
        tail = tail.removesuffix(end)
    if text.startswith(_ANYWHERE) and "/" not in tail.replace("[^/]", ""):
        return True, expression.removeprefix(_ANYWHERE.removeprefix("^"))
    return False, expression


def _any_of(expressions: Iterable[str]) -> re.Pattern[str] | None:
    found = "|".join(f"(?:{expression})" for expression in expressions)
    return re.compile(found, re.DOTALL) if found else None
