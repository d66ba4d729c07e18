"""Whether a delivery comes from Linear, and not from yesterday (linear.app/developers/webhooks)."""

from __future__ import annotations

import hashlib
import hmac

HEADER = "Linear-Signature"
WINDOW = 60
"""Seconds that a delivery may be old, or a clock may go wrong."""


def is_signed(secret: str, body: bytes, signature: str) -> bool:
    """Whether ``signature``, the header's value, is the body's HMAC-SHA-256 with the webhook's
    signing secret.

    Takes as long for a wrong one as for a right one. Nothing is signed with an empty secret.
    """
    if not secret or not signature.isascii():
        return False
    due = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(due, signature)
