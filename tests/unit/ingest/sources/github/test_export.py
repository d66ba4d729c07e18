from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from hermes.ingest.sources.contract import Page, SourceBroken, SourceRefused
from hermes.ingest.sources.github import open_source
from hermes.ingest.sources.github.export import GROUP, values
from hermes.memory.records import Item, ItemChange, ItemKind, Link, LinkKind
from hermes.tests.builders import github as gh

LATER = gh.BEGUN + 7_200


def never() -> bool:
    return False


def pages(file: Path, cursor: str = "", repository: str = "") -> list[Page]:
    source = open_source({"export": str(file), "repository": repository}, None, ())
    return list(source.fetch(cursor, never))


def items(file: Path, repository: str = "") -> dict[str, Item]:
    return {item.key: item for page in pages(file, repository=repository) for item in page.items}


def write(file: Path, said: str | Sequence[Mapping[str, object]]) -> Path:
    file.write_text(said if isinstance(said, str) else json.dumps(said), encoding="utf-8")
    return file


PRINTED = gh.printed_pull(
    482,
    "Limit requests by Redis",
    body="Closes #17",
    state="MERGED",
    mergedAt=gh.at(LATER),
    closedAt=gh.at(LATER),
    updatedAt=gh.at(LATER),
    mergeCommit={"oid": gh.MERGE},
    closingIssuesReferences=[
        {"id": "I_9", "number": 9, "url": f"{gh.WEB}/acme/infra/issues/9", "repository": {}}
    ],
    comments=[gh.printed_comment("kimnoor", "Why not Memcached?", gh.BEGUN + 600)],
    reviews=[gh.printed_review("kimnoor", "APPROVED", "", gh.BEGUN + 1_200)],
    commits=[
        {
            "oid": gh.HEAD,
            "messageHeadline": "Limit by Redis",
            "authors": [
                {"login": "sam-ito", "name": "Sam Ito", "email": "sam@acme.example"},
                {"login": "kimnoor", "name": "Kim Noor", "email": "kim@acme.example"},
            ],
        }
    ],
    reviewRequests=[{"__typename": "User", "login": "alexroe"}],
    statusCheckRollup=[
        {
            "__typename": "CheckRun",
            "name": "tests",
            "status": "COMPLETED",
            "conclusion": "FAILURE",
            "completedAt": gh.at(gh.BEGUN + 900),
            "workflowName": "CI",
        },
        {
            "__typename": "StatusContext",
            "context": "preview",
            "state": "SUCCESS",
            "startedAt": gh.at(gh.BEGUN + 900),
        },
    ],
)


def test_what_the_command_line_prints_of_a_pull_request_is_read(tmp_path: Path) -> None:
    found = items(write(tmp_path / "prs.json", [PRINTED]))["#482"]

    assert (found.kind, found.ref, found.state) == (
        ItemKind.PULL,
        "github:acme/shop#482",
        "merged",
    )
    assert (found.author, found.email) == ("Sam Ito", "sam@acme.example")
    assert found.text == (
        "Closes #17\n\nKim Noor (12 March 2026 10:10): Why not Memcached?\n\n"
        "Kim Noor (12 March 2026 10:20): approved."
    )
    assert found.changes == (
        ItemChange(gh.BEGUN, "state", "open"),
        ItemChange(gh.BEGUN, "reviewer", "alexroe"),
        ItemChange(gh.BEGUN + 900, "checks", "failed: tests"),
        ItemChange(gh.BEGUN + 1_200, "review", "approved by Kim Noor"),
        ItemChange(LATER, "state", "merged"),
    )
    assert found.links == (
        Link(LinkKind.MERGED_AS, gh.MERGE),
        Link(LinkKind.COMMIT, gh.HEAD),
        Link(LinkKind.BRANCH, "rate-limit"),
        Link(LinkKind.ITEM, "github:acme/shop#17"),
        Link(LinkKind.ITEM, "github:acme/infra#9"),
    )
    assert ("alexroe", "") in found.people


def test_what_the_command_line_prints_of_an_issue_is_read(tmp_path: Path) -> None:
    data = gh.printed_issue(
        17,
        "Requests pile up",
        state="CLOSED",
        closedAt=gh.at(LATER),
        assignees=[{"id": "U_2", "login": "kimnoor", "name": "Kim Noor"}],
        labels=[{"name": "bug"}],
    )
    found = items(write(tmp_path / "issues.json", [data]))["#17"]

    assert (found.kind, found.state, found.closed) == (ItemKind.TICKET, "closed", LATER)
    assert (found.assignee, found.text) == ("Kim Noor", "Labels: bug")


