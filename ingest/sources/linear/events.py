"""What a delivery of a Linear webhook says has changed (linear.app/developers/webhooks)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..github.fields import Json, inner, text

EVENTS = ("Issue", "Comment", "Attachment")
"""The types that a webhook is to be given; others say nothing about tickets."""

_KEY = re.compile(r"([A-Z][A-Z0-9]{0,19})-[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Told:
    """What a delivery tells."""

    sent: float | None = None
    """When it was sent, in seconds since 1970; None if it does not say, which Linear's always do."""
    what: str = ""
    """``Issue.update``; empty where it is about no ticket."""
    team: str = ""
    """The key of the ticket's team; empty where it is not told."""


def told(payload: Json) -> Told:
    """Return what has changed, to be fetched again: a delivery holds only a part of it."""
    moment = payload.get("webhookTimestamp")
    sent = moment / 1_000 if isinstance(moment, int | float) else None
    kind, action = text(payload, "type"), text(payload, "action")
    if kind not in EVENTS:
        return Told(sent)
    data = inner(payload, "data")
    issue = data if kind == "Issue" else inner(data, "issue")
    key = _KEY.fullmatch(text(issue, "identifier"))
    team = text(inner(issue, "team"), "key") or (key[1] if key else "")
    return Told(sent, f"{kind}.{action}", team)
