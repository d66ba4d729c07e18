"""Sources, on the daemon's side: added, described, synced, removed."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..agents.contract import Lane
from ..agents.indexer import SYNC, Indexer
from ..ingest.sources.contract import Contact, Options
from ..ingest.sources.due import FILES, GONE, file_of, stamp_of
from ..ingest.sources.secrets import is_there, token_place
from ..ingest.sources.table import kind_of
from ..memory import plain
from ..memory.errors import HermesError
from ..memory.forgetting_rules import RuleKind, items_rule
from ..memory.plain import Plain
from ..memory.sources import SourceRow
from .triggers.entries import SOURCES, Entry
from .wire import Fields

if TYPE_CHECKING:
    from ..memory.memory import Memory
    from .bulk import Bulk
    from .runtime import Runtime
    from .tokens import Tokens
    from .triggers.schedule import Schedule

NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,39}")
LOOK_SECONDS = 120.0
"""How long a source may take to say what it offers."""


class SourceUnusable(HermesError):
    """A source can't be called or set up so."""

    code = "usage"


class SourcePaused(HermesError):
    """A source is to be synced that is paused."""

    code = "wrong_state"


class StillForgetting(HermesError):
    """A source is to be added while what one brought is being forgotten."""

    code = "wrong_state"

    def __init__(self) -> None:
        super().__init__(
            "what a removed source brought is still being forgotten, and would be left out",
            hint="add it when that is done: `hermes jobs` says when",
        )


class Sourcing:
    """The sources of a daemon, and what it needs to have them read."""

    def __init__(self, bulk: Bulk, schedule: Schedule, entry: Entry | None) -> None:
        """``entry`` is how the schedule has them read; None where settings switch that off."""
        self._bulk = bulk
        self._schedule = schedule
        self._entry = entry

    @property
    def tokens(self) -> Tokens:
        """The tokens that were handed over."""
        return self._bulk.tokens

    def keep_schedule(self, memory: Memory) -> None:
        """Have the schedule's entry there while there are sources."""
        if memory.index.sources.all() and self._entry is not None:
            self._schedule.have(self._entry)
        else:
            self._schedule.drop(SOURCES)

    async def add(
        self, memory: Memory, kind: str, name: str | None, given: Options, token: str | None
    ) -> Fields:
        """Add a source, once it was found to work; nothing of it is read yet. Return ``source``, its
        name, whether it was ``created``, and what it contacts and offers. Raise HermesError."""
        options = await asyncio.to_thread(_options, kind, given)
        if await asyncio.to_thread(_is_forgetting, memory):
            raise StillForgetting
        known = await asyncio.to_thread(memory.index.sources.all)
        chosen = _name(kind, name, options, known)
        found = await self._look(kind, options, token)
        now = int(time.time())
        row = await asyncio.to_thread(memory.index.sources.add, chosen, kind, options, now)
        if token:
            self.tokens.put(row.name, token)
        self.keep_schedule(memory)
        return {"source": row.name, "created": row not in known} | found

    async def _look(self, kind: str, options: Options, token: str | None) -> Fields:
        more = {"kind": kind, "options": dict(options), "token": token}
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                return await self._bulk.run("discover", lane=Lane.ON_DEMAND, more=more)
        except TimeoutError:
            raise HermesError(
                f"{kind} did not say within {LOOK_SECONDS:.0f} s what there is to read",
                hint="hermes log says more; try again",
            ) from None

    def describe(self, memory: Memory) -> list[Fields]:
        """Return every source with how it stands."""
        sources = memory.index.sources
        return [
            self._described(row) | {"alone": sources.count_alone(row.name)} for row in sources.all()
        ]

    @staticmethod
    def stand(memory: Memory) -> list[Fields]:
        """Return in short how every source stands; no kind's module is imported for that."""
        return [
            {
                "name": row.name,
                "state": _state(row),
                "items": row.items,
                "synced": row.synced,
                "error": None if row.fault is None else _fault(row),
            }
            for row in memory.index.sources.all()
        ]

    def _described(self, row: SourceRow) -> Fields:
        place: Any = row.options.get("token")
        offered = self.tokens.of(row.name)
        token = None
        if place is not None:
            there = is_there(place, offered)
            token = {"place": place, "there": there, "handed_over": offered is not None}
        path = file_of(row.options)
        return {
            "name": row.name,
            "kind": row.kind,
            "options": dict(row.options),
            "state": _state(row),
            "added": row.added,
            "tried": row.tried,
            "synced": row.synced,
            "waits_until": row.waits_until or None,
            "items": row.items,
            "error": None if row.fault is None else _fault(row),
            "notes": list(row.notes),
            "token": token,
            "file": {"path": path, "there": stamp_of(row.options) != GONE} if path else None,
            "contacts": [asdict(contact) for contact in contacts_of(row)],
        }


