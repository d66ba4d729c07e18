"""Where projects keep their Python: found by looking at files, without running any tool.

Poetry, pipenv and hatch keep environments in folders of their own, named by a hash of where the
project lies. The hashes are computed as those tools do, since asking them takes a second or more.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

MAX_BYTES = 1_000_000

Table = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Place:
    """An interpreter that a project may mean."""

    python: Path
    origin: str
    stands_in: bool = False
    """Made for testing by tox or nox: taken if the project's own has no pytest."""


def places(worktree: Path) -> Iterator[Place]:
    """Yield the project's own interpreters, best first. They may be broken."""
    project = _toml(worktree / "pyproject.toml")
    tools = _table(project.get("tool"))
    seen: set[Path] = set()
    for place in (
        *_in_worktree(worktree),
        *_named_by_pdm(worktree),
        *_poetry(worktree, project, tools),
        *_pipenv(worktree),
        *_conda(worktree),
        *_hatch(worktree, project, tools),
        *_pyenv(worktree),
        *_of_test_tools(worktree),
    ):
        if place.python not in seen:
            seen.add(place.python)
            yield place


def path_without_ours(environment: Mapping[str, str] = os.environ) -> str:
    """Return the PATH without the virtual environment that hermes itself runs in."""
    parts = environment.get("PATH", os.defpath).split(os.pathsep)
    if sys.prefix == sys.base_prefix:
        return os.pathsep.join(parts)
    ours = {os.path.join(sys.prefix, "bin"), os.path.join(sys.prefix, "Scripts")}
    return os.pathsep.join(part for part in parts if os.path.normpath(part) not in ours)


def interpreter_of(environment: Path) -> Path | None:
    """Return the interpreter of a virtual or conda environment, also a dangling one; None if the
    folder is not one."""
    for relative in ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe"):
        python = environment / relative
        if os.path.lexists(python):
            return python
    if (environment / "pyvenv.cfg").is_file():
        return environment / "bin" / "python"
    return None


def _in_worktree(worktree: Path) -> Iterator[Place]:
    told = os.environ.get("UV_PROJECT_ENVIRONMENT", "")
    names = [told] if told else []
    names += [".venv", "venv", "env", ".env", ".conda"]
    try:
        with os.scandir(worktree) as entries:
            names += sorted(
                entry.name
                for entry in entries
                if entry.is_dir() and os.path.isfile(os.path.join(entry.path, "pyvenv.cfg"))
            )
    except OSError:
        return
    for name in names:
        folder = worktree / name
        if name == ".venv" and folder.is_file():
            # A file that says where it is, as rye, pipenv and virtualenv plugins write it.
            folder = Path(_first_line(folder) or name).expanduser()
        if folder.is_dir() and (python := interpreter_of(folder)):
            yield Place(python, name)


def _named_by_pdm(worktree: Path) -> Iterator[Place]:
    if told := _first_line(worktree / ".pdm-python"):
        yield Place(Path(told), "pdm")


def _poetry(worktree: Path, project: Table, tools: Table) -> Iterator[Place]:
    poetry = _table(tools.get("poetry"))
    if not poetry and not (worktree / "poetry.lock").is_file():
        return
    name = str(_table(project.get("project")).get("name") or poetry.get("name") or worktree.name)
    name = re.sub(r'[ $`!*@"\\\r\n\t]', "_", name.lower())[:42]
    where = os.path.normcase(os.path.realpath(worktree))
    folder = os.environ.get("POETRY_VIRTUALENVS_PATH")
    cache = os.environ.get("POETRY_CACHE_DIR") or str(_caches() / "pypoetry")
    root = Path(folder) if folder else Path(cache) / "virtualenvs"
    yield from _newest(root, f"{name}-{_hash(where, 8)}-py*", "poetry")


