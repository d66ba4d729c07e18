"""What a delivery of a webhook says has changed."""

from __future__ import annotations

from dataclasses import dataclass

from .bundle import Place
from .fields import Json, inner, number, text

EVENTS = (
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "issue_comment",
    "issues",
)
"""The events that a webhook is to be given; others say nothing about issues and pull requests."""
HEADER = "X-GitHub-Event"


@dataclass(frozen=True, slots=True)
class Told:
    """What a delivery tells."""

    repository: str = ""
    """``acme/shop``."""
    number: int = 0
    """Which issue or pull request changed; 0 where the delivery is about none."""
    gone: tuple[str, ...] = ()
    """References of what is not there any more."""


def told(event: str, payload: Json) -> Told:
    """Return what has changed, to be fetched again: a delivery holds only a part of it.

    An issue that was deleted, or moved to another repository, is gone at once.
    """
    if event not in EVENTS:
        return Told()
    repository = text(inner(payload, "repository"), "full_name")
    which = number(inner(payload, "pull_request", "issue"), "number")
    if not repository or which is None or which < 1:
        return Told()
    lost = event == "issues" and text(payload, "action") in ("deleted", "transferred")
    return Told(repository, which, (Place(repository).ref(which),) if lost else ())
