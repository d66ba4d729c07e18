"""Reads values out of JSON that may lack any of them, or have them under one of two names.

GitHub's REST API says ``created_at``, its command line ``createdAt``; whatever is missing, null or
of another type reads as empty, so that one odd record never takes the others with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import cast

Json = Mapping[str, object]
"""A JSON object."""


def as_object(value: object) -> Json:
    """Return a JSON object; an empty one for anything else."""
    return cast(Json, value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """Return a JSON list; an empty one for anything else."""
    return cast("list[object]", value) if isinstance(value, list) else []


def objects(value: object) -> list[Json]:
    """Return the objects of a JSON list; also of ``{"nodes": […]}``, as GraphQL has them."""
    listed = as_list(value) or as_list(as_object(value).get("nodes"))
    return [found for each in listed if (found := as_object(each))]


def text(data: Json, *names: str) -> str:
    """Return the first of these fields that is text and not empty."""
    for name in names:
        value = data.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def number(data: Json, *names: str) -> int | None:
    """Return the first of these fields that is a whole number."""
    for name in names:
        value = data.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def truth(data: Json, *names: str) -> bool:
    """Return whether one of these fields is true."""
    return any(data.get(name) is True for name in names)


def inner(data: Json, *names: str) -> Json:
    """Return the first of these fields that is an object and not empty."""
    found = (as_object(data.get(name)) for name in names)
    return next((each for each in found if each), as_object(None))


def many(data: Json, *names: str) -> list[Json]:
    """Return the objects of the first of these fields that is a list and not empty."""
    found = (objects(data.get(name)) for name in names)
    return next((each for each in found if each), objects(None))


def moment(data: Json, *names: str) -> int | None:
    """Return the first of these fields that is a time, ``2026-03-12T10:04:11Z``, in seconds.

    The command line writes the year 1 where there is no time.
    """
    for name in names:
        at = seconds(text(data, name))
        if at is not None:
            return at
    return None


def seconds(said: str) -> int | None:
    """Return a time in seconds; None if it is none, or none that can be."""
    try:
        at = datetime.fromisoformat(said)
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        return max(int(at.timestamp()), 0) or None
    except (ValueError, OverflowError):
        return None