def _pipenv(worktree: Path) -> Iterator[Place]:
    pipfile = worktree / "Pipfile"
    if not pipfile.is_file():
        return
    name = re.sub(r'[ &$`!*@"()\[\]\\\r\n\t]', "_", worktree.name)[:42]
    told = os.environ.get("WORKON_HOME")
    root = Path(told).expanduser() if told else _data() / "virtualenvs"
    yield from _newest(root, f"{name}-{_hash(str(pipfile), 8)}*", "pipenv")


def _hash(text: str, length: int) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()
    return base64.urlsafe_b64encode(digest).decode()[:length]


def _conda(worktree: Path) -> Iterator[Place]:
    for file in ("environment.yml", "environment.yaml", "conda.yml"):
        text = _text(worktree / file)
        told = re.search(r"^name:[ \t]*[\"']?([^\s\"'#]+)", text, re.MULTILINE)
        if told is None:
            continue
        for root in _conda_roots():
            folder = root / told[1]
            if folder.is_dir() and (python := interpreter_of(folder)):
                yield Place(python, f"conda ({told[1]})")


def _conda_roots() -> Iterator[Path]:
    home = Path.home()
    if program := os.environ.get("CONDA_EXE"):
        yield Path(program).parent.parent / "envs"
    if root := os.environ.get("MAMBA_ROOT_PREFIX"):
        yield Path(root) / "envs"
    yield home / ".conda" / "envs"
    for name in ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba"):
        yield home / name / "envs"
        yield Path("/opt") / name / "envs"
    for line in _text(home / ".conda" / "environments.txt").splitlines():
        yield Path(line.strip()).parent


def _hatch(worktree: Path, project: Table, tools: Table) -> Iterator[Place]:
    if "hatch" not in tools and not (worktree / "hatch.toml").is_file():
        return
    name = str(_table(project.get("project")).get("name") or worktree.name)
    name = re.sub(r"[-_.]+", "-", name).lower()
    told = os.environ.get("HATCH_DATA_DIR")
    root = (Path(told) if told else _data() / "hatch") / "env" / "virtual" / name
    where = _hash(os.path.realpath(worktree), 8)
    # The environment for tests first, then the default one, which is named as the project is.
    yield from _newest(root / where, "hatch-test*", "hatch")
    yield from _newest(root / where, name, "hatch")


def _pyenv(worktree: Path) -> Iterator[Place]:
    told = _first_line(worktree / ".python-version")
    if not told or not re.fullmatch(r"[\w.\-]+", told):
        return
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    exact = root / told
    found = [exact] if exact.is_dir() else sorted(root.glob(f"{told}.*"), key=_by_number)[-1:]
    for folder in found:
        if python := interpreter_of(folder):
            yield Place(python, f"pyenv ({folder.name})")


def _by_number(folder: Path) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", folder.name)]


def _of_test_tools(worktree: Path) -> Iterator[Place]:
    for tool in (".tox", ".nox"):
        for place in _newest(worktree / tool, "*", tool):
            yield Place(place.python, place.origin, stands_in=True)


def _newest(root: Path, pattern: str, origin: str) -> Iterator[Place]:
    """Yield the environments in a folder whose names match, the last made first."""
    found: list[tuple[float, Path]] = []
    for folder in root.glob(pattern):
        if python := interpreter_of(folder):
            found.append((folder.stat().st_mtime, python))
    for _, python in sorted(found, reverse=True):
        yield Place(python, origin)


def _caches() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _data() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


def _toml(file: Path) -> Table:
    try:
        return tomllib.loads(_text(file))
    except tomllib.TOMLDecodeError:  # half-typed: pytest will say so itself
        return {}


def _table(value: object) -> Table:
    return cast("Table", value) if isinstance(value, dict) else {}


def _first_line(file: Path) -> str:
    lines = [line.strip() for line in _text(file).splitlines()]
    return next((line for line in lines if line and not line.startswith("#")), "")


def _text(file: Path) -> str:
    """Return a small text file; empty if there is none."""
    try:
        with file.open("rb") as opened:
            return opened.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
