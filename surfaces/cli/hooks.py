"""``hermes hooks``: lets git tell hermes of commits, merges, checkouts and rebases."""

from __future__ import annotations

import os
import sys

from ...daemon.paths import locate
from ..client import Client, DaemonAbsent
from . import exits
from .scope import here

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from pathlib import Path
    from typing import Any

    from ...daemon.paths import Paths
    from ..hooks.installing import Hooks
    from .output import Output

STYLES = {"installed": "green", "chained": "green", "missing": "dim", "foreign": "dim"}


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``hooks``."""
    parser.usage = f"hermes {name} [options] install|uninstall|status [REPO]"
    parser.add_argument(
        "action",
        metavar="ACTION",
        choices=("install", "uninstall", "status"),
        help="install, uninstall or status",
    )
    parser.add_argument(
        "repo", metavar="REPO", nargs="?", help="a folder, or a name; else the one you are in"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what is asked for, and show how each hook stands."""
    from ..hooks import installing, place

    paths = locate()
    found = place.find(_folder(args.repo, paths))
    answered = _answered(paths, found.common_dir)
    if args.action == "status":
        hooks = installing.status(found, paths)
    elif args.action == "install":
        hooks = installing.install(found, paths)
        answered.unlink(missing_ok=True)
    else:
        hooks = installing.uninstall(found, paths)
        _remember(answered)
    if out.as_json:
        out.emit(hooks.fields())
    else:
        _show(hooks, args.action, out)
    return exits.FAILED if args.action == "install" and not hooks.work else exits.DONE


def offer(repo: dict[str, Any], out: Output) -> bool:
    """Given a repository as the API describes it, ask once whether its hooks may be installed.

    Nothing is asked without a terminal, and nothing again once it was answered. Hooks of an older
    version are brought up to date. Return whether the person was asked.
    """
    from ...memory.errors import HermesError
    from ..hooks import installing, place
    from ..hooks.chain import OLDER

    folder = repo["worktree"] or repo["path"]
    try:
        paths = locate()
        found = place.find(folder)
        hooks = installing.status(found, paths)
        if not found.refusal and any(s.detail == OLDER for s in hooks.standings):
            installing.install(found, paths)
            out.say(f"the git hooks of {repo['name']} are up to date again")
            return False
        answered = _answered(paths, found.common_dir)
        asked = answered.exists() or any(s.works or s.state == "stale" for s in hooks.standings)
        if asked or out.as_json or not (sys.stdin.isatty() and out.err.terminal):
            return False
        agrees = not found.refusal and _agrees(out)
        if found.refusal:
            out.say(f"{found.refusal}; `hermes hooks install` says how git can tell hermes")
        elif agrees:
            _show(installing.install(found, paths), "install", out)
        else:
            out.say("`hermes hooks install` does it later")
        _remember(answered)  # only now: neither Ctrl-C nor a yes that came to nothing is an answer
    except HermesError as error:
        out.say(f"hooks: {error.message}", "yellow")  # hermes works without them
        return False
    return True


def _folder(name: str | None, paths: Paths) -> str:
    """Return the folder that is meant. Only for a name the daemon has to be asked."""
    if name is None:
        return here()
    if os.sep in name or os.path.isdir(name):
        return name
    try:
        with Client.connect(paths) as client:
            for repo in client.call("GET", "/v1/repos")["repos"]:
                if name in (repo["id"], repo["name"]):
                    return str(repo["worktree"] or repo["path"])
    except DaemonAbsent:
        pass  # then it can only have been a folder
    return name


def _answered(paths: Paths, common_dir: Path) -> Path:
    """Return the file that is there when the offer for a repository was answered."""
    import hashlib

    name = hashlib.sha256(os.fsencode(common_dir)).hexdigest()[:16]
    return paths.state / "hooks" / "answered" / name


def _remember(answered: Path) -> None:
    from ...daemon.paths import make_private

    make_private(answered.parent.parent)
    make_private(answered.parent)
    answered.touch()


def _agrees(out: Output) -> bool:
    out.clear_passing()
    sys.stderr.write("let git hooks tell hermes of commits, and offer a message for each? [Y/n] ")
    sys.stderr.flush()
    reply = sys.stdin.readline()
    return reply != "" and reply.strip().lower() in ("", "y", "yes")


def _show(hooks: Hooks, action: str, out: Output) -> None:
    width = max(len(standing.name) for standing in hooks.standings)
    for standing in hooks.standings:
        word = standing.state
        if action == "uninstall" and standing.changed:
            word = "removed" if standing.state == "missing" else "removed; yours is back"
        style = STYLES.get(standing.state, "yellow")
        detail = f"  ({standing.detail})" if standing.detail else ""
        out.line(f"{standing.name:<{width}}  {out.out.style(word, style)}{detail}")
    if action == "uninstall" and hooks.work:
        out.say("these call hermes by lines that were added by hand; take them out the same way")
    if action != "install":
        return
    if hooks.place.refusal and not hooks.work:
        out.say(f"not installed: {hooks.place.refusal}, so nothing was written", "yellow")
    if hooks.lines:
        out.say("Add to each of these files, if you want hermes to be told:")
        for name, line in hooks.lines.items():
            out.line()
            out.line(f"# {hooks.place.lined(name)}")
            out.line(line)
    if hooks.work and any(standing.changed for standing in hooks.standings):
        out.say("git tells hermes from now on; `hermes hooks uninstall` undoes it")
