"""Hands an event in for a person who waits, and follows what becomes of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from ..agents.events import Event
from ..memory.errors import HermesError
from .api_run import hand_in
from .host import Host
from .standing import runtime_of
from .wire import Fields


class NotTakenUp(HermesError):
    """Nobody does yet what was asked for; it is written down, and done as soon as it can be."""

    code = "not_taken_up"

    def __init__(self, event: int, decision: Fields | None) -> None:
        why = "it is not decided yet who does it" if decision is None else decision["reason"]
        super().__init__(
            f"nobody has taken this up: {why}",
            hint=f"hermes why e{event} tells what became of it, and hermes status what is down",
        )


async def followed(host: Host, event: Event) -> AsyncGenerator[Fields]:
    """Hand an event in and yield how its job goes; the last object says how it ended. Raise
    NotTakenUp if there is none."""
    runtime = runtime_of(host)
    led_to = await hand_in(host, event)
    if not led_to["jobs"]:
        raise NotTakenUp(led_to["event"], led_to["decision"])
    for job in led_to["jobs"]:
        async for fields in runtime.watch(job["id"]):
            yield fields


def failure(error: Fields) -> HermesError:
    """Given the last object of a job that was not done, return what to raise."""
    failure = HermesError(error.get("error", "it was cancelled"), hint=error.get("hint", ""))
    failure.code = error.get("code", "cancelled")
    return failure
