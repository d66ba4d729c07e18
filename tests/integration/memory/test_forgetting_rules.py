"""What rules name is in no file of memory any more, and does not come back with the next reading."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hermes.ingest.items import chunks_of as item_chunks
from hermes.ingest.items import restore
from hermes.memory import plain
from hermes.memory.errors import HermesError
from hermes.memory.forgetting_rules import FORGOTTEN, RuleKind, path_rule, person_rule
from hermes.memory.hits import TextSearch
from hermes.memory.memory import Memory
from hermes.memory.plain import Plain
from hermes.memory.records import Chunk, Commit, FileChange, Kind, Repo
from hermes.memory.withheld import Stage
from hermes.tests.builders.items import KIM, SAM, thread
from hermes.tests.builders.records import START, batch_of, chunks_of, commit_of
from hermes.tests.builders.searching import where_is
from hermes.tests.builders.words import WordEmbedder

NAME, MAIL = "Quentin Platypus", "quentin.platypus@zoo.example"
JO = (NAME, MAIL)
Batch = tuple[list[Commit], list[Chunk]]


def history(repo: str) -> Batch:
    """Thirty commits of Sam, one of the person to be forgotten, two that speak of them."""
    commits, chunks = batch_of(repo, range(30))
    theirs = commit_of(
        repo,
        100,
        message="Teach the wombat to parade",
        author=NAME,
        email=MAIL,
        files=[FileChange("zoo/wombat.py", "M")],
    )
    named = commit_of(repo, 101, message=f"Follow {NAME}'s advice, see <{MAIL}>")
    coded = commit_of(repo, 102, files=[FileChange("zoo/owners.txt", "M")])
    return (
        [*commits, theirs, named, coded],
        [
            *chunks,
            *chunks_of(theirs, "marching marsupials"),
            *chunks_of(named),
            *chunks_of(coded, f"owner = {NAME.upper()}\n+mail = {MAIL}"),
        ],
    )  # fmt: skip


def fill(memory: Memory, repo: str) -> None:
    """Put the history in, three discussions, and what was asked."""
    memory.write(repo, *history(repo))
    begun = thread(1, "Parading plans\nmarching tomorrow", people=[JO, SAM])
    joined = thread(
        2, f"Lunch\nKim Noor: where?\n{NAME}: at the billabong\nbring a hat\nKim Noor: fine by me",
        people=[SAM, KIM, JO],
    )  # fmt: skip
    other = thread(3, "Nothing to see\nKim Noor: indeed", people=[SAM, KIM])
    items = [begun, joined, other]
    memory.write_items(items, [chunk for item in items for chunk in item_chunks(item)])
    memory.log.append("asked", question=f"what does {NAME} do?", repos=[repo], sources=[])
    memory.log.append("asked", question="why a parade?", repos=[repo],
                      sources=[f"{repo}:{history(repo)[0][30].sha}:"])  # fmt: skip
    memory.log.append("indexed", repo=repo)


def keep_person_out(memory: Memory) -> int:
    withheld = memory.index.withheld
    return withheld.add(RuleKind.PERSON, person_rule([NAME], [MAIL], (), withheld.salt()))


def keep_path_out(memory: Memory, path: str) -> int:
    withheld = memory.index.withheld
    return withheld.add(RuleKind.PATH, path_rule(path, withheld.salt()))


def forget_person(memory: Memory) -> None:
    """Write the rule down and carry it out."""
    rule = keep_person_out(memory)
    plain.write(memory.folder, rule, Plain(names=(NAME,), addresses=(MAIL,)))
    memory.forget_withheld()
    plain.remove(memory.folder, rule)


GONE = (NAME, MAIL, "wombat", "marching", "billabong", "bring a hat", "Parading plans")


def test_a_person_is_in_no_file_and_the_others_are_whole(folder: Path) -> None:
    with Memory.open(folder, embedder=WordEmbedder(), write=True) as memory:
        repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
        fill(memory, repo)
        memory.fill_vectors()
        memory.maintain(force=True)
        for word in GONE:
            assert where_is(folder, word), f"{word} was never there to be found"

        forget_person(memory)
        restore(memory)

        assert where_is(folder, *GONE) == []
        assert memory.check() == []
        kept = memory.index.commits_for(repo, memory.index.known(repo))
        assert len(kept) == 32
        assert {commit.author for commit in kept} == {"Sam Ito"}
        assert len(memory.index.known(repo)) == 33
        (named,) = [commit for commit in kept if commit.subject.startswith("Follow")]
        assert named.subject == f"Follow {FORGOTTEN}'s advice, see <{FORGOTTEN}>"
        assert len(memory.store.search(TextSearch(Kind.MESSAGE, "advic"))[0]) == 1
        texts = {item.title: item.text for item in memory.index.items.find()}
        assert texts == {
            "Lunch": f"Lunch\nKim Noor: where?\n{FORGOTTEN}\nKim Noor: fine by me",
            "Nothing to see": "Nothing to see\nKim Noor: indeed",
        }
        kinds = [entry["kind"] for day in memory.log.days() for entry in memory.log.read(day)]
        assert kinds == ["asked", "indexed"]
        assert memory.fill_vectors() > 0
    assert where_is(folder, *GONE) == []


def test_a_person_stays_forgotten_when_all_is_read_again(folder: Path) -> None:
    with Memory.open(folder, embedder=None, write=True) as memory:
        repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
        fill(memory, repo)
        forget_person(memory)
        restore(memory)
        before = memory.stats()
        fill(memory, repo)
        assert memory.stats() == replace(before, bytes=memory.stats().bytes)
    Memory.rebuild(folder)
    with Memory.open(folder, embedder=None, write=True) as memory:
        fill(memory, repo)
        assert memory.check() == []
        assert memory.stats().commits == 32
    found = where_is(folder, NAME, MAIL)
    assert all("raw/" in place for place in found), found  # what was asked since


def test_a_rule_that_is_taken_back_lets_git_bring_it_again(memory: Memory, repo: Repo) -> None:
    fill(memory, repo.id)
    forget_person(memory)
    (rule,) = memory.index.withheld.rules()
    assert (rule.commits, rule.items) == (3, 2)
    memory.index.withheld.set_stage(rule.id, Stage.LIFTING)
    memory.forget_withheld()
    restore(memory)
    assert memory.index.withheld.rules() == []
    assert len(memory.index.known(repo.id)) == 30
    memory.write(repo.id, *history(repo.id))
    assert memory.stats().commits == 33
    assert memory.check() == []
    assert len(memory.store.search(TextSearch(Kind.MESSAGE, "wombat"))[0]) == 1


def test_a_rule_that_is_taken_back_while_it_is_carried_out_is_not_kept(
    memory: Memory, repo: Repo
) -> None:
    fill(memory, repo.id)
    rule = keep_path_out(memory, "zoo/wombat.py")
    plain.write(memory.folder, rule, Plain(place="zoo/wombat.py"))
    undone = False

    def undo(phase: str, done: int, total: int) -> None:
        nonlocal undone
        undone = True
        memory.index.withheld.set_stage(rule, Stage.LIFTING)

    memory.forget_withheld(undo)
    assert undone
    assert [kept.stage for kept in memory.index.withheld.rules()] == [Stage.LIFTING]
    memory.forget_withheld()
    assert memory.index.withheld.rules() == []
    assert plain.read(memory.folder, rule) is None
    memory.write(repo.id, *history(repo.id))
    assert memory.stats().commits == 33


@pytest.mark.parametrize("place", ["zoo", "zoo/wombat.py", "**/wombat.*"])
def test_a_path_is_in_no_file_and_stays_out(memory: Memory, repo: Repo, place: str) -> None:
    fill(memory, repo.id)
    rule = keep_path_out(memory, place)
    plain.write(memory.folder, rule, Plain(place="" if "*" in place else place))
    memory.forget_withheld()
    plain.remove(memory.folder, rule)
    restore(memory)
    assert where_is(memory.folder, "zoo/wombat.py", "marching marsupials") == []
    assert memory.check() == []
    assert memory.index.commits_by_ticket("x") == []
    fill(memory, repo.id)
    assert where_is(memory.folder, "zoo/wombat.py", "marching marsupials") == []
    assert memory.stats().commits == 33, "the commits stay, without the file"


def test_what_is_older_than_a_day_goes_and_stays_away(memory: Memory, repo: Repo) -> None:
    fill(memory, repo.id)
    memory.index.withheld.add(RuleKind.BEFORE, str(START + 60 * 10))
    memory.forget_withheld()
    fill(memory, repo.id)
    assert memory.stats().commits == 23
    assert where_is(memory.folder, "number7", "number9") == []
    assert where_is(memory.folder, "number10")
    assert memory.check() == []


def test_what_a_source_brought_goes_and_stays_away(memory: Memory, repo: Repo) -> None:
    fill(memory, repo.id)
    memory.index.withheld.add(RuleKind.SOURCE, "slack")
    memory.forget_withheld()
    fill(memory, repo.id)
    assert memory.index.items.find() == []
    assert where_is(memory.folder, "billabong", "Parading plans") == []
    assert memory.stats().commits == 33
    assert memory.check() == []


@pytest.mark.parametrize(
    "breaks",
    ["set_chunks", "carry_out", "drop_edits"],
)
def test_what_broke_off_on_the_way_is_finished_by_the_next(
    folder: Path, monkeypatch: pytest.MonkeyPatch, breaks: str
) -> None:
    def full(*args: object) -> None:
        raise HermesError("the disk is full")

    with Memory.open(folder, embedder=WordEmbedder(), write=True) as memory:
        repo = memory.index.add_repo("shop", "/shop/.git", None, None).id
        fill(memory, repo)
        memory.fill_vectors()
        with monkeypatch.context() as broken:
            broken.setattr(f"hermes.memory.forgetting_index.{breaks}", full)
            with pytest.raises(HermesError):
                forget_person(memory)
    with Memory.open(folder, embedder=WordEmbedder(), write=True) as memory:
        (rule,) = memory.index.withheld.pending()
        memory.forget_withheld()
        plain.remove(folder, rule.id)
        restore(memory)
        fill(memory, repo)
        assert memory.check() == []
    found = where_is(folder, NAME, MAIL)
    assert all("raw/" in place for place in found), found


def test_a_look_changes_nothing_and_counts_what_would_go(memory: Memory, repo: Repo) -> None:
    fill(memory, repo.id)
    before = memory.stats()
    rule = person_rule([NAME], [MAIL], (), memory.index.withheld.salt())
    counts = memory.look_forgetting(RuleKind.PERSON, rule, Plain(names=(NAME,), addresses=(MAIL,)))
    assert (counts.commits, counts.mentions, counts.items, counts.altered) == (1, 2, 1, 1)
    assert "Teach the wombat to parade" in counts.phrases
    assert counts.log == 2
    assert replace(memory.stats(), bytes=0) == replace(before, bytes=0)
    assert memory.index.withheld.rules() == []


def test_what_is_to_be_made_again_and_is_kept_out_by_now_goes(memory: Memory, repo: Repo) -> None:
    fill(memory, repo.id)
    memory.index.items.mark_unread(memory.index.items.refs())
    keep_person_out(memory)
    restore(memory)
    assert [item.title for item in memory.index.items.find()] == ["Nothing to see", "Lunch"]
    assert memory.check() == []
