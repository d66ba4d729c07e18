"""``hermes memory``: what memory holds, whether it is whole, and what its nights did to it."""

from __future__ import annotations

import argparse
import importlib

from .commands import HelpFormatter, add_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .output import Output

ACTIONS = {
    "check": ("memory_check", "", "is it whole?"),
    "audit": ("memory_audit", "", "is it healthy?"),
    "show": ("memory_chunks", "ID", "a piece of it, and all that is known of that"),
    "edit": ("memory_chunks", "ID", "put your own words in the place of a piece's"),
    "delete": ("memory_chunks", "ID", "take a piece or a whole commit out, for good"),
    "export": ("memory_chunks", "", "all of it as JSON, one piece a line"),
    "rebuild": ("memory_check", "", "read everything again, beside what answers until then"),
    "log": ("memory_nights", "", "the nights that changed something"),
    "diff": ("memory_nights", "[NIGHT]", "what a night changed"),
    "revert": ("memory_nights", "NIGHT", "take back what a night changed"),
}
"""Each action's module in this folder, the words it takes, and what it does."""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the actions of ``memory``, each with the options that its module declares."""
    parser.usage = "hermes memory ACTION [options]"
    parser.epilog = "hermes memory ACTION --help says more on one.\n"
    actions = parser.add_subparsers(
        dest="action", metavar="ACTION", help="what to do", prog="hermes memory", required=True
    )
    for action, (module, words, summary) in ACTIONS.items():
        command = actions.add_parser(
            action,
            help=summary,
            description=summary[0].upper() + summary[1:] + ("" if summary.endswith("?") else "."),
            usage=f"hermes memory {action} {words}".rstrip() + " [options]",
            formatter_class=HelpFormatter,
            allow_abbrev=False,
        )
        found = importlib.import_module(f".{module}", __package__)
        found.declare(action, command)
        add_json(command)
        command.set_defaults(perform=found.run)


def run(args: argparse.Namespace, out: Output) -> int:
    """Do what is asked."""
    return int(args.perform(args, out))
