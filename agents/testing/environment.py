"""The environment of test processes: the person's own, without what is ours.

What stays, and why. HOME and the XDG folders: tools find their caches and settings there. Secrets
(tokens, passwords in variables): tests that need them fail without, and a trusted repository's code,
run as the person, could read their files anyway. What goes: variables that are about the
daemon, or about whoever started it, and the screen: a test that opens a window after every
save would be a nuisance, so that toolkits are told to draw without one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from .python_places import path_without_ours
from .records import Tree

_DROPPED_PREFIXES = (
    *("HERMES_", "GIT_", "PYTEST_", "COV_", "COVERAGE_", "PYTHON", "VIRTUAL_ENV", "__PYVENV"),
    *("CONDA_DEFAULT_", "CONDA_PREFIX", "CONDA_PROMPT_", "CONDA_SHLVL", "LISTEN_", "WATCHDOG_"),
)
_DROPPED = frozenset(
    {
        *("NOTIFY_SOCKET", "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "MAINPID"),
        *("DISPLAY", "WAYLAND_DISPLAY", "FORCE_COLOR", "CLICOLOR_FORCE", "TMP", "TEMP", "TMPDIR"),
        *("KF_RULE_CACHE_DIR", "UV_PROJECT_ENVIRONMENT", "OLDPWD", "PWD", "_"),
    }
)
_KEPT = frozenset(
    {
        # Where the person's own settings of git are.
        *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
        *("PYTHONUTF8", "PYTHONIOENCODING", "PYTHONHASHSEED"),
    }
)
_WITHOUT_SCREEN = {
    "QT_QPA_PLATFORM": "offscreen",
    "SDL_VIDEODRIVER": "dummy",
    "SDL_AUDIODRIVER": "dummy",
    "MPLBACKEND": "Agg",
    "TERM": "dumb",
}

STARTUP = "sitecustomize.py"
COMPILED = "compiled"
"""Folder of the scratch where pytest puts what it compiles of files in the worktree."""
REPORTER = "hermes_test_reporter.py"
RECORDER = "hermes_test_recorder.py"
_MODULES = {
    name: Path(__file__).with_name(source).read_bytes()
    for source, name in (
        ("startup.py", STARTUP),
        ("reporter.py", REPORTER),
        ("outside_tests.py", RECORDER),
    )
}
"""Read as this module is: an upgrade may replace them while the daemon of before still runs."""


def plain(tree: Tree, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return what any framework's process gets. `process.run` adds a TMPDIR of its own."""
    kept = {
        name: value
        for name, value in environ.items()
        if name in _KEPT or not (name in _DROPPED or name.startswith(_DROPPED_PREFIXES))
    }
    kept["PATH"] = path_without_ours(environ)
    kept["PWD"] = str(tree.root)
    # So that git, started by a test outside of a repository, does not find one above our folder.
    kept["GIT_CEILING_DIRECTORIES"] = str(tree.root.parent)
    return kept | _WITHOUT_SCREEN


def for_python(
    tree: Tree,
    python: Path,
    prefix: Path,
    *,
    is_venv: bool,
    environ: Mapping[str, str] = os.environ,
) -> dict[str, str]:
    """Return what a project's Python gets: as after its ``activate``, and with our start-up
    module, which see."""
    made = plain(tree, environ)
    made["PATH"] = os.pathsep.join([str(python.parent), made["PATH"]])
    if is_venv:
        made["VIRTUAL_ENV"] = str(prefix)
    made["PYTHONDONTWRITEBYTECODE"] = "1"  # until the start-up module has seen to where
    made["PYTHONPATH"] = str(startup_folder(tree))
    return made


def startup_folder(tree: Tree) -> Path:
    """Return the folder that is first on the path of the project's Python."""
    return tree.scratch / "startup"


def write_startup(tree: Tree) -> Path:
    """Put our modules for the project's Python into their folder; return the reporter's file.

    They are copies: were our package's own folder on the path, its modules' names would hide the
    project's.
    """
    folder = startup_folder(tree)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in _MODULES.items():
        file = folder / name
        if not file.is_file() or file.read_bytes() != content:
            part = folder / f"{name}.part"
            part.write_bytes(content)
            part.replace(file)
    places = (*_top(tree), tree.scratch / COMPILED)
    (folder / "places.txt").write_bytes(b"\0".join(map(os.fsencode, places)))
    return folder / REPORTER


def _top(tree: Tree) -> tuple[Path, Path]:
    """Return the whole worktree and the whole snapshot of a tree that may be a folder in them."""
    worktree, root = tree.worktree, tree.root
    while not (worktree / ".git").exists():
        if root.name != worktree.name or worktree == worktree.parent:
            return tree.worktree, tree.root
        worktree, root = worktree.parent, root.parent
    return worktree, root
