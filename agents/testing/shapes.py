"""What of a Python file runs when it is imported, what when it is called, and what outlives that.

testmon sees what runs while a test does. What ran before is recorded (see outside_tests); what
is left are functions whose effect is kept after the test that called them, in a cache or a variable of a
module: testmon ties what they run to the first test that calls them. They are told from the
source, with all that they may call; see `kept`.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_PUTS = frozenset({"setdefault", "append", "add", "update", "register", "extend"})
_OTHER_RUN = frozenset({"pytester", "testdir", "runpytest"})


@dataclass(frozen=True, slots=True)
class Shape:
    """One file of Python source, taken apart."""

    outer: str
    """A hash of what runs at import: all but the bodies of functions, and their docstrings."""
    bodies: Mapping[str, str]
    """Functions by qualified name (nested ones belong to the outermost), each body's hash."""
    calls: Mapping[str, tuple[str, ...]]
    """What each may call: ``name``, ``.method``; ``@attribute`` is called if it is a property."""
    properties: tuple[str, ...]
    imported: tuple[str, ...]
    """Names that it imports from elsewhere."""
    keeping: Mapping[str, tuple[str, ...]]
    """Functions whose effect outlives the test that calls them (caches, variables of modules), each
    with what is called for what it keeps."""
    spans: Mapping[str, Sequence[int]]
    """The first and the last line of each, decorators included."""
    runs_pytest: bool
    """It names what runs pytest in a test."""

    def function_at(self, line: int) -> str:
        """Return the function that a line is in; empty if it is in none."""
        for name, (first, last) in self.spans.items():
            if first <= line <= last:
                return name
        return ""


