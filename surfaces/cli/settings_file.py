"""Changes the settings file: comments stay, nothing invalid is written, never half a file."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomlkit
from pydantic import ValidationError
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from ...daemon import settings
from ...daemon.paths import make_private
from ...memory.errors import HermesError
from . import exits, settings_pages

if TYPE_CHECKING:
    from .output import Output


class NotWritten(HermesError):
    """The file can't be written."""

    code = "not_written"


class NoEditor(HermesError):
    """There is nothing to edit the file with."""

    code = "no_editor"


def read(file: Path) -> str:
    """Return the file's text; empty if there is none. Raise SettingsRefused if it can't be read."""
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise settings.SettingsRefused([f"{file}: can't be read: {error}"]) from error


def put(file: Path, key: str, typed: str) -> Any:
    """Set ``section.key`` to what was typed and return the value as stored. Raise SettingsRefused
    if the key does not take it, or the file is not TOML."""
    section, _, name = key.partition(".")
    value = _value(section, name, typed)
    text = read(file)
    try:
        tomllib.loads(text)  # says better what is wrong than tomlkit does
        document = tomlkit.parse(text)
    except (tomllib.TOMLDecodeError, TOMLKitError) as error:
        raise settings.SettingsRefused([f"{file}: is not valid TOML: {error}"]) from error
    if section not in document:
        document[section] = tomlkit.table()
    table = document[section]
    if not isinstance(table, Table):
        raise settings.SettingsRefused([f"{file}: {section} should be a table: [{section}]"])
    table[name] = value
    write(file, tomlkit.dumps(document))
    return value


def _value(section: str, name: str, typed: str) -> Any:
    """Read what was typed as TOML if the key takes that, else as text."""
    model = settings.sections()[section]
    candidates: list[Any] = [typed]
    with suppress(tomllib.TOMLDecodeError):
        candidates.insert(0, tomllib.loads(f"value = {typed}")["value"])
    problem = ""
    for value in candidates:
        try:
            checked = model.model_validate({name: value})
        except ValidationError as error:
            problem = error.errors()[0]["msg"].removeprefix("Value error, ")
        else:
            # A list typed as a,b,c becomes one.
            stored: Any = checked.model_dump(mode="json")[name]
            return stored if name in ("exclude", "storage_options") else value
    raise settings.SettingsRefused([f"{section}.{name}: {problem[:1].lower()}{problem[1:]}"])


def write(file: Path, text: str) -> None:
    """Replace the file at once; one that is a link stays a link."""
    target = file.resolve()
    if not target.parent.exists():
        make_private(target.parent)
    beside = ""
    try:
        descriptor, beside = tempfile.mkstemp(dir=target.parent, prefix=".config-", suffix=".toml")
        with open(descriptor, "w", encoding="utf-8") as written:
            written.write(text)
            written.flush()
            os.fsync(written.fileno())
        os.replace(beside, target)
    except OSError as error:
        if beside:
            Path(beside).unlink(missing_ok=True)
        raise NotWritten(
            f"can't write {target}: {error.strerror}", hint="nothing was changed"
        ) from error


def edit(file: Path, out: Output) -> int:
    """Open a copy in the user's editor until it is valid, then put it in place. Return 2, and keep
    the copy, if it is left invalid."""
    command = editor()
    before = read(file) or settings_pages.sample()
    if not file.parent.exists():
        make_private(file.parent)
    draft = file.with_name("config.draft.toml")
    write(draft, before)
    while True:
        try:
            code = subprocess.run([*command, str(draft)], check=False).returncode
            problem = f"{command[0]} ended with {code}" if code else ""
        except OSError as error:
            problem = f"can't run {command[0]}: {error.strerror}"
        if problem:
            draft.unlink(missing_ok=True)
            raise NoEditor(
                f"{problem}; nothing was changed", hint="$VISUAL or $EDITOR names the editor"
            )
        text = read(draft)
        try:
            settings.parse(text, draft)
        except settings.SettingsRefused as error:
            out.fail(error)
            if not _again():
                out.say(f"{file} stays as it was; what you wrote is in {draft}")
                return exits.USAGE
        else:
            break
    if text == read(file):
        out.say("nothing was changed")
    else:
        write(file, text)
        out.say(f"{file} is in order", "green")
        out.say("a running hermes takes it on with `hermes down` and `hermes up`", "dim")
    draft.unlink(missing_ok=True)
    return exits.DONE


def editor() -> list[str]:
    """Return the user's editor as a command. Raise NoEditor if there is none."""
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if named:
        return shlex.split(named)
    for name in ("editor", "nano", "vi"):
        if found := shutil.which(name):
            return [found]
    raise NoEditor("there is no editor", hint="set $EDITOR, or use `hermes config set KEY VALUE`")


def _again() -> bool:
    if not sys.stdin.isatty():
        return False
    sys.stderr.write("back to the editor? [Y/n] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("", "y", "yes")
