"""What is so in real repositories on a Tuesday morning."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.agents.brief import looking, refs
from hermes.agents.brief.bounded import Failure, bounded
from hermes.agents.brief.records import Fact, Person, Section
from hermes.ingest.git.command import Git
from hermes.memory.drafts import Stored
from hermes.memory.drift import Edit, Found, State
from hermes.memory.test_records import NewRun, Result, Run, Why
from hermes.tests.builders.mornings import (
    ALEX,
    HOUR,
    LAST_NIGHT,
    LONG_AGO,
    NOW,
    YESTERDAY,
    Morning,
    dated,
    edit,
)


@pytest.fixture
def morning(tmp_path: Path) -> Generator[Morning]:
    made = Morning(tmp_path / "sam")
    yield made
    made.close()


def first_text(morning: Morning) -> str:
    return max(morning.facts("first:"), key=lambda fact: fact.weight).text


# What was finished


def test_what_was_finished_is_told_with_its_file_and_pull_request(morning: Morning) -> None:
    sam, _ = morning.shared()
    sam.commit(
        {"queue/retry.py": "a = 2\nb = 2\nc = 3\nd = 4\n"},
        "Add retry backoff (#482)",
        when=YESTERDAY,
    )
    (fact,) = morning.facts("theme:")
    assert fact.text == "added retry backoff in queue/retry.py: +2 −1"
    assert fact.references[0].text == "#482"


def test_what_was_done_before_or_by_others_is_not_ones_own(morning: Morning) -> None:
    sam, _ = morning.shared()
    sam.commit({"a.py": "1\n"}, "Add the old thing", when=NOW - 5 * 86_400)
    sam.commit({"b.py": "1\n"}, "Add what Alex made", author=ALEX, when=YESTERDAY)
    assert morning.facts("theme:") == []


def test_a_rebase_of_old_work_is_no_new_work(morning: Morning) -> None:
    sam, _ = morning.shared()
    sam.commit({"a.py": "1\n"}, "Add a", branch="x", when=NOW - 5 * 86_400)
    sam.switch("main")
    sam.commit({"b.py": "1\n"}, "Add b", author=ALEX, when=NOW - 4 * 86_400)
    sam.switch("x")
    committed = {name: text for name, text in dated(YESTERDAY).items() if "COMMITTER" in name}
    sam.git("rebase", "--quiet", "main", environment=committed)
    assert morning.facts("theme:") == []


def test_work_on_two_branches_and_amended_copies_count_once(morning: Morning) -> None:
    sam, _ = morning.shared()
    sha = sam.commit({"queue/retry.py": "a = 5\n"}, "Add backoff", branch="x", when=YESTERDAY)
    sam.switch("main")
    committed = {name: text for name, text in dated(NOW).items() if "COMMITTER" in name}
    sam.git("cherry-pick", sha, environment=committed)
    (fact,) = morning.facts("theme:")
    assert "commits" not in fact.text


def test_all_of_ones_addresses_are_ones_own(morning: Morning) -> None:
    sam, _ = morning.shared()
    sam.commit({".mailmap": "Sam Doe <sam@example.com> <sam@home.example>\n"}, "Map", when=LONG_AGO)
    sam.commit({"a.py": "1\n"}, "Add a thing", author="sammy <sam@home.example>", when=YESTERDAY)
    assert morning.texts("theme:") == ["added a thing in a.py: +1"]


def test_a_merge_names_the_pull_request_of_ones_commits(morning: Morning) -> None:
    sam, _ = morning.shared()
    sam.commit({"queue/retry.py": "a = 9\n"}, "wip", branch="retry", when=YESTERDAY)
    sam.commit({"queue/retry.py": "a = 10\n"}, "more", when=YESTERDAY + HOUR)
    sam.switch("main")
    sam.merge(
        "retry",
        message="Merge pull request #482 from sam/retry\n\nRetry payments with backoff",
        author=ALEX,
        when=YESTERDAY + 2 * HOUR,
    )
    (fact,) = morning.facts("theme:")
    assert "“Retry payments with backoff” in queue/retry.py: 2 commits" in fact.text
    assert fact.references[0].text == "#482"


def test_a_team_is_told_by_person(morning: Morning) -> None:
    sam, _ = morning.shared()
    sam.commit({"a.py": "1\n"}, "Add a thing", when=YESTERDAY)
    sam.commit({"b.py": "1\n"}, "Fix the other thing", author=ALEX, when=YESTERDAY)
    sam.commit({"c.py": "1\n"}, "Bump x", author="dependabot[bot] <b@x>", when=YESTERDAY)
    assert sorted(morning.texts("team:", everybody=True)) == [
        "Alex Roe: fixed the other thing (1 commit)",
        "Sam Doe: added a thing (1 commit)",
    ]


def test_without_an_identity_it_tells_of_the_repository_and_how_to_say_who_one_is(
    morning: Morning,
) -> None:
    sam, _ = morning.shared()
    sam.commit({"a.py": "1\n"}, "Add a thing", when=YESTERDAY)
    edit(sam, "queue/retry.py", "a = 3\n")
    morning.as_person(Person())
    assert morning.texts("team:") == ["Sam Doe: added a thing (1 commit)"]
    assert morning.texts("uncommitted:") != []
    assert "git config --global user.email" in morning.texts("nobody")[0]


# What was left half-done


def test_uncommitted_work_is_told_with_its_files_and_when_it_was_touched(morning: Morning) -> None:
    sam, _ = morning.shared()
    edit(sam, "queue/retry.py", "a = 2\n# FIXME handle jitter\n")
    edit(sam, "notes.txt", "x\n")
    sam.write({"web/login.py": "x = 2\n"})
    sam.git("add", "web/login.py")
    os.utime(sam.path / "web/login.py", (YESTERDAY - HOUR, YESTERDAY - HOUR))
    (fact,) = morning.facts("uncommitted:")
    assert fact.text == (
        "uncommitted work on main in queue/retry.py and web/login.py, 1 staged, and 1 new file;"
        " last touched yesterday at 15:42"
    )
    assert fact.details == ("new notes.txt", "changed queue/retry.py", "staged web/login.py")
    assert morning.texts("note:") == ["left “FIXME handle jitter” in queue/retry.py:2"]
    assert first_text(morning).startswith("go on with queue/retry.py and web/login.py")


def test_what_only_looks_changed_is_not_told(morning: Morning) -> None:
    sam, _ = morning.shared()
    os.utime(sam.path / "queue/retry.py", (YESTERDAY, YESTERDAY))
    assert morning.facts("uncommitted:") == []


def test_line_ends_that_git_would_convert_are_no_change(morning: Morning) -> None:
    sam, _ = morning.shared()
    sam.config("core.autocrlf", "true")
    edit(sam, "queue/retry.py", "a = 1\r\nb = 2\r\nc = 3\r\n")
    assert morning.facts("uncommitted:") == []


def test_reading_a_worktree_runs_nothing_of_the_repository_and_takes_no_lock(
    morning: Morning, tmp_path: Path
) -> None:
    sam, _ = morning.shared()
    ran = tmp_path / "ran"
    for key in ("filter.x.clean", "filter.x.smudge", "core.fsmonitor", "diff.x.textconv"):
        sam.config(key, f"touch {ran}; cat")
    sam.config("diff.external", f"touch {ran}")
    sam.write({".gitattributes": "*.py filter=x diff=x\n"})
    edit(sam, "queue/retry.py", "a = 1\nb = 2\nc = 4\n")  # as long as it was
    edit(sam, "web/login.py", "x = 100\n")
    sam.write({"other.txt": "x"})
    index = (sam.path / ".git/index").stat()
    (fact,) = morning.facts("uncommitted:")
    assert "web/login.py" in fact.text
    assert not ran.exists()
    assert (sam.path / ".git/index").stat().st_mtime_ns == index.st_mtime_ns


def test_a_locked_index_is_no_hindrance(morning: Morning) -> None:
    sam, _ = morning.shared()
    edit(sam, "queue/retry.py", "a = 2\n")
    (sam.path / ".git/index.lock").touch()
    assert len(morning.facts("uncommitted:")) == 1


def test_work_before_the_first_commit_is_told(morning: Morning) -> None:
    new = morning.add("new")
    edit(new, "a.py", "1\n")
    new.git("add", "a.py")
    found = morning.found()
    assert found.unreadable == ()
    assert [f.text for f in found.facts if f.key.startswith("uncommitted:")] == [
        "uncommitted work on main in a.py, all staged; last touched yesterday at 15:42"
    ]


def test_linked_worktrees_are_looked_at_too(morning: Morning, tmp_path: Path) -> None:
    sam, _ = morning.shared()
    sam.git("worktree", "add", "--quiet", str(tmp_path / "hotfix"), "-b", "hotfix")
    target = tmp_path / "hotfix/queue/retry.py"
    target.write_text("a = 7\n")
    os.utime(target, (YESTERDAY, YESTERDAY))
    (fact,) = morning.facts("uncommitted:")
    assert "on hotfix in queue/retry.py" in fact.text


def test_odd_names_and_deleted_files_are_told(morning: Morning) -> None:
    sam, _ = morning.shared()
    sam.write({b"caf\xe9 \xff.py": b"1\n", b"tab\there.py": b"2\n"})
    (sam.path / "web/login.py").unlink()
    (fact,) = morning.facts("uncommitted:")
    assert "deleted web/login.py" in fact.details
    assert "new tab\there.py" in fact.details
    assert all(text.encode() for text in (fact.text, *fact.details))


def test_a_stash_is_told_with_its_words_branch_and_file(morning: Morning) -> None:
    sam, _ = morning.shared()
    edit(sam, "queue/retry.py", "a = 2\n")
    sam.git("stash", "push", "--quiet", "-m", "try jitter", environment=dated(YESTERDAY))
    assert morning.texts("stash:") == [
        "a stash “try jitter” on main with work in queue/retry.py, put aside yesterday at 15:42"
    ]
    assert first_text(morning).startswith("take up the stash “try jitter” on main again or drop it")


def test_old_stashes_are_told_together(morning: Morning) -> None:
    sam, _ = morning.shared()
    for number in range(4):
        edit(sam, "queue/retry.py", f"a = {number + 5}\n")
        sam.git("stash", "push", "--quiet", environment=dated(LONG_AGO + number * 86_400))
    assert morning.texts("stash:") == ["4 older stashes, the oldest made on 3 January"]


def test_an_unpushed_branch_is_told_and_a_pushed_one_is_not(morning: Morning) -> None:
    sam, _ = morning.shared()
    sam.commit({"a.py": "1\n"}, "Add a", branch="pushed", when=YESTERDAY)
    sam.git("push", "--quiet", "--set-upstream", "origin", "pushed")
    sam.switch("main")
    sam.commit({"b.py": "1\n"}, "Add b", branch="half", when=YESTERDAY)
    sam.git("push", "--quiet", "--set-upstream", "origin", "half")
    sam.commit({"b.py": "2\n"}, "Fix b", when=YESTERDAY + HOUR)
    sam.switch("main")
    sam.commit({"c.py": "1\n"}, "Add c", branch="alone", when=NOW - 3 * 86_400)
    sam.switch("main")
    assert sorted(morning.texts("unpushed:")) == [
        "alone has 1 commit on no other branch, made on Saturday at 08:42: “Add c”",
        "half has 1 commit not pushed, made yesterday at 16:42: “Fix b”",
    ]
    assert morning.texts("theme:") == ["added a in a.py: +1"]  # the others are no second time
    assert first_text(morning).startswith("push half: 1 commit is not on origin/half")


def test_branches_of_others_and_merged_ones_are_not_ones_own_business(morning: Morning) -> None:
    sam, _ = morning.shared()
    sam.commit({"a.py": "1\n"}, "Add a", branch="alexes", author=ALEX, when=YESTERDAY)
    sam.switch("main")
    sam.git("branch", "merged")
    assert morning.facts("unpushed:") == []


def test_a_rebase_with_conflicts_is_the_first_thing_to_do(morning: Morning) -> None:
    sam, _ = morning.shared()
    sam.commit({"queue/retry.py": "a = 2\n"}, "Set a", branch="x", when=YESTERDAY)
    sam.switch("main")
    sam.commit({"queue/retry.py": "a = 3\n"}, "Set a otherwise", author=ALEX, when=YESTERDAY)
    sam.switch("x")
    with pytest.raises(AssertionError, match="could not apply|CONFLICT|rebase"):
        sam.git("rebase", "main")
    (fact,) = morning.facts("operation:")
    assert "a rebase of x onto" in fact.text
    assert "with conflicts in queue/retry.py" in fact.text
    assert first_text(morning).startswith(
        "finish the rebase of x or abort it: queue/retry.py conflict"
    )


def red_run(at: int) -> NewRun:
    failure = Why("AssertionError", "5 != 6", "queue/retry.py", 3, "")
    run = Run("shop", at, 1.0, "full", "pytest", "red", whole=True)
    return NewRun(run, (Result("tests/test_retry.py::test_skew", "failed", failure=failure),))


def test_a_red_test_is_told_with_its_note_and_comes_first(morning: Morning) -> None:
    morning.shared()
    test = "tests/test_retry.py::test_skew"
    morning.work.runs.record(red_run(YESTERDAY))
    morning.work.runs.note("shop", "pytest", test, "also failed in April: clock skew", "abcdef1")
    (fact,) = morning.facts("red:")
    assert fact.text == (
        f"{test} failed yesterday at 15:42: AssertionError: 5 != 6;"
        " also failed in April: clock skew"
    )
    assert [ref.text for ref in fact.references] == [test, "abcdef1"]
    assert first_text(morning).startswith("look at test_skew first: it is red since yesterday")


def test_an_accepted_fix_that_nobody_committed_is_told(morning: Morning) -> None:
    morning.shared()
    drift = Found(
        *("README.md", "flag", "--fast", "certain", "--fast was removed", (3,), ("x",), ("k",)),
        *(("k",), 1),
        edits=(Edit(3, ("a",), ("b",)),),
    )
    (number,) = morning.work.proposals.put("shop", [drift], YESTERDAY)
    assert morning.texts("drift:") == ["README.md:3 drifted: --fast was removed; draft fix ready"]
    morning.work.proposals.close(number, State.ACCEPTED, YESTERDAY)
    assert morning.texts("accepted:") == ["the fix of README.md that you accepted is not committed"]


def test_a_draft_for_what_is_staged_is_told_and_an_old_one_is_not(morning: Morning) -> None:
    sam, _ = morning.shared()
    edit(sam, "queue/retry.py", "a = 2\n")
    sam.git("add", "queue/retry.py")
    common = ("shop", str(sam.path))
    morning.work.drafts.put(
        Stored(*common, "t1", sam.head(), "main", YESTERDAY, "rule", "Set a to two")
    )
    assert morning.texts("draft:") == ["a message is ready for 1 staged file: “Set a to two”"]
    sam.commit(message="Set a", when=YESTERDAY)
    assert morning.texts("draft:") == []


# What others did


def pull_in(sam_fetches_at: int, morning: Morning) -> None:
    morning.builders[0].git("fetch", "--quiet", environment=dated(sam_fetches_at))


def test_a_change_of_others_to_a_file_with_open_work_comes_first(morning: Morning) -> None:
    sam, alex = morning.shared()
    edit(sam, "queue/retry.py", "a = 2\n")
    sha = alex.commit({"queue/retry.py": "a = 9\n"}, "Handle skew", author=ALEX, when=LAST_NIGHT)
    alex.git("push", "--quiet")
    pull_in(NOW - 600, morning)
    (fact,) = morning.facts("touched:")
    assert fact.text == (
        "Alex Roe changed queue/retry.py on origin/main, where you have uncommitted work:"
        " “Handle skew”"
    )
    assert [ref.text for ref in fact.references] == [sha[:7], "queue/retry.py"]
    assert morning.texts("main:") == []  # it was told
    assert first_text(morning).startswith(
        "bring main up to date before you go on: Alex Roe changed"
    )


def test_files_of_one_branch_that_others_changed_are_told_in_one_line(morning: Morning) -> None:
    sam, alex = morning.shared()
    names = ("retry", "send", "wait", "wake")
    own = {f"queue/{name}.py": "a = 4\n" for name in names}
    sam.commit(own, "Add backoff", branch="backoff", when=YESTERDAY)
    sam.switch("main")
    for number, name in enumerate(names):
        change = {f"queue/{name}.py": "a = 9\n"}
        alex.commit(change, f"Handle {name}", author=ALEX, when=LAST_NIGHT + number)
    alex.git("push", "--quiet")
    pull_in(NOW - 600, morning)
    (fact,) = morning.facts("touched:")
    assert fact.text.startswith("Alex Roe changed queue/wake.py, wait.py, send.py and 1 more on")
    assert len(fact.details) == 4


def test_beside_open_work_what_was_worked_on_lately_is_no_line_of_its_own(morning: Morning) -> None:
    sam, alex = morning.shared()
    sam.commit({"web/login.py": "x = 7\n"}, "Set x", when=YESTERDAY)
    edit(sam, "queue/retry.py", "a = 2\n")
    alex.commit({"web/login.py": "x = 8\n"}, "Set x too", author=ALEX, when=LAST_NIGHT)
    alex.git("push", "--quiet")
    pull_in(NOW - 600, morning)
    assert "which you changed lately" in morning.texts("touched:")[0]
    alex.commit({"queue/retry.py": "a = 9\n"}, "Set a", author=ALEX, when=LAST_NIGHT + 9)
    alex.git("push", "--quiet")
    pull_in(NOW - 500, morning)
    (text,) = morning.texts("touched:")
    assert "where you have uncommitted work" in text
    assert morning.texts("main:") == ["Alex Roe set x too on origin/main"]


def test_people_with_one_commit_each_are_told_in_one_line(morning: Morning) -> None:
    _, alex = morning.shared()
    alex.commit({"a.py": "1\n"}, "Fix the form", author=ALEX, when=LAST_NIGHT)
    alex.commit({"b.py": "1\n"}, "Add a thing", author="Kim Poe <k@p>", when=LAST_NIGHT + 9)
    alex.git("push", "--quiet")
    pull_in(NOW - 600, morning)
    (text,) = morning.texts("main:")
    assert text == "Kim Poe added a thing and Alex Roe fixed the form on origin/main"
    alex.commit({"c.py": "1\n"}, "Better forms", author="Jo Loe <j@l>", when=LAST_NIGHT + 10)
    alex.git("push", "--quiet")
    pull_in(NOW - 500, morning)
    (text,) = morning.texts("main:")
    assert text.startswith("on origin/main “Better forms” by Jo Loe, “Add a thing” by Kim Poe and")


def test_new_commits_on_main_are_told_by_who_and_what(morning: Morning) -> None:
    _, alex = morning.shared()
    alex.commit({"web/login.py": "x = 2\n"}, "Fix the login form", author=ALEX, when=LAST_NIGHT)
    alex.commit({"docs/a.md": "x\n"}, "Document logins", author=ALEX, when=LAST_NIGHT + 60)
    alex.git("push", "--quiet")
    pull_in(NOW - 600, morning)
    (text,) = morning.texts("main:")
    assert text.startswith("Alex Roe ")
    assert "fixed the login form" in text
    assert "documented logins" in text
    assert "(2 commits, mostly in docs/)" in text


def test_what_was_fetched_before_is_no_news(morning: Morning) -> None:
    _, alex = morning.shared()
    alex.commit({"web/login.py": "x = 2\n"}, "Fix the login", author=ALEX, when=NOW - 5 * 86_400)
    alex.git("push", "--quiet")
    pull_in(NOW - 4 * 86_400, morning)
    assert morning.facts("main:") == []


def test_old_commits_that_were_merged_overnight_are_news(morning: Morning) -> None:
    _, alex = morning.shared()
    alex.commit({"web/login.py": "x = 2\n"}, "Fix the login", author=ALEX, when=NOW - 5 * 86_400)
    alex.git("push", "--quiet")
    pull_in(NOW - 600, morning)
    assert morning.texts("main:") == ["Alex Roe fixed the login on origin/main"]


def test_a_file_that_a_branch_changes_too_asks_for_a_rebase(morning: Morning) -> None:
    sam, alex = morning.shared()
    sam.commit({"queue/retry.py": "a = 4\n"}, "Add backoff", branch="retry", when=YESTERDAY)
    sam.switch("main")
    alex.commit({"queue/retry.py": "a = 9\n"}, "Handle skew", author=ALEX, when=LAST_NIGHT)
    alex.git("push", "--quiet")
    pull_in(NOW - 600, morning)
    (fact,) = morning.facts("touched:")
    assert "which retry changes too" in fact.text
    assert first_text(morning).startswith(
        "rebase retry before you go on: Alex Roe changed queue/retry.py"
    )


def test_a_force_push_of_main_is_told(morning: Morning) -> None:
    _, alex = morning.shared()
    old = alex.commit({"a.py": "1\n"}, "Add a", author=ALEX, when=NOW - 5 * 86_400)
    alex.git("push", "--quiet")
    pull_in(NOW - 4 * 86_400, morning)
    new = alex.commit({"a.py": "2\n"}, "Add a better", author=ALEX, when=LAST_NIGHT, amend=True)
    alex.git("push", "--quiet", "--force")
    pull_in(NOW - 600, morning)
    assert morning.texts("forced:") == [
        f"origin/main was force-pushed: {old[:7]} gave way to {new[:7]}"
    ]


def test_a_new_branch_of_others_is_told_if_it_touches_ones_files(morning: Morning) -> None:
    sam, alex = morning.shared()
    edit(sam, "queue/retry.py", "a = 2\n")
    alex.commit({"docs/x.md": "1\n"}, "Write x", branch="docs", author=ALEX, when=LAST_NIGHT)
    alex.git("push", "--quiet", "origin", "docs")
    alex.switch("main")
    alex.commit({"queue/retry.py": "7\n"}, "Try y", branch="try", author=ALEX, when=LAST_NIGHT)
    alex.git("push", "--quiet", "origin", "try")
    pull_in(NOW - 600, morning)
    assert morning.texts("branch:") == [
        "Alex Roe works on origin/try, which changes queue/retry.py too: “Try y”"
    ]


# Bounds


def test_several_repositories_are_told_apart_and_one_that_fails_is_named(morning: Morning) -> None:
    for name in ("shop", "site"):
        builder = morning.add(name)
        builder.commit({"a.py": "1\n"}, "Begin", when=LONG_AGO)
        edit(builder, "a.py", "2\n")
    scope = morning.scope()
    (morning.builders[1].path / ".git/HEAD").unlink()
    from hermes.agents.brief.sources import gather

    found = gather(scope)
    assert [f.text for f in found.facts if f.key.startswith("uncommitted:")] == [
        "shop: uncommitted work on main in a.py; last touched yesterday at 15:42"
    ]
    (said,) = found.unreadable
    assert said.startswith("site: ")


def test_a_repository_that_hangs_does_not_keep_the_brief(
    morning: Morning, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("hanging", "shop"):
        builder = morning.add(name)
        builder.commit({"a.py": "1\n"}, "Begin", when=LONG_AGO)
        edit(builder, "a.py", "2\n")
    released = threading.Event()
    real = refs.read_refs

    def read_refs(git: Git) -> object:
        if git.common_dir.parent.name == "hanging":
            released.wait(30)
        return real(git)

    monkeypatch.setattr(looking, "read_refs", read_refs)
    monkeypatch.setattr(looking, "REPOSITORY_SECONDS", 1.5)
    began = time.monotonic()
    found = morning.found()
    assert time.monotonic() - began < 15
    assert found.unreadable == ("hanging: it did not answer within 1.5 s",)
    assert any(fact.key == "uncommitted:shop:main" for fact in found.facts)
    assert morning.found().unreadable == ("hanging: it still does not answer",)
    released.set()


def test_calls_that_fail_or_hang_leave_the_others_alone() -> None:
    released = threading.Event()

    def fails() -> int:
        raise OSError("no such disk")

    calls = {"a": lambda: 1, "hangs": lambda: int(released.wait(30)), "b": fails, "c": lambda: 3}
    found = bounded(calls, 0.3, at_once=1)
    released.set()
    assert list(found) == ["a", "hangs", "b", "c"]
    assert (found["a"], found["c"]) == (1, 3)
    assert isinstance(found["b"], Failure)
    assert found["b"].reason == "no such disk"
    assert isinstance(found["hangs"], Failure)
    until = time.monotonic() + 10
    while (again := bounded({"hangs": lambda: 2}, 5)) != {"hangs": 2}:
        assert time.monotonic() < until, again


def test_a_bare_repository_and_one_without_commits_are_fine(
    morning: Morning, tmp_path: Path
) -> None:
    from hermes.tests.builders.git import RepoBuilder

    morning.add("empty")
    morning.builders.append(RepoBuilder(tmp_path / "bare.git", bare=True))
    found = morning.found()
    assert (found.facts, found.unreadable) == ((), ())


def test_what_attention_holds_is_among_the_facts(morning: Morning) -> None:
    morning.shared()
    held = Fact(
        "attention:incident:1", Section.HERMES, "x failed", topic="incident", move="see why x"
    )
    found = morning.found(held=[held])
    assert held in found.facts
    assert [f.text for f in found.facts if f.section is Section.FIRST_MOVE] == ["see why x"]
