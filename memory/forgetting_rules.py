"""Rules of forgetting: what each says of a person, a path, a source. Pure: nothing is read or kept.

A person is known by salted hashes only, so a rule does not say who was forgotten. The salt lies
beside the rules: it keeps the names out of every file, not from somebody who has a list of names to
try and the memory to try it on.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

from .filters import glob_pattern
from .records import is_item
from .tokens import terms

FORGOTTEN = "[forgotten]"
"""What stands in others' texts where a forgotten name, address or path stood."""


class RuleKind(StrEnum):
    """By what is forgotten."""

    SOURCE = "source"
    PATH = "path"
    PERSON = "person"
    BEFORE = "before"
    CHUNK = "chunk"
    REF = "ref"
    """A commit or an item as a whole: ``<repository's id>:<reference>``."""
    ITEMS = "items"
    """Many items, while they are taken out with the source that brought them."""


class Rule(Protocol):
    """One rule. Everything is asked of everything, so each answers what it has no say in with no."""

    def is_person(self, name: str, email: str) -> bool:
        """Say whether a name, or an address, is of a forgotten person."""
        ...

    def is_path(self, path: str) -> bool:
        """Say whether a path is forgotten."""
        ...

    def is_of(self, source: str, time: int) -> bool:
        """Say whether everything of this source, or of this time, is forgotten."""
        ...

    def is_chunk(self, chunk: str) -> bool:
        """Say whether the chunk with this id is forgotten."""
        ...

    def is_ref(self, repo: str, ref: str) -> bool:
        """Say whether a commit or an item is forgotten as a whole."""
        ...

    def clean(self, text: str) -> str:
        """Return a text without what is forgotten."""
        ...


class _Nothing:
    """A rule that has no say in anything; each real one overrides what it is about."""

    def is_person(self, name: str, email: str) -> bool:
        return False

    def is_path(self, path: str) -> bool:
        return False

    def is_of(self, source: str, time: int) -> bool:
        return False

    def is_chunk(self, chunk: str) -> bool:
        return False

    def is_ref(self, repo: str, ref: str) -> bool:
        return False

    def clean(self, text: str) -> str:
        return text


class OfSource(_Nothing):
    """Everything that one source has brought."""

    def __init__(self, source: str) -> None:
        self._source = source

    def is_of(self, source: str, time: int) -> bool:
        """Say whether it came from there."""
        return source == self._source


class Before(_Nothing):
    """Everything of before a second."""

    def __init__(self, second: int) -> None:
        self._second = second

    def is_of(self, source: str, time: int) -> bool:
        """Say whether it is older."""
        return time < self._second


class OfChunk(_Nothing):
    """One piece of text."""

    def __init__(self, chunk: str) -> None:
        self._chunk = chunk

    def is_chunk(self, chunk: str) -> bool:
        """Say whether it is the one."""
        return chunk == self._chunk


class OfRef(_Nothing):
    """One commit or item."""

    def __init__(self, rule: str) -> None:
        """``rule`` is as `ref_rule` made it."""
        self._repo, _, self._ref = rule.partition(":")

    def is_ref(self, repo: str, ref: str) -> bool:
        """Say whether it is the one."""
        return (repo, ref) == (self._repo, self._ref)


class OfItems(_Nothing):
    """Many items."""

    def __init__(self, rule: str, salt: bytes) -> None:
        """``rule`` is as `items_rule` made it."""
        self._salt = salt
        self._known = frozenset[str](json.loads(rule))

    def is_ref(self, repo: str, ref: str) -> bool:
        """Say whether it is one of them."""
        return is_item(ref) and _hash(ref_rule(repo, ref), self._salt) in self._known


