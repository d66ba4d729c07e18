"""How what people said is written down, the same for chat, tickets and pull requests.

A turn begins with who said it, so that readers know whose it is, and that forgetting a person takes
out all of what they said: memory finds turns by ``Name:`` and ``Name (…):`` at a line's beginning.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

NOBODY = "somebody"
"""Who said what nobody is named for any more."""

_HEAD = re.compile(
    r"^[^:()<>\n]{1,100} \(\d{1,2} [A-Z][a-z]+ \d{4} \d\d:\d\d[^)\n]*\):\s?", re.MULTILINE
)


def turn(name: str, at: int | None, text: str, where: str = "") -> str:
    """Return what somebody said: ``Kim Noor (12 March 2026 10:04, src/pool.py:40): text``.

    ``at`` is in seconds, written as UTC; None where it is not known. ``where`` says what it is about
    or what became of it. A name can hold neither colon, bracket nor line end. Text that begins with
    a block of code begins on the next line, so that its fence is one.
    """
    name = " ".join("".join(" " if each in ":<>()\n\r" else each for each in name).split())
    when = ""
    if at is not None:
        moment = datetime.fromtimestamp(at, UTC)
        when = f"{moment.day} {moment:%B %Y %H:%M}"
    aside = ", ".join(part for part in (when, where.replace("(", "[").replace(")", "]")) if part)
    text = text.strip()
    gap = "\n" if text.startswith(("```", "~~~")) else " "
    return f"{name or NOBODY}{f' ({aside})' if aside else ''}:{gap}{text}"


def transcript(description: str, turns: list[str]) -> str:
    """Return what opens an item, if anything does, and all that was said on it, oldest first."""
    return "\n\n".join(part for part in (description.strip(), *turns) if part)


def spoken(text: str) -> str:
    """Return what was said in a transcript, without who said it and when."""
    return _HEAD.sub("", text)
