"""A writer that dies at any point leaves a memory that opens, complete and free of duplicates."""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from hermes.memory.hits import VectorSearch
from hermes.memory.intents import Action
from hermes.memory.memory import Memory
from hermes.memory.records import Kind, Repo
from hermes.memory.tables import CHUNKS, vector_set
from hermes.tests.builders.records import batch_of, sha_of
from hermes.tests.builders.words import WordEmbedder

COMMITS = 60


def everything_is_there_once(memory: Memory, repo: str) -> bool:
    """Whether the memory agrees with itself and holds no chunk twice."""
    ids: list[str] = memory.store.column(CHUNKS, "id").to_pylist()
    return (
        memory.index.intents.pending() == []
        and memory.check() == []
        and len(ids) == len(set(ids)) == 3 * len(memory.index.known(repo))
    )


@pytest.mark.parametrize("appended", [0, 7, 15])
def test_a_write_cut_after_any_step_is_undone_and_can_be_done_again(
    folder: Path, memory: Memory, repo: Repo, appended: int
) -> None:
    memory.write(repo.id, *batch_of(repo.id, range(10)))
    commits, chunks = batch_of(repo.id, range(10, 15))
    memory.index.intents.begin(repo.id, Action.WRITE, [commit.sha for commit in commits])
    memory.store.append(chunks[:appended])
    memory.close()
    with Memory.open(folder, embedder=None, write=True) as again:
        assert everything_is_there_once(again, repo.id)
        assert len(again.index.known(repo.id)) == 10
        again.write(repo.id, commits, chunks)
        assert everything_is_there_once(again, repo.id)
        assert len(again.index.known(repo.id)) == 15


@pytest.mark.parametrize("deleted", [0, 2, 4])
def test_an_orphaning_cut_after_any_step_is_finished(
    folder: Path, memory: Memory, repo: Repo, deleted: int
) -> None:
    memory.write(repo.id, *batch_of(repo.id, range(10)))
    gone = [sha_of(number) for number in range(4)]
    memory.index.intents.begin(repo.id, Action.ORPHAN, gone)
    memory.store.delete_refs(repo.id, gone[:deleted])
    memory.close()
    with Memory.open(folder, embedder=None, write=True) as again:
        assert everything_is_there_once(again, repo.id)
        assert again.index.known(repo.id) == {sha_of(number) for number in range(4, 10)}


@pytest.mark.parametrize("deleted", [False, True])
def test_a_forgetting_cut_after_any_step_is_finished(
    folder: Path, memory: Memory, repo: Repo, deleted: bool
) -> None:
    memory.write(repo.id, *batch_of(repo.id, range(10)))
    memory.index.intents.begin(repo.id, Action.FORGET)
    if deleted:
        memory.store.delete_repo(repo.id)
    memory.close()
    with Memory.open(folder, embedder=None, write=True) as again:
        assert again.index.repos() == []
        assert everything_is_there_once(again, repo.id)


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_a_rebuild_cut_after_any_step_is_finished(
    folder: Path, memory: Memory, repo: Repo, steps: int
) -> None:
    memory.write(repo.id, *batch_of(repo.id, range(10)))
    memory.index.set_tips(repo.id, {"refs/heads/main": sha_of(9)})
    memory.index.intents.begin("", Action.REBUILD)
    if steps > 0:
        memory.index.mark_all_unread()
    if steps > 1:
        memory.store.drop_all()
    memory.close()
    with Memory.open(folder, embedder=None, write=True) as again:
        assert everything_is_there_once(again, repo.id)
        assert again.index.known(repo.id) == set()
        assert again.index.tips(repo.id) == {}
        again.write(repo.id, *batch_of(repo.id, range(10)))
        assert everything_is_there_once(again, repo.id)


WRITER = """
    import sys
    from pathlib import Path
    from hermes.memory.memory import Memory
    from hermes.tests.builders.records import batch_of, sha_of

    folder, repo, commits = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    with Memory.open(folder, embedder=None, write=True, wait=10) as memory:
        print("ready", flush=True)
        for turn in range(10_000):
            known = memory.index.known(repo)
            unread = [n for n in range(commits) if sha_of(n) not in known]
            memory.write(repo, *batch_of(repo, unread[:4]))
            if turn % 3 == 2:
                memory.orphan(repo, [sha_of(n) for n in range(turn % 7, commits, 9)])
            if turn % 5 == 4:
                memory.maintain(force=True)
"""


def kill_after(code: str, arguments: list[str], seconds: float, lines: int = 1) -> None:
    """Run ``code`` in a process of its own; some time after it has said "ready" so often, kill it."""
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments], stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        for _ in range(lines):
            assert child.stdout.readline() == b"ready\n"
        time.sleep(seconds)  # the moment to die, not a wait for something
        child.kill()


def test_a_writer_killed_at_random_moments_never_leaves_half_a_batch(folder: Path) -> None:
    with Memory.open(folder, embedder=None) as reader:
        repo = reader.index.add_repo("shop", "/shop/.git", None, None).id
    for turn in range(12):
        moment = random.Random(turn).uniform(0, 0.25)
        kill_after(WRITER, [str(folder), repo, str(COMMITS)], moment)
        with Memory.open(folder, embedder=None, write=True) as memory:
            assert everything_is_there_once(memory, repo), f"killed after {moment:.3f} s"
    with Memory.open(folder, embedder=None, write=True) as memory:
        memory.write(repo, *batch_of(repo, range(COMMITS)))
        assert everything_is_there_once(memory, repo)
        assert len(memory.index.known(repo)) == COMMITS


FILLER = """
    import sys
    from pathlib import Path
    from hermes.memory.memory import Memory
    from hermes.tests.builders.words import WordEmbedder

    embedder = WordEmbedder(scheme="2")
    with Memory.open(Path(sys.argv[1]), embedder=embedder, write=True, wait=10) as memory:
        memory.fill_vectors(batch=2, on_progress=lambda *step: print("ready", flush=True))
"""


def test_a_change_of_embedder_killed_in_the_middle_goes_on_while_the_old_one_serves(
    folder: Path, memory: Memory, repo: Repo
) -> None:
    old, new = WordEmbedder(scheme="1"), WordEmbedder(scheme="2")
    memory.write(repo.id, *batch_of(repo.id, range(COMMITS)))
    memory.close()
    with Memory.open(folder, embedder=old, write=True) as before:
        before.fill_vectors()
    for lines in (3, 7):
        kill_after(FILLER, [str(folder)], 0, lines)
        with Memory.open(folder, embedder=new) as reader:
            assert reader.store.serving() == vector_set(old)
            assert 0 < reader.store.count_vectors(vectors=vector_set(new)) < 3 * COMMITS
            question = old.embed_query("change number7")
            assert reader.store.search(VectorSearch(Kind.MESSAGE, question))[0][0].ref == sha_of(7)
    with Memory.open(folder, embedder=new, write=True) as after:
        done = after.store.count_vectors(vectors=vector_set(new))
        assert after.fill_vectors() == 3 * COMMITS - done
        assert after.store.serving() == vector_set(new)
        assert after.store.vector_sets() == {vector_set(new)}
        question = new.embed_query("change number7")
        assert after.store.search(VectorSearch(Kind.MESSAGE, question))[0][0].ref == sha_of(7)
        for kind in Kind:
            ids = after.store.column(vector_set(new).table(kind), "id").to_pylist()
            assert len(ids) == len(set(ids))
