"""What is answered at the webhooks' port: deliveries to the address of a provider, and nothing else.

Anybody can reach it who knows the tunnel's address. So nothing is read of a delivery before its size
and its pace were found bearable, nothing is made of it before its signature was found right, and no
answer says what was wrong with it: `hermes webhooks` says that, to the person.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from ..ingest.sources.deliveries import (
    PROVIDERS,
    Delivery,
    Provider,
    Request,
    Unreadable,
    read,
    skew,
)
from ..memory.errors import HermesError
from .webhooks_counts import Count

FOLDER = "/webhooks/"
BODY_SECONDS = 10.0
"""How long the rest of a delivery may take once its head has come."""
MOST_IN_HAND = 64_000_000
"""Bytes of deliveries that are held at the same time."""
BURST = 300
PER_SECOND = 20.0
"""Deliveries that are looked at in a row, and a second after that, signed or not."""

Secret = Callable[[str], str | None]
"""Given a provider's name, its secret; None where its deliveries are not taken in. Raises NoToken where
it can't be had."""
Take = Callable[[Provider, Delivery, float], Awaitable[str]]
"""Puts a delivery on disk; returns as what it counts: accepted, again or ignored. Raises
HermesError if it can't be put there."""


class Refused(Exception):
    """A delivery is not taken in."""

    def __init__(self, status: int, reason: str, skew: float | None = None) -> None:
        super().__init__(reason)
        self.status, self.reason, self.skew = status, reason, skew


class Site:
    """The application behind the port."""

    def __init__(
        self,
        secret: Secret,
        take: Take,
        count: Callable[[str], Count],
        changed: Callable[[], None],
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        """``count`` returns where a provider's deliveries are counted, ``changed`` is called when
        that was done."""
        self._secret = secret
        self._take = take
        self._count = count
        self._changed = changed
        self._now = now
        self._in_hand = 0
        self._left = float(BURST)
        self._filled = time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
            answer = await self._answer(scope, receive)
            answer.headers["connection"] = "close"
            await answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        path = str(scope["path"])
        provider = PROVIDERS.get(path.removeprefix(FOLDER)) if path.startswith(FOLDER) else None
        if provider is None:
            return PlainTextResponse("not found", 404)
        count = self._count(provider.name)
        now = self._now()
        try:
            secret = await asyncio.to_thread(self._secret, provider.name)
            if secret is None:
                return PlainTextResponse("not found", 404)
            delivery = await self._delivery(provider, secret, scope, receive)
            if delivery.challenge or delivery.ping or not delivery.place:
                kind = "other"
            else:
                kind = await self._take(provider, delivery, now)
        except Refused as refused:
            count.refuse(refused.reason, now, refused.skew)
            self._changed()
            return PlainTextResponse("refused", refused.status)
        except HermesError as error:
            count.refuse(error.message, now)
            self._changed()
            return PlainTextResponse("try again later", 503, {"retry-after": "60"})
        count.came(kind, delivery.what, now)
        self._changed()
        return PlainTextResponse(delivery.challenge or "ok")

    async def _delivery(
        self, provider: Provider, secret: str, scope: Scope, receive: Receive
    ) -> Delivery:
        """Return what came, if the provider sent it, now. Raise Refused."""
        headers = Headers(scope=scope)
        if scope["method"] != "POST":
            raise Refused(405, f"{str(scope['method'])[:10]} instead of POST")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refused(415, "not sent as JSON: set the content type to application/json")
        if not self._may_pass():
            raise Refused(429, f"more than {PER_SECOND:.0f} a second came")
        body = await self._body(provider, headers, receive)
        request = Request(dict(headers.items()), body, self._now())
        if len(body) > 100_000:
            return await asyncio.to_thread(_checked, provider, secret, request)
        return _checked(provider, secret, request)

    async def _body(self, provider: Provider, headers: Headers, receive: Receive) -> bytes:
        too_large = Refused(413, f"larger than {provider.most_bytes / 1e6:.0f} MB")
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            raise Refused(400, "its length is no number")
        if int(length) > provider.most_bytes:
            raise too_large
        parts: list[bytes] = []
        held = 0
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refused(400, "it broke off")
                    part: bytes = message.get("body", b"")
                    held += len(part)
                    self._in_hand += len(part)
                    parts.append(part)
                    if held > provider.most_bytes:
                        raise too_large
                    if self._in_hand > MOST_IN_HAND:
                        raise Refused(503, "too much came at once")
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            raise Refused(408, f"it took more than {BODY_SECONDS:.0f} s to arrive") from None
        finally:
            self._in_hand -= held

    def _may_pass(self) -> bool:
        now = time.monotonic()
        self._left = min(float(BURST), self._left + (now - self._filled) * PER_SECOND)
        self._filled = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


def _checked(provider: Provider, secret: str, request: Request) -> Delivery:
    """Return what a delivery tells. Raise Refused."""
    if not request.header(provider.signature):
        raise Refused(401, f"not signed: there is no {provider.signature}; is a secret set there?")
    if not provider.is_signed(secret, request):
        raise Refused(401, "signed with another secret")
    try:
        delivery = read(provider, request)
    except Unreadable as error:
        raise Refused(400, str(error)) from None
    off = skew(provider, delivery, request.at)
    if off is not None:
        raise Refused(401, "sent at another time than now", off)
    return delivery
