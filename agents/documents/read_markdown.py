"""Markdown, with what MyST and code hosts add to it, into what it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TypedDict
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ...ingest.documents.front_matter import FRONT_MATTER
from .conventions import PAST_DIRECTIVES, is_past_heading
from .gathered import Gathered
from .mentions import SILENT_ROLES
from .read_rst import gather_rst
from .records import Sample

_ROLE = re.compile(r"\{([\w:.-]+)\}$")
_LABEL = re.compile(r"^\(([\w.:-]+)\)=\s*$", re.MULTILINE)
_EXPLICIT_ID = re.compile(r"\s*\{[^{}]*#([\w-]+)[^{}]*\}\s*$")
_HTML_LINK = re.compile(
    r"<(?:a|img|source)\b[^>]*?\s(?:href|src)\s*=\s*[\"']([^\"'\s]+)", re.IGNORECASE
)
_HTML_ID = re.compile(r"<[a-z][^>]*?\s(?:id|name)\s*=\s*[\"']([^\"'\s]+)", re.IGNORECASE)
_HTML_CODE = re.compile(r"<(code|kbd|tt)>([^<>]{1,200})</\1>", re.IGNORECASE)
_DIRECTIVE = re.compile(r"^\{([\w:.-]+)\}\s*(.*)$")
_NESTED = 4
"""Directives inside directives that are followed."""


class _Reference(TypedDict):
    href: str
    map: list[int]


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": 20}).enable(["table"])


def gather_markdown(text: str, into: Gathered, offset: int = 0, depth: int = 0) -> None:
    """Add what a Markdown text names; ``offset`` lines of the file stand before it."""
    text = FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), text, count=1)
    environment: dict[str, dict[str, _Reference]] = {}
    tokens = _parser().parse(text, environment)
    into.anchors += [found.lower() for found in _LABEL.findall(text)]
    past_level = 0
    past_from = 0
    read = 0  # cells of a row share its line
    for index, token in enumerate(tokens):
        if token.map is None:
            continue
        first, end = token.map[0] + 1 + offset, token.map[1] + 1 + offset
        if token.type == "heading_open":
            level = int(token.tag[1])
            title = tokens[index + 1]
            if past_level and level <= past_level:
                into.past.update(range(past_from, first))
                past_level = 0
            if not past_level and is_past_heading(title.content):
                past_level, past_from = level, first
            _heading(title, into)
        elif token.type == "inline":
            start = max(into.source.offset(first), read)
            read = _inline(token, start, into.source.offset(end), into)
        elif token.type == "fence":
            _fence(token, first, into, depth)
        elif token.type == "code_block":
            into.block("", token.content, first)
        elif token.type == "html_block":
            _html(first, end, into)
    if past_level:
        into.past.update(range(past_from, len(into.lines) + 1))
    _references(environment, offset, into)


def _heading(title: Token, into: Gathered) -> None:
    content = title.content
    if explicit := _EXPLICIT_ID.search(content):
        into.anchors.append(explicit[1].lower())
        content = content[: explicit.start()]
    parts = [
        child.content for child in title.children or () if child.type in ("text", "code_inline")
    ]
    text = "".join(parts) if parts else content
    into.heading(_EXPLICIT_ID.sub("", text))


def _references(environment: dict[str, dict[str, _Reference]], offset: int, into: Gathered) -> None:
    for reference in environment.get("references", {}).values():
        target, first = reference["href"], reference["map"][0] + 1 + offset
        for written in (target, unquote(target)):
            source = into.source
            if found := source.find(written, source.offset(first), source.offset(first + 3)):
                into.link(written, *source.place(found[0]))
                break


def _inline(token: Token, at: int, stop: int, into: Gathered) -> int:
    """Add what a paragraph or a cell names, between two offsets; return where it ends. It goes on
    as the text does, so that of two equal pieces each is found where it stands."""
    source = into.source
    previous = ""
    behind: list[int] = []  # the targets of the links that are open
    for child in token.children or ():
        if child.type == "code_inline":
            found = source.code(child.content, child.markup, at, stop)
            if found is not None:
                role = _ROLE.search(previous)
                _code(child.content, found, role[1] if role else "", into)
                at = found[-1]
        elif child.type in ("link_open", "image"):
            target = child.attrGet("href" if child.type == "link_open" else "src")
            if isinstance(target, str):
                end = _target(target, at, stop, into)
                if child.type == "image":  # its text was read with it
                    at = end
                else:
                    behind.append(end)
        elif child.type == "link_close" and behind:
            at = max(at, behind.pop())
        elif child.type == "html_inline":
            for link in _HTML_LINK.finditer(child.content):
                if found := source.find(link[1], at, stop):
                    into.link(link[1], *source.place(found[0]))
            into.anchors += [found.lower() for found in _HTML_ID.findall(child.content)]
            if found := source.find(child.content, at, stop):
                at = found[-1]
        previous = child.content if child.type == "text" else ""
    return at


def _code(text: str, offsets: Sequence[int], named: str, into: Gathered) -> None:
    """Add what a piece of code, or the text of a role, names."""
    short = named.rpartition(":")[2]
    if short == "doc":
        if target := _target_of(text):
            into.link(target, *into.source.place(offsets[text.rfind(target)]))
    elif short in SILENT_ROLES:
        if title := re.match(r"[^<>]+(?= <)", text):
            into.span(title[0], offsets)
    else:
        into.span(text, offsets, named)


def _target(target: str, at: int, stop: int, into: Gathered) -> int:
    """Add the target of a link or an image; return where it ends. The text of a link comes first,
    and may hold the same words."""
    source = into.source
    for written in dict.fromkeys((target, unquote(target))):
        link = re.compile(rf"\]\(\s*<?({re.escape(written)})(?=[\s)>])")
        if found := link.search(source.text, at, stop):
            into.link(written, *source.place(found.start(1)))
            return found.end()
    return at


def _target_of(text: str) -> str:
    """Return what a role leads to: ``title <target>`` or the target itself."""
    aimed = re.search(r"<([^<>]+)>\s*$", text)
    target = aimed[1] if aimed else text
    return target if target.endswith((".md", ".rst")) else ""


def _fence(token: Token, first: int, into: Gathered, depth: int) -> None:
    info = token.info.strip()
    line = first + 1
    directive = _DIRECTIVE.match(info)
    if directive is None:
        language = re.split(r"[\s{,:]", info.strip("{}. "), maxsplit=1)[0].lower() if info else ""
        into.samples.append(Sample(language, token.content, line))
        into.block(language, token.content, line)
        return
    name, argument = directive[1].lower(), directive[2].strip()
    if name == "eval-rst":
        gather_rst(token.content, into, line - 1)
        return
    content, skipped = _without_options(token.content)
    line += skipped
    if name in ("code-block", "code", "sourcecode", "code-cell"):
        into.samples.append(Sample(argument.lower(), content, line))
        into.block(argument, content, line)
    elif name in PAST_DIRECTIVES:
        into.past.update(range(first, line + content.count("\n") + 1))
    elif ":" in name or name in ("toctree", "contents", "math", "mermaid", "image", "figure"):
        return
    elif depth < _NESTED:
        gather_markdown(content, into, line - 1, depth + 1)


def _without_options(content: str) -> tuple[str, int]:
    lines = content.split("\n")
    skipped = 0
    while skipped < len(lines) and re.match(r"^:[\w-]+:", lines[skipped]):
        skipped += 1
    return "\n".join(lines[skipped:]), skipped


def _html(first: int, end: int, into: Gathered) -> None:
    for number in range(first, min(end, len(into.lines) + 1)):
        text = into.lines[number - 1]
        for found in _HTML_LINK.finditer(text):
            into.link(found[1], number, found.start(1))
        into.anchors += [found.lower() for found in _HTML_ID.findall(text)]
        for found in _HTML_CODE.finditer(text):
            start = into.source.offset(number, found.start(2))
            into.span(found[2], range(start, start + len(found[2]) + 1))
