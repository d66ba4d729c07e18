"""The journal as server-sent events, as a browser's EventSource and our own client read them.

``id`` is the entry's number, ``event`` its topic, ``data`` the entry as JSON. A reader that comes
back names the last number it saw and misses nothing; what was trimmed meanwhile is told as an event
``gap``. Nothing is kept for a reader: what it does not take stays in the table.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

from fastapi.responses import StreamingResponse

from ..memory.errors import HermesError
from .ledger.followers import Gap
from .ledger.records import Entry
from .wire import of_error

HEARTBEAT = 30.0
"""Seconds of silence after which a comment is sent: a connection that is dead shows itself, and a
reader knows that we live. Only while someone reads."""
RETRY = 1_000
"""Milliseconds after which a browser comes back when the connection ended."""

logger = logging.getLogger(__name__)


def of_entry(entry: Entry) -> dict[str, Any]:
    """Given an entry of the journal, return it as an object."""
    return {
        "number": entry.number,
        "at": entry.at,
        "topic": entry.topic,
        "what": entry.what,
        "about": entry.about,
        "repo": entry.repo,
        "text": entry.text,
        "fields": dict(entry.fields),
    }


def event_stream(
    found: AsyncGenerator[Entry | Gap],
    start: int,
    stop: asyncio.Event,
    *,
    heartbeat: float = HEARTBEAT,
) -> StreamingResponse:
    """Given entries after the number ``start``, send each as it comes, until the reader hangs up
    or ``stop`` is set."""
    return StreamingResponse(
        _blocks(found, start, stop, heartbeat),
        media_type="text/event-stream",
        headers={"cache-control": "no-store"},
    )


async def _blocks(
    found: AsyncGenerator[Entry | Gap], start: int, stop: asyncio.Event, heartbeat: float
) -> AsyncIterator[bytes]:
    # An id without data is no event, but from now on the reader knows where it stands.
    yield f"retry: {RETRY}\nid: {start}\n\n".encode()
    ending = asyncio.ensure_future(stop.wait())
    coming: asyncio.Future[Entry | Gap] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(found))
            waits: set[asyncio.Future[Any]] = {coming, ending}
            await asyncio.wait(waits, timeout=heartbeat, return_when=asyncio.FIRST_COMPLETED)
            if ending.done():
                return
            if not coming.done():
                yield b":\n\n"
                continue
            entry, coming = coming.result(), None
            yield _block(entry)
    except StopAsyncIteration:
        return
    except HermesError as error:
        logger.warning("a reader of the journal was turned away: %s", error.message)
        yield _event("failed", of_error(error))
    finally:
        ending.cancel()
        if coming is not None:
            coming.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration, HermesError):
                await coming
        await found.aclose()


def _block(entry: Entry | Gap) -> bytes:
    if isinstance(entry, Gap):
        return _event("gap", {"missed": entry.missed})
    return f"id: {entry.number}\n".encode() + _event(entry.topic, of_entry(entry))


def _event(name: str, data: Mapping[str, Any]) -> bytes:
    # json.dumps escapes newlines, so that data is one line.
    return f"event: {name}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode("ascii")
