from __future__ import annotations

import pytest

from hermes.ingest.sources.github.accounts import Account, by_logins, mentioned, with_names
from hermes.ingest.sources.github.bundle import Bundle, Place
from hermes.ingest.sources.github.history import checks_of
from hermes.ingest.sources.github.links import closed_by
from hermes.ingest.sources.github.pulls import pull_item
from hermes.ingest.sources.github.talk import line_of
from hermes.memory.records import Item, ItemChange, ItemKind, Link, LinkKind
from hermes.tests.builders import github as gh

PLACE = Place("acme/shop", repo="r1")
PEOPLE = by_logins(
    {"kimnoor": ("Kim Noor", "kim@acme.example"), "sam-ito": ("Sam Ito", "sam@acme.example")}
)
LATER = gh.BEGUN + 7_200


def item(bundle: Bundle) -> Item:
    return pull_item(bundle, PLACE, PEOPLE)


def whole() -> Bundle:
    """Return a pull request that was reviewed, changed and merged in one commit."""
    bundle = Bundle(
        gh.pull(
            482,
            "Limit requests by Redis",
            "Replaces the counters in memory. @kimnoor please look.\r\n\r\nCloses #17\n"
            "<!-- what was tested? -->",
            merged=LATER,
            labels=["payments"],
            assignees=[gh.SAM],
            remarks=2,
        )
    )
    bundle.take_timeline(
        [
            gh.committed(gh.HEAD, "Limit by Redis"),
            gh.event("assigned", gh.BEGUN + 60, assignee=gh.SAM),
            gh.event("review_requested", gh.BEGUN + 90, requested_reviewer=gh.KIM),
            gh.commented(gh.comment(482, "Why not Memcached?")),
            gh.commented(gh.comment(482, "Coverage 81 %", by=gh.BOT, when=gh.BEGUN + 610)),
            gh.reviewed(gh.review(482, "CHANGES_REQUESTED", "One thing below.")),
            gh.reviewed(gh.review(482, "APPROVED", None, when=gh.BEGUN + 3_600)),
            gh.event("merged", LATER, commit_id=gh.MERGE),
            gh.event("closed", LATER + 1),
        ]
    )
    first = gh.remark(482, "The script is registered for each request.")
    answer = gh.remark(482, "Moved.", by=gh.SAM, when=gh.BEGUN + 1_150, reply_to=first["id"])
    bundle.remarks += [answer, first]
    return bundle


TEXT = """\
Replaces the counters in memory. @Kim Noor please look.

Closes #17

Labels: payments

Kim Noor (12 March 2026 10:10): Why not Memcached?

Kim Noor (12 March 2026 10:18, shop/limiter.py:39): The script is registered for each request.
             self.window = settings.window
    +        self.client = Redis.from_url(settings.redis_url)
    +        self.script = self.client.register_script(TAKE)

Sam Ito (12 March 2026 10:19, shop/limiter.py:39): Moved.

Kim Noor (12 March 2026 10:20, asked for changes): One thing below.

Kim Noor (12 March 2026 11:00): approved."""


def test_a_pull_request_reads_as_its_discussion_did() -> None:
    assert item(whole()).text == TEXT


def test_a_pull_request_tells_who_when_and_what_became_of_it() -> None:
    found = item(whole())

    assert (found.kind, found.ref, found.key) == (ItemKind.PULL, "github:acme/shop#482", "#482")
    assert (found.repo, found.url) == ("r1", "https://github.com/acme/shop/pull/482")
    assert (found.author, found.email) == ("Sam Ito", "sam@acme.example")
    assert (found.state, found.closed, found.assignee) == ("merged", LATER, "Sam Ito")
    assert found.people == (("Sam Ito", "sam@acme.example"), ("Kim Noor", "kim@acme.example"))
    assert found.changes == (
        ItemChange(gh.BEGUN, "state", "open"),
        ItemChange(gh.BEGUN + 60, "assignee", "Sam Ito"),
        ItemChange(gh.BEGUN + 90, "reviewer", "Kim Noor"),
        ItemChange(gh.BEGUN + 1_200, "review", "changes requested by Kim Noor"),
        ItemChange(gh.BEGUN + 3_600, "review", "approved by Kim Noor"),
        ItemChange(LATER, "state", "merged"),
    )


