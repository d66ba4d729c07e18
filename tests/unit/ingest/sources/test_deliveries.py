"""What a delivery of a webhook tells, and for which sources."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hermes.ingest.sources.deliveries import (
    ANYWHERE,
    PROVIDERS,
    Delivery,
    Request,
    Unreadable,
    concerns,
    read,
    skew,
)
from hermes.ingest.sources.linear.events import Told, told
from hermes.ingest.sources.linear.signature import is_signed
from hermes.ingest.sources.slack.state import Read, as_cursor
from hermes.tests.builders.deliveries import commented, hexed, of_github, of_linear, of_slack

NOW = 1_767_000_000.0
ISSUE = {
    "action": "update",
    "type": "Issue",
    "data": {"identifier": "ENG-17", "team": {"key": "ENG"}},
}
MESSAGE = {
    "type": "event_callback",
    "event_id": "Ev08MFMKH6",
    "event": {
        "type": "message",
        "channel": "C024BE91L",
        "user": "U2147483697",
        "text": "we chose Redis",
        "ts": "1355517523.000005",
    },
}


def request(body: bytes, headers: dict[str, str]) -> Request:
    return Request(headers, body, NOW)


def delivery(name: str, body: bytes, headers: dict[str, str]) -> Delivery:
    return read(PROVIDERS[name], request(body, headers))


def test_linear_signs_the_body_in_hexadecimal_digits() -> None:
    body = b'{"action":"create"}'
    assert is_signed("secret", body, hexed("secret", body))
    for secret, content, signature in (
        ("another", body, hexed("secret", body)),
        ("secret", body + b" ", hexed("secret", body)),
        ("secret", body, hexed("secret", body)[:-1]),
        ("secret", body, ""),
        ("secret", body, "é"),
        ("", body, hexed("", body) if body else ""),
    ):
        assert not is_signed(secret, content, signature)


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (ISSUE, Told(None, "Issue.update", "ENG")),
        (
            {"action": "create", "type": "Comment", "data": {"issue": {"identifier": "OPS-9"}}},
            Told(None, "Comment.create", "OPS"),
        ),
        ({"action": "create", "type": "Comment", "data": {}}, Told(None, "Comment.create", "")),
        ({"action": "create", "type": "Project", "data": {}}, Told()),
        ({"type": "Issue", "action": "remove", "data": None}, Told(None, "Issue.remove", "")),
        ({"webhookTimestamp": 1_676_056_940_508}, Told(1_676_056_940.508)),
        ({"webhookTimestamp": "yesterday"}, Told()),
    ],
)
def test_linear_tells_which_teams_tickets_changed(payload: Any, expected: Told) -> None:
    assert told(payload) == expected


def test_of_each_provider_the_place_is_read_and_the_text_is_not() -> None:
    github = delivery("github", *of_github("s", commented()))
    assert (github.what, github.place, github.sent) == (
        "issue_comment.created",
        "acme/shop",
        None,
    )
    linear = delivery("linear", *of_linear("s", ISSUE, NOW))
    assert (linear.what, linear.place, linear.sent) == ("Issue.update", "ENG", NOW)
    slack = delivery("slack", *of_slack("s", MESSAGE, NOW))
    assert (slack.what, slack.place, slack.sent) == ("message", "C024BE91L", NOW)
    assert slack.key == "webhook:slack:Ev08MFMKH6"
    assert "instructions" not in repr(github)


def test_the_same_body_is_the_same_delivery_whatever_its_headers_say() -> None:
    once = delivery("github", *of_github("s", commented(), delivery="a"))
    again = delivery("github", *of_github("s", commented(), delivery="b"))
    other = delivery("github", *of_github("s", commented(comment=2), delivery="a"))
    assert once.key == again.key != other.key


def test_pings_challenges_and_other_news_have_no_place() -> None:
    ping = delivery("github", *of_github("s", {"zen": "Keep it simple.", "hook_id": 1}, "ping"))
    assert ping.ping
    assert not ping.place
    star = {"action": "created", "repository": {"full_name": "acme/shop"}}
    assert not delivery("github", *of_github("s", star, "star")).place
    asked = {"type": "url_verification", "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFX"}
    assert delivery("slack", *of_slack("s", asked, NOW)).challenge == asked["challenge"]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("github", b"not JSON"),
        ("github", b"[]"),
        ("github", b"[" * 100_000),
        ("github", json.dumps(commented(repository="acme/shop\n; rm")).encode()),
        ("slack", b'{"type": "url_verification", "challenge": "<script>"}'),
    ],
)
def test_what_can_not_be_read_is_refused(name: str, body: bytes) -> None:
    headers = {"x-github-event": "issue_comment", "x-slack-request-timestamp": str(int(NOW))}
    with pytest.raises(Unreadable):
        delivery(name, body, headers)


@pytest.mark.parametrize(
    ("name", "sent", "expected"),
    [
        ("slack", NOW - 300, None),
        ("slack", NOW - 540, 540.0),
        ("slack", NOW + 301, -301.0),
        ("linear", NOW - 60, None),
        ("linear", NOW - 61, 61.0),
        ("linear", None, float("inf")),
        ("github", None, None),
    ],
)
def test_a_delivery_may_be_as_old_as_its_provider_says(
    name: str, sent: float | None, expected: float | None
) -> None:
    assert skew(PROVIDERS[name], Delivery(sent=sent), NOW) == expected


READ = as_cursor({"C024BE91L": Read(seen="1")})


@pytest.mark.parametrize(
    ("name", "kind", "options", "cursor", "place", "expected"),
    [
        ("github", "github", {"repository": "acme/shop"}, "", "Acme/Shop", True),
        ("github", "github", {"repository": "acme/shop"}, "", "acme/other", False),
        ("github", "github", {"repository": "acme/shop", "export": "/x"}, "", "acme/shop", False),
        ("github", "slack", {"token": "env:X"}, "", "acme/shop", False),
        ("linear", "linear", {"token": "env:X", "team": "ENG"}, "", "ENG", True),
        ("linear", "linear", {"token": "env:X", "team": "ENG"}, "", "OPS", False),
        ("linear", "linear", {"token": "env:X", "team": "ENG"}, "", ANYWHERE, True),
        ("linear", "linear", {"token": "env:X"}, "", "OPS", True),
        ("linear", "linear", {"csv": "/x.csv"}, "", "OPS", False),
        ("slack", "slack", {"token": "env:X"}, READ, "C024BE91L", True),
        ("slack", "slack", {"token": "env:X"}, READ, "C0OTHER", False),
        ("slack", "slack", {"token": "env:X"}, "", "C0OTHER", True),
    ],
)
def test_a_delivery_is_for_the_sources_that_read_its_place(
    name: str, kind: str, options: dict[str, str], cursor: str, place: str, expected: bool
) -> None:
    assert concerns(PROVIDERS[name], kind, options, cursor, place) is expected
