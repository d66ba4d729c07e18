"""A server that speaks Slack's Web API about a made-up workspace, and misbehaves when told to.

    with SlackServer(workspace) as server:
        server.script(Trouble(status=429, headers={"Retry-After": "1"}))

Each scripted trouble is met by one call, in order, or by one call of its method. What is listed
comes in pages with cursors, history newest first, replies oldest first, as Slack gives them.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

from ..builders.slack import HOST, TEAM, Json, Place, Workspace
from .http import Exchange, HttpServer

TOKEN = "xoxb-made-up-for-tests"
SCOPES = frozenset(
    ["channels:read", "channels:history", "users:read", "users:read.email"]
    + ["groups:read", "groups:history", "im:read", "im:history", "mpim:read", "mpim:history"]
)
_KINDS = {"public_channel": "channel", "private_channel": "group", "im": "im", "mpim": "mpim"}
_FAMILY = {"channel": "channels", "group": "groups", "im": "im", "mpim": "mpim"}


@dataclass(frozen=True)
class Trouble:
    """How one call goes wrong."""

    error: str = ""
    """Slack's word, answered as ``{"ok": false}`` with status 200 if no other is given."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None
    """Sent instead of JSON."""
    then: Literal["answer", "cut", "half", "hang"] = "answer"
    """Drop the connection at once, in the middle of a good answer, or say nothing."""
    method: str = ""
    """Only this method's call is met."""
    more: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Further fields of the error: ``needed``."""


class SlackServer(HttpServer):
    """Answers the methods that only read."""

    def __init__(
        self,
        workspace: Workspace,
        *,
        token: str = TOKEN,
        scopes: frozenset[str] = SCOPES,
        page: int = 1_000,
    ) -> None:
        super().__init__()
        self.workspace = workspace
        self.token = token
        self.scopes = scopes
        self.page = page
        """Objects that a page holds at most, whatever limit is asked for."""
        self.calls: list[tuple[str, dict[str, str]]] = []
        """Methods with their arguments, in order."""
        self._troubles: deque[Trouble] = deque()

    @property
    def api(self) -> str:
        """The address of the API."""
        return f"{self.url}/api/"

    def script(self, *troubles: Trouble) -> None:
        """Have the next calls go wrong."""
        self._troubles.extend(troubles)

    def called(self, method: str) -> list[dict[str, str]]:
        """The arguments of each call of a method."""
        return [arguments for name, arguments in self.calls if name == method]

    async def respond(self, exchange: Exchange) -> None:
        """Answer one call."""
        request = exchange.request
        path = urlsplit(request.path)
        method = path.path.removeprefix("/api/")
        arguments = dict(parse_qsl(path.query) + parse_qsl(request.raw.decode()))
        self.calls.append((method, arguments))
        trouble = self._next(method)
        if trouble is not None and await self._meet(exchange, trouble):
            return
        if request.headers.get("authorization") != f"Bearer {self.token}":
            answer: Json = {"ok": False, "error": "invalid_auth"}
        else:
            answer = self._answer(method, arguments)
        body = json.dumps(answer).encode()
        if trouble is not None and trouble.then == "half":
            await exchange.start("application/json; charset=utf-8")
            await exchange.piece(body[: len(body) // 2])
            await exchange.cut()
        else:
            await exchange.send(200, body, "application/json; charset=utf-8")

    def _next(self, method: str) -> Trouble | None:
        for trouble in self._troubles:
            if trouble.method in ("", method):
                self._troubles.remove(trouble)
                return trouble
        return None

    @staticmethod
    async def _meet(exchange: Exchange, trouble: Trouble) -> bool:
        """Misbehave; return whether that was all."""
        if trouble.then == "cut":
            await exchange.cut()
        elif trouble.then == "hang":
            await exchange.hang()
        elif trouble.then == "half":
            return False
        else:
            answer = {"ok": False, "error": trouble.error, **trouble.more}
            body = json.dumps(answer).encode() if trouble.body is None else trouble.body
            lines = "".join(f"{name}: {value}\r\n" for name, value in trouble.headers.items())
            kind = "application/json; charset=utf-8\r\n" + lines
            await exchange.send(trouble.status, body, kind.removesuffix("\r\n"))
        await asyncio.sleep(0)
        return True

    # The methods

    def _answer(self, method: str, arguments: dict[str, str]) -> Json:
        match method:
            case "auth.test":
                return {
                    "ok": True,
                    "url": f"https://{HOST}/",
                    "team": "Acme",
                    "user": "hermes",
                    "team_id": TEAM,
                    "user_id": "U00000000",
                    "bot_id": "B00000000",
                    "is_enterprise_install": False,
                }
            case "users.list":
                members = list(self.workspace.members.values())
                return self._lacks("users:read") or self._listed(
                    "members", [self._member(each) for each in members], arguments
                )
            case "users.info":
                member = self.workspace.members.get(arguments.get("user", ""))
                if member is None:
                    return {"ok": False, "error": "user_not_found"}
                return {"ok": True, "user": self._member(member)}
            case "conversations.list":
                return self._conversations(arguments)
            case "conversations.history":
                return self._history(arguments)
            case "conversations.replies":
                return self._replies(arguments)
            case _:
                return {"ok": False, "error": "unknown_method", "req_method": method}

    def _member(self, member: Json) -> Json:
        if "users:read.email" in self.scopes:
            return member
        profile = {name: value for name, value in member["profile"].items() if name != "email"}
        return {**member, "profile": profile}

    def _conversations(self, arguments: dict[str, str]) -> Json:
        kinds = [_KINDS[kind] for kind in arguments.get("types", "public_channel").split(",")]
        for kind in kinds:
            if lacks := self._lacks(f"{_FAMILY[kind]}:read"):
                return lacks
        found = [self._conversation(p) for p in self.workspace.places.values() if p.kind in kinds]
        return self._listed("channels", found, arguments)

    @staticmethod
    def _conversation(place: Place) -> Json:
        if place.kind == "im":
            other = place.members[-1]
            return {"id": place.id, "created": 1, "is_im": True, "user": other, "priority": 0}
        return {
            "id": place.id,
            "name": place.name,
            "name_normalized": place.name,
            "is_channel": place.kind == "channel",
            "is_group": False,
            "is_im": False,
            "is_mpim": place.kind == "mpim",
            "is_private": place.kind != "channel",
            "is_archived": False,
            "is_member": place.joined,
            "num_members": len(place.members),
        }

    def _history(self, arguments: dict[str, str]) -> Json:
        place = self.workspace.places.get(arguments.get("channel", ""))
        if problem := self._unreadable(place):
            return problem
        assert place is not None
        latest, oldest = arguments.get("latest", "9"), arguments.get("oldest", "0")
        found = [
            message
            for message in reversed(place.seen())
            if oldest < message["ts"] < latest
            and (
                message.get("thread_ts", message["ts"]) == message["ts"]
                or message.get("subtype") == "thread_broadcast"
            )
        ]
        return self._listed("messages", [_live(each) for each in found], arguments)

    def _replies(self, arguments: dict[str, str]) -> Json:
        place = self.workspace.places.get(arguments.get("channel", ""))
        if problem := self._unreadable(place):
            return problem
        assert place is not None
        ts = arguments.get("ts", "")
        found = [each for each in place.seen() if each["ts"] == ts or each.get("thread_ts") == ts]
        if not found:
            return {"ok": False, "error": "thread_not_found"}
        return self._listed("messages", [_live(each) for each in found], arguments)

    def _unreadable(self, place: Place | None) -> Json | None:
        if place is None:
            return {"ok": False, "error": "channel_not_found"}
        if lacks := self._lacks(f"{_FAMILY[place.kind]}:history"):
            return lacks
        return None if place.joined else {"ok": False, "error": "not_in_channel"}

    def _lacks(self, scope: str) -> Json | None:
        if scope in self.scopes:
            return None
        provided = ",".join(sorted(self.scopes))
        return {"ok": False, "error": "missing_scope", "needed": scope, "provided": provided}

    def _listed(self, name: str, found: list[Json], arguments: dict[str, str]) -> Json:
        """A page of a list. A cursor says where the page before ended."""
        start = 0
        if cursor := arguments.get("cursor"):
            said = base64.b64decode(cursor).decode().partition(":")[2]
            keys = [_key(each) for each in found]
            if said not in keys:
                return {"ok": False, "error": "invalid_cursor"}
            start = keys.index(said) + 1
        size = min(int(arguments.get("limit", 100)), self.page)
        page = found[start : start + size]
        more = start + size < len(found)
        next_cursor = base64.b64encode(f"next:{_key(page[-1])}".encode()).decode() if more else ""
        answer: Json = {"ok": True, name: page, "response_metadata": {"next_cursor": next_cursor}}
        if name == "messages":
            answer |= {"has_more": more, "pin_count": 0}
        return answer


def _key(each: Json) -> str:
    return str(each.get("ts") or each["id"])


def _live(message: Json) -> Json:
    """What the API leaves out: an export lists the answers."""
    return {name: value for name, value in message.items() if name != "replies"}