def test_answers_of_the_api_are_put_together_by_what_they_belong_to(tmp_path: Path) -> None:
    lists: list[Sequence[gh.Json]] = [
        [gh.comment(482, "Why not Memcached?"), gh.comment(17, "It is the pool.")],
        [gh.issue(17, "Requests pile up"), gh.issue(482, "Limit requests by Redis", pull=True)],
        [gh.pull(482, "Limit requests by Redis", merged=LATER)],
        [gh.remark(482, "For each request?", hunk="")],
        [gh.review(482, "APPROVED")],
        [gh.event("closed", LATER) | {"issue": gh.issue(17)}],
    ]
    found = items(write(tmp_path / "all.json", "\n".join(json.dumps(each) for each in lists)))

    assert found["#482"].state == "merged"
    assert found["#482"].text == (
        "kimnoor (12 March 2026 10:10): Why not Memcached?\n\n"
        "kimnoor (12 March 2026 10:18, shop/limiter.py:39): For each request?\n\n"
        "kimnoor (12 March 2026 10:20): approved."
    )
    assert "It is the pool." in found["#17"].text


def test_a_record_a_line_is_read_too(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps(gh.printed_issue(n, f"Number {n}")) for n in (1, 2, 3))

    assert items(write(tmp_path / "issues.jsonl", lines)).keys() == {"#1", "#2", "#3"}


def test_pages_in_one_list_are_read_too(tmp_path: Path) -> None:
    said = json.dumps([[gh.issue(1)], [gh.issue(2)]])

    assert items(write(tmp_path / "slurped.json", said)).keys() == {"#1", "#2"}


def test_what_comes_before_the_cut_of_half_a_file_is_kept(tmp_path: Path) -> None:
    said = json.dumps([gh.printed_issue(n, f"Number {n}") for n in (1, 2, 3)])
    source = open_source({"export": str(write(tmp_path / "half.json", said[:-60]))}, None, ())
    seen: list[str] = []

    with pytest.raises(SourceBroken, match=r"half\.json is cut off, or no JSON behind 2 records"):
        for page in source.fetch("", never):
            seen += [item.key for item in page.items]

    assert seen == ["#1", "#2"]


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (b"number,title\n1,x\n", "is cut off, or no JSON"),
        (b"", "holds neither pull requests nor issues"),
        (b"[]", "holds neither pull requests nor issues"),
        (b'{"message": "Bad credentials"}', "holds neither"),
        (b"\x89PNG\r\n\x1a\n\x00\xff", "is not UTF-8 text"),
        (b"[" * 200_000, "is cut off, or no JSON"),
        (b'{"a":' * 200_000, "nested too deep"),
    ],
)
def test_what_is_no_export_is_refused_with_a_reason(
    tmp_path: Path, said: bytes, error: str
) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(said)

    with pytest.raises(SourceBroken, match=error):
        pages(file)


def test_fields_that_nobody_knows_and_those_that_are_missing_do_no_harm(tmp_path: Path) -> None:
    odd: list[gh.Json] = [
        {"number": 1, "title": "Bare", "surprise": {"deep": [1, 2]}},
        {"number": 2, "title": None, "body": None, "author": None, "comments": None},
        {"number": 3, "title": "Odd", "comments": [None, 7, {"body": 4}], "labels": "none"},
        {"number": "4", "title": "No number"},
    ]

    assert items(write(tmp_path / "x.json", odd), "acme/shop").keys() == {"#1", "#2", "#3"}


def test_comments_on_what_is_not_in_the_export_are_told_as_left_out(tmp_path: Path) -> None:
    file = write(tmp_path / "x.json", [gh.issue(1), gh.comment(2, "Hello"), {"sha": "x"}])

    assert pages(file)[-1].notes == (
        "1 records are neither issues nor anything on one",
        "comments on 1 issues or pull requests that are not in it are left out",
    )


def test_an_export_that_names_no_repository_asks_for_it(tmp_path: Path) -> None:
    file = write(tmp_path / "x.json", [gh.printed_issue(1, "Bare", url="")])

    with pytest.raises(SourceRefused, match="does not tell of which repository"):
        pages(file)
    assert items(file, "acme/shop")["#1"].ref == "github:acme/shop#1"


def test_an_export_is_read_on_from_where_it_was_left_and_not_twice(tmp_path: Path) -> None:
    many = [gh.printed_issue(n, f"Number {n}") for n in range(1, GROUP + 11)]
    file = write(tmp_path / "x.json", many)
    first, second = pages(file)

    assert (first.done, first.total, second.done) == (GROUP, GROUP + 10, GROUP + 10)
    assert [page.items for page in pages(file, first.cursor or "")] == [second.items]
    assert pages(file, second.cursor or "") == []

    write(file, [*many, gh.printed_issue(900, "New")])
    assert len(pages(file, second.cursor or "")) == 2


def test_an_export_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceRefused, match="can't be read"):
        pages(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("[1, 2]", [1, 2]),
        ("[1][2]\n[3]", [1, 2, 3]),
        ('{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        ("\ufeff [ ] ", []),
        ("[[1], [2]]", [[1], [2]]),
    ],
)
def test_json_values_come_one_after_another(said: str, expected: list[object]) -> None:
    assert list(values(said)) == expected


@pytest.mark.parametrize("text", ["", "{}", '{"a": 1}', "PK\x03\x04", "[1, 2]"])
def test_a_file_of_another_kind_is_no_source(tmp_path: Path, text: str) -> None:
    file = tmp_path / "prs.json"
    file.write_text(text)
    with pytest.raises(SourceBroken):
        open_source({"export": str(file), "repository": "acme/shop"}, None, ()).discover()
