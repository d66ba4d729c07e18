"""Whether memory is healthy: what is in it twice, what holds no more, what lies about on disk.

Looks at everything, and changes nothing. It reads all messages once, in slices.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from .census import SourceCount
from .filters import one_of
from .lance import translated
from .leftovers import BUILDING
from .leftovers import FOLDER as REBUILDING
from .marks import Key
from .memory import Memory
from .place import made_in
from .plain import FOLDER as FORGETTING
from .records import Kind
from .serving import serving_tables
from .store import Store
from .tables import is_ours
from .upkeep import size

_AT_ONCE = 500
"""References named in one condition."""
_OLD_FILE = 3_600
"""Seconds after which a file that nothing names is nobody's who is still writing it."""
VARYING = re.compile(r"\b[0-9a-f]{7,40}\b|\d+")
"""Shas and numbers: what differs in them alone is nearly the same."""
_WORD_BITS = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Rate:
    """So many of so many."""

    count: int
    of: int

    @property
    def share(self) -> float:
        """0..1; nothing of nothing is 0."""
        return self.count / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class Disk:
    """What memory takes on disk, in bytes, and what of it is of now."""

    index: int
    store: int
    """0 where it lies on another machine."""
    raw: int
    rest: int
    live: int
    """Of index and store: what holds something, and belongs to the newest version."""

    @property
    def times(self) -> float:
        """How many times as much index and store take as what is of now."""
        return (self.index + self.store) / self.live if self.live else 1.0


@dataclass(frozen=True, slots=True)
class Measures:
    """What was measured."""

    at: int
    repos: int
    entries: int
    """Commits and items."""
    chunks: int
    sources: tuple[SourceCount, ...]
    duplicates: Rate
    """Entries that say exactly what another one says, and are not folded into it."""
    near_duplicates: Rate
    """The same but for numbers and shas, and neither folded nor counting for less."""
    folded: int
    ended: int
    faded: int
    facts: int
    stale: Rate
    """Entries that don't hold any more or count for less: they are there, and weigh on the disk."""
    derived: Rate
    """Chunks that no source has brought: hermes must never remember its own words."""
    orphaned: Rate
    """Chunks of commits that no branch reaches any more."""
    stray: tuple[str, ...]
    """Files in memory's folder that nothing names."""
    disk: Disk


def measure(memory: Memory, now: int) -> Measures:
    """Measure all of memory. Blocking: a second or two for 100,000 chunks."""
    index = memory.index
    sources = tuple(index.census.sources(now))
    entries = sum(source.entries for source in sources)
    marks = index.marks.counts()
    looked = _look(memory)
    return Measures(
        at=now,
        repos=len(index.repos()),
        entries=entries,
        chunks=looked.chunks,
        sources=sources,
        duplicates=Rate(looked.duplicates, entries),
        near_duplicates=Rate(looked.near_duplicates, entries),
        folded=marks.folded,
        ended=marks.ended,
        faded=marks.faded,
        facts=index.facts.count(),
        stale=Rate(marks.ended + marks.faded, entries),
        derived=Rate(looked.derived, looked.chunks),
        orphaned=Rate(looked.orphaned, looked.chunks),
        stray=tuple(stray_files(memory, now)),
        disk=_disk(memory),
    )


def sample(memory: Memory, wanted: int, seed: int) -> list[str]:
    """Return the texts of some ``wanted`` chunks, other ones for each seed.

    Ids are hashes, so what lies in one span of them is as good as drawn by lot.
    """
    total = memory.store.count_mine()
    if not total:
        return []
    width = min(1.0, wanted / total)
    first = int(blake2b(str(seed).encode(), digest_size=4).hexdigest(), 16) / 2**32 * (1 - width)
    low, high = (f"{int(at * 0xFFFFFFFF):08x}" for at in (first, min(1.0, first + width)))
    upper = "" if width == 1.0 else f" AND id < '{high}'"
    rows = _rows(memory.store, ["text"], f"id >= '{low}'{upper}")
    return [row["text"] for row in rows]


@dataclass(frozen=True, slots=True)
class _Looked:
    """What reading the chunks brought."""

    chunks: int
    duplicates: int
    near_duplicates: int
    derived: int
    orphaned: int


def _look(memory: Memory) -> _Looked:
    known, gone = memory.index.census.known_sources(), memory.index.census.orphaned()
    chunks = derived = orphaned = 0
    for row in _rows(memory.store, ["repo", "ref", "source"]):
        chunks += 1
        derived += row["source"] not in known
        orphaned += (row["repo"], row["ref"]) in gone
    duplicates, near = _twice(memory, _alike(memory))
    return _Looked(chunks, duplicates, near, derived, orphaned)


@dataclass(slots=True)
class _Said:
    """What one commit or item says, as sums of hashes: the order of its chunks does not matter."""

    git: bool
    exact: int = 0
    form: int = 0
    """Without numbers and shas."""
    files: bool = False

    def add(self, text: str) -> None:
        """Take in one of its chunks."""
        self.exact = (self.exact + _hash(text)) & _WORD_BITS
        self.form = (self.form + _hash(VARYING.sub("0", text))) & _WORD_BITS


