"""What a document says of why something went wrong, in its own words."""

from __future__ import annotations

import pytest

from hermes.agents.testing.postmortem import incidents, is_postmortem

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
