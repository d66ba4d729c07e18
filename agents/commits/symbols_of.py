"""What a change did to the names that its files define: both versions of each are read whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...ingest.git.command import Git
from ...ingest.git.words import decode_text
from ...ingest.symbols import compare, known, symbols
from ...memory.records import Content
from .options import defined
from .paths import role
from .records import FileChange
from .sections import with_definitions, with_headings

MOST_FILES = 200
MOST_LINES = 20_000
"""A change beyond that has more names than a message could say."""
BLOB_LIMIT = 1_000_000
"""Bytes of a file that is searched for definitions."""


def with_symbols(git: Git, files: Sequence[FileChange]) -> tuple[FileChange, ...]:
    """Add to each file what happened to the names it defines, where its language is known, and to
    its hunks the definition or the heading that they are in."""
    read = [
        file
        for file in files
        if file.content is Content.TEXT
        and not file.binary
        and file.added + file.removed
        and (known(file.path) or role(file) == "docs")
    ]
    lines = sum(file.added + file.removed for file in read)
    if not read or len(read) > MOST_FILES or lines > MOST_LINES:
        return tuple(files)
    texts = _texts(git, [blob for file in read for blob in (file.old_id, file.new_id) if blob])
    return tuple(_with(file, texts) if file in read else file for file in files)


def _with(file: FileChange, texts: dict[str, str]) -> FileChange:
    if any(blob and blob not in texts for blob in (file.old_id, file.new_id)):
        return file  # one side is too large or is not here: all names would seem new or gone
    if not known(file.path):
        return with_headings(file, texts[file.new_id]) if file.new_id else file
    before = symbols(file.old_path or file.path, texts[file.old_id]) if file.old_id else ()
    after = symbols(file.path, texts[file.new_id]) if file.new_id else ()
    if before is None or after is None:
        return file
    names = {one.name for one in (*before, *after)} | {one.short for one in (*before, *after)}
    for blob in filter(None, (file.old_id, file.new_id)):
        names.update(option for _, option in defined(texts[blob].splitlines()))
    placed = with_definitions(file, after)
    return replace(placed, symbols=compare(before, after), defines=frozenset(names))


def _texts(git: Git, blobs: Sequence[str]) -> dict[str, str]:
    asked = list(dict.fromkeys(blobs))
    sizes = git.run(
        "cat-file",
        "--batch-check=%(objectname) %(objecttype) %(objectsize)",
        stdin=_lines(asked),
    )
    small: list[str] = []
    for line in sizes.decode().splitlines():
        fields = line.split(" ")
        if len(fields) == 3 and fields[1] == "blob" and int(fields[2]) <= BLOB_LIMIT:
            small.append(fields[0])
    said = git.run("cat-file", "--batch", stdin=_lines(small))
    found: dict[str, str] = {}
    position = 0
    for blob in small:
        end = said.index(b"\n", position)
        size = int(said[position:end].rsplit(b" ", 1)[1])
        found[blob] = decode_text(said[end + 1 : end + 1 + size])
        position = end + size + 2
    return found


def _lines(words: Sequence[str]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode()