def _alike(memory: Memory) -> dict[Key, _Said]:
    """Return the entries of which another one's message is the same but for numbers, with all they
    say."""
    said: dict[Key, _Said] = {}
    columns = ["repo", "ref", "source", "text"]
    for span in _spans():
        for row in _rows(memory.store, columns, f"kind = '{Kind.MESSAGE.value}' AND {span}"):
            entry = said.setdefault((row["repo"], row["ref"]), _Said(row["source"] == "git"))
            entry.add(row["text"].strip())
    times = Counter((repo, entry.form) for (repo, _), entry in said.items())
    alike = {key: entry for key, entry in said.items() if times[key[0], entry.form] > 1}
    refs = sorted({ref for (_, ref), entry in alike.items() if entry.git})
    for start in range(0, len(refs), _AT_ONCE):
        some = one_of("ref", refs[start : start + _AT_ONCE])
        condition = f"kind = '{Kind.CONTEXT.value}' AND {some}"
        for row in _rows(memory.store, ["repo", "ref", "path", "text"], condition):
            key = (row["repo"], row["ref"])
            if key in alike:
                alike[key].files = True
                alike[key].add(f"{row['path']}\0{_changed(row['text'])}")
    return alike


def _twice(memory: Memory, alike: Mapping[Key, _Said]) -> tuple[int, int]:
    """Count the duplicates and the near duplicates. A merge has a message alone, and many are called
    the same: it is neither."""
    marks = memory.index.marks.of({ref for _, ref in alike})
    exact: Counter[tuple[str, int]] = Counter()
    forms: dict[tuple[str, int], set[int]] = defaultdict(set)
    for (repo, ref), entry in alike.items():
        mark = marks.get((repo, ref))
        if (entry.git and not entry.files) or (mark is not None and mark.folded_into):
            continue
        exact[repo, entry.exact] += 1
        if mark is None or mark.weight == 1.0:
            forms[repo, entry.form].add(entry.exact)
    return (
        sum(number - 1 for number in exact.values()),
        sum(len(each) - 1 for each in forms.values()),
    )


def _changed(diff: str) -> str:
    """Return a diff's changed lines alone, wherever in the file they are."""
    if not diff.startswith("--- "):
        return diff
    return "\n".join(line for line in diff.split("\n")[2:] if line[:1] in ("+", "-"))


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


def _spans() -> list[str]:
    """Conditions that take the chunks apart into slices of ids, so that no read holds them all."""
    digits = "0123456789abcdef"
    after = [f" AND id < '{digit}'" for digit in digits[1:]] + [""]
    return [f"id >= '{digit}'{end}" for digit, end in zip(digits, after, strict=True)]


def _rows(store: Store, columns: Sequence[str], condition: str = "") -> Iterator[dict[str, Any]]:
    table = store.select(columns, " AND ".join(part for part in (condition, store.mine()) if part))
    for batch in table.to_batches() if table is not None else ():
        yield from batch.to_pylist()


_KNOWN = {"lance", "raw", "quarantine", REBUILDING, FORGETTING, "writer.lock"}


def stray_files(memory: Memory, now: int) -> list[str]:
    """Return the files and folders in memory's folder that nothing names, relative to it. What was
    touched within the last hour may be somebody's who is still at work."""
    found: list[Path] = [
        path
        for path in memory.folder.iterdir()
        if path.name not in _KNOWN and path.name not in ("memory.db", *_LOGS)
    ]
    raw = memory.folder / "raw"
    found += [
        path
        for path in (raw.iterdir() if raw.is_dir() else ())
        if path.suffix not in (".jsonl", ".lock") and not path.name.startswith(".")
    ]
    found += _stray_tables(memory)
    return sorted(
        str(path.relative_to(memory.folder)) for path in found if _age(path, now) > _OLD_FILE
    )


_LOGS = ("memory.db-wal", "memory.db-shm", "memory.db-journal")


def _stray_tables(memory: Memory) -> list[Path]:
    base = memory.folder / "lance"
    folder = memory.store.folder
    if folder is None or not base.is_dir() or base not in (folder, folder.parent):
        return []
    used = {serving_tables(memory.index), memory.index.setting(BUILDING)}
    found = [base / name for name in made_in(memory.store.place) if name not in used]
    for place in {base, folder}:
        found += [path for path in place.glob("*.lance") if not is_ours(path.stem)]
        found += list(place.rglob(".tmp*"))
    return found


def _age(path: Path, now: int) -> float:
    try:
        return now - path.stat().st_mtime
    except OSError:  # it has just gone
        return 0.0


def _disk(memory: Memory) -> Disk:
    store = memory.store
    index = sum(path.stat().st_size for path in memory.folder.glob("memory.db*"))
    tables = size(store.folder) if store.folder else 0
    raw = size(memory.folder / "raw")
    whole = size(memory.folder)
    inside = store.folder is not None and memory.folder in store.folder.parents
    live = memory.index.census.used_bytes() + (_live_bytes(store) if tables else 0)
    rest = whole - index - raw - (tables if inside else 0)
    return Disk(index, tables, raw, max(0, rest), live)


def _live_bytes(store: Store) -> int:
    total = 0
    for name in store.table_names():
        table = store.table(name)
        if table is not None:
            with translated(store.uri):
                total += int(table.stats()["total_bytes"])
    return total
