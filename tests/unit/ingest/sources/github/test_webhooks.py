from __future__ import annotations

import pytest

from hermes.ingest.sources.github.events import Told, told
from hermes.ingest.sources.github.signature import is_signed
from hermes.tests.builders import github as gh

SECRET, BODY = "It's a Secret to Everybody", b"Hello, World!"
SIGNATURE = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
"""The example of GitHub's documentation."""


def test_the_signature_of_the_documentation_is_right() -> None:
    assert is_signed(SECRET, BODY, SIGNATURE)


@pytest.mark.parametrize(
    ("secret", "body", "signature"),
    [
        (SECRET, b"Hello, World?", SIGNATURE),
        ("another", BODY, SIGNATURE),
        (SECRET, BODY, SIGNATURE.removeprefix("sha256=")),
        (SECRET, BODY, SIGNATURE.replace("sha256=", "sha1=")),
        (SECRET, BODY, SIGNATURE[:-1]),
        (SECRET, BODY, ""),
        (SECRET, BODY, "sha256=é"),
        ("", BODY, SIGNATURE),
    ],
)
def test_any_other_signature_is_wrong(secret: str, body: bytes, signature: str) -> None:
    assert not is_signed(secret, body, signature)


REPOSITORY = {"repository": gh.repository()}


@pytest.mark.parametrize(
    ("event", "payload", "expected"),
    [
        (
            "pull_request",
            {"action": "synchronize", "number": 482, "pull_request": gh.pull(482)},
            Told("acme/shop", 482),
        ),
        (
            "pull_request_review",
            {
                "action": "submitted",
                "review": gh.review(482, "APPROVED"),
                "pull_request": gh.pull(482),
            },
            Told("acme/shop", 482),
        ),
        (
            "pull_request_review_comment",
            {
                "action": "edited",
                "comment": gh.remark(482, "x"),
                "pull_request": gh.pull(482),
            },
            Told("acme/shop", 482),
        ),
        (
            "issue_comment",
            {"action": "deleted", "issue": gh.issue(17), "comment": gh.comment(17, "x")},
            Told("acme/shop", 17),
        ),
        ("issues", {"action": "assigned", "issue": gh.issue(17)}, Told("acme/shop", 17)),
        (
            "issues",
            {"action": "deleted", "issue": gh.issue(17)},
            Told("acme/shop", 17, ("github:acme/shop#17",)),
        ),
        (
            "issues",
            {"action": "transferred", "issue": gh.issue(17)},
            Told("acme/shop", 17, ("github:acme/shop#17",)),
        ),
        ("push", {"ref": "refs/heads/main"}, Told()),
        ("ping", {"zen": "Design for failure."}, Told()),
        ("issues", {"action": "opened", "issue": {"number": "17"}}, Told()),
        ("issues", {"action": "opened"}, Told()),
    ],
)
def test_a_delivery_tells_what_is_to_be_fetched_again(
    event: str, payload: gh.Json, expected: Told
) -> None:
    assert told(event, payload | REPOSITORY) == expected


def test_a_delivery_of_no_repository_tells_nothing() -> None:
    assert told("issues", {"action": "opened", "issue": gh.issue(17)}) == Told()
