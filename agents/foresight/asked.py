"""Read a question of every day: what happened in an area, why a test is red, how a ticket stands.

Only what is asked in one of these forms is read. What asks for a reason, a person or anything else
is left to search and the model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ...memory.dates import WEEKDAYS
from ...memory.hints import read_span
from .asked_items import OfItems, read_items


class Kind(StrEnum):
    """What is asked."""

    AREA = "area"
    """What happened in a part of a repository, in a time."""
    TEST = "test"
    """Why a test is red, and since when."""
    TICKET = "ticket"
    """How a ticket or a pull request stands."""
    ITEMS = "items"
    """What is open and for whom, or what somebody said about something."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of this sort, read."""

    kind: Kind
    subject: str
    """The area as it was typed, the test's name or a part of its id, the ticket's key in capitals;
    empty for everything."""
    since: int | None = None
    until: int | None = None
    """Seconds since the epoch, ``until`` exclusive; for an area, where a time was named."""
    items: OfItems | None = None
    """For ITEMS: what of them."""


_KEY = r"(?P<key>#\d{1,7}|[A-Za-z][A-Za-z0-9]{1,9}-\d{1,6})"
_TICKET = rf"(?:(?:the\s+)?(?:ticket|issue|bug|story|task|pr|pull(?:\s+request)?)\s+)?{_KEY}"
_OVER = (
    r"(?:done|finished|merged|closed|open|fixed|resolved|shipped|released|landed|blocked|ready|"
    r"reviewed|started|complete|completed|implemented|in\s+(?:progress|review)|over|stalled|stuck)"
)
_YET = r"(?:\s+(?:yet|now|already|again|today))*"
_TICKET_FORMS = (
    rf"(?:what(?:'s| is| was)\s+)?(?:the\s+)?(?:current\s+|latest\s+)?(?:state|status|progress|standing|news|update)\s+(?:of|on|with|for|about)\s+{_TICKET}",
    rf"where\s+(?:are|do|did)\s+(?:we|things|they)\s+(?:stand\s+|get\s+|leave\s+off\s+)?(?:with|on|at\s+with)\s+{_TICKET}",
    rf"where\s+(?:does|is|did)\s+{_TICKET}(?:\s+(?:stand|at|end up))?{_YET}",
    rf"how\s+(?:does|do)\s+{_TICKET}\s+stand",
    rf"how\s+(?:is|are|far\s+is|far\s+along\s+is)\s+{_TICKET}(?:\s+(?:going|coming\s+along|coming|doing|progressing|looking))?",
    rf"how\s+(?:far\s+)?(?:along\s+)?are\s+we\s+(?:doing\s+)?(?:with|on)\s+{_TICKET}",
    rf"(?:is|was)\s+{_TICKET}\s+(?:still\s+|already\s+|now\s+|really\s+)?{_OVER}{_YET}",
    rf"(?:has|have|did)\s+{_TICKET}\s+(?:(?:been|got|gotten|get)\s+)?(?:already\s+)?(?:{_OVER}|land|ship|merge|close){_YET}",
    rf"(?:did|have|has)\s+(?:we|they|anyone|anybody|somebody|someone)\s+(?:already\s+)?(?:finish|fix|merge|close|ship|land|resolve|start|finished|fixed|merged|closed|shipped|landed|resolved|started|done|do)\s+(?:on\s+|with\s+)?{_TICKET}{_YET}",
    rf"who(?:'s| is)\s+(?:working\s+on|assigned\s+to|doing|on|handling|taking|looking\s+at)\s+{_TICKET}{_YET}",
    rf"who\s+(?:works\s+on|has|owns|does)\s+{_TICKET}{_YET}",
    rf"what(?:'s| is)\s+(?:up|happening|going\s+on|new|left|the\s+deal)\s+(?:with|on|in|about)\s+{_TICKET}",
    rf"what(?:\s+has|'s)?\s+(?:happened|moved|changed|been\s+happening)\s+(?:with|to|on|in)\s+{_TICKET}",
    rf"(?:what|how)\s+about\s+{_TICKET}",
    rf"(?:is\s+there\s+)?any(?:thing)?\s+(?:news|progress|updates?|new|movement)\s+(?:on|about|with|in|for)\s+{_TICKET}",
)

