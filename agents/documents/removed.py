"""Documents that name what a change took away or renamed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from . import links
from .changes import Change
from .code_words import words_in
from .names import COMMON, forms, outer_of, word_of
from .paths import by_end
from .records import Document, Drift, Mention, Thing, Tier

_WORDS = {
    Thing.FLAG: "the option",
    Thing.VARIABLE: "the variable",
    Thing.SETTING: "the setting",
    Thing.COMMAND: "the command",
    Thing.SYMBOL: "",
}


def removed(change: Change, documents: Mapping[str, Document], commit: str) -> Iterator[Drift]:
    """Yield each mention of a path or a name that was there before and is nowhere now."""
    yield from _paths(change, documents, commit)
    yield from _names(change, documents, commit)


def live(document: Document) -> Iterator[Mention]:
    """Yield the mentions that speak of the present."""
    for mention in document.mentions:
        if mention.line not in document.ignored and mention.line not in document.past:
            yield mention


def live_links(document: Document) -> Iterator[Mention]:
    """Yield the links that are not marked as ignored; a link of the past must lead somewhere too."""
    for link in document.links:
        if link.line not in document.ignored:
            yield link


def sample_lines(document: Document) -> frozenset[int]:
    """Return the lines of a document that stand in blocks of code."""
    return frozenset(
        line
        for sample in document.samples
        for line in range(sample.line, sample.line + sample.text.rstrip("\n").count("\n") + 1)
    )


def line_of(document: Document, line: int) -> str:
    """Return a line of a document."""
    lines = document.text.split("\n")
    return lines[line - 1] if 0 < line <= len(lines) else ""


def _paths(change: Change, documents: Mapping[str, Document], commit: str) -> Iterator[Drift]:
    if not change.gone:
        return
    ends = {path.rpartition("/")[2] for path in change.gone}
    backwards = {new: old for old, new in change.renamed.items()}
    for document in documents.values():
        before = backwards.get(document.path, document.path)
        mentions = [each for each in live(document) if each.thing is Thing.PATH]
        blocks = sample_lines(document)
        for mention in [*live_links(document), *mentions]:
            written, anchor = links.split(mention.name)
            is_link = mention.thing in (Thing.LINK, Thing.ANCHOR)
            if not written or written.strip("/").rpartition("/")[2] not in ends:
                continue
            found = _gone_path(change, before, document.path, written, is_link)
            if found is None:
                continue
            old, tier = found
            if tier is Tier.CERTAIN and mention.line in blocks:
                tier = Tier.LIKELY  # what a program printed on some day may stand there
            new = change.renamed.get(old)
            deed = f"{old} is {new} since" if new else f"{old} was removed by"
            yield Drift(
                document.path, mention.line, line_of(document, mention.line),
                Thing.LINK if is_link else Thing.PATH, mention.name, tier,
                f"{deed} {commit[:7]}", commit, new + anchor if new else None,
            )  # fmt: skip


def _gone_path(
    change: Change, before: str, now: str, written: str, is_link: bool
) -> tuple[str, Tier] | None:
    old = next((path for path in links.targets(before, written) if change.old.has(path)), None)
    new = next((path for path in links.targets(now, written) if change.new.has(path)), None)
    if old is not None:
        old = old.rstrip("/")
        if new is not None or old not in change.gone and before == now:
            return None
        if not is_link and by_end(change.new.names, change.new.folders, written):
            return None
        bare = "/" not in written.strip("/") and not is_link
        return old, Tier.LIKELY if bare and "/" in old else Tier.CERTAIN
    if is_link:
        return None
    was = by_end(change.old.names, change.old.folders, written)
    if was is None or was not in change.gone or new is not None:
        return None
    if by_end(change.new.names, change.new.folders, written):
        return None
    return was, Tier.CERTAIN if "/" in written.strip("/") else Tier.LIKELY


def _names(change: Change, documents: Mapping[str, Document], commit: str) -> Iterator[Drift]:
    if not change.lost and not change.symbols:
        return

    @cache
    def everywhere() -> frozenset[str]:
        held: set[str] = set()
        for words in words_in(change.new).values():
            held |= words
        return frozenset(held)

    moved = _moved_symbols(change)
    for document in documents.values():
        blocks = sample_lines(document)
        for mention in live(document):
            word = word_of(mention)
            if len(word) < 3:
                continue
            drift = None
            if mention.thing is Thing.SYMBOL:
                drift = _of_module(change, document, mention, commit)
            if drift is None and any(form in change.lost for form in forms(word)):
                drift = _lost(
                    change, document, mention, word, everywhere, commit,
                    in_block=mention.line in blocks,
                )  # fmt: skip
            if drift is None and word in moved:
                drift = _qualified(change, document, mention, word, moved[word], commit)
            if drift is not None:
                yield drift


def _lost(
    change: Change,
    document: Document,
    mention: Mention,
    word: str,
    everywhere: Callable[[], frozenset[str]],
    commit: str,
    *,
    in_block: bool,
) -> Drift | None:
    possible = forms(word)
    if word.lower() in COMMON or any(form in everywhere() for form in possible):
        return None
    key = next(form for form in possible if form in change.lost)
    path = change.lost[key]
    plain = key.lstrip('"')
    defined = change.definitions.get(plain)
    known = (
        mention.thing in (Thing.FLAG, Thing.VARIABLE)
        or defined is not None
        or f'"{plain}' in change.lost
        or _is_key(change, path, plain)
    )
    if not known and (in_block or not _is_parameter(change, plain)):
        return None  # in a sample, it may be the parameter of anything
    if defined is not None:
        path = defined[0][1]
    replacement = change.renames.get(plain)
    if replacement is None and word != plain:
        replacement = change.renames.get(word)
    # A definition that was a parameter or a string only may have been another thing by that name.
    tier = Tier.CERTAIN if known else Tier.LIKELY
    return _drift(document, mention, word, replacement, tier, path, commit)


def _drift(
    document: Document,
    mention: Mention,
    word: str,
    replacement: str | None,
    tier: Tier,
    path: str,
    commit: str,
) -> Drift:
    label = _WORDS.get(mention.thing, "")
    shown = f"{label} {word}".strip()
    made = None
    if replacement is not None:
        if "-" in word and not word.startswith("--"):
            replacement = replacement.replace("_", "-")
        head, _, tail = mention.name.rpartition(word)
        made = f"{head}{replacement}{tail}"
        reason = f"{shown} in {path} is {replacement} since {commit[:7]}"
    else:
        reason = f"{shown} was removed from {path} by {commit[:7]}"
    return Drift(
        document.path, mention.line, line_of(document, mention.line),
        mention.thing, mention.name, tier, reason, commit, made,
    )  # fmt: skip


_CONFIGURATION = (".toml", ".yaml", ".yml", ".json", ".jsonc", ".ini", ".cfg", ".env", ".conf")


def _is_key(change: Change, path: str, word: str) -> bool:
    """Say whether a lost word was a key: of a configuration file."""
    if not path.endswith(_CONFIGURATION):
        return False
    text = next((each.old_text for each in change.files if each.old_path == path), "")
    return bool(re.search(rf"^\s*[\"']?{re.escape(word)}[\"']?\s*[:=](?!=)", text, re.MULTILINE))


def _is_parameter(change: Change, word: str) -> bool:
    return any(
        name.lstrip("*") == word
        for many in change.definitions.values()
        for symbol, _ in many
        for name, _default in symbol.parameters
    )


def _of_module(change: Change, document: Document, mention: Mention, commit: str) -> Drift | None:
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


_Gone = tuple[str, str, str | None]
"""A symbol's qualified name, its file, and what it is called now."""


def _moved_symbols(change: Change) -> dict[str, list[_Gone]]:
    """Return what was removed or renamed inside a file, by its short name."""
    found: dict[str, list[_Gone]] = {}
    for one, path in change.symbols:
        if one.before is not None and one.what in ("removed", "renamed"):
            new = one.after.short if one.after is not None else None
            found.setdefault(one.before.short, []).append((one.before.name, path, new))
    return found


def _qualified(
    change: Change,
    document: Document,
    mention: Mention,
    word: str,
    gone: list[_Gone],
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
        return _drift(document, mention, word, new, Tier.LIKELY, path, commit)
    return None


def _inherits(change: Change, path: str, holder: str, word: str) -> bool:
    """Say whether a class may still have a name: from a base, or by a rule of its own."""
    if not path.endswith(_CONFIGURATION):
        return False
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
