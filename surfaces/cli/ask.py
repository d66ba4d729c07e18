"""``hermes ask``: streams an answer and the sources it cites."""

from __future__ import annotations

from ..client import DaemonLost
from . import exits
from .answer import Answer, closing_line
from .connection import connect_or_serve
from .scope import add_filters, body_of, check_count, question_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from .output import Output

EXAMPLES = """\
examples:
  hermes ask "why did we drop the retry queue?"
  hermes ask "who has touched the rate limiter recently, and why?"
  hermes ask "what happened in payments last month"
  hermes ask "why is test_checkout_total red"
  hermes ask "what is the state of ENG-17"
  hermes ask "what changed in the importer" --since "last month" --path worker/
  git log -1 --format=%s | hermes ask -
"""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``ask``."""
    parser.usage = "hermes ask [options] QUESTION"
    parser.epilog = EXAMPLES
    parser.add_argument(
        "words", metavar="QUESTION", nargs="*", help="in your own words; - reads it from stdin"
    )
    parser.add_argument(
        "-k", "--passages", metavar="N", type=int, help="passages to build the answer from (12)"
    )
    parser.add_argument(
        "--plain", action="store_true", help="no model: sentences from the commits themselves"
    )
    add_filters(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Ask and show the answer. Return 3 when memory holds nothing relevant."""
    check_count(args.passages, 50)
    body = body_of(question_of(args.words, "ask"), args)
    body["plain"] = args.plain
    if args.passages:
        body["k"] = args.passages
    with connect_or_serve(out) as client:
        done = show(client.stream("POST", "/v1/ask", body), out)
        from .waiting import say_how_far  # not before the answer is out

        say_how_far(client, body, out)
    return exits.DONE if done["relevant"] else exits.NOTHING_RELEVANT


def show(events: Iterator[dict[str, Any]], out: Output) -> dict[str, Any]:
    """Show the events of an answer and return the last. Raise DaemonLost if that never comes."""
    if out.as_json:
        done: dict[str, Any] | None = None
        for event in events:
            out.emit(event)
            done = event if event["type"] == "done" else done
    else:
        answer = Answer(out)
        try:
            for event in events:
                answer.take(event)
        finally:
            if out.out.terminal and answer.done:
                out.say("\n" + closing_line(answer.done, answer.beyond_git), "dim")
            answer.end()
        done = answer.done
    if done is None:
        raise DaemonLost("the answer was cut off", hint="ask again; the daemon's log says why")
    return done
