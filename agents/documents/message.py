"""The message of the commit that a fix becomes, as the repository writes its messages."""

from __future__ import annotations

import posixpath
import textwrap

from ...memory.drift import Found
from ..commits.records import Draft, Style
from ..commits.verbs import in_mood
from .records import Thing

_MOVES = frozenset({Thing.PATH, Thing.LINK})


def messages_of(found: Found, style: Style) -> list[Draft]:
    """Given what a fix puts right and the repository's style, return messages for it, the fullest
    first; those whose subject is too long for the style come last."""
    start, body = _start(style), ""
    if style.body:
        said = found.reason.rstrip(".") + "."
        if said.partition(" ")[0].isalpha() and not said.startswith(found.name):
            said = said[:1].upper() + said[1:]  # a word, not a name of the code
        body = "\n".join(
            textwrap.wrap(said, style.wrap, break_long_words=False, break_on_hyphens=False)
        )
    drafts: list[Draft] = []
    for said in _ways(found):
        words = in_mood(said, style.mood)
        words = words[:1].upper() + words[1:] if style.upper else words
        subject = start + words + ("." if style.period else "")
        drafts.append(Draft(subject, body, by="rule", why=(found.reason,)))
    return sorted(drafts, key=lambda draft: len(draft.subject) > style.length)


def _start(style: Style) -> str:
    if style.form == "conventional":
        known = [
            each for each in ("docs", "doc", "chore") if each in style.types or not style.types
        ]
        return f"{known[0] if known else 'docs'}: "
    return "docs: " if style.form == "scoped" else ""


def _ways(found: Found) -> list[str]:
    """Return ways to say it, the fullest first."""
    name, new, thing = found.name, found.replacement, Thing(found.thing)
    said: list[str] = []
    for place in dict.fromkeys((found.document, posixpath.basename(found.document))):
        if thing is Thing.DEFAULT:
            said.append(f"corrects the default of {name} in {place}")
        elif thing is Thing.SIGNATURE:
            said.append(f"corrects the signature of {name} in {place}")
        elif new is not None and thing in _MOVES:
            said += [f"corrects the path of {new} in {place}", f"corrects a path in {place}"]
        elif new is not None:
            said += [f"renames {name} to {new} in {place}", f"renames {name} in {place}"]
        else:
            said.append(f"drops {name} from {place}")
    return [*said, f"corrects {posixpath.basename(found.document)}"]
