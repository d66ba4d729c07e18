"""The tree and pyproject.toml say the same."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("agents", "daemon", "ingest", "memory", "surfaces")


def test_every_package_folder_is_listed() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = set(config["tool"]["setuptools"]["packages"])
    found = {
        "hermes." + ".".join(init.parent.relative_to(ROOT).parts)
        for folder in FOLDERS
        for init in (ROOT / folder).rglob("__init__.py")
    }
    assert listed == found | {"hermes"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_folder_with_code_is_a_package(folder: str) -> None:
    homeless = {module.parent for module in (ROOT / folder).rglob("*.py")}
    assert all((home / "__init__.py").exists() for home in homeless)


def test_the_root_ships_no_stray_module() -> None:
    assert {module.name for module in ROOT.glob("*.py")} <= {"__init__.py", "__main__.py"}


def test_the_name_for_type_checkers_is_a_link_to_the_root() -> None:
    assert os.readlink(ROOT / ".typing" / "hermes") == ".."


def test_every_module_of_the_five_floors_imports_its_neighbours_relatively() -> None:
    absolute = [
        f"{module.relative_to(ROOT)}: {line.strip()}"
        for folder in FOLDERS
        for module in (ROOT / folder).rglob("*.py")
        for line in module.read_text(encoding="utf-8").splitlines()
        if line.lstrip().startswith(("from hermes.", "import hermes."))
    ]
    assert absolute == []
