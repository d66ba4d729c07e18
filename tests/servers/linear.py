"""A server that answers what hermes asks of Linear's GraphQL API, over tickets that a test changes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from .http import Exchange, HttpServer

Json = dict[str, Any]

KIM = {"name": "Kim Noor", "email": "kim@example.org"}
SAM = {"name": "Sam Ito", "email": "sam@example.org"}
BEGUN = 1_760_000_000


def at(seconds: float) -> str:
    """Return a time as Linear writes it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


@dataclass(frozen=True)
class Fault:
    """What is answered instead."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes = b"{}"
    then: Literal["answer", "cut"] = "answer"


def limited(reset: float) -> Fault:
    """What is answered past the limit of requests."""
    said = b'{"errors":[{"message":"Rate limit exceeded","extensions":{"code":"RATELIMITED"}}]}'
    return Fault(
        400,
        {
            "X-RateLimit-Requests-Remaining": "0",
            "X-RateLimit-Requests-Reset": f"{1_000 * reset:.0f}",
        },
        said,
    )


class LinearServer(HttpServer):
    """Answers by the name of a query: pages, filters by time and team, the newest first."""

    def __init__(self, *, token: str = "lin_api_secret") -> None:
        super().__init__()
        self.teams: list[Json] = [{"key": "ENG", "name": "Engineering", "private": False}]
        self.tickets: dict[str, Json] = {}
        self._token = token
        self._faults: list[Fault] = []

    def open(
        self, number: int, title: str, when: int = 0, *, team: str = "ENG", **more: Any
    ) -> Json:
        """Add a ticket that Kim opened."""
        key, time = f"{team}-{number}", at(BEGUN + when)
        ticket: Json = {
            "id": f"id-{key}",
            "identifier": key,
            "previousIdentifiers": [],
            "title": title,
            "description": "",
            "url": f"https://linear.app/shop/issue/{key}",
            "branchName": f"kim/{key.lower()}",
            "trashed": None,
            "createdAt": time,
            "updatedAt": time,
            "completedAt": None,
            "canceledAt": None,
            "state": {"name": "Todo"},
            "creator": KIM,
            "externalUserCreator": None,
            "botActor": None,
            "assignee": None,
            "parent": None,
            "labels": {"nodes": []},
            "attachments": {"nodes": []},
            "relations": {"nodes": []},
            "comments": [],
            "history": [],
        }
        self.tickets[key] = ticket | more
        return self.tickets[key]

    def say(self, key: str, body: str, when: int, who: Json = SAM, *, silent: bool = False) -> Json:
        """Add a comment; ``silent``: the ticket itself does not count as changed."""
        time = at(BEGUN + when)
        comments = self.tickets[key]["comments"]
        comment = {
            "id": f"c-{key}-{len(comments)}",
            "body": body,
            "createdAt": time,
            "updatedAt": time,
            "user": who,
            "externalUser": None,
            "botActor": None,
        }
        comments.append(comment)
        if not silent:
            self.tickets[key]["updatedAt"] = time
        return comment

    def move(self, key: str, state: str, when: int, **more: Any) -> None:
        """Give a ticket another state."""
        ticket, time = self.tickets[key], at(BEGUN + when)
        change = {"createdAt": time, "fromState": ticket["state"], "toState": {"name": state}}
        ticket["history"].append(change | {"fromAssigneeId": None, "toAssigneeId": None})
        ticket |= {"state": {"name": state}, "updatedAt": time, **more}

    def assign(self, key: str, who: Json | None, when: int) -> None:
        """Give a ticket to somebody."""
        ticket, time = self.tickets[key], at(BEGUN + when)
        before = ticket["assignee"]
        ticket["history"].append(
            {
                "createdAt": time,
                "fromState": None,
                "toState": None,
                "fromAssignee": before,
                "toAssignee": who,
                "fromAssigneeId": before and before["name"],
                "toAssigneeId": who and who["name"],
            }
        )
        ticket |= {"assignee": who, "updatedAt": time}

    def fail(self, *faults: Fault) -> None:
        """Answer the next requests like this."""
        self._faults += faults

    def asked(self) -> list[str]:
        """Return the names of the queries."""
        return [each.body["operationName"] for each in self.requests]

    async def respond(self, exchange: Exchange) -> None:
        """Answer one request."""
        if self._faults:
            fault = self._faults.pop(0)
            if fault.then == "cut":
                await exchange.start("application/json")
                await exchange.piece(b'{"data": {"iss')
                await exchange.cut()
                return
            await exchange.send(fault.status, fault.body, headers=fault.headers)
            return
        if exchange.request.headers.get("authorization") != self._token:
            error = {
                "message": "Authentication required",
                "extensions": {"code": "AUTHENTICATION_ERROR"},
            }
            await exchange.send_json({"errors": [error]}, 401)
            return
        body = exchange.request.body
        data = self._answer(body["operationName"], body["query"], body["variables"])
        await exchange.send_json({"data": data})

    def _answer(self, name: str, query: str, given: Json) -> Json:
        after = given.get("after")
        match name:
            case "Teams":
                return {"teams": _page(self.teams, _first(query, "teams"), after)}
            case "Issues":
                found = [each for each in self.tickets.values() if _fits(each, given["filter"])]
                found.sort(key=lambda each: str(each["updatedAt"]), reverse=True)
                page = _page(found, _first(query, "issues"), after)
                parts = ("comments", "history")
                page["nodes"] = [
                    ticket
                    | {part: _page(ticket[part], _first(query, part), None) for part in parts}
                    for ticket in page["nodes"]
                ]
                return {"issues": page}
            case "TalkedOf":
                since = given["filter"]["updatedAt"]["gt"]
                said = [
                    {"updatedAt": comment["updatedAt"], "issue": {"id": ticket["id"]}}
                    for ticket in self.tickets.values()
                    if _fits(ticket, given["filter"]["issue"])
                    for comment in ticket["comments"]
                    if comment["updatedAt"] > since
                ]
                return {"comments": _page(said, _first(query, "comments"), after)}
            case _:
                part = "comments" if name == "MoreComments" else "history"
                (ticket,) = [each for each in self.tickets.values() if each["id"] == given["id"]]
                return {"issue": {part: _page(ticket[part], _first(query, part), after)}}


def _fits(ticket: Json, wanted: Json) -> bool:
    since = wanted.get("updatedAt", {}).get("gte", "")
    ids = wanted.get("id", {}).get("in")
    team = wanted.get("team", {}).get("key", {}).get("eq")
    return (
        ticket["updatedAt"] >= since
        and (ids is None or ticket["id"] in ids)
        and (team is None or ticket["identifier"].startswith(f"{team}-"))
    )


def _first(query: str, part: str) -> int:
    found = re.search(rf"\b{part}\(first: (\d+)", query)
    assert found is not None, part
    return int(found[1])


def _page(nodes: list[Json], first: int, after: str | None) -> Json:
    start = int(after or 0)
    more = start + first < len(nodes)
    return {
        "nodes": nodes[start : start + first],
        "pageInfo": {"hasNextPage": more, "endCursor": str(start + first) if more else None},
    }
