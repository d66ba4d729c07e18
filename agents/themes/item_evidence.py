"""Tickets, discussions and pull requests as evidence: what happened to each, and when."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...memory.council_records import SOURCE as COUNCIL
from ...memory.memory import Memory
from ...memory.records import Item, ItemChange, ItemKind, Mark
from ..hygiene.chatter import REPEATED, substance_of
from ..reasons import find_reasons, shorten
from .commit_evidence import LEAST_REASON, MOST_TICKETS
from .noise import is_bot
from .records import Evidence, EvidenceKind

STALLED_AFTER = 14 * 86_400
"""Seconds after which a ticket that somebody is at, or a pull request, counts as stalled."""

GOES_ON = 4 * 3_600
"""Seconds after which what is added to a discussion is news of its own."""
LEAST_SUBSTANCE = 0.25
"""Of what a discussion must say to count in full: more than "thanks, done"."""

_KINDS = {
    ItemKind.TICKET: EvidenceKind.TICKET,
    ItemKind.THREAD: EvidenceKind.THREAD,
    ItemKind.PULL: EvidenceKind.PULL,
}
_WAITING = re.compile(
    r"^(?:backlog|to ?do|triage|new|open|icebox|someday|planned|unstarted|later|draft)?$",
    re.IGNORECASE,
)
"""States in which nobody is expected to do anything."""
_OVER = re.compile(
    r"^(?:done|closed|completed?|merged|resolved|fixed|shipped|released|cancel+ed|duplicate"
    r"|won.?t (?:do|fix)|rejected|declined|abandoned)$",
    re.IGNORECASE,
)
_ASIDE = frozenset(("reviewer", "checks"))
"""Fields whose changes are no event of the work: who is asked to look, and how the checks stand."""
_SHA = re.compile(r"(?<![\w/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])")
_PLAIN_NUMBER = re.compile(r"^[#!]\d+$")
_MOST_SHAS = 20


@dataclass(frozen=True, slots=True)
class _Event:
    at: int
    state: str
    note: str


def gather_items(memory: Memory, repo: str, since: int, until: int) -> list[Evidence]:
    """Return what happened to the items of a repository from ``since`` on and before ``until``;
    ``repo`` is empty for what belongs to none."""
    belonging = Belonging(memory)
    # What became stalled in this time was changed before it.
    items = memory.index.items.find(
        kinds=tuple(_KINDS),
        repos=("",) if not repo else (repo, ""),
        since=since - STALLED_AFTER,
        until=until,
    )
    marks = memory.index.marks.of([item.ref for item in items])
    found: list[Evidence] = []
    for item in items:
        if _is_noise(item, marks.get((item.repo, item.ref))):
            continue
        if item.repo != repo and repo not in belonging.repos_of(item):
            continue
        if not repo and belonging.repos_of(item):
            continue
        events = [event for event in events_of(item) if since <= event.at < until]
        found += [_evidence(item, event) for event in events]
    return found


def _is_noise(item: Item, mark: Mark | None) -> bool:
    """Whether a discussion says what another says, what a robot writes each time, or next to
    nothing: no day was about that."""
    if item.kind is not ItemKind.THREAD:
        return False
    if item.source == COUNCIL:  # models said it: no evidence for what is derived
        return True
    if mark is not None and (mark.folded_into or mark.why == REPEATED):
        return True
    return is_bot(item.author, item.email) or (
        not item.tickets and substance_of(item) < LEAST_SUBSTANCE
    )


def events_of(item: Item) -> list[_Event]:
    """Return what happened to an item, oldest first."""
    talk = item.kind is ItemKind.THREAD
    events = [_Event(item.time, "" if talk else "open", "was begun" if talk else "was opened")]
    closed_by_change = False
    for change in item.changes:
        if change.field == "state" and change.at <= item.time:
            continue  # the state that it was opened in
        if change.field in _ASIDE:
            continue
        events.append(_change(item, change))
        closed_by_change |= change.at == item.closed and change.field == "state"
    if item.closed is not None and not closed_by_change:
        said = "was merged" if item.state.lower() == "merged" else "was closed"
        events.append(_Event(item.closed, "closed", said))
    last = max(event.at for event in events)
    if item.changed > last + GOES_ON:
        state = "" if talk else "closed" if _closed_at(item, item.changed) else "open"
        events.append(_Event(item.changed, state, "went on" if talk else "was commented on"))
        last = item.changed
    if item.closed is None and not talk and _somebody_is_at(item):
        events.append(_Event(last + STALLED_AFTER, "stalled", "has not moved for two weeks"))
    return sorted(events, key=lambda event: event.at)


def _change(item: Item, change: ItemChange) -> _Event:
    state = "closed" if _closed_at(item, change.at) else "open"
    if change.field == "assignee":
        said = f"was assigned to {change.value}" if change.value else "was given back"
        return _Event(change.at, state, said)
    if change.field == "review":
        is_one = change.value.startswith("approved")
        return _Event(change.at, state, f"{'was' if is_one else 'had'} {change.value}")
    if change.at == item.closed or _OVER.match(change.value):
        return _Event(change.at, "closed", _ended(change.value))
    if _OVER.match(_state_before(item, change.at)):
        return _Event(change.at, "open", f"was opened again ({change.value})")
    return _Event(
        change.at, "open", f"moved to {change.value}" if change.value else "lost its state"
    )


def _ended(state: str) -> str:
    plain = state.lower()
    if plain in ("merged", "closed", "resolved", "rejected", "declined", "abandoned"):
        return f"was {plain}"
    return f"was closed ({state})" if state and plain not in ("done", "completed") else "was done"


def _closed_at(item: Item, at: int) -> bool:
    return item.closed is not None and item.closed <= at


def _state_before(item: Item, at: int) -> str:
    states = [change.value for change in item.changes if change.field == "state" and change.at < at]
    return states[-1] if states else ""


def _somebody_is_at(item: Item) -> bool:
    if item.kind is ItemKind.PULL:
        return item.state.lower() != "draft"
    return bool(item.assignee) and not _WAITING.match(item.state)


def _evidence(item: Item, event: _Event) -> Evidence:
    names = dict.fromkeys(name for name, _ in item.people if name)
    is_pull = item.kind is ItemKind.PULL
    keys = [key for key in item.tickets if key != item.key]
    own = [item.key] if item.key and not is_pull else []
    # A discussion that names many tickets is a list of them.
    named = keys if len(keys) <= MOST_TICKETS else []
    return Evidence(
        kind=_KINDS[item.kind],
        ref=item.ref,
        at=event.at,
        title=item.title,
        author=item.author,
        email=item.email.lower(),
        tickets=tuple(own + named),
        pull=item.key if is_pull else "",
        why=_why(item),
        state=event.state,
        note=event.note,
        others=tuple(name for name in names if name != item.author),
    )


def _why(item: Item) -> str:
    reasons = find_reasons(f"{item.title}\n\n{item.text}", frozenset())
    return shorten(reasons[0].text) if reasons and reasons[0].score >= LEAST_REASON else ""


@dataclass(slots=True)
class Belonging:
    """Tells which repositories an item of no repository is about: those whose tickets, pull
    requests or commits it names."""

    memory: Memory
    _by_key: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])

    def repos_of(self, item: Item) -> frozenset[str]:
        """Return the repositories; a plain number counts where only one has it."""
        if item.repo:
            return frozenset((item.repo,))
        found: set[str] = set()
        for key in self._keys(item):
            repos = self._repos_with(key)
            if len(repos) == 1 or not _PLAIN_NUMBER.match(key):
                found |= repos
        for sha in dict.fromkeys(_SHA.findall(f"{item.title}\n{item.text}")[:_MOST_SHAS]):
            repos = frozenset(commit.repo for commit in self.memory.index.resolve_sha(sha))
            found |= repos if len(repos) == 1 else frozenset()
        return frozenset(found)

    @staticmethod
    def _keys(item: Item) -> Iterator[str]:
        if item.key:
            yield item.key
        yield from item.tickets

    def _repos_with(self, key: str) -> frozenset[str]:
        if key not in self._by_key:
            index = self.memory.index
            repos = {commit.repo for commit in index.commits_by_ticket(key)}
            repos |= {item.repo for item in index.items.by_key(key) if item.repo}
            self._by_key[key] = frozenset(repos)
        return self._by_key[key]
