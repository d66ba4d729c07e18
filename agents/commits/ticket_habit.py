"""Where a message has its ticket, and how it is written there."""

from __future__ import annotations

import re

from ...ingest.git.tickets import tickets
from .records import Place

_CLOSING = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b", re.IGNORECASE)
"""Words by which a code host closes the ticket: whether it is done is for a person to say."""
_NAMING = re.compile(r"(?:,? *(?:refs?|see|for|part of|re):? |,? *[\[(]?\{)", re.IGNORECASE)
_TRAILER = re.compile(
    r"(?P<name>[A-Za-z][\w\- ]{1,20}?)(?P<colon>:?) +(?P<key>#\d+|[A-Z][A-Z0-9]+-\d+)\.?"
)
_LAST_LINES = 12


def ticket_in(subject: str, body: str) -> tuple[Place, str]:
    """Return the place and the form, ``{key}`` in the key's stead; none: ``("none", "")``.

    A word that closes the ticket reads ``refs`` in the form.
    """
    for key in tickets(subject):
        written = re.escape(key)
        match = re.match(rf"(?:[^\w\[(#]+)?(?P<form>[\[(]?{written}[\])]?:?) ", subject)
        if match is not None:
            return "prefix", match["form"].replace(key, "{key}")
        match = re.search(rf" (?P<form>[\[(]{written}[\])])\.?$", subject)
        if match is not None:
            return "suffix", match["form"].replace(key, "{key}")
        match = re.search(
            rf"(?P<form>(?:,? *(?:\w+:? )?)[\[(]?(?:\w+:? )?{written}[\])]?)\.?$", subject
        )
        if match is not None:
            form = _CLOSING.sub("refs", match["form"].replace(key, "{key}"))
            return "suffix", form.strip() if _NAMING.match(form) else "{key}"
    for line in reversed(body.splitlines()[-_LAST_LINES:]):
        match = _TRAILER.fullmatch(line)
        if match is not None and tickets(line):
            name = match["name"]
            if _CLOSING.fullmatch(name):
                name = "Refs" if name[0].isupper() else "refs"
            return "trailer", f"{name}{match['colon']} {{key}}"
    return "none", ""