_NAME = r"(?P<test>[^\s\"'`?,;]*(?:test|spec|::)[^\s\"'`?,;]*)"
_TEST = rf"(?:(?:the|our)\s+)?(?:tests?\s+)?[\"'`]?{_NAME}[\"'`]?(?:\s+tests?)?"
_BAD = r"(?:red|failing|fails?|failed|broken|breaks?|breaking|not\s+pass(?:ing)?|crash(?:es|ing)?|flaky)"
_AGAIN = r"(?:\s+(?:again|now|today|lately|suddenly|since\s+when|here|locally|all\s+the\s+time))*"
_STILL = r"(?:still\s+|suddenly\s+|now\s+|always\s+|so\s+|sometimes\s+)?"
_TEST_FORMS = (
    rf"why\s+(?:is|are|does|do|did|was|were|has|have)\s+{_TEST}\s+(?:been\s+|turn(?:ed)?\s+|go(?:ne)?\s+|gone\s+)?{_STILL}{_BAD}{_AGAIN}",
    rf"why\s+(?:isn't|doesn't|won't|can't)\s+{_TEST}\s+(?:pass(?:ing)?|green|work(?:ing)?){_AGAIN}",
    rf"(?:what|which\s+(?:commit|change))\s+(?:broke|breaks|has\s+broken|is\s+breaking|is\s+wrong\s+with|makes\s+red)\s+{_TEST}{_AGAIN}",
    rf"what(?:'s|\s+is|\s+was|\s+went)\s+wrong\s+with\s+{_TEST}{_AGAIN}",
    rf"(?:what|which\s+(?:commit|change))\s+(?:made|makes|turned|caused)\s+{_TEST}\s+(?:to\s+)?(?:go\s+)?{_BAD}{_AGAIN}",
    rf"who\s+(?:broke|has\s+broken)\s+{_TEST}{_AGAIN}",
    rf"(?:since\s+when|how\s+long)\s+(?:is|does|has|have|was)\s+{_TEST}\s+(?:been\s+)?{_STILL}{_BAD}{_AGAIN}",
    rf"when\s+(?:did|has)\s+{_TEST}\s+(?:(?:start|begin|started|begun)\s+(?:to\s+)?{_BAD}|(?:break|fail|turn\s+red|go\s+red|become\s+red|last\s+pass)){_AGAIN}",
    rf"(?:is|are|was)\s+{_TEST}\s+{_STILL}(?:{_BAD}|green|passing|ok|fine|fixed){_AGAIN}",
    rf"(?:does|do|did)\s+{_TEST}\s+{_STILL}(?:pass|fail|work|break){_AGAIN}",
    rf"(?:what(?:'s| is)\s+)?(?:the\s+)?(?:state|status)\s+of\s+{_TEST}",
)
_ALL_TESTS_FORMS = (
    rf"(?:which|what)\s+tests?\s+(?:are|is|do|does)?\s*{_STILL}{_BAD}{_AGAIN}",
    rf"why\s+(?:are|is|do|does)\s+(?:the\s+|our\s+|my\s+|all\s+)*(?:tests|test\s+suite|suite)\s+{_STILL}{_BAD}{_AGAIN}",
    rf"what(?:'s|\s+is)\s+{_STILL}(?:red|failing){_AGAIN}",
    rf"(?:are|do|is)\s+(?:the\s+|our\s+|my\s+|all\s+)*(?:tests|test\s+suite|suite)\s+{_STILL}(?:{_BAD}|green|passing|pass|ok){_AGAIN}",
    r"how\s+(?:are|do)\s+(?:the\s+|our\s+|my\s+)?tests\s+(?:doing|stand|look|looking)",
    r"(?:what(?:'s| is)\s+)?the\s+(?:state|status)\s+of\s+(?:the\s+|our\s+|my\s+)?tests",
)

