"""Deliveries of webhooks: whether one is the provider's own and of now, and what it tells.

All that is read of a payload is where something changed. The source is then read as at any other
time, so that what a delivery says about it is never stored, and nobody is obeyed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .github import events as github
from .github import signature as github_signature
from .github.fields import Json, as_object, text
from .linear import events as linear
from .linear import signature as linear_signature
from .slack import events as slack
from .slack import signature as slack_signature
from .slack.state import read_cursor

ANYWHERE = "*"
"""The place of a delivery that does not tell which team's it is."""
_PLACE = re.compile(r"[\w./-]{1,200}|\*", re.ASCII)
_WHAT = re.compile(r"[\w.]{1,100}", re.ASCII)
_CHALLENGE = re.compile(r"[\w=+/.-]{1,300}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Request:
    """What came to a provider's address."""

    headers: Mapping[str, str]
    """By lower-case names."""
    body: bytes
    at: float
    """When, in seconds since 1970."""

    def header(self, name: str) -> str:
        """Return a header's value; empty without it."""
        return self.headers.get(name.lower(), "")


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a delivery tells, once its signature was found right."""

    what: str = ""
    """The provider's own name for it: ``issue_comment.created``."""
    place: str = ""
    """``acme/shop``, a team's key, a channel's id; empty if nothing changed that is read."""
    key: str = ""
    """The same when it is delivered again."""
    sent: float | None = None
    """When it was sent, where the provider signs that."""
    challenge: str = ""
    """To be sent back: the provider asks whether the address is right."""
    ping: bool = False
    """It says that it was set up."""


@dataclass(frozen=True, slots=True)
class Provider:
    """One service that sends deliveries."""

    name: str
    title: str
    events: tuple[str, ...]
    """What it is to be told to send."""
    signature: str
    """The header that has it."""
    most_bytes: int
    """Of a delivery."""
    window: int | None
    """Seconds that a delivery may be old; None where it signs no time."""
    own_secret: bool
    """The provider makes the secret; else we do."""
    is_signed: Callable[[str, Request], bool]
    """Given the secret, whenever it was sent. In constant time."""
    read: Callable[[Request, Json], Delivery]
    covers: Callable[[Mapping[str, Any], str, str], bool]
    """Given a source's options, its cursor and a place, whether it reads that."""


class Unreadable(Exception):
    """A delivery that was signed is not what it should be; the text says why."""


def read(provider: Provider, request: Request) -> Delivery:
    """Return what a delivery tells whose signature is right. Raise Unreadable."""
    try:
        found: object = json.loads(request.body)
    except (ValueError, RecursionError):
        raise Unreadable("it is not JSON") from None
    payload = as_object(found)
    if not payload:
        raise Unreadable("it is not a JSON object")
    told = provider.read(request, payload)
    if told.place and not _PLACE.fullmatch(told.place):
        raise Unreadable("the place that it names is none")
    what = told.what if _WHAT.fullmatch(told.what) else ""
    return Delivery(
        what,
        told.place,
        f"webhook:{provider.name}:{told.key or hashlib.sha256(request.body).hexdigest()}",
        told.sent,
        told.challenge,
        told.ping,
    )


def skew(provider: Provider, delivery: Delivery, now: float) -> float | None:
    """Return by how many seconds a delivery is older than it may be, or from the future: its whole
    distance from now. None if it is of now, or its provider signs no time."""
    if provider.window is None:
        return None
    if delivery.sent is None:
        return float("inf")
    distance = now - delivery.sent
    return distance if abs(distance) > provider.window else None


def concerns(
    provider: Provider, kind: str, options: Mapping[str, Any], cursor: str, place: str
) -> bool:
    """Say whether a source reads what a delivery is about. One that is read from a file does not: a
    delivery makes no newer file."""
    if kind != provider.name or options.get("export") or options.get("csv"):
        return False
    return place == ANYWHERE or provider.covers(options, cursor, place)


# GitHub: docs.github.com/webhooks. The signature is of the body alone, so a body that comes again is
# the same delivery, whatever its headers say.


def _github_signed(secret: str, request: Request) -> bool:
    signature = request.header(github_signature.HEADER)
    return github_signature.is_signed(secret, request.body, signature)


def _github_read(request: Request, payload: Json) -> Delivery:
    event = request.header(github.HEADER)
    told = github.told(event, payload)
    action = text(payload, "action")
    what = f"{event}.{action}" if action else event
    return Delivery(what, told.repository, ping=event == "ping")


def _github_covers(options: Mapping[str, Any], cursor: str, place: str) -> bool:
    return str(options.get("repository", "")).lower() == place.lower()


# Slack: docs.slack.dev/apis/events-api. Signed are the body and the time.


def _slack_signed(secret: str, request: Request) -> bool:
    moment = request.header(slack_signature.TIMESTAMP)
    sent = float(moment) if moment.isascii() and moment.isdecimal() and len(moment) <= 12 else 0.0
    signature = request.header(slack_signature.HEADER)
    return slack_signature.is_signed(secret, request.body, moment, signature, sent)


def _slack_read(request: Request, payload: Json) -> Delivery:
    told = slack.told(payload)
    sent = float(request.header(slack_signature.TIMESTAMP))
    if told.challenge:
        if not _CHALLENGE.fullmatch(told.challenge):
            raise Unreadable("its challenge is none that Slack sends")
        return Delivery("url_verification", sent=sent, challenge=told.challenge)
    what = text(as_object(payload.get("event")), "type") or text(payload, "type")
    return Delivery(what, told.channel, told.delivery, sent)


def _slack_covers(options: Mapping[str, Any], cursor: str, place: str) -> bool:
    # Channels are named by people and numbered by Slack; which those are is known once it was read.
    read_before = read_cursor(cursor)
    return not read_before or place in read_before


# Linear: linear.app/developers/webhooks. Signed is the body, and the time is in it.


def _linear_signed(secret: str, request: Request) -> bool:
    signature = request.header(linear_signature.HEADER)
    return linear_signature.is_signed(secret, request.body, signature)


def _linear_read(request: Request, payload: Json) -> Delivery:
    told = linear.told(payload)
    place = (told.team or ANYWHERE) if told.what else ""
    return Delivery(told.what or text(payload, "type"), place, sent=told.sent)


def _linear_covers(options: Mapping[str, Any], cursor: str, place: str) -> bool:
    return str(options.get("team") or place).upper() == place.upper()


PROVIDERS: Mapping[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider(
            "github",
            "GitHub",
            github.EVENTS,
            github_signature.HEADER,
            25_000_000,  # GitHub sends no larger ones
            None,
            False,
            _github_signed,
            _github_read,
            _github_covers,
        ),
        Provider(
            "linear",
            "Linear",
            linear.EVENTS,
            linear_signature.HEADER,
            5_000_000,
            linear_signature.WINDOW,
            True,
            _linear_signed,
            _linear_read,
            _linear_covers,
        ),
        Provider(
            "slack",
            "Slack",
            slack.EVENTS,
            slack_signature.HEADER,
            1_000_000,
            slack_signature.WINDOW,
            True,
            _slack_signed,
            _slack_read,
            _slack_covers,
        ),
    )
}
