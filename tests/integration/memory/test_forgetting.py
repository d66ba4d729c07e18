"""A forgotten repository leaves no trace in any file."""

from __future__ import annotations

from pathlib import Path

from hermes.memory.hits import TextSearch, VectorSearch
from hermes.memory.memory import Memory
from hermes.memory.rawlog import RawLog
from hermes.memory.records import FileChange, Filters, Kind
from hermes.tests.builders.records import batch_of, chunks_of, commit_of, sha_of
from hermes.tests.builders.words import WordEmbedder

SECRETS = ("zanzibarquokka", "xylophonegnu", "wombatparade", "Quentin Platypus")


def files_with(folder: Path, word: str) -> list[Path]:
    """Return the files that hold ``word``, in any case."""
    needle = word.lower().encode()
    return [
        path for path in folder.rglob("*") if path.is_file() and needle in path.read_bytes().lower()
    ]


def test_no_file_holds_its_text_any_more_and_the_others_are_whole(folder: Path) -> None:
    words = WordEmbedder()
    with Memory.open(folder, embedder=words, write=True) as memory:
        keep = memory.index.add_repo("keep", "/keep/.git", None, None).id
        drop = memory.index.add_repo("drop", "/drop/.git", None, None).id
        commit = commit_of(
            drop,
            500,
            message=f"Explain {SECRETS[0]}",
            author=SECRETS[3],
            files=[FileChange(f"src/{SECRETS[1]}.py", "M")],
        )
        memory.write(keep, *batch_of(keep, range(50)))
        memory.write(drop, [commit], chunks_of(commit, SECRETS[2]))
        memory.write(keep, *batch_of(keep, range(50, 100)))
        memory.fill_vectors()
        memory.maintain(force=True)
        memory.index.set_tips(drop, {"refs/heads/main": commit.sha})
        log = RawLog(folder / "raw")
        log.append("indexed", repo=keep)
        log.append("asked", repo=drop, question=f"why {SECRETS[0]}?")
        for secret in SECRETS:
            assert files_with(folder, secret), f"{secret} was never there to be found"

        memory.forget_repo(drop)

        for word in (*SECRETS, commit.sha, drop):
            assert files_with(folder, word) == []
        assert [repo.id for repo in memory.index.repos()] == [keep]
        assert [entry["kind"] for day in log.days() for entry in log.read(day)] == ["indexed"]
        assert memory.store.count_chunks() == memory.store.count_vectors() == 300
        assert memory.store.search(TextSearch(Kind.MESSAGE, "number77"))[0][0].ref == sha_of(77)
        question = words.embed_query("change number77")
        assert memory.store.search(VectorSearch(Kind.MESSAGE, question))[0][0].ref == sha_of(77)
        assert memory.check() == []
    for word in (*SECRETS, commit.sha, drop):
        assert files_with(folder, word) == []


def test_a_reader_sees_the_others_through_it(folder: Path) -> None:
    with Memory.open(folder, embedder=None, write=True) as memory:
        keep = memory.index.add_repo("keep", "/keep/.git", None, None).id
        drop = memory.index.add_repo("drop", "/drop/.git", None, None).id
        for repo in (keep, drop):
            memory.write(repo, *batch_of(repo, range(10)))
        with Memory.open(folder, embedder=None) as reader:
            assert len(reader.store.search(TextSearch(Kind.MESSAGE, "chang"))[0]) == 20
            memory.forget_repo(drop)
            assert len(reader.store.search(TextSearch(Kind.MESSAGE, "chang"))[0]) == 10
            assert reader.store.count_chunks(Filters(repos=(drop,))) == 0
            assert len(reader.store.fetch([chunk.id for chunk in batch_of(keep, [1])[1]])) == 3


def test_the_only_repository_can_be_forgotten_and_added_again(folder: Path) -> None:
    with Memory.open(folder, embedder=None, write=True) as memory:
        for _ in range(2):
            repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
            memory.write(repo, *batch_of(repo, range(5)))
            assert len(memory.store.search(TextSearch(Kind.MESSAGE, "chang"))[0]) == 5
            memory.forget_repo(repo)
            assert memory.stats().chunks == 0
            assert memory.check() == []
