"""How what we say looks on the wire: JSON objects, and streams of one object a line."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from ..memory.edits import edited_on
from ..memory.errors import HermesError
from ..memory.records import Recollection
from ..memory.standing import said_of

logger = logging.getLogger(__name__)

Fields = dict[str, Any]
Number = Annotated[int, Field(ge=-(1 << 62), lt=1 << 62)]
"""A number that callers name something by: one that the ledger can hold, be there such a row or
not."""


class Json(Response):
    """A JSON object. Text from git may hold lone surrogates: they stay escaped."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Given an object, return its bytes."""
        return to_line(content)


def to_line(content: Mapping[str, Any]) -> bytes:
    """Given an object, return it as one line of JSON."""
    return json.dumps(content, separators=(",", ":")).encode("ascii") + b"\n"


def stream(events: AsyncGenerator[Fields], log_file: Path) -> StreamingResponse:
    """Given events, send each as a line as soon as it comes.

    What goes wrong after the first line can't be a status any more: it is the last event, of type
    ``error``. When the caller hangs up, the events are closed, which cancels what makes them.
    """
    return StreamingResponse(_lines(events, log_file), media_type="application/x-ndjson")


async def _lines(events: AsyncGenerator[Fields], log_file: Path) -> AsyncIterator[bytes]:
    async with aclosing(events):
        try:
            async for event in events:
                yield to_line(event)
        except HermesError as error:
            yield to_line({"type": "error"} | of_error(error))
        except Exception:
            logger.exception("an answer broke off")
            yield to_line({"type": "error"} | of_fault(log_file))


def of_error(error: HermesError) -> Fields:
    """Given an error, return what a caller is told."""
    return {"error": error.message, "hint": error.hint, "code": error.code}


def of_fault(log_file: Path) -> Fields:
    """Return what a caller is told of a fault of ours."""
    return {
        "error": "the daemon ran into a fault of its own",
        "hint": f"the details are in {log_file}",
        "code": "internal",
    }


def of_recollection(found: Recollection, notes: tuple[str, ...] = ()) -> Fields:
    """Given a recollection, return it as an object; ``notes`` come before its own, and each passage
    has in words what is ``said`` of it besides what it says."""
    fields = asdict(found)
    fields["notes"] = [*notes, *found.notes]
    for shown, passage in zip(fields["passages"], found.passages, strict=True):
        said = (said_of(passage.mark, passage.twins), edited_on(passage.chunk.edited))
        shown["said"] = "; ".join(filter(None, said))
    return fields
