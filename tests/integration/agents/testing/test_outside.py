"""What the recorder writes down of a real run of pytest."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from hermes.agents.testing import environment, outside
from hermes.agents.testing.outside import Outside
from hermes.agents.testing.records import Tree
from hermes.agents.testing.shapes import read_shape

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": (
        "def total(n):\n    return n\n\n"
        "def at_import():\n    return 1\n\n"
        "def parameters():\n    return [1, 2]\n\n"
        "def hook():\n    pass\n\n"
        "def set_up():\n    return 1\n\n"
        "def each_time():\n    return 1\n\n"
        "def by_late_import():\n    return 1\n\n"
        "def serve():\n    return 1\n\n"
        "class Kind:\n    def __init_subclass__(cls):\n        pass\n"
    ),
    "shop/goods.py": "from .cart import Kind, at_import\nVALUE = at_import()\nclass Fruit(Kind): pass\n",
    "shop/late.py": "from .cart import by_late_import\nVALUE = by_late_import()\n",
    "tests/conftest.py": (
        "import threading\nimport pytest\nfrom shop import cart\n\n"
        "def pytest_collection_modifyitems():\n    cart.hook()\n\n"
        "@pytest.fixture(scope='session')\ndef wide():\n"
        "    thread = threading.Thread(target=cart.serve)\n    thread.start()\n    thread.join()\n"
        "    return cart.set_up()\n\n"
        "@pytest.fixture\ndef narrow():\n    return cart.each_time()\n"
    ),
    "tests/test_a.py": (
        "import multiprocessing, os, subprocess, sys\nimport pytest\n"
        "from shop import cart, goods\n\n"
        "@pytest.mark.parametrize('n', cart.parameters())\n"
        "def test_total(n, narrow):\n    assert cart.total(n) == n\n\n"
        "def test_wide(wide):\n    assert wide\n\n"
        "def test_late():\n    import shop.late\n\n"
        "def test_run():\n    subprocess.run([sys.executable, '-c', ''], check=True)\n\n"
        "def test_shell():\n    os.system('true')\n\n"
        "def test_process():\n"
        "    each = multiprocessing.get_context('spawn').Process(target=cart.total, args=(1,))\n"
        "    each.start()\n    each.join()\n\n"
        "def test_trace():\n    sys.settrace(None)\n\n"
        "def test_machine():\n"
        "    subprocess.run(['uname'], check=True, stdout=subprocess.DEVNULL)\n"
    ),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Outside:
    """A run of all that."""
    folder = tmp_path_factory.mktemp("outside")
    tree = Tree(folder / "shop", folder / "shop", folder / "scratch")
    for name, text in FILES.items():
        (tree.root / name).parent.mkdir(parents=True, exist_ok=True)
        (tree.root / name).write_text(text)
    environment.write_startup(tree)
    startup = environment.startup_folder(tree)
    run = {"root": str(tree.root), "outside": str(outside.place(tree))}
    (startup / "run.json").write_text(json.dumps(run))
    plugin = environment.RECORDER.removesuffix(".py")
    path = f"{startup}:{tree.root}"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", plugin, f"--rootdir={tree.root}", "tests"],
        cwd=tree.root,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "9 passed" in done.stdout, done.stdout + done.stderr
    read = outside.read(tree, lambda path: read_shape((tree.root / path).read_text()))
    assert read is not None
    return read


@pytest.mark.parametrize(
    ("function", "behalf"),
    [
        ("total", None),
        ("each_time", None),  # a function's fixture is set up for each test
        ("at_import", ("shop/goods.py",)),
        ("Kind.__init_subclass__", ("shop/goods.py",)),
        ("parameters", ("tests/test_a.py",)),
        ("set_up", ("tests/conftest.py",)),
        ("by_late_import", ("shop/late.py",)),  # though a test runs it
        ("hook", ("",)),
        ("serve", ("",)),
    ],
)
def test_functions_are_told_with_the_files_on_whose_behalf_they_ran_before_tests(
    found: Outside, function: str, behalf: tuple[str, ...] | None
) -> None:
    assert found.ran.get(f"shop/cart.py::{function}") == behalf


def test_tests_are_told_that_start_other_processes(found: Outside) -> None:
    names = {test.partition("::")[2] for test in found.unseen}
    assert names == {"test_run", "test_shell", "test_process", "test_trace"}
    assert found.unseen_in == ()
