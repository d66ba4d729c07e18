from __future__ import annotations

from hermes.ingest.sources.github.accounts import by_logins
from hermes.ingest.sources.github.bundle import Bundle, Place
from hermes.ingest.sources.github.issues import issue_item
from hermes.memory.records import Item, ItemChange, ItemKind, Link, LinkKind
from hermes.tests.builders import github as gh

NAMES = by_logins({"kimnoor": ("Kim Noor", "kim@acme.example")})
LATER = gh.BEGUN + 7_200


def item(bundle: Bundle) -> Item:
    return issue_item(bundle, Place("acme/shop"), NAMES)


def test_an_issue_tells_its_description_labels_and_conversation() -> None:
    data = gh.issue(17, "Requests pile up", "Since the last deploy.", labels=["bug", "payments"])
    found = item(Bundle(data, comments=[gh.comment(17, "It is the pool.")]))

    assert (found.kind, found.ref, found.key) == (ItemKind.TICKET, "github:acme/shop#17", "#17")
    assert found.url == "https://github.com/acme/shop/issues/17"
    assert found.text == (
        "Since the last deploy.\n\nLabels: bug, payments\n\n"
        "Kim Noor (12 March 2026 10:10): It is the pool."
    )


def test_an_issue_tells_whose_it_was_when() -> None:
    events = [
        gh.event("assigned", gh.BEGUN + 60, assignee=gh.SAM),
        gh.event("assigned", gh.BEGUN + 120, assignee=gh.KIM),
        gh.event("unassigned", gh.BEGUN + 180, assignee=gh.SAM),
        gh.event("closed", LATER, commit_id=gh.MERGE),
    ]
    found = item(Bundle(gh.issue(17, assignees=[gh.KIM], closed=LATER), events=[*events]))

    assert (found.state, found.closed, found.assignee) == ("closed", LATER, "Kim Noor")
    assert found.changes == (
        ItemChange(gh.BEGUN, "state", "open"),
        ItemChange(gh.BEGUN + 60, "assignee", "sam-ito"),
        ItemChange(gh.BEGUN + 180, "assignee", "Kim Noor"),
        ItemChange(LATER, "state", "closed"),
    )
    assert ("Kim Noor", "kim@acme.example") in found.people


def test_an_issue_leads_to_what_closed_it_and_what_named_it() -> None:
    other = gh.issue(482, "Limit requests by Redis", pull=True)
    elsewhere = gh.issue(3, "Grow the cluster", name="acme/infra")
    events = [
        gh.referenced_by(other, gh.BEGUN + 60),
        gh.referenced_by(elsewhere, gh.BEGUN + 70),
        gh.event("closed", LATER, commit_id=gh.MERGE),
        gh.event("labeled", LATER, label={"name": "bug", "color": "fff"}),
    ]

    assert item(Bundle(gh.issue(17, closed=LATER), events=[*events])).links == (
        Link(LinkKind.COMMIT, gh.MERGE),
        Link(LinkKind.ITEM, "github:acme/shop#482"),
        Link(LinkKind.ITEM, "github:acme/infra#3"),
    )


def test_an_issue_that_was_opened_again_is_open() -> None:
    events = [gh.event("closed", gh.BEGUN + 60), gh.event("reopened", gh.BEGUN + 120)]
    found = item(Bundle(gh.issue(17, updated=LATER), events=[*events]))

    assert [each.value for each in found.changes] == ["open", "closed", "open"]
    assert (found.state, found.closed, found.changed) == ("open", None, LATER)