class OfPath(_Nothing):
    """A file, a folder, or what a glob matches; in texts too."""

    def __init__(self, rule: str, salt: bytes) -> None:
        """``rule`` is as `path_rule` made it."""
        fields = json.loads(rule)
        self._salt = salt
        self._at: str = fields.get("at", "")
        self._depth: int = fields.get("depth", 0)
        self._glob = re.compile(glob_pattern(fields["glob"])) if "glob" in fields else None

    def is_path(self, path: str) -> bool:
        """Say whether it is the one, or lies in it; case does not matter, as in full text."""
        path = path.casefold()
        if self._glob is not None:
            return self._glob.search(path) is not None
        parts = path.split("/", self._depth)[: self._depth]
        return len(parts) == self._depth and _hash("/".join(parts), self._salt) == self._at

    def clean(self, text: str) -> str:
        """Return a text without the paths."""
        return _PATH.sub(lambda found: FORGOTTEN if self._names(found[0]) else found[0], text)

    def _names(self, word: str) -> bool:
        if word.startswith(("a/", "b/", "./")):
            return self.is_path(word) or self.is_path(word.split("/", 1)[1])
        if not word.startswith("/"):
            return self.is_path(word)
        parts = word.split("/")
        return any(self.is_path("/".join(parts[start:])) for start in range(1, len(parts)))


class OfPerson(_Nothing):
    """What a person wrote, and their name and address wherever they stand."""

    def __init__(self, rule: str, salt: bytes) -> None:
        """``rule`` is as `person_rule` made it."""
        fields = json.loads(rule)
        self._salt = salt
        self._names = frozenset[str](fields["names"])
        self._addresses = frozenset[str](fields["addresses"])
        self._handles = frozenset[str](fields["handles"])
        self._phrases = frozenset[str](fields["phrases"])
        self._first = frozenset[str](fields["first"])
        self._lengths = sorted(set[int](fields["lengths"]), reverse=True)
        self._begins = lru_cache(maxsize=1 << 16)(self._is_first)
        self._holds_first = lru_cache(maxsize=1 << 16)(self._has_first)

    def is_person(self, name: str, email: str) -> bool:
        """Say whether it is them."""
        if name and _hash(" ".join(words(name)), self._salt) in self._names:
            return True
        return bool(email) and _hash(email.strip().casefold(), self._salt) in self._addresses

    def is_path(self, path: str) -> bool:
        """Say whether a file is named after them."""
        return self.clean(path) != path

    def clean(self, text: str) -> str:
        """Return a text without their names and addresses."""
        if "@" not in text and "%40" not in text:
            return self._without_phrases(text)
        # A whole name before a handle, or @Kim Noor would leave her last name.
        text = self._without_phrases(_ADDRESS.sub(self._address, text))
        return _HANDLE.sub(self._handle, _AT_NOBODY.sub("", text))

    def _address(self, found: re.Match[str]) -> str:
        signs = len(found[0]) - len(found[0].lstrip("+-.%"))  # of a diff, say
        address = found[0][signs:].replace("%40", "@").casefold()
        if _hash(address, self._salt) not in self._addresses:
            return found[0]
        return found[0][:signs] + FORGOTTEN

    def _handle(self, found: re.Match[str]) -> str:
        return FORGOTTEN if _hash(found[1].casefold(), self._salt) in self._handles else found[0]

    def _is_first(self, word: str) -> bool:
        return _hash(_plain(word), self._salt) in self._first

    def _has_first(self, word: str) -> bool:
        """Say whether one that is set apart by blanks holds the first word of a name."""
        return any(self._begins(part) for part in _WORD.findall(word) if part)

    def _without_phrases(self, text: str) -> str:
        # Most texts have no such word, and finding that out costs a tenth of going through them.
        if not any(map(self._holds_first, set(text.split()))):
            return text
        found = [match for match in _WORD.finditer(text) if match[1]]
        pieces: list[str] = []
        done = place = 0
        while place < len(found):
            length = self._length(text, found, place) if self._begins(found[place][1]) else 0
            if length:
                pieces += (text[done : found[place].start()], FORGOTTEN)
                done = found[place + length - 1].end()
            place += length or 1
        return "".join((*pieces, text[done:])) if pieces else text

    def _length(self, text: str, found: Sequence[re.Match[str]], place: int) -> int:
        """Return how many words from here on are a name of theirs; 0 if none are."""
        for length in self._lengths:
            some = found[place : place + length]
            if len(some) < length or any(
                _BETWEEN.fullmatch(text, one.end(), next_one.start()) is None
                for one, next_one in pairwise(some)
            ):
                continue
            if _hash(" ".join(_plain(one[1]) for one in some), self._salt) in self._phrases:
                return length
        return 0


