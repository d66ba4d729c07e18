"""Dependencies that a change declares otherwise, read from the lines of its manifests.

Only lines that changed are read, each by the form of its manifest: what is in the lines around is
not needed to know a requirement from a setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .paths import name_of
from .records import Dependency, FileChange

_REQUIREMENT = re.compile(
    r"""^\s*["']?(?P<name>[A-Za-z0-9][\w.\-]*)(?:\[[\w,\s\-]+\])?\s*
    (?P<version>(?:===?|~=|>=|<=|!=|>|<)\s*[\w.*+!\-]+(?:\s*,\s*(?:===?|~=|>=|<=|!=|>|<)\s*[\w.*+!\-]+)*)?
    \s*(?:;[^"']*)?["']?\s*,?\s*(?:\#.*|\\)?$""",
    re.VERBOSE,
)
_TOML = re.compile(
    r"""^\s*["']?(?P<name>[A-Za-z0-9][\w.\-]*)["']?\s*=\s*
    (?:["'](?P<version>[\^~=<>!\s]*[\dvV*][\w.*+,\s<>=!~^\-]*)["']
      |\{.*\bversion\s*=\s*["'](?P<inner>[^"']+)["'].*\})\s*(?:\#.*)?$""",
    re.VERBOSE,
)
_JSON = re.compile(
    r"""^\s*"(?P<name>@?[\w.\-]+(?:/[\w.\-]+)?)"\s*:\s*"(?P<version>[\^~<>=\s]*v?\d[\w.\-+\s|<>=^~*]*|\*|workspace:[\w.*^~]+)"\s*,?\s*$"""
)
_GO = re.compile(
    r"^\s*(?:require\s+)?(?P<name>[\w.\-]+\.[a-z]{2,}/[\w.\-/~]+)\s+(?P<version>v\d[\w.\-+]*)"
    r"(?:\s*//.*)?$"
)
_GEM = re.compile(
    r"""^\s*(?:gem|\w+\.add(?:_\w+)?_dependency)[\s(]+["'](?P<name>[\w.\-]+)["']
    (?:\s*,\s*["'](?P<version>[~<>=!\s]*\d[\w.\-]*)["'])?""",
    re.VERBOSE,
)
_USES = re.compile(
    r"^\s*(?:-\s*)?uses:\s*(?P<name>[\w.\-]+/[\w.\-/]+)@(?P<version>[\w.\-]+)(?:\s*#\s*(?P<inner>v?[\d.]+))?"
)
_HOOK_REPO = re.compile(r"^\s*-\s*repo:\s*https?://[^/]+/(?P<name>[\w.\-/]+?)(?:\.git)?\s*$")
_HOOK_REV = re.compile(
    r"^\s*rev:\s*[\"']?(?P<version>[\w.\-]+)[\"']?(?:\s*#\s*(?:frozen: )?(?P<inner>v[\d.]+))?"
)

_LIST_KEY = re.compile(r"""^\s*["']?(?P<key>[\w.\-]+)["']?\s*=\s*\[|^\[(?P<table>[^\]]+)\]""")
_LISTS = re.compile(r"dependenc|require|^(?:dev|tests?|docs?|lint|typing)$")

_NOT_NAMES = frozenset(
    """version python requires-python python_requires name rust-version edition node npm target-version
    python-version py-version license readme description line-length minversion go resolver
    packageManager private main types module""".split()  # noqa: SIM905 - a list of words reads better
)


def dependencies_of(files: Sequence[FileChange]) -> tuple[Dependency, ...]:
    """Return the dependencies that the manifests declare otherwise than before, once each.

    Read are pyproject.toml, requirements files, setup.cfg, setup.py, Pipfile, package.json,
    Cargo.toml, go.mod, Gemfile, gemspecs, the actions of workflows and pre-commit's hooks.
    """
    found: dict[str, Dependency] = {}
    for file in files:
        for dependency in _of_file(file):
            found.setdefault(dependency.name, dependency)
    return tuple(found.values())


def _of_file(file: FileChange) -> Iterator[Dependency]:
    reader = _reader(file.path)
    if reader is None or not file.hunks:
        return
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    hook = ""
    # What others need changes with what the project needs itself: the latter is what is told.
    direct = reader is _GO and any(
        line[0] in "+-" and "// indirect" not in line and _GO.match(line[1:])
        for hunk in file.hunks
        for line in hunk.lines
    )
    for hunk in file.hunks:
        listed = _LISTS.search(hunk.header) is not None
        for line in hunk.lines:
            if (key := _LIST_KEY.match(line[1:])) is not None:
                listed = _LISTS.search(key["key"] or key["table"]) is not None
            match = _HOOK_REPO.match(line[1:])
            hook = match["name"] if match is not None else hook
            if direct and "// indirect" in line:
                continue
            if reader is _HOOK_REV:
                named = _hook(line[1:], hook)
            else:
                named = _named(reader, line[1:], listed=listed)
            if named is not None and line[0] in "+-":
                (after if line[0] == "+" else before)[named[0]] = named[1]
    for name in [*before, *(name for name in after if name not in before)]:
        old, new = before.get(name), after.get(name)
        if old != new and not (reader in (_USES, _HOOK_REV) and (old is None or new is None)):
            yield Dependency(name, _bare(old), _bare(new), file.path)


def _reader(path: str) -> re.Pattern[str] | None:
    name = name_of(path)
    if name in ("pyproject.toml", "setup.cfg", "setup.py") or re.search(
        r"requirements[^/]*(?:/[^/]+)?\.(?:txt|in)$", path
    ):
        return _REQUIREMENT
    if name in ("Cargo.toml", "Pipfile"):
        return _TOML
    if name == "package.json":
        return _JSON
    if name == "go.mod":
        return _GO
    if name == "Gemfile" or name.endswith(".gemspec"):
        return _GEM
    if re.search(r"(?:^|/)\.github/(?:workflows|actions)/.*\.ya?ml$", path):
        return _USES
    return _HOOK_REV if name == ".pre-commit-config.yaml" else None


def _hook(line: str, hook: str) -> tuple[str, str] | None:
    match = _HOOK_REV.match(line)
    return None if match is None or not hook else (hook, match["inner"] or match["version"])


def _named(reader: re.Pattern[str], line: str, *, listed: bool) -> tuple[str, str] | None:
    match = reader.match(line)
    if match is None and reader is _REQUIREMENT:
        match = _TOML.match(line)  # Poetry's tables
    if match is None:
        return None
    groups = match.groupdict()
    name, version = groups["name"], groups.get("inner") or groups.get("version") or ""
    if name.lower() in _NOT_NAMES:
        return None
    if reader is _REQUIREMENT and not version and not listed:
        return None  # a bare word is anything
    return name, version.strip()


def _bare(version: str | None) -> str | None:
    """Return a version without the operator before it, where there is only one."""
    if version is None or "," in version or version.startswith(("!=", "<")):
        return version
    return re.sub(r"^(?:===?|~=|>=|~>|[\^~=>])\s*", "", version).strip()
