"""Forgetting: a repository, or what rules name. Afterwards no file of memory holds it any more."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from . import forgetting_index, leftovers, plain, sifting
from .forgetting_rules import RuleKind
from .index import Index
from .intents import Intent
from .plain import Plain
from .rawlog import RawLog
from .sieve import Sieve
from .store import Store
from .withheld import Kept, Stage, note_touched

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Counts:
    """How much of memory a rule takes."""

    commits: int = 0
    """Of which nothing is left but sha and parents."""
    mentions: int = 0
    """Others' commits that lose a word, or a file."""
    items: int = 0
    """Discussions, tickets and the like that go whole."""
    altered: int = 0
    """Those of others that lose what was said in them, or a word."""
    chunks: int = 0
    """Pieces of text that go."""
    cleaned: int = 0
    """Pieces of text that lose a word."""
    paths: int = 0
    facts: int = 0
    marks: int = 0
    log: int = 0
    """Entries of the raw log that go or lose a word."""
    left: int = 0
    """Commits that stay as they are, or lose a word."""
    gone: frozenset[str] = frozenset()
    """Shas and references of what goes whole."""
    phrases: tuple[str, ...] = ()
    """What that was called."""

    @property
    def told(self) -> dict[str, int]:
        """The numbers alone, by name."""
        return {name: value for name, value in asdict(self).items() if isinstance(value, int)}

    @property
    def nothing(self) -> bool:
        """Whether memory holds nothing of it."""
        return not any(
            (
                *(self.commits, self.mentions, self.items, self.altered),
                *(self.chunks, self.cleaned, self.paths, self.log),
            )
        )


def forget(folder: Path, index: Index, store: Store, intent: Intent) -> None:
    """Remove the intent's repository from every part; a killed one is done again."""
    leftovers.discard(folder, index, store)
    store.delete_repo(intent.repo)
    for name in store.table_names():
        sifting.rewrite(store, name)
    RawLog(folder / "raw").forget(intent.repo)
    remove_set_aside(folder)
    index.delete_repo(intent.repo)  # with the intent
    index.vacuum()


def look(
    folder: Path,
    index: Index,
    store: Store,
    sieve: Sieve,
    said: Plain,
    on_progress: Progress = lambda phase, done, total: None,
) -> Counts:
    """Return what rules would take, and change nothing."""
    items = index.items.find()
    with index.reading() as db:
        left = forgetting_index.look(db, sieve, items, said.pattern)
    gone = left.items | left.altered.keys()
    found = sifting.look(
        store, sieve, said.pattern, gone, lambda done, total: on_progress("texts", done, total)
    )
    counts = _counts(index, left, found)
    counts.log = RawLog(folder / "raw").sift(sieve, left.shas | left.items, dry_run=True)
    return counts


def carry_out(
    folder: Path,
    index: Index,
    store: Store,
    rules: Sequence[Kept],
    on_progress: Progress = lambda phase, done, total: None,
) -> dict[int, Counts]:
    """Remove what rules name from every part of memory; what was killed on the way is done again.
    Return what became of each."""
    done: dict[int, Counts] = {}
    if rules:  # what is being built holds it too, and begins again under the rules of now
        leftovers.discard(folder, index, store)
    for rule in rules:
        sieve = index.withheld.sieve((rule.id,))
        said = plain.read(folder, rule.id)
        with index.reading() as db:
            left = forgetting_index.look(
                db, sieve, index.items.find(), said.pattern if said else None
            )
        if said is not None and rule.kind is not RuleKind.CHUNK:
            # Kept on disk before it is gone from the index: what lies around memory quotes it.
            said = said.with_phrases(left.phrases)
            plain.write(folder, rule.id, said)
        found = sifting.sift(
            store,
            sieve,
            said.pattern if said else None,
            left.items | left.altered.keys(),
            lambda done, total: on_progress("texts", done, total),
        )
        done[rule.id] = counts = _counts(index, left, found)
        fewer = {repo: set(shas) for repo, shas in found.repos.items()}
        for repo, sifted in left.sifted.items():
            if repo:
                fewer.setdefault(repo, set()).update(*sifted.touched.values())
        has = sifting.chunk_counts(store, set[str]().union(*fewer.values()))
        with index.writing() as db:
            forgetting_index.carry_out(db, left, sieve)
            forgetting_index.set_chunks(db, fewer, has)
            forgetting_index.drop_edits(db, found.dropped)
            for repo, sifted in found.sifted.items():
                note_touched(db, repo, sifted.touched)
        counts.log = RawLog(folder / "raw").sift(
            sieve, left.shas | left.items, clean=said.cleaner() if said else None
        )
        remove_set_aside(folder)
        index.vacuum()
        index.withheld.set_stage(rule.id, Stage.AROUND)
    return done


def lift(folder: Path, index: Index, store: Store, rule: Kept) -> None:
    """Take a rule back: what it has kept out of commits is read again the next time, if git still
    has it; what it has kept out of items comes from their sources again."""
    for repo, shas in index.withheld.touched(rule.id).items():
        if repo and index.repo(repo) is not None:
            # Unread first: a kill in between leaves chunks that count too many, and is found again.
            index.read_again(repo, shas)
            store.delete_refs(repo, shas)
    plain.remove(folder, rule.id)  # there yet where it was taken back before it was carried out
    index.withheld.remove(rule.id)


def _counts(index: Index, left: forgetting_index.IndexLeft, found: sifting.StoreLeft) -> Counts:
    touched = {
        ref
        for part in (left.sifted, found.sifted)
        for repo, sifted in part.items()
        if repo
        for refs in sifted.touched.values()
        for ref in refs
    }
    return Counts(
        commits=len(left.commits),
        mentions=len(touched - left.shas - left.items - left.altered.keys()),
        items=len(left.items),
        altered=len(left.altered),
        chunks=len(found.dropped),
        cleaned=len(found.cleaned),
        paths=len(left.paths),
        facts=len(left.facts),
        marks=left.marks,
        left=max(index.counts()[0] - len(left.commits), 0),
        gone=frozenset(left.shas | left.items),
        phrases=tuple(left.phrases),
    )


def remove_set_aside(folder: Path) -> None:
    """Remove damaged files that were set aside: nobody can say what is in them."""
    shutil.rmtree(folder / "quarantine", ignore_errors=True)
    for path in folder.glob("*.damaged-*"):
        with suppress(FileNotFoundError):
            path.unlink()
