"""Small faults to put into a Python project: it still parses, and does something else."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hermes.agents.testing import tree_files
from hermes.agents.testing.pytest_settings import read_pytest_settings

_FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ASIDE = frozenset({"docs", "doc", "examples", "benchmarks", "scripts"})
"""Folders that hold nothing that a suite tests."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A file with one change."""

    path: str
    what: str
    content: bytes

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


def faults(root: Path, chance: random.Random, count: int) -> list[Fault]:
    """Return different faults, spread over files: most in the source, one in ten in the tests and
    their conftest.py, one in ten in other files that lie among them."""
    settings = read_pytest_settings(root)
    files = [path for path in sorted(tree_files.walk(root)) if path.partition("/")[0] not in _ASIDE]
    in_tests = {path.partition("/")[0] for path in files if settings.is_test(path)}
    python = [path for path in files if path.endswith(".py")]
    tests = [path for path in python if path.partition("/")[0] in in_tests]
    packages = {path.rpartition("/")[0] for path in python if path.endswith("/__init__.py")}
    source = [
        path for path in python if path not in tests and path.rpartition("/")[0] in packages
    ] or [path for path in python if path not in tests]
    data = [
        path
        for path in files
        if not path.endswith(".py")
        and (path.partition("/")[0] in in_tests or path.rpartition("/")[0] in packages)
        and 1 < (root / path).stat().st_size < 200_000
        and not path.endswith("py.typed")
    ]
    found: dict[tuple[str, bytes], Fault] = {}
    candidates: dict[str, list[_Candidate]] = {}
    for _ in range(count * 50):
        if len(found) >= count:
            break
        draw = chance.random()
        among = data if draw < 0.1 and data else tests if draw < 0.2 and tests else source
        path = chance.choice(among)
        if path not in candidates:
            candidates[path] = list(_faults_of(root, path))
        if candidates[path]:
            fault = _made(root, path, chance.choice(candidates[path]))
            if fault is not None:
                found[fault.path, fault.content] = fault
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _Candidate:
    what: str
    start: int
    """Bytes of the file, that are replaced, from here to ``end``."""
    end: int
    replacement: bytes


def _made(root: Path, path: str, candidate: _Candidate) -> Fault | None:
    content = (root / path).read_bytes()
    changed = content[: candidate.start] + candidate.replacement + content[candidate.end :]
    if path.endswith(".py"):
        try:
            ast.parse(changed)
        except (SyntaxError, ValueError):
            return None
    return Fault(path, candidate.what, changed)


def _faults_of(root: Path, path: str) -> Iterator[_Candidate]:
    content = (root / path).read_bytes()
    if not path.endswith(".py"):
        middle = len(content) // 2
        yield _Candidate("its second half is gone", middle, len(content), b"")
        yield _Candidate("a byte is inserted", middle, middle, b"7")
        return
    tree = ast.parse(content)
    starts = [0]
    for line in content.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    idle = {id(inner) for part in _idle(tree) for inner in ast.walk(part)}
    for node in ast.walk(tree):
        if id(node) in idle or not isinstance(node, ast.expr | ast.stmt):
            continue
        for what, replacement in _changes(node):
            yield _Candidate(
                f"line {node.lineno}: {what}",
                starts[node.lineno - 1] + node.col_offset,
                starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0),
                replacement.encode(),
            )


def _idle(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what does nothing when the program runs (docstrings, annotations, what is only for type
    checkers), and the parts of formatted text, which can't be replaced each for itself."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.JoinedStr)
            or isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
        ):
            yield node
        elif isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.returns is not None:
                yield node.returns
            if any("overload" in ast.unparse(each) for each in node.decorator_list):
                yield node
        elif isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield node.test
            yield from node.body


def _changes(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _FLIPPED:
        other = ast.Compare(node.left, [_FLIPPED[type(node.ops[0])](), *node.ops[1:]],
                            node.comparators)  # fmt: skip
        yield f"{ast.unparse(node)[:40]} flipped", f"({ast.unparse(other)})"
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield f"{node.value} flipped", repr(not node.value)
        elif isinstance(node.value, int):
            yield f"{node.value} one more", repr(node.value + 1)
        elif isinstance(node.value, str) and len(node.value) < 60:
            yield f"{node.value[:20]!r} altered", repr(f"{node.value}x")
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "returns None", "return None"
    elif isinstance(node, ast.Expr | ast.Assign | ast.AugAssign):
        yield f"{ast.unparse(node)[:40]} removed", "pass"
    elif isinstance(node, ast.BoolOp):
        op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        yield "and, or exchanged", f"({ast.unparse(ast.BoolOp(op, node.values))})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not removed", f"({ast.unparse(node.operand)})"