_PLACE = r"(?:in|inside|under|within|around|across|over\s+in|with)"
_SUBJECT = r"(?P<subject>.+)"
_HAPPENED = (
    r"(?:what(?:'s|\s+has|\s+have|\s+had|\s+all|\s+all\s+has)?\s+(?:happened|changed|gone\s+on|went\s+on|been\s+happening|been\s+going\s+on"
    r"|been\s+changed|been\s+changing|been\s+done|been\s+worked\s+on)"
    r"|what\s+(?:was|got|were)\s+(?:done|changed|worked\s+on|going\s+on|happening|new)"
    r"|what(?:'s|\s+is)\s+(?:new|happening|going\s+on|changed|different)"
    r"|what\s+(?:did|have|has)\s+(?:we|they|the\s+team|people|everyone|everybody|others)\s+(?:do|done|change|changed|been\s+doing|work\s+on|been\s+up\s+to)"
    r"|what\s+did\s+i\s+miss|catch\s+me\s+up|(?:anything|something)\s+(?:new|happen(?:ed)?|changed?)"
    r"|did\s+anything\s+(?:happen|change)|has\s+anything\s+(?:happened|changed))"
)
_AREA_FORMS = (
    rf"{_HAPPENED}\s+{_PLACE}\s+{_SUBJECT}",
    rf"(?:what\s+(?:have|did)\s+(?:we|they|the\s+team|people)\s+(?:change|changed|do|done)|what\s+was\s+(?:done|changed)|catch\s+me\s+up|what\s+was\s+worked)\s+(?:to|on)\s+{_SUBJECT}",
    rf"(?:what\s+are\s+)?(?:the\s+|any\s+|all\s+)?(?:recent\s+|new\s+)?(?:news|changes|activity|work|happenings)\s+{_PLACE}\s+{_SUBJECT}",
    rf"(?:summari[sz]e|recap|sum\s+up|(?:give\s+(?:me\s+)?)?(?:a\s+|the\s+)?(?:summary|recap|overview)\s+of)\s+(?:(?:the\s+)?(?:recent\s+)?(?:work|changes|activity|what\s+(?:happened|changed))\s+{_PLACE}\s+){_SUBJECT}",
)
_ALL_AREAS_FORMS = (
    _HAPPENED,
    r"(?:summari[sz]e|recap|sum\s+up|(?:give\s+(?:me\s+)?)?(?:a\s+|the\s+)?(?:summary|recap|overview)\s+of)(?:\s+(?:the\s+)?(?:work|changes|activity|what\s+(?:happened|changed)|everything))?",
)

_QUOTED = re.compile(r"[\"'“„](?P<inside>[^\"“„”]+)[\"'”“]")
_POLITE = re.compile(
    r"^(?:(?:hey|hi|hello|so|ok|okay|hermes|and|please|well)[,:]?\s+|(?:(?:can|could|would)\s+you\s+)?"
    r"(?:please\s+)?(?:tell|show|remind)\s+me\s+(?!about)|do\s+you\s+know\s+|i\s+wonder\s+)+",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?:[\s?!.,;]|,?\s+(?:please|thanks|though|exactly))+$", re.IGNORECASE)
