"""Globs and quoting."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.memory.filters import glob_pattern, one_of, quoted


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/a.py", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "src/deep/a.py", True),
        ("src/**", "src/deep/a.py", True),
        ("src/**", "srcs/a.py", False),
        ("src/*/a.py", "src/deep/a.py", True),
        ("src/*/a.py", "src/very/deep/a.py", False),
        ("src/d*p", "src/deep/a.py", True),
        ("a?.py", "ab.py", True),
        ("a?.py", "a/.py", False),
        ("[ab].py", "b.py", True),
        ("[!ab].py", "b.py", False),
        ("[^ab].py", "c.py", True),
        ("[a-c].py", "b.py", True),
        ("[.py", "[.py", True),
        ("a.py", "axpy", False),
        ("a+(b)|c$*", "a+(b)|c$d", True),
    ],
)
def test_a_glob_matches_what_it_should(glob: str, path: str, matches: bool) -> None:
    assert (re.search(glob_pattern(glob), path) is not None) == matches


@given(st.text())
def test_any_glob_is_a_valid_pattern(glob: str) -> None:
    re.compile(glob_pattern(glob))


@given(st.text(alphabet=st.characters(exclude_characters="*?[]")))
def test_a_glob_without_wildcards_matches_itself(glob: str) -> None:
    assert re.search(glob_pattern(glob), glob, re.DOTALL) or "\n" in glob


def test_quotes_are_doubled() -> None:
    assert quoted("it's") == "'it''s'"
    assert one_of("ref", ["b'", "a"]) == "ref IN ('a', 'b''')"
    assert one_of("ref", []) == "false"
