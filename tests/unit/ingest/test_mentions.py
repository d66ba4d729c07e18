"""What a text names is read by its form; what only looks like a name is none."""

from __future__ import annotations

import pytest

from hermes.ingest.mentions import mentions, mentions_of_commit, paths_in, record_key
from hermes.memory.records import Link, LinkKind

SHA = "4f1c2d9ab8e7f6054321fedcba9876543210abcd"
FILES = {"shop/limits.py", "docs/adr/0007-redis.md", "README.md", "feature/eng-17-retry.md"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It began with #482, see GH-12.", ("#482", "#12")),
        ("ENG-17 and ADR-7", ("ENG-17", "ADR-7")),
        ("ADR 0007 says so, ADR-12 too; adr-0003 not any more", ("ADR-12", "ADR-7", "ADR-3")),
        ("as docs/adr/0007-redis.md has it", ("ADR-7",)),
        ("UTF-8, CVE-2024, ISO-8601, RFC-7231, SHA-256, GPT-4, Q3-2025", ()),
        ("https://linear.app/acme/issue/ENG-17/retry-queue-grows", ("ENG-17",)),
        ("https://linear.app/acme/issue/ENG-17.", ("ENG-17",)),
        ("https://acme.atlassian.net/browse/ENG-17", ("ENG-17",)),
        ("https://gitlab.example/g/p/-/merge_requests/15", ("#15",)),
        ("on branch feature/eng-17-retry", ("ENG-17",)),
        ("kim/ENG-17-retry-queue is pushed", ("ENG-17",)),
        ("pages/404-not-found, sha-256/rsa-2048, tcp/udp-53, node/http-2", ()),
        ("We are number #1!", ("#1",)),
        ("https://example.org/a?b=ENG-17", ()),
        ("", ()),
    ],
)
def test_a_text_names_these_tickets(text: str, found: tuple[str, ...]) -> None:
    assert mentions(text).tickets == found


@pytest.mark.parametrize(
    ("text", "kind", "targets"),
    [
        ("since 4f1c2d9 it is slow", LinkKind.COMMIT, ("4f1c2d9",)),
        (f"({SHA}), `4f1c2d9ab8e7`", LinkKind.COMMIT, (SHA, "4f1c2d9ab8e7")),
        ("shop@4f1c2d9: fine", LinkKind.COMMIT, ("4f1c2d9",)),
        ("https://github.com/acme/shop/commit/4f1c2d9", LinkKind.COMMIT, ("4f1c2d9",)),
        ("on 20240312 at 1732871234, colour #4f1c2d9, word defaced", LinkKind.COMMIT, ()),
        ("550e8400-e29b-41d4-a716-446655440000 or 0x4f1c2d9a", LinkKind.COMMIT, ()),
        ("sha256:" + "4f1c2d9a" * 8, LinkKind.COMMIT, ()),
        ("acme/shop#482", LinkKind.ITEM, ("github:acme/shop#482",)),
        (
            "<https://github.com/acme/shop/pull/482#issuecomment-1|here>",
            LinkKind.ITEM,
            ("github:acme/shop#482",),
        ),
        (
            "https://git.acme.example/acme/shop/issues/9.",
            LinkKind.ITEM,
            ("github:acme/shop#9",),
        ),
        (
            "https://acme.slack.com/archives/C024BE91L/p1732871234001200",
            LinkKind.ITEM,
            ("slack:C024BE91L/1732871234.001200",),
        ),
        (
            "https://a.slack.com/archives/C02/p1732871299001200?thread_ts=1732871234.001200&cid=C02",
            LinkKind.ITEM,
            ("slack:C02/1732871234.001200",),
        ),
        ("in shop/limits.py:42, see README.md.", LinkKind.PATH, ("shop/limits.py", "README.md")),
        ("(`./shop/limits.py`)", LinkKind.PATH, ("shop/limits.py",)),
        (
            "https://github.com/acme/shop/blob/main/shop/limits.py#L42",
            LinkKind.PATH,
            ("shop/limits.py",),
        ),
        ("not here yet: shop/new.py", LinkKind.PATH, ("shop/new.py",)),
        ("either/or, v1.2/3.4, pypi.org/simple.html, setup.cfg", LinkKind.PATH, ()),
        (
            "tests/test_a.py::test_b[redis-1] and tests/test_a.py::TestC::test_d",
            LinkKind.TEST,
            ("tests/test_a.py::test_b[redis-1]", "tests/test_a.py::TestC::test_d"),
        ),
        ("std::vector::push is no test", LinkKind.TEST, ()),
        ("merged feature/eng-17-retry", LinkKind.BRANCH, ("feature/eng-17-retry",)),
        ("feature/retry, and/or, feature/eng-17-retry.md", LinkKind.BRANCH, ()),
        ("http://[broken and https://", LinkKind.ITEM, ()),
    ],
)
def test_a_text_leads_to_these(text: str, kind: LinkKind, targets: tuple[str, ...]) -> None:
    found = mentions(text, paths=paths_in(text) & FILES)
    assert tuple(link.target for link in found.links if link.kind is kind) == targets


def test_a_number_of_another_repository_is_no_number_of_this_one() -> None:
    text = "acme/shop#482, other/tool#9, https://github.com/Acme/Shop/pull/7 and #3"
    at_home = mentions(text, home="acme/shop")
    assert at_home.tickets == ("#3", "#7", "#482")
    assert at_home.links == (Link(LinkKind.ITEM, "github:other/tool#9"),)
    anywhere = mentions(text)
    assert set(anywhere.tickets) == {"#3", "#7", "#482", "#9"}
    assert len(anywhere.links) == 3


@pytest.mark.parametrize(
    ("message", "tickets", "links"),
    [
        ("Fix retry (#482)", ("#482",), ()),
        (
            f'Revert "Drop cache"\n\nThis reverts commit {SHA}.',
            (),
            (Link(LinkKind.COMMIT, SHA),),
        ),
        (
            "Merge branch 'feature/eng-17-retry' into main",
            ("ENG-17",),
            (Link(LinkKind.BRANCH, "feature/eng-17-retry"),),
        ),
        (
            "Merge pull request #482 from acme/kim/eng-17-retry\n\nRetry slowly",
            ("#482", "ENG-17"),
            (Link(LinkKind.BRANCH, "kim/eng-17-retry"),),
        ),
        ("Merge branch 'main' of github.com:acme/shop", (), (Link(LinkKind.BRANCH, "main"),)),
        ("Count in Redis, as ADR-7 says", ("ADR-7",), ()),
        ("Bump version", (), ()),
    ],
)
def test_a_commits_message_names_these(
    message: str, tickets: tuple[str, ...], links: tuple[Link, ...]
) -> None:
    found = mentions_of_commit(message)
    assert (found.tickets, found.links) == (tickets, links)


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("docs/adr/0007-redis.md", "ADR-7"),
        ("adr/adr-012-queue.rst", "ADR-12"),
        ("docs/decisions/0001_use_redis.md", "ADR-1"),
        ("doc/architecture-decisions/3. sql.md", "ADR-3"),
        ("docs/adr/template.md", None),
        ("docs/adr/0000-template.md", None),
        ("docs/0007-redis.md", None),
        ("src/quadr/0007-x.py", None),
    ],
)
def test_a_decision_record_is_known_by_its_path(path: str, key: str | None) -> None:
    assert record_key(path) == key
