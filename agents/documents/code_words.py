"""The words that code is made of: identifiers, options, and short strings; comments left out.

Whether a name exists is asked of these words, whatever the language: a name that no file of code
holds any more, not even in a string, is gone.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from ...ingest.git.classify import by_path
from ...memory.records import Content
from .conventions import is_prose, name_of, tells_of_past
from .tree import Entry, Tree

MAX_BYTES = 1_000_000
"""Of a file that is read for its words."""
_KEPT = 30_000
"""Files whose words are kept, by blob."""

_PYTHON = (".py", ".pyi", ".pyx")
_HASH = (".sh", ".bash", ".zsh", ".fish", ".rb", ".yml", ".yaml", ".toml", ".cfg", ".ini", ".pl")
_SLASH = (
    *(".go", ".rs", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".java", ".kt", ".c", ".h"),
    *(".cc", ".cpp", ".hpp", ".cs", ".swift", ".scala", ".php", ".proto", ".css", ".scss"),
)
_NO_TEXT = re.compile(
    r"\.(?:png|jpe?g|gif|svg|ico|webp|pdf|mp[34]|woff2?|ttf|eot|zip|gz|xz|bz2|tar|bin|exe|db"
    r"|sqlite3?|parquet|pyc|so|dll|dylib|class|jar|wasm|ipynb|csv|tsv|po|pot|mo|snap)$",
    re.IGNORECASE,
)
_PROSE_TOO = re.compile(
    r"\.(?:adoc|asciidoc|textile|org|[1-9])$|(?:^|/)(?:authors|licen[cs]e|copying)", re.IGNORECASE
)
_STRINGS = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
_PYTHON_LEXER = re.compile(
    rf"(?P<triple>[rbuRBUfF]{{0,2}}(?P<quote>\"\"\"|''')(?:\\.|(?!(?P=quote)).)*(?:(?P=quote)|\Z))"
    rf"|(?P<string>{_STRINGS})|(?P<comment>#[^\n]*)",
    re.DOTALL,
)
_SLASH_LEXER = re.compile(
    rf"(?P<string>{_STRINGS}|`[^`]*`)|(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))", re.DOTALL
)
_HASH_LEXER = re.compile(rf"(?P<string>{_STRINGS})|(?P<comment>(?<![^\s])#[^\n]*)")
_WORD = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*|[A-Za-z_]\w+")
_SHORT_STRING = re.compile(r"[\"'`]([A-Za-z][\w.:/-]{1,60})[\"'`]")


def is_source(entry: Entry) -> bool:
    """Say whether a file of a tree is code, or data that code may read: not a document."""
    path = entry.path
    return (
        entry.is_file
        and entry.size <= MAX_BYTES
        and not is_prose(path)
        and not tells_of_past(path)
        and not _NO_TEXT.search(path)
        and not _PROSE_TOO.search(path)
        and by_path(path) not in (Content.LOCK, Content.MINIFIED)
    )


def without_comments(path: str, text: str) -> str:
    """Return code with comments and docstrings blanked out; lines and columns stay."""
    lowered = path.lower()
    if lowered.endswith(_PYTHON):
        return _PYTHON_LEXER.sub(_python_token, text)
    if lowered.endswith(_SLASH):
        return _SLASH_LEXER.sub(_token, text)
    if lowered.endswith(_HASH) or name_of(lowered) in ("makefile", "dockerfile", "justfile"):
        return _HASH_LEXER.sub(_token, text)
    return text


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _token(found: re.Match[str]) -> str:
    return found[0] if found["comment"] is None else _blank(found[0])


def _python_token(found: re.Match[str]) -> str:
    if found["comment"] is not None:
        return _blank(found[0])
    if found["triple"] is None:
        return found[0]
    # A string that stands alone is a docstring; as part of an expression it is data.
    text, start = found.string, found.start()
    line_start = text.rfind("\n", 0, start) + 1
    if text[line_start:start].strip():
        return found[0]
    before = text[max(0, line_start - 400) : line_start].rstrip()
    if before and before[-1] in "([{,=+\\%|&":
        return found[0]
    return _blank(found[0])


def words_of(path: str, text: str) -> frozenset[str]:
    """Return the words of a file of code: names, ``--options``, and ``"`` with each short string."""
    code = without_comments(path, text)
    found = set(_WORD.findall(code))
    found.update('"' + string for string in _SHORT_STRING.findall(code))
    return frozenset(found)


def words_in(tree: Tree, paths: Iterable[str] | None = None) -> Mapping[str, frozenset[str]]:
    """Return the words of each file of code in a tree, or of some of them, by path."""
    chosen = (
        tree.entries.values()
        if paths is None
        else [tree.entries[path] for path in paths if path in tree.entries]
    )
    entries = [entry for entry in chosen if is_source(entry)]
    found: dict[str, frozenset[str]] = {}
    missing: list[Entry] = []
    with _lock:
        for entry in entries:
            key = (_family(entry.path), entry.blob)
            if key in _cache:
                _cache.move_to_end(key)
                found[entry.path] = _cache[key]
            else:
                missing.append(entry)
    texts = tree.read(entry.blob for entry in missing)
    for entry in missing:
        content = texts.get(entry.blob, b"")
        plain = b"\0" not in content[:8_000]
        words = (
            words_of(entry.path, content.decode("utf-8", "replace")) if plain else frozenset[str]()
        )
        found[entry.path] = words
        with _lock:
            _cache[_family(entry.path), entry.blob] = words
            while len(_cache) > _KEPT:
                _cache.popitem(last=False)
    return found


def all_words(tree: Tree) -> frozenset[str]:
    """Return every word that any code of a tree has."""
    return frozenset[str]().union(*words_in(tree).values())


def _family(path: str) -> str:
    return name_of(path).rpartition(".")[2].lower()


_cache: OrderedDict[tuple[str, str], frozenset[str]] = OrderedDict()
_lock = threading.Lock()
