from __future__ import annotations

from pathlib import Path

import pytest

from hermes.agents.commits.facts import facts_of
from hermes.agents.commits.records import Facts
from hermes.agents.commits.staged import read_staged
from hermes.ingest.git.command import Git
from hermes.tests.builders.git import RepoBuilder

CART = "class Cart:\n    def add(self, item):\n        self.items.append(item)\n"
TOTAL = "\n    def total(self):\n        return sum(item.price for item in self.items)\n"
PROJECT = '[project]\nname = "shop"\nversion = "1.2.0"\ndependencies = [\n    "httpx>=0.27",\n]\n'
GO = "package shop\n\nfunc upper(s string) string {\n" + "\tstep()\n" * 6 + "\treturn s\n}\n"
BODY = "".join(f"    step{number}()\n" for number in range(6))


def staged_facts(
    folder: Path, before: dict[str, str | None], after: dict[str, str | None], branch: str = "main"
) -> Facts:
    repo = RepoBuilder(folder / "shop", branch=branch)
    repo.commit({"keep.txt": "kept\n", **before})
    repo.write(after)
    repo.git("add", "--all")
    return facts_of(read_staged(Git.open(repo.path)))


CASES: dict[str, tuple[dict[str, str | None], dict[str, str | None], str, str]] = {
    "a method": ({"cart.py": CART}, {"cart.py": CART + TOTAL}, "adds Cart.total", "feat"),
    "a helper behind another function": (
        {"text.go": GO},
        {"text.go": GO + '\n// blank says so.\nfunc blank(s string) bool {\n\treturn s == ""\n}\n'},
        "adds blank",
        "fix",
    ),
    "a helper behind another, in Python": (
        {"text.py": f"def upper(text):\n{BODY}"},
        {"text.py": f"def upper(text):\n{BODY}\n\ndef _blank(text):\n    return not text\n"},
        "adds _blank",
        "fix",
    ),
    "a method gone": (
        {"cart.py": CART + TOTAL},
        {"cart.py": CART},
        "removes Cart.total",
        "refactor",
    ),
    "a class gone": (
        {"cart.py": f"x = 1\n\n\n{CART}"},
        {"cart.py": "x = 1\n"},
        "removes the Cart class",
        "refactor",
    ),
    "a function renamed": (
        {"cart.py": f"def old_name(a):\n{BODY}"},
        {"cart.py": f"def new_name(a):\n{BODY}"},
        "renames old_name to new_name",
        "refactor",
    ),
    "a parameter": (
        {"cart.py": "def get(url):\n    return url\n"},
        {"cart.py": "def get(url, timeout=10):\n    return url\n"},
        "adds timeout to get",
        "feat",
    ),
    "a default": (
        {"cart.py": "def get(url, timeout=10):\n    return url\n"},
        {"cart.py": "def get(url, timeout=30):\n    return url\n"},
        "changes the default of timeout in get from 10 to 30",
        "fix",
    ),
    "a flag renamed": (
        {"main.py": 'parser.add_argument("--fast", help="be quick")\n'},
        {"main.py": 'parser.add_argument("--quick", help="be quick")\n'},
        "renames --fast to --quick",
        "refactor",
    ),
    "an environment variable": (
        {"main.py": "import os\n"},
        {"main.py": 'import os\n\nprint(os.environ.get("SHOP_LEVEL"))\n'},
        "adds the environment variable SHOP_LEVEL",
        "feat",
    ),
    "an error raised": (
        {"cart.py": CART},
        {"cart.py": CART + "        if not item:\n            raise EmptyItem\n"},
        "raises EmptyItem in Cart.add",
        "fix",
    ),
    "one name for another": (
        {"a.py": "try:\n    f()\nexcept ValueError:\n    pass\n"},
        {"a.py": "try:\n    f()\nexcept UnknownModel:\n    pass\n"},
        "uses UnknownModel instead of ValueError in a.py",
        "fix",
    ),
    "a bump": (
        {"pyproject.toml": PROJECT},
        {"pyproject.toml": PROJECT.replace("0.27", "0.28")},
        "bumps httpx from 0.27 to 0.28",
        "build",
    ),
    "a dependency": (
        {"package.json": '{\n  "dependencies": {\n    "a": "1.0.0"\n  }\n}\n'},
        {"package.json": '{\n  "dependencies": {\n    "a": "1.0.0",\n    "b": "^2.0.0"\n  }\n}\n'},
        "adds the dependency b 2.0.0",
        "build",
    ),
    "the version": (
        {"pyproject.toml": PROJECT},
        {"pyproject.toml": PROJECT.replace("1.2.0", "1.3.0")},
        "bumps the version from 1.2.0 to 1.3.0",
        "chore",
    ),
    "a typo": (
        {"README.md": "# Shop\n\nThis is teh shop.\n"},
        {"README.md": "# Shop\n\nThis is the shop.\n"},
        "fixes a typo in README.md",
        "docs",
    ),
    "a test": (
        {"tests/test_cart.py": "def test_a_cart_adds():\n    assert 1\n"},
        {
            "tests/test_cart.py": "def test_a_cart_adds():\n    assert 1\n\n\n"
            "def test_an_empty_cart():\n    assert 2\n"
        },
        "adds a test for an empty cart",
        "test",
    ),
    "white space": (
        {"cart.py": "x = [1,2]\n"},
        {"cart.py": "x = [\n    1,\n    2,\n]\n"},
        "reformats cart.py",
        "style",
    ),
    "a comment": (
        {"cart.py": "# old words\nx = 1\n"},
        {"cart.py": "# a different text\nx = 1\n"},
        "updates comments in cart.py",
        "docs",
    ),
    "a file moved": (
        {"a.txt": "one\ntwo\nthree\n"},
        {"a.txt": None, "notes/a.txt": "one\ntwo\nthree\n"},
        "moves a.txt to notes/",
        "docs",
    ),
    "the lock file": ({"uv.lock": "a\n"}, {"uv.lock": "b\n"}, "updates the lock file", "chore"),
    "a setting": (
        {"tool.toml": "[tool]\nlevel = 1\n"},
        {"tool.toml": "[tool]\nlevel = 2\n"},
        "changes level from 1 to 2 in tool.toml",
        "chore",
    ),
    "the changelog tells": (
        {"CHANGES.md": "# 1.3\n\n- Old entry.\n", "cart.py": CART},
        {
            "CHANGES.md": "# 1.3\n\n- Old entry.\n- Fix the total of an empty cart. (#12)\n",
            "cart.py": CART + "\n    x = 1\n",
        },
        "fixes the total of an empty cart",
        "fix",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_most_telling_fact_comes_first(name: str, tmp_path: Path) -> None:
    before, after, first, kind = CASES[name]

    facts = staged_facts(tmp_path, before, after)

    assert facts.statements[0] == first
    assert facts.kind == kind
    assert facts.reason


def test_lock_files_are_an_aside(tmp_path: Path) -> None:
    facts = staged_facts(
        tmp_path,
        {"pyproject.toml": PROJECT, "uv.lock": "a\n"},
        {"pyproject.toml": PROJECT.replace("0.27", "0.28"), "uv.lock": "b\n"},
    )

    assert facts.aside == "updates the lock file"
    assert facts.statements[0].startswith("bumps httpx")
    (dependency,) = facts.dependencies
    assert (dependency.name, dependency.before, dependency.after) == ("httpx", "0.27", "0.28")


def test_a_branch_says_the_kind(tmp_path: Path) -> None:
    facts = staged_facts(tmp_path, {"cart.py": CART}, {"cart.py": CART + TOTAL}, "fix/482-total")

    assert (facts.kind, facts.reason) == ("fix", "the branch's name")


def test_nothing_staged_has_no_facts(tmp_path: Path) -> None:
    assert staged_facts(tmp_path, {}, {}).statements == ()


@pytest.mark.parametrize(
    ("path", "before", "after", "name", "old", "new"),
    [
        ("go.mod", "require golang.org/x/net v0.1.0", "require golang.org/x/net v0.2.0", "golang.org/x/net", "v0.1.0", "v0.2.0"),
        ("Cargo.toml", 'libc = "0.2"', 'libc = "0.3"', "libc", "0.2", "0.3"),
        ("Cargo.toml", 'nix = { version = "0.2", features = ["fs"] }', 'nix = { version = "0.3", features = ["fs"] }', "nix", "0.2", "0.3"),
        ("Gemfile", 'gem "rails", "~> 7.0"', 'gem "rails", "~> 7.1"', "rails", "7.0", "7.1"),
        ("requirements.txt", "click==8.0", "click==8.1", "click", "8.0", "8.1"),
        ("setup.cfg", "    click>=8.0,<9", "    click>=8.1,<9", "click", ">=8.0,<9", ">=8.1,<9"),
        (".github/workflows/a.yml", "  - uses: actions/checkout@v4", "  - uses: actions/checkout@v5", "actions/checkout", "v4", "v5"),
    ],
)  # fmt: skip
def test_manifests_are_read(
    tmp_path: Path, path: str, before: str, after: str, name: str, old: str, new: str
) -> None:
    facts = staged_facts(tmp_path, {path: f"{before}\n"}, {path: f"{after}\n"})

    (dependency,) = facts.dependencies
    assert (dependency.name, dependency.before, dependency.after) == (name, old, new)
