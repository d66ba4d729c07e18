"""Which Python file needs which: imports, and what stands in their place.

``ruff analyze graph`` reads the imports. What it does not see is added here, always on the side
of one dependency too many: a package runs its ``__init__`` first, a conftest.py is part of every
test beneath it, files that do not parse, relative imports outside of packages, programs that are
run by their file's or script's name, and modules that are loaded by a name made at run time.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import tomllib
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ruff.__main__ import find_ruff_bin  # type: ignore[import-untyped]

from ..contract import Hopeless
from .records import Tree

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(.*)|import[ \t]+(.+))", re.MULTILINE
)
_RELATIVE = re.compile(
    r"^[ \t]*from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)", re.MULTILINE
)
_FILE_NAMED = re.compile(r"['\"]([\w./-]+\.py)\b|\b([\w./-]+\.py)['\"]|python3? ([\w./-]+\.py)\b")
_LOADS = re.compile(
    r"\b(?:import_module|__import__|iter_modules|walk_packages|spec_from_file_location|run_path"
    r"|run_module|entry_points|load_module|SourceFileLoader)\s*\("
    r"\s*(?!['\"][\w.]+['\"]\s*\))(?:f['\"]([\w.]*\.)\{)?"
)
_RUNS_MODULE = re.compile(r"['\" ]-m['\" ]|\brun_module\b")
_STARTS = re.compile(
    r"\b(subprocess|Popen|create_subprocess\w*|os\.(system|exec\w*|spawn\w*|posix_spawn\w*|fork)"
    r"|pexpect|ptyprocess|pty|script_runner|CliRunner|runpytest|invoke|sh)\b"
)
_LOADED_WORD = re.compile(
    r"\b(?:import_module|__import__|importorskip|find_spec|run_module)\(\s*['\"](\w+)['\"]"
    r"|['\"](\w+):\w+['\"]|['\" ]-m['\", ]+(\w+)\b"
)
_LOADED_LIST = re.compile(
    r"\b(?:pytest_plugins|\w*_APPS|MIDDLEWARE)\b[^=\n]*=\s*([\[({].*?[\])}]|[^\n]*)", re.DOTALL
)
_QUOTED = re.compile(r"['\"]([\w.-]{2,60})['\" ]")


@dataclass(frozen=True, slots=True)
class Graph:
    """What each Python file of a tree needs, in one step."""

    needs: Mapping[str, frozenset[str]]

    @property
    def files(self) -> frozenset[str]:
        """Return all files that the tree had."""
        return frozenset(self.needs)

    def joined(self, other: Graph) -> Graph:
        """Return a graph in which a file needs what it needs in either."""
        return Graph(
            {
                path: self.needs.get(path, frozenset()) | other.needs.get(path, frozenset())
                for path in self.needs.keys() | other.needs.keys()
            }
        )

    def reach(self, starts: Iterable[str]) -> dict[str, str]:
        """Return who needs one of these, in any number of steps, each with the start it needs."""
        needed_by: dict[str, list[str]] = {}
        for path, needs in self.needs.items():
            for need in needs:
                needed_by.setdefault(need, []).append(path)
        found = {start: start for start in starts}
        waiting = deque(found)
        while waiting:
            at = waiting.popleft()
            for path in needed_by.get(at, ()):
                if path not in found:
                    found[path] = found[at]
                    waiting.append(path)
        return found


def build(
    tree: Tree,
    texts: Mapping[str, str],
    known: Graph | None = None,
    changed: Collection[str] | None = None,
) -> Graph:
    """Read the graph of a tree. ``texts`` has every Python file of it. Raise Hopeless.

    Given the graph of the same files and settings (`settings_of`), only those that ``changed``
    are read again.
    """
    if known is None or changed is None:
        return _built(tree, texts, list(texts), ["."])
    if not changed:
        return known
    read = _built(tree, texts, changed, sorted(changed))
    return Graph({**known.needs, **read.needs})


def settings_of(root: Path) -> str:
    """Return what of a project's settings its imports depend on."""
    return json.dumps([_renamed_packages(root), _script_targets(root)])


