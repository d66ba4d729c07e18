"""How the names in documents are looked up among the words of code."""

from __future__ import annotations

import re
from collections.abc import Collection

from .records import Mention, Thing

COMMON = frozenset(
    {"name", "get", "set", "run", "main", "list", "type", "value", "data", "file", "path", "key"}
    | {"test", "open", "close", "read", "write", "self", "args", "kwargs", "true", "false", "none"}
    | {"add", "remove", "update", "delete", "index", "item", "items", "user", "users", "help"}
)
"""Words too common to say what they mean."""


def word_of(mention: Mention) -> str:
    """Return the one word of code that a mention stands or falls with; empty for paths.

    ``Cart.total()`` is ``total``, ``[tests] command`` is ``command``, ``shop sell-all`` is
    ``sell-all``.
    """
    name = mention.name.removesuffix("()")
    if mention.thing in (Thing.FLAG, Thing.VARIABLE):
        return name
    if mention.thing is Thing.SYMBOL:
        return re.split(r"\.|::|#", name)[-1]
    if mention.thing is Thing.SETTING:
        return re.split(r"[.\s]", name)[-1]
    if mention.thing is Thing.COMMAND:
        return name.split()[-1]
    return ""


def forms(word: str) -> tuple[str, ...]:
    """Return the words of code that a word of a document may be written as."""
    if word.startswith("--"):
        return (word,)
    plain = word.replace("-", "_")
    return tuple(dict.fromkeys((word, plain, f'"{word}', f'"{plain}')))


def still_forms(word: str, lost: Collection[str]) -> tuple[str, ...]:
    """Return the words of code of which any still stands for a lost word. Of a name that was written
    out with its dashes, an identifier that is like it says nothing: it names something else."""
    if "-" in word.strip("-") and f'"{word}' in lost:
        return (word, f'"{word}')
    return forms(word)


def outer_of(mention: Mention) -> str:
    """Return what stands before the last part of a symbol: ``shop.Cart`` of ``shop.Cart.total``."""
    name = mention.name.removesuffix("()")
    return name.rpartition(".")[0] if mention.thing is Thing.SYMBOL else ""
