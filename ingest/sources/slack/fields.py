"""Reading fields of JSON that somebody else wrote: of another type, or missing, they are empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

Row = Mapping[str, object]
"""A JSON object."""


def as_row(value: object) -> Row:
    """Return the value where it is an object, else an empty one."""
    return cast(Row, value) if isinstance(value, dict) else {}


def text(row: Row, *names: str) -> str:
    """Return the first of these fields that is a text and not blank."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def row(of: Row, name: str) -> Row:
    """Return a field that is an object."""
    return as_row(of.get(name))


def rows(of: Row, name: str) -> list[Row]:
    """Return the objects of a field that is a list."""
    return list_of_rows(of.get(name))


def list_of_rows(value: object) -> list[Row]:
    """Return the objects of a value where it is a list."""
    if not isinstance(value, list):
        return []
    return [cast(Row, each) for each in cast(list[object], value) if isinstance(each, dict)]


def texts(of: Row, name: str) -> list[str]:
    """Return the texts of a field that is a list."""
    value = of.get(name)
    if not isinstance(value, list):
        return []
    return [each for each in cast(list[object], value) if isinstance(each, str)]


def number(of: Row, name: str) -> int:
    """Return a field that is a whole number; 0 where it is none."""
    value = of.get(name)
    return value if isinstance(value, int) else 0


def flag(of: Row, name: str) -> bool:
    """Return whether a field is true."""
    return of.get(name) is True
