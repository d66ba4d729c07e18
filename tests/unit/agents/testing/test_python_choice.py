"""Which Python tests a change chooses, on real trees read by the real ruff."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from hermes.agents.testing import python_choice
from hermes.agents.testing.interpreters import Interpreter
from hermes.agents.testing.records import Changed, Choice, Tree

PYTHON = Interpreter(Path(sys.executable), "here", (3, 11, 0), Path(sys.prefix), True, "9")

SHOP = {
    "pyproject.toml": "[project]\nname = 'shop'\n[project.scripts]\nshop-cli = 'shop.cli:main'\n",
    "README.md": "# Shop\n",
    "src/shop/__init__.py": "",
    "src/shop/price.py": "def of(n):\n    return n * 5\n",
    "src/shop/cart.py": "from shop.price import of\n",
    "src/shop/cli.py": "from .cart import of\ndef main(): pass\n",
    "src/shop/plugins/__init__.py": (
        "from importlib import import_module\ndef load(name):\n"
        "    return import_module(f'shop.plugins.{name}')\n"
    ),
    "src/shop/plugins/red.py": "RED = 1\n",
    "src/shop/page.py": "PAGE = 'templates/page.html'\n",
    "src/shop/templates/page.html": "<p>",
    "tests/conftest.py": "",
    "tests/helpers.py": "from shop import price\n",
    "tests/data/a.json": "{}",
    "tests/data/b.bin": "0",
    "tests/test_cart.py": "from shop.cart import of\ndef test_a(): pass\n",
    "tests/test_helped.py": "import helpers\ndef test_b(): pass\n",
    "tests/test_data.py": "from pathlib import Path\nP = Path(__file__).parent / 'data' / 'a.json'\n",
    "tests/test_cli.py": "import subprocess\ndef test_c():\n    subprocess.run(['shop-cli'])\n",
    "tests/test_plugins.py": "from shop.plugins import load\ndef test_d(): load('red')\n",
    "tests/test_page.py": "import shop.page\n",
    "tests/test_alone.py": "def test_e(): pass\n",
    "tests/deep/conftest.py": "pytest_plugins = ['deep_fixtures']\n",
    "tests/deep/deep_fixtures.py": "",
    "tests/deep/test_deep.py": "def test_f(): pass\n",
}


def make(folder: Path, files: Mapping[str, str]) -> Tree:
    """Write a tree."""
    tree = Tree(folder / "tree", folder / "tree", folder / "scratch")
    for path, text in files.items():
        write(tree, path, text)
    return tree


def write(tree: Tree, path: str, text: str | None) -> None:
    file = tree.root / path
    if text is None:
        file.unlink()
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def choose(tree: Tree, *paths: str, folders: tuple[str, ...] = ()) -> Choice:
    return python_choice.choose(tree, Changed(paths, folders), PYTHON, testmon=False)


def names(choice: Choice) -> set[str]:
    return {pick.target.removeprefix("tests/").removesuffix(".py") for pick in choice.picks}


def reason(choice: Choice, test: str) -> str:
    return next(pick.why for pick in choice.picks if pick.target == test)


@pytest.mark.parametrize(
    ("changed", "chosen"),
    [
        ("src/shop/cart.py", {"test_cart", "test_cli"}),
        ("src/shop/price.py", {"test_cart", "test_cli", "test_helped"}),
        ("src/shop/cli.py", {"test_cli"}),
        ("src/shop/plugins/red.py", {"test_plugins"}),
        ("tests/helpers.py", {"test_helped"}),
        ("tests/test_alone.py", {"test_alone"}),
        ("tests/deep/conftest.py", {"deep/test_deep"}),
        ("tests/deep/deep_fixtures.py", {"deep/test_deep"}),
        ("tests/data/a.json", {"test_data"}),
        ("src/shop/templates/page.html", {"test_page"}),
        ("README.md", set[str]()),
        ("tests/__pycache__/x.pyc", set[str]()),
    ],
)
def test_a_change_chooses_what_may_depend_on_it(
    tmp_path: Path, changed: str, chosen: set[str]
) -> None:
    choice = choose(make(tmp_path, SHOP), changed)
    assert not choice.whole
    assert names(choice) == chosen


@pytest.mark.parametrize(
    "changed",
    ["pyproject.toml", "requirements/dev.txt", "uv.lock", "src/shop/fast.pyx", "src/shop/gone.py"],
)
def test_what_nobody_can_follow_chooses_everything(tmp_path: Path, changed: str) -> None:
    choice = choose(make(tmp_path, SHOP), changed)
    assert choice.whole
    assert changed in choice.why


def test_an_init_is_part_of_every_module_below_it(tmp_path: Path) -> None:
    choice = choose(make(tmp_path, SHOP), "src/shop/__init__.py")
    assert names(choice) >= {"test_cart", "test_cli", "test_helped", "test_page", "test_plugins"}
    assert "test_alone" not in names(choice)


def test_a_conftest_chooses_all_tests_beneath_it(tmp_path: Path) -> None:
    choice = choose(make(tmp_path, SHOP), "tests/conftest.py")
    assert len(choice.picks) == 8
    assert reason(choice, "tests/test_alone.py") == "its conftest.py changed"


def test_reasons_name_the_file_that_changed(tmp_path: Path) -> None:
    tree = make(tmp_path, SHOP)
    direct = choose(tree, "src/shop/cart.py")
    assert reason(direct, "tests/test_cart.py") == "imports src/shop/cart.py, which changed"
    indirect = choose(tree, "src/shop/price.py")
    assert reason(indirect, "tests/test_cart.py") == "depends on src/shop/price.py, which changed"
    data = choose(tree, "tests/data/a.json")
    assert reason(data, "tests/test_data.py") == "reads tests/data/a.json, which changed"
    assert indirect.why == "3 of 8 test files may depend on what changed"


def test_data_that_nobody_names_chooses_all_tests_near_it(tmp_path: Path) -> None:
    tree = make(tmp_path, SHOP)
    write(tree, "tests/test_data.py", "")
    assert len(choose(tree, "tests/data/b.bin").picks) == 8
    assert choose(tree, "elsewhere/c.bin").whole


def test_a_module_that_is_gone_is_known_from_before(tmp_path: Path) -> None:
    tree = make(tmp_path, SHOP)
    choose(tree, "README.md")
    python_choice.settled(tree)
    write(tree, "src/shop/price.py", None)
    write(tree, "src/shop/cart.py", "of = 1\n")
    choice = choose(tree, "src/shop/price.py")
    assert not choice.whole
    assert names(choice) == {"test_cart", "test_cli", "test_helped"}
    assert reason(choice, "tests/test_helped.py").endswith("src/shop/price.py, which is gone")


def test_a_file_half_typed_is_still_followed(tmp_path: Path) -> None:
    tree = make(tmp_path, SHOP)
    write(tree, "src/shop/cart.py", "from shop.price import of\ndef total(")
    assert names(choose(tree, "src/shop/price.py")) >= {"test_cart", "test_cli", "test_helped"}


def test_what_is_loaded_by_a_name_made_at_run_time_may_be_anything_of_its_package(
    tmp_path: Path,
) -> None:
    tree = make(tmp_path, SHOP)
    write(
        tree, "src/shop/plugins/__init__.py", "import importlib\nl = importlib.import_module(N)\n"
    )
    assert names(choose(tree, "src/shop/cli.py")) == {"test_cli", "test_plugins"}


@pytest.mark.parametrize(
    ("text", "depends"),
    [
        ("run(['python', 'tools/gen.py'])", True),
        ("run('python3 tools/gen.py --all')", True),
        ("run(['python', '-m', 'tools'])", True),
        ("import tools", False),
        ("runpy.run_path('gen.py')", True),
        ("run(['other/gen.py'])", False),
        ("# see gen.py", False),
    ],
)
def test_a_program_that_is_run_by_its_file_is_needed(
    tmp_path: Path, text: str, depends: bool
) -> None:
    tree = make(tmp_path, {"tools/gen.py": "", "tests/test_gen.py": f"{text}\n"})
    write(tree, "tools/__init__.py", "")
    write(tree, "tools/__main__.py", "from . import gen\n")
    assert bool(choose(tree, "tools/gen.py").picks) is depends


def test_the_projects_own_name_is_a_program_only_where_something_is_started(
    tmp_path: Path,
) -> None:
    tree = make(
        tmp_path,
        {
            "pyproject.toml": "[project]\nname = 'shop'\n[project.scripts]\nshop = 'shop.cli:main'\n",
            "shop/__init__.py": "",
            "shop/cli.py": "",
            "tests/running.py": "import subprocess\n",
            "tests/test_folder.py": "FOLDER = 'shop'\n",
            "tests/test_run.py": "import subprocess\ndef test(): subprocess.run(['shop'])\n",
            "tests/test_helped.py": "from running import run\ndef test(): run('shop')\n",
        },
    )
    assert names(choose(tree, "shop/cli.py")) == {"test_run", "test_helped"}


@pytest.mark.parametrize(
    ("text", "needs"),
    [
        ("importlib.import_module('prices')", True),
        ("pytest_plugins = 'prices'", True),
        ("pytest_plugins = [\n    'other',\n    'prices',\n]", True),
        ("INSTALLED_APPS = ['prices']", True),
        ("serve('prices:app')", True),
        ("WORD = 'prices'", False),
    ],
)
def test_a_word_is_a_module_only_where_modules_are_loaded(
    tmp_path: Path, text: str, needs: bool
) -> None:
    tree = make(tmp_path, {"prices.py": "", "tests/test_word.py": f"{text}\n"})
    assert names(choose(tree, "prices.py")) == ({"test_word"} if needs else set())


def test_a_document_counts_where_doctests_are_collected_from_it(tmp_path: Path) -> None:
    tree = make(tmp_path, SHOP)
    write(tree, "pytest.ini", "[pytest]\naddopts = --doctest-glob=*.md\n")
    assert [pick.target for pick in choose(tree, "README.md").picks] == ["README.md"]


def test_a_folder_that_changed_counts_with_all_that_is_in_it(tmp_path: Path) -> None:
    choice = choose(make(tmp_path, SHOP), folders=("tests/deep",))
    assert names(choice) == {"deep/test_deep"}


def test_a_package_in_a_folder_of_another_name_is_followed(tmp_path: Path) -> None:
    tree = make(
        tmp_path,
        {
            "pyproject.toml": '[tool.setuptools]\npackage-dir = { "shop" = "." }\n',
            "__init__.py": "",
            "cart.py": "",
            "other.py": "",
            "tests/__init__.py": "",
            "tests/test_cart.py": "from shop.cart import x\n",
        },
    )
    assert names(choose(tree, "cart.py")) == {"test_cart"}
    assert names(choose(tree, "other.py")) == set()


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("TEXT = (Path(__file__).parent / 'README.md').read_text()", True),
        ("TEXT = open('README.md').read()", True),
        ("def test(pytestconfig): (pytestconfig.rootpath / 'README.md').read_text()", True),
        ("def test(top): (top / 'README.md').read_text()", True),
        ("FILES = {'README.md': 'of another project that this test makes'}", False),
    ],
)
def test_a_document_is_read_by_who_can_find_the_projects_own(
    tmp_path: Path, text: str, reads: bool
) -> None:
    conftest = "HERE = Path(__file__).parent\ndef top():\n    return HERE.parent\ndef other(): 1\n"
    files = {"README.md": "", "tests/test_read.py": f"{text}\n", "tests/conftest.py": conftest}
    tree = make(tmp_path, files)
    choice = choose(tree, "README.md")
    assert names(choice) == ({"test_read"} if reads else set())
    assert not choice.whole


def test_a_data_file_whose_reader_no_test_needs_chooses_nothing(tmp_path: Path) -> None:
    files = {"demo/db.py": "open_resource('schema.sql')\n", "demo/schema.sql": "", **SHOP}
    tree = make(tmp_path, {**files, "demo/__init__.py": ""})
    assert names(choose(tree, "demo/schema.sql")) == set()


def test_what_was_read_before_is_not_read_again_and_what_is_no_more_is_forgotten(
    tmp_path: Path,
) -> None:
    tree = make(tmp_path, SHOP)
    choose(tree, "src/shop/price.py")
    python_choice.settled(tree)
    write(tree, "tests/test_alone.py", "import shop.price\n")
    assert "test_alone" in names(choose(tree, "tests/test_alone.py", "src/shop/price.py"))
    python_choice.settled(tree)
    assert "test_alone" in names(choose(tree, "src/shop/price.py"))
    write(tree, "tests/test_alone.py", "def test_e(): pass\n")
    choose(tree, "tests/test_alone.py")
    python_choice.settled(tree)
    assert names(choose(tree, "src/shop/price.py")) == {"test_cart", "test_helped", "test_cli"}
