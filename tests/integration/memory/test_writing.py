"""What is written is there, once, for every process that looks."""

from __future__ import annotations

import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hermes.memory.errors import ReadOnly, StoreBusy
from hermes.memory.hits import TextSearch
from hermes.memory.memory import Memory
from hermes.memory.records import Filters, Kind, Repo
from hermes.tests.builders.records import batch_of, chunks_of, commit_of, sha_of


def test_a_written_commit_comes_back_whole(memory: Memory, repo: Repo) -> None:
    commit = commit_of(repo.id, 1, message="Drop the retry queue", tickets=("#12", "ENG-7"))
    memory.write(repo.id, [commit], chunks_of(commit, "getUserName"))
    assert memory.index.commit(repo.id, commit.sha) == commit
    assert memory.index.known(repo.id) == {commit.sha}


def test_a_written_chunk_is_found_by_its_words_and_comes_back_whole(
    memory: Memory, repo: Repo
) -> None:
    commit = commit_of(repo.id, 1, message="Drop the retry queue")
    chunks = chunks_of(commit, "getUserName")
    memory.write(repo.id, [commit], chunks)
    [message] = memory.store.search(TextSearch(Kind.MESSAGE, "queue"))[0]
    contexts = memory.store.search(TextSearch(Kind.CONTEXT, "getusername"))[0]
    assert {hit.path for hit in contexts} == {file.path for file in commit.files}
    found = memory.store.fetch([message.id, *(hit.id for hit in contexts)])
    assert found == {chunk.id: chunk for chunk in chunks}


def test_what_is_given_twice_is_kept_once(memory: Memory, repo: Repo) -> None:
    commits, chunks = batch_of(repo.id, range(10))
    memory.write(repo.id, commits, chunks)
    memory.write(repo.id, commits, chunks)
    more, of_more = batch_of(repo.id, range(5, 15))
    memory.write(repo.id, more, of_more + of_more)
    assert memory.store.count_chunks() == 45
    assert memory.index.counts() == (15, 45)


def test_a_commit_without_chunks_is_known(memory: Memory, repo: Repo) -> None:
    memory.write(repo.id, [commit_of(repo.id, 1)], [])
    assert memory.index.known(repo.id) == {sha_of(1)}


@pytest.mark.parametrize("other", ["repo", "commit"])
def test_a_batch_of_another_repository_or_commit_is_refused(
    memory: Memory, repo: Repo, other: str
) -> None:
    commits, chunks = batch_of(repo.id, [1])
    stray = batch_of("elsewhere" if other == "repo" else repo.id, [2])[1]
    with pytest.raises(ValueError, match="one repository"):
        memory.write(repo.id, commits, chunks + stray)
    assert memory.store.count_chunks() == 0


def test_text_that_is_no_unicode_is_stored_readable(memory: Memory, repo: Repo) -> None:
    commit = commit_of(repo.id, 1, message="caf\udce9 \ud800", author="J\udcf6rg")
    memory.write(repo.id, [commit], chunks_of(commit, "x\udcffy\x00z"))
    read = memory.index.commit(repo.id, commit.sha)
    assert read is not None
    assert read.subject.startswith("caf")
    assert len(memory.store.fetch([chunk.id for chunk in chunks_of(commit)])) == 3


def test_a_reader_sees_what_the_writer_commits_at_once(
    folder: Path, memory: Memory, repo: Repo
) -> None:
    with Memory.open(folder, embedder=None) as reader:
        for number in range(5):
            memory.write(repo.id, *batch_of(repo.id, [number]))
            assert sha_of(number) in reader.index.known(repo.id)
            assert reader.store.count_chunks() == 3 * (number + 1)
            [hit] = reader.store.search(TextSearch(Kind.MESSAGE, f"number{number}"))[0]
            assert hit.ref == sha_of(number)


def test_a_reader_that_came_first_sees_the_store_once_it_is_made(folder: Path) -> None:
    with Memory.open(folder, embedder=None) as reader:
        assert reader.store.search(TextSearch(Kind.MESSAGE, "change"))[0] == []
        assert reader.stats().chunks == 0
        repo = reader.index.add_repo("shop", "/shop/.git", None, None)
        with Memory.open(folder, embedder=None, write=True) as writer:
            writer.write(repo.id, *batch_of(repo.id, [1]))
        assert len(reader.store.search(TextSearch(Kind.MESSAGE, "number1"))[0]) == 1


