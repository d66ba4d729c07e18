"""``hermes shell``: lets your shell print the brief."""

from __future__ import annotations

import os
import sys

from ...daemon.paths import locate
from . import exits
from .scope import WrongUse

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from ...daemon.paths import Paths
    from ..shell.installing import Standing
    from .output import Output

EXAMPLES = """\
examples:
  hermes shell install          the shell that $SHELL names
  hermes shell install fish     another one as well
  hermes shell status           which shells print the brief
  hermes shell show zsh         the lines, for people who keep their files elsewhere
"""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``shell``."""
    parser.usage = f"hermes {name} [options] install|uninstall|status|show [SHELL]"
    parser.epilog = EXAMPLES
    parser.add_argument(
        "action",
        metavar="ACTION",
        choices=("install", "uninstall", "status", "show"),
        help="install, uninstall, status or show",
    )
    parser.add_argument(
        "shell",
        metavar="SHELL",
        nargs="?",
        choices=("bash", "zsh", "fish"),
        help="bash, zsh or fish; else the one that $SHELL names",
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what is asked for, and show how the block stands."""
    from ..shell import installing

    paths = locate()
    if args.action == "status":
        return _status(args.shell, paths, out)
    shell = args.shell or _own()
    if args.action == "show":
        lines = installing.text_of(shell, paths, os.environ)
        if out.as_json:
            out.emit({"shell": shell, "lines": os.fsdecode(lines)})
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(lines)
        return exits.DONE
    if args.action == "install":
        standing = installing.install(shell, paths, os.environ)
        _answered(paths).unlink(missing_ok=True)
    else:
        standing = installing.uninstall(shell, paths, os.environ)
        _remember(_answered(paths))
    if out.as_json:
        out.emit(_fields(standing) | {"changed": standing.changed})
    else:
        _tell(standing, args.action, out)
    return exits.FAILED if standing.state == "changed" else exits.DONE


def offer(out: Output, *, may_ask: bool) -> None:
    """Ask once whether the person's shell may print the brief; bring an older block up to date.

    Nothing is asked without a terminal, of a shell that we don't know, or once it was answered.
    """
    from ...memory.errors import HermesError
    from ..shell import installing

    if (shell := installing.shell_of(os.environ)) is None:
        return
    try:
        paths = locate()
        standing = installing.status(shell, paths, os.environ)
        if standing.state == "older":
            installing.install(shell, paths, os.environ)
            out.say(f"the lines for {shell} in {_short(standing.file)} are up to date again")
            return
        answered = _answered(paths)
        wanted = may_ask and standing.state == "missing" and not answered.exists()
        if not wanted or out.as_json or not (sys.stdin.isatty() and out.err.terminal):
            return
        if _agrees(shell, standing.file, out):
            _tell(installing.install(shell, paths, os.environ), "install", out)
        else:
            out.say("`hermes brief` shows it any time; `hermes shell install` does it later")
        _remember(answered)  # only now: neither Ctrl-C nor a yes that came to nothing is an answer
    except HermesError as error:
        out.say(f"shell: {error.message}", "yellow")  # hermes works without it


def check() -> dict[str, str]:
    """Return for the doctor how the block of the person's shell stands."""
    from ...memory.errors import HermesError
    from ..shell import installing

    shell = installing.shell_of(os.environ)
    state, hint = "ok", ""
    if shell is None:
        detail = f"$SHELL is {os.environ.get('SHELL') or 'not set'}: no shell that prints the brief"
    else:
        try:
            standing = installing.status(shell, locate(), os.environ)
            detail = _words(standing)
            if standing.state in _HINTS:
                state, hint = "warn", _HINTS[standing.state]
        except HermesError as error:
            state, detail, hint = "warn", error.message, error.hint
    return {"name": "shell", "state": state, "detail": detail, "hint": hint}


_HINTS = {
    "older": "`hermes shell install` brings it up to date",
    "elsewhere": "`hermes shell install` has it print the brief of this hermes",
    "changed": "take the lines between the marks out by hand, then `hermes shell install`",
}


def _own() -> str:
    from ..shell.installing import shell_of

    if (shell := shell_of(os.environ)) is None:
        raise WrongUse(
            f"$SHELL is {os.environ.get('SHELL') or 'not set'}, which is no shell that we know",
            hint="say which: `hermes shell install bash`, zsh or fish",
        )
    return shell


def _status(shell: str | None, paths: Paths, out: Output) -> int:
    from ...memory.errors import HermesError
    from ..shell import installing
    from ..shell.script import SHELLS

    standings: list[Standing] = []
    for each in (shell,) if shell else SHELLS:
        try:
            standings.append(installing.status(each, paths, os.environ))
        except HermesError as error:
            if shell:
                raise
            out.say(error.message, "yellow")
    if out.as_json:
        out.emit({"shells": [_fields(standing) for standing in standings]})
        return exits.DONE
    for standing in standings:
        style = {"installed": "green", "missing": "dim"}.get(standing.state, "yellow")
        word = out.out.style(f"{standing.state:<9}", style)
        hint = f"  {_HINTS[standing.state]}" if standing.state in _HINTS else ""
        out.line(f"{standing.shell:<4}  {word}  {_short(standing.file)}{hint}")
    return exits.DONE


def _tell(standing: Standing, action: str, out: Output) -> None:
    where = _short(standing.file)
    if standing.state == "changed":
        out.say(
            f"left alone: someone changed the lines in {where}; {_HINTS['changed']}"
            if action == "install"
            else f"left alone: someone changed the lines in {where}; take them out by hand",
            "yellow",
        )
    elif action == "install":
        done = "prints" if standing.changed else "prints already"
        out.say(
            f"{standing.shell} {done} the brief in the first shell of a day ({where}); "
            "`hermes shell uninstall` undoes it",
            "green",
        )
    elif standing.changed:
        out.say(f"{where} is as it was before")
    else:
        out.say(f"there was nothing of hermes in {where}")


def _words(standing: Standing) -> str:
    where = _short(standing.file)
    return {
        "missing": f"{standing.shell} does not print the brief; `hermes shell install` has it do so",
        "installed": f"{standing.shell} prints the brief once a day ({where})",
        "older": f"the lines in {where} are another version's",
        "elsewhere": f"the lines in {where} are for another state folder",
        "changed": f"someone changed the lines in {where}",
    }[standing.state]


def _fields(standing: Standing) -> dict[str, object]:
    return {"shell": standing.shell, "file": standing.file, "state": standing.state}


def _short(file: str) -> str:
    home = os.environ.get("HOME", "").rstrip("/")
    return "~" + file[len(home) :] if home and file.startswith(home + "/") else file


def _answered(paths: Paths) -> Path:
    """Return the file that is there when the offer was answered."""
    return paths.state / "shell" / "answered"


def _remember(answered: Path) -> None:
    from ...daemon.paths import make_private

    make_private(answered.parent.parent)
    make_private(answered.parent)
    answered.touch()


def _agrees(shell: str, file: str, out: Output) -> bool:
    out.clear_passing()
    sys.stderr.write(
        f"let {shell} print the brief in the first shell of a day, by lines in {_short(file)}? [Y/n] "
    )
    sys.stderr.flush()
    reply = sys.stdin.readline()
    return reply != "" and reply.strip().lower() in ("", "y", "yes")
