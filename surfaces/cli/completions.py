"""``hermes completions``: what a shell needs to complete our command line."""

from __future__ import annotations

from . import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from .output import Output

HOW = """\
to turn them on:
  bash   hermes completions bash > ~/.local/share/bash-completion/completions/hermes
  zsh    hermes completions zsh > "${fpath[1]}/_hermes"
  fish   hermes completions fish > ~/.config/fish/completions/hermes.fish
"""

SAME = {
    "bash": "complete -o bashdefault -F _shtab_hermes hermes-ambient\n",
    "zsh": "compdef _shtab_hermes hermes-ambient\n",
    "fish": "complete -c hermes-ambient -w hermes\n",
}
"""The same for our other name."""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``completions``."""
    parser.usage = "hermes completions SHELL"
    parser.epilog = HOW
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")


def run(args: argparse.Namespace, out: Output) -> int:
    """Print the script."""
    import shtab

    from .commands import top_parser, with_commands

    script = (
        shtab.complete(with_commands(top_parser()), shell=args.shell).rstrip()
        + "\n"
        + SAME[args.shell]
    )
    if out.as_json:
        out.emit({"shell": args.shell, "script": script})
    else:
        out.line(script.rstrip())
    return exits.DONE