def read_shape(text: str) -> Shape | None:
    """Take a file apart; None if it does not parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    functions: list[tuple[str, _Function]] = []
    _collect(tree.body, "", functions)
    variables = set(_assigned(tree.body))
    bodies: dict[str, str] = {}
    calls: dict[str, tuple[str, ...]] = {}
    properties: list[str] = []
    keeping: dict[str, tuple[str, ...]] = {}
    spans: dict[str, tuple[int, int]] = {}
    docstrings: list[str] = []
    for name, function in functions:
        last_name = name.rpartition(".")[2]
        docstrings.append(ast.get_docstring(function, clean=False) or "")
        dumped = "".join(ast.dump(statement) for statement in function.body)
        bodies[name] = _hash(bodies.get(name, "") + dumped)
        called = {*calls.get(name, ()), *_calls(function.body)}
        calls[name] = tuple(sorted(called))
        if any("property" in ast.unparse(each) for each in function.decorator_list):
            properties.append(name)
        lines = [function.lineno, *(decorator.lineno for decorator in function.decorator_list)]
        first, last = spans.get(name, (min(lines), 0))
        spans[name] = (min(first, *lines), max(last, function.end_lineno or function.lineno))
        keeps = _keeps(function, variables, is_test=last_name.startswith("test"))
        if keeps is not None:
            keeping[name] = tuple(sorted({*keeping.get(name, ()), *keeps}))
    named = {*_names(tree)}
    imported = tuple(sorted({*_imported(tree)}))
    for _, function in functions:  # what is left is what runs at import
        function.body = [ast.Pass()]
    outer = ast.dump(tree) + repr(docstrings)
    return Shape(
        outer=_hash(outer),
        bodies=bodies,
        calls=calls,
        properties=tuple(properties),
        imported=imported,
        keeping=keeping,
        spans=spans,
        runs_pytest=bool(named & _OTHER_RUN),
    )


def changed_functions(before: Shape, after: Shape) -> tuple[str, ...] | None:
    """Return the functions whose bodies differ; None if what runs at import differs too."""
    if before.outer != after.outer or before.bodies.keys() != after.bodies.keys():
        return None
    return tuple(name for name, body in after.bodies.items() if before.bodies[name] != body)


def kept(
    shapes: Mapping[str, Sequence[Shape]], needs: Mapping[str, Iterable[str]]
) -> frozenset[tuple[str, str]]:
    """Return the functions, file and name, whose effect may outlive the test that calls them.

    Those that keep something, and what they may call: functions that they name, in their own file
    and in those that it needs at once. A class that is named is called, with its special methods.
    """
    found: set[tuple[str, str]] = set()
    defined = {path: _defined(versions) for path, versions in shapes.items()}
    imported = {
        path: {x for each in found for x in each.imported} for path, found in shapes.items()
    }
    waiting = [
        (path, name, calls)
        for path, versions in shapes.items()
        for each in versions
        for name, calls in each.keeping.items()
    ]
    found.update((path, name) for path, name, _ in waiting)
    while waiting:
        path, _, named = waiting.pop()
        calls = {*named}
        elsewhere = {name for name in calls if name[0] in ".@" or name in imported[path]}
        for file in (path, *needs.get(path, ())):
            here = defined.get(file, {})
            wanted = calls if file == path else elsewhere
            for other in {other for name in wanted & here.keys() for other in here[name]}:
                if (file, other) not in found:
                    found.add((file, other))
                    further = (each.calls.get(other, ()) for each in shapes[file])
                    waiting.append((file, other, tuple(chain.from_iterable(further))))
    return frozenset(found)


def _defined(versions: Iterable[Shape]) -> dict[str, set[str]]:
    """Return the functions of a file by what may call them, as `Shape.calls` writes it."""
    found: dict[str, set[str]] = {}
    for shape in versions:
        for qualified in shape.bodies:
            owner, _, name = qualified.rpartition(".")
            if owner and name.startswith("__") and name.endswith("__"):
                made = owner.rpartition(".")[2]  # when the class is called, or what it made is used
                ways = [made, f".{made}"]
            elif owner:
                ways = [f".{name}"]
            else:
                ways = [name, f".{name}"]
            if qualified in shape.properties:
                ways.append(f"@{name}")
            for way in ways:
                found.setdefault(way, set()).add(qualified)
    return found


def _collect(
    body: Iterable[ast.stmt],
    prefix: str,
    functions: list[tuple[str, _Function]],
) -> None:
    for node in body:
        if isinstance(node, _Function):
            functions.append((f"{prefix}{node.name}", node))
        elif isinstance(node, ast.ClassDef):
            _collect(node.body, f"{prefix}{node.name}.", functions)
        else:
            for field in ("body", "orelse", "finalbody"):
                _collect(getattr(node, field, ()), prefix, functions)
            for handler in getattr(node, "handlers", ()):
                _collect(handler.body, prefix, functions)


def _names(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.Attribute):
            yield inner.attr
        elif isinstance(inner, ast.alias):
            yield from inner.name.split(".")
            if inner.asname:
                yield inner.asname
        elif isinstance(inner, ast.ImportFrom) and inner.module:
            yield from inner.module.split(".")
        elif isinstance(inner, ast.arg):
            yield inner.arg  # a fixture is asked for by the name of an argument


def _calls(body: Iterable[ast.AST]) -> Iterator[str]:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call):
                given = [*node.args, *(keyword.value for keyword in node.keywords)]
                for each in (node.func, *given):
                    if isinstance(each, ast.Name):
                        yield each.id
                if isinstance(node.func, ast.Attribute):
                    yield f".{node.func.attr}"
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                yield f"@{node.attr}"


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name


def _assigned(body: Iterable[ast.stmt]) -> Iterator[str]:
    for node in body:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        for target in targets:
            for inner in ast.walk(target):
                if isinstance(inner, ast.Name):
                    yield inner.id


def _keeps(function: _Function, variables: set[str], *, is_test: bool) -> set[str] | None:
    """Return what is called for what a function keeps, so that a later test that does not call
    it may see it; None if it keeps nothing. A test leaves nothing behind on purpose."""
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        said = ast.unparse(called).lower()
        if "cache" in said or "memo" in said or "once" in said:
            return {*_calls(function.body)}
    values: list[ast.expr] = []
    if not is_test:
        shared = {
            name
            for node in ast.walk(function)
            if isinstance(node, ast.Global)
            for name in node.names
        }
        for node in ast.walk(function):
            values.extend(_stored(node, variables, shared))
    if not values:
        return None
    own = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for value in values:
        if any(isinstance(node, ast.Name) and node.id in own for node in ast.walk(value)):
            return {*_calls(function.body)}  # it was made before
    return {*_calls(values)}


def _stored(node: ast.AST, variables: set[str], shared: set[str]) -> Iterator[ast.expr]:
    """Yield what a statement puts where it outlives its function."""
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in chain.from_iterable(map(ast.walk, targets)):
            if isinstance(target, ast.Name) and target.id in shared:
                yield node.value
            if isinstance(target, ast.Subscript | ast.Attribute):
                root: ast.expr = target
                while isinstance(root, ast.Subscript | ast.Attribute):
                    root = root.value
                if isinstance(root, ast.Name) and (root.id in variables or root.id[:1].isupper()):
                    yield node.value
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _PUTS
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in variables
    ):
        yield from node.args


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
