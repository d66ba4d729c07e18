"""A change taken apart: what belongs together stays so, and the plan, typed into a shell, leaves
the tree that was staged."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from hermes.agents.commits.plan import plan
from hermes.agents.commits.split import Group, split
from hermes.agents.commits.staged import read_staged
from hermes.ingest.git.command import Git
from hermes.tests.builders.git import RepoBuilder, git_environment

CODE = "".join(f"def step_{n}(value):\n    return value + {n}\n\n\n" for n in range(20))
FILES = {
    "shop/cart.py": CODE,
    "shop/order.py": 'def order(cart):\n    return cart["total"]\n',
    "shop/tax.py": "def tax(amount):\n    return amount * 0.2\n",
    "mail/send.py": "def send(text):\n    print(text)\n",
    "tests/test_tax.py": "def test_tax():\n    assert True\n",
    "docs/guide.md": "# Guide\n\nText.\n",
    "CHANGELOG.md": "# Changes\n",
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = [\n    "httpx>=0.27",\n]\n',
    "poetry.lock": "httpx 0.27\n",
    ".github/workflows/ci.yml": "on: push\n",
    "old.py": "def old():\n    return 1\n",
}


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    made = RepoBuilder(tmp_path / "shop")
    for name, value in (("user.name", "Sam Doe"), ("user.email", "sam@example.com")):
        made.config(name, value)
    made.commit(FILES, "Begin")
    return made


def apart(repo: RepoBuilder, files: Mapping[str, str | bytes | None]) -> list[Group]:
    repo.write(dict(files))
    repo.git("add", "--all")
    return split(read_staged(Git.open(repo.path)))


def named(groups: list[Group]) -> list[tuple[str, ...]]:
    return [group.paths for group in groups]


CASES: dict[str, tuple[dict[str, str | None], list[tuple[str, ...]]]] = {
    "code and what calls it": (
        {
            "shop/tax.py": "def levy(amount):\n    return amount * 0.2\n",
            "mail/send.py": "from shop.tax import levy\n\n\ndef send(text):\n    print(levy(1))\n",
        },
        [("mail/send.py", "shop/tax.py")],
    ),
    "code and its tests by name": (
        {
            "shop/tax.py": "def tax(amount):\n    return amount * 0.25\n",
            "tests/test_tax.py": "def test_it():\n    assert 1\n",
        },
        [("shop/tax.py", "tests/test_tax.py")],
    ),
    "two folders that have nothing to do with each other": (
        {
            "shop/tax.py": "def tax(amount):\n    return amount * 0.25\n",
            "mail/send.py": "def send(text):\n    print(text, end='')\n",
        },
        [("mail/send.py",), ("shop/tax.py",)],
    ),
    "one folder": (
        {
            "shop/tax.py": "def tax(amount):\n    return amount * 0.25\n",
            "shop/order.py": 'def order(cart):\n    return cart["sum"]\n',
        },
        [("shop/order.py", "shop/tax.py")],
    ),
    "a document that names the code": (
        {
            "shop/tax.py": "def levy(amount):\n    return amount * 0.2\n",
            "docs/guide.md": "# Guide\n\nCall `levy`.\n",
        },
        [("docs/guide.md", "shop/tax.py")],
    ),
    "a document of its own": (
        {
            "shop/tax.py": "def tax(amount):\n    return amount * 0.25\n",
            "docs/guide.md": "# Guide\n\nBetter text.\n",
        },
        [("shop/tax.py",), ("docs/guide.md",)],
    ),
    "a dependency with its lock, and the workflow": (
        {
            "pyproject.toml": FILES["pyproject.toml"].replace("0.27", "0.28"),
            "poetry.lock": "httpx 0.28\n",
            ".github/workflows/ci.yml": "on: pull_request\n",
            "shop/tax.py": "def tax(amount):\n    return amount * 0.25\n",
        },
        [("poetry.lock", "pyproject.toml"), ("shop/tax.py",), (".github/workflows/ci.yml",)],
    ),
    "spaces apart from what they mean": (
        {
            "shop/order.py": 'def order( cart ):\n    return cart[ "total" ]\n',
            "mail/send.py": "def send(text):\n    print(text, end='')\n",
        },
        [("shop/order.py",), ("mail/send.py",)],
    ),
    "a file that is gone": ({"old.py": None}, [("old.py",)]),
    "one hunk": (
        {"shop/tax.py": "def tax(amount):\n    return amount * 0.3\n"},
        [("shop/tax.py",)],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_what_belongs_together_is_one_commit(
    repo: RepoBuilder, case: tuple[dict[str, str | None], list[tuple[str, ...]]]
) -> None:
    files, wanted = case
    groups = apart(repo, files)
    assert named(groups) == wanted
    assert groups == split(read_staged(Git.open(repo.path)))  # the same each time


def test_nothing_staged_is_no_group(repo: RepoBuilder) -> None:
    assert apart(repo, {}) == []


def test_hunks_of_one_file_part_where_each_goes_with_another_file(repo: RepoBuilder) -> None:
    code = CODE.replace("def step_0(", "def first_step(").replace("def step_19(", "def last_step(")
    groups = apart(
        repo,
        {
            "shop/cart.py": code,
            "shop/order.py": "from cart import first_step\n",
            "mail/send.py": "from cart import last_step\n",
        },
    )
    assert sorted(named(groups)) == [
        ("mail/send.py", "shop/cart.py"),
        ("shop/cart.py", "shop/order.py"),
    ]


@pytest.mark.parametrize("partly", [False, True])
def test_the_plan_makes_of_the_index_what_was_staged(
    repo: RepoBuilder, tmp_path: Path, partly: bool
) -> None:
    code = CODE.replace("def step_0(", "def first_step(").replace("def step_19(", "def last_step(")
    groups = apart(
        repo,
        {
            "shop/cart.py": code.removesuffix("\n"),
            "shop/order.py": "from cart import first_step\n",
            "mail/send.py": "from cart import last_step\n",
            "docs/it's new.md": "New.\n",
            "old.py": None,
            "CHANGELOG.md": "# Changes\n\nMore.\n",
        },
    )
    assert len(groups) > 2
    if partly:  # what is not staged must stay as it is
        repo.write({"shop/cart.py": "half done\n", "shop/tax.py": "half done\n"})
    wanted, before = repo.git("write-tree"), repo.head()
    status = repo.git("status", "--short", "--", "shop")
    made = plan(Git.open(repo.path), groups, [f"Step {n}" for n in range(len(groups))])
    assert repo.git("write-tree") == wanted  # the plan is only printed
    lines = [*made.first, *(command for step in made.steps for command in step.commands)]
    done = subprocess.run(
        ["sh", "-e"],
        input="\n".join(lines).encode(),
        cwd=repo.path,
        env=git_environment() | {"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert repo.git("rev-parse", "HEAD^{tree}") == wanted
    subjects = repo.git("log", "--format=%s", f"{before}..HEAD").splitlines()
    assert sorted(subjects) == [f"Step {n}" for n in range(len(groups))]
    if partly:
        assert status.count("MM") == 1
        assert (repo.path / "shop" / "tax.py").read_text() == "half done\n"
        assert (repo.path / "shop" / "cart.py").read_text() == "half done\n"
