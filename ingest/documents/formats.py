"""Which files are documents, by their names."""

from __future__ import annotations

import re
from enum import StrEnum

MARKDOWN = (".md", ".markdown", ".mdx")
RST = (".rst", ".rest")
_ASCIIDOC = (".adoc", ".asciidoc", ".asc")
_NOTEBOOK = (".ipynb",)
_PLAIN = (".txt", ".text")
_NAMES = re.compile(
    r"^(?:readme|changes|changelog|news|history|contributing|hacking|notes|todo|usage|install)$",
    re.IGNORECASE,
)


class Format(StrEnum):
    """How a document is written."""

    MARKDOWN = "Markdown"
    RST = "reStructuredText"
    ASCIIDOC = "AsciiDoc"
    NOTEBOOK = "notebook"
    PLAIN = "plain text"


_SUFFIXES = {
    Format.MARKDOWN: MARKDOWN,
    Format.RST: RST,
    Format.ASCIIDOC: _ASCIIDOC,
    Format.NOTEBOOK: _NOTEBOOK,
    Format.PLAIN: _PLAIN,
}
SUFFIXES = tuple(suffix for suffixes in _SUFFIXES.values() for suffix in suffixes)


def format_of(path: str) -> Format | None:
    """Return the format that a path's name says; None where it is no document's."""
    name = path.rpartition("/")[2].lower()
    for format_, suffixes in _SUFFIXES.items():
        if name.endswith(suffixes):
            return format_
    return Format.PLAIN if _NAMES.match(name) else None
