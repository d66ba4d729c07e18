from __future__ import annotations

from typing import Any

import pytest

from hermes.ingest.sources.slack.events import Told, told
from hermes.ingest.sources.slack.signature import WINDOW, is_signed

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
TIMESTAMP = "1531420618"
BODY = (
    b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow"
    b"&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner"
    b"&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands"
    b"%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
    b"&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
)
SIGNATURE = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
"""The example of Slack's documentation."""
NOW = 1_531_420_618.0


def test_the_signature_of_the_documentation_is_right() -> None:
    assert is_signed(SECRET, BODY, TIMESTAMP, SIGNATURE, NOW)
    assert is_signed(SECRET, BODY, TIMESTAMP, SIGNATURE, NOW + WINDOW)
    assert is_signed(SECRET, BODY, TIMESTAMP, SIGNATURE, NOW - WINDOW)


@pytest.mark.parametrize(
    ("secret", "body", "timestamp", "signature", "now"),
    [
        (SECRET, BODY + b"&", TIMESTAMP, SIGNATURE, NOW),
        ("another", BODY, TIMESTAMP, SIGNATURE, NOW),
        ("", BODY, TIMESTAMP, SIGNATURE, NOW),
        (SECRET, BODY, "1531420619", SIGNATURE, NOW),
        (SECRET, BODY, TIMESTAMP, SIGNATURE.removeprefix("v0="), NOW),
        (SECRET, BODY, TIMESTAMP, SIGNATURE[:-1], NOW),
        (SECRET, BODY, TIMESTAMP, "", NOW),
        (SECRET, BODY, TIMESTAMP, "v0=é", NOW),
        (SECRET, BODY, "", SIGNATURE, NOW),
        (SECRET, BODY, "soon", SIGNATURE, NOW),
        (SECRET, BODY, "9" * 5_000, SIGNATURE, NOW),
        (SECRET, BODY, "١٥٣١٤٢٠٦١٨", SIGNATURE, NOW),
        (SECRET, BODY, TIMESTAMP, SIGNATURE, NOW + WINDOW + 1),
        (SECRET, BODY, TIMESTAMP, SIGNATURE, NOW - WINDOW - 1),
    ],
)
def test_any_other_signature_is_wrong_and_an_old_one_too(
    secret: str, body: bytes, timestamp: str, signature: str, now: float
) -> None:
    assert not is_signed(secret, body, timestamp, signature, now)


ROOT, ANSWER, LATER = "1355517523.000005", "1355517600.000100", "1355517700.000200"
SAID: dict[str, Any] = {"type": "message", "user": "U1", "text": "Hello", "ts": ROOT}
HERE: dict[str, Any] = {"channel": "C1", "channel_type": "channel", "event_ts": LATER}


@pytest.mark.parametrize(
    ("event", "thread", "gone"),
    [
        ({**SAID}, ROOT, ()),
        ({**SAID, "ts": ANSWER, "thread_ts": ROOT}, ROOT, ()),
        ({**SAID, "ts": ANSWER, "thread_ts": ROOT, "bot_id": "B1", "user": "UB"}, ROOT, ()),
        (
            {
                "type": "message",
                "subtype": "message_changed",
                "hidden": True,
                "ts": LATER,
                "message": {**SAID, "text": "Hi", "edited": {"user": "U1", "ts": LATER}},
                "previous_message": SAID,
            },
            ROOT,
            (),
        ),
        (
            {
                "type": "message",
                "subtype": "message_deleted",
                "hidden": True,
                "ts": LATER,
                "deleted_ts": ROOT,
                "previous_message": SAID,
            },
            ROOT,
            (f"slack:C1/{ROOT}",),
        ),
        (
            {
                "type": "message",
                "subtype": "message_deleted",
                "hidden": True,
                "ts": LATER,
                "deleted_ts": ANSWER,
                "previous_message": {**SAID, "ts": ANSWER, "thread_ts": ROOT},
            },
            ROOT,
            (),
        ),
        (
            {
                "type": "message",
                "subtype": "message_changed",
                "hidden": True,
                "ts": LATER,
                "message": {
                    "type": "message",
                    "subtype": "tombstone",
                    "text": "This message was deleted.",
                    "user": "USLACKBOT",
                    "hidden": True,
                    "thread_ts": ROOT,
                    "reply_count": 2,
                    "ts": ROOT,
                },
                "previous_message": SAID,
            },
            ROOT,
            (),
        ),
    ],
)
def test_a_delivery_tells_which_discussion_is_to_be_read_again(
    event: dict[str, Any], thread: str, gone: tuple[str, ...]
) -> None:
    payload = {"type": "event_callback", "event_id": "Ev1", "event": event | HERE}
    assert told(payload) == Told(delivery="Ev1", channel="C1", thread=thread, gone=gone)


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"type": "event_callback"},
        {"type": "event_callback", "event": 7},
        {"type": "event_callback", "event": {"type": "reaction_added", "channel": "C1"}},
        {"type": "event_callback", "event": {**SAID}},
        {"type": "event_callback", "event": {**SAID, **HERE, "subtype": "channel_join"}},
        {"type": "event_callback", "event": {**SAID, **HERE, "subtype": "bot_message"}},
        {"type": "event_callback", "event": {**HERE, "type": "message", "ts": "soon"}},
        {"type": "app_rate_limited", "event": {**SAID, **HERE}},
    ],
)
def test_what_changes_nothing_tells_nothing(payload: dict[str, Any]) -> None:
    assert told(payload) == Told()


def test_slacks_question_whether_the_address_is_right_is_answered() -> None:
    asked = {"token": "x", "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3", "type": "url_verification"}
    assert told(asked) == Told(challenge="3eZbrw1aBm2rZgRNFdxV2595E9CY3")
