"""What files of other languages define, by their syntax trees (tree-sitter).

Each language is a table: which nodes define something, and which are what others are in. The names
of nodes are those of the grammars tree-sitter-go, -rust, -javascript, -typescript, -java, -c and
-ruby.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Language, Node, Parser

from .symbol import MAX_VALUE, Symbol, SymbolKind, marks_of

DEEPEST = 60
"""Levels of a syntax tree that are looked at."""


@dataclass(frozen=True, slots=True)
class _Grammar:
    load: Callable[[], object]
    defines: Mapping[str, SymbolKind]
    """Kinds of nodes that define something."""
    inside: frozenset[str] = frozenset()
    """Kinds of nodes whose name goes in front of what is defined in them."""
    opaque: frozenset[str] = field(
        default=frozenset({"block", "statement_block", "compound_statement", "constructor_body"})
    )
    """Bodies, in which nothing is looked for."""
    is_public: Callable[[str, Node, bytes], bool] = lambda name, node, text: True
    dots: str = "."
    """What joins names in this language besides a dot."""


def symbols(suffix: str, text: str) -> tuple[Symbol, ...] | None:
    """Given a suffix of `LANGUAGES` and a file's text, return what it defines, in order; None if
    most of it can't be read."""
    grammar = LANGUAGES[suffix]
    raw = text.encode("utf-8", "replace")
    root = _parser(suffix).parse(raw).root_node
    if root.has_error and root.type == "ERROR":
        return None
    return tuple(_walk(root, "", raw, grammar, 0))


@cache
def _parser(suffix: str) -> Parser:
    return Parser(Language(LANGUAGES[suffix].load()))


def _walk(node: Node, outer: str, text: bytes, grammar: _Grammar, depth: int) -> Iterator[Symbol]:
    if depth > DEEPEST or node.type in grammar.opaque:
        return
    within = outer
    kind = _kind(node, grammar)
    if kind is not None:
        for name in _names(node, text):
            symbol = _symbol(node, name, kind, outer, text, grammar)
            yield symbol
            if node.type in grammar.inside:
                within = symbol.name
        if kind in ("function", "method", "constant"):
            return
    elif node.type in grammar.inside:
        within = _text(node.child_by_field_name("type"), text) or outer
        within = re.sub(r"<.*", "", within)
    for child in node.named_children:
        yield from _walk(child, within, text, grammar, depth + 1)


def _kind(node: Node, grammar: _Grammar) -> SymbolKind | None:
    """Return what a node defines; None if nothing."""
    kind = grammar.defines.get(node.type)
    if node.type in _C_TYPES and node.child_by_field_name("body") is None:
        return None  # only used here
    if node.type == "declaration" and _declarator(node) is node:
        return "constant"
    return kind


def _symbol(
    node: Node, name: str, kind: SymbolKind, outer: str, text: bytes, grammar: _Grammar
) -> Symbol:
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if kind == "constant" and value is not None and value.type in _FUNCTIONS:
        kind, parts = "function", value
    else:
        parts = node
    receiver = node.child_by_field_name("receiver")  # Go
    if receiver is not None:
        found = re.search(r"(\w+)(?:\[.*\])?\s*\)$", _text(receiver, text))
        outer = found[1] if found else outer
    if outer and kind == "function":
        kind = "method"
    body = parts.child_by_field_name("body")
    parameters = _parameters(_declarator(parts), text) if kind in ("function", "method") else ()
    return Symbol(
        f"{outer}.{name}" if outer else name,
        kind,
        node.start_point.row + 1,
        node.end_point.row + (node.end_point.column > 0),
        parameters,
        _returns(parts, text),
        _text(value, text)[:MAX_VALUE] if kind == "constant" else "",
        grammar.is_public(name, node, text),
        b"" if kind == "constant" else marks_of(name, _text(body or node, text)),
    )


_C_TYPES = frozenset({"struct_specifier", "union_specifier", "enum_specifier"})
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "generator_function"})


def _names(node: Node, text: bytes) -> list[str]:
    """Return what a definition is called; a few have several names."""
    found = (
        node.children_by_field_name("name")
        or node.children_by_field_name("left")
        or node.children_by_field_name("property")
    )
    if found:
        return [_text(each, text) for each in found if each.type not in ("ERROR", "object_pattern")]
    names: list[str] = []
    for each in node.children_by_field_name("declarator"):  # C, and Java's fields
        inner = each
        while (deeper := _inner(inner)) is not None:
            inner = deeper
        names.append(_text(inner, text))
    return [name for name in names if re.fullmatch(r"[\w$]+", name)]


def _inner(node: Node) -> Node | None:
    return node.child_by_field_name("declarator") or node.child_by_field_name("name")


def _declarator(node: Node) -> Node:
    """Given a definition, return the node that has its parameters."""
    inner: Node | None = node
    while inner is not None:
        if inner.child_by_field_name("parameters") is not None:
            return inner
        inner = inner.child_by_field_name("declarator")
    return node


def _parameters(node: Node, text: bytes) -> tuple[tuple[str, str], ...]:
    listed = node.child_by_field_name("parameters")
    if listed is None:
        single = node.child_by_field_name("parameter")  # x => …
        return ((_text(single, text), ""),) if single is not None else ()
    found: list[tuple[str, str]] = []
    for child in listed.named_children:
        if child.type in ("self_parameter", "comment", "attribute_item"):
            continue
        several = any(word in child.type for word in ("variadic", "spread", "splat", "rest"))
        default = child.child_by_field_name("value") or child.child_by_field_name("right")
        named = [child] if child.type == "identifier" else []
        for part in ("name", "pattern", "declarator", "left"):
            named = named or child.children_by_field_name(part)
        for each in named or [child]:
            name = _text(each, text)
            if each.type not in ("identifier", "object_pattern", "array_pattern"):
                words = re.findall(r"[\w$]+", name)
                several = several or "..." in name
                name = words[-1] if words else name
            star = "*" if several and not name.startswith("*") else ""
            found.append((f"{star}{' '.join(name.split())}", _text(default, text)))
    return tuple(found)


