"""Drafts as they are kept: one for each index, and no more than are wanted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hermes.memory import drafts
from hermes.memory.drafts import KEPT, Stored
from hermes.memory.work import Work

ONE = Stored(
    repo="shop",
    worktree="/shop",
    tree="t1",
    head="h1",
    branch="ref: refs/heads/main",
    at=1.0,
    by="rule",
    subject="Add tax",
    body="It was missing.",
    trailers=("Refs: ENG-17",),
    alternatives=("Compute tax\n",),
    why=("what: adds tax",),
    problems=("length: too long",),
    seconds=0.5,
    sign="Sam <s@example.com>",
)


def test_a_draft_comes_back_as_it_was(tmp_path: Path) -> None:
    work = Work(tmp_path / "work.db")
    work.drafts.put(ONE)
    found = work.drafts.find("shop", "/shop", "t1", "h1", ONE.branch)
    assert found is not None
    assert replace(found, id=0) == ONE
    assert work.drafts.find("shop", "/shop", "t2", "h1", ONE.branch) is None
    assert work.drafts.find("shop", "/shop", "t1", None, ONE.branch) is None
    assert work.drafts.find("shop", "/shop", "t1", "h1", "ref: refs/heads/side") is None
    assert work.drafts.find("shop", "/other", "t1", "h1", ONE.branch) is None
    work.close()


def test_the_same_index_has_one_draft_the_newest(tmp_path: Path) -> None:
    work = Work(tmp_path / "work.db")
    work.drafts.put(ONE)
    work.drafts.put(replace(ONE, subject="Compute tax", by="qwen"))
    assert [one.subject for one in work.drafts.ready("shop", "/shop")] == ["Compute tax"]
    work.close()


def test_only_so_many_are_kept_of_each_repository(tmp_path: Path) -> None:
    work = Work(tmp_path / "work.db")
    work.drafts.put(replace(ONE, repo="other"))
    with work.database.writing():
        for number in range(KEPT + 5):
            work.drafts.put(replace(ONE, tree=f"t{number}"))
    trees = [one.tree for one in work.drafts.ready("shop", "/shop")]
    assert (len(trees), trees[0], trees[-1]) == (KEPT, "t5", f"t{KEPT + 4}")
    assert len(work.drafts.ready("other", "/shop")) == 1
    work.drafts.forget("shop")
    assert work.drafts.ready("shop", "/shop") == []
    assert len(work.drafts.ready("other", "/shop")) == 1
    work.close()


def test_what_became_of_them_is_counted_by_who_phrased_them(tmp_path: Path) -> None:
    work = Work(tmp_path / "work.db")
    ends: tuple[tuple[str, drafts.Outcome, float], ...] = (
        ("rule", "accepted", 1.0),
        ("rule", "edited", 0.8),
        ("qwen", "replaced", 0.1),
    )
    for number, (by, outcome, likeness) in enumerate(ends):
        work.drafts.put(replace(ONE, tree=f"t{number}", by=by))
        (ready,) = work.drafts.ready("shop", "/shop")
        work.drafts.used(ready.id, "abc", outcome, likeness)
    work.drafts.put(replace(ONE, tree="unused"))
    work.drafts.stale("shop", "/shop")
    assert work.drafts.ready("shop", "/shop") == []
    qwen, rule = work.drafts.quality("shop")
    assert (qwen.by, qwen.replaced, qwen.accepted) == ("qwen", 1, 0)
    assert (rule.accepted, rule.edited, rule.replaced, rule.likeness) == (1, 1, 0, 0.9)
    assert work.drafts.quality("nobody") == []
    work.close()
