"""The ticket that a branch's name says its work is for."""

from __future__ import annotations

import re

from .tickets import tickets

_KEY = re.compile(r"(?:^|[/_\-])(?P<key>[A-Za-z][A-Za-z0-9]{1,9}-[1-9]\d{0,5})(?=$|[/_\-])")
_WORDED = re.compile(
    r"(?:^|[/_\-])(?:issues?|gh|bug|ticket|pr)[/_\-]?#?(?P<number>[1-9]\d{0,6})(?=$|[/_\-])",
    re.IGNORECASE,
)
_HASH = re.compile(r"(?:^|[/_\-])#(?P<number>[1-9]\d{0,6})(?=$|[/_\-])")
_PLAIN = re.compile(r"^(?P<number>[1-9]\d{0,6})(?=$|[_\-])(?P<rest>.*)$", re.DOTALL)
_END = re.compile(r"(?:[_\-])(?P<number>[1-9]\d{1,6})$")

_DATE = re.compile(
    r"(?<!\d)(?:19|20)\d\d[\-_./]?(?:0[1-9]|1[0-2])(?:[\-_./]?(?:0[1-9]|[12]\d|3[01]))?(?!\d)"
    r"|(?<!\d)(?:0?[1-9]|[12]\d|3[01])[\-_.](?:0?[1-9]|1[0-2])[\-_.](?:19|20)\d\d(?!\d)"
)
_VERSION = re.compile(r"(?<![A-Za-z0-9])v?\d+(?:[._]\d+|[._][x*])+\S*", re.IGNORECASE)
_ADVISORY = re.compile(r"(?i)\b(?:cve|ghsa|rustsec|pep|rfc)[-_][\w\-]+")
_DEPENDENCY = re.compile(r"^(?:dependabot|renovate|pyup|snyk|pre-commit-ci|release|releases)[/\-]")
_YEAR = re.compile(r"(?:19|20)\d\d")

_KINDS_TEXT = """
    feat feature features fix fixes bug bugs bugfix hotfix docs doc test tests chore refactor build
    ci perf style wip spike task tasks story epic user users dev topic work improvement enhancement
    experiment patch revert issue issues gh pr
"""
_KINDS = frozenset(_KINDS_TEXT.split())
"""What a branch's folders and first words are called, rather than a tracker's project."""

_WORDS_BEFORE_TEXT = """
    step phase part round attempt try take version v top first last batch rc alpha beta node go
    python py php java jdk ruby rust gcc http ipv utf iso sha md base win x retry take error code
    status port chunk week sprint day
"""
_WORDS_BEFORE = frozenset(_WORDS_BEFORE_TEXT.split())
"""Words whose number says which, not which ticket: ``http-404``, ``node-20``."""

_UNITS_TEXT = "bit bits byte bytes ms s sec seconds min minutes days day px kb mb gb"
_UNITS = frozenset(_UNITS_TEXT.split())


def ticket_of(branch: str, *, numbered: bool = False) -> str | None:
    """Return the ticket a branch's name has: ``feature/ENG-17-rate-limit`` → ``ENG-17``,
    ``fix/482-empty-cart`` → ``#482``; None where it has none or only dates and versions.

    A key in lower case (``eng-17-…``) counts where it begins a part of the name and is no word that
    usually stands before a number; with ``numbered``, where tickets are numbers only, it does not.
    """
    if not branch or _DEPENDENCY.match(branch):
        return None
    plain = _VERSION.sub(" ", _DATE.sub(" ", _ADVISORY.sub(" ", branch)))
    found = _key(plain, numbered=numbered)
    if found is not None:
        return found
    for pattern in (_WORDED, _HASH):
        match = pattern.search(plain)
        if match is not None:
            return f"#{match['number']}"
    return _number(plain)


def _key(branch: str, *, numbered: bool) -> str | None:
    for match in _KEY.finditer(branch):
        written = match["key"]
        project, _, number = written.rpartition("-")
        if project.isupper():
            # The rules for messages know standards and encodings: UTF-8, CVE-2024, PEP-8.
            if tickets(written):
                return written
            continue
        lowered = project.lower()
        begins = match.start() == 0 or branch[match.start()] == "/"
        if numbered or not begins or lowered in _KINDS or lowered in _WORDS_BEFORE:
            continue
        if len(project) <= 5 and tickets(f"{project.upper()}-{number}"):
            return f"{project.upper()}-{number}"
    return None


def _number(branch: str) -> str | None:
    """Return a number that begins a part of the name, or ends all of it after one kind of work."""
    parts = branch.split("/")
    for part in reversed(parts):
        first, _, rest = part.partition("-")
        for text in (part, rest if first.lower() in _KINDS else ""):
            match = _PLAIN.match(text)
            if match is None or _YEAR.fullmatch(match["number"]):
                continue
            unit = re.match(r"[_\-]([a-z]+)", match["rest"])
            alone = not match["rest"] and len(parts) == 1 and text == part
            if not alone and (unit is None or unit[1] not in _UNITS):
                return f"#{match['number']}"
    match = _END.search(parts[-1])
    if match is not None and not _YEAR.fullmatch(match["number"]):
        before = re.split(r"[_\-]", parts[-1][: match.start()])[-1].lower()
        if int(match["number"]) >= 100 and before not in _WORDS_BEFORE:
            return f"#{match['number']}"
    return None
