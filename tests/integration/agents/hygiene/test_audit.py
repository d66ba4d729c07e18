"""Whether memory is healthy, measured on a real one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hermes.agents.hygiene.audit import Audit, audit, audit_line, keep_line
from hermes.ingest.items import take_in
from hermes.memory.audit import sample
from hermes.memory.memory import Memory
from hermes.memory.records import Commit, Mark, Repo
from hermes.tests.builders.items import thread
from hermes.tests.builders.records import START, chunks_of, commit_of
from hermes.tests.builders.secrets import planted

NOW = START + 40 * 86_400


class Sick:
    """A memory of one repository, that is healthy until something is done to it."""

    def __init__(self, folder: Path) -> None:
        self.memory = Memory.open(folder, embedder=None, write=True)
        self.repo: Repo = self.memory.index.add_repo("shop", "/home/sam/shop/.git", None, None)
        self.commits = [self.add(number, f"Do thing {chr(97 + number)}") for number in range(6)]

    def add(self, number: int, message: str, like: int | None = None) -> Commit:
        """Add a commit, whose change is that of commit number ``like``."""
        commit = commit_of(self.repo.id, number, message=message)
        chunks = chunks_of(commit)
        if like is not None:
            said = chunks_of(commit_of(self.repo.id, like, message=message))
            # What it changes is what the other one changes; who did it when is its own.
            commit = replace(commit, files=commit_of(self.repo.id, like).files)
            chunks = [
                replace(c, text=o.text, path=o.path)
                for c, o in zip(chunks_of(commit), said, strict=True)
            ]
        self.memory.write(self.repo.id, [commit], chunks)
        return commit

    def slip_in(self, *, source: str = "git", ref: str = "", text: str = "") -> None:
        """Put a chunk into the store that nobody wrote down, as a fault of ours would."""
        chunk = chunks_of(self.commits[0])[0]
        odd = replace(chunk, part=7, source=source, ref=ref or chunk.ref, text=text or chunk.text)
        self.memory.store.append([odd])

    def audit(self) -> Audit:
        """Audit it."""
        return audit(self.memory, NOW)

    def wrong(self) -> list[str]:
        """Return the names of what is past its threshold."""
        return [check.name for check in self.audit().checks if not check.ok]


@pytest.fixture
def sick(tmp_path: Path) -> Iterator[Sick]:
    made = Sick(tmp_path / "memory")
    with made.memory:
        yield made


def test_a_healthy_memory_is_told_whole(sick: Sick) -> None:
    found = sick.audit()
    assert found.ok
    (git,) = found.measures.sources
    assert (git.source, git.entries, git.chunks) == ("git", 6, 18)
    assert git.ages == (0, 0, 6, 0)
    assert (found.secrets.count, found.secrets.of) == (0, 18)
    assert found.measures.disk.times >= 1.0


def test_a_change_that_is_there_twice_counts_until_it_is_folded(sick: Sick) -> None:
    twin = sick.add(6, "Do thing a", like=0)
    assert sick.wrong() == ["duplicates"]
    first = sick.commits[0].sha
    sick.memory.index.marks.replace(
        sick.repo.id, [Mark(sick.repo.id, twin.sha, folded_into=first, why="cherry-pick")]
    )
    found = sick.audit()
    assert found.ok
    assert (found.measures.duplicates.count, found.measures.folded) == (0, 1)


def test_two_commits_of_one_message_that_change_other_lines_are_no_duplicates(sick: Sick) -> None:
    sick.add(6, "Do thing a")
    assert sick.audit().measures.duplicates.count == 0


def test_discussions_alike_but_for_numbers_count_until_they_count_for_less(sick: Sick) -> None:
    alerts = [thread(n, f"Disk of node {n} is full to {90 + n} percent") for n in range(3)]
    take_in(sick.memory, alerts)
    assert sick.audit().measures.near_duplicates.count == 2
    assert sick.wrong() == ["near duplicates"]
    marks = [Mark("", alert.ref, weight=0.5, why="automatic message") for alert in alerts[1:]]
    sick.memory.index.marks.replace("", marks)
    found = sick.audit()
    assert found.ok
    assert found.measures.stale.count == 2


def test_chunks_that_no_source_brought_are_found(sick: Sick) -> None:
    sick.slip_in(source="dreams")
    assert sick.wrong() == ["derived"]


def test_chunks_of_commits_that_left_the_history_are_found(sick: Sick) -> None:
    gone = sick.commits[5]
    sick.memory.orphan(sick.repo.id, [gone.sha])
    assert sick.wrong() == []
    sick.slip_in(ref=gone.sha)
    assert sick.wrong() == ["orphaned"]


def test_a_secret_that_is_still_there_is_found(sick: Sick) -> None:
    secret = planted()[0]
    sick.slip_in(text=f"+{secret.line}")
    assert sick.wrong() == ["secrets"]


def test_files_that_nothing_names_are_found_when_nobody_writes_them_any_more(sick: Sick) -> None:
    stray = [
        sick.memory.folder / "memory.db.damaged-1",
        sick.memory.folder / "lance" / "notes.lance" / "data.bin",
        sick.memory.folder / "raw" / "core",
    ]
    for path in stray:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 10)
        os.utime(path, (NOW, NOW))
        os.utime(path.parent, (NOW, NOW))
    assert sick.audit().measures.stray == ()
    later = audit(sick.memory, NOW + 2 * 3_600)
    assert later.measures.stray == ("lance/notes.lance", "memory.db.damaged-1", "raw/core")
    assert not later.ok


def test_the_line_for_the_brief_names_what_is_past_its_threshold_and_is_kept(sick: Sick) -> None:
    assert audit_line(sick.memory) == ""
    sick.add(6, "Do thing a", like=0)
    keep_line(sick.memory, sick.audit())
    assert audit_line(sick.memory) == (
        "memory needs a look: duplicates 1 of 7 (hermes memory audit)"
    )


def test_an_empty_memory_is_healthy(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "empty", embedder=None, write=True) as memory:
        found = audit(memory, NOW)
    assert found.ok
    assert found.measures.entries == 0


def test_other_chunks_are_looked_at_each_day_until_all_were(sick: Sick) -> None:
    assert len(sample(sick.memory, 1_000, seed=1)) == 18
    few = {tuple(sorted(sample(sick.memory, 6, seed=day))) for day in range(20)}
    assert len(few) > 5
