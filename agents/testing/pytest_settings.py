"""What a project tells pytest about where its tests are, as far as the choice of tests needs it."""

from __future__ import annotations

import configparser
import fnmatch
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

FILES = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml")
"""In pytest's own order; tox.ini and setup.cfg follow."""


@dataclass(frozen=True, slots=True)
class PytestSettings:
    """Where pytest looks for tests."""

    python_files: tuple[str, ...] = ("test_*.py", "*_test.py")
    testpaths: tuple[str, ...] = ()
    norecursedirs: tuple[str, ...] = (
        *("*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}"),
    )
    doctest_modules: bool = False
    doctest_globs: tuple[str, ...] = ()
    plain_documents: bool = False
    """Other plugins collect from documents; any document may be a test."""

    def is_test(self, path: str) -> bool:
        """Whether pytest, started without arguments, would look for tests in this file."""
        folder, _, name = path.rpartition("/")
        if any(
            fnmatch.fnmatch(part, pattern)
            for part in folder.split("/")
            if part
            for pattern in self.norecursedirs
        ):
            return False
        if self.testpaths and not any(_beneath(path, where) for where in self.testpaths):
            return False
        if path.endswith(".py"):
            return self.doctest_modules or any(
                fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(path, f"*{pattern}")
                for pattern in self.python_files
            )
        if self.plain_documents and path.endswith((".md", ".rst", ".txt")):
            return True
        return any(fnmatch.fnmatch(name, pattern) for pattern in self.doctest_globs)


def read_pytest_settings(root: Path) -> PytestSettings:
    """Read them as pytest would find them at the top; its defaults where there are none."""
    for name in (*FILES, "tox.ini", "setup.cfg"):
        table = _table(root / name)
        if table is not None:
            return _settings(table)
    return PytestSettings()


def _table(file: Path) -> dict[str, object] | None:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    if file.suffix == ".toml":
        try:
            found: object = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            return None
        if file.name == "pyproject.toml":
            found = _inner(_inner(found, "tool"), "pytest")
            found = _inner(found, "ini_options") or found
        else:
            found = _inner(found, "pytest")
        return cast("dict[str, object]", found) if isinstance(found, dict) and found else None
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    section = "tool:pytest" if file.name == "setup.cfg" else "pytest"
    if parser.has_section(section):
        return dict(parser.items(section))
    return {} if file.name in ("pytest.ini", ".pytest.ini") else None


def _inner(table: object, key: str) -> object:
    return cast("dict[str, object]", table).get(key) if isinstance(table, dict) else None


def _settings(table: Mapping[str, object]) -> PytestSettings:
    plain = PytestSettings()
    options = _words(table.get("addopts"))
    globs: list[str] = []
    for number, option in enumerate(options):
        if option.startswith("--doctest-glob="):
            globs.append(option.partition("=")[2])
        elif option == "--doctest-glob" and number + 1 < len(options):
            globs.append(options[number + 1])
    return PytestSettings(
        python_files=_words(table.get("python_files")) or plain.python_files,
        testpaths=tuple(path.strip("/") for path in _words(table.get("testpaths"))),
        norecursedirs=_words(table.get("norecursedirs")) or plain.norecursedirs,
        doctest_modules="--doctest-modules" in options,
        doctest_globs=tuple(globs),
        plain_documents=any(
            option.startswith(("--markdown-docs", "--nbval", "--codeblocks", "--doctest-plus"))
            for option in options
        ),
    )


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        try:
            return tuple(shlex.split(value))
        except ValueError:
            return tuple(value.split())
    if isinstance(value, Iterable):
        return tuple(str(word) for word in cast("Iterable[object]", value))
    return ()


def _beneath(path: str, where: str) -> bool:
    where = where.removeprefix("./").rstrip("/")
    return (
        where in ("", ".")
        or path == where
        or path.startswith(f"{where}/")
        or any(fnmatch.fnmatch(path, f"{pattern}") for pattern in (where, f"{where}/*"))
    )
