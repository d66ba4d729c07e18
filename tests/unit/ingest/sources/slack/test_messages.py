from __future__ import annotations

from typing import Any

import pytest

from hermes.ingest.sources.slack.messages import Voice, message_of, state_of
from hermes.ingest.sources.slack.people import People

TS = "1732871234.001200"


def people() -> People:
    known = People()
    known.add({"id": "U1", "real_name": "Kim Noor"})
    known.add({"id": "UB", "real_name": "Deploys", "is_bot": True})
    return known


@pytest.mark.parametrize(
    ("fields", "voice"),
    [
        ({"user": "U1"}, Voice.PERSON),
        ({"user": "U9"}, Voice.PERSON),
        ({"user": "U1", "subtype": "file_share"}, Voice.PERSON),
        ({"user": "U1", "subtype": "me_message"}, Voice.PERSON),
        ({"user": "U1", "subtype": "thread_broadcast"}, Voice.PERSON),
        ({"user": "U1", "bot_id": "B1"}, Voice.PERSON),
        ({"user": "U9", "bot_id": "B1"}, Voice.PROGRAM),
        ({"user": "UB"}, Voice.PROGRAM),
        ({"subtype": "bot_message", "username": "alerts"}, Voice.PROGRAM),
        ({"bot_id": "B1"}, Voice.PROGRAM),
        ({"user": "USLACKBOT"}, Voice.NOBODY),
        ({"user": "U1", "subtype": "channel_join"}, Voice.NOBODY),
        ({"user": "U1", "subtype": "channel_topic"}, Voice.NOBODY),
        ({"user": "U1", "subtype": "something_new"}, Voice.NOBODY),
        ({"user": "USLACKBOT", "subtype": "tombstone", "hidden": True}, Voice.NOBODY),
        ({}, Voice.NOBODY),
        ({"user": None, "text": 7}, Voice.NOBODY),
    ],
)
def test_what_people_say_is_told_from_programs_and_notices(
    fields: dict[str, Any], voice: Voice
) -> None:
    message = message_of({"type": "message", "ts": TS, **fields}, people())
    assert message is not None
    assert message.voice is voice


@pytest.mark.parametrize(
    "fields",
    [{}, {"ts": ""}, {"ts": "yesterday"}, {"ts": True}, {"ts": None}, {"ts": TS, "type": "file"}],
)
def test_what_has_no_time_is_no_message(fields: dict[str, Any]) -> None:
    assert message_of({"user": "U1", "text": "hello", **fields}, people()) is None


def test_a_time_that_an_exporter_wrote_as_a_number_is_the_same_time() -> None:
    message = message_of({"user": "U1", "ts": 1732871234.0012}, people())
    assert message is not None
    assert message.ts == TS


def test_an_edit_says_the_new_and_a_deletion_nothing() -> None:
    said = {"type": "message", "user": "U1", "text": "old", "ts": TS}
    later = "1732871300.000000"
    changed = state_of(
        {
            "type": "message",
            "subtype": "message_changed",
            "hidden": True,
            "ts": later,
            "message": {**said, "text": "new", "edited": {"user": "U1", "ts": later}},
            "previous_message": said,
        },
        people(),
    )
    deleted = state_of(
        {
            "type": "message",
            "subtype": "message_deleted",
            "hidden": True,
            "ts": later,
            "deleted_ts": TS,
            "previous_message": {**said, "thread_ts": "1732871000.000000"},
        },
        people(),
    )
    assert changed is not None and deleted is not None
    assert (changed[0].ts, changed[0].text, changed[1]) == (TS, "new", later)
    assert (deleted[0].ts, deleted[0].voice, deleted[0].text) == (TS, Voice.NOBODY, "")
    assert deleted[0].thread == "1732871000.000000"


def test_a_program_that_was_answered_says_what_its_attachments_say() -> None:
    alert = message_of(
        {
            "type": "message",
            "subtype": "bot_message",
            "bot_id": "B1",
            "username": "alerts",
            "ts": TS,
            "attachments": [
                {"title": "p99 high", "text": "at 900 ms", "fallback": "p99"},
                {"fallback": "see the runbook"},
            ],
        },
        people(),
    )
    assert alert is not None
    assert (alert.user, alert.text) == ("alerts", "p99 high\nat 900 ms\nsee the runbook")
