"""What a delivery of Slack's Events API says has changed (docs.slack.dev/apis/events-api)."""

from __future__ import annotations

from dataclasses import dataclass

from .fields import Row, row, text
from .items import ref_of
from .messages import Voice, state_of
from .people import People

EVENTS = ("message.channels", "message.groups", "message.im", "message.mpim")
"""The events that an app is to subscribe to; of private talk only where it is to be read."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a delivery tells."""

    challenge: str = ""
    """To be answered as it is: Slack asks whether the address is right (``url_verification``)."""
    delivery: str = ""
    """The delivery's own id, the same when it is delivered again."""
    channel: str = ""
    """Where something changed; empty where the delivery is about no message that is read."""
    thread: str = ""
    """The ``ts`` of the thread, or of the message that stands alone."""
    gone: tuple[str, ...] = ()
    """References that lead to nothing any more: a message that stood alone was deleted."""


def told(payload: Row) -> Told:
    """Return what has changed, to be read again: a delivery holds one message, and what is kept is
    the discussion that it belongs to.

    What programs say, and notices, change nothing, unless they answer in a thread or are answered.
    """
    if text(payload, "type") == "url_verification":
        return Told(challenge=text(payload, "challenge"))
    event = row(payload, "event")
    channel = text(event, "channel")
    state = state_of(event, People()) if text(event, "type") == "message" else None
    if text(payload, "type") != "event_callback" or not channel or state is None:
        return Told()
    message = state[0]
    deleted = text(event, "subtype") == "message_deleted"
    # A tombstone, for one, is what is left of a question that was answered.
    counts = message.voice is Voice.PERSON or message.is_answer or message.answered
    if not (counts or deleted):
        return Told()
    lost = deleted and not message.is_answer
    return Told(
        delivery=text(payload, "event_id"),
        channel=channel,
        thread=message.thread,
        gone=(ref_of(channel, message.ts),) if lost else (),
    )
