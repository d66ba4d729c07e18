"""What the commits between two revisions took away: files, definitions, words of code."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from ...ingest import symbols as reading
from ...ingest.git.command import COMPARING, Git
from ...ingest.symbols import Symbol, SymbolChange
from .code_words import is_source, without_comments, words_in
from .conventions import is_test, runs_others
from .tree import Entry, Tree

MAX_FILES = 2_000
"""Changed files whose text is compared; a larger change is looked at for its paths only."""
MAX_LINES = 20_000
"""Of a file whose lines are paired."""
_TOKEN = re.compile(r"--[A-Za-z][\w-]*|\w+(?:-\w+)*")


@dataclass(frozen=True, slots=True)
class Changed:
    """A file of code before and after."""

    old_path: str
    """Empty for a new one."""
    new_path: str
    """Empty for one that is gone."""
    old_text: str
    new_text: str


@dataclass(slots=True)
class Change:
    """All that changed between two trees."""

    old: Tree
    new: Tree
    renamed: dict[str, str] = field(default_factory=dict[str, str])
    """Paths that are now others."""
    gone: set[str] = field(default_factory=set[str])
    """Paths of files and folders that are not there any more, renamed ones included."""
    documents: set[str] = field(default_factory=set[str])
    """Paths, at new, that were changed or came, of whatever kind."""
    files: list[Changed] = field(default_factory=list[Changed])
    lost: dict[str, str] = field(default_factory=dict[str, str])
    """Words that no changed file of code holds any more; the file that did."""
    definitions: dict[str, list[tuple[Symbol, str]]] = field(
        default_factory=dict[str, list[tuple[Symbol, str]]]
    )
    """What changed files defined before, by short name."""
    symbols: list[tuple[SymbolChange, str]] = field(default_factory=list[tuple[SymbolChange, str]])
    renames: dict[str, str] = field(default_factory=dict[str, str])
    """Words that took the place of lost ones."""


def changes(git: Git, old: Tree, new: Tree) -> Change:
    """Return what changed from one tree to another."""
    change = Change(old, new)
    pairs: list[tuple[Entry | None, Entry | None]] = []
    listed = git.run(
        *("diff-tree", "-r", "-M", "-l1000", "-z", "--raw", "--no-abbrev", *COMPARING),
        *(old.rev, new.rev),
    )
    parts = listed.split(b"\0")
    at = 0
    while at < len(parts) - 1:
        status = parts[at].split()[-1][:1]
        first = os.fsdecode(parts[at + 1])
        moved = status in (b"R", b"C")
        last = os.fsdecode(parts[at + 2]) if moved else first
        at += 3 if moved else 2
        if status == b"R":
            change.renamed[first] = last
        before = old.entries.get(first) if status != b"C" else None
        pairs.append((before, new.entries.get(last)))
        if last in new.entries:
            change.documents.add(last)
    change.gone = {path for path in old.entries if path not in new.entries}
    change.gone |= {path for path in old.folders if path not in new.folders}
    _folders(change)
    sources = [
        (before, after)
        for before, after in pairs
        if (before is not None and is_source(before)) or (after is not None and is_source(after))
    ]
    if len(sources) <= MAX_FILES:
        _words(change, sources)
        _texts(change, sources)
    return change


def _folders(change: Change) -> None:
    """A folder was renamed if most of its files are in one other folder now."""
    for folder in [path for path in change.gone if path in change.old.folders]:
        votes: Counter[str] = Counter()
        for old, new in change.renamed.items():
            rest = old.removeprefix(folder + "/")
            if rest != old and new.endswith("/" + rest):
                votes[new[: -len(rest) - 1]] += 1
        if votes:
            change.renamed.setdefault(folder, votes.most_common(1)[0][0])


def _words(change: Change, pairs: list[tuple[Entry | None, Entry | None]]) -> None:
    olds = [before.path for before, _ in pairs if before is not None]
    news = [after.path for _, after in pairs if after is not None]
    before = words_in(change.old, olds)
    held: set[str] = set()
    for words in words_in(change.new, news).values():
        held |= words
    # Named after the project's own code first, if several files had it.
    for path, words in sorted(before.items(), key=lambda each: runs_others(each[0])):
        if not is_test(path):
            for word in words - held:
                change.lost.setdefault(word, path)


def _texts(change: Change, pairs: list[tuple[Entry | None, Entry | None]]) -> None:
    old_texts = change.old.read(before.blob for before, _ in pairs if before is not None)
    new_texts = change.new.read(after.blob for _, after in pairs if after is not None)
    votes: dict[str, Counter[str]] = {}
    gone = frozenset(word.lstrip('"') for word in change.lost)
    for before, after in pairs:
        changed = Changed(
            before.path if before else "",
            after.path if after else "",
            _text(old_texts, before),
            _text(new_texts, after),
        )
        path = changed.old_path or changed.new_path
        change.files.append(changed)
        _vote(changed, gone, votes)
        if is_test(path):
            continue
        was = reading.symbols(changed.old_path, changed.old_text) if before else ()
        now = reading.symbols(changed.new_path, changed.new_text) if after else ()
        for symbol in was or ():
            change.definitions.setdefault(symbol.short, []).append((symbol, changed.old_path))
        for one in reading.compare(was, now):
            change.symbols.append((one, changed.new_path or changed.old_path))
            if one.what == "renamed" and one.before and one.after:
                votes.setdefault(one.before.short, Counter())[one.after.short] += 3
    for word, counted in votes.items():
        best = counted.most_common(2)
        if len(best) == 1 or best[0][1] > best[1][1]:
            change.renames[word] = best[0][0]


def _text(texts: Mapping[str, bytes], entry: Entry | None) -> str:
    content = texts.get(entry.blob, b"") if entry is not None else b""
    return "" if b"\0" in content[:8_000] else content.decode("utf-8", "replace")


def _words_of(lines: list[str]) -> set[str]:
    return {word for line in lines for word in _TOKEN.findall(line)}


def _middle(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Leave out the lines that are the same at the top and at the end."""
    top = 0
    while top < min(len(old), len(new)) and old[top] == new[top]:
        top += 1
    end = 0
    while end < min(len(old), len(new)) - top and old[-1 - end] == new[-1 - end]:
        end += 1
    return old[top : len(old) - end], new[top : len(new) - end]


def _vote(changed: Changed, lost: frozenset[str], votes: dict[str, Counter[str]]) -> None:
    """Count what stands now where a lost word stood, in lines that are the same but for it."""
    old = without_comments(changed.old_path, changed.old_text).splitlines()
    new = without_comments(changed.new_path, changed.new_text).splitlines()
    if not old or not new or max(len(old), len(new)) > MAX_LINES:
        return
    if not _words_of(old) & lost:
        return
    old, new = _middle(old, new)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "replace" or i2 - i1 > 200 or j2 - j1 > 200:
            continue
        for index, line in enumerate(old[i1:i2]):
            was = _TOKEN.findall(line)
            if not any(word in lost for word in was):
                continue
            # The line opposite first, else any of the block.
            opposite = j1 + index
            nearby = [opposite] if i2 - i1 == j2 - j1 else range(j1, j2)
            for other in nearby:
                now = _TOKEN.findall(new[other])
                if len(was) != len(now):
                    continue
                pairs = {(a, b) for a, b in zip(was, now, strict=True) if a != b}
                if len(pairs) <= 2 and len(pairs) * 2 <= max(2, len(was)):
                    for a, b in pairs:
                        votes.setdefault(a, Counter())[b] += 1