def test_a_review_that_is_not_asked_for_any_more_is_not_told() -> None:
    events = [
        gh.event("review_requested", gh.BEGUN + 60, requested_reviewer=gh.KIM),
        gh.event("review_requested", gh.BEGUN + 70, requested_team={"name": "Payments"}),
        gh.event("review_request_removed", gh.BEGUN + 80, requested_reviewer=gh.KIM),
    ]
    found = item(Bundle(gh.pull(1, reviewers=[gh.ALEX]), events=[*events]))

    asked = [(each.at, each.value) for each in found.changes if each.field == "reviewer"]
    assert asked == [(gh.BEGUN, "alexroe"), (gh.BEGUN + 70, "Payments")]
    assert ("alexroe", "") in found.people


def test_a_pull_request_leads_to_its_merge_commits_branch_issues_and_files() -> None:
    assert item(whole()).links == (
        Link(LinkKind.MERGED_AS, gh.MERGE),
        Link(LinkKind.COMMIT, gh.HEAD),
        Link(LinkKind.BRANCH, "rate-limit"),
        Link(LinkKind.ITEM, "github:acme/shop#17"),
        Link(LinkKind.PATH, "shop/limiter.py"),
    )


def test_the_merge_that_was_only_tried_is_no_merge() -> None:
    links = item(Bundle(gh.pull(482))).links

    assert [link.kind for link in links] == [LinkKind.COMMIT, LinkKind.BRANCH]


@pytest.mark.parametrize(
    ("events", "pull", "steps"),
    [
        ([], gh.pull(1, draft=True), ["draft"]),
        ([], gh.pull(1, closed=LATER), ["open", "closed"]),
        ([gh.event("ready_for_review", gh.BEGUN + 60)], gh.pull(1), ["draft", "open"]),
        ([gh.event("convert_to_draft", gh.BEGUN + 60)], gh.pull(1, draft=True), ["open", "draft"]),
        (
            [gh.event("closed", gh.BEGUN + 60), gh.event("reopened", gh.BEGUN + 120)],
            gh.pull(1, merged=LATER),
            ["open", "closed", "open", "merged"],
        ),
    ],
)
def test_the_states_of_a_pull_request_are_told_in_order(
    events: list[gh.Json], pull: gh.Json, steps: list[str]
) -> None:
    found = item(Bundle(pull, events=[*events]))

    assert [change.value for change in found.changes if change.field == "state"] == steps
    assert found.state == steps[-1]


@pytest.mark.parametrize(
    ("checks", "value"),
    [
        ([gh.check_run("tests"), gh.status("deploy/preview")], "passed"),
        ([gh.check_run("tests"), gh.check_run("lint", None)], "running"),
        (
            [
                gh.check_run("tests", "failure"),
                gh.check_run("lint", None),
                gh.status("e2e", "error"),
            ],
            "failed: e2e, tests",
        ),
        (
            [gh.check_run("tests", "failure"), gh.check_run("tests", when=gh.BEGUN + 1_000)],
            "passed",
        ),
        ([gh.check_run("docs", "skipped"), gh.check_run("audit", "neutral")], "passed"),
        ([gh.check_run(f"job {n}", "failure") for n in range(1, 8)], None),
    ],
)
def test_checks_are_told_in_a_few_words(checks: list[gh.Json], value: str | None) -> None:
    expected = value or "failed: job 1, job 2, job 3, job 4, job 5 and 2 more"

    assert [each.value for each in checks_of(Bundle(gh.pull(1), checks=[*checks]))] == [expected]


