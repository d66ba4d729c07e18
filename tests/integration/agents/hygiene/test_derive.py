"""What is marked in the memory of a real repository: folded, taken back, applied again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from hermes.agents.hygiene.derive import Derived, derive
from hermes.ingest.git.command import Git
from hermes.ingest.items import take_in
from hermes.memory.audit import measure
from hermes.memory.recall import recall
from hermes.memory.records import Mark
from hermes.tests.builders.git import ALEX, FIRST_COMMIT, RepoBuilder
from hermes.tests.builders.ingested import Ingested
from hermes.tests.builders.items import thread, ticket

NOW = FIRST_COMMIT + 400 * 86_400
PAY = "def pay(card):\n    for attempt in range(3):\n        charge(card, attempt)\n"
LIMIT = "def limit(customer):\n    return redis.incr(customer) < 100\n"


class Shop:
    """A repository with a main and a release branch, in memory."""

    def __init__(self, folder: Path) -> None:
        self.git = RepoBuilder(folder / "shop")
        self.git.commit({"pay.py": "def pay(card):\n    pass\n", "readme.md": "Shop\n"}, "Begin")
        self.git.git("branch", "release-1.2")
        self.taken_in = Ingested(folder / "memory", self.git.path)

    def derive(self, *, stop: bool = False, with_git: bool = True) -> Derived:
        """Take in what is new and derive."""
        self.taken_in.run()
        git = Git.open(self.git.path) if with_git else None
        memory, repo = self.taken_in.memory, self.taken_in.repo.id
        return derive(memory, repo, git, now=NOW, should_stop=lambda: stop)

    def pick(self, sha: str, *options: str) -> str:
        """Pick a commit onto the release branch, an hour later than anything before."""
        self.git.switch("release-1.2")
        self.git.now += 3_600
        when = f"{self.git.now} +0000"
        who = {"GIT_COMMITTER_NAME": "Sam Doe", "GIT_COMMITTER_EMAIL": "sam@example.com"}
        self.git.git("cherry-pick", *options, sha, environment=who | {"GIT_COMMITTER_DATE": when})
        picked = self.git.head()
        self.git.switch("main")
        return picked

    def revert(self, sha: str, author: str = ALEX, message: str = "") -> str:
        """Revert a commit on the current branch, with git's own message or another."""
        self.git.git("revert", "--no-commit", sha)
        subject = self.git.git("log", "-1", "--format=%s", sha)
        said = message or f'Revert "{subject}"\n\nThis reverts commit {sha}.\n'
        return self.git.commit(None, said, author=author)

    def mark(self, sha: str) -> Mark | None:
        """Return a commit's mark."""
        return self.taken_in.memory.index.marks.of([sha]).get((self.taken_in.repo.id, sha))

    def taken_back_by(self, sha: str) -> str:
        """Return what a commit was taken back by; empty where it holds."""
        mark = self.mark(sha)
        return mark.ended_by if mark is not None else ""


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    made = Shop(tmp_path)
    with made.taken_in:
        yield made


@pytest.mark.parametrize("options", [(), ("-x",)])
@pytest.mark.parametrize("with_git", [True, False])
def test_a_picked_commit_is_folded_into_the_one_on_the_main_branch(
    shop: Shop, options: tuple[str, ...], with_git: bool
) -> None:
    fix = shop.git.commit({"pay.py": PAY}, "Try a payment three times")
    picked = shop.pick(fix, *options)
    assert shop.derive(with_git=with_git).folded == 1
    mark = shop.mark(picked)
    assert mark is not None
    assert (mark.folded_into, mark.why, mark.branch) == (fix, "cherry-pick", "release-1.2")
    assert shop.mark(fix) is None


def test_a_commit_of_the_same_subject_and_moment_that_does_something_else_is_not_folded(
    shop: Shop,
) -> None:
    when = FIRST_COMMIT + 86_400
    shop.git.commit({"pay.py": PAY}, "Try a payment three times", when=when)
    shop.git.switch("release-1.2")
    shop.git.commit({"limit.py": LIMIT}, "Try a payment three times", when=when)
    shop.git.switch("main")
    assert shop.derive().folded == 0


