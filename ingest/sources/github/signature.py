"""Whether a delivery was signed with the secret that its webhook was given."""

from __future__ import annotations

import hashlib
import hmac

HEADER = "X-Hub-Signature-256"
_PREFIX = "sha256="


def is_signed(secret: str, body: bytes, signature: str) -> bool:
    """Whether ``signature``, the header's value, is the body's HMAC-SHA-256 with the secret.

    Takes as long for a wrong one as for a right one. Nothing is signed with an empty secret.
    """
    if not secret or not signature.isascii():
        return False
    due = _PREFIX + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(due, signature)
