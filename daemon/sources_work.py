"""Sources, on the worker's side: what one offers, and reading it."""

from __future__ import annotations

from dataclasses import asdict

from ..ingest.sources.contract import Options, Source
from ..ingest.sources.secrets import kept_in, read
from ..ingest.sources.sync import note_fault, sync
from ..ingest.sources.table import kind_of
from ..memory.errors import HermesError
from ..memory.memory import Memory
from .worker import Fields, Running

MOST_OFFERED = 500
"""What a source offers is listed up to here; of more it is said how many."""


def discover(memory: Memory, command: Fields) -> Fields:
    """Look what a source offers that a person is adding: ``contacts`` and ``offered``, how many of
    it are ``wanted``, and how many there are ``in_all``. Raise HermesError."""
    options = command["options"]
    secret = _secret(options, command["token"])
    with kept_in(secret):
        source = _open(memory, command["kind"], options, secret)
        offered = source.discover()
        contacts = source.contacts()
    return {
        "contacts": [asdict(contact) for contact in contacts],
        "offered": [asdict(each) for each in offered[:MOST_OFFERED]],
        "wanted": sum(each.wanted for each in offered),
        "in_all": len(offered),
    }


def sync_source(memory: Memory, command: Fields, running: Running) -> Fields:
    """Read what is new in a source, and return the report. Raise HermesError."""
    row = memory.index.sources.get(command["source"])
    try:
        secret = _secret(row.options, command["token"])
        with kept_in(secret):
            source = _open(memory, row.kind, row.options, secret)
    except HermesError as error:
        note_fault(memory, row, error)
        raise
    return asdict(sync(memory, row, source, running.should_stop, running.progress, secret=secret))


def _open(memory: Memory, kind: str, options: Options, secret: str | None) -> Source:
    return kind_of(kind).open(options, secret, memory.index.repos())


def _secret(options: Options, offered: str | None) -> str | None:
    place = options.get("token")
    return None if place is None else read(place, offered)
