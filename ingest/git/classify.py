"""What a changed file holds: text worth indexing, or noise of which a stub is enough.

The rules follow the conventions that code hosts use to fold files in a diff.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...memory.records import Content

_LOCK_NAMES = frozenset(
    {
        "bun.lock",
        "bun.lockb",
        "cabal.project.freeze",
        "cargo.lock",
        "cartfile.resolved",
        "chart.lock",
        "composer.lock",
        "conan.lock",
        "deno.lock",
        "flake.lock",
        "gemfile.lock",
        "glide.lock",
        "go.sum",
        "go.work.sum",
        "gopkg.lock",
        "gradle.lockfile",
        "mix.lock",
        "module.bazel.lock",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "package.resolved",
        "packages.lock.json",
        "paket.lock",
        "pdm.lock",
        "pipfile.lock",
        "pixi.lock",
        "pnpm-lock.yaml",
        "pnpm-lock.yml",
        "podfile.lock",
        "poetry.lock",
        "pubspec.lock",
        "pylock.toml",
        "rebar.lock",
        "renv.lock",
        "stack.yaml.lock",
        "uv.lock",
        "yarn.lock",
        ".terraform.lock.hcl",
    }
)
"""Lock files of every common package manager, in lower case."""

_VENDORED = re.compile(
    r"(?:^|/)(?:"
    r"vendor|vendored|_vendor|third[-_]?party|3rd[-_]?party|thirdparty|external_libs|extern"
    r"|node_modules|bower_components|jspm_packages|\.yarn/(?:releases|plugins|cache)"
    r"|site-packages|\.venv|venv|godeps/_workspace|carthage/checkouts"
    r")/"
    r"|(?:^|/)(?:gradlew(?:\.bat)?|mvnw(?:\.cmd)?|\.pnp\.c?js)$"
    r"|(?:^|/)(?:jquery|bootstrap|modernizr|underscore|d3|angular|react|vue|ember|prototype"
    r"|require|normalize|font-awesome)(?:[-.]v?\d[\w.\-]*)\.(?:js|css)$"
)

_GENERATED = re.compile(
    r"(?:^|/)(?:dist|__generated__|generated|\.next|\.nuxt|_build|htmlcov)/"
    r"|\.(?:js|css|mjs|cjs)\.map$"
    r"|_pb2(?:_grpc)?\.pyi?$|\.pb(?:\.gw)?\.go$|_grpc\.pb\.go$|\.pb\.(?:cc|h|swift|dart)$"
    r"|_pb\.(?:js|ts|d\.ts|rb)$|\.g\.(?:dart|cs)$|\.freezed\.dart$|\.designer\.(?:cs|vb)$"
    r"|\.generated\.\w+$|[._]gen\.(?:go|ts|rs)$|^zz_generated|/zz_generated|_string\.go$"
    r"|(?:^|/)(?:bindata\.go|__snapshots__/[^/]+)$|\.snap$|\.(?:xib|nib|storyboard|pbxproj)$"
    r"|\.ipynb_checkpoints/"
)

_MINIFIED = re.compile(r"[-.]min\.(?:js|css|mjs|cjs|html|json|svg)$|\.bundle\.(?:js|css)$")

_MARKS = re.compile(
    r"do not edit|@generated\b|\bauto-?generated\b|generated (?:by|from|with|file)"
    r"|automatically generated|code generated"
)

_AT_TOP = ("@@ -0,", "@@ -1,", "@@ -1 ")
"""How a first hunk begins that shows the top of the file, before or after the change."""

_HEADER_LINES = 12
"""Lines at the top of a file in which a generator signs its work."""

_MINIFIED_KINDS = re.compile(r"\.(?:js|mjs|cjs|css|html?|svg|json|geojson|xml|map|txt)$")
_LONG_LINE = 400
"""Characters a line on average, from which such a file counts as minified."""
_ENDLESS_LINE = 5_000
"""Characters a line on average, from which any file does."""


@lru_cache(maxsize=65_536)
def by_path(path: str) -> Content:
    """Return what a file's path alone says it holds; TEXT if it says nothing."""
    lowered = path.lower()
    name = lowered.rpartition("/")[2]
    if name in _LOCK_NAMES or name.endswith(".lock.json"):
        return Content.LOCK
    if _VENDORED.search(lowered) or "/Pods/" in f"/{path}":
        return Content.VENDORED
    if _MINIFIED.search(name):
        return Content.MINIFIED
    if _GENERATED.search(lowered):
        return Content.GENERATED
    return Content.TEXT


def by_diff(path: str, hunks: str) -> Content:
    """Return what the beginning of a file's diff says it holds; TEXT if it says nothing.

    ``hunks`` start with ``@@``. Only the top of a file can be signed by a generator, so only a
    hunk that starts there counts.
    """
    if hunks.startswith(_AT_TOP):
        top = "\n".join(hunks.split("\n", _HEADER_LINES + 1)[1 : _HEADER_LINES + 1]).lower()
        if ("generated" in top or "do not edit" in top) and _MARKS.search(top):
            return Content.GENERATED
    if len(hunks) > _LONG_LINE:
        average = len(hunks) / (hunks.count("\n") or 1)
        if average > _LONG_LINE and _MINIFIED_KINDS.search(path.lower()):
            return Content.MINIFIED
        if average > _ENDLESS_LINE:
            return Content.MINIFIED
    return Content.TEXT