@pytest.mark.parametrize(
    ("remark", "where"),
    [
        (gh.remark(1, "x"), "shop/limiter.py:39"),
        (gh.remark(1, "x", start=36), "shop/limiter.py:36-39"),
        (gh.remark(1, "x", line=None, original=12), "shop/limiter.py:12"),
        (gh.remark(1, "x", line=None, original=None), "shop/limiter.py"),
        ({"body": "x"}, ""),
    ],
)
def test_a_remark_is_told_with_its_place(remark: gh.Json, where: str) -> None:
    assert line_of(remark) == where


@pytest.mark.parametrize(
    ("said", "refs"),
    [
        ("Closes #17 and fixes acme/infra#3.", ["acme/shop#17", "acme/infra#3"]),
        ("fix: #4, resolves https://github.com/acme/shop/issues/9", ["acme/shop#4", "acme/shop#9"]),
        ("FIXES ACME/SHOP#5, fixed GH-6", ["acme/shop#5", "acme/shop#6"]),
        ("see #17; prefix #4; `closes #5`", []),
        ("closes #12abc, closes # 7, closes #0", []),
    ],
)
def test_the_words_that_close_an_issue_are_read_as_github_reads_them(
    said: str, refs: list[str]
) -> None:
    assert closed_by(said, PLACE) == [f"github:{ref}" for ref in refs]


@pytest.mark.parametrize(
    ("said", "logins"),
    [
        ("@kimnoor, @sam-ito: look", ["kimnoor", "sam-ito"]),
        ("(@kimnoor) and @kimnoor again", ["kimnoor"]),
        ("@kim_acme is managed by the company", ["kim_acme"]),
        ("kim@acme.example, https://x.example/@kim, @acme/payments", []),
        ("`@fixture` and\n```py\n@app.route\n```\n", []),
        ("@pytest.fixture", []),
    ],
)
def test_only_people_are_mentions(said: str, logins: list[str]) -> None:
    assert mentioned(said) == logins


def test_code_keeps_its_names_where_mentions_get_theirs() -> None:
    said = "@kimnoor wrote `@kimnoor` @Nobody"

    assert with_names(said, PEOPLE) == "@Kim Noor wrote `@kimnoor` @Nobody"


@pytest.mark.parametrize(
    "login", ["renovate[bot]", "app/dependabot", "acme-bot", "k8s-robot", "codecov-commenter"]
)
def test_what_programs_say_is_left_out(login: str) -> None:
    bundle = Bundle(gh.pull(1), comments=[gh.comment(1, "I am a robot", by=gh.user(login))])

    assert "robot" not in item(bundle).text


def test_people_whose_names_end_like_a_program_s_are_heard() -> None:
    bundle = Bundle(gh.pull(1), comments=[gh.comment(1, "I am not", by=gh.user("abbot"))])

    assert "abbot (12 March 2026 10:10): I am not" in item(bundle).text


def test_what_a_deleted_account_said_stays_and_is_nobody_s() -> None:
    bundle = Bundle(gh.pull(1, by=None), comments=[gh.comment(1, "It leaks", by=None)])

    found = item(bundle)

    assert found.text == "somebody (12 March 2026 10:10): It leaks"
    assert (found.author, found.people) == ("", ())


def test_a_review_that_was_not_handed_in_is_not_told() -> None:
    bundle = Bundle(gh.pull(1), reviews=[gh.review(1, "PENDING", "hm", when=None)])

    assert item(bundle).text == ""


def test_a_pull_request_of_which_nothing_is_known_is_still_one() -> None:
    found = item(Bundle({"number": 3, "merged_at": "soon", "user": "kim", "labels": None}))

    assert (found.key, found.title, found.state, found.text) == ("#3", "#3", "open", "")


def test_a_body_without_end_is_cut() -> None:
    assert len(item(Bundle(gh.pull(1, body="x" * 1_000_000))).text) <= 70_000


def test_a_name_is_as_commits_have_it_else_as_the_record_has_it() -> None:
    assert PEOPLE(Account("KimNoor")) == ("Kim Noor", "kim@acme.example")
    assert PEOPLE(Account("zed", "Zed Abe")) == ("Zed Abe", "")
    assert PEOPLE(Account("zed")) == ("zed", "")
