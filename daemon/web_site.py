"""What is served at the local page's port: a ticket's door, the page's files, and its share of the
API."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from html import escape
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .web_allowed import may
from .web_files import INDEX, File
from .web_guard import ENTER, OURS, READING, Refusal, is_let_in, refusal
from .web_tickets import Tickets
from .wire import Json

API = "/v1/"
STATIC = "/static/"
HEADERS = {
    # Nothing but what comes from here, no text that becomes script or markup, and nobody's frame.
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'; require-trusted-types-for 'script'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""What every answer says to the browser."""
AGAIN = "`hermes web` opens it"


class Site:
    """An application of its own, with ``app`` (the daemon's whole API) behind it."""

    def __init__(
        self,
        app: ASGIApp,
        files: Mapping[str, File],
        tickets: Tickets,
        *,
        port: int,
        cookie: str,
        secret: str,
    ) -> None:
        self.files = files
        """The page's files by name."""
        self.closing = asyncio.Event()
        """Set it to end the answers that are under way: those that stream have no end."""
        self._app = app
        self._tickets = tickets
        self._port = port
        self._cookie = cookie
        self._secret = secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        method, path = str(scope["method"]), str(scope["path"])
        answer = self._answer(method, path, headers, scope)
        sending = _Sending(send, store=not path.startswith(API))
        if answer is None:
            await self._pass_on(scope, receive, sending)
        else:
            await answer(scope, receive, sending)

    def _answer(self, method: str, path: str, headers: Headers, scope: Scope) -> Response | None:
        """Return the answer; None if the API is to give it."""
        refused = refusal(method, path, headers, self._port)
        if refused is not None:
            return _refuse(refused, path)
        inside = is_let_in(headers, self._cookie, self._secret)
        if (method, path) == ("GET", ENTER):
            return self._enter(headers, scope, inside=inside)
        if not inside:
            return _refuse(Refusal(401, "this browser was not let in", "cookie"), path)
        if path.startswith(API):
            if may(method, path):
                return None
            return _refuse(Refusal(403, f"the page may not ask {method} {path}", "page"), path)
        return self._file(method, path, headers)

    def _enter(self, headers: Headers, scope: Scope, *, inside: bool) -> Response:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("ticket", [""])
        if not self._tickets.take(given[0]) and not inside:
            return _refuse(
                Refusal(401, "this address was used already, or is older than a minute", "ticket"),
                ENTER,
            )
        if headers.get("sec-fetch-site", "none") in OURS:
            answer: Response = RedirectResponse("/", 303)
        else:
            # A browser sends no Strict cookie along a redirect that another page began.
            answer = _page("hermes", '<p><a href="/">hermes</a></p>', 200)
            answer.headers["refresh"] = "0; url=/"
        answer.headers["cache-control"] = "no-store"
        answer.set_cookie(self._cookie, self._secret, path="/", httponly=True, samesite="strict")
        return answer

    def _file(self, method: str, path: str, headers: Headers) -> Response:
        name = INDEX if path == "/" else path.removeprefix(STATIC)
        file = self.files.get(name) if path == "/" or path.startswith(STATIC) else None
        if method not in READING or file is None:
            return _refuse(Refusal(404, "there is no such file", "no_such_file"), path)
        caching = {"etag": file.etag, "cache-control": "no-cache"}  # asked for again each time
        if file.etag in headers.get("if-none-match", ""):
            return Response(status_code=304, headers=caching)
        return Response(file.content, media_type=file.kind, headers=caching)

    async def _pass_on(self, scope: Scope, receive: Receive, sending: _Sending) -> None:
        """Have the API answer, until the page is closed."""
        answering = asyncio.ensure_future(self._app(scope, receive, sending))
        closing = asyncio.ensure_future(self.closing.wait())
        try:
            await asyncio.wait({answering, closing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            closing.cancel()
            if not answering.done():
                answering.cancel()
                await asyncio.wait({answering})
        if answering.cancelled():
            await sending.end()
        else:
            answering.result()


class _Sending:
    """Sends an answer with our headers, and can bring one to its end that was broken off."""

    def __init__(self, send: Send, *, store: bool) -> None:
        """``store``: whether the browser may keep the answer."""
        self._send = send
        self._store = store
        self._begun = self._ended = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begun = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            if not self._store:
                headers["cache-control"] = "no-store"
        elif message["type"] == "http.response.body":
            self._ended = not message.get("more_body", False)
        await self._send(message)

    async def end(self) -> None:
        """Send what is missing of an answer."""
        if not self._begun:
            await self({"type": "http.response.start", "status": 503, "headers": []})
        if not self._ended:
            await self({"type": "http.response.body", "body": b"", "more_body": False})


def _refuse(why: Refusal, path: str) -> Response:
    """Say it to the page in JSON, to a person in words."""
    hint = AGAIN if why.code in ("cookie", "ticket") else ""
    if path.startswith(API):
        content = {"error": why.error, "hint": hint, "code": why.code}
        answer: Response = Json(content, status_code=why.status)
    else:
        words = f"{why.error[0].upper()}{why.error[1:]}."
        body = f"<p>{escape(words)}</p>"
        if hint:
            body += "<p>Type <code>hermes web</code> in a terminal: it opens the page.</p>"
        answer = _page("hermes", body, why.status)
        answer.headers["cache-control"] = "no-store"
    answer.headers["connection"] = "close"
    return answer


def _page(title: str, body: str, status: int) -> Response:
    return HTMLResponse(
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
        f"<title>{escape(title)}</title><h1>{escape(title)}</h1>{body}</html>\n",
        status,
    )