def _built(
    tree: Tree, texts: Mapping[str, str], wanted: Collection[str], files: Sequence[str]
) -> Graph:
    """Read what ``wanted`` need; ruff is given ``files``."""
    roots = _source_roots(texts)
    found, farm = _ruff(tree, roots, files)
    modules = _by_suffix(texts)
    scripts = _scripts(tree.root, modules)
    renamed = _renamed_packages(tree.root)
    tops = {*renamed, *(name for name in scripts if name in modules)}
    by_name: dict[str, list[str]] = {}
    for path in texts:
        by_name.setdefault(path.rsplit("/", 1)[-1], []).append(path)
    needs: dict[str, set[str]] = {}
    for path in wanted:
        text = texts[path]
        mine = {_at_home(need, farm) for need in found.get(path, ())}
        if not mine and text.strip() and not _parses(text):  # its import lines tell
            mine |= _from_lines(text, modules)
        mine |= _relative(path, text, texts)
        mine |= {file for word in _words(text) for file in modules.get(word, ())}
        for named in {"".join(groups).lstrip("./") for groups in _FILE_NAMED.findall(text)}:
            name = named.rsplit("/", 1)[-1]
            if name not in ("__init__.py", "conftest.py", "setup.py"):
                mine.update(file for file in by_name.get(name, ()) if _ends_with(file, named))
        if scripts:
            words = {*_QUOTED.findall(text)} & scripts.keys()
            if words & tops and not any(_STARTS.search(texts.get(x, "")) for x in (path, *mine)):
                words -= tops  # the project's name, and nothing is started
            for word in words:
                mine |= scripts[word]
        for start in set(_LOADS.findall(text)):
            mine |= _loaded(path, start, texts, modules, renamed)
        if _RUNS_MODULE.search(text):
            mains = {need.removesuffix("__init__.py") + "__main__.py" for need in mine}
            mine |= {main for main in mains if main in texts}
        needs[path] = mine & texts.keys()
    for path, mine in needs.items():
        for need in [path, *mine]:
            mine.update(_packages_of(need, texts))
        mine.update(_conftests_of(path, texts))
        mine.discard(path)
    return Graph({path: frozenset(mine) for path, mine in needs.items()})