def test_what_a_rebase_left_behind_is_folded(shop: Shop) -> None:
    shop.git.switch("topic")
    shop.git.commit({"pay.py": PAY}, "Try a payment three times")
    shop.git.git("branch", "topic-before")
    shop.git.switch("main")
    shop.git.commit({"limit.py": LIMIT}, "Limit requests")
    shop.git.switch("topic")
    shop.git.git("-c", "user.name=Sam", "-c", "user.email=s@x.example", "rebase", "-q", "main")
    shop.git.switch("main")
    derived = shop.derive()
    assert derived.folded == 1


def test_what_was_reverted_says_by_what_and_the_answer_tells_it(shop: Shop) -> None:
    fix = shop.git.commit({"pay.py": PAY}, "Try a payment three times")
    back = shop.revert(fix)
    assert shop.derive().ended == 1
    mark = shop.mark(fix)
    assert mark is not None
    assert (mark.ended_by, mark.why) == (back, "taken back")
    assert mark.weight < 1
    assert shop.mark(back) is None


def test_what_was_reverted_and_applied_again_holds_again(shop: Shop) -> None:
    fix = shop.git.commit({"pay.py": PAY}, "Try a payment three times")
    back = shop.revert(fix)
    again = shop.revert(back)
    shop.derive()
    assert shop.taken_back_by(fix) == ""
    assert shop.taken_back_by(back) == again


def test_what_was_applied_again_by_hand_under_another_name_holds_again(shop: Shop) -> None:
    fix = shop.git.commit({"pay.py": PAY}, "Try a payment three times")
    shop.revert(fix)
    shop.git.commit({"pay.py": PAY, "readme.md": "Shop, patient\n"}, "Be patient with card issuers")
    shop.derive()
    assert shop.taken_back_by(fix) == ""


def test_what_was_reverted_thrice_is_taken_back_by_the_last(shop: Shop) -> None:
    fix = shop.git.commit({"pay.py": PAY}, "Try a payment three times")
    back = shop.revert(fix)
    again = shop.revert(back)
    last = shop.revert(again)
    shop.derive()
    assert shop.taken_back_by(again) == last
    assert shop.taken_back_by(fix) == back


@pytest.mark.parametrize(
    "message",
    [
        'Revert "Try a payment three times"\n\nReverts shop/shop#12\n',
        "Back out {short}\n\nReverts {short}.\n",
        'Revert "Try a payment three times (#7)" (#9)\n',
    ],
)
def test_a_revert_by_other_words_is_one_where_the_lines_are_gone(shop: Shop, message: str) -> None:
    fix = shop.git.commit({"pay.py": PAY}, "Try a payment three times")
    back = shop.revert(fix, message=message.format(short=fix[:8]))
    shop.derive()
    assert shop.taken_back_by(fix) == back


def test_a_message_that_says_revert_where_the_lines_stay_takes_nothing_back(shop: Shop) -> None:
    fix = shop.git.commit({"pay.py": PAY}, "Try a payment three times")
    said = f'Revert "Try a payment three times"\n\nThis reverts commit {fix}.\n'
    shop.git.commit({"readme.md": "Shop!\n"}, said)
    assert shop.derive().ended == 0


def test_a_revert_on_a_release_branch_takes_nothing_back_on_the_main_one(shop: Shop) -> None:
    fix = shop.git.commit({"pay.py": PAY}, "Try a payment three times")
    picked = shop.pick(fix)
    shop.git.switch("release-1.2")
    shop.revert(picked)
    shop.git.switch("main")
    assert shop.derive().ended == 0


def test_a_reverted_merge_takes_back_what_it_brought(shop: Shop) -> None:
    shop.git.switch("topic")
    one = shop.git.commit({"pay.py": PAY}, "Try a payment three times")
    two = shop.git.commit({"limit.py": LIMIT}, "Limit requests")
    shop.git.switch("main")
    merge = shop.git.merge("topic", message="Merge branch 'topic'")
    shop.git.git("revert", "--no-commit", "--mainline=1", merge)
    said = f"Revert \"Merge branch 'topic'\"\n\nThis reverts commit {merge}, reversing\nchanges"
    back = shop.git.commit(None, f"{said} made to {shop.git.head('HEAD^1')}.\n")
    shop.derive()
    assert [shop.taken_back_by(sha) for sha in (merge, one, two)] == [back] * 3


