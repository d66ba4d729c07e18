"""Asks GitHub's REST API: one request at a time, by conditions, within its limits.

Nothing here waits long, or follows to another host: a limit that takes longer than a few seconds is
handed up as SourceAway, with the seconds, so that the schedule waits and no worker does.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import TYPE_CHECKING

from ..contract import SourceAway, SourceBroken, SourceRefused
from .fields import Json, as_object, objects, text

if TYPE_CHECKING:
    import httpx

VERSION = "2022-11-28"
"""Of the REST API; Enterprise Server has it from 3.9 on, and older ones ignore it."""
CONNECT_SECONDS, READ_SECONDS, WHOLE_SECONDS = 10.0, 30.0, 120.0
LARGEST = 64 * 1024 * 1024
"""Bytes of one answer. A hundred comments of the greatest length are 7 MB."""
SHORT_WAIT = 5.0
"""Seconds that a limit may ask for and be waited for here."""
NO_TIME_SAID = 60.0
"""Seconds to wait where a limit does not say: what GitHub's documentation asks for."""
SHARE_LEFT = 0.1
"""Of the hour's requests, the part that is left to the person's other programs."""
MOST_REDIRECTS = 3
MOST_PAGES = 30
"""Of a hundred entries each, of one issue or pull request."""
PAUSES = (1.0, 3.0)
"""Seconds before each new try of a request that failed on the way."""

Query = Mapping[str, str | int]


class Stopped(Exception):
    """Whoever asked does not want to know any more."""


class Gone(Exception):
    """There is nothing at an address, or nothing that the token may see."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Forbidden(Exception):
    """The token may not see what is at an address."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered."""

    value: object
    """The JSON; None where nothing has changed."""
    etag: str
    following: str
    """The address of the next page; empty on the last one."""

    @property
    def unchanged(self) -> bool:
        """Whether it is as it was when the ETag was given."""
        return self.value is None