def _ruff(
    tree: Tree, roots: list[str], files: Sequence[str]
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return what ruff found, and the folders it saw under another name (their real ones)."""
    farm = tree.scratch / "imports"
    shutil.rmtree(farm, ignore_errors=True)
    farm.mkdir(parents=True)
    real: dict[str, str] = {}
    for name, folder in _renamed_packages(tree.root).items():
        (farm / name).symlink_to(tree.root / folder, target_is_directory=True)
        real[str(farm / name)] = folder
    argv = [
        *(find_ruff_bin(), "analyze", "graph", "--isolated", "--quiet"),
        *("--detect-string-imports", "--min-dots", "1"),
        *("--config", f"src={json.dumps([*roots, str(farm)])}"),
        # ruff's own list would leave out packages that are named build or dist.
        *("--config", 'exclude=[".git","node_modules",".venv","venv",".tox",".nox"]'),
        *("--config", "respect-gitignore=false", *files),
    ]
    try:
        done = subprocess.run(
            argv, cwd=tree.root, capture_output=True, check=False, timeout=120, encoding="utf-8"
        )
        found = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise Hopeless(
            f"the imports of {tree.worktree} can't be read: {error}",
            hint="is ruff, which hermes brings, installed whole?",
        ) from error
    return cast("dict[str, list[str]]", found), real


def _at_home(need: str, farm: Mapping[str, str]) -> str:
    for seen, folder in farm.items():
        if need.startswith(f"{seen}/"):
            rest = need.removeprefix(f"{seen}/")
            return rest if folder in ("", ".") else f"{folder.strip('/')}/{rest}"
    return need.replace("\\", "/")


def _source_roots(texts: Mapping[str, str]) -> list[str]:
    """Every folder that imports may start from: the top, those above packages, those of tests."""
    roots = {".", "src"}
    for path in texts:
        folder = _parent(path)
        while folder and f"{folder}/__init__.py" in texts:
            folder = _parent(folder)
        roots.add(folder or ".")
    return sorted(roots)


def _renamed_packages(root: Path) -> dict[str, str]:
    """Packages that lie in a folder of another name, by setuptools' package-dir."""
    table = _pyproject(root)
    for key in ("tool", "setuptools", "package-dir"):
        inner = table.get(key)
        if not isinstance(inner, dict):
            return {}
        table = cast("dict[str, object]", inner)
    return {
        name: folder
        for name, folder in table.items()
        if name and "." not in name and isinstance(folder, str) and ".." not in folder
    }


def _scripts(root: Path, modules: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Programs that the project installs, each with the file that it starts in."""
    return {name: modules.get(module, set()) for name, module in _script_targets(root).items()}


def _script_targets(root: Path) -> dict[str, str]:
    project = _pyproject(root).get("project")
    found: dict[str, str] = {}
    if isinstance(project, dict):
        for kind in ("scripts", "gui-scripts"):
            table = cast("dict[str, object]", project).get(kind)
            if isinstance(table, dict):
                for name, target in cast("dict[str, object]", table).items():
                    found[name] = str(target).partition(":")[0].strip()
    return found


def _pyproject(root: Path) -> dict[str, object]:
    try:
        return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def _by_suffix(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """Every name that a file could be imported by: from the top, or from any folder below."""
    found: dict[str, set[str]] = {}
    for path in texts:
        parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
        for start in range(len(parts)):
            found.setdefault(".".join(parts[start:]), set()).add(path)
    return found


def _from_lines(text: str, modules: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    for base, names, plain in _IMPORT.findall(text):
        wanted = [base] if base else [word.split()[0] for word in plain.split(",") if word.strip()]
        wanted += [f"{base}.{name.strip().split(' ')[0]}" for name in names.split(",") if base]
        for name in wanted:
            found |= modules.get(name.strip("( );"), set())
    return found


def _words(text: str) -> set[str]:
    """Return names without a dot by which modules are loaded; ruff sees those with one."""
    found = {"".join(groups) for groups in _LOADED_WORD.findall(text)}
    for listed in _LOADED_LIST.findall(text):
        found.update(re.findall(r"['\"](\w+)['\"]", listed))
    return found


def _relative(path: str, text: str, texts: Mapping[str, str]) -> set[str]:
    found: set[str] = set()
    for dots, base, names in _RELATIVE.findall(text):
        folder = _parent(path)
        for _ in dots[1:]:
            folder = _parent(folder)
        at = "/".join(part for part in (folder, base.replace(".", "/")) if part)
        words = re.findall(r"\w+", names)
        for stem in [at, *(f"{at}/{word}" if at else word for word in words)]:
            found.update(file for file in (f"{stem}.py", f"{stem}/__init__.py") if file in texts)
    return found


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _ends_with(file: str, named: str) -> bool:
    """Whether a file may be meant: a name alone may be any such file, ``a/b.py`` is no ``c/b.py``."""
    return file == named or file.endswith(f"/{named}") or named.endswith(f"/{file}")


def _loaded(
    path: str,
    start: str,
    texts: Mapping[str, str],
    modules: Mapping[str, set[str]],
    renamed: Mapping[str, str],
) -> set[str]:
    """Return what a name made at run time may load. ``start`` is what of it stands in the source:
    ``shop.plugins.``, ``.`` for the own package; without any it may be all of the package."""
    folder = _parent(path)
    if start == ".":
        return {other for other in texts if _parent(other) == folder}
    if start.strip(".") and not start.startswith(".") and start.partition(".")[0] not in renamed:
        found = (files for name, files in modules.items() if name.startswith(start))
        return {file for files in found for file in files}
    while folder and f"{_parent(folder)}/__init__.py".lstrip("/") in texts:
        folder = _parent(folder)
    if folder and f"{folder}/__init__.py" in texts:
        return {other for other in texts if other.startswith(f"{folder}/")}
    return set(texts)


def _packages_of(path: str, texts: Mapping[str, str]) -> set[str]:
    found: set[str] = set()
    folder = _parent(path)
    while f"{folder}/__init__.py".lstrip("/") in texts:
        found.add(f"{folder}/__init__.py".lstrip("/"))
        if not folder:
            break
        folder = _parent(folder)
    return found


def _conftests_of(path: str, texts: Mapping[str, str]) -> set[str]:
    found: set[str] = set()
    folder = path
    while folder:
        folder = _parent(folder)
        conftest = f"{folder}/conftest.py".lstrip("/")
        if conftest in texts:
            found.add(conftest)
    return found


def _parent(path: str) -> str:
    return path.rpartition("/")[0]
