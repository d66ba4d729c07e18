"""Turns away callers before any of our code reads what they send."""

from __future__ import annotations

import secrets
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from .listen import Door
from .wire import Json

MAX_BODY = 1_000_000
"""Bytes of a request's body that are accepted."""
TOO_LARGE = f"a request may have {MAX_BODY:,} bytes"


class Guard:
    """On loopback demands the token and a Host that is ours, so that neither another user nor a
    web page (not even by rebinding a name) gets in. Everywhere refuses oversized bodies."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._expected = f"Bearer {door.token}".encode() if door.token else b""
        self._hosts = {"hermes", f"127.0.0.1:{door.port}", f"localhost:{door.port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it with why not."""
        if scope["type"] == "http":
            refusal = self._refusal(Headers(scope=scope))
            if refusal is not None:
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _refusal(self, headers: Headers) -> Json | None:
        if self._expected:
            if headers.get("host") not in self._hosts:
                return _refuse(421, "this address is not the daemon's own", "host")
            shown = headers.get("authorization", "").encode("latin-1")
            if not secrets.compare_digest(shown, self._expected):
                return _refuse(401, "the token is missing or wrong", "token")
        if is_too_large(headers):
            return _refuse(413, TOO_LARGE, "too_large")
        return None


def is_too_large(headers: Headers) -> bool:
    """Say whether a request's body is, or may be, larger than we accept."""
    length = headers.get("content-length", "0")
    return not length.isdigit() or int(length) > MAX_BODY or "transfer-encoding" in headers


def _refuse(status: int, error: str, code: str) -> Json:
    hint = "the command line finds both by itself" if code in ("host", "token") else ""
    content: dict[str, Any] = {"error": error, "hint": hint, "code": code}
    return Json(content, status_code=status, headers={"connection": "close"})
