"""The command line's entry: parse, run, and turn what goes wrong into one line and an exit code."""

from __future__ import annotations

import os
import sys

from ...memory.errors import HermesError
from . import exits
from .output import Output, OutputLost, reopen
from .trouble import say_trouble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    reopen()
    out = Output(as_json="--json" in words)
    try:
        code = _run(words, out)
        sys.stdout.flush()
        say_trouble(words, out)
    except HermesError as error:
        code = exits.of(error)
        try:
            out.fail(error)
            say_trouble(words, out)
        except OutputLost:
            return code  # standard error is gone too: only the code can tell
    except KeyboardInterrupt:
        out.clear_passing()
        return exits.INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has enough (`hermes search x | head`). Python would complain while it
        # flushes at exit, so there must be nothing to flush to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.BROKEN_PIPE
    return code


def _run(words: list[str], out: Output) -> int:
    from .commands import COMMANDS, SHORT_HELP, command_parser, top_parser, unknown, unknown_option

    if not words:
        out.line(SHORT_HELP.rstrip())
        return exits.DONE
    name, *rest = words
    if name not in COMMANDS:
        if not name.startswith("-"):
            raise unknown(name)
        top_parser().parse_known_args(words)  # ends here for --help and --version
        raise unknown_option(name, None)
    args, left = command_parser(name).parse_known_args(rest)
    if left and "words" in args and not any(word.startswith("-") for word in left):
        args.words += left  # a question without quotes, around an option
    elif left:
        raise unknown_option(left[0], name)
    out.as_json = "json" in args
    return int(args.run(args, out))
