"""The table of commands, and their parsers: of the one that is given, or of all."""

from __future__ import annotations

import argparse
import importlib

from ... import __version__
from ...memory.errors import HermesError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

COMMANDS = {
    "up": ("up", "start hermes and take this repository into memory"),
    "down": ("lifecycle", "stop hermes; memory stays"),
    "status": ("status", "what runs, what waits, and how far memory is"),
    "add": ("repos", "take a repository into memory"),
    "remove": ("repos", "take a repository out of memory"),
    "ask": ("ask", "answer a question, with its sources"),
    "council": ("council", "several judges on a judgment call, and why they split"),
    "search": ("search", "list what memory holds on something"),
    "show": (
        "show",
        "one thing: a commit, a pull request, a ticket, a file, and what is around it",
    ),
    "web": ("web", "the local page: open it in a browser, or close it"),
    "brief": ("brief", "what happened since you last worked, and what to begin with"),
    "themes": ("themes", "what days and weeks were about"),
    "consolidate": ("consolidate", "make themes and tidy memory up, now"),
    "shell": ("shell", "have your shell print the brief once a day; or not any more"),
    "tests": ("tests", "how the tests stand; run them, and why each was run"),
    "commit-msg": ("commit_msg", "a message for what is staged, or was committed"),
    "docs": ("documents", "documents that do not match the code any more, and their fixes"),
    "trust": ("trust", "let hermes run a repository's tests; or not any more"),
    "jobs": ("jobs", "what is queued, what runs, and what became of it"),
    "why": ("why", "how something came about: event, decision, agent, evidence"),
    "log": ("log", "what happened, numbered; -f follows it"),
    "incidents": ("incidents", "what keeps failing; ack says that you know"),
    "run": ("run", "have an agent work now"),
    "schedule": ("schedule", "what runs at which times"),
    "pause": ("pause", "start nothing by itself for a while"),
    "resume": ("pause", "go on after a pause"),
    "hooks": ("hooks", "let git tell hermes of commits; or not any more"),
    "sources": ("sources", "documents, chat, tickets and pull requests: what is read, and how far"),
    "webhooks": ("webhooks", "addresses and secrets for GitHub, Linear, Slack deliveries"),
    "models": ("models", "the language model: where it runs, who uses it, fetch one"),
    "doctor": ("doctor", "check that everything works"),
    "config": ("config", "show, change and explain the settings"),
    "memory": ("memory", "what memory holds, what its nights did, whether it is whole"),
    "forget": ("forget", "take a person, a path, a source out of everything, for good"),
    "completions": ("completions", "print completions for your shell"),
    "version": ("lifecycle", "print the version"),
}
"""Each command's module in this folder, and what it does in a few words."""

SHORT_HELP = """\
hermes remembers your repositories and answers from that memory, with its sources.

  hermes up                start it, and take the repository you are in into memory
  hermes ask "why …?"      a question, in your own words
  hermes search WORDS      what memory holds, ranked
  hermes brief             what happened since you last worked
  hermes tests             how the tests stand that your saves affect
  hermes docs              documents that the code has left behind
  hermes status            what runs, how far it is
  hermes down              stop it

hermes --help lists every command, hermes COMMAND --help says more on one.
"""

DESCRIPTION = "Remembers your repositories and answers from that memory, with its sources.\n\n" + (
    "\n".join(f"  {name:<13}{summary}" for name, (_, summary) in COMMANDS.items())
)
# Written out here: argparse lays the list of commands out differently from version to version.

EPILOG = """\
Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 nothing relevant found,
4 not running or not in memory, 130 interrupted.
"""


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """The same help on every Python: ``-k, --limit N``, as 3.13 has it."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=80)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return ", ".join(action.option_strings) + " " + value


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are errors like all others: one line, and where to read more."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong."""
        raise usage(_plain(message), hint=f"`{self.prog} --help` says how it is used")


def top_parser() -> argparse.ArgumentParser:
    """Return the parser of ``hermes`` without a command: its help and its version."""
    parser = Parser(
        prog="hermes",
        usage="hermes COMMAND [options]",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"hermes {__version__}")
    return parser


def with_commands(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Return the parser, knowing every command too: what completions are made from."""
    found = parser.add_subparsers(dest="command", metavar="COMMAND", prog="hermes")
    for name, (module, summary) in COMMANDS.items():
        declare(found.add_parser(name, help=summary, **_style(summary)), name, module)
    return parser


def command_parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of one command. Nothing of the others is imported or built."""
    module, summary = COMMANDS[name]
    parser = Parser(prog=f"hermes {name}", **_style(summary))
    declare(parser, name, module)
    return parser


def _style(summary: str) -> dict[str, Any]:
    return {
        "description": summary[0].upper() + summary[1:] + ".",
        "formatter_class": HelpFormatter,
        "allow_abbrev": False,
    }


def declare(parser: argparse.ArgumentParser, name: str, module: str) -> None:
    """Give a command the options that its module declares."""
    command = importlib.import_module(f".{module}", __package__)
    command.declare(name, parser)
    add_json(parser)
    parser.set_defaults(run=command.run)


def unknown(word: str) -> HermesError:
    """Return what to say of a command that does not exist."""
    import difflib

    near = difflib.get_close_matches(word, COMMANDS, n=1)
    return usage(
        f"there is no command {word}{f'; did you mean {near[0]}?' if near else ''}",
        hint="`hermes --help` lists them",
    )


def unknown_option(word: str, command: str | None) -> HermesError:
    """Return what to say of an option or a word that a command does not take."""
    name = f"hermes {command}" if command else "hermes"
    return usage(
        f"{command or 'hermes'} does not take {word}", hint=f"`{name} --help` says how it is used"
    )


def usage(message: str, *, hint: str) -> HermesError:
    """Return an error of the command line."""
    error = HermesError(message, hint=hint)
    error.code = "usage"
    return error


def _plain(message: str) -> str:
    """Put argparse's own words plainly; they differ from version to version."""
    import re

    if found := re.match(r"argument (\S+): invalid int value: '(.*)'$", message):
        return f"{found[1].rpartition('/')[2]} takes a whole number, not {found[2]}"
    if found := re.match(r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)$", message):
        return f"{found[2]} is none of {found[3].replace(chr(39), '')}"
    if found := re.match(r"argument (\S+): expected one argument$", message):
        return f"{found[1].rpartition('/')[2]} needs a value"
    if found := re.match(r"the following arguments are required: (.*)$", message):
        return f"{found[1]} is missing" if "," not in found[1] else f"{found[1]} are missing"
    return message


def add_json(parser: argparse.ArgumentParser) -> None:
    """Declare ``--json``, which every command takes."""
    parser.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="JSON on standard output"
    )
