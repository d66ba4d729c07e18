"""A full disk and a folder that can't be written: clear words, and nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.memory.memory import Memory
from hermes.tests.builders.records import batch_of, sha_of


def run(code: str, *arguments: str) -> list[str]:
    """Run ``code`` in a process of its own and return the lines it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


# A limit on the size of files stands for the full disk: it needs no rights and hurts no one else.
FULL = """
    import random, resource, sys
    from pathlib import Path
    from hermes.memory.errors import NoSpace
    from hermes.memory.memory import Memory
    from hermes.tests.builders.records import batch_of, chunks_of, commit_of, sha_of

    with Memory.open(Path(sys.argv[1]), embedder=None, write=True) as memory:
        [repo] = memory.index.repos()
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        commit = commit_of(repo.id, 50)
        noise = random.Random(1).randbytes(200_000).hex()
        for batch in (([commit], chunks_of(commit, noise)), batch_of(repo.id, range(60, 2000))):
            try:
                memory.write(repo.id, *batch)
            except NoSpace as error:
                print(error.message)
        print(len(memory.index.known(repo.id)), memory.store.count_chunks())
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        memory.write(repo.id, *batch_of(repo.id, range(10, 20)))
        print(len(memory.index.known(repo.id)), memory.store.count_chunks())
"""


def test_a_full_disk_stops_the_batch_and_loses_nothing(folder: Path) -> None:
    with Memory.open(folder, embedder=None, write=True) as memory:
        repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
        memory.write(repo, *batch_of(repo, range(10)))
    first, second, at_full, afterwards = run(FULL, str(folder))
    assert "no space left" in first
    assert "no space left" in second
    assert at_full.split()[0] == "10"
    assert afterwards == "20 60"
    with Memory.open(folder, embedder=None, write=True) as memory:
        assert memory.index.known(repo) == {sha_of(number) for number in range(20)}
        assert memory.check() == []


READING = """
    import os, sys, tempfile
    from pathlib import Path
    from hermes.memory.errors import HermesError
    from hermes.memory.hits import TextSearch, VectorSearch
    from hermes.memory.memory import Memory
    from hermes.memory.records import Kind
    from hermes.tests.builders.records import batch_of

    with tempfile.TemporaryDirectory() as warm:  # modules must be loaded before rights are given up
        with Memory.open(Path(warm), embedder=None, write=True) as memory:
            repo = memory.index.add_repo("warm", "/warm/.git", None, None).id
            memory.write(repo, *batch_of(repo, range(3)))
            hits = memory.store.search(TextSearch(Kind.MESSAGE, "chang"))[0]
            memory.store.fetch([hit.id for hit in hits])
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    folder = Path(sys.argv[1])
    with Memory.open(folder, embedder=None) as memory:
        hits = memory.store.search(TextSearch(Kind.MESSAGE, "number7"))[0]
        print(memory.index.read_only, len(memory.index.repos()), memory.stats().commits)
        print(memory.store.fetch([hit.id for hit in hits])[hits[0].id].title)
        for change in (
            lambda: memory.index.set_setting("x", "y"),
            lambda: memory.index.add_repo("new", "/new/.git", None, None),
            lambda: Memory.open(folder, embedder=None, write=True),
            lambda: Memory.open(folder / "nothing", embedder=None),
        ):
            try:
                change()
            except HermesError as error:
                print(error.code)
"""


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that every user may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        yield Path(place)


@pytest.mark.parametrize("left_open", [False, True])
def test_a_memory_that_can_not_be_written_can_be_read(open_to_all: Path, left_open: bool) -> None:
    folder = open_to_all / "memory"
    memory = Memory.open(folder, embedder=None, write=True)
    repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
    memory.write(repo, *batch_of(repo, range(10)))
    if not left_open:
        memory.close()  # folds the log into the database; left open, the log is beside it
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        lines = run(READING, str(folder))
    finally:
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        memory.close()
    assert lines == [
        "True 1 10",
        "change number7",
        "read_only",
        "read_only",
        "read_only",
        "no_memory",
    ]


def test_nothing_is_printed_by_the_libraries(folder: Path) -> None:
    code = """
        import sys
        from pathlib import Path
        from hermes.memory.embedders.static import StaticEmbedder
        from hermes.memory.hits import TextSearch, VectorSearch
        from hermes.memory.memory import Memory
        from hermes.memory.records import Kind
        from hermes.tests.builders.records import batch_of

        embedder = StaticEmbedder()
        with Memory.open(Path(sys.argv[1]), embedder=embedder, write=True) as memory:
            repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
            memory.write(repo, *batch_of(repo, range(30)))
            memory.fill_vectors()
            memory.maintain(force=True)
            memory.store.search(TextSearch(Kind.MESSAGE, "chang"))[0]
            memory.store.search(VectorSearch(Kind.MESSAGE, embedder.embed_query("change")))[0]
            memory.forget_repo(repo)
    """
    assert run(code, str(folder)) == []


def test_the_heavy_libraries_are_loaded_only_when_needed() -> None:
    code = """
        import sys
        import hermes.memory.memory, hermes.memory.embedders.choose
        print({"lancedb", "pyarrow", "ollama", "httpx", "wordllama", "pandas"} & {*sys.modules})
    """
    assert run(code) == ["set()"]


FORGETTING = """
    import resource, sys
    from pathlib import Path
    from hermes.memory.errors import NoSpace
    from hermes.memory.memory import Memory
    from hermes.memory.forgetting_rules import RuleKind
    from hermes.memory.withheld import Stage
    from hermes.tests.builders.records import START

    with Memory.open(Path(sys.argv[1]), embedder=None, write=True) as memory:
        memory.index.withheld.add(RuleKind.BEFORE, str(START + 60 * 1_000))
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))
        try:
            memory.forget_withheld()
        except NoSpace as error:
            print(error.message)
        [rule] = memory.index.withheld.pending()
        print(rule.stage.name)
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        memory.forget_withheld()
        [rule] = memory.index.withheld.pending()
        print(rule.stage.name, len(memory.check()), memory.stats().commits)
"""


def test_forgetting_on_a_full_disk_stops_and_is_finished_when_there_is_room(folder: Path) -> None:
    with Memory.open(folder, embedder=None, write=True) as memory:
        repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
        memory.write(repo, *batch_of(repo, range(3_000)))
    said, at_full, afterwards = run(FORGETTING, str(folder))
    assert "no space left" in said
    assert at_full == "MEMORY"
    assert afterwards == "AROUND 0 2000"
