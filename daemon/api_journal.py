"""The API's journal: what happened, to read back and to follow."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import FastAPI, Header, Query
from fastapi.responses import StreamingResponse

from .host import Host
from .ledger.followers import Followers, Gap
from .ledger.records import Entry
from .sse import event_stream, of_entry
from .standing import followers_of, ledger_of, repo_id
from .wire import Json, Number

MOST = 1_000
"""Entries one answer may hold."""

Topics = Annotated[list[str], Query()]
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)


def add_journal(app: FastAPI, host: Host) -> None:
    """Add ``/v1/journal`` to the application."""

    @app.get("/v1/journal")
    async def journal(
        after: Number | None = None,
        topic: Topics = [],  # noqa: B006 - FastAPI's way to say that it may be left out
        repo: str | None = None,
        agent: str | None = None,
        since: float | None = None,
        limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
    ) -> Json:
        """With ``after`` the first entries after that number, else the last ones there are."""
        log = ledger_of(host).journal
        of = await repo_id(host, repo)
        wanted = (topic, of, agent, since)
        if after is not None:
            found = await asyncio.to_thread(log.after, after, limit, *wanted)
        else:
            found = await asyncio.to_thread(log.last, limit, *wanted)
        newest = await asyncio.to_thread(log.newest)
        return Json({"entries": [of_entry(entry) for entry in found], "newest": newest})

    @app.get("/v1/journal/follow")
    async def follow(
        after: Number | None = None,
        topic: Topics = [],  # noqa: B006
        repo: str | None = None,
        agent: str | None = None,
        last_event_id: Annotated[str, Header()] = "",
    ) -> StreamingResponse:
        """Without a number from now on; ``Last-Event-ID``, which a browser sends when it comes
        back, goes before ``after``."""
        log = ledger_of(host).journal
        followers = followers_of(host)
        of = await repo_id(host, repo)
        newest = await asyncio.to_thread(log.newest)
        start = int(last_event_id) if _NUMBER.fullmatch(last_event_id) else after
        found = _follow(followers, start, newest, tuple(topic), of, agent)
        known = newest if start is None else min(start, newest)
        return event_stream(found, known, host.stop)


async def _follow(
    followers: Followers,
    start: int | None,
    newest: int,
    topics: tuple[str, ...],
    repo: str | None,
    agent: str | None,
) -> AsyncGenerator[Entry | Gap]:
    if start is not None and start > newest:
        # The reader knows more than there is: it followed a journal that was thrown away.
        yield Gap(0)
        start = newest
    known = newest if start is None else start
    async with aclosing(followers.follow(known, topics, repo)) as found:
        async for entry in found:
            if isinstance(entry, Gap) or agent in (None, entry.fields.get("agent")):
                yield entry
