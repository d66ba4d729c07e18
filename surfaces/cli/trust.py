"""``hermes trust``: whose tests may be run."""

from __future__ import annotations

import os
import sys
import time

from ...daemon.paths import locate
from ...memory.errors import HermesError
from . import exits
from .columns import columns
from .connection import connect
from .moments import ago
from .scope import WrongUse, here, place
from .text import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from pathlib import Path
    from typing import Any

    from ...daemon.paths import Paths
    from ..client import Client
    from .output import Output

    Found = dict[str, Any]

EXAMPLES = """\
examples:
  hermes trust                 run the tests of the repository you are in
  hermes trust ls              whose tests may be run
  hermes trust revoke shop     not any more; what runs is ended

Tests are code: they can do whatever you can. A yes holds for the folder where the
repository lies now, and for its owner.
"""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trust``."""
    parser.usage = "hermes trust [REPO|ls|revoke [REPO]] [options]"
    parser.epilog = EXAMPLES
    parser.add_argument(
        "words", metavar="REPO", nargs="*", help="a folder, or a name; else the one you are in"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Trust a repository, list them, or take a yes back."""
    action, name = _asked(args.words)
    client, _ = connect(out)
    with client:
        match action:
            case "ls":
                return _list(client, out)
            case "revoke":
                return _revoke(client, name, out)
            case _:
                give(client, {"repo": place(name)} if name else {"cwd": here()}, out)
                return exits.DONE


def give(client: Client, whose: Found, out: Output) -> None:
    """Trust a repository, and say what that means."""
    found: Found = client.call("POST", "/v1/trust", whose)
    if out.as_json:
        out.emit(found)
        return
    name = clean(found["trusted"]["repo_name"])
    again = "" if found["new"] else " already"
    out.say(
        f"{name} is trusted{again}: hermes runs {name}'s tests, that is its code, as you,", "green"
    )
    out.say(
        "in the background: after a save, and all of them at night; `hermes trust revoke` ends it"
    )
    if not found["enabled"]:
        out.say("nothing runs yet: the setting tests.enabled is off", "yellow")
    elif found["problem"]:
        out.say(f"nothing runs yet: {found['problem']}", "yellow")
    elif not found["tests"]:
        out.say(
            "there are no tests yet that hermes knows how to run; docs/tests.md says how to name a command"
        )
    elif led_to := found["run"]:
        jobs = ", ".join(f"j{job['id']}" for job in led_to["jobs"])
        number = f" ({jobs})" if jobs else ""
        out.say(f"all tests run once now{number}, so that what breaks later shows: `hermes tests`")


def offer(client: Client, repo: Found, out: Output) -> bool:
    """Given a repository as the API describes it, ask once whether its tests may be run.

    Nothing is asked without a terminal, where there are no tests, or once it was answered. Return
    whether the person was asked.
    """
    folder = repo["worktree"]
    if out.as_json or not folder or not (sys.stdin.isatty() and out.err.terminal):
        return False
    try:
        answered = _answered(locate(), repo["id"], folder)
        if answered.exists():
            return False
        from urllib.parse import quote

        look: Found = client.call("GET", f"/v1/trust/offer?repo={quote(repo['id'], safe='')}")
        if not look["ask"]:
            return False
        if _agrees(clean(repo["name"]), out):
            give(client, {"repo": repo["id"]}, out)
        else:
            out.say("nothing of it is run; `hermes trust` allows it later")
        _remember(answered)  # only now: neither Ctrl-C nor a yes that did not arrive is an answer
    except HermesError as error:
        out.say(f"trust: {error.message}", "yellow")  # hermes works without it
        return False
    return True


def _asked(words: list[str]) -> tuple[str, str | None]:
    """Return what is to be done, and the repository's name. Raise WrongUse."""
    action = words[0] if words and words[0] in ("ls", "revoke") else "give"
    names = words if action == "give" else words[1:]
    if len(names) > 1 or (action == "ls" and names):
        raise WrongUse(
            f"trust takes one repository, not {names[-1]} too"
            if action != "ls"
            else f"ls takes no {names[0]}",
            hint="`hermes trust --help` says how it is used",
        )
    return action, names[0] if names else None


def _list(client: Client, out: Output) -> int:
    found: Found = client.call("GET", "/v1/trust")
    if out.as_json:
        out.emit(found)
        return exits.DONE
    now = time.time()
    rows = [
        (
            (clean(each["repo_name"] or each["repo"]), "bold"),
            (f"since {ago(each['at'], now)}".removesuffix(" ago"), "dim"),
            (clean(each["path"]), ""),
            (
                "" if each["holds"] else "it is not the same folder any more: `hermes trust` again",
                "yellow",
            ),
        )
        for each in found["trusted"]
    ]
    for line in columns(rows, out.out, give=(1,)):
        out.line(line)
    if not rows:
        out.say("no repository is trusted; `hermes trust` in one lets its tests be run")
    return exits.DONE


def _revoke(client: Client, name: str | None, out: Output) -> int:
    from urllib.parse import quote

    whose = place(name) if name else here()
    found: Found = client.call("DELETE", f"/v1/trust/{quote(whose, safe='')}")
    repo = found["revoked"]
    if repo["worktree"]:
        _remember(_answered(locate(), repo["id"], repo["worktree"]))
    if out.as_json:
        out.emit(found)
    elif found["was_trusted"]:
        out.say(
            f"{repo['name']} is trusted no more: nothing of it is run; `hermes trust` undoes it"
        )
    else:
        out.say(f"{repo['name']} was not trusted; nothing of it is run")
    return exits.DONE


def _answered(paths: Paths, repo: str, worktree: str) -> Path:
    """Return the file that is there when the question about a repository was answered."""
    import hashlib

    place_of = os.path.realpath(worktree)
    name = hashlib.sha256(os.fsencode(f"{repo}\0{place_of}")).hexdigest()[:16]
    return paths.state / "trust" / "answered" / name


def _remember(answered: Path) -> None:
    from ...daemon.paths import make_private

    make_private(answered.parent.parent)
    make_private(answered.parent)
    answered.touch()


def _agrees(name: str, out: Output) -> bool:
    out.clear_passing()
    sys.stderr.write(f"run {name}'s tests in the background, that is its code, as you? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
