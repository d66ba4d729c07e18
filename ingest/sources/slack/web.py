"""Calls of Slack's Web API, at its pace and with its errors as ours.

The official client makes the requests (it honours HTTPS_PROXY); how often, how long and when to try
again is decided here, since waiting must end when somebody stops it.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.parse import urlsplit

from ..contract import SourceAway, SourceRefused
from .fields import Row, as_row, row, rows, text

if TYPE_CHECKING:
    from slack_sdk.errors import SlackApiError

TIMEOUT = 30
"""Seconds that a request may take."""
PATIENCE = 60.0
"""Seconds that are waited here when Slack asks for patience; of longer ones the caller is told."""
TRIES = 3
"""Times that a request is made when the network or Slack fails."""
PAGE = 200
"""Objects asked for at once; Slack recommends no more."""
PER_MINUTE = {"conversations.list": 20, "users.list": 20, "users.info": 100}
"""Calls of a method that its tier allows (docs.slack.dev/apis/web-api/rate-limits)."""
PER_MINUTE_ELSE = 50
_SLICE = 0.25

_REFUSED = {
    "not_authed": "no token reached Slack",
    "invalid_auth": "the token is not valid",
    "account_inactive": "the token's account or workspace is deactivated",
    "token_revoked": "the token was revoked",
    "token_expired": "the token has expired",
    "no_permission": "the token may not do this",
    "not_allowed_token_type": "this kind of token may not do this: a bot or user token can",
    "org_login_required": "the workspace is being moved to another organisation",
    "ekm_access_denied": "the workspace's administrators have suspended access",
    "access_denied": "the token has no access",
    "team_access_not_granted": "the token has no access to the workspace",
    "enterprise_is_restricted": "the method is not allowed for this organisation",
    "two_factor_setup_required": "the token's account has to set up two-factor sign-in",
}
_AWAY = frozenset(
    ["internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"]
)
_LIMITED = frozenset(["ratelimited", "rate_limited"])


class Unreadable(Exception):
    """A channel or a thread can't be read; others may be."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Stopped(Exception):
    """Somebody wants no more of it."""


class Web:
    """One token's access to the Web API."""

    def __init__(
        self, token: str, url: str, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.host = urlsplit(url).hostname or ""
        self._token = token
        self._url = url
        self._sleep = sleep
        self._recent: dict[str, deque[float]] = {}

    def call(
        self, method: str, should_stop: Callable[[], bool], **parameters: str | int | bool
    ) -> Row:
        """Return what a method answers.

        Raise Stopped, SourceRefused (the token), SourceAway, or Unreadable with Slack's word for
        it, where it is about the channel, the thread or the cursor.
        """
        if not self._token:
            raise SourceRefused(
                "Slack's Web API asks for a token",
                hint="hermes sources add slack --token-env SLACK_TOKEN --channels …",
            )
        from slack_sdk import WebClient
        from slack_sdk.errors import SlackApiError

        silent = logging.getLogger("slack_sdk.hermes")  # what it would log is in our errors
        silent.setLevel(logging.CRITICAL)
        client: Any = WebClient(
            self._token, base_url=self._url, timeout=TIMEOUT, retry_handlers=[], logger=silent
        )
        waited = 0.0
        failed = 0
        while True:
            self._keep_pace(method, should_stop)
            try:
                return as_row(client.api_call(method, params=parameters).data)
            except SlackApiError as error:
                answer, status, headers = _answer(error)
                problem = text(answer, "error")
                if " " in problem:  # the client's words for what is no JSON
                    problem = ""
                if status == 429 or problem in _LIMITED:
                    wait = _retry_after(headers)
                    waited += wait
                    if waited > PATIENCE:
                        raise SourceAway(
                            f"Slack asks to wait {wait:.0f} s before the next {method}", after=wait
                        ) from None
                    self._wait(wait, should_stop)
                    continue
                if problem and problem not in _AWAY:
                    raise _refusal(method, problem, text(answer, "needed")) from None
                if status in (401, 403, 407):
                    raise SourceRefused(
                        f"{self.host} answers {method} with HTTP {status}",
                        hint="is there a proxy in between, or is the address another one?",
                    ) from None
                failure = f"{self.host} answers {method} with {problem or f'HTTP {status}'}"
                if status == 200 and not problem:
                    failure = f"{self.host} does not answer {method} as Slack does"
            except AttributeError:  # of the client, where the JSON is no object
                failure = f"{self.host} does not answer {method} as Slack does"
            except (URLError, OSError, HTTPException, ValueError) as error:
                reason = getattr(error, "reason", None) or error
                failure = f"{self.host} can't be reached: {str(reason) or type(error).__name__}"
            failed += 1
            if failed == TRIES:
                raise SourceAway(failure, hint="it is tried again by itself")
            self._wait(2.0 ** (failed - 1), should_stop)

    def pages(
        self,
        method: str,
        member: str,
        should_stop: Callable[[], bool],
        **parameters: str | int | bool,
    ) -> Iterator[tuple[list[Row], bool]]:
        """Yield the objects that a method lists in ``member``, page by page, and whether there are
        more; as ``call`` for the rest."""
        cursor = ""
        while True:
            more = {"cursor": cursor} if cursor else {}
            answer = self.call(method, should_stop, limit=PAGE, **parameters, **more)
            cursor = text(row(answer, "response_metadata"), "next_cursor")
            yield rows(answer, member), bool(cursor)
            if not cursor:
                return

    def _keep_pace(self, method: str, should_stop: Callable[[], bool]) -> None:
        recent = self._recent.setdefault(method, deque())
        allowed = PER_MINUTE.get(method, PER_MINUTE_ELSE)
        if len(recent) == allowed:
            self._wait(recent.popleft() + 60.0 - time.monotonic(), should_stop)
        if should_stop():
            raise Stopped
        recent.append(time.monotonic())

    def _wait(self, seconds: float, should_stop: Callable[[], bool]) -> None:
        while seconds > 0:
            if should_stop():
                raise Stopped
            self._sleep(min(_SLICE, seconds))
            seconds -= _SLICE


def _answer(error: SlackApiError) -> tuple[Row, int, Mapping[str, Any]]:
    """Return what an error of the client holds: the JSON object, status and headers."""
    response: Any = error.response
    return as_row(response.data), int(response.status_code), response.headers


def _retry_after(headers: Mapping[str, Any]) -> float:
    found = {name.lower(): value for name, value in headers.items()}.get("retry-after", "")
    try:
        return max(1.0, float(found))
    except (TypeError, ValueError):
        return 30.0


def _refusal(method: str, problem: str, needed: str) -> Exception:
    if problem == "missing_scope":
        return MissingScope(method, needed)
    if why := _REFUSED.get(problem):
        return SourceRefused(
            f"Slack refuses: {why} ({problem})",
            hint="make a token in the app's settings (OAuth & Permissions) and put it where it is"
            " looked for",
        )
    return Unreadable(problem)


class MissingScope(SourceRefused):
    """The token lacks a scope."""

    def __init__(self, method: str, needed: str) -> None:
        super().__init__(
            f"the token may not call {method}: it lacks the scope {needed or 'for it'}",
            hint="add it in the app's settings (OAuth & Permissions), then install the app again",
        )
        self.needed = needed
