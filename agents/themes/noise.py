"""What is upkeep rather than work: releases, dependency bumps, formatting, changelogs."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from ..brief.wording import bare_title
from ..commits.paths import is_changelog, role_of
from .records import Evidence, EvidenceKind


class Sort(StrEnum):
    """What sort of work a piece of evidence is."""

    WORK = "work"
    RELEASE = "release"
    DEPENDENCY = "dependency"
    UPKEEP = "upkeep"
    """Formatting, CI, packaging, changelogs: nobody asks what became of it."""


_VERSION = r"v?\d+\.\d+(?:\.\d+)*(?:[-.]?(?:a|b|rc|alpha|beta|dev|post|pre)[-.]?\d*)?"
_RELEASE = re.compile(
    r"^(?:prepare (?:for )?(?:the )?|cut |tag |bump (?:the )?|publish )?"
    r"(?:releas(?:e|ed|ing)|version|v)(?: (?:version|v|number))?(?: to| of|:)?:? ?"
    rf"(?:{_VERSION} (?:→|->|to) )?(?P<version>{_VERSION})"
    rf"(?: release)?$|^(?P<alone>{_VERSION})(?: release)?$",
    re.IGNORECASE,
)
_NEXT_VERSION = re.compile(
    r"^(?:start|begin|back to|post[- ]release|open)\b.*(?:version|development|dev)|^bump(?:ed)? (?:the )?version$"
    r"|^(?:bump(?:ed)?|start|set|open)?\s*(?:the )?version\b.*dev\d*$|^\d+\.\d+\S*dev\d*$",
    re.IGNORECASE,
)
_BUMP = re.compile(
    r"^(?:bump|upgrade|update) (?P<name>[@\w./-]+)(?: requirement)? (?:from \S+ )?to [v>=<~^]*\d",
    re.IGNORECASE,
)
_DEPENDENCIES = re.compile(
    r"^(?:\[pre-commit\.ci\] )?(?:bump|update|upgrade|pin|unpin)s?\b.*"
    r"\b(?:dependenc(?:y|ies)|requirements|dev env|dev environment|python-packages|github-actions"
    r"|lock ?file|pre-commit(?: hooks)?|pinned|group)\b|^pre-commit autoupdate|^\[pre-commit\.ci\]",
    re.IGNORECASE,
)
_UPKEEP = re.compile(
    r"^(?:re-?)?(?:ran |run |apply |fix(?:es|ed)? (?:for )?)?(?:cog|black|ruff|isort|mypy|flake8|prettier|lint(?:er|ing)?|"
    r"(?:auto)?format(?:ting)?|typos?|spelling|whitespace)"
    r"(?: (?:for|on|in|fix(?:es)?|warnings?|errors?|everything|again|run)\b.{0,24})?$"
    r"|^(?:fix|update|tweak|clean ?up|edit)?\s*(?:the )?(?:changelog|change log|release (?:date|notes)"
    r"|copyright(?: year)?)\b.{0,30}$|^bump copyright",
    re.IGNORECASE,
)
_BOT = re.compile(
    r"\[bot\]|^(?:dependabot|renovate|pre-commit-ci|github[- ]actions?|pyup-bot)\b", re.IGNORECASE
)
_BOT_BRANCH = re.compile(r"(?:^|/)(?:dependabot|renovate|pyup|pre-commit-ci)[/-]")
_DEPLOYED = re.compile(
    r"^(?:deploy(?:ed|ing)?|automated deployment|publish(?:ed|ing)?)\b.*(?:\bgh-pages\b|\b[0-9a-f]{7,40}\b)",
    re.IGNORECASE,
)


def is_bot(name: str, email: str = "") -> bool:
    """Say whether an author is a machine."""
    return bool(_BOT.search(name)) or "[bot]" in email


def sort_of(evidence: Evidence) -> Sort:
    """Return what sort of work a piece of evidence is."""
    if evidence.kind is not EvidenceKind.COMMIT:
        return Sort.WORK
    return _sort(evidence.title, evidence.author, evidence.email, evidence.branch, evidence.paths)


@lru_cache(maxsize=1 << 14)
def _sort(title: str, author: str, email: str, branch: str, paths: tuple[str, ...]) -> Sort:
    if version_of(title):
        return Sort.RELEASE
    title = bare_title(title)
    if _BUMP.match(title) or _DEPENDENCIES.match(title):
        return Sort.DEPENDENCY
    if _NEXT_VERSION.match(title) or _UPKEEP.match(title) or _DEPLOYED.match(title):
        return Sort.UPKEEP
    if is_bot(author, email) or _BOT_BRANCH.search(branch):
        return Sort.DEPENDENCY
    roles = {role_of(path) for path in paths if not is_changelog(path)}
    if paths and roles <= {"ci", "manifest", "config", "aside"}:
        return Sort.UPKEEP
    return Sort.WORK


def version_of(title: str) -> str:
    """Return the version that a title says is released; empty if it says of none."""
    match = _RELEASE.match(bare_title(title).rstrip("."))
    version = (match["version"] or match["alone"]) if match is not None else ""
    return "" if "dev" in version.lower() else version


def bumped(title: str) -> str:
    """Return the dependency that a title says was given another version; empty if none."""
    match = _BUMP.match(bare_title(title))
    return match["name"] if match is not None else ""
