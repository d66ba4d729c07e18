"""What a person asks of a council, before anything is gathered: the question, and whether it is one for
judges at all."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...memory.errors import HermesError
from .question import read_question
from .records import Kind

MOST_QUESTION = 2_000
"""Characters that are taken for the question; of a longer text its last paragraph is."""
OF_A_CHANGE = "Is this change safe to merge?"
"""What is asked of a diff that comes without a question."""
OF_TEXTS = "What does this need before it can be relied on?"
"""What is asked of files or logs that come without a question."""

_FACT = re.compile(
    r"^\W*(?:why|who|whom|whose|when|where|since\s+when|explain|show|list|find|remind|tell\s+me"
    r"|what\s+(?:is|are|was|were|did|does|do|happened|changed|has|have)|how\s+(?:is|are|was|were|did|does|do|many|much|long|often)"
    r"|did|was|were|has|have|had|does|do"
    r"|warum|wieso|weshalb|wer|wem|wann|wo|wie\s+viele?|was\s+(?:ist|war|hat)|hat|haben|war"
    r"|pourquoi|qui|quand|où|comment\s+(?:fonctionne|marche)|por\s+qué|quién|cuándo|cómo\s+funciona|dónde)\b",
    re.IGNORECASE,
)
_WEIGHS = re.compile(
    r"\b(?:should|shall|would\s+you|ought|safe|risky?|risks|worth|better|best|wise|good|bad|prefer|recommend\w*|trade-?offs?"
    r"|pros|cons|ready|enough|right|wrong|mistake|missing|think|opinion|sensible|make\s+sense|approve|acceptable"
    r"|soll\w*|sicher|besser|sinnvoll|lohnt|empf\w+|devr\w+|devons|doit|faut|mieux|vaut|debe\w*|mejor|conviene|segur[oa])\b",
    re.IGNORECASE,
)


class NoQuestion(HermesError):
    """There is nothing to judge."""

    code = "empty_question"

    def __init__(self) -> None:
        super().__init__(
            "council about what?",
            hint='for example: hermes council "Postgres or Mongo for the ledger?"',
        )


class NotAJudgment(HermesError):
    """The question asks for a fact; judges would only guess at it."""

    code = "no_judgment"

    def __init__(self, question: str) -> None:
        said = question if len(question) <= 60 else f"{question[:59].rstrip()}…"
        super().__init__(
            "that asks for a fact, not for a judgment: a council would only guess at it",
            hint=f'hermes ask "{said}" looks it up. Judges take "is it safe …", "should we …", "A or B?"',
        )


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked."""

    question: str
    kind: Kind
    options: tuple[str, ...] = ()
    told: str = ""
    """What else the person wrote around a question that is buried in a long text."""


def read_wish(text: str, *, diff: bool = False, texts: bool = False) -> Wish:
    """Given what a person wrote, and whether a diff or other texts come with it, return the wish.
    Raise NoQuestion and NotAJudgment."""
    question, told = _parted(text.strip())
    if not re.search(r"\w", question):
        if not diff and not texts:
            raise NoQuestion
        question = OF_A_CHANGE if diff else OF_TEXTS
    asked = read_question(question)
    evidence = diff or texts or told
    a_fact = _FACT.search(question) and not _WEIGHS.search(question)
    if a_fact and not evidence and not asked.options:
        raise NotAJudgment(" ".join(question.split()))
    return Wish(question, asked.kind, asked.options, told)


def _parted(text: str) -> tuple[str, str]:
    """Return the question, and what stood around it where the text is too long to be one."""
    if len(text) <= MOST_QUESTION:
        return text, ""
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]
    asking = [part for part in paragraphs if "?" in part and len(part) <= MOST_QUESTION]
    if asking:
        return asking[-1], text
    end = text.rfind("?") + 1
    tail = text[:end] if end else text
    sentences = re.split(r"(?<=[.?!])\s+", tail[-MOST_QUESTION:])
    question = sentences[-1] if end else " ".join(text[:200].split())
    return question[-MOST_QUESTION:], text
