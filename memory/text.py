"""Text as the stores can hold it."""

from __future__ import annotations


def storable(text: str) -> str:
    """Given any string, return it without lone surrogates, which no store can encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return text
