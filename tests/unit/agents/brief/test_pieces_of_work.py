"""Commits as pieces of work: counted once, put together, told in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hermes.agents.brief.finished import of_one, sentence
from hermes.agents.brief.grouping import group
from hermes.agents.brief.look import Branch, Done, File, Look
from hermes.agents.brief.once import count_once
from hermes.agents.brief.pulls import Pull, pull_of, pulls_of
from hermes.agents.brief.records import Person
from hermes.agents.brief.wording import (
    USUAL,
    clause_of,
    cut,
    files_within,
    listed,
    says_little,
    with_title,
)
from hermes.ingest.git.tickets import tickets
from hermes.memory.records import Repo

SAM = "sam@example.com"
SHOP = Repo("r1", "shop", "/shop/.git", "/shop", None, 0)
ME = Person(frozenset({"Sam Doe"}), frozenset({SAM}))


class Story:
    """Makes commits, an hour apart."""

    def __init__(self) -> None:
        self.made: list[Done] = []

    def add(
        self,
        subject: str,
        *paths: str,
        body: str = "",
        email: str = SAM,
        at: int | None = None,
        parents: tuple[str, ...] = (),
        size: tuple[int, int] = (10, 2),
    ) -> Done:
        number = len(self.made) + 1
        done = Done(
            sha=f"{number:07x}" + "0" * 33,
            parents=parents,
            author=email.partition("@")[0],
            email=email,
            at=number * 3600 if at is None else at,
            committed=number * 3600,
            subject=subject,
            body=body,
            files=tuple(File(path, *size) for path in paths),
            tickets=tickets(f"{subject}\n\n{body}"),
        )
        self.made.append(done)
        return done

    @property
    def newest_first(self) -> list[Done]:
        return self.made[::-1]


def subjects(commits: Sequence[Done]) -> list[str]:
    return [done.subject for done in commits]


def sentences(story: Story, branches: Sequence[Branch] = ()) -> list[str]:
    once = count_once(story.newest_first)
    return [sentence(each) for each in group(once.commits, {}, branches)]


def test_a_commit_that_was_rebased_or_picked_counts_once() -> None:
    story = Story()
    story.add("Add retries", "queue.py", at=100)
    story.add("Add retries", "queue.py", at=100)
    story.add("Add retries", "queue.py", at=200)
    assert len(count_once(story.newest_first).commits) == 2


def test_what_was_squashed_counts_as_the_one_that_was_merged() -> None:
    story = Story()
    story.add("Try a backoff", "queue/retry.py")
    story.add("Make it exponential", "queue/retry.py")
    story.add(
        "Retry with backoff (#482)",
        "queue/retry.py",
        body="* Try a backoff\n\n* Make it exponential",
    )
    assert subjects(count_once(story.newest_first).commits) == ["Retry with backoff (#482)"]


def test_that_two_things_were_done_in_the_same_way_does_not_make_them_one() -> None:
    story = Story()
    for subject, path in (("Lay out the council", "council.py"), ("Lay out the brief", "brief.py")):
        story.add(subject, path)
    assert len(group(story.made[::-1], {}, ())) == 2


def test_the_squash_of_another_person_takes_nothing_away() -> None:
    story = Story()
    story.add("Add x", "a.py")
    story.add("Add x (#4)", "a.py", email="alex@example.org")
    assert len(count_once(story.newest_first).commits) == 2


def test_what_was_taken_back_is_no_work_that_is_finished() -> None:
    story = Story()
    story.add("Add a cache", "cache.py")
    story.add('Revert "Add a cache"', "cache.py")
    story.add("Fix a typo in the guide", "docs/guide.md")
    once = count_once(story.newest_first)
    assert subjects(once.commits) == ["Fix a typo in the guide"]
    assert [(one.subject, other.subject) for one, other in once.back] == [
        ("Add a cache", 'Revert "Add a cache"')
    ]


@pytest.mark.parametrize("again", ['Reapply "Add a cache"', 'Revert "Revert "Add a cache""'])
def test_what_was_put_back_again_is(again: str) -> None:
    story = Story()
    story.add("Add a cache", "cache.py")
    story.add('Revert "Add a cache"', "cache.py")
    story.add(again, "cache.py")
    once = count_once(story.newest_first)
    assert subjects(once.commits) == ["Add a cache"]
    assert once.back == ()


def test_the_revert_of_something_older_is_work() -> None:
    story = Story()
    story.add('Revert "Add a cache"', "cache.py", body="This reverts commit 1234567890.")
    assert subjects(count_once(story.newest_first).commits) == ['Revert "Add a cache"']


def test_fixups_belong_to_what_they_fix_and_merges_are_no_work() -> None:
    story = Story()
    story.add("Add the retry queue", "queue.py")
    story.add("fixup! Add the retry queue", "helpers.py")
    story.add("squash! fixup! Add the retry queue", "queue.py")
    story.add("Merge branch 'main' into x", parents=("1" * 40, "2" * 40))
    assert sentences(story) == [
        "added the retry queue in queue.py and helpers.py: 3 commits, +30 −6"
    ]


def test_a_ticket_holds_commits_together() -> None:
    story = Story()
    story.add("ENG-17: Add a retry queue", "queue/retry.py", size=(200, 30))
    story.add("Write about queues\n\nENG-17", "docs/queues.md")
    story.add("ENG-18: Fix the login form", "web/login.py")
    assert sentences(story) == [
        "fixed the login form in web/login.py: +10 −2",
        "added a retry queue in queue/retry.py: 2 commits, +210 −32",
    ]


def test_work_on_one_file_is_one_piece() -> None:
    story = Story()
    story.add("Add retry backoff", "queue/retry.py", "tests/test_retry.py", size=(60, 4))
    story.add("Handle clock skew", "queue/retry.py", size=(9, 0))
    story.add("Fix a link", "docs/guide.md")
    assert sentences(story) == [
        "fixed a link in docs/guide.md: +10 −2",
        "added retry backoff in queue/retry.py: 2 commits, +129 −8",
    ]


def test_a_changelog_ties_nothing_together() -> None:
    story = Story()
    story.add("Add retries", "queue.py", "CHANGELOG.md")
    story.add("Fix the login form", "login.py", "CHANGELOG.md")
    assert len(sentences(story)) == 2


def test_a_scope_holds_commits_together_and_a_kind_does_not() -> None:
    story = Story()
    story.add("feat(queue): add a dead letter box", "queue/dead.py")
    story.add("fix(queue): keep order", "queue/order.py")
    story.add("fix: do not crash on empty input", "cli.py")
    story.add("fix: close the file", "files.py")
    assert len(sentences(story)) == 3


def test_words_that_are_shared_hold_commits_together() -> None:
    story = Story()
    story.add("Add retry backoff for webhooks", "a/x.py")
    story.add("Document retry backoff for webhooks", "docs/y.md")
    story.add("Add a page about billing", "docs/z.md")
    assert len(sentences(story)) == 2


def test_two_people_have_two_pieces_of_work_in_one_file() -> None:
    story = Story()
    story.add("Add retries", "queue.py")
    story.add("Fix ordering", "queue.py", email="alex@example.org")
    assert len(sentences(story)) == 2


def test_a_branch_is_one_piece_of_work_with_its_ticket() -> None:
    story = Story()
    one = story.add("wip", "queue/retry.py")
    two = story.add("Handle skew", "clock.py")
    branch = Branch("eng-17-retries", two.sha, "", False, 2, 0, (two, one))
    (found,) = group(count_once(story.newest_first).commits, {}, [branch])
    assert (found.branch, found.tickets, len(found.commits)) == ("eng-17-retries", ("ENG-17",), 2)
    assert sentence(found).startswith("handled skew in clock.py and queue/retry.py: 2 commits")


def test_work_without_a_telling_subject_is_told_by_its_file() -> None:
    story = Story()
    story.add("wip", "queue/retry.py")
    story.add("fix", "queue/retry.py")
    assert sentences(story) == ["worked on queue/retry.py: 2 commits, +20 −4"]


def test_a_merge_tells_which_pull_request_brought_what() -> None:
    story = Story()
    base = story.add("Base", "a.py")
    one = story.add("Add backoff", "queue.py", parents=(base.sha,))
    two = story.add("Add jitter", "queue.py", parents=(one.sha,))
    merge = story.add(
        "Merge pull request #482 from sam/retry",
        body="Retries for payments",
        parents=(base.sha, two.sha),
    )
    later = story.add("Fix the login form", "login.py", parents=(merge.sha,))
    graph = {done.sha: done.parents for done in story.made}
    pulls = pulls_of([merge], graph, (later.sha,))
    assert {sha: pull.key for sha, pull in pulls.items()} == {
        merge.sha: "#482",
        one.sha: "#482",
        two.sha: "#482",
    }
    groups = group(count_once(story.newest_first).commits, pulls, ())
    assert [(each.pull.key if each.pull else "", len(each.commits)) for each in groups] == [
        ("", 1),
        ("#482", 2),
        ("", 1),
    ]


@pytest.mark.parametrize(
    ("subject", "body", "found"),
    [
        ("Merge pull request #4 from a/b", "Add x\n\nmore", ("#4", "Add x")),
        ("Merged in feature/x (pull request #7)", "", ("#7", "")),
        ("Merge branch 'x' into 'main'", "Add x\n\nSee merge request a/b!12", ("!12", "Add x")),
        ("Merge branch 'main' into x", "", None),
        ("Merge branch 'x' into 'main'", "", None),
        ("Add x (#4)", "", None),
    ],
)
def test_merges_are_read_as_hosts_write_them(
    subject: str, body: str, found: tuple[str, str] | None
) -> None:
    pull = pull_of(Story().add(subject, body=body, parents=("1", "2")))
    assert (None if pull is None else (pull.key, pull.title)) == found


def _look(story: Story, **fields: object) -> Look:
    return Look(SHOP, own=tuple(story.newest_first), **fields)  # type: ignore[arg-type]


def test_a_fact_has_the_pull_request_the_ticket_and_the_commits_as_references() -> None:
    story = Story()
    story.add("Retry with backoff (#482)", "queue/retry.py", body="Closes ENG-17", size=(210, 34))
    (fact,) = of_one(_look(story), ME)
    assert fact.text == "finished “Retry with backoff” in queue/retry.py: +210 −34"
    assert [(ref.kind, ref.text) for ref in fact.references] == [
        ("pull", "#482"),
        ("ticket", "ENG-17"),
        ("commit", "0000001"),
        ("path", "queue/retry.py"),
    ]
    assert fact.topic == "theme:retry"


def test_the_same_work_has_the_same_key_and_another_state_when_it_goes_on() -> None:
    story = Story()
    story.add("ENG-17 Add retries", "queue.py")
    (before,) = of_one(_look(story), ME)
    story.add("ENG-17 Add backoff", "queue.py")
    (after,) = of_one(_look(story), ME)
    assert before.key == after.key
    assert before.digest != after.digest


def test_many_small_things_are_told_together() -> None:
    story = Story()
    for number, word in enumerate(
        [
            "oak",
            "elm",
            "ash",
            "yew",
            "fir",
            "pine",
            "larch",
            "birch",
            "maple",
            "cedar",
            "alder",
            "rowan",
        ]
    ):
        story.add(f"Document {word}", f"docs/p{number}/x.md", size=(1, 1))
    facts = of_one(_look(story), ME)
    assert len(facts) == 6
    assert facts[-1].text == "made 7 smaller changes in docs/p6, docs/p5 and 5 more"


def test_pull_requests_of_others_that_were_merged_are_told() -> None:
    story = Story()
    merge = story.add(
        "Merge pull request #9 from alex/login", body="Fix the login form", parents=("1", "2")
    )
    (fact,) = of_one(_look(story, merges=(merge,)), ME)
    assert fact.text == "merged another's pull request: “Fix the login form”"


@pytest.mark.parametrize(
    ("subject", "clause"),
    [
        ("Add retry backoff (#482)", "added retry backoff"),
        ("feat(queue): add jitter, refs #12", "added jitter"),
        ("Switched default to Luna, closes #1576", "switched default to Luna"),
        ("Use monotonic time (#3)", "“Use monotonic time”"),
        ("GPT-5 model family, refs #3, #4", "“GPT-5 model family”"),
        ("#12", "“#12”"),
        ("Version 0.42.0 (#2786)", "released 0.42.0"),
        ("v2.1rc1", "released 2.1rc1"),
        ("chore: release 1.4", "released 1.4"),
        ("3.0.0-beta.2", "released 3.0.0-beta.2"),
        ("Bump version to 0.9.1", "released 0.9.1"),
        ("Version 2 of the parser", "“Version 2 of the parser”"),
        ("Bump httpx to 0.28.1", "bumped httpx to 0.28.1"),
        ("Support Python 3.14", "added support for Python 3.14"),
    ],
)
def test_subjects_become_clauses_without_the_numbers_behind(subject: str, clause: str) -> None:
    assert clause_of(subject) == clause


@pytest.mark.parametrize(
    "subject", ["wip", "WIP: queue", "fix", "Fixes", "typo", "...", "Black", "cleanup", "tmp 2"]
)
def test_subjects_that_say_nothing_are_known(subject: str) -> None:
    assert says_little(subject)


@pytest.mark.parametrize("subject", ["Fix clock skew", "Update the guide", "Black list hosts"])
def test_subjects_that_say_something_are_not(subject: str) -> None:
    assert not says_little(subject)


def test_long_text_is_cut_between_words_and_quotes_are_closed() -> None:
    assert cut("one two three four", 12) == "one two…"
    assert cut("said “one two three four five”", 20) == "said “one two…”"
    assert len(cut("x" * 500, 200)) <= 200


def test_lists_are_short() -> None:
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(list("abcde")) == "a, b and 3 more"


def test_no_sentence_is_longer_than_a_fact_may_be() -> None:
    story = Story()
    story.add("Add " + "very " * 80 + "long things", "a/" * 60 + "x.py")
    (found,) = group(count_once(story.newest_first).commits, {"x": Pull("#1", "")}, ())
    assert len(sentence(found)) <= 200


def test_titles_that_are_no_clauses_are_told_in_one_line() -> None:
    story = Story()
    story.add("Retries for payments", "queue/retry.py")
    alone = of_one(_look(story), ME)
    assert [fact.text for fact in alone] == [
        "finished “Retries for payments” in queue/retry.py: +10 −2"
    ]
    story.add("A better login", "web/login.py")
    story.add("Add a cache", "cache.py")
    assert sorted(fact.text for fact in of_one(_look(story), ME)) == [
        "added a cache in cache.py: +10 −2",
        "finished “A better login” and “Retries for payments”",
    ]
    for title in ("Slower clocks, of all the sorts that there are", "Bigger numbers everywhere"):
        story.add(title, f"{len(title)}/x.py", size=(90, 9))
    (many,) = [f for f in of_one(_look(story), ME) if f.key.endswith(":titles")]
    assert len(many.text) <= USUAL
    assert many.text.endswith("more")
    assert len(many.details) == 4


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (["queue/retry.py"], "queue/retry.py"),
        (["queue/retry.py", "queue/send.py"], "queue/retry.py and send.py"),
        (["queue/retry.py", "web/retry.py"], "queue/retry.py and web/retry.py"),
        (["a.py", "b.py", "c.py"], "a.py, b.py and c.py"),
        (["a.py", "b.py", "c.py", "d.py", "e.py"], "a.py, b.py, c.py and 2 more"),
        (["a/" * 25 + "x.py", "b/" * 25 + "y.py"], "a/" * 25 + "x.py and 1 more"),
        (["a/" * 50 + "x.py"], "a/" * 50 + "x.py"),
    ],
)
def test_as_many_files_are_named_as_have_room(paths: list[str], said: str) -> None:
    assert files_within(paths) == said


def test_a_title_is_left_out_where_only_its_beginning_had_room() -> None:
    assert with_title("Alex changed a.py", "Handle skew") == "Alex changed a.py: “Handle skew”"
    long = with_title("x" * 80, "Handle the skew of all the clocks in the network")
    assert len(long) <= USUAL and long.endswith("…”")
    assert with_title("x" * 100, "Handle skew of clocks") == "x" * 100


def test_work_on_a_branch_that_is_told_of_as_half_done_is_not_finished_too() -> None:
    story = Story()
    done = story.add("Add retries", "queue.py")
    story.add("Add a cache", "cache.py")

    def finished(branch: Branch) -> list[str]:
        look = replace(_look(story), branches=(branch,))
        return sorted(fact.text for fact in of_one(look, ME))

    half = Branch("retries", done.sha, "", False, 1, 0, (done,))
    assert finished(half) == ["added a cache in cache.py: +10 −2"]
    for other in (replace(half, ahead=0), replace(half, name="main")):  # pushed; the main branch
        assert len(finished(other)) == 2
