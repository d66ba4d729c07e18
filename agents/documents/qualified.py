"""Names with what they are in: of a module that is gone, or of a class that has lost just this one."""

from __future__ import annotations

import re

from .changes import Change
from .code_words import words_in
from .names import outer_of
from .paths import by_end
from .present import line_of
from .records import Document, Drift, Mention, Thing, Tier
from .said import drift_of


def of_module(change: Change, document: Document, mention: Mention, commit: str) -> Drift | None:
    """A dotted name of a module whose file is gone."""
    name = mention.name.removesuffix("()")
    if "." not in name or not change.gone:
        return None
    parts = name.split(".")
    for size in range(len(parts), 1, -1):
        for end in (".py", "/__init__.py"):
            written = "/".join(parts[:size]) + end
            was = by_end(change.old.names, change.old.folders, written)
            if was is None:
                continue
            if was not in change.gone or by_end(change.new.names, change.new.folders, written):
                return None
            dotted = ".".join(parts[:size])
            package = "/".join(parts[:size]) + "/__init__.py"
            if by_end(change.new.names, change.new.folders, package):
                return None
            new = change.renamed.get(was)
            made = _dotted(was, new, dotted) if new else None
            rest = mention.name[len(dotted) :]
            deed = f"{was} is {new} since" if new else f"{was} was removed by"
            return Drift(
                document.path, mention.line, line_of(document, mention.line),
                Thing.SYMBOL, mention.name, Tier.CERTAIN, f"{deed} {commit[:7]}", commit,
                made + rest if made else None,
            )  # fmt: skip
    return None


def _dotted(was: str, new: str, dotted: str) -> str | None:
    """Return a module's dotted name after its file was moved."""

    def plain(path: str) -> str:
        return path.removesuffix(".py").removesuffix("/__init__")

    prefix = plain(was)[: -len(dotted)]
    return (
        plain(new).removeprefix(prefix).replace("/", ".") if plain(new).startswith(prefix) else None
    )


Gone = tuple[str, str, str | None]
"""A symbol's qualified name, its file, and what it is called now."""


def moved_symbols(change: Change) -> dict[str, list[Gone]]:
    """Return what was removed or renamed inside a file, by its short name."""
    found: dict[str, list[Gone]] = {}
    for one, path in change.symbols:
        if one.before is not None and one.what in ("removed", "renamed"):
            new = one.after.short if one.after is not None else None
            found.setdefault(one.before.short, []).append((one.before.name, path, new))
    return found


def qualified(
    change: Change,
    document: Document,
    mention: Mention,
    word: str,
    gone: list[Gone],
    commit: str,
) -> Drift | None:
    """A name with its class or module, where only that one is gone and the word is elsewhere."""
    outer = outer_of(mention)
    if not outer:
        return None
    for qualified, path, new in gone:
        holder = qualified.rpartition(".")[0]
        if holder:
            if outer.split(".")[-1] != holder.split(".")[-1] or _inherits(
                change, path, holder, word
            ):
                continue
        else:
            module = path.rsplit(".", 1)[0].removesuffix("/__init__").replace("/", ".")
            if not (module == outer or module.endswith("." + outer)):
                continue
            held = words_in(change.new, [path]).get(path, frozenset())
            if word in held or "__getattr__" in held:
                continue
        return drift_of(document, mention, word, new, Tier.LIKELY, path, commit)
    return None


def _inherits(change: Change, path: str, holder: str, word: str) -> bool:
    """Say whether a class may still have a name: from a base, or by a rule of its own."""
    text = next((each.new_text for each in change.files if each.new_path == path), "")
    short = holder.rpartition(".")[2]
    found = re.search(
        rf"^\s*class {re.escape(short)}\b\s*(?:\((?P<bases>[^)]*)\))?", text, re.MULTILINE
    )
    if found is None:
        return False
    bases = [base.strip() for base in (found["bases"] or "").split(",") if base.strip()]
    own = [
        base for base in bases if base.split("[")[0] not in ("object", "Protocol", "Generic", "ABC")
    ]
    if "__getattr__" in text:
        return True
    for base in own:
        inside = re.search(
            rf"^class {re.escape(base.split('.')[-1])}\b(?P<body>(?:\n(?:\s.*)?|[^\n])*)",
            text,
            re.MULTILINE,
        )
        if inside is None or re.search(
            rf"\b{re.escape(word)}\b", inside["body"].split("\nclass ")[0]
        ):
            return True
    return False
