"""A server that speaks GitHub's REST API over one repository that a test changes as it goes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode, urlsplit

from hermes.tests.builders import github as gh

from .http import Exchange, HttpServer

Json = dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """What is answered instead."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b'{"message": "no"}'
    then: Literal["answer", "cut", "hang"] = "answer"


@dataclass
class Thing:
    """An issue or a pull request, with what is on it."""

    issue: Json
    pull: Json | None = None
    timeline: list[Json] = field(default_factory=list[Json])
    comments: list[Json] = field(default_factory=list[Json])
    remarks: list[Json] = field(default_factory=list[Json])


class GitHubServer(HttpServer):
    """Answers as api.github.com does: pages by Link, ETags, rate limits, redirects."""

    def __init__(self, *, token: str = "ghp_secret", name: str = gh.NAME) -> None:
        super().__init__()
        self.name = name
        self.former: str = ""
        """The name that it had before: asked for by that, it sends on."""
        self.now = float(gh.BEGUN + 30 * 86_400)
        self.things: dict[int, Thing] = {}
        self.checks: dict[str, list[Json]] = {}
        """Check runs by the sha of a head."""
        self.committers: dict[str, tuple[str, str]] = {}
        self.left = 4_999
        """Requests that are left in this hour."""
        self.before: Callable[[str], None] = lambda path: None
        """Called with the path of each request, before it is answered."""
        self._token = token
        self._faults: list[tuple[str, Fault]] = []

    def open_issue(self, number: int, title: str = "", body: str = "", **more: Any) -> Thing:
        """Add an issue."""
        self.things[number] = Thing(gh.issue(number, title, body, name=self.name, **more))
        return self.things[number]

    def open_pull(self, number: int, title: str = "", body: str = "", **more: Any) -> Thing:
        """Add a pull request."""
        pull = gh.pull(number, title, body, name=self.name, **more)
        listed = gh.issue(number, title, body, pull=True, name=self.name)
        for key in ("state", "user", "closed_at", "created_at", "updated_at", "draft", "assignees"):
            listed[key] = pull[key]
        self.things[number] = Thing(listed, pull)
        return self.things[number]

    def say(self, number: int, body: str, when: int, **more: Any) -> Json:
        """Add a comment to the conversation, which is a change."""
        thing = self.things[number]
        said = gh.comment(number, body, when=when, name=self.name, **more)
        thing.comments.append(said)
        thing.timeline.append(gh.commented(said))
        self.touch(number, when)
        return said

    def remark(self, number: int, body: str, when: int, **more: Any) -> Json:
        """Add a comment on a line, which is a change."""
        thing = self.things[number]
        said = gh.remark(number, body, when=when, name=self.name, **more)
        thing.remarks.append(said)
        assert thing.pull is not None
        thing.pull["review_comments"] += 1
        self.touch(number, when)
        return said

    def edit(self, said: Json, body: str, when: int) -> None:
        """Edit a comment, which is no change of what it is on."""
        for thing in self.things.values():
            for each in [*thing.comments, *thing.timeline, *thing.remarks]:
                if each.get("url") == said["url"]:
                    each.update(body=body, updated_at=gh.at(when))

    def touch(self, number: int, when: int) -> None:
        """Let a thing have changed."""
        thing = self.things[number]
        for each in (thing.issue, thing.pull):
            if each is not None:
                each["updated_at"] = gh.at(when)

    def fail(self, path: str, *faults: Fault) -> None:
        """Answer the next requests, whose paths hold ``path``, like this."""
        self._faults += [(path, fault) for fault in faults]

    def asked(self) -> list[str]:
        """Return the paths that were asked for, without the repository's part."""
        here = f"/repos/{self.name}"
        return [urlsplit(each.path).path.removeprefix(here) or "/" for each in self.requests]

    async def respond(self, exchange: Exchange) -> None:
        """Answer one request."""
        url = urlsplit(exchange.request.path)
        self.before(url.path)
        for place, (path, fault) in enumerate(self._faults):
            if path in exchange.request.path:
                del self._faults[place]
                await self._fail(exchange, fault)
                return
        given = exchange.request.headers.get("authorization", "")
        if given and given != f"Bearer {self._token}":
            await self._send(exchange, {"message": "Bad credentials"}, 401)
            return
        self.left -= 1
        former = f"/repos/{self.former}"
        if self.former and (url.path == former or url.path.startswith(f"{former}/")):
            where = f"{self.url}/repositories/1296269{url.path.removeprefix(former)}"
            await self._send(exchange, {"url": where}, 301, {"Location": where})
            return
        await self._answer(exchange, url.path, dict(parse_qsl(url.query)))

    async def _answer(self, exchange: Exchange, path: str, query: dict[str, str]) -> None:
        path = path.replace("/repositories/1296269", f"/repos/{self.name}")
        parts = path.removeprefix(f"/repos/{self.name}").strip("/").split("/")
        value: object = None
        match parts:
            case [""]:
                value = gh.repository(self.name)
            case ["issues"]:
                value = self._listed(query)
            case [("issues" | "pulls") as kind, "comments"]:
                value = self._comments(kind, query)
            case ["issues", number] if int(number) in self.things:
                value = self.things[int(number)].issue
            case ["issues", number, "timeline"] if int(number) in self.things:
                value = self.things[int(number)].timeline
            case ["pulls", number] if int(number) in self.things:
                value = self.things[int(number)].pull
            case ["pulls", number, "comments"] if int(number) in self.things:
                value = self.things[int(number)].remarks
            case ["commits", sha, "check-runs"]:
                runs = self.checks.get(sha, [])
                value = {"total_count": len(runs), "check_runs": runs}
            case ["commits", sha, "status"]:
                value = {"state": "pending", "sha": sha, "total_count": 0, "statuses": []}
            case ["commits"]:
                login = query["author"]
                who = self.committers.get(login)
                value = [] if who is None else [gh.commit(login, *who)]
            case ["users", login]:
                value = gh.user(login) | {"name": None, "email": None}
            case _:
                pass
        if value is None:
            await self._send(exchange, {"message": "Not Found"}, 404)
        elif isinstance(value, list):
            await self._page(exchange, path, value, query)
        else:
            await self._send(exchange, value)

    def _listed(self, query: Mapping[str, str]) -> list[Json]:
        field = {"updated": "updated_at", "created": "created_at"}[query.get("sort", "created")]
        found = [thing.issue for thing in self.things.values()]
        found = [each for each in found if each["updated_at"] >= query.get("since", "")]
        backwards = query.get("direction", "desc") == "desc"
        return sorted(found, key=lambda each: (each[field], each["number"]), reverse=backwards)

    def _comments(self, kind: str, query: Mapping[str, str]) -> list[Json]:
        things = self.things.values()
        found = [c for t in things for c in (t.comments if kind == "issues" else t.remarks)]
        found = [each for each in found if each["updated_at"] >= query.get("since", "")]
        return sorted(found, key=lambda each: (each["updated_at"], each["id"]))

    async def _page(
        self, exchange: Exchange, path: str, values: list[Json], query: dict[str, str]
    ) -> None:
        size, page = min(int(query.get("per_page", 30)), 100), int(query.get("page", 1))
        shown = values[(page - 1) * size : page * size]
        headers: dict[str, str] = {}
        if page * size < len(values):
            following = urlencode(query | {"page": str(page + 1)})
            last = urlencode(query | {"page": str(-(-len(values) // size))})
            headers["Link"] = (
                f'<{self.url}{path}?{following}>; rel="next", <{self.url}{path}?{last}>; rel="last"'
            )
        await self._send(exchange, shown, 200, headers)

    async def _send(
        self,
        exchange: Exchange,
        value: object,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        body = json.dumps(value).encode()
        etag = f'W/"{hashlib.sha256(body).hexdigest()}"'
        all_headers = {
            "Date": formatdate(self.now, usegmt=True),
            "X-RateLimit-Limit": "5000",
            "X-RateLimit-Remaining": str(self.left),
            "X-RateLimit-Reset": str(int(self.now) + 1_800),
            "ETag": etag,
            **(headers or {}),
        }
        if status == 200 and exchange.request.headers.get("if-none-match") == etag:
            self.left += 1
            await exchange.send(304, b"", headers=all_headers)
            return
        await exchange.send(status, body, "application/json; charset=utf-8", all_headers)

    async def _fail(self, exchange: Exchange, fault: Fault) -> None:
        date = {"Date": formatdate(self.now, usegmt=True)}
        match fault.then:
            case "cut":
                await exchange.start("application/json")
                await exchange.piece(b'[{"number": 1, "ti')
                await exchange.cut()
            case "hang":
                await exchange.hang()
            case "answer":
                await exchange.send(fault.status, fault.body, headers=date | dict(fault.headers))
