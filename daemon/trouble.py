"""What is down, told with every answer, so that no command hides that hermes stopped watching."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .host import Host
from .wire import Fields, Json

HEADER = "x-hermes-trouble"


def trouble_of(host: Host) -> list[Fields]:
    """Return each service and trigger that is down: its name and why, as objects."""
    found = dict(host.faults)
    for trigger in host.triggers:
        state = trigger.state()
        if state["state"] == "down":
            found[state["name"]] = state["detail"] or found.get(state["name"], "")
    return [{"name": name, "detail": detail} for name, detail in found.items()]


def add_trouble(app: FastAPI, host: Host) -> None:
    """Add ``/v1/trouble``, which says what the header only counts."""

    @app.get("/v1/trouble")
    async def trouble() -> Json:
        return Json({"trouble": trouble_of(host)})


class Trouble:
    """Adds the header ``x-hermes-trouble: N`` to every answer while anything is down."""

    def __init__(self, app: ASGIApp, host: Host) -> None:
        self._app = app
        self._host = host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and tell with its answer."""

        async def telling(message: Message) -> None:
            if message["type"] == "http.response.start" and (down := trouble_of(self._host)):
                header = (HEADER.encode("ascii"), str(len(down)).encode("ascii"))
                message["headers"] = [*message.get("headers", ()), header]
            await send(message)

        await self._app(scope, receive, telling if scope["type"] == "http" else send)
