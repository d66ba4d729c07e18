"""Which files are documents, and which text tells of the past, by the conventions that projects share.

A changelog, release notes, decision records and postmortems name what was, on purpose: that a name
in them is gone is not drift. The same holds for a section headed by a version or a date, and for
a paragraph that says itself that something was removed.
"""

from __future__ import annotations

import re

from ...ingest.documents.formats import MARKDOWN, RST

_PLAIN = re.compile(r"^(?:readme|usage)(?:\.txt)?$", re.IGNORECASE)
_PAST_NAME = re.compile(
    r"^(?:change-?logs?|changes|history|news|release[-_ ]?notes?|releases?|upgrad(?:e|ing)[\w-]*"
    r"|migrat(?:e|ion|ing)[\w-]*|what-?s-?new|whatsnew[\w-]*|authors|contributors|thanks"
    r"|third[-_]party[-_]?(?:licen[cs]es?|notices?)|licen[cs]es?|copying|notice)(?:[-_.]?v?\d[\w.-]*)?(?:\.\w+)?$",
    re.IGNORECASE,
)
_PAST_FOLDER = re.compile(
    r"(?:^|/)(?:adrs?|decisions|decision-records|rfcs?|post-?mortems?|incidents|changelogs?"
    r"|changelog\.d|changes\.d|newsfragments|release[-_]?notes|releases|whatsnew|blog|posts|news)/",
    re.IGNORECASE,
)
_RUNS_OTHERS = re.compile(
    r"(?:^|/)(?:justfile|makefile|gnumakefile|dockerfile[\w.-]*|containerfile|taskfile\.ya?ml"
    r"|tox\.ini|noxfile\.py|package\.json|procfile|vagrantfile|\.[\w.-]+)$"
    r"|(?:^|/)\.(?:github|gitlab|circleci|devcontainer)/|\.(?:mk|sql|service|nix)$",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(r"(?:^|/)\.github/(?:issue_template|pull_request_template)", re.IGNORECASE)
_TEST_DATA = re.compile(
    r"(?:^|/)(?:tests?|testing|specs?|testdata|fixtures|__tests__|__snapshots__)/", re.IGNORECASE
)
_VERSION_HEADING = re.compile(
    r"^(?:\W*(?:version|release|v)?\W*)?(?:\d+\.\d+(?:\.\d+)?[\w.-]*|\d{4}-\d\d(?:-\d\d)?)\b"
    r"|^\W*unreleased\b|\bchange ?log\b|^\W*(?:release|version) (?:notes|history)\b"
    r"|^\W*what'?s new\b|^\W*upgrading\b|\bmigrat(?:ing|ion)\b|\bdeprecat",
    re.IGNORECASE,
)
_PAST_WORDS = re.compile(
    r"\b(?:(?:was|were|been|got) (?:removed|renamed|dropped|moved|replaced)|removed (?:in|from) v?\d"
    r"|removal|no longer|deprecat\w+|formerly|obsolete|superseded"
    r"|previously (?:called|named|known|was|were|used|available|possible|required)"
    r"|(?:was|were) (?:originally |once )?called|renamed (?:to|from|in)"
    r"|(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bwas )(?<!\bwere )(?<!\bbeen )"
    r"used to (?:be|have|call|do)|older versions?|old versions?|earlier versions?"
    r"|prior to (?:version\b|[\w`-]+ v?\d|v?\d)|before (?:version|v?\d)"
    r"|changed in version|(?:new|added) in (?:version )?v?\d+\.\d+)\b",
    re.IGNORECASE,
)
PAST_DIRECTIVES = frozenset(
    {"versionadded", "versionchanged", "deprecated", "versionremoved", "deprecated-removed"}
)
IGNORE = "hermes-ignore"


def name_of(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]


def is_prose(path: str) -> bool:
    """Say whether a path is a file of prose that is read: Markdown, reStructuredText, README."""
    lowered = path.lower()
    return lowered.endswith(MARKDOWN + RST) or bool(_PLAIN.match(name_of(path)))


def is_module(path: str) -> bool:
    """Say whether a path is a Python module, whose docstrings are a document."""
    return path.endswith((".py", ".pyi"))


def is_test(path: str) -> bool:
    """Say whether a path belongs to tests or their data."""
    name = name_of(path)
    return bool(_TEST_DATA.search(path)) or (
        name.startswith(("test_", "conftest")) or "_test." in name or ".test." in name
    )


def runs_others(path: str) -> bool:
    """Say whether a file runs other programs: its options are theirs, not the project's."""
    return bool(_RUNS_OTHERS.search(path))


def tells_of_past(path: str) -> bool:
    """Say whether a document as a whole tells of what was: a changelog, an ADR, a postmortem."""
    return bool(
        _PAST_NAME.match(name_of(path)) or _PAST_FOLDER.search(path) or _TEMPLATE.search(path)
    )


def is_past_heading(text: str) -> bool:
    """Say whether a section under this heading tells of a version or of a change."""
    return bool(_VERSION_HEADING.search(text.strip()))


def past_paragraphs(lines: list[str]) -> set[int]:
    """Return the numbers, from 1, of lines in paragraphs that say that something is gone."""
    found: set[int] = set()
    start = 0
    for number, line in enumerate([*lines, ""], 1):
        blank = not line.strip()
        bullet = re.match(r"\s*(?:[-*+]|\d+[.)])\s", line)
        if blank or bullet:
            paragraph = " ".join(part.strip() for part in lines[start : number - 1])
            if _PAST_WORDS.search(paragraph):
                found.update(range(start + 1, number))
            start = number if blank else number - 1
    return found


def ignored_lines(lines: list[str]) -> set[int]:
    """Return the lines that a ``hermes-ignore`` marker takes out.

    A marker at the end of a line takes out that line; alone on its line, the block after it (to
    the next blank line that is not inside a fence).
    """
    found: set[int] = set()
    for index, line in enumerate(lines):
        if IGNORE not in line or not _MARKER.search(line):
            continue
        found.add(index + 1)
        if not _ALONE.match(line):
            continue
        after = index + 1
        while after < len(lines) and not lines[after].strip():
            after += 1
        first = lines[after].strip() if after < len(lines) else ""
        fence = first[:3] if first.startswith(("```", "~~~")) else ""
        directive = first.startswith(".. ") or first.endswith("::")
        indent = len(lines[after]) - len(lines[after].lstrip()) if after < len(lines) else 0
        block = after
        while block < len(lines):
            text = lines[block]
            if not fence and block > after and not text.strip():
                following = next((line for line in lines[block:] if line.strip()), "")
                inside = len(following) - len(following.lstrip()) > indent
                if not (directive and inside):
                    break
            found.add(block + 1)
            if fence and block > after and text.strip().startswith(fence):
                break
            block += 1
    return found


_MARKER = re.compile(rf"(?:<!--|\.\.|#|//)\s*{IGNORE}\b")
_ALONE = re.compile(rf"^\s*(?:<!--|\.\.|#|//)\s*{IGNORE}\b[^\n]*?(?:-->)?\s*$")
