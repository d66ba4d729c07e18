"""Docstrings of a Python module, and plain text: what stands in backticks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .conventions import past_paragraphs
from .gathered import Gathered
from .mentions import SILENT_ROLES

_SPAN = re.compile(
    r"(?::(?P<role>[\w:.+-]+):)?(?P<ticks>`{1,2})(?!`)(?P<text>[^`\n]+)(?P=ticks)(?!`)"
)
_DIRECTIVE_PAST = re.compile(r"^\s*\.\.\s+(?:version\w+|deprecated)::")


def gather_docstrings(text: str, into: Gathered) -> bool:
    """Add what the docstrings of a module name. Return False if it is not valid Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    for first, end in _places(tree.body):
        _text(into, first, end)
    return True


_WITH_BODY = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.If, ast.Try, ast.With)


def _places(body: list[ast.stmt]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each string that stands alone, in a module or below."""
    for statement in body:
        if isinstance(statement, _WITH_BODY):
            yield from _places(statement.body)
        elif (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        ):
            yield statement.lineno, statement.end_lineno or statement.lineno


def gather_plain(text: str, into: Gathered) -> None:
    """Add what a plain text names in backticks, and its command lines."""
    _text(into, 1, len(into.lines))
    for number, line in enumerate(into.lines, 1):
        if line.lstrip().startswith("$ "):
            into.block("console", line, number)


def _text(into: Gathered, first: int, end: int) -> None:
    past: int | None = None
    for number in range(first, min(end, len(into.lines)) + 1):
        line = into.lines[number - 1]
        indent = len(line) - len(line.lstrip())
        if _DIRECTIVE_PAST.match(line):
            past = indent
        elif past is not None and line.strip() and indent <= past:
            past = None
        if past is not None:
            into.past.add(number)
        for found in _SPAN.finditer(line):
            role = found["role"] or ""
            if role.rpartition(":")[2] not in SILENT_ROLES:
                start = into.source.offset(number, found.start("text"))
                into.span(found["text"], range(start, start + len(found["text"]) + 1), role)
    block = into.lines[first - 1 : end]
    into.past.update(first - 1 + number for number in past_paragraphs(block))
