"""A framework that is at home in a folder of a repository: one project of several."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from . import tree_files
from .framework import Framework
from .records import Case, Changed, Choice, Ended, Failure, Invocation, Pick, Report, Tree

_SOURCE = (
    *(".py", ".toml", ".cfg", ".txt", ".json", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs"),
    *(".mod", ".work", ".go", ".rs", ".ini", ".yaml", ".yml"),
)
_DOCUMENTS = (".md", ".mdx", ".rst", ".adoc", ".txt")


class Nested:
    """Runs a framework in ``folder``; paths and ids are the whole worktree's on the outside.

    What changes in another project of the repository matters here if this project names it, or
    names one that does. What changes outside of all projects, but for documents, matters always.
    """

    def __init__(self, inner: Framework, folder: str, projects: tuple[str, ...] = ()) -> None:
        """``projects``: the folders of all projects of the repository."""
        self.name = inner.name
        self._inner = inner
        self._folder = folder
        self._projects = projects

    def choose(self, tree: Tree, changed: Changed) -> Choice:
        """Return the inner framework's choice; everything if something it stands on changed."""
        outside = self._outside(tree, changed)
        if outside:
            why = f"all of {self._folder}: {outside} changed"
            return Choice((), self._inner.name, why, whole=True)
        here = Changed(
            tuple(filter(None, map(self._in, changed.paths))),
            tuple(filter(None, map(self._in, changed.folders))),
            changed.whole
            or any(self._folder.startswith(f"{path.rstrip('/')}/") for path in changed.folders)
            or self._folder in changed.folders,
        )
        if not (here.paths or here.folders or here.whole):
            return Choice((), self._inner.name, f"nothing that {self._folder} needs changed")
        return self._out(self._inner.choose(self._tree(tree), here))

    def invocation(self, tree: Tree, choice: Choice) -> Invocation:
        """Return the inner framework's process."""
        return self._inner.invocation(self._tree(tree), self._choice(choice))

    def read(self, tree: Tree, choice: Choice, ended: Ended) -> Report:
        """Return what the inner framework read, named as the whole worktree names it."""
        report = self._inner.read(self._tree(tree), self._choice(choice), ended)
        return replace(
            report,
            cases=tuple(map(self._case, report.cases)),
            collected={self._named(path): why for path, why in report.collected.items()},
        )

    def _tree(self, tree: Tree) -> Tree:
        return Tree(
            tree.root / self._folder,
            tree.worktree / self._folder,
            tree.scratch / "projects" / self._folder.replace("/", "+"),
        )

    def _in(self, path: str) -> str:
        return path.removeprefix(f"{self._folder}/") if self._is_inside(path) else ""

    def _is_inside(self, path: str) -> bool:
        return path.startswith(f"{self._folder}/")

    def _named(self, inside: str) -> str:
        return f"{self._folder}/{inside}"

    def _out(self, choice: Choice) -> Choice:
        picks = tuple(Pick(self._named(pick.target), pick.why) for pick in choice.picks)
        return replace(choice, picks=picks)

    def _choice(self, choice: Choice) -> Choice:
        picks = (Pick(self._in(pick.target), pick.why) for pick in choice.picks)
        return replace(choice, picks=tuple(pick for pick in picks if pick.target))

    def _case(self, case: Case) -> Case:
        return replace(
            case,
            id=self._named(case.id),
            failure=self._failure(case.failure) if case.failure else None,
        )

    def _failure(self, failure: Failure) -> Failure:
        return replace(
            failure,
            path=self._named(failure.path) if failure.path else "",
            frames=tuple((self._named(path), line) for path, line in failure.frames),
        )

    def _outside(self, tree: Tree, changed: Changed) -> str:
        """Return something outside that changed and that this project may stand on; or nothing."""
        paths = [
            path
            for path in (*changed.paths, *(f"{folder}/" for folder in changed.folders))
            if not self._is_inside(path)
            and not f"{self._folder}/".startswith(path)
            and tree_files.counts(path)
            and not path.endswith(_DOCUMENTS)
            and not path.startswith(".github/")
        ]
        if not paths:
            return ""
        others = {path: self._project_of(path) for path in paths}
        needed = _needed(tree, self._folder, self._projects) if any(others.values()) else set[str]()
        for path, project in others.items():
            if not project or project in needed:
                return path
        return ""

    def _project_of(self, path: str) -> str:
        inside = [project for project in self._projects if path.startswith(f"{project}/")]
        return max(inside, key=len, default="")


def _needed(tree: Tree, folder: str, projects: tuple[str, ...]) -> set[str]:
    """Return the projects that one names, and those that they name, in any number of steps."""
    names = {project: _names(tree, project) for project in projects}
    found: set[str] = set()
    waiting = [folder]
    while waiting:
        at = waiting.pop()
        text = "\n".join(
            tree_files.read_text(tree.root / at, path)
            for path in tree_files.walk(tree.root / at)
            if path.endswith(_SOURCE)
        ).lower()
        for project, pattern in names.items():
            if project not in found and project not in (at, folder) and pattern.search(text):
                found.add(project)
                waiting.append(project)
    return found


def _names(tree: Tree, project: str) -> re.Pattern[str]:
    """Return a pattern of what a project goes by: its folder's name, and what it calls itself."""
    words = {project.rpartition("/")[2]}
    patterns: Mapping[str, str] = {
        "pyproject.toml": r'^name\s*=\s*["\']([^"\']+)',
        "Cargo.toml": r'^name\s*=\s*["\']([^"\']+)',
        "package.json": r'^\s*"name"\s*:\s*"([^"]+)"',
        "go.mod": r"^module\s+(\S+)",
        "setup.cfg": r"^name\s*=\s*(\S+)",
    }
    for file, pattern in patterns.items():
        text = tree_files.read_text(tree.root / project, file)
        words.update(re.findall(pattern, text, re.MULTILINE)[:1])
    for path in tree_files.walk(tree.root / project):
        if path.endswith("/__init__.py") and path.count("/") <= 2:
            words.add(path.split("/")[-2])
    words -= {"src", "tests", "test", "lib", ""}
    spelt = [
        re.escape(word.lower()).replace(r"\-", "[-_.]").replace("_", "[-_.]") for word in words
    ]
    return re.compile(rf"(?<![\w])(?:{'|'.join(spelt) or '(?!)'})(?![\w])")
