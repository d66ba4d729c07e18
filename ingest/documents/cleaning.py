"""What readers of a document don't see, out of its text: comments, pictures written into it."""

from __future__ import annotations

import re

from .formats import Format
from .headings import LINK

_CODE = re.compile(
    r"^ {0,3}(`{3,}|~{3,})[^\n]*(?:\n(?:.*?\n)??|\Z)(?:^ {0,3}\1[`~]*[ \t]*$|\Z)|`[^`\n]+`",
    re.MULTILINE | re.DOTALL,
)
_DATA = re.compile(r"data:[\w/+.-]+;base64,[A-Za-z0-9+/=%\s]{200,}")
_RST_COMMENT = re.compile(
    r"^\.\.(?:[ \t]+(?!\[|_|\||[\w:.+-]+[ \t]?::)[^\n]*)?\n(?:[ \t]*\n)*(?:[ \t]+[^\n]*\n(?:[ \t]*\n)*)*",
    re.MULTILINE,
)
_RST_LINK = re.compile(r"`([^`<>\n]+?)\s*<[^`<>\s]+>`__?")
_ASCIIDOC_LINK = re.compile(r"\b(?:link:|xref:|https?://)[^\s\[\]]+\[([^\[\]\n]+)\]")
_ASCIIDOC_BLOCK = re.compile(r"^/{4,}[ \t]*\n.*?^/{4,}[ \t]*$\n?", re.MULTILINE | re.DOTALL)
_ASCIIDOC_LINE = re.compile(r"^//(?!/)[^\n]*\n?", re.MULTILINE)


def clean(text: str, format_: Format) -> str:
    """Return a text without its comments, and without pictures that are written into it."""
    match format_:
        case Format.MARKDOWN | Format.NOTEBOOK:
            text = _DATA.sub("data:", _without_html_comments(text))
        case Format.RST:
            text = _RST_COMMENT.sub("", text)
        case Format.ASCIIDOC:
            text = _ASCIIDOC_LINE.sub("", _ASCIIDOC_BLOCK.sub("", text))
        case Format.PLAIN:
            pass
    return text


def without_addresses(text: str, format_: Format) -> str:
    """Return a text whose links and pictures are only their words, as a reader sees them."""
    match format_:
        case Format.MARKDOWN | Format.NOTEBOOK:
            parts: list[str] = []
            position = 0
            for code in _CODE.finditer(text):
                parts += (_linked_words(text[position : code.start()]), code[0])
                position = code.end()
            return "".join([*parts, _linked_words(text[position:])])
        case Format.RST:
            return _RST_LINK.sub(r"\1", text)
        case Format.ASCIIDOC:
            return _ASCIIDOC_LINK.sub(r"\1", text)
        case Format.PLAIN:
            return text


def _linked_words(text: str) -> str:
    return LINK.sub(r"\1", LINK.sub(r"\1", text))


def _without_html_comments(text: str) -> str:
    """A comment in code is part of the code; one that is never closed is no comment."""
    code = [found.span() for found in _CODE.finditer(text)] if "<!--" in text else []
    kept: list[str] = []
    position = 0
    place = 0
    while (start := text.find("<!--", position if not kept else max(position, place))) >= 0:
        while code and code[0][1] <= start:
            code.pop(0)
        if code and code[0][0] <= start:
            place = code[0][1]
            kept.append(text[position:place])
            position = place
            continue
        end = text.find("-->", start + 4)
        if end < 0:
            break
        kept.append(text[position:start])
        position = place = end + 3
    return "".join([*kept, text[position:]])
