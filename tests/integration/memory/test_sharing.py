"""Two machines with one vector store: neither sees, counts, breaks or deletes what is the other's."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from hermes.ingest.items import chunks_of, restore
from hermes.memory.beside import Build
from hermes.memory.forgetting_rules import RuleKind, items_rule
from hermes.memory.hits import TextSearch
from hermes.memory.memory import Memory
from hermes.memory.recall import recall
from hermes.memory.records import Filters, Item, Kind
from hermes.memory.tables import CHUNKS, vector_set
from hermes.memory.tokens import terms
from hermes.tests.builders.items import thread
from hermes.tests.builders.records import batch_of, sha_of
from hermes.tests.builders.words import WordEmbedder

WORDS = WordEmbedder()


@pytest.fixture(params=["a folder", "a file address"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where the vectors lie that both share, as it is set."""
    folder = str(tmp_path / "shared")
    return folder if request.param == "a folder" else f"file://{folder}"


@contextmanager
def opened(home: Path, place: str, embedder: WordEmbedder | None = None) -> Generator[Memory]:
    """Open a machine's memory for writing."""
    with Memory.open(home, embedder=embedder, uri=place, write=True) as memory:
        yield memory


def begin(home: Path, place: str, numbers: range) -> str:
    """Let a machine take in commits; return its repository's id."""
    with opened(home, place) as memory:
        repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
        memory.write(repo, *batch_of(repo, numbers))
    return repo


def put(memory: Memory, *items: Item) -> None:
    memory.write_items(items, [chunk for item in items for chunk in chunks_of(item)])


def found(memory: Memory, words: str, *repos: str) -> set[str]:
    text = " ".join(terms(words))
    search = TextSearch(Kind.MESSAGE, text, Filters(repos=repos), limit=100)
    return {hit.repo for hit in memory.store.search(search)[0]}


@pytest.fixture
def machines(tmp_path: Path, place: str) -> tuple[tuple[Path, str], tuple[Path, str]]:
    """The homes of two machines, and the id that each has for the repository."""
    one, two = tmp_path / "one", tmp_path / "two"
    return (one, begin(one, place, range(30))), (two, begin(two, place, range(20, 40)))


Machines = tuple[tuple[Path, str], tuple[Path, str]]


def test_each_counts_and_finds_its_own(machines: Machines, place: str) -> None:
    for (home, repo), commits in zip(machines, (30, 20), strict=True):
        with opened(home, place) as memory:
            assert memory.check() == []
            assert len(memory.index.known(repo)) == commits
            assert memory.stats().chunks == memory.stats(repo).chunks == 3 * commits
            assert found(memory, "change") == {repo}


def test_neither_takes_the_others_rows_for_damage(machines: Machines, place: str) -> None:
    (one, mine), (two, other) = machines
    with opened(one, place) as memory:
        memory.store.delete_refs(mine, [sha_of(3)])
        [finding] = memory.check()
        assert finding.problem == "1 commit has more or fewer chunks than they should"
    with opened(one, place) as memory:
        assert len(memory.index.known(mine)) == 29
    with opened(two, place) as memory:
        assert memory.check() == []
        assert len(memory.index.known(other)) == 20


def test_what_one_forgets_or_rebuilds_stays_with_the_other(machines: Machines, place: str) -> None:
    (one, mine), (two, other) = machines
    with opened(one, place) as memory:
        memory.maintain(force=True)
    Memory.rebuild(one, uri=place)
    with opened(one, place) as memory:
        assert memory.stats().chunks == 0
        memory.write(mine, *batch_of(mine, range(30)))
        memory.forget_repo(mine)
        assert memory.stats().chunks == 0
    with opened(two, place) as memory:
        assert memory.check() == []
        assert memory.stats().chunks == 60
        assert found(memory, "change") == {other}


def test_a_memory_that_one_built_anew_stays_when_the_other_opens(
    machines: Machines, place: str
) -> None:
    (one, _), (two, other) = machines
    with opened(two, place) as memory, closing(Build.begin(memory, "test")) as build:
        build.memory.write(other, *batch_of(other, range(20, 40)))
        build.finish()
    for home, commits in ((one, 30), (two, 20)):
        with opened(home, place) as memory:
            assert memory.check() == []
            assert memory.stats().chunks == 3 * commits


