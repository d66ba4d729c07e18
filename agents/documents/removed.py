"""Documents that name what a change took away or renamed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from . import links
from .changes import Change
from .code_words import all_words
from .conventions import runs_others
from .names import COMMON, forms, still_forms, word_of
from .paths import by_end, short_as
from .present import line_of, live, live_links, sample_lines
from .qualified import moved_symbols, of_module, qualified
from .records import Document, Drift, Mention, Thing, Tier
from .said import drift_of


def removed(change: Change, documents: Mapping[str, Document], commit: str) -> Iterator[Drift]:
    """Yield each mention of a path or a name that was there before and is nowhere now."""
    yield from _paths(change, documents, commit)
    yield from _names(change, documents, commit)


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
            if new and not is_link:
                new = short_as(change.new, document.path, written, new)
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
        return all_words(change.new)

    moved = moved_symbols(change)
    for document in documents.values():
        blocks = sample_lines(document)
        for mention in live(document):
            word = word_of(mention)
            if len(word) < 3:
                continue
            possible = forms(word)
            drift = None
            if mention.thing is Thing.SYMBOL:
                drift = of_module(change, document, mention, commit)
            if (
                drift is None
                and any(form in change.lost for form in possible)
                and not any(form in everywhere() for form in still_forms(word, change.lost))
            ):
                drift = lost_name(
                    change, document, mention, commit, in_block=mention.line in blocks
                )
            if drift is None and word in moved:
                drift = qualified(change, document, mention, word, moved[word], commit)
            if drift is not None:
                yield drift


def lost_name(
    change: Change, document: Document, mention: Mention, commit: str, *, in_block: bool
) -> Drift | None:
    """Return what is to be said of a mention of a word that a change took out of the code; None
    where the word is too common, or need not have been what the document means."""
    word = word_of(mention)
    key = next((form for form in forms(word) if form in change.lost), None)
    if key is None or word.lower() in COMMON:
        return None
    path, plain = change.lost[key], key.lstrip('"')
    defined = change.definitions.get(plain)
    stated = f'"{plain}' in change.lost or _is_key(change, path, plain)
    known = stated or defined is not None
    if mention.thing is Thing.FLAG:
        known = not runs_others(path)
    elif mention.thing is Thing.VARIABLE:
        known = known or "_" in word  # else a word of SQL, a method of HTTP
    if not known and (
        mention.thing in (Thing.FLAG, Thing.VARIABLE)
        or in_block  # in a sample, it may be the parameter of anything
        or not _is_parameter(change, plain)
    ):
        return None
    if defined is not None:
        path = defined[0][1]
        if mention.thing is Thing.SETTING and not stated:
            mention = replace(mention, thing=Thing.SYMBOL)
    replacement = change.renames.get(plain)
    if replacement is None and word != plain:
        replacement = change.renames.get(word)
    # A definition that was a parameter only may have been another thing by that name.
    tier = Tier.CERTAIN if known else Tier.LIKELY
    return drift_of(document, mention, word, replacement, tier, path, commit)


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
