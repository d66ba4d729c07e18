"""Whether a changed document is better: nothing else in it has changed, and its links still lead."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection

from . import links
from .conventions import is_module
from .edits import edits_of, readable
from .records import Document, Mention, Thing


def problems(
    path: str,
    text: str,
    after: str,
    *,
    lines: Collection[int],
    name: str,
    read: Callable[[str, str], Document | None],
    exists: Callable[[str], bool],
) -> list[str]:
    """Given a document's text before and after a fix, return what speaks against the fix, each in
    one line. ``lines`` may change; ``name`` is what may be gone from them."""
    found: list[str] = []
    for edit in edits_of(text, after):
        touched = range(edit.line, edit.line + max(1, len(edit.old)))
        if not set(touched) <= set(lines) and not _is_entry(touched, lines):
            found.append(f"line {edit.line} changed too")
        if edit.new and [_end(line) for line in edit.new] != [
            _end(line) for line in edit.old[: len(edit.new)]
        ]:
            found.append(f"the line ends at line {edit.line} changed")
    before, reread = read(path, readable(text)), read(path, readable(after))
    if before is None or reread is None:
        return [*found, "it can't be read as a document any more"]
    found += _mentions(before, reread, name)
    found += _dead(before, reread, exists)
    if is_module(path) and not same_code(text, after):
        found.append("more than docstrings changed")
    return found


def _is_entry(touched: range, lines: Collection[int]) -> bool:
    """Say whether an edit begins at a line that may change: an entry that is taken out goes on
    over the lines that follow."""
    return touched.start in lines


def _end(line: str) -> str:
    body = line.rstrip("\r\n")
    return line[len(body) :]


def _mentions(before: Document, after: Document, name: str) -> list[str]:
    """Other names must be there as often as before; the fixed one may give way to a new one, with
    what is inside of it, or it of them."""
    base = name.removesuffix("()")
    wrong = [each for each in before.mentions if base in each.name]
    old = Counter(
        (each.thing, each.name)
        for each in before.mentions
        if base not in each.name
        and each.name not in _VALUES
        and not any(_is_inside(each, other) for other in wrong)
    )
    new = Counter((each.thing, each.name) for each in after.mentions)
    return [f"{each[1]} is not named any more" for each in old if new[each] < old[each]]


_VALUES = frozenset({"True", "False", "None"})
"""They go with the parameter that had them."""


def _is_inside(one: Mention, other: Mention) -> bool:
    end = other.column + len(other.name)
    return (
        one.line == other.line and other.column <= one.column and one.column + len(one.name) <= end
    )


def _dead(before: Document, after: Document, exists: Callable[[str], bool]) -> list[str]:
    known = {each.name for each in before.links}
    lost = set(before.anchors) - set(after.anchors)
    found: list[str] = []
    for link in after.links:
        path, rest = links.split(link.name)
        if rest.startswith("#") and rest[1:].lower() in lost:
            if not path or before.path in links.targets(before.path, path):
                found.append(f"{link.name} leads nowhere any more")
        elif link.name not in known and link.thing is Thing.LINK:
            meant = links.targets(after.path, link.name)
            if meant and not any(exists(each) for each in meant):
                found.append(f"{link.name} leads nowhere")
    gone = known - {each.name for each in after.links}
    return found if len(gone) <= 1 else [*found, f"{min(gone)} is not linked to any more"]


def same_code(before: str, after: str) -> bool:
    """Say whether two modules differ in their docstrings alone."""
    try:
        return _bare(before) == _bare(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _bare(text: str) -> str:
    tree = ast.parse(text.encode("utf-8", "surrogateescape"))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = node.body[0] if node.body else None
        value = first.value if isinstance(first, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            value.value = ""
    return ast.dump(tree)
