"""reStructuredText, with what Sphinx adds to it, into what it names.

docutils parses it, but nothing in it is carried out: every directive and every role that a text
uses is replaced by one that only keeps the text, so that none reads a file or runs anything.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Sequence
from typing import Any, ClassVar

from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Directive, Parser, directives, roles
from docutils.parsers.rst.states import Inliner
from docutils.utils import new_document

from .conventions import PAST_DIRECTIVES, is_past_heading
from .gathered import Gathered
from .mentions import SILENT_ROLES
from .records import Sample

logger = logging.getLogger(__name__)

_DIRECTIVES = re.compile(
    r"^[ \t]*\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([A-Za-z][\w:.+-]*?)[ \t]?::(?=\s|$)", re.MULTILINE
)
_ROLES = re.compile(r":([A-Za-z][\w:.+-]*):`|`:([A-Za-z][\w:.+-]*):")
_MAX_NAMES = 2_000
_CODE = frozenset({"code-block", "code", "sourcecode", "parsed-literal", "highlight-block"})
_LEFT_OUT = frozenset(
    {"include", "literalinclude", "raw", "toctree", "contents", "math", "image", "figure"}
    | {"csv-table", "graphviz", "digraph", "mermaid", "highlight", "currentmodule", "module"}
    | {"meta", "default-role", "role", "sectnum", "class", "unicode", "date", "replace", "index"}
)
_KEPT_BY_DOCUTILS = frozenset({"list-table", "table"})
_LOCK = threading.Lock()
"""Names of directives and roles are global in docutils."""


class _AnyOptions(dict[str, Any]):
    def __missing__(self, key: str) -> Any:
        return directives.unchanged


class _Kept(Directive):
    """Any directive: its content as text. An argument is the first of it: often it is text."""

    has_content = True
    option_spec: ClassVar[Any] = _AnyOptions(given=directives.unchanged)

    def run(self) -> Sequence[nodes.Node]:
        """Keep the content, and note what kind it is of."""
        name = self.name.lower()
        if name in _LEFT_OUT or not self.content and name not in PAST_DIRECTIVES:
            return []
        line = self.content.items[0][1] + 1 if self.content else self.lineno
        text = "\n".join(self.content)
        if self.optional_arguments:
            language = self.arguments[0] if self.arguments and name in _CODE else ""
            block = nodes.literal_block(text, text, language=language)
            block.line = line
            return [block]
        kept = nodes.container()
        kept.line = self.lineno
        if name in PAST_DIRECTIVES:
            kept["past"] = (self.lineno, self.lineno + self.block_text.count("\n") + 1)
            return [kept]
        self.state.nested_parse(self.content, self.content_offset, kept)
        return [kept]


class _KeptCode(_Kept):
    """A directive with code, which may say its language."""

    optional_arguments = 1
    final_argument_whitespace = True


def _kept_role(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Inliner,
    options: object = None,
    content: object = None,
) -> tuple[list[nodes.reference], list[nodes.reference]]:
    return [nodes.literal(rawtext, text, role=name)], []  # type: ignore[list-item]


def gather_rst(text: str, into: Gathered, offset: int = 0) -> None:
    """Add what a reStructuredText names; ``offset`` lines of the file stand before it."""
    document = _parse(text)
    if document is None:
        return
    cursor = linked = 0
    for node in document.findall():
        if isinstance(node, nodes.section):
            _section(node, into, offset)
        elif isinstance(node, nodes.target):
            into.anchors += [str(name).lower() for name in node["names"] + node["ids"]]
            _link(node, into, offset, 0)
        elif isinstance(node, nodes.container) and "past" in node:
            first, end = node["past"]
            into.past.update(range(first + offset, end + offset))
        elif isinstance(node, nodes.literal_block):
            _block(node, into, offset)
        elif isinstance(node, (nodes.literal, nodes.title_reference)):
            cursor = _literal(node, into, offset, cursor)
        elif isinstance(node, nodes.reference):
            linked = _link(node, into, offset, linked)


def _parse(text: str) -> nodes.document | None:
    directive_names = list(dict.fromkeys(_DIRECTIVES.findall(text)))[:_MAX_NAMES]
    role_names = list(dict.fromkeys(a or b for a, b in _ROLES.findall(text)))[:_MAX_NAMES]
    settings = get_default_settings(Parser)
    settings.report_level = 5
    settings.halt_level = 5
    settings.warning_stream = False
    settings.file_insertion_enabled = False
    settings.raw_enabled = False
    settings.line_length_limit = 20_000
    settings.pep_references = settings.rfc_references = False
    settings.syntax_highlight = "none"
    settings.smart_quotes = False
    document = new_document("", settings)
    with _LOCK:
        for name in directive_names:
            if name.lower() not in _KEPT_BY_DOCUTILS:
                code = name.lower() in _CODE or name.lower().startswith("click:")
                directives.register_directive(name.lower(), _KeptCode if code else _Kept)
        for name in role_names:
            roles.register_local_role(name.lower(), _kept_role)
        try:
            Parser().parse(text, document)
        except RecursionError:
            return None
        except Exception:
            # docutils has no base for what broken markup raises in it. Nothing is told of such a text.
            logger.info("a text could not be read as reStructuredText", exc_info=True)
            return None
    return document


def _line(node: nodes.Node) -> int:
    """Return the line of the nearest node above that knows it, from 1."""
    here: nodes.Node | None = node
    while here is not None:
        if here.line:
            return here.line
        here = here.parent
    return 1


def _section(node: nodes.section, into: Gathered, offset: int) -> None:
    into.anchors += [str(name).lower() for name in node["ids"] + node["names"]]
    title = node.next_node(nodes.title)
    if title is None:
        return
    into.heading(title.astext())
    if is_past_heading(title.astext()):
        first = _line(title) + offset - 1
        following = node.next_node(nodes.section, descend=False, siblings=True, ascend=True)
        end = _line(following) + offset - 1 if following is not None else len(into.lines) + 1
        into.past.update(range(first, max(first + 1, end)))


def _link(node: nodes.target | nodes.reference, into: Gathered, offset: int, cursor: int) -> int:
    uri = str(node.get("refuri") or "")
    if not uri:
        return cursor
    source = into.source
    near = source.offset(_line(node) + offset - 1)
    found = source.find(uri, max(near, cursor), len(source.text)) or source.find(
        uri, near, len(source.text)
    )
    if found is None:
        return cursor
    into.link(uri, *source.place(found[0]))
    return found[-1] if isinstance(node, nodes.reference) and "`" in node.rawsource else cursor


def _block(node: nodes.literal_block, into: Gathered, offset: int) -> None:
    text = node.astext()
    line: int | None = node.line + offset if "language" in node and node.line else None
    if line is None or not _stands(text, line, into):
        # docutils gives the line after the block, or of what stands above it.
        near = max(_line(node) + offset - text.count("\n") - 5, 1)
        numbers = range(near, len(into.lines) + 1)
        line = next((number for number in numbers if _stands(text, number, into)), None)
    if line is None:
        return
    language = str(node.get("language") or "").lower()
    into.samples.append(Sample(language, text, line))
    into.block(language, text, line)


def _stands(text: str, line: int, into: Gathered) -> bool:
    """Say whether a block of text stands at a line, however indented."""
    parts = text.split("\n")
    there = into.lines[line - 1 : line - 1 + len(parts)]
    return len(there) == len(parts) and all(
        part.split() == whole.split() for part, whole in zip(parts, there, strict=True)
    )


def _literal(
    node: nodes.literal | nodes.title_reference, into: Gathered, offset: int, cursor: int
) -> int:
    """Add what a piece of code names; return where its source ends."""
    source, written = into.source, node.rawsource or node.astext()
    near = _line(node) + offset - 1
    start, stop = source.offset(near), source.offset(near + 60)
    # In the order of the text, but for what docutils moves, as footnotes.
    found = source.find(written, max(start, cursor), max(stop, cursor)) or source.find(
        written, source.offset(near - 3), stop
    )
    if found is None:
        return cursor
    role = str(node.get("role") or "")
    short = role.rpartition(":")[2]
    text = node.astext()
    inside = source.find(text, source.text.find("`", found[0]), found[-1])
    if inside is None:
        return found[-1]
    if short in SILENT_ROLES:
        title = re.match(r"[^<>]+(?= <)", text)
        if title is None:
            return found[-1]
        text = title[0]  # it may show a command
    into.span(text, inside, role)
    return found[-1]
