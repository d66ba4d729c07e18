"""Which Python runs a project's tests: the project's own, checked by starting it once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .framework import EnvironmentBroken
from .python_places import Place, path_without_ours, places

OLDEST_PYTHON = (3, 8)
OLDEST_PYTEST = (6, 0)
PROBE_SECONDS = 30.0
"""How long an interpreter may take to say what it has: a cold disk, a slow network home."""

_THE_PATH = "the PATH"
_PROBE = """
import json, sys, sysconfig
facts = {"version": list(sys.version_info[:3]), "prefix": sys.prefix, "python": sys.executable,
         "base": getattr(sys, "base_prefix", sys.prefix), "installed": {}}
try:
    from importlib import metadata
    for name in ("pytest", "pytest-testmon", "pytest-xdist", "pytest-cov"):
        try:
            facts["installed"][name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            pass
except ImportError:
    pass
facts["folders"] = [path for path in sys.path if path]
print(json.dumps(facts))
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that was started and said what it has."""

    path: Path
    """The executable as the project names it: links are not followed, a venv is known by them."""
    origin: str
    """Where it was found, for a person: ``.venv``, ``poetry``, ``the PATH``."""
    version: tuple[int, int, int]
    prefix: Path
    is_venv: bool
    pytest: str = ""
    """Version; empty if it is not installed. So are the next three."""
    testmon: str = ""
    xdist: str = ""
    cov: str = ""


def find_python(worktree: Path) -> Interpreter:
    """Return the Python that has what the project's tests need.

    Environments of the project's own come first (see `python_places.places`), then those of
    the repository that it is a folder of. Where it has one,
    no other Python is taken: it would lack what the tests import. Only environments of tox and
    nox stand in for one that has no pytest.

    Starts each interpreter at most once for as long as nothing is installed into it; to be called
    in a thread. Raise EnvironmentBroken, one line: what is missing, and what to do.
    """
    problem: EnvironmentBroken | None = None
    for place in _tried(worktree):
        if problem is not None and not place.stands_in:
            continue
        try:
            return _checked(place)
        except EnvironmentBroken as error:
            problem = problem or error
    if problem is not None:
        raise problem
    raise EnvironmentBroken(
        "there is no Python for this project: make one with python3 -m venv .venv"
    )


def _tried(worktree: Path) -> Iterator[Place]:
    owned = False
    for folder in _upwards(worktree):
        for place in places(folder):
            owned = True
            yield place
    if owned:
        return
    for name in ("python3", "python"):
        found = shutil.which(name, path=path_without_ours())
        if found is not None:
            yield Place(Path(found), _THE_PATH)
            return


def _upwards(folder: Path) -> list[Path]:
    """Return a folder of a repository and those above it, up to the top: one environment at the
    top may serve all of its projects."""
    found = [folder]
    while not (found[-1] / ".git").exists():
        if found[-1] == found[-1].parent:
            return [folder]
        found.append(found[-1].parent)
    return found


def _checked(place: Place) -> Interpreter:
    """Start an interpreter and see whether it can run tests. Raise EnvironmentBroken."""
    found = probe(place.python, place.origin)
    if not found.pytest:
        raise EnvironmentBroken(
            f"{place.origin} has no pytest: run {place.python} -m pip install pytest"
            if place.origin != _THE_PATH
            else f"no environment of this project was found, and {place.python} has no pytest:"
            " make one with python3 -m venv .venv and install the project and pytest into it"
        )
    if _numbers(found.pytest) < OLDEST_PYTEST:
        raise EnvironmentBroken(
            f"pytest {found.pytest} of {place.origin} is too old: install pytest 6 or newer"
        )
    return found


@dataclass(frozen=True, slots=True)
class _Probed:
    stamps: tuple[tuple[str, int], ...]
    interpreter: Interpreter


_probed: dict[tuple[Path, str], _Probed] = {}


def probe(python: Path, origin: str) -> Interpreter:
    """Start ``python`` and return what it says of itself; from memory if nothing changed since.

    Raise EnvironmentBroken if it does not start or is older than 3.8.
    """
    known = _probed.get((python, origin))
    if known is not None and known.stamps == _stamps([path for path, _ in known.stamps]):
        return known.interpreter
    problem = _visible_problem(python)
    if problem:
        raise EnvironmentBroken(f"{origin} is broken: {problem}; make it again")
    try:
        done = subprocess.run(
            [str(python), "-c", _PROBE],
            cwd="/",
            env=_bare_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentBroken(
            f"{python} of {origin} did not answer within {PROBE_SECONDS:.0f} s"
        ) from error
    except OSError as error:
        raise EnvironmentBroken(
            f"{origin} is broken: {python} can't be started ({error.strerror}); make it again"
        ) from error
    try:
        said = json.loads(done.stdout.decode("utf-8", "replace").strip().rpartition("\n")[2])
        major, minor, micro = said["version"]
        installed: dict[str, str] = said["installed"]
        prefix, base, folders = said["prefix"], said["base"], said["folders"]
        executable: str = said["python"]
    except (ValueError, KeyError, TypeError) as error:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = lines[-1][:200] if lines else f"exit code {done.returncode}"
        raise EnvironmentBroken(
            f"{origin} is broken: {python} does not run ({why}); make it again"
        ) from error
    if (major, minor) < OLDEST_PYTHON:
        raise EnvironmentBroken(f"{origin} has Python {major}.{minor}: 3.8 or newer is needed")
    found = Interpreter(
        # What is on the PATH may be a script of pyenv's or asdf's, which takes its time.
        path=Path(executable) if origin == _THE_PATH and executable else python,
        origin=origin,
        version=(major, minor, micro),
        prefix=Path(prefix),
        is_venv=prefix != base,
        pytest=installed.get("pytest", ""),
        testmon=installed.get("pytest-testmon", ""),
        xdist=installed.get("pytest-xdist", ""),
        cov=installed.get("pytest-cov", ""),
    )
    watched = [str(python), str(Path(prefix, "pyvenv.cfg")), *folders]
    _probed[python, origin] = _Probed(_stamps(watched), found)
    return found


def _visible_problem(python: Path) -> str:
    """Say what is wrong with an environment, where looking at its files tells it better than
    trying to start it."""
    if not os.path.lexists(python):
        return f"{python} is not there"
    if not python.exists():
        return f"{python} points at {os.path.realpath(python)}, which is gone"
    config = python.parent.parent / "pyvenv.cfg"
    try:
        lines = config.read_text("utf-8", "replace").splitlines()
    except OSError:
        return ""
    for line in lines:
        key, _, value = line.partition("=")
        if key.strip() == "home" and value.strip() and not Path(value.strip()).is_dir():
            return f"the Python it was made from, {value.strip()}, is gone"
    return ""


def _bare_environment() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "VIRTUAL_ENV", "HERMES_", "COV_", "__PYVENV"))
    }
    return kept | {"PYTHONDONTWRITEBYTECODE": "1"}  # it may lie in the worktree


def _stamps(paths: list[str]) -> tuple[tuple[str, int], ...]:
    stamps: list[tuple[str, int]] = []
    for path in paths:
        try:
            stamps.append((path, os.stat(path).st_mtime_ns))
        except OSError:
            stamps.append((path, 0))
    return tuple(stamps)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in version.split(".")[:2])
