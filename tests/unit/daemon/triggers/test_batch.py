"""When a batch is complete, what it holds, and how git holds it back."""

from __future__ import annotations

import pytest

from hermes.daemon.triggers.batch import IN_ALL, PER_FOLDER, Batch, Changes, Gathered


def saved(batch: Batch, path: str, now: float) -> None:
    batch.files.add(path)
    batch.touch(now)


def test_nothing_is_told_while_nothing_happens() -> None:
    batch = Batch()
    assert batch.wake() is None
    assert batch.step(1_000.0, None) is None


def test_a_batch_is_told_after_the_quiet_time() -> None:
    batch = Batch(quiet=0.3, longest=3.0)
    saved(batch, "a.py", 10.0)
    saved(batch, "a.py", 10.2)
    assert batch.wake() == pytest.approx(10.5)
    assert batch.step(10.4, None) is None
    assert batch.step(10.5, None) == Changes(frozenset({"a.py"}))
    assert batch.wake() is None


def test_constant_change_is_told_after_the_longest_time() -> None:
    batch = Batch(quiet=0.3, longest=3.0)
    told: list[float] = []
    for tenth in range(100):
        now = tenth / 10
        saved(batch, "a.py", now)
        if batch.step(now, None):
            told.append(now)
    assert told == [3.0, 6.1, 9.2]


def test_many_files_of_a_folder_are_told_by_the_folder() -> None:
    found = Gathered(f"src/f{n}.py" for n in range(PER_FOLDER + 1))
    found.add("src/deep/g.py")
    found.add("other/h.py")
    assert found.changes() == Changes(frozenset({"other/h.py"}), frozenset({"src"}))


def test_a_folder_takes_in_what_was_gathered_beneath_it() -> None:
    found = Gathered(["a/b/c.py", "a/d.py", "ab/e.py"])
    found.add_folder("a/b")
    found.add_folder("a")
    assert found.changes() == Changes(frozenset({"ab/e.py"}), frozenset({"a"}))


def test_many_files_of_the_top_folder_are_listed_up_to_the_limit() -> None:
    found = Gathered(f"f{n}" for n in range(PER_FOLDER * 2))
    assert len(found.changes().paths) == PER_FOLDER * 2


def test_too_many_in_all_are_told_as_the_whole() -> None:
    found = Gathered(f"d{n}/f" for n in range(IN_ALL + 1))
    assert found.changes() == Changes(whole=True)
    found.add("more")
    assert found.covers("anything")
    assert found.changes() == Changes(whole=True)


def test_an_operation_of_git_holds_the_batch_until_it_is_quiet_again() -> None:
    batch = Batch(quiet=0.3, longest=3.0)
    saved(batch, "a.py", 0.0)
    assert batch.step(3.0, "rebase") is None
    assert batch.wake() == pytest.approx(303.0)
    saved(batch, "b.py", 20.0)
    batch.look_again()
    assert batch.step(21.0, None) is None
    assert batch.wake() == pytest.approx(21.3)
    assert batch.step(21.3, None) == Changes(frozenset({"a.py", "b.py"}))


@pytest.mark.parametrize(("operation", "longest"), [("index.lock", 30.0), ("merge", 300.0)])
def test_holding_is_bounded(operation: str, longest: float) -> None:
    batch = Batch(quiet=0.3, longest=3.0)
    saved(batch, "a.py", 0.0)
    assert batch.step(1.0, operation) is None
    assert batch.step(longest, operation) is None
    assert batch.step(1.0 + longest, operation) == Changes(frozenset({"a.py"}))


def test_what_outlasted_the_patience_holds_no_more_until_it_ended() -> None:
    batch = Batch(quiet=0.3, longest=3.0)
    saved(batch, "a.py", 0.0)
    batch.step(1.0, "merge")
    assert batch.step(301.0, "merge")
    saved(batch, "b.py", 400.0)
    assert batch.step(401.0, "merge") == Changes(frozenset({"b.py"}))
    saved(batch, "c.py", 500.0)
    assert batch.step(501.0, None)
    saved(batch, "d.py", 600.0)
    assert batch.step(601.0, "merge") is None


def test_what_could_not_be_told_comes_again_with_what_is_new() -> None:
    batch = Batch(quiet=0.3, longest=3.0)
    saved(batch, "a.py", 0.0)
    changes = batch.step(1.0, None)
    assert changes is not None
    saved(batch, "b.py", 1.1)
    batch.give_back(changes, 1.2)
    assert batch.step(2.0, None) == Changes(frozenset({"a.py", "b.py"}))
