"""Whatever a word is packed in, the search for it finds it."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hermes.daemon.forgetting import unpacked
from hermes.daemon.proving import BLOCK, Needles, Proof, search
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


def test_objects_of_git_are_inflated_loose_and_packed(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit({"a.txt": f"by {NAME}\n" * 20})
    assert look(repo.path / ".git").left
    repo.git("gc", "-q", "--prune=now")
    packs = list(repo.path.glob(".git/objects/pack/*.pack"))
    assert [Path(place) for place in look(repo.path / ".git").left] == packs


@pytest.mark.parametrize("text", ["Zoë Roebuck", "xZoë Roe", "Zoë", "annezoe@example.org", ""])
def test_another_word_is_not_taken_for_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "file").write_text(text)
    proof = look(tmp_path)
    assert (proof.left, proof.files, proof.bytes) == ({}, 1, len(text.encode()))


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
    assert (proof.files, proof.left) == (0, {})
