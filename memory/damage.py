"""Damage: what a power cut, a bad disk or a stray hand does to the stores, found and repaired."""

from __future__ import annotations

import math
import os
import shutil
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from .errors import HermesError, StoreDamaged
from .hits import TextSearch
from .index import Index
from .intents import Action, Intent
from .records import Kind
from .serving import serve
from .store import Store
from .tables import CHUNKS, is_ours

_UNFINISHED = ".tmp"
_BEING_WRITTEN = 600
"""Seconds after which nobody is writing a file any more."""
_REBUILD = "Run `hermes memory rebuild` to make it again from git."


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with the memory on disk."""

    problem: str
    hint: str
    serious: bool = True
    """False: noted, and already dealt with."""


def check(index: Index, store: Store) -> list[Finding]:
    """Return what is wrong, worst first; nothing when all is well. Reads the light columns."""
    findings: list[Finding] = []
    try:
        store.refuse_missing()
        for name in store.table_names():
            if store.table(name) is not None:
                store.column(name, "id")
        # The full-text indexes are files of their own.
        store.search(*(TextSearch(kind, "why", limit=1) for kind in Kind))
        if store.table(CHUNKS) is not None:
            odd = _disagreeing(index, store)
            if odd:
                findings.append(
                    Finding(
                        f"{_counted(odd)} more or fewer chunks than they should",
                        "The next `hermes up` reads them again.",
                    )
                )
    except HermesError as error:
        findings.append(Finding(error.message, error.hint or _REBUILD))
    findings += [
        Finding(f"{path} is empty; a power cut does that", _REBUILD)
        for path in _empty_files(store.folder)
    ]
    aside = _quarantine_folder(store)
    if aside is not None and aside.is_dir():
        names = ", ".join(sorted(os.listdir(aside)))
        findings.append(
            Finding(f"damaged files were set aside in {aside}: {names}", "Delete them.", False)
        )
    return findings


def _counted(odd: _Odd) -> str:
    commits, items = sum(map(len, odd.commits.values())), len(odd.items)
    named = [
        f"{count} {one if count == 1 else many}"
        for count, one, many in (
            (commits, "commit", "commits"),
            (items, "discussion or ticket", "discussions or tickets"),
        )
        if count
    ]
    return " and ".join(named) + (" has" if len(odd) == 1 else " have")


def quarantine(store: Store) -> list[Path]:
    """Set aside newest manifests without content, which a power cut leaves and which block all.

    The table then opens as of the version before. Return where the files are now. In a shared
    store another machine may be writing just this one, so a fresh one is left alone.
    """
    aside = _quarantine_folder(store)
    if store.folder is None or aside is None or not store.folder.is_dir():
        return []
    oldest = time.time() - _BEING_WRITTEN if store.shared else math.inf
    moved: list[Path] = []
    for versions in sorted(store.folder.glob("*.lance/_versions")):
        while manifests := sorted(versions.glob("*.manifest"), key=_newest_first):
            newest = manifests[0].stat()
            if newest.st_size or len(manifests) == 1 or newest.st_mtime > oldest:
                break
            aside.mkdir(mode=0o700, exist_ok=True)
            target = aside / f"{versions.parent.name}-{time.time_ns()}-{manifests[0].name}"
            moved.append(manifests[0].rename(target))
    return moved


def _newest_first(manifest: Path) -> int:
    """Manifests are named 2^64-1 minus their version, or by the version itself (older tables)."""
    number = int(manifest.stem)
    return number if len(manifest.stem) == 20 else -number


def _quarantine_folder(store: Store) -> Path | None:
    return None if store.folder is None else store.folder.with_name("quarantine")


def _empty_files(folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.stat().st_size and not path.name.startswith(_UNFINISHED)
    ]


def sweep(store: Store) -> None:
    """Remove the files a killed writer was still writing, and tables that never got a version.

    Only for the writer, and only in a folder of its own: there no other writes beside it.
    """
    if store.folder is None or store.shared:
        return
    for path in store.folder.rglob(f"{_UNFINISHED}*"):
        path.unlink()
    for table in store.folder.glob("*.lance"):
        if is_ours(table.stem) and not any(table.glob("_versions/*.manifest")):
            shutil.rmtree(table)


def reconcile(index: Index, store: Store) -> int:
    """Where the stores disagree about a commit or an item, drop its chunks and say that it is to be
    read again.

    Return how many that were. Cheap when the totals agree.
    """
    if index.counts()[1] == store.count_mine():
        return 0
    odd = _disagreeing(index, store)
    # Unread first: a kill in between leaves chunks that count too many, and is found again.
    for repo, refs in odd.commits.items():
        index.mark_unread(repo, refs)
        store.delete_refs(repo, refs)
    if odd.items:
        index.items.mark_unread(odd.items)
        store.delete_refs({"", *(repo.id for repo in index.repos())}, odd.items)
    return len(odd)


@dataclass(frozen=True, slots=True)
class _Odd:
    """What has more or fewer chunks than the index says."""

    commits: dict[str, set[str]]
    """Shas by repository."""
    items: set[str]
    """References."""

    def __len__(self) -> int:
        return sum(map(len, self.commits.values())) + len(self.items)


def _disagreeing(index: Index, store: Store) -> _Odd:
    """Return what the stores disagree about.

    In a shared store, what this index does not know is another machine's.
    """
    known = {repo.id for repo in index.repos()}
    items = index.items.chunk_counts()
    have: dict[str, Counter[str]] = {}
    of_items: Counter[str] = Counter()
    for repo, ref in store.refs():
        if ref in items and (not repo or repo in known):
            of_items[ref] += 1
        elif repo in known or not store.shared:
            have.setdefault(repo, Counter())[ref] += 1
    commits: dict[str, set[str]] = {}
    for repo in {*have, *known}:
        found, expected = have.get(repo, Counter()), index.chunk_counts(repo)
        refs = {ref for ref in {*found, *expected} if found[ref] != expected.get(ref, 0)}
        if refs:
            commits[repo] = refs
    return _Odd(commits, {ref for ref, count in items.items() if of_items[ref] != max(count, 0)})


def rebuild(index: Index, store: Store, intent: Intent) -> None:
    """Mark every commit and item as unread and remove all tables; a killed rebuild is done again.

    A shared store keeps what other machines have put there, unless it is too damaged for that.
    """
    index.mark_all_unread()
    serve(index, None)
    if store.shared:
        try:
            _remove_mine(index, store)
        except StoreDamaged:
            store.drop_all()
    else:
        store.drop_all()
    aside = _quarantine_folder(store)
    if aside is not None:
        shutil.rmtree(aside, ignore_errors=True)
    index.intents.drop(intent)


def _remove_mine(index: Index, store: Store) -> None:
    for repo in index.repos():
        store.delete_repo(repo.id)
    store.delete_refs("", index.items.refs())
    store.forget_handles()


def finish_rebuild(index: Index, store: Store) -> None:
    """Do again a rebuild that was killed, before anything reads the store."""
    for intent in index.intents.pending():
        if intent.action is Action.REBUILD:
            rebuild(index, store, intent)


def set_aside_index(path: Path) -> None:
    """Move a database that can't be read out of the way, with its log."""
    stamp = time.time_ns()
    for suffix in ("", "-wal", "-shm"):
        file = path.with_name(path.name + suffix)
        if file.exists():
            file.rename(file.with_name(f"{file.name}.damaged-{stamp}"))
