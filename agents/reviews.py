"""Questions about pull requests: which one did something, and who took part in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..memory.memory import Memory
from ..memory.records import Item, ItemKind, Passage
from ..memory.tokens import terms
from .answer_events import Text, iso_day
from .deeds import essential
from .evidence import Evidence
from .words import find_marks, question_terms
from .written import quoted

_LEAST_COVERED = 0.5
"""Share of what is asked about that a pull request, or its commit, has to hold."""
_LOOKED_AT = 5
_QUOTED = 2
_QUOTE = 160
_PULL = r"(?:prs?|pull requests?|merge requests?)"
_WHICH = re.compile(
    rf"^(?:in )?(?:which|what) {_PULL}\s+(?:has |had |was it that )?(?P<topic>.+)", re.IGNORECASE
)
_WHO = re.compile(
    r"^who\s+(?:has\s+|have\s+|all\s+)?(?:reviewed|commented on|approved|discussed|looked at|took part in)"
    r"\s+(?P<topic>.+)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"#\d{1,7}")
_TURN = re.compile(
    r"^(?P<who>[^\n:()]{1,80}) \((?P<day>\d{1,2} [A-Z][a-z]+ \d{4}) \d\d:\d\d(?:, [^\n)]*)?\): (?P<said>[^\n]+)",
    re.MULTILINE,
)
_ASKING = essential("pull request pr merge which what who that introduced brought")


@dataclass(frozen=True, slots=True)
class AskedOfPulls:
    """A question about a pull request."""

    topic: str
    who: bool
    """It asks who took part, and not which one it was."""


def read_of_pulls(question: str) -> AskedOfPulls | None:
    """Given a question, return what it asks of pull requests; None when it is of another sort."""
    text = question.strip().rstrip("?!. ")
    for form, who in ((_WHICH, False), (_WHO, True)):
        if (found := form.match(text)) is not None:
            return AskedOfPulls(found["topic"].strip(" ,'\"`"), who)
    return None


def tell_pulls(
    asked: AskedOfPulls,
    memory: Memory,
    repos: Sequence[str],
    passages: Sequence[Passage],
    evidence: Evidence,
) -> list[Text] | None:
    """Return the sentences that tell of the pull request that is meant; None where none is.

    It is the one that is named, else the first of what was found that holds what is asked about.
    """
    pull = _named(memory, asked.topic, repos) or _found(memory, asked.topic, passages)
    if pull is None:
        return None
    wanted = question_terms(asked.topic)
    source = evidence.add_item(pull)
    cite = f"[{source.number}]"
    told = [_who(pull, cite) if asked.who else _which(pull, cite)]
    if asked.who:
        told += _quotes(pull, cite)
    return [Text(sentence, find_marks(sentence, wanted)) for sentence in told]


def _named(memory: Memory, topic: str, repos: Sequence[str]) -> Item | None:
    for number in _NUMBER.findall(topic):
        items = memory.index.items.by_key(number, repos)
        pulls = [item for item in items if item.kind is ItemKind.PULL]
        if len(pulls) == 1:
            return pulls[0]
    return None


def _found(memory: Memory, topic: str, passages: Sequence[Passage]) -> Item | None:
    wanted = essential(topic) - _ASKING
    if not wanted:
        return None
    best: tuple[float, Item] | None = None
    for passage in passages[:_LOOKED_AT]:
        chunks = (passage.chunk, *passage.also)
        items = memory.index.items.get_all({chunk.ref for chunk in chunks if ":" in chunk.ref})
        pull = next((item for item in items.values() if item.kind is ItemKind.PULL), None)
        if pull is None:
            continue
        text = " ".join(f"{chunk.title} {chunk.path} {chunk.text}" for chunk in chunks)
        held = set(terms(text)) | essential(text)
        covered = len(wanted & held) / len(wanted)
        if covered >= _LEAST_COVERED and (best is None or covered > best[0]):
            best = (covered, pull)
    return None if best is None else best[1]


def _which(pull: Item, cite: str) -> str:
    end = f", {_state(pull)}"
    return f"{_name(pull)}, opened by {pull.author} on {iso_day(pull.time)}{end} {cite}."


def _state(pull: Item) -> str:
    state = pull.state.casefold() or ("open" if pull.closed is None else "closed")
    return state if pull.closed is None else f"{state} on {iso_day(pull.closed)}"


def _who(pull: Item, cite: str) -> str:
    others = [name for name, _ in pull.people if name and name != pull.author]
    if not others:
        return f"Nobody but {pull.author} has said anything on {_name(pull)} {cite}."
    who = ", ".join(others[:-1]) + " and " + others[-1] if others[1:] else others[0]
    return f"{who} took part in {_name(pull)} by {pull.author}, {_state(pull)} {cite}."


def _quotes(pull: Item, cite: str) -> list[str]:
    """The first thing that each of the others said."""
    first: dict[str, str] = {}
    for turn in _TURN.finditer(pull.text):
        if turn["who"] != pull.author and turn["who"] not in first:
            said = turn["said"] if len(turn["said"]) <= _QUOTE else turn["said"][:_QUOTE] + " …"
            first[turn["who"]] = f"{turn['who']} said on {turn['day']}: {quoted(said)} {cite}."
    return list(first.values())[:_QUOTED]


def _name(pull: Item) -> str:
    return f"{pull.key or 'the pull request'} “{pull.title}”"