class Api:
    """One repository's API, for as long as a sync takes."""

    def __init__(
        self,
        url: str,
        token: str | None,
        should_stop: Callable[[], bool],
        *,
        pauses: tuple[float, ...] = PAUSES,
    ) -> None:
        """``url``: ``https://api.github.com``, or an Enterprise Server's ``…/api/v3``."""
        import httpx

        self.requests = 0
        """That were sent."""
        self.now = time.time()
        """The server's clock at its last answer, in seconds; ours before that."""
        self._base = httpx.URL(url.rstrip("/"))
        self._should_stop = should_stop
        self._pauses = pauses
        headers = {
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": VERSION,
            "User-Agent": "hermes-ambient",
        }
        if token:
            headers["Authorization"] = f"Bearer {token}"
        local = self._base.host in ("127.0.0.1", "localhost", "::1")
        self._client = httpx.Client(
            headers=headers,
            timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
            trust_env=not local,
        )
        self._has_token = bool(token)
        self._low = False
        self._reset = 0.0

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    def get(self, address: str, query: Query | None = None, *, etag: str = "") -> Answer:
        """Ask for an address: a path, or the whole address of a next page.

        With an ``etag``, an answer that has not changed costs nothing. Raise Gone, Forbidden,
        Stopped, SourceRefused, SourceAway or SourceBroken.
        """
        url = self._url(address, query)
        for _ in range(MOST_REDIRECTS + 1):
            status, headers, body = self._ask(url, etag)
            if status not in (301, 302, 307, 308):
                return self._answer(status, headers, body)
            url = self._within(url.join(headers.get("location", "")))
        raise SourceBroken(f"{url.host} sends on in a circle", hint="is its address right?")

    def pages(self, address: str, query: Query | None = None) -> Iterator[list[Json]]:
        """Yield a list page by page."""
        while True:
            answer = self.get(address, query)
            yield objects(answer.value)
            if not answer.following:
                return
            address, query = answer.following, None

    def all(self, address: str) -> list[Json]:
        """Return a whole list, of up to MOST_PAGES pages."""
        pages = islice(self.pages(address, {"per_page": 100}), MOST_PAGES)
        return [each for page in pages for each in page]

    def rest(self) -> None:
        """Raise SourceAway when no more than the share that is left to others is left of the hour's
        requests. To be called where what was read is safe."""
        if self._low:
            wait = max(self._reset - self.now, 1.0)
            raise SourceAway(
                f"most of the requests that {self._base.host} allows in an hour are used up",
                hint=f"the rest is left to your other programs; it goes on in {_minutes(wait)}",
                after=wait,
            )

    def _url(self, address: str, query: Query | None) -> httpx.URL:
        if "://" in address:
            return self._within(self._base.join(address))
        url = self._base.copy_with(path=self._base.path.rstrip("/") + address)
        return url.copy_merge_params(dict(query)) if query else url

    def _within(self, url: httpx.URL) -> httpx.URL:
        """Hold a next address to the host that was agreed to: it would be given the token."""
        same = ("scheme", "host", "port")
        if any(getattr(url, part) != getattr(self._base, part) for part in same):
            raise SourceRefused(
                f"{self._base.host} sends on to {url.host}, which hermes was not told of",
                hint="add the source again with the address that it has now",
            )
        return url

    def _ask(self, url: httpx.URL, etag: str) -> tuple[int, Mapping[str, str], bytes]:
        """Send a request until it is answered: once more after a pause, if it failed on the way or
        has met a limit that is soon over."""
        for pause in (*self._pauses, None):
            if self._should_stop():
                raise Stopped
            try:
                status, headers, body = self._send(url, etag)
            except SourceAway:
                if pause is None:
                    raise
                self._wait(pause)
                continue
            self._note(headers)
            wait = self._limited(status, headers, body)
            if wait is None and status < 500:
                return status, headers, body
            if pause is None or (wait is not None and wait > SHORT_WAIT):
                raise self._away(status, wait)
            self._wait(pause if wait is None else wait)
        raise AssertionError("unreachable")

    def _send(self, url: httpx.URL, etag: str) -> tuple[int, Mapping[str, str], bytes]:
        import httpx

        deadline = time.monotonic() + WHOLE_SECONDS
        asked = {"If-None-Match": etag} if etag else {}
        try:
            with self._client.stream("GET", url, headers=asked) as response:
                self.requests += 1
                pieces: list[bytes] = []
                size = 0
                for piece in response.iter_bytes():
                    size += len(piece)
                    pieces.append(piece)
                    if size > LARGEST:
                        raise SourceBroken(f"an answer of {url.host} has no end: {url.path}")
                    if self._should_stop():
                        raise Stopped
                    if time.monotonic() > deadline:
                        raise httpx.ReadTimeout("too slow")
                return response.status_code, response.headers, b"".join(pieces)
        except httpx.TimeoutException as error:
            raise SourceAway(
                f"{url.host} does not answer in time", hint="hermes tries again later"
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise SourceAway(
                f"{url.host} can't be reached: {str(error) or type(error).__name__}",
                hint="is there a connection? hermes tries again later",
            ) from error

    def _note(self, headers: Mapping[str, str]) -> None:
        """Keep the server's time, and what is left of the hour's requests."""
        try:
            self.now = parsedate_to_datetime(headers["date"]).timestamp()
        except (KeyError, ValueError, TypeError):
            self.now = time.time()
        left, limit = _whole(headers, "x-ratelimit-remaining"), _whole(headers, "x-ratelimit-limit")
        if left is not None and limit:
            self._low = left <= limit * SHARE_LEFT
            self._reset = float(_whole(headers, "x-ratelimit-reset") or self.now + NO_TIME_SAID)

    def _limited(self, status: int, headers: Mapping[str, str], body: bytes) -> float | None:
        """Return the seconds that a limit asks for; None where none was met."""
        if status not in (403, 429):
            return None
        after = _whole(headers, "retry-after")
        if after is not None:
            return float(after)
        if _whole(headers, "x-ratelimit-remaining") == 0:
            return max(self._reset - self.now, 1.0)
        return NO_TIME_SAID if status == 429 or b"rate limit" in body[:4096].lower() else None

    def _away(self, status: int, wait: float | None) -> SourceAway:
        host = self._base.host
        if wait is None:
            return SourceAway(
                f"{host} has trouble of its own (HTTP {status})", hint="hermes tries again later"
            )
        hint = f"it goes on in {_minutes(wait)}"
        if not self._has_token:
            hint += "; with a token it allows far more"
        return SourceAway(f"{host} asks for patience: its limit is reached", hint=hint, after=wait)

    def _wait(self, pause: float) -> None:
        until = time.monotonic() + pause
        while (left := until - time.monotonic()) > 0:
            if self._should_stop():
                raise Stopped
            time.sleep(min(left, 0.2))

    def _answer(self, status: int, headers: Mapping[str, str], body: bytes) -> Answer:
        if status == 304:
            return Answer(None, "", "")
        if status == 401:
            raise SourceRefused(
                f"{self._base.host} does not accept the token: it is wrong, revoked or expired",
                hint="make a new one in the settings under Developer settings, and put it where"
                " the source looks for it",
            )
        if status in (404, 410, 451):
            raise Gone(status)
        if status == 409:  # an empty repository has no commits to list
            return Answer([], "", "")
        if status >= 400:
            said = text(as_object(_json(body)), "message")[:200]
            if status == 403:
                raise Forbidden(said)
            raise SourceBroken(f"{self._base.host} refused a request (HTTP {status}): {said}")
        value = _json(body)
        if value is None:
            raise SourceBroken(
                f"what {self._base.host} answers is not JSON",
                hint="is it the API's address? Enterprise Server has it under /api/v3",
            )
        return Answer(value, headers.get("etag", ""), _next(headers.get("link", "")))


def _json(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _whole(headers: Mapping[str, str], name: str) -> int | None:
    said = headers.get(name, "").strip()
    return int(said) if said.isascii() and said.isdigit() and len(said) < 16 else None


def _next(link: str) -> str:
    """Return the next page's address of a Link header."""
    for part in link.split(","):
        address, _, relation = part.partition(";")
        if 'rel="next"' in relation:
            return address.strip().removeprefix("<").removesuffix(">")
    return ""


def _minutes(seconds: float) -> str:
    minutes = max(round(seconds / 60), 1)
    return "a minute" if minutes == 1 else f"{minutes} minutes"
