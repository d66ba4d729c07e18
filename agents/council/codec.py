"""The council's records as JSON and back: the same record is the same text, to the byte."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from ...memory.errors import HermesError

Record = TypeVar("Record")


class NotARecord(HermesError):
    """A stored text does not hold what it should."""

    code = "council_damaged"

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"this is no {kind}: {reason}")


def to_json(record: object) -> str:
    """Return a record as one line of JSON with sorted keys."""
    plain = _adapter(type(record)).dump_python(record, mode="json")
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def from_json(kind: type[Record], text: str) -> Record:
    """Return the record that a text holds. Raise NotARecord."""
    try:
        record: Record = _adapter(kind).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise NotARecord(kind.__name__, f"{where}: {first['msg']}") from error
    return record


_adapters: dict[type, TypeAdapter[Any]] = {}
"""Each takes milliseconds to make."""


def _adapter(kind: type) -> TypeAdapter[Any]:
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]