def person_rule(
    names: Iterable[str], addresses: Iterable[str], also: Iterable[str], salt: bytes
) -> str:
    """Return the rule that forgets a person.

    ``names`` are taken out wherever they stand. ``also`` are names of theirs that may be ordinary
    words too, of one word: they count where an author is named, and after an @.
    """
    named = {tuple(words(name)) for name in names} - {()}
    others = {tuple(words(name)) for name in also} - {()}
    where = {address.strip().casefold() for address in addresses} - {""}
    phrases = set(named)
    # Full text holds stems, without the words that everybody uses; of an address, its parts.
    for text in (*(" ".join(name) for name in named), *where):
        for some in (words(" ".join(terms(text))), words(text)):
            phrases |= {tuple(some)} if len(some) > 1 else set()
    handles = {"".join(name) for name in named | others if len(name) == 1}
    handles |= {address.partition("@")[0].rpartition("+")[2] for address in where}

    def hashed(texts: Iterable[str]) -> list[str]:
        return sorted({_hash(text, salt) for text in texts if text})

    return json.dumps(
        {
            "names": hashed(" ".join(name) for name in named | others),
            "addresses": hashed(where),
            "handles": hashed(handles),
            "phrases": hashed(" ".join(phrase) for phrase in phrases),
            "first": hashed(phrase[0] for phrase in phrases),
            "lengths": sorted({len(phrase) for phrase in phrases}),
        }
    )


def path_rule(path: str, salt: bytes) -> str:
    """Return the rule that forgets a file or a folder, by its hash, or what a glob matches."""
    path = path.removeprefix("./").rstrip("/")
    if re.search(r"[*?\[]", path):
        return json.dumps({"glob": path.casefold()})
    at = path.casefold()
    return json.dumps({"at": _hash(at, salt), "depth": at.count("/") + 1})


def ref_rule(repo: str, ref: str) -> str:
    """Return the rule that forgets a commit, or an item, of a repository or of none."""
    return f"{repo}:{ref}"


def items_rule(items: Iterable[tuple[str, str]], salt: bytes) -> str:
    """Return the rule that forgets items, each given by its repository and reference."""
    return json.dumps(sorted({_hash(ref_rule(repo, ref), salt) for repo, ref in items}))


def read_rule(kind: RuleKind, rule: str, salt: bytes) -> Rule:
    """Return a rule as it is applied."""
    match kind:
        case RuleKind.SOURCE:
            return OfSource(rule)
        case RuleKind.PATH:
            return OfPath(rule, salt)
        case RuleKind.PERSON:
            return OfPerson(rule, salt)
        case RuleKind.BEFORE:
            return Before(int(rule))
        case RuleKind.CHUNK:
            return OfChunk(rule)
        case RuleKind.REF:
            return OfRef(rule)
        case RuleKind.ITEMS:
            return OfItems(rule, salt)


def words(text: str) -> list[str]:
    """Return the words of a name, the same however it is written."""
    return [_plain(found[1]) for found in _WORD.finditer(text) if found[1]]


def _plain(word: str) -> str:
    return unicodedata.normalize("NFC", word.casefold())


def _hash(text: str, salt: bytes) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, key=salt, digest_size=12).hexdigest()


# Letters and digits with their accents; an escaped line end of JSON or of a log is no letter.
_WORD = re.compile(r"\\[nrt]|([^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*)")
_BETWEEN = re.compile(r"(?:\\[nrt]|[\W_]){1,4}")
_ADDRESS = re.compile(r"[\w.+%-]+?(?:@|%40)[\w-]+(?:\.[\w-]+)+")
_AT_NOBODY = re.compile(rf"(?<![\w.])@(?={re.escape(FORGOTTEN)})")
_HANDLE = re.compile(r"(?<![\w.])@([\w.-]*\w)")
_PATH = re.compile(r"[\w.@+~-]*(?:/[\w.@+~-]*[\w+~-])+|[\w-]+(?:\.[\w-]+)+")
