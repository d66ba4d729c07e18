"""``hermes web``: opens the local page, or closes it."""

from __future__ import annotations

import os
import sys

from ...daemon.paths import locate
from ..client import Client, DaemonAbsent
from . import exits
from .connection import connect_or_start
from .scope import WrongUse

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from .output import Output

EXAMPLES = """\
examples:
  hermes web                 open the page in your browser
  hermes web --print         print an address that lets one browser in, once, within a minute
  hermes web --off           close it: nothing listens, and no browser is let in any more

The page is served on 127.0.0.1 only. From another machine, take its port along:
`ssh -L PORT:127.0.0.1:PORT HOST`, and open the printed address there.
"""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``web``."""
    parser.usage = "hermes web [options]"
    parser.epilog = EXAMPLES
    parser.add_argument(
        "--print", action="store_true", dest="printed", help="print the address, open no browser"
    )
    parser.add_argument("--off", action="store_true", help="close the page")


def run(args: argparse.Namespace, out: Output) -> int:
    """Open the page, or close it."""
    if args.off:
        if args.printed:
            raise WrongUse("--print does not go with --off")
        return _close(out)
    with connect_or_start(out) as client:
        found: dict[str, Any] = client.call("POST", "/v1/web")
    opened = not args.printed and not out.as_json and _show(found["url"])
    if out.as_json:
        out.emit(found)
        return exits.DONE
    if found["note"]:
        out.say(found["note"], "yellow")
    if opened:
        out.say(f"the page is in your browser: {found['address']}")
        return exits.DONE
    out.line(found["url"])
    out.say("lets one browser in, once, within a minute", "dim")
    if "SSH_CONNECTION" in os.environ:
        port = found["port"]
        out.say(f"from where you are: ssh -L {port}:127.0.0.1:{port} HOST, then open it", "dim")
    return exits.DONE


def _close(out: Output) -> int:
    paths = locate()
    try:
        client = Client.connect(paths)
    except DaemonAbsent:
        # It would be there again with the daemon.
        was_open = paths.web.exists()
        paths.web.unlink(missing_ok=True)
    else:
        with client:
            was_open = client.call("DELETE", "/v1/web")["was_open"]
    if out.as_json:
        out.emit({"open": False, "was_open": was_open})
    elif was_open:
        out.say("the page is closed; nothing listens any more")
    else:
        out.say("the page was not open")
    return exits.DONE


def _show(url: str) -> bool:
    """Have a browser show an address; say whether there is one. One in the terminal is none."""
    if sys.platform == "linux" and not any(
        os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    ):
        return False
    if "SSH_CONNECTION" in os.environ and not os.environ.get("BROWSER"):
        return False  # a window over there, or on a slow way back
    import webbrowser

    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False
