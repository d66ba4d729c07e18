"""What a Python file defines. Nothing is run: the text is parsed."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence

from .symbol import MAX_VALUE, Symbol, marks_of

SUFFIXES = frozenset({".py", ".pyi", ".pyw"})

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Block = ast.If | ast.Try | ast.With
"""What may stand around a definition without being what it is in."""


def symbols(text: str) -> tuple[Symbol, ...] | None:
    """Return functions, classes, methods, module constants and class attributes, in order; None if
    the text is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in the text, say
            tree = ast.parse(text)
        return tuple(_in_body(tree.body, "", text.splitlines(), public=True))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _in_body(
    body: Sequence[ast.stmt], outer: str, lines: Sequence[str], *, public: bool
) -> Iterator[Symbol]:
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield _function(node, outer, lines, public=public)
            case ast.ClassDef():
                shown = public and _is_public(node.name)
                name = _joined(outer, node.name)
                first, last = _extent(node)
                marks = marks_of(node.name, "\n".join(lines[first - 1 : last]))
                yield Symbol(name, "class", first, last, public=shown, lines=marks)
                yield from _in_body(node.body, name, lines, public=shown)
            case ast.Assign():
                for target in node.targets:
                    yield from _constant(target, node.value, node, outer, public=public)
            case ast.AnnAssign():
                yield from _constant(node.target, node.value, node, outer, public=public)
            case ast.If() | ast.Try() | ast.With():
                for inner in _blocks_of(node):
                    yield from _in_body(inner, outer, lines, public=public)
            case _:
                pass


def _function(node: _Function, outer: str, lines: Sequence[str], *, public: bool) -> Symbol:
    first, last = _extent(node)
    return Symbol(
        _joined(outer, node.name),
        "method" if outer else "function",
        first,
        last,
        _parameters(node.args),
        ast.unparse(node.returns) if node.returns else "",
        public=public and _is_public(node.name),
        lines=marks_of(node.name, "\n".join(lines[node.body[0].lineno - 1 : last])),
    )


def _parameters(args: ast.arguments) -> tuple[tuple[str, str], ...]:
    positional = [*args.posonlyargs, *args.args]
    missing = len(positional) - len(args.defaults)
    found = [
        (arg.arg, ast.unparse(args.defaults[i - missing]) if i >= missing else "")
        for i, arg in enumerate(positional)
    ]
    if args.vararg:
        found.append((f"*{args.vararg.arg}", ""))
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        found.append((arg.arg, ast.unparse(default) if default else ""))
    if args.kwarg:
        found.append((f"**{args.kwarg.arg}", ""))
    return tuple(found)


def _constant(
    target: ast.expr, value: ast.expr | None, node: ast.stmt, outer: str, *, public: bool
) -> Iterator[Symbol]:
    if isinstance(target, ast.Tuple | ast.List):
        for each in target.elts:
            yield from _constant(each, None, node, outer, public=public)
    elif isinstance(target, ast.Name):
        yield Symbol(
            _joined(outer, target.id),
            "constant",
            node.lineno,
            node.end_lineno or node.lineno,
            value=ast.unparse(value)[:MAX_VALUE] if value else "",
            public=public and _is_public(target.id),
        )


def _blocks_of(node: _Block) -> Iterator[Sequence[ast.stmt]]:
    yield node.body
    if isinstance(node, ast.Try):
        for handler in node.handlers:
            yield handler.body
        yield node.finalbody
    if isinstance(node, ast.If | ast.Try):
        yield node.orelse


def _extent(node: _Function | ast.ClassDef) -> tuple[int, int]:
    """First and last line, with the decorators."""
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
    return first, node.end_lineno or node.lineno


def _joined(outer: str, name: str) -> str:
    return f"{outer}.{name}" if outer else name


def _is_public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))
