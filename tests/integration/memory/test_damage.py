"""A damaged memory says so, loses nothing that is still there, and can be rebuilt."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hermes.memory.errors import StoreDamaged, StoreTooNew
from hermes.memory.hits import TextSearch
from hermes.memory.lance import connect
from hermes.memory.memory import Memory
from hermes.memory.migrations import MIGRATIONS
from hermes.memory.records import Kind
from hermes.tests.builders.records import batch_of, sha_of


@pytest.fixture
def repo(folder: Path) -> str:
    """A closed memory with twenty commits in four batches; the id of their repository."""
    with Memory.open(folder, embedder=None, write=True) as memory:
        repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
        for start in range(0, 20, 5):
            memory.write(repo, *batch_of(repo, range(start, start + 5)))
        memory.index.set_tips(repo, {"refs/heads/main": sha_of(19)})
    return repo


def newest(folder: Path, pattern: str) -> Path:
    """Return the file last written among those that match."""
    return max(folder.glob(pattern), key=lambda path: path.stat().st_mtime_ns)


def newest_manifest(folder: Path) -> Path:
    """Return the newest version of the chunks table; versions count down in the names."""
    return min(folder.glob("lance/chunks.lance/_versions/*.manifest"))


def test_a_sound_memory_has_nothing_to_report(folder: Path, repo: str) -> None:
    with Memory.open(folder, embedder=None) as memory:
        assert memory.check() == []


def test_an_empty_newest_manifest_is_set_aside_and_its_batch_is_to_be_read_again(
    folder: Path, repo: str
) -> None:
    newest_manifest(folder).write_bytes(b"")
    with Memory.open(folder, embedder=None, write=True) as memory:
        assert memory.index.known(repo) == {sha_of(number) for number in range(15)}
        assert memory.index.tips(repo) == {}
        assert len(memory.store.search(TextSearch(Kind.MESSAGE, "chang"))[0]) == 15
        [finding] = memory.check()
        assert "set aside" in finding.problem
        assert not finding.serious
        memory.write(repo, *batch_of(repo, range(20)))
        assert memory.store.count_chunks() == 60


def test_a_reader_of_an_empty_manifest_says_that_the_store_is_damaged(
    folder: Path, repo: str
) -> None:
    newest_manifest(folder).write_bytes(b"")
    with Memory.open(folder, embedder=None) as memory:
        with pytest.raises(StoreDamaged, match="damaged") as caught:
            memory.store.search(TextSearch(Kind.MESSAGE, "chang"))[0]
        assert "hermes memory rebuild" in caught.value.hint
        assert any("damaged" in finding.problem for finding in memory.check())


def empty_data(folder: Path) -> None:
    newest(folder, "lance/chunks.lance/data/*.lance").write_bytes(b"")


def missing_data(folder: Path) -> None:
    newest(folder, "lance/chunks.lance/data/*.lance").unlink()


def garbage_data(folder: Path) -> None:
    path = newest(folder, "lance/chunks.lance/data/*.lance")
    path.write_bytes(b"\x5a" * path.stat().st_size)


def garbage_manifest(folder: Path) -> None:
    path = newest_manifest(folder)
    path.write_bytes(b"\x5a" * path.stat().st_size)


def blank_manifests(folder: Path) -> None:
    for path in folder.glob("lance/chunks.lance/_versions/*.manifest"):
        path.write_bytes(bytes(path.stat().st_size))


def cut_data(folder: Path) -> None:
    path = newest(folder, "lance/chunks.lance/data/*.lance")
    os.truncate(path, path.stat().st_size // 2)


def missing_index(folder: Path) -> None:
    shutil.rmtree(folder / "lance/chunks.lance/_indices")


def missing_manifests(folder: Path) -> None:
    for path in folder.glob("lance/chunks.lance/_versions/*.manifest"):
        path.unlink()


def missing_store(folder: Path) -> None:
    shutil.rmtree(folder / "lance")


@pytest.mark.parametrize(
    "harm",
    [
        empty_data,
        missing_data,
        garbage_data,
        cut_data,
        garbage_manifest,
        blank_manifests,
        missing_index,
        missing_manifests,
        missing_store,
    ],
)
def test_unreadable_files_are_told_of_and_a_rebuild_mends_them(
    folder: Path, repo: str, harm: Callable[[Path], None]
) -> None:
    harm(folder)
    with Memory.open(folder, embedder=None) as memory:
        assert any(finding.serious for finding in memory.check())
        with pytest.raises(StoreDamaged) as caught:
            memory.store.search(TextSearch(Kind.MESSAGE, "chang"))[0]
        assert "hermes memory rebuild" in caught.value.hint
        assert not re.search(r"[Ll]ance ?[Ee]rror|\.rs|rustc|cargo|magic", caught.value.message)
    assert [known.id for known in Memory.rebuild(folder)] == [repo]
    with Memory.open(folder, embedder=None, write=True) as memory:
        assert memory.index.known(repo) == set()
        assert memory.index.tips(repo) == {}
        memory.write(repo, *batch_of(repo, range(20)))
        assert memory.store.count_chunks() == 60
        assert memory.check() == []


def test_a_store_that_is_gone_is_not_silently_made_anew(folder: Path, repo: str) -> None:
    shutil.rmtree(folder / "lance")
    with pytest.raises(StoreDamaged, match="gone") as caught:
        Memory.open(folder, embedder=None, write=True)
    assert "hermes memory rebuild" in caught.value.hint
    with Memory.open(folder, embedder=None) as memory:
        assert any("gone" in finding.problem for finding in memory.check())
    Memory.rebuild(folder)
    with Memory.open(folder, embedder=None, write=True) as memory:
        memory.write(repo, *batch_of(repo, range(20)))
        assert memory.check() == []


def test_chunks_that_the_index_does_not_know_are_dropped(folder: Path, repo: str) -> None:
    with Memory.open(folder, embedder=None, write=True) as memory:
        memory.store.append(batch_of(repo, [30])[1])
        memory.store.append(batch_of(repo, [3])[1])
        assert any("more or fewer" in finding.problem for finding in memory.check())
    with Memory.open(folder, embedder=None, write=True) as memory:
        assert sha_of(3) not in memory.index.known(repo)
        assert memory.store.count_chunks() == 3 * 19
        assert memory.check() == []


def test_a_database_that_is_none_is_told_of_and_set_aside_by_a_rebuild(
    folder: Path, repo: str
) -> None:
    (folder / "memory.db").write_bytes(b"not a database, by any means" * 100)
    for write in (False, True):
        with pytest.raises(StoreDamaged, match="not a database"):
            Memory.open(folder, embedder=None, write=write)
    assert Memory.rebuild(folder) == []
    assert len(list(folder.glob("memory.db.damaged-*"))) == 1
    with Memory.open(folder, embedder=None, write=True) as memory:
        assert memory.index.repos() == []
        assert memory.check() == []


def test_a_log_that_was_folded_in_by_half_is_no_damage(folder: Path) -> None:
    half = folder.with_name("half")
    with Memory.open(folder, embedder=None, write=True) as memory:
        repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
        memory.write(repo, *batch_of(repo, range(20)))
        shutil.copytree(folder, half)
    # What a full disk leaves: the first page says how long the file is, the rest is in the log.
    with (half / "memory.db").open("wb") as file:
        file.write((folder / "memory.db").read_bytes()[:4096])
    with Memory.open(half, embedder=None, write=True) as memory:
        assert len(memory.index.known(repo)) == 20
        assert memory.check() == []


def test_a_database_with_broken_pages_says_so(folder: Path, repo: str) -> None:
    path = folder / "memory.db"
    with closing(sqlite3.connect(path)) as db:
        size = db.execute("PRAGMA page_size").fetchone()[0]
        roots = db.execute("SELECT rootpage FROM sqlite_master WHERE tbl_name = 'commits'")
        pages = [row[0] for row in roots]
    content = bytearray(path.read_bytes())
    for page in pages:
        content[(page - 1) * size : page * size] = b"\x5a" * size
    path.write_bytes(bytes(content))
    with Memory.open(folder, embedder=None) as memory:
        with pytest.raises(StoreDamaged):
            memory.index.known(repo)
        assert memory.check()
    assert Memory.rebuild(folder) == []
    with Memory.open(folder, embedder=None, write=True) as memory:
        assert memory.check() == []


def test_a_file_where_the_store_should_be_is_told_of_and_left_there(
    folder: Path, repo: str
) -> None:
    shutil.rmtree(folder / "lance")
    (folder / "lance").write_text("what is this?")
    for write in (False, True):
        with pytest.raises(StoreDamaged, match="move it away"):
            Memory.open(folder, embedder=None, write=write).store.count_chunks()
    assert (folder / "lance").read_text() == "what is this?"


@pytest.mark.parametrize("write", [False, True])
def test_a_memory_of_a_newer_version_is_refused_and_left_alone(
    folder: Path, repo: str, write: bool
) -> None:
    db = sqlite3.connect(folder / "memory.db")
    db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    db.close()

    def content() -> dict[str, bytes]:
        return {
            str(path): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and path.name != "writer.lock"
        }

    before = content()
    with pytest.raises(StoreTooNew, match="newer version") as caught:
        Memory.open(folder, embedder=None, write=write)
    assert "Upgrade" in caught.value.hint
    with pytest.raises(StoreTooNew):
        Memory.rebuild(folder)
    assert content() == before


def test_after_a_refusal_the_writer_lock_is_free(folder: Path, repo: str) -> None:
    shutil.move(folder / "lance", folder / "elsewhere")
    with pytest.raises(StoreDamaged):
        Memory.open(folder, embedder=None, write=True)
    shutil.move(folder / "elsewhere", folder / "lance")
    Memory.open(folder, embedder=None, write=True).close()


def test_a_store_beside_other_tables_leaves_them_alone(folder: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "shared")
    others = connect(place, None).create_table("others", [{"x": 1}])
    with Memory.open(folder, embedder=None, uri=place, write=True) as memory:
        repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
        memory.write(repo, *batch_of(repo, range(5)))
        memory.orphan(repo, [sha_of(1)])
        memory.maintain(force=True)
        assert memory.check() == []
    Memory.rebuild(folder, uri=place)
    with Memory.open(folder, embedder=None, uri=place, write=True) as memory:
        memory.write(repo, *batch_of(repo, range(5)))
        memory.forget_repo(repo)
    assert others.count_rows() == 1
