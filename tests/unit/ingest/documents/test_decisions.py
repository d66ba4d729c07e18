"""Decision records, as projects write them."""

from __future__ import annotations

import pytest

from hermes.ingest.documents import front_matter
from hermes.ingest.documents.decisions import Decision, Named, number_of, read
from hermes.ingest.documents.formats import Format, format_of
from hermes.ingest.documents.sections import outline

MARCH_12 = 1_773_316_800
"""Noon of 2026-03-12."""


def decision(path: str, text: str) -> Decision | None:
    fields, body = front_matter.split(text)
    return read(path, outline(body, format_of(path) or Format.PLAIN).title, body, fields)


NYGARD = """# 7. Redis for rate limits

Date: 2026-03-12

## Status

{status}

## Context

It replaces nothing here. The status of 4. Something is another matter.
"""
MADR = """---
status: "{status}"
date: 2026-03-12
decision-makers: Kim Noor, Sam Ito
---
# Redis for rate limits

## Context and Problem Statement
"""
MADR_2 = """# Redis for rate limits

* Status: {status}
* Deciders: Kim Noor and Sam Ito
* Date: 2026-03-12
"""


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("Accepted", "accepted"),
        ("Accepted (2026-03-12)", "accepted"),
        ("Proposed", "proposed"),
        ("Draft, in review", "proposed"),
        ("Rejected", "rejected"),
        ("Deprecated", "deprecated"),
        ("~~Proposed~~ Accepted", "accepted"),
        ("Superseded by ADR-0012", "superseded by ADR 12"),
        ("Superceded by [12. Valkey for rate limits](0012-valkey.md)", "superseded by ADR 12"),
        ("superseded by [ADR-0012](0012-valkey.md)", "superseded by ADR 12"),
        ("Superseded", "superseded"),
        ("under the weather", ""),
        ("{proposed | rejected | accepted | deprecated | … | superseded by ADR-0123}", ""),
        ("What is the status, such as proposed, accepted, rejected?", ""),
    ],
)
@pytest.mark.parametrize("form", [NYGARD, MADR, MADR_2], ids=["nygard", "madr", "madr2"])
def test_a_status_is_one_of_five(form: str, said: str, state: str) -> None:
    found = decision("docs/adr/0007-redis.md", form.replace("{status}", said))
    assert found is not None
    assert found.state == state


def test_what_was_accepted_and_later_superseded_is_superseded() -> None:
    text = NYGARD.replace("{status}", "Accepted\n\nSuperceded by [12. Valkey](0012-valkey.md)")
    found = decision("docs/adr/0007-redis.md", text)
    assert found is not None
    assert found.state == "superseded by ADR 12"
    assert found.supersedes == ()


@pytest.mark.parametrize("form", [NYGARD, MADR, MADR_2], ids=["nygard", "madr", "madr2"])
def test_every_form_says_its_number_title_and_date(form: str) -> None:
    found = decision("docs/adr/0007-redis.md", form.replace("{status}", "accepted"))
    assert found is not None
    assert (found.number, found.key) == (7, "ADR-7")
    assert found.title == "ADR 7: Redis for rate limits"
    assert found.date == MARCH_12


@pytest.mark.parametrize("form", [MADR, MADR_2], ids=["madr", "madr2"])
def test_who_decided_is_known(form: str) -> None:
    found = decision("docs/adr/0007-redis.md", form.replace("{status}", "accepted"))
    assert found is not None
    assert found.people == ("Kim Noor", "Sam Ito")


@pytest.mark.parametrize(
    ("said", "others"),
    [
        ("Accepted\n\nSupersedes [3. Memcached](0003-memcached.md)", [(3, "0003-memcached.md")]),
        ("Accepted\n\nSupercedes ADR-0003", [(3, "")]),
        ("Accepted\n\nReplaces ADR 3 and ADR 4", [(3, ""), (4, "")]),
        ("Accepted\n\nAmends [3. Memcached](0003-memcached.md)", []),
        ("Accepted", []),
    ],
)
def test_what_a_record_takes_the_place_of(said: str, others: list[tuple[int, str]]) -> None:
    found = decision("docs/adr/0007-redis.md", NYGARD.replace("{status}", said))
    assert found is not None
    assert found.supersedes == tuple(Named(*other) for other in others)


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        ("docs/adr/README.md", "# Decisions\n\n- [1. Record](0001-record.md)\n", False),
        ("docs/adr/template.md", "# Title\n\n## Status\n\n{proposed | accepted}\n", False),
        ("docs/adr/use-redis.md", "# Use Redis\n\nStatus: accepted\n", True),
        ("docs/use-redis.md", "# Use Redis\n\nStatus: accepted\n", False),
        ("docs/0001-install.md", "# 1. Install\n\nStatus: done\n", False),
        ("notes/queue.md", "# ADR-007: Queue in SQLite\n", True),
        ("notes/queue.md", "# How ADRs work\n", False),
        ("adr/0001-x.rst", "1. X\n====\n\nStatus\n------\n\nAccepted\n", True),
        ("adr/adr-009.adoc", "= ADR 9: Foo\n:status: Deprecated\n", True),
    ],
)
def test_what_is_a_decision_record(path: str, text: str, wanted: bool) -> None:
    assert (decision(path, text) is not None) is wanted


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("docs/adr/0007-redis.md", 7),
        ("docs/adr/7-redis.md", 7),
        ("docs/architecture/decisions/0012-x.md", 12),
        ("notes/adr-12-x.md", 12),
        ("adr/0007-redis.md", 7),
        ("docs/0007-redis.md", None),
        ("docs/adr/2026-03-12-redis.md", None),
        ("docs/adr/index.md", None),
        ("docs/padres/0007-x.md", None),
    ],
)
def test_a_file_name_begins_with_its_number(path: str, number: int | None) -> None:
    assert number_of(path) == number
