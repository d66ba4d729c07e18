"""Which frameworks test a repository."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..project_settings import ProjectSettings
from . import tree_files
from .cargo import Cargo
from .command import Command
from .framework import Framework
from .go import Go
from .javascript import JavaScript, detect_javascript
from .nested import Nested
from .pytest_framework import Pytest
from .pytest_settings import read_pytest_settings
from .records import Tree

DEPTH = 2
"""How far below the top a project may lie: ``packages/a``."""

_PYTHON = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "requirements.txt")


def detect(tree: Tree, project: ProjectSettings) -> Sequence[Framework]:
    """Return the frameworks of a tree; none if nothing tells that it has tests.

    ``[tests] command`` stands alone. Otherwise each language is looked for at the top; where it
    is not there, its projects are looked for up to two folders below, each for itself. A project
    at the top takes those below it along: pytest, go and cargo find their tests by themselves.
    """
    settings = project.tests
    if not settings.enabled:
        return ()
    folder = settings.folder.strip("/")
    if settings.command:
        command = Command(settings)
        return (Nested(command, folder),) if folder else (command,)
    if folder:
        inside = Tree(tree.root / folder, tree.worktree / folder, tree.scratch)
        return tuple(Nested(found, folder) for found in _at(inside).values())
    found = _at(tree)
    below = {
        path: _at(Tree(tree.root / path, tree.worktree / path, tree.scratch))
        for path in _projects(tree)
    }
    projects = tuple(below)
    nested = [
        Nested(framework, path, projects)
        for path, frameworks in below.items()
        for language, framework in frameworks.items()
        if language not in found
        and not any(path.startswith(f"{above}/") and language in below[above] for above in below)
    ]
    return (*found.values(), *nested)


def _at(tree: Tree) -> dict[str, Framework]:
    """Return what tests the project at the top of a tree, by language."""
    table: Mapping[str, Callable[[Tree], Framework | None]] = {
        "python": _python,
        "javascript": _javascript,
        "go": _go,
        "rust": _rust,
    }
    found = {language: look(tree) for language, look in table.items()}
    return {language: framework for language, framework in found.items() if framework}


def _python(tree: Tree) -> Framework | None:
    """pytest, also for unittest's tests, which it runs too."""
    marked = any((tree.root / name).is_file() for name in _PYTHON)
    settings = read_pytest_settings(tree.root)
    tests = (path for path in tree_files.walk(tree.root) if settings.is_test(path))
    for path in tests:
        near = path.partition("/")[0] in ("test", "tests", "src") or "/" not in path
        if marked or near:
            return Pytest()
    return None


def _javascript(tree: Tree) -> Framework | None:
    kind = detect_javascript(tree)
    return JavaScript(kind) if kind else None


def _go(tree: Tree) -> Framework | None:
    has = (tree.root / "go.mod").is_file() or (tree.root / "go.work").is_file()
    return Go() if has else None


def _rust(tree: Tree) -> Framework | None:
    return Cargo() if (tree.root / "Cargo.toml").is_file() else None


def _projects(tree: Tree) -> list[str]:
    """Return the folders below the top that have a project's own file in them."""
    marks = frozenset({*_PYTHON, "package.json", "go.mod", "go.work", "Cargo.toml"})
    found: set[str] = set()
    for path in tree_files.walk(tree.root):
        folder, _, name = path.rpartition("/")
        if folder and folder.count("/") < DEPTH and name in marks and name != "requirements.txt":
            found.add(folder)
    return sorted(found)