def test_a_reader_keeps_reading_through_compactions(
    folder: Path, memory: Memory, repo: Repo
) -> None:
    with Memory.open(folder, embedder=None) as reader:
        for number in range(8):
            memory.write(repo.id, *batch_of(repo.id, [number]))
            memory.maintain(force=True)
            assert (
                len(reader.store.search(TextSearch(Kind.CONTEXT, "valu", limit=50))[0])
                == 2 * number + 2
            )


def test_a_second_writer_is_refused(folder: Path, memory: Memory) -> None:
    with pytest.raises(StoreBusy, match="another hermes process"):
        Memory.open(folder, embedder=None, write=True)
    memory.close()
    Memory.open(folder, embedder=None, write=True).close()


def test_a_second_writer_that_waits_gets_its_turn(folder: Path, memory: Memory, repo: Repo) -> None:
    def wait_for_it() -> int:
        with Memory.open(folder, embedder=None, write=True, wait=30) as second:
            second.write(repo.id, *batch_of(repo.id, [2]))
            return second.store.count_chunks()

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait_for_it)
        memory.write(repo.id, *batch_of(repo.id, [1]))
        memory.close()
        assert waiting.result() == 6


def test_a_database_that_another_process_holds_is_waited_for_and_then_told_of(
    folder: Path, memory: Memory, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes.memory.database.BUSY_SECONDS", 0.1)
    other = sqlite3.connect(folder / "memory.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Memory.open(folder, embedder=None) as reader:
        assert reader.index.repos() == [repo]  # reading goes on
        with pytest.raises(StoreBusy):
            reader.index.add_repo("other", "/other/.git", None, None)
    other.execute("ROLLBACK")
    other.close()


def test_threads_share_one_memory(memory: Memory, repo: Repo) -> None:
    memory.write(repo.id, *batch_of(repo.id, range(40)))

    def look(number: int) -> bool:
        [hit] = memory.store.search(TextSearch(Kind.MESSAGE, f"number{number}"))[0]
        return (
            hit.ref == sha_of(number)
            and memory.index.commit(repo.id, hit.ref) is not None
            and hit.id in memory.store.fetch([hit.id])
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(look, range(40)))


def test_a_reader_may_not_write(folder: Path, memory: Memory, repo: Repo) -> None:
    with Memory.open(folder, embedder=None) as reader:
        with pytest.raises(ReadOnly):
            reader.write(repo.id, *batch_of(repo.id, [1]))
        with pytest.raises(ReadOnly):
            reader.maintain()


def test_orphaned_commits_are_not_found_and_come_back_when_written_again(
    memory: Memory, repo: Repo
) -> None:
    commits, chunks = batch_of(repo.id, range(4))
    memory.write(repo.id, commits, chunks)
    memory.orphan(repo.id, [sha_of(1), sha_of(2)])
    assert memory.index.known(repo.id) == {sha_of(0), sha_of(3)}
    assert memory.index.commit(repo.id, sha_of(1)) is None
    assert memory.index.resolve_sha(sha_of(1)[:8]) == []
    assert memory.store.count_chunks() == 6
    assert memory.store.search(TextSearch(Kind.MESSAGE, "number1"))[0] == []
    memory.write(repo.id, commits, chunks)
    assert memory.index.commit(repo.id, sha_of(1)) == commits[1]
    assert memory.store.count_chunks() == 12


def test_stats_count_one_repository_or_all(memory: Memory, repo: Repo) -> None:
    other = memory.index.add_repo("other", "/other/.git", None, None)
    memory.write(repo.id, *batch_of(repo.id, range(4)))
    memory.write(other.id, *batch_of(other.id, range(2)))
    assert (memory.stats().repos, memory.stats().commits, memory.stats().chunks) == (2, 6, 18)
    assert (memory.stats(other.id).commits, memory.stats(other.id).chunks) == (2, 6)
    assert memory.stats().bytes > 10_000
    assert memory.store.count_chunks(Filters(repos=(other.id,))) == 6


def test_only_the_user_may_look_in(folder: Path, memory: Memory, repo: Repo) -> None:
    memory.write(repo.id, *batch_of(repo.id, [1]))
    for path, mode in (("", 0o700), ("lance", 0o700), ("memory.db", 0o600), ("writer.lock", 0o600)):
        assert stat.S_IMODE((folder / path).stat().st_mode) == mode
