"""What a document says of why something went wrong, in its own words."""

from __future__ import annotations

import pytest

from hermes.ingest.documents.postmortems import incidents, is_postmortem, read

FORMS = [
    ("# Down\n\n## Cause\n\nThe disk was full. We saw it late.\n", "The disk was full."),
    ("# Down\n\n## Root cause\n\n- The disk was full.\n- Also slow.\n", "The disk was full."),
    ("# Down\n\nCause: the disk was full.\n", "the disk was full."),
    ("# Down\n\n**Root cause:** the disk was full. Then more.\n", "the disk was full."),
    ("# Down\n\n- Impact: none\n- Cause: the disk was full\n", "the disk was full"),
    ("# Down\n\nThe root cause was that the disk was full.\n", "the disk was full."),
    ("Down\n====\n\nRoot cause\n----------\n\nThe disk was full.\n", "The disk was full."),
    ("# Down\n\n## What went wrong\n\nThe disk\nwas full.\n", "The disk was full."),
    ("# Down\n\n## Cause\n\n## Actions\n\nBuy disks.\n", ""),
    ("# Down\n\nWe do not know why.\n", ""),
    ("", ""),
]


@pytest.mark.parametrize(("text", "cause"), FORMS)
def test_the_sentence_that_says_why_is_found(text: str, cause: str) -> None:
    [incident] = incidents(text, "down")
    assert incident.cause == cause
    assert incident.title in ("Down", "down")


def test_a_document_of_several_incidents_is_read_by_its_headings() -> None:
    text = "# Log\n\n## Mail\n\nCause: a poison message.\n\n## Images\n\nCause: no descriptors.\n"
    found = [(each.title, each.cause) for each in incidents(text, "log")]
    assert found == [("Mail", "a poison message."), ("Images", "no descriptors.")]


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("docs/postmortems/2025-04.md", True),
        ("docs/post-mortem.rst", True),
        ("doc/rca/disk.md", True),
        ("INCIDENTS.md", True),
        ("docs/incident/response.py", False),
        ("docs/architecture.md", False),
        ("docs/force.md", False),
    ],
)
def test_a_postmortem_is_known_by_its_path(path: str, wanted: bool) -> None:
    assert is_postmortem(path) is wanted


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("Postmortem: the disk ran full", True),
        ("Post-mortem of 12 March", True),
        ("Incident report: sign-in", True),
        ("Root cause analysis", True),
        ("Incident response", False),
        ("How to write", False),
    ],
)
def test_a_postmortem_is_known_by_its_title(title: str, wanted: bool) -> None:
    assert is_postmortem("notes/disk.md", title) is wanted
    assert not is_postmortem("notes/disk.py", title)


MARCH_12 = 1_773_316_800


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("disk.md", "Date: 12 March 2026\nServices: queue, mail and web\nAuthors: Kim Noor\n"),
        ("disk.md", "**Date:** 2026-03-12\n\n- **Services affected**: queue\n- Owner: @kim\n"),
        ("disk.md", "| Date | 2026-03-12 |\n|---|---|\n| Affected services | `queue` |\n"),
        ("2026-03-12-disk.md", "It was down.\n\nSystem: queue.\n"),
    ],
)
def test_when_and_where_it_went_wrong_is_read(name: str, text: str) -> None:
    found = read(f"postmortems/{name}", "The disk ran full", text, {})
    assert found is not None
    assert found.date == MARCH_12
    assert found.services[0] == "queue"


def test_front_matter_says_when_and_where_too() -> None:
    fields = {"date": ("2026-03-12",), "services": ("queue", "mail"), "authors": ("Kim Noor",)}
    found = read("postmortems/disk.md", "The disk ran full", "Full.", fields)
    assert found is not None
    assert (found.date, found.services) == (MARCH_12, ("queue", "mail"))
    assert found.people == ("Kim Noor",)


def test_other_documents_are_no_postmortems() -> None:
    assert read("docs/guide.md", "Guide", "Date: 2026-03-12", {}) is None
