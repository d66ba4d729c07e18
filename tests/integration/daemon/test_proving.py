"""Whatever a word is packed in, the search for it finds it."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hermes.daemon.needles import Needles
from hermes.daemon.proving import BLOCK, Left, Proof, search
from hermes.daemon.searching import search_apart, unpacked
from hermes.tests.builders.git import RepoBuilder

NAME = "Zoë Roe"


def look(folder: Path, *sought: str) -> Proof:
    """Search a folder."""
    return search([folder], Needles(sought or (NAME, "zoe@example.org")), unpack_git=unpacked)


def in_database(path: Path) -> None:
    """Put the name across the border of two pages."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA page_size = 512")
        db.execute("CREATE TABLE t (a TEXT)")
        for length in range(420, 520):
            db.execute("INSERT INTO t VALUES (?)", ("x" * length + f" {NAME}",))
        db.commit()


WRITERS: dict[str, Callable[[Path], object]] = {
    "plain": lambda path: path.write_text(f"by {NAME}"),
    "other case": lambda path: path.write_text(f"by {NAME.upper()}"),
    "across blocks": lambda path: path.write_bytes(
        b" " * (BLOCK - 3) + NAME.encode() + b" " * BLOCK
    ),
    "json": lambda path: path.write_text(json.dumps({"who": f"a\n{NAME}"})),
    "utf-16": lambda path: path.write_bytes(f"by {NAME}".encode("utf-16-le")),
    "address in a link": lambda path: path.write_text("mailto:zoe%40example.org"),
    "gzip": lambda path: path.write_bytes(gzip.compress(f" {NAME} ".encode() * 50)),
    "zlib": lambda path: path.write_bytes(zlib.compress(b"blob 7\0" + f" {NAME} ".encode() * 50)),
    "database": in_database,
    "file name": lambda path: path.with_name(f"{NAME}.txt").write_text(""),
    "link": lambda path: path.symlink_to(f"/nowhere/{NAME}"),
}


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_it_is_found(tmp_path: Path, writer: Callable[[Path], object]) -> None:
    writer(tmp_path / "file")
    assert len(look(tmp_path).left) == 1


