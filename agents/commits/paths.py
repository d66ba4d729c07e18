"""What a path says about a file's part in a project."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal

from ...memory.records import Content
from .records import FileChange

Role = Literal["code", "test", "docs", "ci", "manifest", "config", "asset", "aside"]

_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|spec|specs|__tests__|testdata|fixtures)/"
    r"|(?:^|/)(?:test_[^/]+|conftest)\.py$|_tests?\.(?:py|go|rs|rb|exs?|c|cc|cpp)$"
    r"|\.(?:test|spec)\.[cm]?[jt]sx?$|(?:Test|Tests|IT)\.(?:java|kt|cs)$|_spec\.rb$",
)
_DOCS = re.compile(
    r"\.(?:md|mdx|markdown|rst|adoc|asciidoc|textile|1|2|3|8)$|(?<!CMakeLists)\.txt$|(?:^|/)(?:docs?|documentation)/"
    r"|(?:^|/)(?:README|CHANGES|CHANGELOG|HISTORY|NEWS|AUTHORS|CONTRIBUTING|CONTRIBUTORS|LICENSE"
    r"|LICENCE|COPYING|SECURITY|NOTICE|CODE_OF_CONDUCT|TODO)(?:\.\w+)?$",
    re.IGNORECASE,
)
_CI = re.compile(
    r"^\.github/(?:workflows|actions)/|^\.github/dependabot\.ya?ml$|^\.gitlab-ci\.yml$"
    r"|^\.circleci/|^\.travis\.yml$|^azure-pipelines|^\.appveyor\.yml$|^appveyor\.yml$"
    r"|(?:^|/)Jenkinsfile$|^\.buildkite/|^\.drone\.yml$|^\.cirrus\.yml$|^codecov\.yml$",
    re.IGNORECASE,
)
_MANIFEST = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|requirements[^/]*\.(?:txt|in)"
    r"|requirements/[^/]+\.(?:txt|in)|package\.json|Cargo\.toml|go\.mod|Gemfile|[^/]+\.gemspec"
    r"|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|mix\.exs|Package\.swift)$"
)
_CONFIG = re.compile(
    r"\.(?:toml|ya?ml|ini|cfg|conf|json|env|properties|editorconfig)$"
    r"|(?:^|/)(?:\.[^/]+(?:rc|ignore|attributes)|Makefile|Justfile|Dockerfile|tox\.ini|\.env[^/]*"
    r"|\.pre-commit-config\.yaml)$",
    re.IGNORECASE,
)
_ASSET = re.compile(
    r"\.(?:png|jpe?g|gif|svg|ico|webp|pdf|woff2?|ttf|otf|mp[34]|wav|zip|gz|csv|tsv|parquet)$",
    re.IGNORECASE,
)
_CHANGELOG = re.compile(
    r"(?:^|/)(?:CHANGES|CHANGELOG|HISTORY|NEWS|RELEASES?)(?:[-_.]\w+)*$", re.IGNORECASE
)
_NOISE = frozenset(
    {Content.GENERATED, Content.LOCK, Content.VENDORED, Content.MINIFIED, Content.EXCLUDED}
)


def role(file: FileChange) -> Role:
    """Return the part that a file has in a project, by its path and by what it holds."""
    if file.content in _NOISE:
        return "aside"
    return role_of(file.path)


@lru_cache(maxsize=1 << 15)
def role_of(path: str) -> Role:
    """Return the part that a file of that path has."""
    if _CI.search(path):
        return "ci"
    if _MANIFEST.search(path):
        return "manifest"
    if _TEST.search(path):
        return "test"
    if _DOCS.search(path):
        return "docs"
    if _ASSET.search(path):
        return "asset"
    return "config" if _CONFIG.search(path) else "code"


def is_changelog(path: str) -> bool:
    """Say whether a file lists what changed from release to release."""
    return _CHANGELOG.search(path) is not None


def name_of(path: str) -> str:
    """Return how a person calls a file: its name, without the folders that it is in."""
    return path.rpartition("/")[2]


@lru_cache(maxsize=1 << 15)
def stem_of(path: str) -> str:
    """Return a file's name without suffix; of a package's own file, the package's name."""
    pure = PurePosixPath(path)
    stem = pure.name.partition(".")[0] or pure.name
    if stem in ("__init__", "__main__", "index", "mod", "lib", "main") and pure.parent.name:
        return pure.parent.name
    return stem


def scope_of(paths: list[str]) -> str:
    """Return the part of the repository that files are in: a package, a folder, else one file's
    stem; empty where they have none in common."""
    if not paths:
        return ""
    if len(paths) == 1:
        return stem_of(paths[0]).lstrip("_").removeprefix("test_").removesuffix("_test")
    stems = {stem_of(path).removeprefix("test_").removesuffix("_test") for path in paths}
    if len(stems) == 1:
        return stems.pop().lstrip("_")
    folders = [PurePosixPath(path).parent.parts for path in paths]
    shared: list[str] = []
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    named = [part for part in shared if part not in ("src", "lib", "pkg", "internal", "cmd", ".")]
    return named[-1].lstrip("._") if named else ""
