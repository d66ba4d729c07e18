"""``hermes webhooks``: where GitHub, Linear and Slack may tell what changed, and with which secret."""

from __future__ import annotations

import argparse
import time

from . import exits
from .commands import HelpFormatter, add_json
from .connection import connect, connect_or_start
from .scope import WrongUse
from .sources_add import offer
from .webhooks_lines import list_lines, on_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .output import Output

PROVIDERS = ("github", "linear", "slack")
ACTIONS = {
    "on": ("NAME", "take its deliveries in, and say what to set up there"),
    "off": ("[NAME]", "take them in no more; without a name nobody's"),
    "secret": ("NAME", "show the secret again; --new: make another one"),
}
"""Each action's words, and what it does."""
EXAMPLES = """\
Without an action: where deliveries arrive, how they went, what to set up.
Each has a source read that was added before (hermes sources): within seconds,
not at the next quarter of an hour. Nothing listens until one is turned on, and
then on 127.0.0.1 only: what leads there is a tunnel of yours.

examples:
  hermes webhooks on github
  hermes webhooks on slack --secret-env SLACK_SIGNING_SECRET
  hermes webhooks on linear --secret-keyring linear-webhook
  hermes webhooks
  hermes webhooks off github
"""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the actions of ``webhooks``."""
    parser.usage = "hermes webhooks [ACTION] [options]"
    parser.epilog = EXAMPLES
    parser.set_defaults(perform=_list)
    actions = parser.add_subparsers(
        dest="action",
        metavar="ACTION",
        help="what to do; nothing: list them",
        prog="hermes webhooks",
    )
    performs = {"on": _on, "off": _off, "secret": _secret}
    for action, (words, summary) in ACTIONS.items():
        command = actions.add_parser(
            action,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            usage=f"hermes webhooks {action} {words} [options]",
            formatter_class=HelpFormatter,
            allow_abbrev=False,
        )
        command.add_argument(
            "provider",
            metavar="NAME",
            nargs="?" if action == "off" else None,
            help=", ".join(PROVIDERS),
        )
        if action == "on":
            command.add_argument(
                "--secret-env",
                metavar="NAME",
                help="the variable that has the provider's own secret",
            )
            command.add_argument(
                "--secret-keyring", metavar="NAME", help="its entry in the system's keyring"
            )
        if action == "secret":
            command.add_argument(
                "--new", action="store_true", help="make another one; the old one is good no more"
            )
        add_json(command)
        command.set_defaults(perform=performs[action])


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what is asked."""
    return int(args.perform(args, out))


def _list(args: argparse.Namespace, out: Output) -> int:
    with connect_or_start(out) as client:
        found = client.call("GET", "/v1/webhooks")
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in list_lines(found, time.time(), out.out):
        out.line(line)
    if not any(each["on"] for each in found["providers"]):
        out.say("nothing listens; `hermes webhooks on github` begins, or linear, or slack")
    return exits.DONE


def _on(args: argparse.Namespace, out: Output) -> int:
    name = _named(args.provider)
    if args.secret_env is not None and args.secret_keyring is not None:
        raise WrongUse("a secret is at one place: --secret-env or --secret-keyring")
    place = None
    if args.secret_env is not None:
        place = f"env:{args.secret_env}"
    elif args.secret_keyring is not None:
        place = f"keyring:{args.secret_keyring}"
    body: dict[str, object] = {"place": place}
    if token := offer(place).get("token"):
        body["secret"] = token
    with connect_or_start(out) as client:
        found = client.call("POST", f"/v1/webhooks/{name}", body)
    if out.as_json:
        out.emit(found)
        return exits.DONE
    for line in on_lines(found, name, out.out):
        out.line(line)
    if token:
        out.say(
            f"the secret of {args.secret_env} stays in the daemon's memory until it restarts;"
            " --secret-keyring lasts",
            "dim",
        )
    return exits.DONE


def _off(args: argparse.Namespace, out: Output) -> int:
    name = None if args.provider is None else _named(args.provider)
    client, _ = connect(out)
    with client:
        found = client.call("DELETE", f"/v1/webhooks/{name}" if name else "/v1/webhooks")
    if out.as_json:
        out.emit(found)
    elif not found["was_on"]:
        out.say("deliveries of it were not taken in" if name else "nothing listened")
    elif found["listening"]:
        out.say(f"deliveries of {name} are not taken in any more")
    else:
        out.say("nothing listens any more; delete the webhooks at their providers too")
    return exits.DONE


def _secret(args: argparse.Namespace, out: Output) -> int:
    name = _named(args.provider)
    client, _ = connect(out)
    with client:
        found = client.call("GET", f"/v1/webhooks/{name}/secret")
        if args.new:
            found = {
                "name": name,
                "secret": client.call("POST", f"/v1/webhooks/{name}", {"new": True})["secret"],
            }
    if out.as_json:
        out.emit(found)
        return exits.DONE
    out.line(found["secret"])
    if args.new:
        out.say("until it is set there too, deliveries are refused: the old one is good no more")
    return exits.DONE


def _named(given: str) -> str:
    name = given.lower()
    if name not in PROVIDERS:
        raise WrongUse(
            f"there are no deliveries of {given}", hint=f"there are: {', '.join(PROVIDERS)}"
        )
    return name
