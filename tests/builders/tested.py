"""A small project with tests of its own, and an environment in which they run."""

from __future__ import annotations

import sysconfig
import venv
from pathlib import Path

from .git import RepoBuilder

CART = "def total(prices):\n    return sum(prices)\n"
BROKEN_CART = "def total(prices):\n    return sum(prices) + 1\n"
PAY = "def fee(amount):\n    return amount // 100\n"
TEST_CART = (
    "from shop.cart import total\n\n\n"
    "def test_total():\n    assert total([1, 2]) == 3\n\n\n"
    "def test_nothing_costs_nothing():\n    assert total([]) == 0\n"
)
TEST_PAY = "from shop.pay import fee\n\n\ndef test_fee():\n    assert fee(500) == 5\n"
TOTAL = "tests/test_cart.py::test_total"
NOTHING = "tests/test_cart.py::test_nothing_costs_nothing"
FEE = "tests/test_pay.py::test_fee"


def make_tested(path: Path, *, canary: Path | None = None) -> RepoBuilder:
    """Make it at ``path``: three tests in two files, all green. Whoever runs them, or only loads
    their conftest, leaves a file at ``canary``."""
    conftest = f"open({str(canary)!r}, 'w').close()\n" if canary is not None else ""
    project = RepoBuilder(path)
    make_venv(path / ".venv")
    project.commit(
        {
            ".gitignore": ".venv/\n__pycache__/\n",
            "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
            "shop/__init__.py": "",
            "shop/cart.py": CART,
            "shop/pay.py": PAY,
            "tests/conftest.py": conftest,
            "tests/test_cart.py": TEST_CART,
            "tests/test_pay.py": TEST_PAY,
        },
        f"Begin {path.name}",
    )
    return project


def make_venv(path: Path) -> None:
    """Make an environment with what our own has, without installing anything."""
    venv.create(path, symlinks=True, with_pip=False)
    (site,) = path.glob("lib/python3*/site-packages")
    (site / "ours.pth").write_text(sysconfig.get_path("purelib") + "\n")
