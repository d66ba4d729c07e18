"""The sentences of a commit's message that say why, found by rule."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..memory.tokens import terms
from .subjects import leading_verb
from .words import overlap

QUOTE_LIMIT = 260
"""Characters of a quotation in an answer."""

_TRAILER = re.compile(
    r"^(?:[A-Z][\w-]*-by|cc|change-id|see-also|link|git-svn-id|cherry-picked-from|"
    r"reviewed-on|\(cherry picked from)\b.*:?|^[A-Za-z-]+-by: .*<.*@.*>$",
    re.IGNORECASE,
)
_RULER = re.compile(r"^---\s*$", re.MULTILINE)
"""What follows such a line is for machines."""
_STEP = 9
"""Words up to which a line that begins with a verb is a step of squashed work, not a reason."""
_TICKETS = re.compile(
    r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see)\b:?\s*#\d+|\bthis reverts commit\b.*|[\w./-]*#\d+|https?://\S+",
    re.IGNORECASE,
)
_LEANING = re.compile(
    r"(?:thus|so|therefore|hence|this|that|these|those|it|they|however|but|and|also|instead|then)\b",
    re.IGNORECASE,
)
"""How a sentence begins that can't be understood without the one before it."""
_BULLET = re.compile(r"^\s*(?:[*•+-]|\d+[.)])\s+")
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'`(\[]?[A-Z0-9`*])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no|Mr|Dr|St)\.$", re.IGNORECASE)
_CUES: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), weight)
    for pattern, weight in (
        (r"\bbecause\b|\bso that\b|\bin order to\b|\bdue to\b|\bthe reason\b|\brationale\b", 1.0),
        (
            r"\binstead of\b|\brather than\b|\bno longer\b|\bto avoid\b|\bavoids?\b|\botherwise\b",
            0.8,
        ),
        (
            r"\bcaus(?:e[sd]?|ing)\b|\bprevents?\b|\bled to\b|\bleads? to\b|\bresult(?:s|ed)? in\b",
            0.7,
        ),
        (
            r"\bsince\b|\bwhich (?:is|was|means|made|makes)\b|\bmeans? that\b|\bthis (?:is|was)\b",
            0.5,
        ),
        (
            r"\b(?:broke[n]?|breaks?|fail(?:s|ed|ing)?|crash\w*|hang\w*|slow\w*|leak\w*|race|wrong)\b",
            0.5,
        ),
        (
            r"\b(?:need(?:s|ed)?|require[sd]?|want(?:s|ed)?|allow(?:s|ed)?|makes? it|safer|faster)\b",
            0.4,
        ),
        (r"\b(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|revert(?:s|ed)?|refs?)\b", 0.3),
    )
)


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence of a message's body, and how much it looks like the why that was asked for."""

    text: str
    score: float


def split_message(message: str) -> tuple[str, str]:
    """Given a commit's message, return its subject and its body without trailers."""
    subject, _, body = message.strip().partition("\n")
    body = _RULER.split(body, maxsplit=1)[0]
    kept = [line for line in body.splitlines() if not _TRAILER.match(line.strip())]
    return subject.strip(), "\n".join(kept).strip()


def body_sentences(body: str) -> list[str]:
    """Given a message's body, return its sentences: wrapped lines joined, bullets apart, code left
    out."""
    return [
        sentence
        for paragraph in paragraphs(body)
        for sentence in sentences_of(paragraph)
        if len(sentence.split()) > 2
    ]


def sentences_of(paragraph: str) -> list[str]:
    """Given a paragraph on one line, return its sentences."""
    joined: list[str] = []
    for piece in _END.split(paragraph):
        if joined and (
            _ABBREVIATION.search(joined[-1]) or joined[-1].count("“") > joined[-1].count("”")
        ):
            joined[-1] += " " + piece
        else:
            joined.append(piece)
    return [sentence.strip() for sentence in joined]


def paragraphs(body: str) -> list[str]:
    """Given prose of several lines, return its paragraphs and bullets, each on one line, code left
    out."""
    found: list[str] = []
    fenced = open_paragraph = False
    for line in body.splitlines():
        stripped = line.strip()
        if stripped.startswith(("```", "~~~")):
            fenced, open_paragraph = not fenced, False
        elif fenced or not stripped or stripped.startswith(("diff --git", ">>>", "$ ")):
            open_paragraph = False
        elif _BULLET.match(line):
            found.append(_BULLET.sub("", line).strip())
            open_paragraph = True
        elif open_paragraph:
            found[-1] += " " + stripped
        elif not line.startswith(("    ", "\t")):  # an indented block is code or output
            found.append(stripped)
            open_paragraph = True
    return found


def find_reasons(message: str, wanted: frozenset[str]) -> list[Reason]:
    """Given a message and the question's terms, return its body's sentences, best reason first."""
    subject, body = split_message(message)
    told = frozenset(terms(subject))
    reasons: list[Reason] = []
    before = ""
    for place, alone in enumerate(body_sentences(body)):
        joined = f"{before} {alone}"
        leans = bool(before and _LEANING.match(alone)) and len(joined) <= QUOTE_LIMIT
        sentence, before = joined if leans else alone, alone
        if not _adds_to(told, sentence):
            continue
        cue = max((weight for pattern, weight in _CUES if pattern.search(sentence)), default=0.0)
        if cue < 1.0 and _is_step(alone):
            continue
        score = cue + 0.8 * overlap(sentence, wanted) - min(0.03 * place, 0.3)
        reasons.append(Reason(sentence, score))
    return sorted(reasons, key=lambda reason: -reason.score)


def _is_step(sentence: str) -> bool:
    """Whether it is the subject of a commit that was squashed into this one."""
    unfinished = sentence[:1].islower() or not sentence.rstrip("\"'`)").endswith((".", "!", "?"))
    return len(sentence.split()) <= _STEP and unfinished and leading_verb(sentence) is not None


def _adds_to(told: frozenset[str], sentence: str) -> bool:
    """Whether a sentence says more than the subject did and more than which ticket it closes."""
    words = frozenset(term for term in terms(_TICKETS.sub(" ", sentence)) if len(term) > 1)
    return len(words) >= 3 and len(words - told) >= max(2, len(words) * 0.5)


def shorten(text: str, limit: int = QUOTE_LIMIT) -> str:
    """Given a text, return it on one line, cut at a word with "…" when it is longer than limit."""
    line = " ".join(text.split())
    if line.endswith((",", ":", ";")):
        line = line[:-1] + " …"
    if len(line) <= limit:
        return line
    cut = line[: limit - 2].rsplit(" ", 1)[0].rstrip(",;:(–—-")
    return cut + " …"
