"""Where a word still is: every file below a folder, whatever it is packed in.

Written beside the program's own search on purpose, and with other means: what that one overlooks
should not be overlooked here too.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import subprocess
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import lancedb


def where_is(folder: Path, *sought: str) -> list[str]:
    """Return where any of the words is below a folder, one line for each place; case does not
    matter."""
    found: list[str] = []
    for place, data in _everything(folder):
        text = data.lower()
        found += [f"{word!r} in {place}" for word in sought if _is_in(word, text)]
    return found


def _is_in(word: str, data: bytes) -> bool:
    forms = {word, json.dumps(word)[1:-1], word.replace("@", "%40")}
    return any(form.lower().encode() in data for form in forms) or (
        word.lower().encode("utf-16-le") in data
    )


def _everything(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            yield f"{path} -> ", str(path.readlink()).encode()
        if not path.is_file() or path.is_symlink():
            continue
        yield str(path), path.name.encode() + b"\n" + path.read_bytes()
        if path.suffix == ".gz":
            yield f"{path} (unpacked)", gzip.decompress(path.read_bytes())
        if path.suffix == ".db":
            yield from _rows(path)
        if len(path.name) == 38 and len(path.parent.name) == 2:
            yield f"{path} (inflated)", zlib.decompress(path.read_bytes())
        if path.suffix == ".pack":
            yield f"{path} (inflated)", _packed(path)
    for path in sorted(folder.rglob("*.lance")):
        if (path / "_versions").is_dir():
            yield from _versions(path)


def _rows(path: Path) -> Iterator[tuple[str, bytes]]:
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            for row in db.execute(f'SELECT * FROM "{table}"'):
                yield f"{path} table {table}", _bytes(row)
    finally:
        db.close()


def _bytes(row: Iterable[object]) -> bytes:
    return b"\n".join(
        value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
        for value in row
    )


def _packed(path: Path) -> bytes:
    git_dir = path.parent.parent.parent
    done = subprocess.run(
        ["git", "--git-dir", str(git_dir), "cat-file", "--batch", "--batch-all-objects"],
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    return done.stdout


def _versions(path: Path) -> Iterator[tuple[str, bytes]]:
    table: Any = lancedb.connect(str(path.parent)).open_table(path.stem)
    for version in table.list_versions():
        table.checkout(version["version"])
        columns = [field.name for field in table.schema if field.name != "vector"]
        for row in table.search().select(columns).to_list():
            yield f"{path} version {version['version']}", _bytes(row.values())
