"""The files of bash, zsh and fish: which one has our block, and how it is written."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...daemon.paths import Paths, make_private
from ...memory.errors import HermesError
from .block import block, put, state_of, take_out
from .script import SHELLS, quoted, script

LOGIN_FILES = (".bash_profile", ".bash_login", ".profile")
"""Of these bash reads the first that is there, when it is a login shell."""


_FULL = (errno.ENOSPC, errno.EDQUOT)
"""With these the file is left as it is; writing into it would cut it."""


class ShellFileRefused(HermesError):
    """A shell's file can't be read or written, or is no file."""

    code = "shell_file"


@dataclass(frozen=True, slots=True)
class Standing:
    """How the block of one shell stands. ``state`` is ``missing``, ``installed``, ``older`` (of
    another version), ``elsewhere`` (for another state folder) or ``changed`` (by someone, so not ours to touch)."""

    shell: str
    file: str
    state: str
    changed: bool = False
    """Whether the file was written just now."""


def shell_of(environ: Mapping[str, str]) -> str | None:
    """Return the person's shell, if it is one of ours."""
    name = os.path.basename(environ.get("SHELL", ""))
    return name if name in SHELLS else None


def file_of(shell: str, environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Return the file that an interactive shell reads."""
    home = Path(environ.get("HOME") or os.path.expanduser("~"))
    if shell == "fish":
        config = environ.get("XDG_CONFIG_HOME", "")
        base = Path(config) if os.path.isabs(config) else home / ".config"
        return base / "fish" / "conf.d" / "hermes.fish"
    if shell == "zsh":
        return Path(environ.get("ZDOTDIR") or home) / ".zshrc"
    if platform != "darwin":
        return home / ".bashrc"
    # Every terminal there starts a login shell, which leaves .bashrc out unless it is told.
    login = next((home / name for name in LOGIN_FILES if (home / name).exists()), None)
    if login is None:
        return home / LOGIN_FILES[0]
    return home / ".bashrc" if b".bashrc" in (_read(login) or b"") else login


def text_of(shell: str, paths: Paths, environ: Mapping[str, str]) -> bytes:
    """Return the block as it stands in a file of its own."""
    return block(_script(shell, paths, environ), "new")


def status(shell: str, paths: Paths, environ: Mapping[str, str]) -> Standing:
    """Return how the block stands. Raise ShellFileRefused."""
    file = file_of(shell, environ)
    folder = quoted(shell, str(paths.brief), environ.get("HOME", ""))
    state = state_of(_read(file) or b"", _script(shell, paths, environ), folder)
    return Standing(shell, str(file), state)


def install(shell: str, paths: Paths, environ: Mapping[str, str]) -> Standing:
    """Put the block into the shell's file, or bring it up to date. Raise ShellFileRefused."""
    for folder in (paths.state, paths.brief, paths.brief / "shown"):
        make_private(folder)
    file = file_of(shell, environ)
    before = _read(file)
    after = put(before, _script(shell, paths, environ))
    if after != before:
        _write(file, after)
    return _after(shell, paths, environ, changed=after != before)


def uninstall(shell: str, paths: Paths, environ: Mapping[str, str]) -> Standing:
    """Take the block out: the file is as it was before, or gone if it was not there. Raise
    ShellFileRefused."""
    file = file_of(shell, environ)
    before = _read(file)
    after = before if before is None else take_out(before)
    if after != before:
        if after is None and not file.is_symlink():  # a link leads to a file that is kept elsewhere
            _remove(file)
        else:
            _write(file, after or b"")
    return _after(shell, paths, environ, changed=after != before)


def _after(shell: str, paths: Paths, environ: Mapping[str, str], *, changed: bool) -> Standing:
    standing = status(shell, paths, environ)
    return Standing(shell, standing.file, standing.state, changed)


def _script(shell: str, paths: Paths, environ: Mapping[str, str]) -> bytes:
    return script(shell, str(paths.brief), environ.get("HOME", ""))


def _read(file: Path) -> bytes | None:
    """Return what a file holds; None if there is none."""
    try:
        if stat.S_ISREG(file.stat().st_mode):
            return file.read_bytes()
        raise _refused(file, "it is no file")
    except FileNotFoundError:
        if file.is_symlink():
            raise _refused(
                file, f"it is a link to {os.readlink(file)}, which is not there"
            ) from None
        return None
    except OSError as error:
        raise _refused(file, error.strerror or str(error)) from error


def _write(file: Path, content: bytes) -> None:
    """Write a file whole, through links, with the mode and owner that it has. Its time is that of
    now: zsh would go on with what `zcompile` made of the older one."""
    real = file.resolve()
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        there = real.stat() if real.exists() else None
        if there and not there.st_mode & stat.S_IWUSR:
            raise _refused(file, "it is read-only")
        if (there is None or there.st_nlink == 1) and _replaced(real, content, there):
            return
        real.write_bytes(content)  # another name of it, or a mount, has to see it too
    except OSError as error:
        raise _refused(file, error.strerror or str(error)) from error


def _replaced(real: Path, content: bytes, there: os.stat_result | None) -> bool:
    """Put a new file in a file's place. Return False where its folder does not let us."""
    temp = real.with_name(f".{real.name}.hermes-{os.getpid()}")
    try:
        temp.unlink(missing_ok=True)  # of one that was killed
        mode = 0o600 if there else 0o644
        with open(os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        if there:
            shutil.copymode(real, temp)
            if (there.st_uid, there.st_gid) != (os.geteuid(), temp.stat().st_gid):
                os.chown(temp, there.st_uid, there.st_gid)
        temp.replace(real)
    except OSError as error:
        temp.unlink(missing_ok=True)
        if there is None or error.errno in _FULL:
            raise
        return False
    return True


def _remove(file: Path) -> None:
    try:
        file.unlink()
    except OSError as error:
        raise _refused(file, error.strerror or str(error)) from error


def _refused(file: Path, why: str) -> ShellFileRefused:
    return ShellFileRefused(
        f"can't use {file}: {why}",
        hint="`hermes shell show` prints the lines, to be put where you keep such things",
    )
