"""``hermes add`` and ``hermes remove``: which repositories memory holds."""

from __future__ import annotations

import os
import sys
from urllib.parse import quote

from ...daemon.paths import locate
from ...memory.errors import HermesError
from . import exits
from .connection import connect, connect_or_start
from .forget_lines import proof_lines, unexplained
from .scope import WrongUse, place
from .text import count
from .up import index

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from .output import Output


REMOVE_SECONDS = 3_600.0
"""How long it may take: every table of the store is written anew, and all files are searched."""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``add`` and ``remove``."""
    parser.set_defaults(name=name)
    if name == "add":
        parser.usage = "hermes add [options] FOLDER …"
        parser.add_argument("folder", metavar="FOLDER", nargs="+", help="a repository")
    else:
        parser.usage = "hermes remove [options] NAME"
        parser.add_argument(
            "repo", metavar="NAME", help="the repository's name or folder; . for this one"
        )
        parser.add_argument("-y", "--yes", action="store_true", help="don't ask")


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what the name says."""
    if args.name == "add":
        return _add(args.folder, out)
    return remove(args.repo, yes=args.yes, dry_run=False, out=out)


def _add(folders: list[str], out: Output) -> int:
    with connect_or_start(out) as client:
        # All are put on the list first, so that a wrong one is found before hours of reading.
        added = [
            client.call("POST", "/v1/repos", {"path": os.path.abspath(folder)})["repo"]
            for folder in folders
        ]
        for repo in added:
            index(client, repo, out)
    return exits.DONE


def remove(name: str, *, yes: bool, dry_run: bool, out: Output) -> int:
    """Take a repository out of memory, or say what would go."""
    client, _ = connect(out)
    with client:
        repos = client.call("GET", "/v1/repos")["repos"]
        wanted = place(name)
        known = [
            repo
            for repo in repos
            if wanted in (repo["id"], repo["name"], repo["path"], repo["worktree"])
        ]
        # Nobody is asked about what the daemon is going to refuse.
        sure = yes or len(known) != 1
        commits = f" ({count(known[0]['commits'], 'commit')})" if len(known) == 1 else ""
        shown = known[0]["name"] if len(known) == 1 else name
        if dry_run:
            _say_what_goes(known, name, out)
            return exits.DONE
        if not sure and not _agrees(f"take {shown}{commits} out of memory?"):
            out.say("nothing was removed")
            return exits.FAILED
        # The daemon decides what the name means, and says so when it means none or several.
        where = f"/v1/repos/{quote(wanted, safe='')}"
        answer = client.call("DELETE", where, timeout=REMOVE_SECONDS)
    removed, proof = answer["removed"], answer.get("proof", {})
    if out.as_json:
        out.emit(answer)
    for line in proof_lines(proof, out.out) if not out.as_json else ():
        out.line(line)
    out.say(f"{removed['name']} is out of memory; the repository itself was not touched")
    folder = known[0]["worktree"] or known[0]["path"] if len(known) == 1 else ""
    if folder and _has_hooks(folder):
        out.say(f"its git hooks are still there: `hermes hooks uninstall {folder}` takes them out")
    return exits.FAILED if unexplained(proof) else exits.DONE


def _say_what_goes(known: list[dict[str, Any]], name: str, out: Output) -> None:
    if len(known) != 1:
        raise WrongUse(f"no one repository is called {name}", hint="`hermes status` lists them")
    if out.as_json:
        out.emit({"repo": known[0]})
        return
    commits, chunks = count(known[0]["commits"], "commit"), count(known[0]["chunks"], "piece")
    out.say(
        f"{known[0]['name']} would go: {commits}, {chunks} of text, its themes, drafts, test runs"
        " and everything else that is kept of it"
    )


def _has_hooks(folder: str) -> bool:
    from ..hooks import installing
    from ..hooks.place import find

    try:
        return installing.status(find(folder), locate()).work
    except HermesError:
        return False  # it is gone, and they with it


def _agrees(question: str) -> bool:
    if not sys.stdin.isatty():
        raise WrongUse("removing needs a yes", hint="add --yes where nobody can be asked")
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
