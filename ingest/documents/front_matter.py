"""What a document says of itself before it begins: YAML between ``---``, TOML between ``+++``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import cast

FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
"""YAML at the top of a text."""
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)\n\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^([A-Za-z][\w .-]{0,40}?)[ \t]*:(?:[ \t]+(.*))?$")
_ENTRY = re.compile(r"^\s*-\s+(.*)$")

Fields = Mapping[str, tuple[str, ...]]
"""Names in lower case, each with what it was given: one value, or those of a list."""


def split(text: str) -> tuple[Fields, str]:
    """Return the fields at the top of a text, and the text without them.

    Of YAML only plain values and lists of them are read; what is nested is passed over.
    """
    if found := FRONT_MATTER.match(text):
        return _yaml(found[0]), text[found.end() :]
    if found := _TOML.match(text):
        return _toml(found[1]), text[found.end() :]
    return {}, text


def _yaml(text: str) -> Fields:
    fields: dict[str, tuple[str, ...]] = {}
    name = ""
    for line in text.splitlines()[1:-1]:
        if (entry := _ENTRY.match(line)) and name:
            fields[name] = (*fields[name], _plain(entry[1]))
        elif field := _FIELD.match(line):
            name = field[1].lower()
            fields[name] = _values(field[2] or "")
        elif line.strip() and not line.startswith("#"):
            name = ""
    return {name: values for name, values in fields.items() if values}


def _values(text: str) -> tuple[str, ...]:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return tuple(each for part in text[1:-1].split(",") if (each := _plain(part)))
    return (plain,) if (plain := _plain(text)) else ()


def _plain(text: str) -> str:
    text = text.strip()
    if text[:1] in "\"'" and text[:1] == text[-1:] and len(text) > 1:
        return text[1:-1]
    return re.sub(r"\s+#.*$", "", text).strip()


def _toml(text: str) -> Fields:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}
    return {
        name.lower(): tuple(str(each) for each in cast("list[object]", value))
        if isinstance(value, list)
        else (str(value),)
        for name, value in data.items()
        if value and not isinstance(value, dict)
    }
