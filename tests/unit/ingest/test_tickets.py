"""Tickets are found in messages; standards, encodings and versions are none."""

from __future__ import annotations

import pytest

from hermes.ingest.git.tickets import tickets


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Fix retry (#482)", ("#482",)),
        ("Fixes #12, closes #7", ("#12", "#7")),
        ("#5 first", ("#5",)),
        ("GH-12: drop cache", ("#12",)),
        ("see gh-99", ("#99",)),
        ("Merge pull request #31 from sam/topic", ("#31",)),
        ("See pallets/flask#4905 for why", ("#4905",)),
        ("https://github.com/a/b/pull/77 and https://github.com/a/b/issues/8", ("#77", "#8")),
        ("https://gitlab.com/g/s/p/-/merge_requests/15", ("#15",)),
        ("ENG-17: speed up", ("ENG-17",)),
        ("[PROJ-4, OPS2-31] both", ("PROJ-4", "OPS2-31")),
        ("Twice #3 and #3", ("#3",)),
        ("ENG-17 then #4 then ABC-1", ("ENG-17", "#4", "ABC-1")),
        ("Read files as UTF-8, not UTF-16", ()),
        ("Use SHA-256, AES-128 and MD-5", ()),
        ("Follow PEP-8, RFC-7231 and ISO-8859", ()),
        ("CVE-2024-12345 and GHSA-4p5g", ()),
        ("Colour #123456789 and &#39; and a#b", ()),
        ("heading ##2", ()),
        ("Version X-1.2.3 of foo-BAR-3", ()),
        ("ENG-0 is no ticket, nor is #0", ()),
        ("A-1 sauce", ()),
        ("eng-17 in lower case", ()),
        ("Python-3 and PY-3", ()),
        ("branch feature/ENG-17-speed", ()),
        ("", ()),
    ],
)
def test_a_message_names_these_tickets(message: str, found: tuple[str, ...]) -> None:
    assert tickets(message) == found


def test_a_message_that_lists_hundreds_keeps_the_first_fifty() -> None:
    message = " ".join(f"#{number}" for number in range(1, 400))
    assert tickets(message) == tuple(f"#{number}" for number in range(1, 51))
