"""What history knew: paths that were there once, and names that commits took out of the code."""

from __future__ import annotations

import os
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass, field

from ...ingest.git.command import COMPARING, DIFF_OPTIONS, Git
from .code_words import words_of
from .conventions import is_prose, is_test, tells_of_past
from .names import forms
from .tree import read_blobs

MAX_SECONDS = 15.0
"""For reading the diffs of history, newest first; what is older is not known then."""
MAX_BYTES = 600_000_000
MAX_COMMITS = 20_000

_DEFINED = (
    r"(?:def|class|func(?:\s*\([^)]*\))?|fn|function|const|let|var|type|struct|enum|trait|interface"
    r"|static|mod|module|macro_rules!)\s+{name}\b"
)
_WORD = re.compile(rb"(?<![\w-])--[A-Za-z][\w-]*|[A-Za-z_]\w+(?:-\w+)*")


@dataclass(frozen=True, slots=True)
class Taken:
    """The last commit that took something out."""

    commit: str
    path: str


@dataclass(slots=True)
class Past:
    """What is known of what was."""

    paths: dict[str, Taken] = field(default_factory=dict[str, Taken])
    """Files that were deleted or renamed, and their folders."""
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    names: dict[str, Taken] = field(default_factory=dict[str, Taken])
    complete: bool = True
    """All of history was read."""


def past_paths(git: Git, head: str) -> Past:
    """Return the paths that history deleted, with the last commit that did."""
    key = (str(git.common_dir), head)
    with _lock:
        if key in _paths:
            return _paths[key]
    past = Past(complete=not git.is_shallow)
    listed = git.run(
        *("log", "--raw", "-z", "--format=%x01%H", "--no-abbrev", "--diff-filter=DR", *COMPARING),
        *("--no-renames" if git.is_partial else "-M", "-l400", f"--max-count={MAX_COMMITS}", head),
    )
    commit = ""
    parts = listed.split(b"\0")
    at = 0
    while at < len(parts):
        part = parts[at].lstrip(b"\n")
        at += 1
        if part.startswith(b"\x01"):
            commit = part[1:].split(b"\n")[0].decode()
        elif part.startswith(b":") and at < len(parts):
            path = os.fsdecode(parts[at])
            moved = part.split()[-1][:1] == b"R"
            if moved and at + 1 < len(parts):
                past.renamed.setdefault(path, os.fsdecode(parts[at + 1]))
            at += 2 if moved else 1
            while path and path not in past.paths:
                past.paths[path] = Taken(commit, path)
                path = path.rpartition("/")[0]
    with _lock:
        _paths[key] = past
        while len(_paths) > 8:
            _paths.popitem(last=False)
    return past


def past_names(git: Git, head: str, wanted: Collection[str]) -> dict[str, Taken]:
    """Return, of some words, those that a commit took out of code where they were defined.

    Reads the diffs of history once, newest first, within limits of time and size; the result is
    kept for the revision.
    """
    key = (str(git.common_dir), head)
    with _lock:
        known, asked = _names.get(key, ({}, frozenset[str]()))
    missing = frozenset(wanted) - asked
    if not missing:
        return {word: taken for word, taken in known.items() if word in wanted}
    found = dict(known)
    if not git.is_partial:
        found |= _read(git, head, missing)
    with _lock:
        _names[key] = (found, asked | missing)
        while len(_names) > 8:
            _names.popitem(last=False)
    return {word: taken for word, taken in found.items() if word in wanted}


_ASIDE = re.compile(
    r"(?:^|/)(?:examples?|samples?|docs?|demo|scripts|tools|benchmarks?|artwork)/"
    r"|(?:^|/)(?:setup\.(?:py|cfg)|pyproject\.toml|tox\.ini|package\.json|cargo\.toml|makefile"
    r"|\.[^/]+)$|\n",
    re.IGNORECASE,
)


def _speaks(path: str) -> bool:
    """Say whether what a file defines is the project's own, and for others to use."""
    return not (is_prose(path) or is_test(path) or tells_of_past(path) or _ASIDE.search(path))


def _read(git: Git, head: str, wanted: Collection[str]) -> dict[str, Taken]:
    raw = {word.encode("utf-8", "surrogateescape"): word for word in wanted}
    patterns = {word: _definition(word) for word in wanted}
    found: dict[str, Taken] = {}
    commit = path = ""
    skip = True
    ends = time.monotonic() + MAX_SECONDS
    total = 0
    rest = b""
    arguments = (
        *("log", "-p", "--format=%x01%H", "--no-merges", "--diff-filter=MD", *DIFF_OPTIONS),
        *("--unified=0", "--no-renames", f"--max-count={MAX_COMMITS}", head, "--", "."),
        *(f":(exclude,icase)*{end}" for end in (".md", ".rst", ".txt", ".lock", ".svg", ".po")),
    )
    with git.stream(*arguments) as blocks:
        for block in blocks:
            total += len(block)
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                if line.startswith(b"-"):
                    if line.startswith(b"--- a/"):
                        path = os.fsdecode(line[6:].rstrip(b"\t"))
                        skip = not _speaks(path)
                    elif not skip and len(line) < 1_000:
                        hits = raw.keys() & _WORD.findall(line)
                        for hit in hits:
                            word = raw[hit]
                            text = line[1:].decode("utf-8", "replace")
                            if word not in found and patterns[word].search(text):
                                found[word] = Taken(commit, path)
                elif line.startswith(b"\x01"):
                    commit = line[1:].decode()
            if total > MAX_BYTES or time.monotonic() > ends:
                break
    return _verified(git, found)


def _verified(git: Git, found: dict[str, Taken]) -> dict[str, Taken]:
    """Keep the words that were in code before they were taken out, not in a comment or docstring."""
    asked = [f"{taken.commit}~1:{taken.path}" for taken in found.values()]
    if not asked:
        return {}
    stdin = b"".join(os.fsencode(name) + b"\n" for name in asked)
    said = git.run("cat-file", "--batch-check=%(objectname)", stdin=stdin).split(b"\n")
    blobs = [line.decode() if b" " not in line else "" for line in said]
    texts = read_blobs(git, [blob for blob in blobs if blob])
    kept: dict[str, Taken] = {}
    for (word, taken), blob in zip(found.items(), blobs, strict=False):
        text = texts.get(blob, b"").decode("utf-8", "replace")
        words = words_of(taken.path, text)
        if any(form in words for form in forms(word)):
            kept[word] = taken
    return kept


def _definition(word: str) -> re.Pattern[str]:
    """Return what finds a word where a line of code defines it."""
    name = re.escape(word)
    if word.startswith("--"):
        return re.compile(rf"^[^#]*[\"'`/]{name}(?![\w-])")
    quoted = rf"[\"'`]{name}[\"'`]"
    assigned = rf"^\s*(?:export\s+)?{name}\s*(?::[^=]+)?=(?!=)"
    plain = re.escape(word.replace("-", "_"))
    defined = _DEFINED.format(name=plain)
    if word.isupper():
        return re.compile(rf"^[^#]*{quoted}|{assigned}")
    # An assignment, not an argument that is given by name.
    return re.compile(rf"^[^#\"']*\b{defined}|{assigned}(?:(?!,\s*$|\)\s*$).)*$")


_lock = threading.Lock()
_paths: OrderedDict[tuple[str, str], Past] = OrderedDict()
_names: OrderedDict[tuple[str, str], tuple[dict[str, Taken], frozenset[str]]] = OrderedDict()
