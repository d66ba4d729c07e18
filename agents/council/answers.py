"""A juror's answer as text into an opinion, or why it is none. Pure.

Models that were asked for JSON wrap it in prose, leave out commas, repeat what they were shown, or
refuse. What can be read is read; what can't is said in one line, which is also what a repair asks for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...ingest.redaction import redact
from ..tools.lenient import read_object
from .prompt import BOUNDS, labels
from .records import Finding, Juror, Opinion, Packet, Severity, Vote

LONGEST = 600
"""Characters of one text of an opinion that are kept."""
MOST = 6
MOST_OBJECTS = 50
"""Opening braces of an answer at which an object is looked for."""
COPIED = 160
"""Characters of a text that stand in the packet word for word, from which on it is no judgment."""
_REFUSES = re.compile(
    r"^\W*(?:i(?:'m| am) (?:sorry|unable|not able)|sorry\b|i (?:can(?:'|no)t|won'?t|must decline)|as an ai\b"
    r"|i apologi[sz]e|es tut mir leid|je suis désolé|lo siento)",
    re.IGNORECASE,
)
_VOTES = {str(vote): vote for vote in Vote}
_SAYS = re.compile(r"[^\W\d_]")
_LABEL = re.compile(r"\b[EP]\d{1,3}\b")


class Unread(Exception):
    """An answer is no opinion; the text says why, in words that its writer understands too."""


def read_answer(text: str, juror: Juror, packet: Packet, prompt: str, round: int) -> Opinion:
    """Given what a juror answered to a prompt, return its opinion. Raise Unread."""
    found = _object(text)
    if found is None:
        if _REFUSES.search(text):
            raise Unread("it refused to judge")
        if _copies(text, prompt):
            raise Unread("it repeats the packet")
        raise Unread("it is prose, not a JSON object" if text.strip() else "it is empty")
    if "properties" in found and "vote" not in found:
        raise Unread("it repeats the form of the answer")
    vote = _vote(found.get("vote"))
    position, insight = _text(found.get("position")), _words(found.get("insight"))
    decision = _text(found.get("decision"))
    reasons = _texts(found.get("reasons"))
    if not position and not decision and vote is not Vote.ABSTAIN:
        raise Unread('"position" is empty')
    if not insight and not reasons and vote is not Vote.ABSTAIN:
        raise Unread('there is no reason in it: "insight" and "reasons" are empty')
    for part in (position, insight, *reasons):
        if _copies(part, prompt):
            raise Unread("it repeats the packet instead of judging it")
    return Opinion(
        juror=juror,
        vote=vote,
        position=position or decision,
        confidence=_confidence(found.get("confidence")),
        insight=insight,
        reasons=reasons,
        findings=_findings(found.get("problems", found.get("findings")), packet),
        decision=decision,
        missing=_texts(found.get("missing")),
        round=round,
    )


def _object(text: str) -> dict[str, Any] | None:
    """Return the JSON object in a text: the last one that has a vote, else the first there is."""
    first: dict[str, Any] | None = None
    last: dict[str, Any] | None = None
    for start in [found.start() for found in re.finditer(r"\{", text)][:MOST_OBJECTS]:
        found = read_object(text[start:])
        if found is None:
            continue
        keyed = {key.strip().casefold(): value for key, value in found.items()}
        first = first or keyed
        last = keyed if isinstance(keyed.get("vote"), str) else last
    return last or first


def _vote(value: object) -> Vote:
    word = re.sub(r"\W", "", str(value or "")).upper()
    if word not in _VOTES:
        said = f"{str(value)[:30]!r}" if value else "nothing"
        raise Unread(f'"vote" says {said}, and takes PASS, WARN, FAIL, DISAGREE or ABSTAIN')
    return _VOTES[word]


def _confidence(value: object) -> float:
    """Return how sure it says it is: 0.8, 80 and "80 %" are the same. Raise Unread."""
    found = re.search(r"\d+(?:[.,]\d+)?", str(value)) if not isinstance(value, bool) else None
    if found is None or value is None or str(value).strip().startswith("-"):
        raise Unread('"confidence" takes a number from 0 to 1')
    number = float(found.group().replace(",", "."))
    if number > 1 or "%" in str(value):
        number /= 100
    return round(min(number, 1.0), 4)


def _text(value: object) -> str:
    if isinstance(value, Mapping | Sequence) and not isinstance(value, str):
        return ""
    flat = " ".join(str("" if value is None else value).split())
    if len(flat) in BOUNDS and flat[-1] not in ".!?":  # ended by the form, not by its writer
        flat = f"{flat.rpartition(' ')[0]} …"
    flat = redact(flat)[0] if flat else ""
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1].rstrip()}…"


def _words(value: object) -> str:
    """Return a text that says something: small models fill a form with ``1.1.1`` and ``E1`` too."""
    text = _text(value)
    return text if _SAYS.search(_LABEL.sub("", text)) else ""


def _texts(value: object) -> tuple[str, ...]:
    listed = _listed(value) or [value]
    texts = [_words(one) for one in listed]
    return tuple(dict.fromkeys(text for text in texts if text))[:MOST]


def _listed(value: object) -> list[Any]:
    """Return the members of a list; none of anything else."""
    if not isinstance(value, list):
        return []
    members: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
    return members


def _findings(value: object, packet: Packet) -> tuple[Finding, ...]:
    found: list[Finding] = []
    for one in _listed(value)[:MOST]:
        fields: Mapping[str, Any] = one if isinstance(one, Mapping) else {"problem": one}  # pyright: ignore[reportUnknownVariableType]
        title = _words(fields.get("problem", fields.get("title")))
        if title:
            found.append(
                Finding(
                    title,
                    _severity(fields.get("severity")),
                    _evidence(fields.get("evidence"), packet),
                    _words(fields.get("recommendation")),
                )
            )
    return tuple(found)


def _severity(value: object) -> Severity:
    """Return how much a finding matters; what is not said counts as minor, and stops nothing."""
    word = re.sub(r"\W", "", str(value or "")).casefold()
    same = {
        "high": "significant",
        "major": "significant",
        "blocker": "critical",
        "info": "note",
        "low": "minor",
    }
    word = same.get(word, word)
    return Severity(word) if word in list(Severity) else Severity.MINOR


def _evidence(value: object, packet: Packet) -> tuple[str, ...]:
    """Return what a finding cites as far as the packet has it: nobody can look up the rest."""
    known = labels(packet)
    paths = {one.path for one in packet.touched} | {
        piece.path for piece in packet.pieces if piece.path
    }
    refs = {piece.ref for piece in packet.pieces} | {one.ref for one in packet.prior}
    kept: list[str] = []
    for text in [_text(one) for one in _listed(value) or [value]][:MOST]:
        kept += [known[label] for label in _LABEL.findall(text) if label in known]
        kept += [place for place in sorted(paths | refs) if place and place in text]
        if re.search(r"\bdiff\b", text) and packet.diff and not kept:
            kept.append(packet.target or "the diff")
    return tuple(dict.fromkeys(kept))[:MOST]


def _copies(text: str, prompt: str) -> bool:
    """Whether a long stretch of a text stands word for word in what its writer was shown."""
    flat = " ".join(text.split())
    return len(flat) >= COPIED and flat[:COPIED] in " ".join(prompt.split())
