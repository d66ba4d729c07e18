"""Which requests to the local page are a browser's, sent by the page itself or by its person.

Whoever knows the port can reach it: other programs and users of this machine, and every web page that
is open in the person's browser. A name bent to 127.0.0.1 shows in ``Host``; a request that another
page sends shows in ``Origin`` or ``Sec-Fetch-Site``, and a page on another port of this machine counts
as the same *site*, so that a cookie's SameSite is no help against it, but not as the same origin. What
changes something needs an Origin, and a content type that no form can send.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from starlette.datastructures import Headers

from .guard import TOO_LARGE, is_too_large

METHODS = frozenset({"GET", "HEAD", "POST", "DELETE"})
READING = frozenset({"GET", "HEAD"})
OURS = frozenset({"same-origin", "none"})
"""``Sec-Fetch-Site`` of a request that our page sent, or the person (an address, a bookmark)."""
ENTER = "/enter"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not answered."""

    status: int
    """HTTP's."""
    error: str
    code: str


def refusal(method: str, path: str, headers: Headers, port: int) -> Refusal | None:
    """Given a request that came to ``port``, return why it is refused; None if it is not."""
    hosts = headers.getlist("host")
    if len(hosts) != 1 or hosts[0] not in (f"127.0.0.1:{port}", f"localhost:{port}"):
        return Refusal(421, "this address is not the page's own", "host")
    origins = headers.getlist("origin")
    if any(origin != f"http://{hosts[0]}" for origin in origins):
        return Refusal(403, "another page may not ask this", "origin")
    sites = headers.getlist("sec-fetch-site")
    if any(site not in OURS for site in sites) and not _arrives(method, path, headers):
        return Refusal(403, "another page may not ask this", "origin")
    if method not in METHODS:
        return Refusal(405, f"{method} is not a method of the page", "method")
    if method not in READING:
        if not origins:
            return Refusal(403, "what changes something must say which page sent it", "origin")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return Refusal(415, "the page sends JSON, and says so", "content_type")
    return Refusal(413, TOO_LARGE, "too_large") if is_too_large(headers) else None


def is_let_in(headers: Headers, cookie: str, secret: str) -> bool:
    """Say whether a request shows the secret in its cookie."""
    for header in headers.getlist("cookie"):
        for each in header.split(";"):
            name, _, value = each.strip().partition("=")
            # Two may have the name: another server on this machine can set one for a longer path.
            if name == cookie and secrets.compare_digest(
                value.encode("latin-1"), secret.encode("ascii")
            ):
                return True
    return False


def _arrives(method: str, path: str, headers: Headers) -> bool:
    """A person who follows the address with a ticket, from a terminal in another page, say: the
    ticket speaks for itself, and no page can read what comes of it."""
    return (
        (method, path) == ("GET", ENTER)
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )
