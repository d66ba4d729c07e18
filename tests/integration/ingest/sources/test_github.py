from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.ingest.sources.contract import Page, SourceAway, SourceBroken, SourceRefused
from hermes.ingest.sources.github.source import GROUP, SWEEP_SECONDS, GitHub
from hermes.memory.errors import HermesError
from hermes.memory.records import ItemChange, Repo
from hermes.tests.builders import github as gh
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.servers.github import Fault, GitHubServer

LATER = gh.BEGUN + 7_200
PAUSES = (0.01, 0.01)


def never() -> bool:
    return False


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with GitHubServer() as running:
        running.committers = {
            "kimnoor": ("Kim Noor", "kim@acme.example"),
            "sam-ito": ("Sam Ito", "sam@acme.example"),
        }
        yield running


def source(
    server: GitHubServer,
    *,
    name: str = gh.NAME,
    token: str | None = "ghp_secret",
    repos: tuple[Repo, ...] = (),
) -> GitHub:
    return GitHub(name, token, repos, url=server.url, pauses=PAUSES)


def sync(server: GitHubServer, cursor: str = "") -> tuple[list[Page], str]:
    """Return the pages of a sync and the cursor after it."""
    pages = list(source(server).fetch(cursor, never))
    cursors = [page.cursor for page in pages if page.cursor is not None]
    return pages, cursors[-1] if cursors else cursor


def keys(pages: list[Page]) -> list[str]:
    return [item.key for page in pages for item in page.items]


def gone(pages: list[Page]) -> list[str]:
    return [ref for page in pages for ref in page.gone]


def fill(server: GitHubServer, count: int) -> None:
    for number in range(1, count + 1):
        server.open_issue(number, opened=gh.BEGUN + number, association="NONE")


def test_a_first_sync_brings_all_with_names_as_git_has_them(server: GitHubServer) -> None:
    server.open_issue(17, "Requests pile up", "Since the last deploy.")
    server.open_pull(482, "Limit requests by Redis", "Closes #17", merged=LATER)
    server.say(482, "Why not Memcached?", LATER + 60)
    server.remark(482, "For each request?", LATER + 120, by=gh.KIM)
    server.things[482].timeline.append(gh.reviewed(gh.review(482, "APPROVED")))

    pages, _ = sync(server)
    issue, pull = [item for page in pages for item in page.items]

    assert (issue.ref, issue.text) == ("github:acme/shop#17", "Since the last deploy.")
    assert (issue.author, issue.email) == ("Sam Ito", "sam@acme.example")
    assert (pull.state, pull.changed) == ("merged", LATER + 120)
    assert "Kim Noor (12 March 2026 12:01): Why not Memcached?" in pull.text
    assert "shop/limiter.py:39): For each request?" in pull.text
    assert (pages[0].done, pages[0].total) == (2, 482)


def test_a_second_sync_asks_nothing_of_what_did_not_change(server: GitHubServer) -> None:
    fill(server, 3)
    _, cursor = sync(server)
    _, cursor = sync(server, cursor)
    asked, left = len(server.requests), server.left
    pages, _ = sync(server, cursor)

    assert keys(pages) == []
    assert server.asked()[asked:] == ["/", "/issues", "/issues/comments", "/pulls/comments"]
    assert server.left == left - 3  # the list itself was answered by 304, which costs nothing


def test_only_what_changed_is_fetched_again(server: GitHubServer) -> None:
    fill(server, 30)
    _, cursor = sync(server)
    asked = len(server.requests)
    server.say(7, "It is the pool.", LATER)
    pages, _ = sync(server, cursor)

    assert keys(pages) == ["#7"]
    assert [path for path in server.asked()[asked:] if "timeline" in path] == ["/issues/7/timeline"]


def test_a_sync_that_was_killed_goes_on_behind_its_last_page(server: GitHubServer) -> None:
    fill(server, 3 * GROUP)
    first = next(iter(source(server).fetch("", never)))
    pages, _ = sync(server, first.cursor or "")

    assert keys([first]) == [f"#{n}" for n in range(1, GROUP + 1)]
    assert keys(pages) == [f"#{n}" for n in range(GROUP + 1, 3 * GROUP + 1)]


def test_what_changes_while_a_sync_runs_is_neither_skipped_nor_lost(server: GitHubServer) -> None:
    fill(server, 250)

    def move(path: str) -> None:
        # Number 1 moves to the end of the list while the first page is read.
        if path.endswith("/issues/50/timeline"):
            server.touch(1, LATER)
            server.touch(2, LATER)

    server.before = move
    pages, _ = sync(server)

    assert sorted(set(keys(pages))) == sorted(f"#{n}" for n in range(1, 251))
    assert keys(pages)[-2:] == ["#1", "#2"]


def test_hundreds_that_changed_in_the_same_second_are_all_read(server: GitHubServer) -> None:
    fill(server, 250)
    for number in range(1, 251):
        server.touch(number, LATER)

    pages, _ = sync(server)

    assert sorted(keys(pages)) == sorted(f"#{n}" for n in range(1, 251))


def test_an_edited_comment_is_followed(server: GitHubServer) -> None:
    server.open_pull(5, opened=gh.BEGUN)
    said = server.say(5, "Use Memcached", gh.BEGUN + 60)
    line = server.remark(5, "Too long", gh.BEGUN + 90)
    _, cursor = sync(server)
    server.edit(said, "Use Redis", int(server.now) + 60)
    server.edit(line, "Too slow", int(server.now) + 61)
    server.now += 3_600
    pages, cursor = sync(server, cursor)

    (item,) = [item for page in pages for item in page.items]
    assert "Use Redis" in item.text
    assert "Too slow" in item.text
    assert keys(sync(server, cursor)[0]) == []


def test_a_deleted_comment_is_gone_with_the_next_change(server: GitHubServer) -> None:
    server.open_issue(5)
    server.say(5, "My password is 1234", gh.BEGUN + 60)
    _, cursor = sync(server)
    server.things[5].timeline.clear()
    server.touch(5, LATER)
    pages, _ = sync(server, cursor)

    assert [item.text for page in pages for item in page.items] == [""]


def test_checks_that_come_to_something_else_are_followed(server: GitHubServer) -> None:
    server.open_pull(5)
    server.checks[gh.HEAD] = [gh.check_run("tests", None)]
    first, cursor = sync(server)
    server.checks[gh.HEAD] = [gh.check_run("tests", "failure")]
    second, cursor = sync(server, cursor)
    third, _ = sync(server, cursor)

    def checks(pages: list[Page]) -> list[ItemChange]:
        items = [item for page in pages for item in page.items]
        return [change for item in items for change in item.changes if change.field == "checks"]

    assert [each.value for each in checks(first)] == ["running"]
    assert [each.value for each in checks(second)] == ["failed: tests"]
    assert third == []


def test_an_issue_that_was_deleted_is_found_missing_within_a_week(server: GitHubServer) -> None:
    fill(server, 5)
    _, cursor = sync(server)
    del server.things[3]
    assert gone(sync(server, cursor)[0]) == []

    server.now += SWEEP_SECONDS + 60
    pages, cursor = sync(server, cursor)
    assert gone(pages) == ["github:acme/shop#3"]
    assert gone(sync(server, cursor)[0]) == []


def test_an_issue_that_moved_to_another_repository_is_gone(server: GitHubServer) -> None:
    fill(server, 2)
    _, cursor = sync(server)
    moved = server.things[2].issue
    server.things[2].issue = moved | {"repository_url": f"{gh.API}/repos/acme/infra", "number": 9}
    server.touch(1, LATER)
    server.now += SWEEP_SECONDS + 60
    listed = server.things.pop(2)
    server.fail("/issues/2", Fault(body=json.dumps(listed.issue).encode()))

    assert gone(sync(server, cursor)[0]) == ["github:acme/shop#2"]


def test_a_repository_that_was_renamed_takes_its_items_along(
    server: GitHubServer, tmp_path: Path
) -> None:
    fill(server, 2)
    _, cursor = sync(server)
    server.former, server.name = gh.NAME, "acme/store"
    here = RepoBuilder(tmp_path / "shop")
    here.git("remote", "add", "origin", "git@github.com:acme/shop.git")
    local = Repo("r1", "shop", str(here.path / ".git"), str(here.path), None, 0)

    pages = list(source(server, repos=(local,)).fetch(cursor, never))

    assert gone(pages) == ["github:acme/shop#1", "github:acme/shop#2"]
    found = [item for page in pages for item in page.items]
    assert [(item.ref, item.repo) for item in found] == [
        ("github:acme/store#1", "r1"),
        ("github:acme/store#2", "r1"),
    ]


def test_a_stopped_sync_ends_between_requests(server: GitHubServer) -> None:
    fill(server, 3 * GROUP)

    def stop() -> bool:
        return len(server.requests) > GROUP + 10

    pages = list(source(server).fetch("", stop))

    assert keys(pages) == [f"#{n}" for n in range(1, GROUP + 1)]
    assert len(server.requests) <= GROUP + 11


def test_strangers_are_called_by_their_logins_and_not_looked_up(server: GitHubServer) -> None:
    server.open_issue(1, by=gh.user("zed"), association="NONE")
    pages, _ = sync(server)

    assert [item.author for page in pages for item in page.items] == ["zed"]
    assert "/users/zed" not in server.asked()


def test_without_a_right_to_checks_the_rest_is_read_and_that_is_said(server: GitHubServer) -> None:
    server.open_pull(5)
    refused = Fault(403, body=b'{"message": "Resource not accessible by personal access token"}')
    server.fail("/check-runs", refused)
    pages, _ = sync(server)

    assert keys(pages) == ["#5"]
    assert "checks are not read" in pages[-1].notes[0]


SECONDARY = b'{"message": "You have exceeded a secondary rate limit. Please wait."}'


@pytest.mark.parametrize(
    ("fault", "after"),
    [
        (Fault(429, {"Retry-After": "90"}), 90.0),
        (Fault(403, {"Retry-After": "60"}, SECONDARY), 60.0),
        (Fault(403, {}, SECONDARY), 60.0),
        (
            Fault(
                403,
                {
                    "X-RateLimit-Limit": "5000",
                    "X-RateLimit-Remaining": "0",
                    "X-RateLimit-Reset": str(gh.BEGUN + 30 * 86_400 + 900),
                },
                b'{"message": "API rate limit exceeded for user ID 1."}',
            ),
            900.0,
        ),
    ],
)
def test_a_limit_is_handed_on_with_its_seconds_and_what_was_read_stays(
    server: GitHubServer, fault: Fault, after: float
) -> None:
    fill(server, 2 * GROUP)
    server.fail(f"/issues/{GROUP + 1}/timeline", fault)
    pages: list[Page] = []

    with pytest.raises(SourceAway) as caught:
        pages += source(server).fetch("", never)

    assert caught.value.after == after
    assert keys(pages) == [f"#{n}" for n in range(1, GROUP + 1)]
    assert keys(sync(server, pages[-1].cursor or "")[0])[0] == f"#{GROUP + 1}"


def test_a_limit_of_a_moment_is_waited_for(server: GitHubServer) -> None:
    fill(server, 1)
    server.fail("/timeline", Fault(429, {"Retry-After": "0"}))

    assert keys(sync(server)[0]) == ["#1"]


def test_a_part_of_the_hour_s_requests_is_left_to_others(server: GitHubServer) -> None:
    fill(server, 3 * GROUP)
    server.left = 500 + GROUP
    pages: list[Page] = []

    with pytest.raises(SourceAway, match="are used up") as caught:
        pages += source(server).fetch("", never)

    assert len(keys(pages)) == GROUP
    assert caught.value.after == 1_800.0
    assert server.left > 480


@pytest.mark.parametrize(
    ("path", "fault", "kind", "said"),
    [
        ("/issues?", Fault(401), SourceRefused, "does not accept the token"),
        (
            "/issues?",
            Fault(403, body=b'{"message": "Resource not accessible by integration"}'),
            SourceRefused,
            "may not read acme/shop: Resource not accessible by integration",
        ),
        ("/repos/acme/shop", Fault(404), SourceRefused, "no repository acme/shop, or the token"),
        ("/issues?", Fault(410), SourceRefused, "can't be listed"),
        ("/issues?", Fault(422, body=b'{"message": "Validation Failed"}'), SourceBroken, "422"),
        ("/issues?", Fault(200, body=b"<html>log in"), SourceBroken, "is not JSON"),
        (
            "/repos/acme/shop",
            Fault(301, {"Location": "https://elsewhere.example/repos/acme/shop"}),
            SourceRefused,
            "sends on to elsewhere.example",
        ),
    ],
)
def test_what_a_person_must_change_is_said(
    server: GitHubServer, path: str, fault: Fault, kind: type[HermesError], said: str
) -> None:
    fill(server, 1)
    server.fail(path, fault)

    with pytest.raises(kind, match=said):
        sync(server)


@pytest.mark.parametrize(
    "fault",
    [Fault(502), Fault(503), Fault(then="cut")],
)
def test_what_fails_on_the_way_is_tried_again_and_then_left_for_later(
    server: GitHubServer, fault: Fault
) -> None:
    fill(server, 1)
    server.fail("/timeline", fault, fault)
    assert keys(sync(server)[0]) == ["#1"]

    server.fail("/timeline", fault, fault, fault)
    with pytest.raises(SourceAway):
        sync(server)


def test_a_server_that_hangs_is_left_for_later(
    server: GitHubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hermes.ingest.sources.github.api.READ_SECONDS", 0.2)
    fill(server, 1)
    server.fail("/timeline", *(Fault(then="hang") for _ in range(3)))

    with pytest.raises(SourceAway, match="does not answer in time"):
        sync(server)


def test_a_server_that_is_not_there_is_left_for_later() -> None:
    away = GitHub(gh.NAME, "x", (), url="http://127.0.0.1:9", pauses=())

    with pytest.raises(SourceAway, match="can't be reached"):
        list(away.fetch("", never))


def test_a_wrong_token_is_refused_and_none_at_all_may_do(server: GitHubServer) -> None:
    fill(server, 1)

    with pytest.raises(SourceRefused, match="does not accept the token"):
        list(source(server, token="ghp_wrong").fetch("", never))
    assert keys(list(source(server, token=None).fetch("", never))) == ["#1"]


def test_a_pull_request_whose_details_may_not_be_seen_is_not_taken_for_deleted(
    server: GitHubServer,
) -> None:
    server.open_pull(5)
    server.fail("/pulls/5", Fault(404))

    with pytest.raises(SourceRefused, match="#5 is listed, and its details are not shown"):
        sync(server)


def test_it_tells_whom_it_contacts_and_what_there_is(server: GitHubServer) -> None:
    (contact,) = source(server).contacts()
    (offered,) = source(server).discover()

    assert (contact.host, offered.name) == ("127.0.0.1", "acme/shop")
    assert GitHub("acme/shop", None, ()).contacts()[0].host == "api.github.com"


def test_a_cursor_that_says_nothing_begins_anew(server: GitHubServer) -> None:
    fill(server, 2)

    assert keys(sync(server, "{broken")[0]) == ["#1", "#2"]
    assert keys(sync(server, "[1]")[0]) == ["#1", "#2"]
