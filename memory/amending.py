"""What a person changes by hand, carried out in the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from . import withheld
from .edits import Edit, Stage, edited
from .errors import HermesError
from .forgetting_index import set_chunks
from .forgetting_rules import RuleKind
from .memory import Memory
from .records import Chunk
from .sifting import chunk_counts
from .withheld import Kept, note_touched, set_withheld


@dataclass(slots=True)
class Amended:
    """What was carried out."""

    edited: int = 0
    restored: int = 0
    """Chunks that say again what their source says."""
    deleted: int = 0
    failed: dict[str, str] = field(default_factory=dict[str, str])
    """Why some chunks can't be given back to their source, by id."""


def amend(memory: Memory, original: Callable[[Edit], Chunk]) -> Amended:
    """Have the store say what edits say, and take out of sight what was deleted by hand.

    ``original`` reads again what an edit was made of, for one that is taken back. When it raises
    HermesError that edit stays, and what it raised is in the report. A kill leaves it all to the
    next call.
    """
    memory.require_writer()
    done = Amended()
    for edit in memory.index.edits.pending():
        if edit.stage is Stage.UNDOING:
            _undo(memory, edit, original, done)
            continue
        chunk = memory.store.fetch((edit.chunk,)).get(edit.chunk)
        if chunk is not None:  # else its commit is not in memory now; it holds when it comes
            memory.store.replace(edited(chunk, edit.text, edit.at))
        memory.index.edits.finish(edit)
        done.edited += 1
    for rule in memory.index.withheld.pending():
        if rule.stage is withheld.Stage.MEMORY:
            done.deleted += _hide(memory, rule)
    return done


def _undo(memory: Memory, edit: Edit, original: Callable[[Edit], Chunk], done: Amended) -> None:
    try:
        chunk = original(edit)
    except HermesError as error:
        done.failed[edit.chunk] = error.message
        memory.index.edits.finish(edit)
        return
    memory.store.replace(chunk)
    memory.index.edits.finish(edit, undone=True)
    done.restored += 1


def _hide(memory: Memory, rule: Kept) -> int:
    """Take what a rule by hand names out of sight; its bytes go when the rule is carried out."""
    match rule.kind:
        case RuleKind.CHUNK:
            return _hide_chunk(memory, rule)
        case RuleKind.REF:
            repo, _, ref = rule.rule.partition(":")
            return _hide_ref(memory, rule, repo, ref)
        case _:
            return 0


def _hide_chunk(memory: Memory, rule: Kept) -> int:
    chunk = memory.store.fetch((rule.rule,)).get(rule.rule)
    if chunk is None:
        return 0
    memory.store.delete_ids((chunk.id,))
    # A kill here leaves fewer chunks than there should be: the commit, or the item, is read again,
    # without this one.
    counts = chunk_counts(memory.store, (chunk.ref,))
    is_item = memory.index.items.get(chunk.ref) is not None
    with memory.index.writing() as db:
        if is_item:
            memory.index.items.set_chunks(chunk.ref, sum(counts.values()))
        else:
            set_chunks(db, {chunk.repo: (chunk.ref,)}, counts)
        note_touched(db, "" if is_item else chunk.repo, {rule.id: (chunk.ref,)})
    memory.index.edits.delete((chunk.id,))
    return 1


def _hide_ref(memory: Memory, rule: Kept, repo: str, ref: str) -> int:
    item = memory.index.items.get(ref)
    if item is not None:
        memory.delete_items((ref,))
        with memory.index.writing() as db:
            note_touched(db, "", {rule.id: (ref,)})
        return 1
    if not memory.index.known_among(repo, (ref,)):
        return 0
    memory.store.delete_refs(repo, (ref,))
    with memory.index.writing() as db:
        set_withheld(db, repo, (ref,))
        note_touched(db, repo, {rule.id: (ref,)})
    return 1
