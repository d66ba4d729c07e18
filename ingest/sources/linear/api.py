"""Asks Linear's GraphQL API: one request at a time, within its limits.

Facts from Linear's public documentation: a personal API key goes into ``Authorization`` as it is, an
OAuth token behind ``Bearer``; past a limit the answer is 400 with the code ``RATELIMITED``; headers say
in milliseconds since 1970 when there is room again; a query may cost 10,000 points.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from ..contract import SourceAway, SourceBroken, SourceRefused
from ..github.fields import Json, as_object, inner, objects, text

CONNECT_SECONDS, READ_SECONDS = 10.0, 30.0
LARGEST = 32 * 1024 * 1024
"""Bytes of one answer."""
PAUSES = (1.0, 3.0)
"""Seconds before each new try of a request that failed on the way."""
STEP_SECONDS = 0.25
NO_TIME_SAID = 60.0
"""Seconds to wait where a limit does not say."""
_KEY = "lin_api_"
_RESETS = (
    ("x-ratelimit-requests-remaining", "x-ratelimit-requests-reset"),
    ("x-ratelimit-complexity-remaining", "x-ratelimit-complexity-reset"),
    ("x-ratelimit-endpoint-requests-remaining", "x-ratelimit-endpoint-requests-reset"),
)


class Stopped(Exception):
    """Whoever asked does not want to know any more."""


class Api:
    """Linear's API, for as long as a sync takes."""

    def __init__(
        self,
        url: str,
        token: str | None,
        should_stop: Callable[[], bool] = lambda: False,
        *,
        pauses: tuple[float, ...] = PAUSES,
    ) -> None:
        import httpx

        self._url = url
        self._host = urlsplit(url).hostname or url
        self._should_stop = should_stop
        self._pauses = pauses
        value = token or ""
        if value and not value.startswith((_KEY, "Bearer ")) and "oauth" in value[:12]:
            value = f"Bearer {value}"
        local = self._host in ("127.0.0.1", "localhost", "::1")
        self._client = httpx.Client(
            headers={"Authorization": value, "User-Agent": "hermes-ambient"},
            timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
            trust_env=not local,
        )

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    def ask(self, name: str, query: str, variables: Mapping[str, Any]) -> Json:
        """Send a query and return its ``data``. Raise Stopped, SourceRefused, SourceAway or
        SourceBroken."""
        body = {"query": query, "operationName": name, "variables": dict(variables)}
        for pause in (*self._pauses, None):
            if self._should_stop():
                raise Stopped
            try:
                return self._read(*self._send(body))
            except SourceAway as error:
                if pause is None or error.after is not None:
                    raise
                self._wait(pause)
        raise AssertionError("unreachable")

    def _send(self, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        import httpx

        try:
            with self._client.stream("POST", self._url, json=body) as answer:
                data = bytearray()
                for piece in answer.iter_bytes():
                    data += piece
                    if len(data) > LARGEST:
                        raise SourceBroken(
                            f"{self._host} answers with more than {LARGEST >> 20} MB"
                        )
                    if self._should_stop():
                        raise Stopped
                return answer.status_code, answer.headers, bytes(data)
        except httpx.HTTPError as error:
            raise SourceAway(
                f"{self._host} does not answer: {type(error).__name__}", hint="it is tried again"
            ) from error

    def _read(self, status: int, headers: Mapping[str, str], body: bytes) -> Json:
        try:
            answer = as_object(json.loads(body))
        except ValueError:
            answer = as_object(None)
        errors = objects(answer.get("errors"))
        kinds = {kind for error in errors for kind in _kinds(error)}
        said = next((_said(error) for error in errors), "")
        if status == 429 or "ratelimited" in kinds:
            raise SourceAway(
                f"{self._host} asks for patience",
                hint="it goes on by itself",
                after=_wait(headers, time.time()),
            )
        if status == 401 or kinds & {"authentication error", "authentication_error"}:
            raise SourceRefused(
                f"{self._host} refuses the token{_colon(said)}",
                hint="make another one in Linear under Settings, Security & access, and name it",
            )
        if status == 403 or "forbidden" in kinds:
            raise SourceRefused(
                f"{self._host} does not let this token read that{_colon(said)}",
                hint="a personal API key needs the scope Read, and its person the team",
            )
        if 300 <= status < 400:
            raise SourceRefused(
                f"{self._host} sends on to another address", hint="add it with the address of now"
            )
        if status >= 500 or kinds & {"internal error", "internal_server_error", "lock timeout"}:
            raise SourceAway(f"{self._host} has a fault of its own ({status})", hint="tried again")
        data = inner(answer, "data")
        if status != 200 or errors or not data:
            raise SourceBroken(
                f"{self._host} did not understand, or was not understood ({status}){_colon(said)}",
                hint="is the address right? a newer hermes may know Linear better",
            )
        return data

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self._should_stop():
                raise Stopped
            time.sleep(min(STEP_SECONDS, left))


def _kinds(error: Json) -> set[str]:
    extensions = inner(error, "extensions")
    return {text(extensions, name).lower() for name in ("code", "type")} - {""}


def _said(error: Json) -> str:
    return text(inner(error, "extensions"), "userPresentableMessage") or text(error, "message")


def _colon(said: str) -> str:
    return f": {' '.join(said.split())[:200]}" if said else ""


def _wait(headers: Mapping[str, str], now: float) -> float:
    """Return after how many seconds there is room again, as headers say."""
    said = headers.get("retry-after", "")
    if said.isascii() and said.isdigit():
        return float(said)
    waits = [
        int(reset) / 1_000 - now
        for left, reset in ((headers.get(a, ""), headers.get(b, "")) for a, b in _RESETS)
        if left == "0" and reset.isascii() and reset.isdigit()
    ]
    return max([*waits, 1.0]) if waits else NO_TIME_SAID