def test_each_has_vectors_of_its_own_embedder(machines: Machines, place: str) -> None:
    (one, _), (two, _) = machines
    other = WordEmbedder(scheme="2")
    with opened(one, place, WORDS) as memory:
        assert memory.fill_vectors() == 90
    with opened(two, place, other) as memory:
        assert memory.fill_vectors() == 60
    with opened(one, place, WORDS) as memory:
        assert memory.fill_vectors() == 0
        assert memory.stats().vectors == 90
        assert {vector_set(WORDS), vector_set(other)} <= memory.store.vector_sets()


def test_a_discussion_that_both_bring_is_there_once(machines: Machines, place: str) -> None:
    (one, _), (two, _) = machines
    items = [thread(number) for number in range(5)]
    for home in (one, two):
        with opened(home, place) as memory:
            put(memory, *items)
    for home in (one, two):
        with opened(home, place) as memory:
            assert memory.check() == []
            ids = memory.store.column(CHUNKS, "id").to_pylist()
            assert len(ids) == len(set(ids)) == 90 + 60 + 5
    with opened(one, place) as memory:
        memory.delete_items([thread(1).ref])
    with opened(two, place) as memory:  # it still wants it
        assert memory.check() == []
        assert restore(memory) == 1
        assert memory.check() == []


def test_a_discussion_that_one_forgets_stays_forgotten_there_alone(
    machines: Machines, place: str
) -> None:
    (one, _), (two, _) = machines
    for home in (one, two):
        with opened(home, place) as memory:
            put(memory, thread(1, "a zebra"))
    with opened(one, place) as memory:
        rule = items_rule([("", thread(1).ref)], memory.index.withheld.salt())
        memory.index.withheld.add(RuleKind.ITEMS, rule)
        memory.forget_withheld()
        assert recall(memory, "zebra").passages == ()
    with opened(two, place) as memory:
        assert restore(memory) == 1
        assert [each.chunk.ref for each in recall(memory, "zebra").passages] == [thread(1).ref]
        assert memory.check() == []
    with opened(one, place) as memory:
        assert recall(memory, "zebra").passages == ()
        assert memory.check() == []


WRITER = """
    import sys
    from pathlib import Path
    from hermes.ingest.items import chunks_of
    from hermes.memory.memory import Memory
    from hermes.tests.builders.items import thread
    from hermes.tests.builders.records import batch_of, sha_of

    home, place, shared = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    with Memory.open(home, embedder=None, uri=place, write=True) as memory:
        repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
        print("ready", flush=True)
        sys.stdin.readline()
        for turn in range(20):
            memory.write(repo, *batch_of(repo, range(5 * turn, 5 * turn + 5)))
            items = [thread(n, source=home.name) for n in range(3 * turn, 3 * turn + 3)]
            items += [thread(900 + turn)] if shared == "shared" else []
            memory.write_items(items, [chunk for item in items for chunk in chunks_of(item)])
            if turn % 4 == 3:
                memory.orphan(repo, [sha_of(turn)])
                memory.maintain(force=True)
        print(memory.check(), len(memory.index.known(repo)), flush=True)
"""


@pytest.mark.parametrize("items", ["apart", "shared"])
def test_two_that_write_and_compact_at_once_lose_nothing(
    tmp_path: Path, place: str, items: str
) -> None:
    homes = [tmp_path / "one", tmp_path / "two"]
    for home in homes:
        with opened(home, place):
            pass  # the table is made
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(WRITER), str(home), place, items],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for home in homes
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    said = [writer.communicate("go\n", timeout=100)[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0]
    if items == "apart":
        assert said == ["[] 95\n", "[] 95\n"]
    for home in homes:
        with opened(home, place) as memory:
            [repo] = memory.index.repos()
            assert len(memory.index.known(repo.id)) == 95
            restore(memory)
    for home in homes:  # what both wrote at one moment is put right by whoever opens it next
        with opened(home, place) as memory:
            assert memory.check() == []
            assert memory.stats().commits == 95
            ids = memory.store.column(CHUNKS, "id").to_pylist()
            assert len(ids) == len(set(ids))
            assert len(found(memory, "thread")) == 1
