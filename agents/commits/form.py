"""Whether a message has the form in which its repository writes."""

from __future__ import annotations

import re

from .mentions import is_name
from .records import Change, Draft, Problem, Sources, Style
from .style import CONVENTIONAL, EMOJI, SCOPED, TYPES, without_prefix
from .verbs import mood_of

_PERSONAL = re.compile(
    r"^(?:Signed-off-by|Co-authored-by|Reviewed-by|Acked-by|Tested-by|Reported-by): ", re.IGNORECASE
)
_LONGEST_LINE = 100
_ENOUGH = 3
"""Types seen from which no other one is written."""


def form_problems(draft: Draft, change: Change, style: Style, sources: Sources) -> list[Problem]:
    """Return where a message differs from its repository's style."""
    found: list[Problem] = []
    subject = draft.subject
    if len(subject) > style.length:
        found.append(
            Problem("length", f"the subject has {len(subject)} characters, {style.length} at most")
        )
    found += _prefix(subject, style)
    bare = without_prefix(subject, style.form)
    first = bare.split(" ", 1)[0] if bare else ""
    if first[:1].isalpha() and not is_name(first) and style.seen and style.language == "en":
        if first[0].isupper() != style.upper and not first[1:].isupper():
            case = "a capital" if style.upper else "a small letter"
            found.append(Problem("case", f"{first!r} begins not with {case}"))
        mood = mood_of(bare)
        if mood is not None and mood != style.mood:
            found.append(Problem("mood", f"{first!r} is not {style.mood}"))
    if subject.endswith(".") != style.period and not subject.endswith(("...", "…")):
        what = "does not end" if style.period else "ends"
        found.append(Problem("period", f"the subject {what} with a period"))
    if EMOJI.match(subject) and not style.emoji:
        found.append(Problem("emoji", "the subject begins with an emoji"))
    if style.previous and subject == style.previous:
        found.append(Problem("previous", "it is the previous commit's subject"))
    if _echo(draft, change, style):
        found.append(Problem("echo", f"{subject!r} is an earlier commit's subject"))
    ticket = sources.ticket
    if ticket is not None and style.ticket != "none" and ticket.key not in draft.text:
        found.append(Problem("ticket_missing", f"{ticket.key} is not named"))
    found += _lines(draft, style)
    return found


def _prefix(subject: str, style: Style) -> list[Problem]:
    bare = EMOJI.sub("", subject)
    bare = re.sub(r"^\[?(?:#\d+|[A-Z][A-Z0-9]+-\d+)\]?:? +", "", bare)
    typed = CONVENTIONAL.match(bare)
    match style.form:
        case "conventional":
            known = style.types if len(style.types) >= _ENOUGH else (*style.types, *TYPES[:10])
            if typed is None:
                return [Problem("form", f"it has no type in front: {', '.join(known[:6])}")]
            if typed["type"] not in known:
                return [
                    Problem("type", f"{typed['type']!r} is no type here: {', '.join(known[:8])}")
                ]
        case "scoped":
            if SCOPED.match(bare) is None:
                return [Problem("form", "it has no scope in front")]
        case "plain":
            if typed is not None and style.seen:
                return [
                    Problem("form", f"{typed[0].strip()!r} in front is not this repository's way")
                ]
    return []


def _echo(draft: Draft, change: Change, style: Style) -> bool:
    """An example's subject that has nothing of this change: a word of four letters or more."""
    if draft.subject not in style.examples:
        return False
    words = set(re.findall(r"[a-z]{4,}", draft.subject.lower()))
    paths = " ".join(file.path.lower() for file in change.files)
    return not any(word in paths for word in words)


def _lines(draft: Draft, style: Style) -> list[Problem]:
    found: list[Problem] = []
    limit = max(style.wrap, _LONGEST_LINE)
    if any(len(line) > limit and "://" not in line for line in draft.body.splitlines()):
        found.append(Problem("wrap", f"a line of the body is longer than {limit} characters"))
    for line in draft.trailers:
        if _PERSONAL.match(line) and line.partition(": ")[2] != style.sign_off:
            found.append(Problem("trailer", f"{line.partition(':')[0]} is for a person to add"))
    return found
