"""Markdown, with what MyST and code hosts add to it, into what it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TypedDict
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from .conventions import PAST_DIRECTIVES, is_past_heading
from .gathered import Gathered
from .mentions import SILENT_ROLES, in_block, in_span
from .read_rst import gather_rst
from .records import Sample

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
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
    text = _FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), text, count=1)
    environment: dict[str, dict[str, _Reference]] = {}
    tokens = _parser().parse(text, environment)
    into.anchors += [found.lower() for found in _LABEL.findall(text)]
    past_level = 0
    past_from = 0
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
            _inline(token, first, end, into)
        elif token.type == "fence":
            _fence(token, first, into, depth)
        elif token.type == "code_block":
            cut = len(into.lines[first - 1]) - len(into.lines[first - 1].lstrip(" "))
            into.add(in_block("", token.content, first, cut))
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
            if place := into.find(written, first, first + 3):
                into.link(written, *place)
                break


def _inline(token: Token, first: int, end: int, into: Gathered) -> None:
    line, column = first, 0
    previous = ""
    for child in token.children or ():
        if child.type == "code_inline":
            place = _code_place(child, line, end, column, into)
            if place is not None:
                line, column = place
                role = _ROLE.search(previous)
                named = role[1] if role else ""
                short = named.rpartition(":")[2]
                if short == "doc":
                    into.link(_target_of(child.content), line, column)
                elif short in SILENT_ROLES:
                    if title := re.match(r"[^<>]+(?= <)", child.content):
                        into.add(in_span(title[0], line, column))
                else:
                    into.add(in_span(child.content, line, column, named))
                column += len(child.content)
        elif child.type in ("link_open", "image"):
            target = child.attrGet("href" if child.type == "link_open" else "src")
            if isinstance(target, str):
                for written in (target, unquote(target)):
                    # The text comes first, and may hold the target's words.
                    found = into.find(f"]({written}", line, end) or into.find(
                        f"](<{written}", line, end
                    )
                    if found:
                        skip = into.lines[found[0] - 1].find(written, found[1])
                        into.link(written, found[0], skip)
                        break
        elif child.type == "html_inline":
            for link in _HTML_LINK.finditer(child.content):
                if place := into.find(link[1], line, end):
                    into.link(link[1], *place)
            into.anchors += [found.lower() for found in _HTML_ID.findall(child.content)]
        previous = child.content if child.type == "text" else ""


def _code_place(
    child: Token, line: int, end: int, column: int, into: Gathered
) -> tuple[int, int] | None:
    """Return where the text of a piece of code begins; its marks tell it from the same word."""
    for before in (child.markup, child.markup + " "):
        if place := into.find(before + child.content, line, end, column):
            return place[0], place[1] + len(before)
    return into.find(child.content, line, end, column)


def _target_of(text: str) -> str:
    """Return what a role leads to: ``title <target>`` or the target itself."""
    aimed = re.search(r"<([^<>]+)>\s*$", text)
    target = aimed[1] if aimed else text
    return target if target.endswith((".md", ".rst")) else ""


def _fence(token: Token, first: int, into: Gathered, depth: int) -> None:
    info = token.info.strip()
    line = first + 1
    opening = into.lines[first - 1] if first <= len(into.lines) else ""
    cut = len(opening) - len(opening.lstrip(" "))
    directive = _DIRECTIVE.match(info)
    if directive is None:
        language = re.split(r"[\s{,:]", info.strip("{}. "), maxsplit=1)[0].lower() if info else ""
        into.samples.append(Sample(language, token.content, line))
        into.add(in_block(language, token.content, line, cut))
        return
    name, argument = directive[1].lower(), directive[2].strip()
    if name == "eval-rst":
        gather_rst(token.content, into, line - 1)
        return
    content, skipped = _without_options(token.content)
    line += skipped
    if name in ("code-block", "code", "sourcecode", "code-cell"):
        into.samples.append(Sample(argument.lower(), content, line))
        into.add(in_block(argument, content, line, cut))
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
            into.add(in_span(found[2], number, found.start(2)))


def tokens_of(text: str) -> Sequence[Token]:
    """Return the tokens of a Markdown text, to compare structure."""
    return _parser().parse(text)
