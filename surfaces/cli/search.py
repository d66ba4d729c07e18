"""``hermes search``: what memory holds, ranked, with the lines that match best."""

from __future__ import annotations

import re

from . import exits
from .answer import SHORTEST_NAME, label_of
from .connection import connect_or_serve
from .scope import add_filters, body_of, check_count, question_of
from .text import clean, fit, fit_path, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from .output import Output, Stream

    Passage = dict[str, Any]

ARMS = {
    "message": "message",
    "context": "context",
    "vector_message": "message vectors",
    "vector_context": "context vectors",
    "alone": "one text alone",
    "linked": "linked",
}
ID_DIGITS = 8
"""Of a piece's id, by which `hermes memory` knows it."""
LINES = 3
"""Lines of a passage that are shown."""


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``search``."""
    parser.usage = "hermes search [options] WORDS"
    parser.add_argument("words", metavar="WORDS", nargs="*", help="what to look for; - reads stdin")
    parser.add_argument(
        "-k", "--passages", metavar="N", type=int, default=10, help="how many to show (10)"
    )
    parser.add_argument("--scores", action="store_true", help="what each part of the search gave")
    add_filters(parser)


def run(args: argparse.Namespace, out: Output) -> int:
    """Search and list what was found. Return 3 when nothing is relevant."""
    words = question_of(args.words, "search")
    check_count(args.passages, 200)
    body = body_of(words, args) | {"k": args.passages}
    with connect_or_serve(out) as client:
        found = client.call("POST", "/v1/search", body)
        names: dict[str, str] = {}
        if out.as_json:
            out.emit(found)
        else:
            if len({passage["chunk"]["repo"] for passage in found["passages"]} - {""}) > 1:
                names = {
                    repo["id"]: repo["name"] for repo in client.call("GET", "/v1/repos")["repos"]
                }
            show(found, words, names, args.scores, out)
        from .waiting import say_how_far  # not before the list is out

        say_how_far(client, body, out)
    return exits.DONE if found["relevant"] else exits.NOTHING_RELEVANT


def show(
    found: dict[str, Any], words: str, names: dict[str, str], scores: bool, out: Output
) -> None:
    """Write a recollection. ``names`` of repositories are given when it spans several."""
    for note in found["notes"]:
        out.say(note, "yellow")
    if found["hints"]:
        taken = ", ".join(f"{name} {value}" for name, value in found["hints"].items())
        out.say(f"read from your words: {taken}", "dim")
    if not found["passages"]:
        out.say("nothing found")
    elif not found["relevant"]:
        out.say("nothing relevant; these come nearest:", "yellow")
    for number, passage in enumerate(found["passages"], start=1):
        repo = names.get(passage["chunk"]["repo"], "")
        for line in passage_lines(number, passage, words, out.out, repo=repo, scores=scores):
            out.line(line)


def passage_lines(
    number: int, passage: Passage, words: str, stream: Stream, *, repo: str, scores: bool
) -> list[str]:
    """Return how a passage is shown: a head, its title, the matching lines, perhaps the scores."""
    chunk = passage["chunk"]
    margin = "    "
    room = (stream.width if stream.terminal else 10_000) - len(margin)
    head = f"{number:>2}. "
    score, author = f"{passage['score']:.2f}", one_line(chunk["author"])
    label = label_of(chunk["source"], chunk["ref"])
    lines = [head + f"{score}  {stream.style(label, 'yellow')}  {day(chunk['time'])}"]
    left = room - len(score) - len(label) - 16
    if left >= SHORTEST_NAME + ID_DIGITS + 2:
        shown = fit(author, left - ID_DIGITS - 2)
        lines[0] += f"  {shown}  {stream.style(chunk['id'][:ID_DIGITS], 'dim')}"
    elif left >= SHORTEST_NAME:
        lines[0] += "  " + fit(author, left)
    else:
        lines.append(margin + fit(author, room))
    place = clean(f"{repo}: {chunk['path']}" if repo else chunk["path"]).removesuffix(": ")
    if place:
        lines.append(margin + stream.style(fit_path(place, room), "green"))
    lines.append(margin + stream.style(fit(one_line(chunk["title"]), room), "bold"))
    if passage["exact"]:
        lines.append(margin + stream.style(f"matches {passage['exact']} exactly", "dim"))
    if passage.get("linked_from"):
        led = fit(one_line(f"linked from {passage['linked_from']}"), room)
        lines.append(margin + stream.style(led, "dim"))
    if said := one_line(passage.get("said", "")):
        lines.append(margin + stream.style(fit(said, room), "yellow"))
    terms = terms_of(words)
    for text in best_lines(chunk["text"], chunk["title"], terms):
        lines.append(margin + "  " + highlight(fit(text, room - 2), terms, stream))
    if scores:
        arms = (f"{ARMS.get(name, name)} {value:.2f}" for name, value in passage["arms"].items())
        shown = "  ".join((*arms, *_weighed(passage.get("mark"))))
        lines.append(margin + stream.style(fit(shown, room), "dim"))
    return lines


def _weighed(mark: dict[str, Any] | None) -> list[str]:
    """Why a score is less than the sum of its parts."""
    if mark is None or mark["weight"] == 1.0:
        return []
    return [one_line(f"× {mark['weight']:.2f} ({mark['why']})")]


def terms_of(words: str) -> list[str]:
    """Return the words that are worth a highlight."""
    found = re.findall(r"\w+", words.lower())
    return [word for word in found if len(word) > 2 or not word.isascii()]


def best_lines(text: str, title: str, terms: list[str]) -> list[str]:
    """Return the lines of a passage that hold most of the terms, in their order."""
    ranked: list[tuple[int, int, str]] = []
    for at, raw in enumerate(clean(text).split("\n")):
        line = raw.rstrip()
        if not line.strip() or line.startswith(("@@", "+++", "---", "diff ")) or line == title:
            continue
        low = line.lower()
        if held := sum(term in low for term in terms):
            ranked.append((-held, at, line))
    return [line for _, _, line in sorted(sorted(ranked)[:LINES], key=lambda found: found[1])]


def highlight(line: str, terms: list[str], stream: Stream) -> str:
    """Return the line with the terms standing out."""
    if not stream.colours or not terms:
        return line
    pattern = "|".join(re.escape(term) for term in sorted(terms, key=len, reverse=True))
    return re.sub(f"(?i){pattern}", lambda match: stream.style(match[0], "mark"), line)


def day(seconds: int) -> str:
    """Return the day of a commit (UTC, as the sources of an answer have it)."""
    import time

    return time.strftime("%Y-%m-%d", time.gmtime(seconds))