def test_releases_that_differ_in_numbers_alone_count_for_less(shop: Shop) -> None:
    first = shop.git.commit({"version.py": 'VERSION = "1.1"\n'}, "Version 1.1 (#12)")
    second = shop.git.commit({"version.py": 'VERSION = "1.2"\n'}, "Version 1.2 (#15)")
    third = shop.git.commit({"version.py": 'VERSION = "1.3"\n'}, "Version 1.3 (#19)")
    other = shop.git.commit({"version.py": 'VERSION = "2.0"\nBETA = True\n'}, "Version 2.0 (#21)")
    shop.derive()
    memory = shop.taken_in.memory
    assert shop.mark(first) is None  # it made the file, the others changed a line
    assert [mark and mark.weight for mark in map(shop.mark, (second, third))] == [0.8, 0.8]
    assert shop.mark(other) is None
    assert measure(memory, NOW).near_duplicates.count == 0
    found = recall(memory, "version 1.2").passages[0]
    assert found.chunk.ref == second


def test_deriving_twice_changes_nothing(shop: Shop) -> None:
    fix = shop.git.commit({"pay.py": PAY}, "Try a payment three times")
    shop.pick(fix)
    shop.revert(fix)
    assert shop.derive().changed > 0
    assert shop.derive().changed == 0


def test_stopped_at_once_it_leaves_what_was_there(shop: Shop) -> None:
    fix = shop.git.commit({"pay.py": PAY}, "Try a payment three times")
    back = shop.revert(fix)
    shop.derive()
    shop.revert(back)
    assert shop.derive(stop=True) == Derived(finished=False)
    assert shop.taken_back_by(fix) == back


def _runs_out(left: Iterator[int]) -> bool:
    return next(left, None) is None


def test_stopped_anywhere_it_leaves_all_as_it_was_and_the_next_run_does_the_rest(
    shop: Shop,
) -> None:
    fix = shop.git.commit({"pay.py": PAY}, "Try a payment three times")
    shop.pick(fix)
    shop.derive()
    marks = shop.taken_in.memory.index.marks
    before = marks.all(shop.taken_in.repo.id)
    back = shop.revert(fix)
    shop.taken_in.run()
    looks = 0
    for looks in range(1_000):
        left = iter(range(looks))
        done = derive(
            shop.taken_in.memory,
            shop.taken_in.repo.id,
            None,
            now=NOW,
            should_stop=partial(_runs_out, left),
        )
        if done.finished:
            break
        assert marks.all(shop.taken_in.repo.id) == before
    assert looks > 5
    assert shop.taken_back_by(fix) == back


def test_a_revert_that_left_the_history_is_cited_nowhere(shop: Shop) -> None:
    fix = shop.git.commit({"pay.py": PAY}, "Try a payment three times")
    back = shop.revert(fix)
    shop.derive()
    shop.git.git("reset", "--quiet", "--hard", fix)
    shop.taken_in.run()
    assert shop.mark(fix) is None
    found = recall(shop.taken_in.memory, "revert try a payment three times")
    assert back not in {passage.chunk.ref for passage in found.passages}


def test_items_of_no_repository_are_marked_by_themselves(shop: Shop) -> None:
    memory = shop.taken_in.memory
    done = ticket("ENG-17", "Retry payments", state="Done", closed=NOW - 86_400)
    talk = thread(1, "+1", time=FIRST_COMMIT)
    about = thread(2, "Is ENG-17 done? " + PAY, tickets=["ENG-17"], time=FIRST_COMMIT)
    take_in(memory, [done, talk, about])
    derived = derive(memory, "", None, now=NOW)
    assert (derived.ended, derived.faded, derived.facts) == (2, 1, 1)
    (fact,) = memory.index.facts.of("ticket:ENG-17")
    assert (fact.relation, fact.value) == ("state", "Done")
    assert derive(memory, "", None, now=NOW).changed == 0