_ON_DAY = re.compile(rf"\b(?:on|last)\s+(?P<day>{'|'.join(WEEKDAYS)})\b", re.IGNORECASE)
_LATELY = re.compile(
    r"\s+(?:recently|lately|so far|these days|of late|meanwhile|overall)$", re.IGNORECASE
)
_ARTICLE = re.compile(
    r"^(?:(?:all\s+of\s+)?(?:the|our|my|this|that|a)\s+)+(?:whole\s+|entire\s+)?", re.IGNORECASE
)
_NOUN = re.compile(
    r"\s+(?:module|package|folder|directory|dir|code|codebase|area|part|side|service|layer|"
    r"component|subsystem|stuff|land|files?|docs folder)$",
    re.IGNORECASE,
)
_EVERYTHING = frozenset(
    [
        "it",
        "here",
        "repo",
        "repository",
        "project",
        "code",
        "codebase",
        "general",
        "everything",
        "this",
        "main",
        "master",
    ]
)
_OTHER = re.compile(
    r"\b(?:why|how|who|whom|when|if|that|which|since|before|after|until|till|by|from|because|"
    r"for|and\s+what|versus|vs|compared|between|version|release|v?\d+\.\d+\S*|python\s*\d)\b",
    re.IGNORECASE,
)
"""Words with which what follows "in" is no area, but another question."""
LONGEST_QUESTION = 300
"""Characters; what is longer tells a story."""
LONGEST = 4
"""Words that name an area."""


def read(question: str, now: datetime) -> Asked | None:
    """Given a question and the local time (naive), return what it asks, or None if it is of
    another sort."""
    if len(question) > LONGEST_QUESTION:
        return None
    text = " ".join(question.replace("’", "'").split())
    if found := _QUOTED.fullmatch(text):
        text = found["inside"]
    text = _ENDS.sub("", _POLITE.sub("", _ENDS.sub("", text)))
    return _ticket(text) or _test(text) or _items(text) or _area(text, now)


def _ticket(text: str) -> Asked | None:
    for form in _TICKETS:
        if found := form.fullmatch(text):
            return Asked(Kind.TICKET, found["key"].upper())
    return None


def _items(text: str) -> Asked | None:
    found = read_items(text)
    if found is None:
        return None
    return Asked(Kind.ITEMS, f"{found.which}:{found.who}:{found.topic}", items=found)


def _test(text: str) -> Asked | None:
    if any(form.fullmatch(text) for form in _ALL_TESTS):
        return Asked(Kind.TEST, "")
    for form in _TESTS:
        found = form.fullmatch(text)
        if found and found["test"].lower() not in ("test", "tests", "spec", "specs"):
            return Asked(Kind.TEST, found["test"].strip("()"))
    return None


def _area(text: str, now: datetime) -> Asked | None:
    text = _ON_DAY.sub(r"last \g<day>", text)
    span = read_span(text, now)
    if span is not None:
        text = _ENDS.sub("", _without(text, span.words))
    since, until = (span.since, span.until) if span else (None, None)
    bare = _LATELY.sub("", text)
    lately = bare != text
    for form in _AREAS:
        if found := form.fullmatch(bare):
            subject = _subject(found["subject"])
            return None if subject is None else Asked(Kind.AREA, subject, since, until)
    if (span is not None or lately) and any(form.fullmatch(bare) for form in _ALL_AREAS):
        return Asked(Kind.AREA, "", since, until)
    return None


def _subject(text: str) -> str | None:
    """Return the area that words name, empty for everything; None where they name none."""
    bare = _LATELY.sub("", text.strip(" \"'`"))
    bare = _NOUN.sub("", _ARTICLE.sub("", bare)).strip(" \"'`")
    if not bare or bare.lower() in _EVERYTHING:
        return ""
    path = "/" in bare and " " not in bare
    if (not path and _OTHER.search(bare)) or len(bare.split()) > LONGEST:
        return None
    return bare


def _without(text: str, words: str) -> str:
    for part in [words] if words in text else words.split():
        text = text.replace(part, " ", 1)
    return " ".join(text.split())


def _compiled(forms: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(form, re.IGNORECASE) for form in forms)


_TICKETS, _TESTS, _ALL_TESTS = map(_compiled, (_TICKET_FORMS, _TEST_FORMS, _ALL_TESTS_FORMS))
_AREAS, _ALL_AREAS = _compiled(_AREA_FORMS), _compiled(_ALL_AREAS_FORMS)
