"""A memory is made anew beside the one that serves, and takes its place in one step."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from hermes.ingest.items import chunks_of, restore
from hermes.memory.beside import Build, NoRoom
from hermes.memory.hits import TextSearch
from hermes.memory.intents import Action
from hermes.memory.lance import connect
from hermes.memory.leftovers import discard
from hermes.memory.memory import Memory
from hermes.memory.recall import recall
from hermes.memory.records import Item, ItemKind, Kind
from hermes.memory.tables import CHUNKS, vector_set
from hermes.tests.builders.records import batch_of, sha_of
from hermes.tests.builders.words import WordEmbedder

COMMITS = 30
MAKER = "1.0"


@pytest.fixture(params=["folder", "uri"])
def served(request: pytest.FixtureRequest, folder: Path, tmp_path: Path) -> Memory:
    """A memory that serves: thirty commits of one repository, and a discussion."""
    uri = str(tmp_path / "elsewhere") if request.param == "uri" else None
    memory = Memory.open(folder, embedder=WordEmbedder(), uri=uri, write=True)
    request.addfinalizer(memory.close)
    repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
    memory.write(repo, *batch_of(repo, range(COMMITS)))
    memory.index.set_tips(repo, {"refs/heads/main": sha_of(COMMITS - 1)})
    memory.write_items([THREAD], chunks_of(THREAD))
    memory.fill_vectors()
    return memory


THREAD = Item(
    source="slack",
    ref="slack:C1/1",
    kind=ItemKind.THREAD,
    repo="",
    title="queue is stuck",
    text="Ana: the payment queue is stuck",
    author="Ana",
    email="ana@example.org",
    time=1_700_000_000,
    changed=1_700_000_000,
)


def reader_of(memory: Memory) -> Memory:
    """Open what another process would: the same memory, for reading."""
    uri = memory.store.place.base if memory.store.place.shared else None
    return Memory.open(memory.folder, embedder=WordEmbedder(), uri=uri)


def repo_of(memory: Memory) -> str:
    [repo] = memory.index.repos()
    return repo.id


def read_again(build: Build, numbers: range = range(COMMITS)) -> None:
    """Do what reading git and the items does."""
    repo = repo_of(build.memory)
    build.memory.write(repo, *batch_of(repo, numbers))
    build.memory.index.set_tips(repo, {"refs/heads/main": sha_of(numbers[-1])})
    restore(build.memory)


def is_whole(memory: Memory, commits: int = COMMITS) -> bool:
    ids: list[str] = memory.store.column(CHUNKS, "id").to_pylist()
    [repo] = memory.index.repos()
    return (
        memory.check() == []
        and len(ids) == len(set(ids)) == 3 * commits + 1
        and len(memory.index.known(repo.id)) == commits
    )


def found(memory: Memory) -> list[str]:
    return [hit.ref for hit in memory.store.search(TextSearch(Kind.MESSAGE, "number7"))[0]]


def test_the_old_one_answers_until_the_new_one_takes_its_place_also_to_who_has_it_open(
    served: Memory,
) -> None:
    with reader_of(served) as reader:
        before = served.store.uri
        build = Build.begin(served, MAKER)
        assert found(reader) == [sha_of(7)]
        read_again(build, range(COMMITS + 5))
        build.memory.fill_vectors()
        assert found(reader) == [sha_of(7)]
        assert reader.stats().commits == COMMITS
        build.finish()
        assert reader.store.uri != before
        assert found(reader) == [sha_of(7)]
        assert reader.stats().commits == COMMITS + 5
        assert recall(reader, "the payment queue").passages[0].chunk.ref == THREAD.ref
        assert reader.store.serving() == vector_set(WordEmbedder())
        assert reader.store.count_vectors() == 3 * (COMMITS + 5) + 1
    assert is_whole(served, COMMITS + 5)
    assert served.index.tips(repo_of(served)) == {"refs/heads/main": sha_of(COMMITS + 4)}


def test_what_was_before_is_gone_from_disk_with_the_next_upkeep(served: Memory) -> None:
    place = Path(served.store.place.base)
    build = Build.begin(served, MAKER)
    read_again(build)
    build.finish()
    assert (place / "chunks.lance").exists()
    served.maintain()
    if served.store.place.shared:  # the tables are other machines' too, and so are discussions
        left = connect(str(place), None).open_table(CHUNKS).to_arrow()["repo"].to_pylist()
        assert left == [""]
    else:
        assert [path.name for path in place.iterdir()] == [Path(served.store.uri).name]
    assert not (served.folder / "rebuilding").exists()
    assert is_whole(served)


def test_it_can_be_built_anew_again_and_again(served: Memory) -> None:
    places: set[str] = set()
    for _ in range(3):
        build = Build.begin(served, MAKER)
        read_again(build)
        build.finish()
        places.add(served.store.uri)
        assert is_whole(served)
    assert len(places) == 3
    served.maintain()
    assert len(list(Path(served.store.place.base).glob("rebuilt-*"))) == 1


def test_a_build_that_was_left_is_taken_up_where_it_was(served: Memory) -> None:
    with_repo = repo_of(served)
    build = Build.begin(served, MAKER)
    build.memory.write(with_repo, *batch_of(with_repo, range(10)))
    build.close()
    again = Build.begin(served, MAKER)
    assert len(again.memory.index.known(with_repo)) == 10
    read_again(again)
    again.finish()
    assert is_whole(served)


def test_a_build_of_another_version_is_begun_anew(served: Memory) -> None:
    repo = repo_of(served)
    build = Build.begin(served, MAKER)
    build.memory.write(repo, *batch_of(repo, range(10)))
    build.close()
    again = Build.begin(served, "2.0")
    assert again.memory.index.known(repo) == set()
    again.close()
    assert len(list(Path(served.store.place.base).glob("rebuilt-*"))) == 1


def test_what_was_written_meanwhile_is_not_lost(served: Memory) -> None:
    build = Build.begin(served, MAKER)
    read_again(build)
    build.close()
    repo = repo_of(served)
    other = served.index.add_repo("depot", "/depot/.git", None, None)
    served.write(repo, *batch_of(repo, range(COMMITS, COMMITS + 2)))
    answered = replace(THREAD, text=THREAD.text + "\nSam: it is the lock", changed=1_700_000_100)
    second = replace(THREAD, ref="slack:C1/2", title="deploys", text="Ana: deploys are frozen")
    served.write_items([answered, second], [*chunks_of(answered), *chunks_of(second)])
    again = Build.begin(served, MAKER)
    assert {known.id for known in again.memory.index.repos()} == {repo, other.id}
    again.memory.write(repo, *batch_of(repo, range(COMMITS + 2)))
    restore(again.memory)
    again.finish()
    assert len(served.index.known(repo)) == COMMITS + 2
    assert served.check() == []
    texts = {chunk.text for chunk in served.store.fetch(ids_of(served)).values()}
    assert any("it is the lock" in text for text in texts)
    assert any("deploys are frozen" in text for text in texts)
    assert served.index.items.get(THREAD.ref) == answered


def ids_of(memory: Memory) -> list[str]:
    ids: list[str] = memory.store.column(CHUNKS, "id").to_pylist()
    return ids


def test_commits_that_cannot_be_read_again_are_carried_over_as_they_are(served: Memory) -> None:
    repo = repo_of(served)
    before = served.store.fetch(ids_of(served))
    build = Build.begin(served, MAKER)
    build.memory.write(repo, *batch_of(repo, range(10)))
    unread = served.index.known(repo) - build.memory.index.known(repo)
    assert build.carry_over(repo, unread) == COMMITS - 10
    assert build.carry_over(repo, unread) == 0
    restore(build.memory)
    build.finish()
    assert is_whole(served)
    assert served.store.fetch(ids_of(served)) == before
    assert found(served) == [sha_of(7)]


def test_an_edit_holds_in_the_new_one_and_one_made_meanwhile_too(served: Memory) -> None:
    repo = repo_of(served)
    messages = [chunk for chunk in batch_of(repo, [3, 4])[1] if not chunk.path]
    served.index.edits.put(messages[0], "an edit of before", 1_800_000_000)
    build = Build.begin(served, MAKER)
    read_again(build)
    build.close()
    served.index.edits.put(messages[1], "an edit of meanwhile", 1_800_000_100)
    again = Build.begin(served, MAKER)
    read_again(again)
    again.finish()
    now = served.store.fetch([chunk.id for chunk in messages])
    assert [now[chunk.id].text for chunk in messages] == [
        "an edit of before",
        "an edit of meanwhile",
    ]
    assert is_whole(served)


def test_marks_and_settings_stay(served: Memory) -> None:
    served.index.set_setting("theirs", "kept")
    build = Build.begin(served, MAKER)
    served.index.set_setting("of meanwhile", "kept too")
    read_again(build)
    build.finish()
    assert served.index.setting("theirs") == "kept"
    assert served.index.setting("of meanwhile") == "kept too"


def test_what_is_discarded_leaves_no_file(served: Memory) -> None:
    build = Build.begin(served, MAKER)
    read_again(build)
    build.close()
    discard(served.folder, served.index, served.store)
    assert not (served.folder / "rebuilding").exists()
    assert not list(Path(served.store.place.base).glob("rebuilt-*"))
    assert is_whole(served)


def test_without_room_for_a_second_one_nothing_is_begun(
    served: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = shutil.disk_usage(served.folder)._replace(free=1_000_000)

    def usage(path: Path) -> object:
        return full

    monkeypatch.setattr(shutil, "disk_usage", usage)
    with pytest.raises(NoRoom, match="1 MB are free"):
        Build.begin(served, MAKER)
    assert not (served.folder / "rebuilding").exists()
    assert is_whole(served)


@pytest.mark.parametrize("step", ["copied", "opened", "filled", "closed", "swapped"])
def test_killed_at_any_step_the_old_one_answers_until_the_new_one_is_ready(
    served: Memory, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: object, **__: object) -> None:
        raise Killed

    place = {
        "copied": "hermes.memory.beside.Memory.beside",
        "opened": "hermes.memory.beside.follow",
        "filled": "hermes.memory.beside.serving_settings",
        "closed": "hermes.memory.beside.take_over",
        "swapped": "hermes.memory.beside.shutil.rmtree",
    }[step]
    build = Build.begin(served, MAKER)
    read_again(build)
    if step in ("copied", "opened"):
        build.close()
        discard(served.folder, served.index, served.store)
    with monkeypatch.context() as killing:
        killing.setattr(place, die)
        with pytest.raises(Killed):
            if step in ("copied", "opened"):
                Build.begin(served, MAKER)
            else:
                build.finish()
    if step == "filled":
        build.memory.close()
    assert is_whole(served)
    served.close()
    with Memory.open(
        served.folder,
        embedder=WordEmbedder(),
        uri=served.store.place.base if served.store.place.shared else None,
        write=True,
    ) as again:
        assert is_whole(again)
        build = Build.begin(again, MAKER)
        read_again(build)
        build.finish()
        assert is_whole(again)


def test_each_chunk_is_there_once_after_a_kill_while_carrying_over(served: Memory) -> None:
    repo = repo_of(served)
    build = Build.begin(served, MAKER)
    commits = [sha_of(number) for number in range(5)]
    build.memory.index.intents.begin(repo, Action.WRITE, commits)
    build.memory.store.append(batch_of(repo, range(5))[1][:7])
    build.close()
    again = Build.begin(served, MAKER)
    again.carry_over(repo, served.index.known(repo))
    restore(again.memory)
    again.finish()
    assert is_whole(served)
    assert Counter(ids_of(served)).most_common(1)[0][1] == 1


def test_a_repository_that_was_forgotten_meanwhile_is_not_in_the_new_one(served: Memory) -> None:
    build = Build.begin(served, MAKER)
    read_again(build)
    build.close()
    served.forget_repo(repo_of(served))
    again = Build.begin(served, MAKER)
    assert again.memory.index.repos() == []
    again.close()
