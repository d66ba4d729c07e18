"""Derive what is to be marked in memory, and what was so since when, from git and the items alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from ...memory.memory import Memory
from ...memory.records import Commit, DatedFact, Filters, Item, ItemKind, Mark
from ..brief.refs import read_refs
from . import automatic, chatter, ownership, reverts, tickets, twins
from .changes import Change, read_changes, read_messages
from .history import History
from .identities import mapped_by_git, one_name_each

_EVERY_COMMIT = 1 << 40
_MESSAGES = 5_000
"""Messages that are read between two looks at whether to stop."""


class _Stopped(Exception):
    """Whoever has more urgent work wants the writer."""


@dataclass(frozen=True, slots=True)
class Derived:
    """What a run found. The same history and items give the same; ``changed`` is then 0."""

    finished: bool = True
    """False: it was stopped, nothing was written, and the next run begins anew."""
    folded: int = 0
    """Commits and items that another stands for."""
    ended: int = 0
    """Commits that were taken back, items of which the matter is closed."""
    faded: int = 0
    """Small talk and automatic commits, which count for less."""
    facts: int = 0
    """Of tickets and owners, those that are over included."""
    changed: int = 0
    """Marks and facts that are other than before."""


def derive(
    memory: Memory,
    repo: str,
    git: Git | None,
    *,
    now: int,
    should_stop: Callable[[], bool] = lambda: False,
) -> Derived:
    """Derive the marks and facts of one repository, or of the items of none where ``repo`` is empty.

    Blocking, for the writer: seconds for a large history. ``git`` only says who is who (.mailmap)
    and which branch is the main one; None where it can't be read. ``now`` is in seconds; only its
    day counts. Safe to be stopped or killed anywhere: marks and facts are each replaced whole.
    """
    memory.require_writer()
    work = _Work(memory, repo, git, now, should_stop)
    try:
        marks, facts = work.marks_and_facts()
        work.look_up()
    except _Stopped:
        return Derived(finished=False)
    changed = memory.index.marks.replace(repo, marks) + memory.index.facts.replace(repo, facts)
    return Derived(
        folded=sum(bool(mark.folded_into) for mark in marks),
        ended=sum(mark.ended is not None for mark in marks),
        faded=sum(mark.ended is None and mark.weight < 1 for mark in marks),
        facts=len(facts),
        changed=changed,
    )


@dataclass
class _Work:
    """One run of ``derive``."""

    memory: Memory
    repo: str
    git: Git | None
    now: int
    should_stop: Callable[[], bool]
    changes: dict[str, Change] = field(default_factory=dict[str, Change])
    """What was read so far, by sha."""

    def look_up(self) -> None:
        """Raise _Stopped where it is time to."""
        if self.should_stop():
            raise _Stopped

    def marks_and_facts(self) -> tuple[list[Mark], list[DatedFact]]:
        self.look_up()
        items = self.memory.index.items.find(repos=(self.repo,))
        marks = [*chatter.marks(self.repo, items, self.now)]
        self.look_up()
        if any(item.kind in (ItemKind.TICKET, ItemKind.PULL) or item.tickets for item in items):
            marks += tickets.marks(self.repo, items, self._tickets())
        facts = tickets.facts(self.repo, items)
        if self.repo:
            more_marks, more_facts = self._of_history()
            marks += more_marks
            facts += more_facts
        return merged(marks), facts

    def _tickets(self) -> list[Item]:
        return self.memory.index.items.find(kinds=(ItemKind.TICKET, ItemKind.PULL))

    def _of_history(self) -> tuple[list[Mark], list[DatedFact]]:
        index = self.memory.index
        commits = {c.sha: c for c in index.newest(Filters((self.repo,)), _EVERY_COMMIT)}
        history = History(commits, index.tips(self.repo), self._main())
        self.look_up()
        messages = self._messages(list(commits.values()))
        groups = twins.candidates(history, messages)
        self.look_up()
        folds = twins.folds(history, groups, messages, self.read)
        self.look_up()
        statements = {sha: reverts.read_statement(text) for sha, text in messages.items()}
        self.look_up()
        stands_for = {fold.sha: fold.into for fold in folds}
        back = reverts.reverts(history, statements, stands_for, self.read)
        self.look_up()
        shown = {sha: commit for sha, commit in commits.items() if sha not in stands_for}
        authors = index.authors((self.repo,))
        who = one_name_each(authors, mapped_by_git(self.git, authors))
        return (
            [
                *automatic.marks(self.repo, commits.values()),
                *automatic.same_but_for_numbers(self.repo, shown, messages, self.read),
                *twins.marks(self.repo, history, folds),
                *reverts.marks(self.repo, commits, back),
            ],
            ownership.facts(self.repo, commits.values(), who),
        )

    def _main(self) -> str:
        if self.git is None:
            return ""
        try:
            main = read_refs(self.git).main()
        except GitError:
            return ""
        return main[0].short.removeprefix("origin/") if main else ""

    def _messages(self, commits: list[Commit]) -> dict[str, str]:
        found: dict[str, str] = {}
        for start in range(0, len(commits), _MESSAGES):
            self.look_up()
            some = read_messages(self.memory.store, commits[start : start + _MESSAGES])
            found.update((sha, chunk.text) for sha, chunk in some.items())
        return found

    def read(self, commits: Collection[Commit]) -> Mapping[str, Change]:
        """Return what commits changed; each is read once."""
        self.look_up()
        missing = {c.sha: c for c in commits if c.sha not in self.changes}
        if missing:
            self.changes.update(read_changes(self.memory.store, list(missing.values())))
        return self.changes


def merged(marks: Iterable[Mark]) -> list[Mark]:
    """Return one mark for each reference: what is folded is that alone; what ended keeps the least
    of its weights."""
    found: dict[str, Mark] = {}
    for mark in marks:
        other = found.get(mark.ref)
        if other is None or mark.folded_into:
            found[mark.ref] = mark
        elif not other.folded_into:
            telling = mark if mark.ended is not None else other
            found[mark.ref] = replace(telling, weight=min(mark.weight, other.weight))
    return [found[ref] for ref in sorted(found)]