def contacts_of(row: SourceRow) -> tuple[Contact, ...]:
    """Return the hosts that a source may contact; nobody is asked for that."""
    try:
        return kind_of(row.kind).open(row.options, None, ()).contacts()
    except HermesError:  # of a newer version, say: it can't be read either, and says so
        return ()


def subject_of(name: str) -> str:
    """Return what the indexer is asked for to have a source read."""
    return f"{SYNC} {name}"


def refuse_paused(row: SourceRow) -> None:
    """Raise SourcePaused if a source is not to be read."""
    if row.paused:
        raise SourcePaused(f"{row.name} is paused", hint=f"hermes sources resume {row.name}")


async def stop(runtime: Runtime, name: str) -> None:
    """End what reads a source, or waits to; what went wrong with it stands no longer."""
    await runtime.cancel_subject(Indexer.name, subject_of(name))


def remove(memory: Memory, name: str) -> int:
    """Take a source off the list; return how many of its items stay."""
    items = memory.index.sources.get(name).items
    memory.index.sources.remove(name)
    return items


def begin_forgetting(memory: Memory, name: str) -> int | None:
    """Take a source off the list and have what only it brought forgotten, which is on disk when this
    returns. Return the rule's number; None if there is nothing to forget."""
    index = memory.index
    salt = index.withheld.salt()
    with index.writing():
        index.sources.get(name)
        alone = index.sources.brought_alone(name)
        rule = index.withheld.add(RuleKind.ITEMS, items_rule(alone, salt)) if alone else None
        if rule is not None:
            plain.write(memory.folder, rule, Plain())
        index.sources.remove(name)
    return rule


def _is_forgetting(memory: Memory) -> bool:
    return any(rule.kind is RuleKind.ITEMS for rule in memory.index.withheld.pending())


def within(memory: Memory, folder: str) -> list[str]:
    """Return the names of the sources that read from a folder."""
    return [
        row.name
        for row in memory.index.sources.all()
        if any(_lies_in(path, folder) for path in _paths(row.options))
    ]


def _paths(options: Mapping[str, Any]) -> list[str]:
    patterns: Any = options.get("patterns", ())
    return [*map(str, patterns), *(str(options[name]) for name in FILES if options.get(name))]


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _options(kind: str, given: Options) -> Options:
    options = kind_of(kind).options(given)
    if "token" in options:
        token_place(options["token"])
    return options


def _name(kind: str, wanted: str | None, options: Options, known: list[SourceRow]) -> str:
    """Return what a source is to be called. One that is there already in just this way keeps its
    name."""
    for row in known:
        if row.kind == kind and dict(row.options) == dict(options):
            return row.name
    taken = {row.name for row in known}
    if wanted is None:
        names = (kind, *(f"{kind}-{number}" for number in range(2, len(taken) + 3)))
        return next(name for name in names if name not in taken)
    if not NAME.fullmatch(wanted):
        raise SourceUnusable(
            "a source's name is of lower case letters, digits, _ . and -", hint="--name chat"
        )
    if wanted in taken:
        raise SourceUnusable(
            f"another source is called {wanted} already",
            hint=f"hermes sources remove {wanted}, or --name something else",
        )
    return wanted


def _state(row: SourceRow) -> str:
    if row.paused:
        return "paused"
    if row.fault is not None:
        return "failed"
    return "new" if row.synced is None else "ok"


def _fault(row: SourceRow) -> Fields:
    assert row.fault is not None
    return {"code": row.fault.code, "error": row.fault.message, "hint": row.fault.hint}
