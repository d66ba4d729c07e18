"""Documents that usually change with a file of code, told by history."""

from __future__ import annotations

import os
import threading
from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise

from ...ingest.git.command import COMPARING, Git
from .conventions import is_prose, is_test, tells_of_past
from .records import Document, Drift, Thing, Tier

COMMITS = 1_000
"""Of history that are looked at."""
LEAST = 4
"""Commits that changed both."""
SHARE = 0.4
"""Of the commits that changed the code, those that changed the document too: at 0.4 every sixth
document that a commit changes is told, at 0.6 one in a hundred; see ``tests/bench/drift.py``."""
WIDE = 30
"""Files in a commit from which it tells nothing about any two of them."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How often files changed, and how often together."""

    alone: Mapping[str, int]
    together: Mapping[tuple[str, str], int]


def habits(git: Git, rev: str) -> Habits:
    """Read which files change together, in the last commits before a revision."""
    key = (str(git.common_dir), rev)
    with _lock:
        if key in _cache:
            return _cache[key]
    alone: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    listed = git.run(
        *("log", "--raw", "-z", "--format=%x01", "--no-renames", "--no-merges", *COMPARING),
        *(f"--max-count={COMMITS}", rev),
    )
    for commit in listed.split(b"\x01"):
        parts = commit.split(b"\0")
        paths = [
            os.fsdecode(after)
            for before, after in pairwise(parts)
            if before.lstrip(b"\n").startswith(b":")
        ]
        if not 0 < len(paths) <= WIDE:
            continue
        alone.update(paths)
        prose = [path for path in paths if is_prose(path) and not tells_of_past(path)]
        code = [path for path in paths if not is_prose(path) and not is_test(path)]
        together.update((one, other) for one in code for other in prose)
    found = Habits(alone, together)
    with _lock:
        _cache[key] = found
        while len(_cache) > 8:
            _cache.popitem(last=False)
    return found


def left_behind(
    git: Git, old: str, new: str, changed: Collection[str], documents: Mapping[str, Document]
) -> Drift | None:
    """Return the one document, if any, that most surely changes with this code and did not."""
    if len(changed) > WIDE:
        return None
    known = habits(git, old)
    best: tuple[float, int, str, str] | None = None
    for (code, document), times in known.together.items():
        if code not in changed or document in changed or document not in documents:
            continue
        share = times / known.alone[code]
        if times >= LEAST and share >= SHARE and (best is None or (share, times) > best[:2]):
            best = (share, times, code, document)
    if best is None:
        return None
    _, times, code, document = best
    reason = (
        f"it changed in {times} of the last {known.alone[code]} commits that changed {code},"
        f" not in {new[:7]}"
    )
    return Drift(document, 0, "", Thing.DOCUMENT, document, Tier.POSSIBLE, reason, new)


_lock = threading.Lock()
_cache: OrderedDict[tuple[str, str], Habits] = OrderedDict()
