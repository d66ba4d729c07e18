"""``hermes up``: starts the daemon and takes the repository we are in into memory."""

from __future__ import annotations

import os
import time

from ... import __version__
from ...daemon.paths import locate
from ..client import Client, DaemonAbsent, Refused
from . import exits, learnt
from .connection import start
from .hooks import offer
from .lifecycle import stop
from .progress import follow
from .scope import here
from .shell import offer as offer_shell
from .trust import offer as offer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from .output import Output

NO_REPOSITORY = ("not_a_repository",)


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``up``."""
    parser.usage = "hermes up [options] [FOLDER]"
    parser.add_argument(
        "folder", metavar="FOLDER", nargs="?", help="a repository other than the one you are in"
    )
    parser.add_argument(
        "--foreground", action="store_true", help="be the daemon, for a service manager"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Bring hermes up, read the repository, and say what was learnt."""
    if args.foreground:
        return _foreground(out)
    with _running(out) as client:
        folder = os.path.abspath(args.folder or here())
        try:
            added = client.call("POST", "/v1/repos", {"path": folder})
        except Refused as error:
            if error.code not in NO_REPOSITORY or args.folder:
                raise
            return _nowhere(client, folder, out)
        index(client, added["repo"], out)
        asked = offer(added["repo"], out)
        asked = offer_trust(client, added["repo"], out) or asked
        offer_shell(out, may_ask=not asked)  # another time: a person wants to get on
        if not out.as_json:
            status = client.call("GET", "/v1/status")
            say_model(status, out)
            if status.get("paused"):
                out.say("hermes is paused: `hermes resume` goes on", "yellow")
    return exits.DONE


def index(client: Client, repo: dict[str, Any], out: Output) -> None:
    """Have a repository read, following it, and say what was learnt."""
    began = time.monotonic()
    known = int(repo["commits"])
    try:
        report = follow(client.stream("POST", f"/v1/repos/{repo['id']}/index"), out)
    except KeyboardInterrupt:
        out.say("\nreading goes on behind; `hermes status` says how far it is")
        raise
    if not out.as_json:
        for line, style in learnt.lines(repo["name"], known, report, time.monotonic() - began):
            out.say(line, style)


def say_model(status: dict[str, Any], out: Output) -> None:
    """Say in one line when no model is there, and how to get one."""
    model = status["model"]
    if not model or model["name"] is None or model["present"]:
        return
    problem = (model["detail"] or f"{model['name']} is not there").rstrip(".")
    hint = f" {model['hint'].rstrip('.')}." if model["hint"] else ""
    out.say(f"Answers quote the commits, without a model: {problem}.{hint}", "yellow")


def _running(out: Output) -> Client:
    """Return a connection to a daemon of our version, started or restarted if need be."""
    paths = locate()
    try:
        client = Client.connect(paths)
    except DaemonAbsent:
        client = start(paths, out)
        pid = client.call("GET", "/v1/hello")["pid"]
        out.say(f"hermes is up (process {pid})", "green")
        return client
    version = client.call("GET", "/v1/hello")["version"]
    if version == __version__:
        return client
    out.say(f"restarting: the daemon was hermes {version}, this is {__version__}")
    stop(client, out)
    return start(paths, out)


def _nowhere(client: Client, folder: str, out: Output) -> int:
    """Say what can be done outside of any repository."""
    repos = client.call("GET", "/v1/repos")["repos"]
    if out.as_json:
        out.emit({"type": "up", "repository": None, "repos": len(repos)})
    out.say(f"{folder} is in no git repository, so there is nothing to read here")
    out.say("`hermes up` inside one takes it into memory, or `hermes add FOLDER` from anywhere")
    if repos:
        out.say("in memory: " + ", ".join(repo["name"] for repo in repos))
    return exits.DONE


def _foreground(out: Output) -> int:
    """Become the daemon: the same process, so that a service manager sees it end."""
    import sys

    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "hermes.daemon"])
