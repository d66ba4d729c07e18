"""Runs as ``sitecustomize`` in every Python that tests start: code comes from the snapshot.

A project that is installed editable is found in the person's worktree. What points there is made
to point at the same place in the snapshot, if there is one: entries of ``sys.path``, the tables of
import hooks that setuptools, hatch and others install, and modules that are loaded already.

Nothing that is compiled is written into the worktree, where a virtual environment may lie. Until
this has run, PYTHONDONTWRITEBYTECODE keeps Python from it. (PYTHONPYCACHEPREFIX would do, but then all
that is compiled already, beside Python's and the environment's own files, would be compiled again.)

Must run on Python 3.7 and later and never fail. Hands on to whatever other ``sitecustomize``
there is.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as typing's; importing typing costs every Python that starts milliseconds
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from pathlib import Path
    from types import ModuleType
    from typing import cast
else:

    def cast(kind: str, value: object) -> object:
        return value


def _read_places(folder: str) -> list[str]:
    """Return the worktree, what tests run on, and where pytest may put what it compiles."""
    try:
        with open(os.path.join(folder, "places.txt"), "rb") as file:
            places = [os.fsdecode(part) for part in file.read().split(b"\0")]
    except OSError:
        return []
    return places if len(places) == 3 else []


def _moved(path: str, worktree: str, root: str) -> str:
    """Return the same place in the snapshot; the path itself if it is not of the worktree, or
    not in the snapshot, as a virtual environment inside the worktree is not."""
    if path != worktree and not path.startswith(worktree + os.sep):
        return path
    moved = root + path[len(worktree) :]
    return moved if os.path.exists(moved) else path


def _remap_table(table: dict[object, object], worktree: str, root: str) -> None:
    for key, value in list(table.items()):
        if isinstance(value, str):
            moved = _moved(value, worktree, root)
            if moved != value:
                table[key] = moved
        elif isinstance(value, list):
            _remap_list(cast("list[object]", value), worktree, root)


def _remap_list(values: list[object], worktree: str, root: str) -> None:
    values[:] = [_moved(x, worktree, root) if isinstance(x, str) else x for x in values]


def _remap(worktree: str, root: str) -> None:
    sys.path[:] = [_moved(path, worktree, root) for path in sys.path]
    owners: list[object] = []
    for finder in [*sys.meta_path, *sys.path_hooks]:
        kind = finder if isinstance(finder, type) else type(finder)
        name = getattr(finder, "__module__", None) or kind.__module__
        if name.partition(".")[0] not in _PYTHONS_OWN:
            owners += [finder, kind, sys.modules.get(name)]
    for owner in owners:
        for name, value in list(getattr(owner, "__dict__", {}).items()):
            if isinstance(value, dict) and not name.startswith("__"):
                _remap_table(cast("dict[object, object]", value), worktree, root)
    for module in list(sys.modules.values()):
        paths = getattr(module, "__path__", None)
        if isinstance(paths, list):
            _remap_list(cast("list[object]", paths), worktree, root)
    sys.path_importer_cache.clear()


_PYTHONS_OWN = (
    "builtins",
    "importlib",
    "_frozen_importlib",
    "_frozen_importlib_external",
    "zipimport",
)


def _keep_out_of(worktree: str) -> None:
    """Have Python write what it compiles beside the source, but not in the worktree."""
    from importlib.machinery import SourceFileLoader

    write = SourceFileLoader.set_data

    def set_data(self: SourceFileLoader, path: str, data: bytes, *, _mode: int = 0o666) -> None:
        if not path.startswith(worktree + os.sep):
            write(self, path, data, _mode=_mode)

    SourceFileLoader.set_data = set_data  # type: ignore[method-assign,assignment]
    sys.dont_write_bytecode = False


class _Pytest:
    """Waits for pytest, which writes what it compiles by itself, to be imported: what is in the
    worktree, such as a plugin in a virtual environment there, is compiled into our folder. This
    comes before any plugin is loaded."""

    def __init__(self, worktree: str, instead: str) -> None:
        self._worktree = worktree
        self._instead = instead

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != "_pytest.assertion.rewrite":
            return None
        from importlib.machinery import PathFinder

        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
        spec = PathFinder.find_spec(name, cast("list[str]", path))
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                run(module)
                self._redirect(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec

    def _redirect(self, module: ModuleType) -> None:
        where = getattr(module, "get_cache_dir", None)
        if where is None:
            sys.dont_write_bytecode = True
            return

        def get_cache_dir(file_path: Path) -> Path:
            if str(file_path).startswith(self._worktree + os.sep):
                return type(file_path)(self._instead, *file_path.parts[1:-1])
            return cast("Path", where(file_path))

        module.__dict__["get_cache_dir"] = get_cache_dir


def _hand_on(folder: str) -> None:
    """Run the ``sitecustomize`` that would have been found had ours not been there."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    others = [path for path in sys.path if os.path.abspath(path) != folder]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


def _start() -> None:
    folder = os.path.dirname(os.path.abspath(__file__))
    places = _read_places(folder)
    if places:
        try:
            if places[0] != places[1]:
                _remap(places[0], places[1])
            _keep_out_of(places[0])
            sys.meta_path.insert(0, _Pytest(places[0], places[2]))
        except (AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
            # An import hook of a kind we never saw.
            sys.stderr.write(f"hermes: code may come from the worktree: {error!r}\n")
    _hand_on(folder)


if __name__ == "sitecustomize":
    _start()
