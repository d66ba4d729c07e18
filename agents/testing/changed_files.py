"""What a changed file can mean for Python tests, by its name alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum


class Kind(StrEnum):
    """How the tests that a file may affect are found."""

    EVERYTHING = "everything"
    """Settings, requirements, compiled sources: all tests."""
    PYTHON = "python"
    """By who imports it."""
    DOCUMENT = "document"
    """By who names it; nobody: none."""
    DATA = "data"
    """By who names it; nobody: all tests near it, or all."""


_SETTINGS = frozenset(
    {
        *("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "pytest.ini", ".pytest.ini"),
        *("pytest.toml", ".pytest.toml", "uv.toml", "uv.lock", "poetry.lock", "poetry.toml"),
        *("pdm.lock", "pdm.toml", "Pipfile", "Pipfile.lock", "pixi.toml", "pixi.lock"),
        *("environment.yml", "environment.yaml", "conda-lock.yml", ".python-version", ".env"),
        *(".coveragerc", ".hermes.toml", "MANIFEST.in", ".tool-versions", "Cargo.toml"),
        *("Cargo.lock", "meson.build", "CMakeLists.txt", "sitecustomize.py", "usercustomize.py"),
    }
)
_REQUIREMENTS = re.compile(
    r"(^|/)(requirements|constraints)[^/]*(\.(txt|in|lock)$|/)", re.IGNORECASE
)
_COMPILED = (
    *(".pyx", ".pxd", ".pxi", ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".f", ".f90", ".rs"),
    *(".so", ".pyd", ".dll", ".dylib", ".cu", ".m", ".asm", ".s", ".pth"),
)
_DOCUMENTS = (".md", ".rst", ".adoc", ".markdown", ".mdx")
_PROSE = re.compile(
    r"(^|/)(LICEN[CS]E|COPYING|NOTICE|AUTHORS|CHANGELOG|CHANGES|HISTORY|README|CONTRIBUTING|"
    r"CODEOWNERS|Makefile|Justfile|justfile|Dockerfile|docker-compose[^/]*|compose\.ya?ml|"
    r"mkdocs\.ya?ml|codecov\.ya?ml|\.codecov\.ya?ml|\.readthedocs\.ya?ml|\.pre-commit-config\.ya?ml|"
    r"\.gitlab-ci\.yml|\.travis\.yml|mypy\.ini|\.mypy\.ini|ruff\.toml|\.ruff\.toml|\.flake8|"
    r"pyrightconfig\.json|\.pylintrc|CITATION\.cff)[^/]*$|^\.(github|circleci|gitlab|changeset)/"
)
_LISTS = re.compile(
    r"\b(iterdir|r?glob|listdir|scandir|walk|files|as_file|get_data|resource_\w+|PackageLoader|"
    r"FileSystemLoader|copytree)\s*\("
)
_FINDS = re.compile(
    r"__file__|\bgetcwd\(|\.cwd\(|\b(rootpath|rootdir|startpath|invocation_params)\b"
    r"|\brequest\.(path|fspath)\b"
)
_FUNCTION = re.compile(r"^(?:async )?def (\w+)\((.*?)(?=^\S|\Z)", re.MULTILINE | re.DOTALL)


def kind_of(path: str) -> Kind:
    """Return how to find the tests that a change of this file may affect."""
    name = path.rsplit("/", 1)[-1]
    if name in _SETTINGS or _REQUIREMENTS.search(path) or path.endswith(_COMPILED):
        return Kind.EVERYTHING
    if path.endswith(".py"):
        return Kind.PYTHON
    if path.endswith(_DOCUMENTS) or _PROSE.search(path):
        return Kind.DOCUMENT
    return Kind.DATA


def finds_itself(text: str, name: str = "") -> bool:
    """Whether Python source says where it lies, where its tests run, or opens a file of this name
    there."""
    here = rf"\b(open|Path|read_text)\(\s*[rb]?['\"](\./)?([\w.-]+/)*{re.escape(name)}['\"]"
    return bool(_FINDS.search(text) or (name and re.search(here, text)))


def finding_functions(text: str) -> set[str]:
    """Return the functions of a file, as fixtures, that say where it lies."""
    places = "|".join(re.findall(r"^(\w+)\b[^\n=]*=[^\n]*__file__", text, re.MULTILINE))
    found: set[str] = set()
    for name, body in _FUNCTION.findall(text):
        if finds_itself(body) or (places and re.search(rf"\b({places})\b", body)):
            found.add(name)
    return found


def readers(path: str, texts: Mapping[str, str], kind: Kind) -> dict[str, str]:
    """Return the Python files that may read a file, each with what of its path they name.

    They name it, or a folder it lies in, or its kind (``*.json``), or they list folders near
    themselves that it lies in.
    """
    folder, _, name = path.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    found: dict[str, str] = {}
    # Prose names documents too; code that reads one has its name at a string's end.
    end = r"['\"]" if kind is Kind.DOCUMENT else r"(?![\w-])"
    named = re.compile(rf"(?<![\w-]){re.escape(name)}{end}")
    wide: list[tuple[str, re.Pattern[str]]] = [
        (f"{part}/", re.compile(rf"(['\"/]){re.escape(part)}(['\"/])"))
        for part in reversed(folder.split("/"))
        if part
    ]
    if stem and dot:
        wide.append((f"*.{ending}", re.compile(rf"['\"*/]\.{re.escape(ending)}['\"]")))
        if kind is Kind.DATA and len(stem) > 2:
            wide.append((stem, re.compile(rf"['\"/]{re.escape(stem)}['\"/]")))
    for reader, text in texts.items():
        if named.search(text):
            found[reader] = name
            continue
        for what, pattern in wide:
            if pattern.search(text):
                found[reader] = what
                break
        else:
            if kind is Kind.DATA and _LISTS.search(text):
                near = reader.rpartition("/")[0]
                if not near or path.startswith(f"{near}/"):
                    found[reader] = f"{near}/" if near else "."
    return found
