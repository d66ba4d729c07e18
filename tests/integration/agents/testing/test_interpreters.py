"""Which Python and Node.js a project means, found in real environments."""

from __future__ import annotations

import base64
import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes.agents.testing.framework import EnvironmentBroken
from hermes.agents.testing.interpreters import find_python
from hermes.agents.testing.node import find_node
from hermes.tests.builders.python_project import make_environment


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder, and a home of the test's own."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in (
        *("UV_PROJECT_ENVIRONMENT", "WORKON_HOME", "PYENV_ROOT", "CONDA_EXE", "NVM_DIR"),
        *("POETRY_VIRTUALENVS_PATH", "POETRY_CACHE_DIR", "MAMBA_ROOT_PREFIX", "HATCH_DATA_DIR"),
    ):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "My project"
    folder.mkdir()
    return folder


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def short_hash(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()[:8]


def poetry(work: Path) -> Path:
    write(work / "pyproject.toml", '[tool.poetry]\nname = "Shop App"\n')
    cache = Path(os.environ["HOME"], ".cache/pypoetry/virtualenvs")
    return cache / f"shop_app-{short_hash(os.path.realpath(work))}-py3.11"


def pipenv(work: Path) -> Path:
    write(work / "Pipfile", "")
    made = Path(os.environ["HOME"], ".local/share/virtualenvs")
    return made / f"My_project-{short_hash(str(work / 'Pipfile'))}"


def conda(work: Path) -> Path:
    write(work / "environment.yml", "channels: [x]\nname: shop  # comment\n")
    return Path(os.environ["HOME"], "miniconda3/envs/shop")


def hatch(work: Path) -> Path:
    write(work / "pyproject.toml", '[project]\nname = "Shop_App"\n[tool.hatch.envs.default]\n')
    made = Path(os.environ["HOME"], ".local/share/hatch/env/virtual/shop-app")
    return made / short_hash(os.path.realpath(work)) / "hatch-test.py3.11"


def pyenv(work: Path) -> Path:
    write(work / ".python-version", "# chosen\n3.11\n")
    return Path(os.environ["HOME"], ".pyenv/versions/3.11.9")


def tox(work: Path) -> Path:
    return work / ".tox/py311"


def uv(work: Path) -> Path:
    os.environ["UV_PROJECT_ENVIRONMENT"] = "made/here"
    return work / "made/here"


def pdm(work: Path) -> Path:
    write(work / ".pdm-python", str(work.parent / "pdm-made/bin/python"))
    return work.parent / "pdm-made"


def named(work: Path) -> Path:
    return work / "any-name"


def pointed(work: Path) -> Path:
    write(work / ".venv", str(work.parent / "elsewhere"))
    return work.parent / "elsewhere"


Where = Callable[[Path], Path]
PLACES: list[tuple[Where, str]] = [
    (lambda work: work / ".venv", ".venv"),
    (lambda work: work / "venv", "venv"),
    (lambda work: work / "env", "env"),
    (named, "any-name"),
    (pointed, ".venv"),
    (uv, "made/here"),
    (pdm, "pdm"),
    (poetry, "poetry"),
    (pipenv, "pipenv"),
    (conda, "conda (shop)"),
    (hatch, "hatch"),
    (pyenv, "pyenv (3.11.9)"),
    (tox, ".tox"),
]


@pytest.mark.parametrize(("where", "origin"), PLACES)
def test_the_projects_own_python_is_found(
    work: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: Where,
    origin: str,
) -> None:
    monkeypatch.setenv("UV_PROJECT_ENVIRONMENT", "")
    folder = where(work)
    make_environment(folder)
    found = find_python(work)
    assert (found.path, found.origin) == (folder / "bin/python", origin)
    assert found.version == sys.version_info[:3]
    assert found.is_venv
    assert found.prefix == folder
    assert found.pytest == pytest.__version__


def test_ours_is_never_taken_for_the_projects(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    monkeypatch.setenv("PATH", f"{sys.prefix}/bin")
    with pytest.raises(EnvironmentBroken, match=r"no Python for this project: make one with"):
        find_python(work)


def test_an_environment_of_tox_stands_in_for_one_without_pytest_and_the_path_does_not(
    work: Path,
) -> None:
    site = make_environment(work / ".venv")
    (site / "ours.pth").unlink()
    with pytest.raises(
        EnvironmentBroken, match=r"^\.venv has no pytest: run .* -m pip install pytest$"
    ):
        find_python(work)
    make_environment(work / ".tox/py311")
    assert find_python(work).origin == ".tox"


def test_what_is_installed_later_is_seen(work: Path) -> None:
    site = make_environment(work / ".venv")
    text = (site / "ours.pth").read_text()
    (site / "ours.pth").unlink()
    with pytest.raises(EnvironmentBroken):
        find_python(work)
    (site / "ours.pth").write_text(text)
    assert find_python(work).pytest
    assert find_python(work) is find_python(work)


def _relink(venv: Path, to: str) -> None:
    (venv / "bin/python").unlink()
    (venv / "bin/python").symlink_to(to)


def _script(venv: Path, text: str) -> Path:
    (venv / "bin/python").unlink()
    write(venv / "bin/python", f"#!/bin/sh\n{text}\n")
    os.chmod(venv / "bin/python", 0o755)
    return venv / "bin/python"


def _unlink_all(venv: Path) -> None:
    for python in (venv / "bin").glob("python*"):
        python.unlink()


Breaking = Callable[[Path], object]
BROKEN: list[tuple[Breaking, str]] = [
    (
        lambda venv: _unlink_all(venv),
        r"^\.venv is broken: .*/\.venv/bin/python is not there; make it again$",
    ),
    (
        lambda venv: _relink(venv, "/nowhere/python3"),
        r"^\.venv is broken: .*/python points at /nowhere/python3, which is gone; make it again",
    ),
    (
        lambda venv: (venv / "pyvenv.cfg").write_text("home = /nowhere/bin\n"),
        r"^\.venv is broken: the Python it was made from, /nowhere/bin, is gone; make it",
    ),
    (
        lambda venv: _script(venv, "echo 'Fatal Python error: no encodings' >&2; exit 1"),
        r"^\.venv is broken: .*python does not run \(Fatal Python error: no encodings\)",
    ),
    (lambda venv: _script(venv, "echo hello"), r"^\.venv is broken: .*python does not run"),
    (
        lambda venv: os.chmod(_script(venv, "true"), 0o600),
        r"^\.venv is broken: .*python can't be started \(Permission denied\); make it again",
    ),
    (
        lambda venv: _script(
            venv,
            'echo \'{"version": [3, 7, 1], "installed": {}, "prefix": "", "base": "",'
            ' "folders": [], "python": ""}\'',
        ),
        r"^\.venv has Python 3\.7: 3\.8 or newer is needed",
    ),
]


@pytest.mark.parametrize(("breaking", "said"), BROKEN)
def test_a_broken_environment_is_told_in_one_line(
    work: Path, breaking: Breaking, said: str
) -> None:
    make_environment(work / ".venv")
    breaking(work / ".venv")
    with pytest.raises(EnvironmentBroken, match=said) as caught:
        find_python(work)
    assert "\n" not in str(caught.value)


def test_the_node_that_the_project_asks_for_is_found(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = Path(os.environ["HOME"], ".nvm/versions/node")
    for version in ("v18.1.0", "v18.20.3", "v22.4.0"):
        write(versions / version / "bin/node", "")
        os.chmod(versions / version / "bin/node", 0o755)
    write(work / ".nvmrc", "v18\n")
    assert find_node(work) == versions / "v18.20.3/bin/node"
    write(work / ".nvmrc", "lts/*\n")
    monkeypatch.setenv("PATH", str(work))
    assert find_node(work) == versions / "v22.4.0/bin/node"
    (work / ".nvmrc").unlink()
    write(work / "package.json", '{"volta": {"node": "18.1.0"}}')
    assert find_node(work) == versions / "v18.1.0/bin/node"
    monkeypatch.setenv("HOME", str(work))
    with pytest.raises(EnvironmentBroken, match="Node.js is not installed"):
        find_node(work)
