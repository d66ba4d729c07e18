"""What its writer keeps out of memory: ``<private>…</private>``."""

from __future__ import annotations

import re

_TAG = re.compile(r"<(/?)private(?:\s[^<>]*)?>", re.IGNORECASE)


def without_private(text: str) -> str:
    """Return a text without what stands between ``<private>`` and ``</private>``.

    Case does not matter, nor whether it is code, or in several lines. What is opened and never
    closed goes on to the end; what is closed and was never opened is only a word.
    """
    kept: list[str] = []
    depth = position = 0
    for tag in _TAG.finditer(text):
        if tag[1] and not depth:
            continue
        if not depth:
            kept.append(text[position : tag.start()])
        depth += -1 if tag[1] else 1
        if not depth:
            position = tag.end()
    if not depth:
        kept.append(text[position:])
    return "".join(kept)
