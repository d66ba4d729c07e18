"""What of a Python file runs when it is imported, and what runs only when it is called.

testmon sees what a test runs, so it knows nothing of what ran before: while modules were
imported, while tests were parametrized, in a fixture that an earlier test had set up, in a call
whose answer was kept. A changed function counts as seen by testmon only if its name can be reached
from none of that; see `shared_names`.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_SETUPS = frozenset({"setup_module", "setUpModule", "setUpClass", "setup_class", "pytest_plugins"})
_OTHER_PROCESS = frozenset(
    {
        *(
            "subprocess",
            "multiprocessing",
            "ProcessPoolExecutor",
            "Popen",
            "fork",
            "execv",
            "spawn",
        ),
        *("create_subprocess_exec", "create_subprocess_shell", "pexpect", "ptyprocess"),
        *("pytester", "testdir", "runpytest", "system", "popen", "script_runner", "posix_spawn"),
        *("execve", "execvp", "spawnv", "forkpty"),
    }
)
_OTHER_PYTHON = frozenset(
    {"multiprocessing", "ProcessPoolExecutor", "fork", "forkpty", "executable", "posix_spawn"}
)


@dataclass(frozen=True, slots=True)
class Shape:
    """One file of Python source, taken apart."""

    outer: str
    """A hash of what runs at import: all but the bodies of functions, and their docstrings."""
    bodies: Mapping[str, str]
    """Functions by qualified name (nested ones belong to the outermost), each body's hash."""
    outer_names: tuple[str, ...]
    """Every identifier in what runs at import."""
    body_names: Mapping[str, tuple[str, ...]]
    shared: tuple[str, ...]
    """Functions whose effect outlives the test that calls them: caches, wide fixtures, hooks."""
    spawns: bool
    """It names what starts other processes, which testmon does not see into."""
    runs_python: bool
    """It names what runs Python in another process."""


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
    body_names: dict[str, tuple[str, ...]] = {}
    shared: list[str] = []
    docstrings: list[str] = []
    for name, function in functions:
        docstrings.append(ast.get_docstring(function, clean=False) or "")
        dumped = "".join(ast.dump(statement) for statement in function.body)
        bodies[name] = _hash(bodies.get(name, "") + dumped)
        names = set(body_names.get(name, ()))
        for statement in function.body:
            names.update(_names(statement))
        body_names[name] = tuple(sorted(names))
        if _outlives(name.rpartition(".")[2], function, variables):
            shared.append(name)
    everything = set(_names(tree))
    for _, function in functions:  # what is left is what runs at import
        function.body = [ast.Pass()]
    outer = ast.dump(tree) + repr(docstrings)
    return Shape(
        outer=_hash(outer),
        bodies=bodies,
        outer_names=tuple(sorted(set(_names(tree)))),
        body_names=body_names,
        shared=tuple(shared),
        spawns=bool(everything & _OTHER_PROCESS),
        runs_python=bool(everything & _OTHER_PYTHON),
    )


def changed_functions(before: Shape, after: Shape) -> tuple[str, ...] | None:
    """Return the functions whose bodies differ; None if what runs at import differs too."""
    if before.outer != after.outer or before.bodies.keys() != after.bodies.keys():
        return None
    return tuple(name for name, body in after.bodies.items() if before.bodies[name] != body)


def shared_names(shapes: Iterable[Shape]) -> frozenset[str]:
    """Return every name that code could go by that runs outside of the test that depends on it.

    By name alone: two functions of one name are both in if one is. A class that is named has all
    its special methods in, since they are called without being named.
    """
    by_name: dict[str, list[tuple[str, ...]]] = {}
    special: dict[str, list[tuple[str, ...]]] = {}
    waiting: list[str] = []
    for shape in shapes:
        waiting.extend(shape.outer_names)
        for qualified, names in shape.body_names.items():
            owner, _, name = qualified.rpartition(".")
            by_name.setdefault(name, []).append(names)
            if name.startswith("__") and owner:
                special.setdefault(owner.rpartition(".")[2], []).append((*names, qualified))
        for qualified in shape.shared:
            waiting.append(qualified.rpartition(".")[2])
            waiting.extend(shape.body_names[qualified])
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if not name.startswith("__"):  # special methods follow their class
            for names in by_name.get(name, ()):
                waiting.extend(names)
        for names in special.get(name, ()):
            waiting.extend(names)
    return frozenset(found)


def seen_in_tests(functions: Collection[str], shared: frozenset[str]) -> bool:
    """Whether all of these functions run only inside of the tests that depend on them."""
    for qualified in functions:
        owner, _, name = qualified.rpartition(".")
        if qualified in shared:
            return False
        if name.startswith("__"):
            if not owner or owner.rpartition(".")[2] in shared:
                return False
        elif name in shared:
            return False
    return True


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


def _outlives(name: str, function: _Function, variables: set[str]) -> bool:
    """Whether what it does may be seen by a later test that does not call it itself."""
    if name in _SETUPS or name.startswith("pytest_"):
        return True
    for decorator in function.decorator_list:
        said = ast.unparse(decorator)
        if "cache" in said or "memo" in said or "once" in said.lower():
            return True
        if "fixture" in said and ("scope" in said or "autouse" in said):
            return True
    for node in ast.walk(function):
        if isinstance(node, ast.Global):
            return True
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            root: ast.expr = node
            while isinstance(root, ast.Subscript | ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and (root.id in variables or root.id[:1].isupper()):
                return True
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("setdefault", "append", "add", "update", "register", "extend")
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in variables
        ):
            return True
    return False


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
