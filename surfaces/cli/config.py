"""``hermes config``: shows, explains and changes the settings."""

from __future__ import annotations

import argparse
import json
import os
from typing import TYPE_CHECKING, Any

from ...daemon import settings
from ...daemon.paths import locate
from . import exits, settings_file, settings_pages
from .commands import add_json
from .scope import WrongUse
from .text import wrap

if TYPE_CHECKING:
    from pathlib import Path

    from .output import Output

ACTIONS = {
    "show": ("", "every setting, and where its value comes from; the default"),
    "path": ("", "where the file is"),
    "set": ("KEY VALUE", "change one: hermes config set models.model hermes3:3b"),
    "edit": ("", "open the file in $VISUAL or $EDITOR, and check it afterwards"),
    "explain": ("[KEY]", "what a setting means, a section of them, or all"),
}
SECRET = ("secret", "key", "token", "password")


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the actions of ``config``."""
    parser.usage = "hermes config [show|path|set KEY VALUE|edit|explain [KEY]] [options]"
    parser.set_defaults(action="show")
    actions = parser.add_subparsers(
        dest="action", metavar="ACTION", help="what to do", prog="hermes config"
    )
    for action, (words, summary) in ACTIONS.items():
        command = actions.add_parser(
            action,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            usage=f"hermes config {action} {words}".rstrip(),
            allow_abbrev=False,
        )
        for word in words.split():
            name = word.strip("[]")
            command.add_argument(
                name.lower(),
                metavar=name,
                nargs="?" if name != word else None,
                help="such as models.model" if name == "KEY" else "the new value",
            )
        add_json(command)


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what is asked."""
    file = locate().config_file
    match args.action:
        case "path":
            return _path(file, out)
        case "set":
            return _set(file, args.key, args.value, out)
        case "edit":
            return settings_file.edit(file, out)
        case "explain":
            return _explain(file, args.key, out)
        case _:
            return _show(file, out)


def _path(file: Path, out: Output) -> int:
    if out.as_json:
        out.emit({"path": str(file), "exists": file.exists()})
        return exits.DONE
    out.line(str(file))
    if not file.exists():
        out.say("it does not exist yet, so the defaults hold; `hermes config edit` makes it", "dim")
    return exits.DONE


def _show(file: Path, out: Output) -> int:
    found = settings.load(file)
    text = settings_file.read(file)
    rows = [(key, value_of(found, key), _origin(key, text, file)) for key in settings.all_keys()]
    if out.as_json:
        shown = {key: {"value": value, "from": origin} for key, value, origin in rows}
        out.emit({"file": str(file), "settings": shown})
        return exits.DONE
    left = max(len(key.partition(".")[2]) for key, _, _ in rows)
    middle = max(len(_shown(value)) for _, value, _ in rows)
    section = ""
    for key, value, origin in rows:
        name, _, field = key.partition(".")
        if name != section:
            out.line(("" if not section else "\n") + out.out.style(f"[{name}]", "bold"))
            section = name
        style = "dim" if origin == "default" else "green"
        line = f"{field.ljust(left)} = {_shown(value)}"
        if len(line) + len(origin) + 4 <= out.out.width or not out.out.terminal:
            gap = " " * (left + 3 + min(middle, 30) + 2 - len(line))
            out.line(line + (gap or "  ") + out.out.style(f"# {origin}", style))
        else:
            out.line(line)
            out.line(out.out.style(f"    # {origin}", style))
    return exits.DONE


def value_of(found: settings.Settings, key: str) -> Any:
    """Return a setting as plain data; what looks like a secret is not told."""
    section, _, name = key.partition(".")
    value: Any = getattr(found, section).model_dump(mode="json")[name]
    if key == "store.storage_options":
        return {k: "…" if _is_secret(k) else v for k, v in value.items()}
    return value


def _is_secret(name: str) -> bool:
    return any(word in name.lower() for word in SECRET)


def _shown(value: object) -> str:
    return '""' if value is None else json.dumps(value, ensure_ascii=False)


def _origin(key: str, text: str, file: Path) -> str:
    name = settings.variable(key)
    for variable in os.environ:
        if variable.upper() == name or variable.upper().startswith(name + "__"):
            return variable
    line = settings.line_of(text, key)
    return f"{file.name}:{line}" if line else "default"


def _set(file: Path, key: str, value: str, out: Output) -> int:
    known = settings.all_keys()
    if key not in known:
        raise WrongUse(
            f"no setting is called {key}{settings.nearest(key, known)}",
            hint="`hermes config show` lists them",
        )
    stored = settings_file.put(file, key, value)
    if out.as_json:
        out.emit({"file": str(file), "key": key, "value": stored})
    out.say(f"{key} = {_shown(stored)}, in {file}")
    if settings.variable(key) in {name.upper() for name in os.environ}:
        out.say(f"{settings.variable(key)} is set and goes first", "yellow")
    out.say("a running hermes takes it on with `hermes down` and `hermes up`", "dim")
    return exits.DONE


def _explain(file: Path, key: str | None, out: Output) -> int:
    wanted = [known for known in settings.all_keys() if _is_meant(known, key)]
    if not wanted:
        raise WrongUse(
            f"no setting is called {key}"
            f"{settings.nearest(key or '', [*settings.all_keys(), *settings.sections()])}",
            hint="`hermes config explain` alone explains all",
        )
    if out.as_json:
        out.emit({known: settings_pages.facts(known) for known in wanted})
        return exits.DONE
    for number, known in enumerate(wanted):
        facts = settings_pages.facts(known)
        out.line(("\n" if number else "") + out.out.style(known, "bold"))
        width = out.out.width - 2 if out.out.terminal else 0
        for line in wrap(facts["description"], width):
            out.line(f"  {line}")
        for name in ("takes", "default", "variable"):
            out.line(f"  {out.out.style(name, 'dim')} {facts[name]}")
    return exits.DONE


def _is_meant(known: str, key: str | None) -> bool:
    return key is None or key in (known, known.partition(".")[0], known.partition(".")[2])