def freed(path: Path) -> None:
    """Leave a row in a page that is free, between the values that stood beside the name."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA secure_delete = OFF")
        db.execute("CREATE TABLE t (a TEXT, b TEXT, c TEXT)")
        db.execute("INSERT INTO t VALUES ('hello', ?, 'zoe@example.org')", (NAME,))
        db.commit()
        db.execute("DROP TABLE t")
        db.commit()


def in_log(path: Path) -> None:
    """Leave a row in the write-ahead log only, as a kill does."""
    with closing(sqlite3.connect(path.with_name("made"))) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE t (a TEXT, b TEXT)")
        db.execute("INSERT INTO t VALUES ('hello', ?)", (NAME,))
        db.commit()
        db.execute("UPDATE t SET b = 'nobody'")
        db.commit()
        path.write_bytes(path.with_name("made-wal").read_bytes())
    path.with_name("made").unlink()


def in_a_git_index(path: Path) -> None:
    """Write what has the length of the name, a letter, right before it."""
    path.write_bytes(b"DIRC\0\0\0\2" + b"\0" * 8 + b"\0A" + NAME.encode() + b"\0")


BARE: dict[str, Callable[[Path], object]] = {
    "free page": freed,
    "write-ahead log": in_log,
    "behind its length": in_a_git_index,
    "between other values": lambda path: path.write_bytes(
        b"\0author" + NAME.encode() + b"Sam Ito\0"
    ),
}


@pytest.mark.parametrize("writer", BARE.values(), ids=BARE)
def test_in_bytes_it_is_found_whatever_stands_beside_it(
    tmp_path: Path, writer: Callable[[Path], object]
) -> None:
    writer(tmp_path / "file")
    assert look(tmp_path, NAME).left == {Left(str(tmp_path / "file"), "its bytes")}


def test_a_longer_word_in_a_row_accounts_for_its_bytes_and_for_no_others(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA page_size = 512")
        db.execute("CREATE TABLE t (a TEXT, b TEXT)")
        db.execute("CREATE INDEX i ON t (b, a)")
        for length in range(400, 540):  # so that pages end everywhere in it
            row = (f"{NAME}buck", "x" * length + f" {NAME}buck went")
            db.execute("INSERT INTO t VALUES (?, ?)", row)
        db.commit()
    assert look(tmp_path, NAME).left == set()
    with path.open("ab") as file:
        file.write(b"\0" * 100 + b"hello" + NAME.encode() + b"zoe@example.org" + b"\0" * 372)
    assert look(tmp_path, NAME).left == {Left(str(path), "its bytes")}


def test_nothing_is_found_where_nothing_is_sought(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(NAME)
    in_database(tmp_path / "file.db")
    assert search([tmp_path], Needles([]), unpack_git=unpacked).left == set()


def test_each_table_that_has_it_is_named(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "file")) as db:
        for table in ("one", "two"):
            db.execute(f"CREATE TABLE {table} (a TEXT)")
            db.execute(f"INSERT INTO {table} VALUES (?)", (NAME,))
        db.execute("CREATE TABLE other (a TEXT)")
        db.execute("INSERT INTO other VALUES (?)", (f"{NAME}buck",))
        db.commit()
    assert {what for _, what in look(tmp_path).left} == {"table one", "table two"}


def test_a_search_takes_no_locks_from_a_database_that_is_open(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE t (a TEXT)")
        db.execute("INSERT INTO t VALUES (?)", (NAME,))
        told: list[tuple[int, int]] = []
        proof = search_apart(
            [tmp_path],
            Needles([NAME]),
            spare=tmp_path / "spared",
            known={},
            on_progress=lambda done, total: told.append((done, total)),
        )
        assert "table t" in {what for _, what in proof.left}
        assert told[-1] == (proof.files, proof.files)
        # The last one out takes the log away; another process is not the last one.
        _in_another_process(path, "INSERT INTO t VALUES ('theirs')")
        assert path.with_name("file.db-wal").exists()
        db.execute("INSERT INTO t VALUES ('ours')")
        assert _in_another_process(path, "SELECT count(*) FROM t") == "[(3,)]"


def _in_another_process(path: Path, sql: str) -> str:
    code = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None);"
        " print(db.execute(sys.argv[2]).fetchall()); db.close()"
    )
    command = [sys.executable, "-c", code, str(path), sql]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_objects_of_git_are_inflated_loose_and_packed(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit({"a.txt": f"by {NAME}\n" * 20})
    assert look(repo.path / ".git").left
    repo.git("gc", "-q", "--prune=now")
    packs = list(repo.path.glob(".git/objects/pack/*.pack"))
    assert [Path(place) for place, _ in look(repo.path / ".git").left] == packs


@pytest.mark.parametrize("text", ["Zoë Roebuck", "xZoë Roe", "Zoë", "annezoe@example.org", ""])
def test_another_word_is_not_taken_for_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "file").write_text(text)
    proof = look(tmp_path)
    assert (proof.left, proof.files, proof.bytes) == (set(), 1, len(text.encode()))


def test_what_can_not_be_looked_into_is_named(tmp_path: Path) -> None:
    (tmp_path / "packed").write_bytes(b"\x28\xb5\x2f\xfd" + os.urandom(30))
    (tmp_path / "torn.gz").write_bytes(gzip.compress(b"x" * 5_000)[:20])
    (tmp_path / "torn.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 3_000)
    proof = look(tmp_path)
    assert {Path(place).name for place in proof.unsearched} == {"packed", "torn.gz", "torn.db"}
    assert proof.unsearched[str(tmp_path / "packed")] == "it is packed with zstd"


def test_what_is_spared_is_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(NAME)
    proof = search(
        [tmp_path], Needles([NAME]), unpack_git=unpacked, spare=lambda path: path.name == "file"
    )
    assert (proof.files, proof.left) == (0, set())
