"""Who is meant by a name or an address."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.daemon.people_meant import Known, near, read_mailmap, who_is
from hermes.ingest.git.command import Git

KNOWN = [
    Known("Jo Roe", "jo@example.org", 40),
    Known("Jo Roe", "jo@home.example", 2),
    Known("jroe", "jo@example.org", 3),
    Known("Sam Ito", "sam@example.org", 9),
    Known("Ann Lee", "ann@one.example", 5),
    Known("Ann Lee", "ann@two.example", 5),
    Known("Ci", "bot@example.org", 5),
    Known("Deploy Bot", "bot@example.org", 5),
    Known("Release Bot", "bot@example.org", 5),
]


def test_a_name_stands_for_all_addresses_that_go_by_it() -> None:
    meant = who_is(["jo ROE"], KNOWN, [])
    assert meant.names == {"Jo Roe"}
    assert meant.addresses == {"jo@example.org", "jo@home.example"}
    assert meant.also == {"jroe"}
    assert [each.name for each in meant.identities] == ["Jo Roe", "Jo Roe", "jroe"]
    assert any("2 addresses go by jo ROE" in warning for warning in meant.warnings)
    assert any("--person jroe" in warning for warning in meant.warnings)


def test_an_address_does_not_take_a_name_that_another_goes_by_too() -> None:
    meant = who_is(["ann@one.example"], KNOWN, [])
    assert (meant.names, meant.addresses) == (set(), {"ann@one.example"})
    assert any("ann@two.example goes by it too" in warning for warning in meant.warnings)


def test_what_a_mailmap_joins_is_one_person() -> None:
    meant = who_is(["ann@one.example"], KNOWN, [{"ann@one.example", "ann@two.example"}])
    assert meant.names == {"Ann Lee"}
    assert meant.addresses == {"ann@one.example", "ann@two.example"}


def test_an_address_of_many_joins_nobody() -> None:
    meant = who_is(["Deploy Bot"], KNOWN, [])
    assert (meant.names, meant.also) == ({"Deploy Bot"}, set())
    assert sum("many use that address" in warning for warning in meant.warnings) == 2


def test_a_name_that_nobody_has_may_still_stand_in_texts() -> None:
    meant = who_is(["Jo Row"], KNOWN, [])
    assert (meant.names, meant.unknown) == ({"Jo Row"}, ["Jo Row"])
    assert any("nobody in memory is called so" in warning for warning in meant.warnings)


@pytest.mark.parametrize(
    ("term", "first"),
    [("Jo Row", "Jo Roe <jo@example.org>"), ("ann", "Ann Lee <ann@one.example>"), ("zzz", None)],
)
def test_who_is_near_is_told(term: str, first: str | None) -> None:
    found = near(term, KNOWN)
    assert (found[0] if found else None) == first


def test_each_line_of_a_mailmap_is_one_person(tmp_path: Path) -> None:
    git = Git(tmp_path / ".git", tmp_path, False, False, False, "")
    (tmp_path / ".mailmap").write_text(
        "# who is who\n\nJo Roe <jo@x.org> jroe <JO@old.org> # since May\n<sam@x.org> <sam@old>\n"
    )
    assert read_mailmap(git) == [
        {("Jo Roe", "jo@x.org"), ("jroe", "JO@old.org")},
        {("", "sam@x.org"), ("", "sam@old")},
    ]
    (tmp_path / ".mailmap").unlink()
    assert read_mailmap(git) == []
