"""What the people who wrote a change say in it: the changelog's entry, the versions supported, the
names that documents have now."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from .mentions import Mention, is_name, mentions
from .paths import is_changelog, role, stem_of
from .records import FileChange
from .signals import changed
from .statement import Statement, several
from .verbs import third_person

_BULLET = re.compile(r"^\s{0,3}[-*] +(?P<text>\S.*)$")
_REFERENCE = re.compile(
    r"\s*(?::\w+:`[^`]*`|\{\w+\}`[^`]*`|\(?\[?#\d+\]?(?:\([^)]*\))?\)?|\(\[[^\]]*\]\([^)]*\)\)|,? by @[\w-]+)"
)
_ROLE = re.compile(r"(?::\w+:|\{\w+\})`~?\.?(?P<name>[^`<]*?)`")
_SENTENCE = re.compile(r"^(?P<first>.*?[^\s.](?:\.(?=\s+[A-Z])|\.?$))", re.DOTALL)
_CLASSIFIER = re.compile(r"Programming Language :: (?P<name>[A-Za-z]+) :: (?P<version>\d+\.\d+)")
_LONGEST = 90


def told_by_changelog(files: Sequence[FileChange]) -> list[Statement]:
    """Return the first sentence of the one entry that the change adds to the changelog: its author
    says there what it does."""
    for file in files:
        if not is_changelog(stem_of(file.path)) or file.removed > file.added:
            continue
        entries = _entries(file)
        if len(entries) != 1:
            continue
        match = _SENTENCE.match(entries[0])
        text = (match["first"] if match is not None else entries[0]).rstrip(". ")
        statement = third_person(text)
        if statement and 10 <= len(statement) <= _LONGEST:
            return [Statement(statement, statement.split(" ", 1)[1], file.path, 70.0)]
        if 15 <= len(text) <= _LONGEST:
            return [Statement(text, text, file.path, 28.0)]
    return []


def _entries(file: FileChange) -> list[str]:
    entries: list[list[str]] = []
    for hunk in file.hunks:
        inside = False
        for line in hunk.lines:
            match = _BULLET.match(line[1:])
            if line[0] != "+":
                inside = False
            elif match is not None:
                entries.append([match["text"]])
                inside = True
            elif inside and line[1:2] == " " and line.strip("+ "):
                entries[-1].append(line[1:].strip())
            else:
                inside = False
    whole = (" ".join(lines) for lines in entries)
    return [_bare(text) for text in whole]


def _bare(text: str) -> str:
    """Without references to tickets, and with code in backticks, not in a role of its own."""
    text = re.sub(r"(?::|\{)(?:issue|pr|pull|ghsa|user|cve)(?::|\})`[^`]*`", "", text)
    text = _ROLE.sub(lambda match: f"`{match['name']}`", text)
    text = _REFERENCE.sub("", text).replace("``", "`")
    return re.sub(r"\s+([.,])", r"\1", re.sub(r"\s+", " ", text)).strip()


def supported(files: Sequence[FileChange]) -> list[Statement]:
    """Return versions of a language that the project's classifiers name now, or no more."""
    manifests = [file for file in files if role(file) == "manifest"]
    new = _classifiers(manifests, "+")
    old = _classifiers(manifests, "-")
    found: list[Statement] = []
    for name, versions in new.items():
        come = [one for one in versions if one not in old.get(name, [])]
        if come:
            text = f"adds support for {name} {several(come)}"
            found.append(Statement(text, f"{name} {come[0]}", manifests[0].path, 62.0))
    for name, versions in old.items():
        gone = [one for one in versions if one not in new.get(name, [])]
        if gone:
            text = f"drops support for {name} {several(gone)}"
            found.append(Statement(text, f"{name} {gone[0]}", manifests[0].path, 62.0))
    return found


def _classifiers(files: Sequence[FileChange], sign: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in changed(files, sign):
        for match in _CLASSIFIER.finditer(line):
            found.setdefault(match["name"], []).append(match["version"])
    return found


def new_names(files: Sequence[FileChange], sign: str = "+") -> list[str]:
    """Return names of code that a document has now and had not, most frequent first; with ``-``
    those that it had and has no more."""
    other = "-" if sign == "+" else "+"
    before = {one.text for line in changed(files, other) for one in mentions(line)}
    around = {
        one.text
        for file in files
        for hunk in file.hunks
        for line in hunk.lines
        if line[0] == " "
        for one in mentions(line[1:])
    }
    counted: Counter[Mention] = Counter()
    for line in changed(files, sign):
        if "`" in line:
            counted.update(mentions(line))
    return [
        mention.text
        for mention, _ in counted.most_common()
        if (mention.sort == "flag" or (mention.sort == "identifier" and is_name(mention.text)))
        and mention.text not in before | around
    ]
