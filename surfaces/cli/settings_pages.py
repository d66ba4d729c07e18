"""What is written about the settings, made from the model: sample, document, explanations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo

from ...daemon import settings
from .text import wrap

WIDTH = 92
PLAIN = ("text", "true or false", "a list", "a table", "a folder")
"""What needs no word beside its default."""

INTRODUCTION = """\
# Configuration

Every setting has a default: no file is needed. This page is made from the settings model.

The file is TOML. `hermes config path` says where it is, `hermes config edit` opens it and checks it
afterwards, `hermes config set KEY VALUE` changes one setting and keeps your comments, and
`hermes config show` tells where each value comes from.

A value is looked for in the environment (`HERMES_AMBIENT_<SECTION>__<KEY>`), then in the file, then
here. Keys and variables that don't exist are errors, and all errors are told at once. No `.env` file
is ever read. A running hermes takes changes on when it is started again.

`HERMES_AMBIENT_HOME` moves everything (this file, memory, log, socket) into one folder.
"""


def facts(key: str) -> dict[str, str]:
    """Return what is known of ``section.key``: description, takes, default, variable."""
    section, _, name = key.partition(".")
    model = settings.sections()[section]
    field = model.model_fields[name]
    return {
        "description": field.description or "",
        "takes": _takes(field),
        "default": _toml(field.get_default(call_default_factory=True)),
        "variable": settings.variable(key),
    }


def sample() -> str:
    """Return a settings file with every setting, commented out, at its default."""
    lines = ["# hermes: every setting at its default. Take away a # to change one.", ""]
    for section, model in settings.sections().items():
        lines += [f"# {line}" for line in wrap(model.__doc__ or "", WIDTH)]
        lines += [f"[{section}]"]
        for name in model.model_fields:
            found = facts(f"{section}.{name}")
            lines += [f"# {line}" for line in wrap(found["description"], WIDTH)]
            if found["takes"] not in PLAIN:
                lines.append(f"# takes {found['takes']}")
            lines.append(f"#{name} = {found['default']}")
        lines.append("")
    return "\n".join(lines)


def document() -> str:
    """Return docs/configuration.md."""
    parts = [INTRODUCTION]
    for section, model in settings.sections().items():
        parts += [f"## [{section}]", "", model.__doc__ or "", ""]
        for name in model.model_fields:
            found = facts(f"{section}.{name}")
            parts += [
                f"### {section}.{name}",
                "",
                *wrap(found["description"], 100),
                "",
                f"- takes {found['takes']}",
                f"- default `{found['default']}`",
                f"- variable `{found['variable']}`",
                "",
            ]
    parts += ["## Sample", "", "```toml", sample().rstrip(), "```", ""]
    return "\n".join(parts)


def _takes(field: FieldInfo) -> str:
    if words := settings.choices(field.annotation):
        return "one of " + ", ".join(words)
    lowest, highest = _bound(field, "ge", "gt"), _bound(field, "le", "lt")
    kinds: dict[Any, str] = {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "text",
    }
    kind = kinds.get(field.annotation, "")
    if not kind:
        held = {field.annotation, *get_args(field.annotation)}
        listed = get_origin(field.annotation) in (tuple, list)
        kind = "a folder" if Path in held else "a list" if listed else "a table"
    if lowest and highest:
        return f"{kind} from {lowest} to {highest}"
    return f"{kind}, at least {lowest}" if lowest else kind


def _bound(field: FieldInfo, *names: str) -> str:
    found = (getattr(rule, name, None) for rule in field.metadata for name in names)
    return next((f"{value:,}" for value in found if value is not None), "")


def _toml(value: object) -> str:
    if value is None:
        return '""'
    if isinstance(value, dict):
        return "{}" if not value else json.dumps(value)
    if isinstance(value, tuple):
        return "[]" if not value else json.dumps(value)
    return json.dumps(value)
