"""Whether a delivery comes from Slack, and not from yesterday (docs.slack.dev/authentication/
verifying-requests-from-slack)."""

from __future__ import annotations

import hashlib
import hmac

HEADER = "X-Slack-Signature"
TIMESTAMP = "X-Slack-Request-Timestamp"
WINDOW = 300
"""Seconds that a delivery may be old, or a clock may go wrong."""
_VERSION = "v0"


def is_signed(secret: str, body: bytes, timestamp: str, signature: str, now: float) -> bool:
    """Whether ``signature`` is that of the body and the ``timestamp``, both headers' values, with
    the app's signing secret, and the delivery is of about ``now``.

    Takes as long for a wrong one as for a right one. Nothing is signed with an empty secret.
    """
    if not secret or not signature.isascii():
        return False
    if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= 12):
        return False
    signed = f"{_VERSION}:{timestamp}:".encode() + body
    due = f"{_VERSION}=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return hmac.compare_digest(due, signature) and abs(now - int(timestamp)) <= WINDOW