def _returns(node: Node, text: bytes) -> str:
    for part in ("return_type", "result"):
        if (found := node.child_by_field_name(part)) is not None:
            return " ".join(_text(found, text).lstrip(": ").split())
    if node.type in ("method_declaration", "function_definition"):  # Java, C
        return _text(node.child_by_field_name("type"), text)
    return ""


def _text(node: Node | None, text: bytes) -> str:
    return "" if node is None else text[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _go() -> object:
    import tree_sitter_go

    return tree_sitter_go.language()


def _rust() -> object:
    import tree_sitter_rust

    return tree_sitter_rust.language()


def _javascript() -> object:
    import tree_sitter_javascript

    return tree_sitter_javascript.language()


def _typescript() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_typescript()


def _tsx() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_tsx()


def _java() -> object:
    import tree_sitter_java

    return tree_sitter_java.language()


def _c() -> object:
    import tree_sitter_c

    return tree_sitter_c.language()


def _ruby() -> object:
    import tree_sitter_ruby

    return tree_sitter_ruby.language()


def _has_word(*words: bytes) -> Callable[[str, Node, bytes], bool]:
    """Public where one of these words stands in front."""

    def says(name: str, node: Node, text: bytes) -> bool:
        head = text[node.start_byte : node.start_byte + 60].split(b"(", 1)[0]
        return any(word in head.split() or head.startswith(word) for word in words)

    return says


def _is_exported(name: str, node: Node, text: bytes) -> bool:
    around: Node | None = node
    while around is not None:
        if around.type == "export_statement":
            return not name.startswith(("_", "#"))
        around = around.parent
    # CommonJS exports by hand; what begins with a capital or stands in a class is as good as public.
    return b"module.exports" in text and not name.startswith("_")


def _is_capital(name: str, node: Node, text: bytes) -> bool:
    return name[:1].isupper()


def _is_extern(name: str, node: Node, text: bytes) -> bool:
    return not text[node.start_byte : node.start_byte + 40].startswith(b"static")


_SCRIPT: dict[str, SymbolKind] = {
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "function_signature": "function",
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "method_definition": "method",
    "method_signature": "method",
    "variable_declarator": "constant",
    "public_field_definition": "constant",
    "field_definition": "constant",
    "interface_declaration": "type",
    "type_alias_declaration": "type",
    "enum_declaration": "type",
}
_SCRIPT_INSIDE = frozenset(
    {"class_declaration", "abstract_class_declaration", "interface_declaration"}
)
_GO = _Grammar(
    _go,
    {
        "function_declaration": "function",
        "method_declaration": "method",
        "type_spec": "type",
        "type_alias": "type",
        "const_spec": "constant",
        "var_spec": "constant",
        "method_elem": "method",
    },
    frozenset({"type_spec"}),
    is_public=_is_capital,
)
_RUST = _Grammar(
    _rust,
    {
        "function_item": "function",
        "function_signature_item": "function",
        "struct_item": "class",
        "enum_item": "type",
        "union_item": "type",
        "trait_item": "type",
        "type_item": "type",
        "const_item": "constant",
        "static_item": "constant",
        "macro_definition": "function",
        "mod_item": "module",
    },
    frozenset({"impl_item", "trait_item", "mod_item"}),
    is_public=_has_word(b"pub"),
)
_JAVA = _Grammar(
    _java,
    {
        "class_declaration": "class",
        "interface_declaration": "type",
        "enum_declaration": "type",
        "record_declaration": "class",
        "annotation_type_declaration": "type",
        "method_declaration": "method",
        "constructor_declaration": "method",
        "variable_declarator": "constant",
    },
    frozenset(
        {"class_declaration", "interface_declaration", "enum_declaration", "record_declaration"}
    ),
    is_public=_has_word(b"public", b"protected"),
)
_C = _Grammar(
    _c,
    {
        "function_definition": "function",
        "declaration": "function",
        "struct_specifier": "type",
        "union_specifier": "type",
        "enum_specifier": "type",
        "type_definition": "type",
        "preproc_def": "constant",
        "preproc_function_def": "function",
    },
    is_public=_is_extern,
)
_RUBY = _Grammar(
    _ruby,
    {
        "module": "module",
        "class": "class",
        "method": "method",
        "singleton_method": "method",
        "assignment": "constant",
    },
    frozenset({"module", "class"}),
    opaque=frozenset(),
)
_JAVASCRIPT = _Grammar(_javascript, _SCRIPT, _SCRIPT_INSIDE, is_public=_is_exported)
_TYPESCRIPT = _Grammar(_typescript, _SCRIPT, _SCRIPT_INSIDE, is_public=_is_exported)
_TSX = _Grammar(_tsx, _SCRIPT, _SCRIPT_INSIDE, is_public=_is_exported)

LANGUAGES: dict[str, _Grammar] = {
    ".go": _GO,
    ".rs": _RUST,
    ".js": _JAVASCRIPT,
    ".jsx": _JAVASCRIPT,
    ".mjs": _JAVASCRIPT,
    ".cjs": _JAVASCRIPT,
    ".ts": _TYPESCRIPT,
    ".mts": _TYPESCRIPT,
    ".cts": _TYPESCRIPT,
    ".tsx": _TSX,
    ".java": _JAVA,
    ".c": _C,
    ".h": _C,
    ".rb": _RUBY,
}
"""By a file's suffix."""
