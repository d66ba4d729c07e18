"""A message phrased by a model: asked for under a schema, checked, repaired once, else dropped."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from ..models.protocol import ChatModel, Message, ModelError
from . import validate
from .compose import Composed
from .grounding import ungrounded
from .mentions import Mention, mentions
from .prompt import ANSWER_TOKENS, messages_for, read_answer, repair_for, schema_of
from .records import Draft, Problem, Sources, Style

_PREFIX = re.compile(r"^(?P<head>[\w./-]+(?:\([^()]*\))?!?: +)?(?P<rest>.*)$", re.DOTALL)
_CLAUSE = re.compile(
    r",? (?:in|for|from|by|with|to|when|so|because|as|using|via|during|while|which|that) |, "
)
"""Where a subject can end before it is over, and still be one."""
_FEWEST = 3
"""Words that are left of it then."""
_UNREADABLE = Problem("unreadable", "it is not the JSON object that was asked for")


@dataclass(frozen=True, slots=True)
class Phrased:
    """What came of asking a model."""

    draft: Draft | None
    """None: what it wrote may not stand, or it could not be asked."""
    problems: tuple[str, ...] = ()
    """What was wrong, each as ``rule: what``; of the repaired one too."""
    calls: int = 0
    failure: str = ""
    """Why the model could not be asked, in a line."""


async def phrase(model: ChatModel, composed: Composed) -> Phrased:
    """Have a model word a change. Preempted passes through; a ModelError becomes ``failure``."""
    rule = composed.drafts[0] if composed.drafts else None
    style = composed.style
    messages = messages_for(composed.change, composed.facts, style, composed.sources, rule)
    said: list[str] = []
    for calls in (1, 2):
        try:
            answer = await _ask(model, messages, style)
        except ModelError as error:
            return Phrased(None, tuple(said), calls, error.message)
        draft = _draft(answer, composed, rule)
        found = [_UNREADABLE] if draft is None else _problems(composed, draft)
        if draft is not None and not found:
            why = (*(rule.why if rule else ()), f"worded by {model.name} from the diff and facts")
            return Phrased(replace(draft, by=model.name, why=why), tuple(said), calls)
        said += [f"{problem.rule}: {problem.what}" for problem in found]
        messages = [*messages, *repair_for(answer, found)]
    return Phrased(None, tuple(said), 2)


def _problems(composed: Composed, draft: Draft) -> list[Problem]:
    found = composed.problems(draft)
    found += ungrounded(draft, composed.change, composed.facts, composed.sources)
    return found + [problem for rule in composed.drafts[:1] for problem in lost(draft, rule)]


def lost(draft: Draft, rule: Draft) -> list[Problem]:
    """Return what the draft by rule names in its subject and a model's does not: names and numbers
    are facts, and fewer of them is no better message. A file may be left out, since what happened
    in it says more."""
    text = draft.subject.lower()
    return [
        Problem("lost", f"it does not name {mention.text!r}, which the plain draft names")
        for mention in mentions(rule.subject)
        if mention.sort != "path" and _last(mention).lower() not in text
    ]


def _last(mention: Mention) -> str:
    """``Cart.total`` may be called ``total``."""
    return mention.text.split(".")[-1] if mention.sort == "identifier" else mention.text


async def _ask(model: ChatModel, messages: Sequence[Message], style: Style) -> str:
    pieces: list[str] = []
    stream = model.stream(messages, max_tokens=ANSWER_TOKENS, schema=schema_of(style))
    async with aclosing(stream) as deltas:
        async for delta in deltas:
            pieces.append(delta.text)
    return "".join(pieces)


def _draft(answer: str, composed: Composed, rule: Draft | None) -> Draft | None:
    read = read_answer(answer)
    if read is None:
        return None
    style = composed.style
    subject = tidy(read[0], style, composed.sources)
    text = f"{subject}\n\n{wrapped(read[1], style)}" if style.body else subject
    draft = validate.parse(text, style)
    # Trailers are facts and habits: never a model's to write.
    return replace(draft, trailers=rule.trailers if rule else ())


def tidy(subject: str, style: Style, sources: Sources) -> str:
    """Given a subject, return it in the outward form of the repository: on one line, the first
    letter, the period, the ticket. Its words stay."""
    text = " ".join(subject.split()).strip("\"'` ")
    ticket = sources.ticket
    text = text if style.period else text.rstrip(".")
    match = _PREFIX.match(text)
    if match is not None and match["rest"]:
        head, rest = match["head"] or "", match["rest"]
        if style.form == "plain":
            head, rest = "", text
        word = rest.split()[0]
        if word.isalpha() and (word.islower() or word.istitle()):
            first = word[0].upper() if style.upper else word[0].lower()
            rest = first + rest[1:]
        text = head + rest
    if ticket is not None and style.ticket in ("prefix", "suffix") and ticket.key not in text:
        written = (style.ticket_form or "{key}").replace("{key}", ticket.key)
        text = f"{written} {text}" if style.ticket == "prefix" else f"{text} {written}"
    return shortened(text, style.length)


def shortened(subject: str, length: int) -> str:
    """Given a subject that is too long, return it without clauses from its end, if then it is not;
    a model can't count letters. Else as it is."""
    ends = [match.start() for match in _CLAUSE.finditer(subject) if match.start() <= length]
    for end in reversed(ends if len(subject) > length else []):
        if len(subject[:end].split()) >= _FEWEST:
            return subject[:end]
    return subject


def wrapped(body: str, style: Style) -> str:
    """Return a body with its lines wrapped, bullets staying bullets."""
    lines: list[str] = []
    for line in body.strip().splitlines():
        indent = "  " if line.lstrip().startswith(("- ", "* ")) else ""
        lines += textwrap.wrap(
            line.strip(),
            style.wrap,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return "\n".join(lines)
