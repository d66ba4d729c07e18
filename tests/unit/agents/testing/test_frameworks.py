"""Which frameworks a repository has, and projects that lie below its top."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.agents.project_settings import ProjectSettings, ProjectTests
from hermes.agents.testing.frameworks import detect
from hermes.agents.testing.nested import Nested
from hermes.agents.testing.records import (
    Case,
    Changed,
    Choice,
    Ended,
    Failure,
    Invocation,
    Mark,
    Pick,
    Report,
    State,
    Tree,
)

JEST = '{"devDependencies": {"jest": "30"}}'


def make(folder: Path, files: dict[str, str]) -> Tree:
    for path, text in files.items():
        file = folder / "tree" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return Tree(folder / "tree", folder / "tree", folder / "scratch")


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"README.md": ""}, []),
        ({"pyproject.toml": "", "shop.py": ""}, []),
        ({"pyproject.toml": "", "tests/test_a.py": ""}, ["pytest"]),
        ({"test_a.py": ""}, ["pytest"]),
        ({"package.json": JEST}, ["jest"]),
        ({"package.json": '{"scripts": {"test": "vitest run"}}'}, ["vitest"]),
        ({"package.json": "{}"}, []),
        ({"package.json": "not JSON"}, []),
        ({"go.mod": ""}, ["go"]),
        ({"Cargo.toml": ""}, ["cargo"]),
        ({"pyproject.toml": "", "tests/test_a.py": "", "package.json": JEST}, ["pytest", "jest"]),
        (
            {"pyproject.toml": "", "tests/test_a.py": "", "web/package.json": JEST},
            ["pytest", "jest"],
        ),
        (
            {"packages/a/pyproject.toml": "", "packages/a/tests/test_a.py": "", "go.mod": ""},
            ["go", "pytest"],
        ),
        ({"a/b/c/pyproject.toml": "", "a/b/c/tests/test_a.py": ""}, []),
    ],
)
def test_what_lies_in_a_repository_tells_its_frameworks(
    tmp_path: Path, files: dict[str, str], found: list[str]
) -> None:
    tree = make(tmp_path, files)
    tree.root.mkdir(exist_ok=True)
    assert [framework.name for framework in detect(tree, ProjectSettings())] == found


def test_a_configured_command_stands_alone(tmp_path: Path) -> None:
    tree = make(tmp_path, {"go.mod": "", "pyproject.toml": "", "tests/test_a.py": ""})
    settings = ProjectSettings(tests=ProjectTests(command=("make", "test")))
    assert [framework.name for framework in detect(tree, settings)] == ["command"]
    off = ProjectSettings(tests=ProjectTests(enabled=False))
    assert detect(tree, off) == ()


class Recording:
    """A framework that picks each file that it is told of."""

    name = "pytest"

    def choose(self, tree: Tree, changed: Changed) -> Choice:
        return Choice(tuple(Pick(path, "changed") for path in changed.paths), "imports", "")

    def invocation(self, tree: Tree, choice: Choice) -> Invocation:
        return Invocation(tuple(pick.target for pick in choice.picks), tree.root, {})

    def read(self, tree: Tree, choice: Choice, ended: Ended) -> Report:
        failure = Failure("E", "m", "test_a.py", 3, frames=(("test_a.py", 3),))
        return Report(
            State.RED, (Case("test_a.py::t", Mark.FAILED, 0, failure),), collected={"x.py": "no"}
        )


def test_a_nested_project_is_named_from_the_top(tmp_path: Path) -> None:
    tree = make(tmp_path, {"packages/a/test_a.py": ""})
    nested = Nested(Recording(), "packages/a", ("packages/a",))
    choice = nested.choose(tree, Changed(("packages/a/test_a.py",)))
    assert [pick.target for pick in choice.picks] == ["packages/a/test_a.py"]
    made = nested.invocation(tree, choice)
    assert (made.argv, made.folder) == (("test_a.py",), tree.root / "packages/a")
    report = nested.read(tree, choice, Ended(1, 1.0, ""))
    assert report.cases[0].id == "packages/a/test_a.py::t"
    assert report.cases[0].failure is not None
    assert report.cases[0].failure.frames == (("packages/a/test_a.py", 3),)
    assert report.collected == {"packages/a/x.py": "no"}


@pytest.mark.parametrize(
    ("changed", "whole"),
    [
        ("packages/core/core.py", True),
        ("packages/base/base.py", True),
        ("packages/other/other.py", False),
        ("shared.yaml", True),
        ("README.md", False),
    ],
)
def test_a_nested_project_runs_for_the_projects_it_names(
    tmp_path: Path, changed: str, whole: bool
) -> None:
    tree = make(
        tmp_path,
        {
            "packages/a/pyproject.toml": '[project]\nname = "a"\ndependencies = ["core"]\n',
            "packages/core/pyproject.toml": '[project]\nname = "core"\n',
            "packages/core/core.py": "import base\n",
            "packages/base/base.py": "",
            "packages/other/other.py": "",
        },
    )
    projects = ("packages/a", "packages/base", "packages/core", "packages/other")
    choice = Nested(Recording(), "packages/a", projects).choose(tree, Changed((changed,)))
    assert choice.whole is whole
    assert choice.picks == ()
