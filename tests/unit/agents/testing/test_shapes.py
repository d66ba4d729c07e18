"""Which changes testmon can be trusted with."""

from __future__ import annotations

import pytest

from hermes.agents.testing.shapes import (
    Shape,
    changed_functions,
    read_shape,
    seen_in_tests,
    shared_names,
)


def shape(text: str) -> Shape:
    found = read_shape(text)
    assert found is not None
    return found


MODULE = """
LIMIT = 5

def made():
    return 1

VALUE = made()

def plain(n):
    '''Adds.'''
    return n + 1

class Cart:
    def total(self):
        return 2
"""


@pytest.mark.parametrize(
    ("old", "new", "functions"),
    [
        ("n + 1", "n + 2", ("plain",)),
        ("return 2", "return 3", ("Cart.total",)),
        ("LIMIT = 5", "LIMIT = 6", None),
        ("Adds", "Subtracts", None),
        ("plain(n)", "plain(n, m=1)", None),
        ("def plain", "# a comment\ndef plain", ()),
    ],
)
def test_a_change_is_within_functions_or_not(
    old: str, new: str, functions: tuple[str, ...] | None
) -> None:
    assert changed_functions(shape(MODULE), shape(MODULE.replace(old, new))) == functions


@pytest.mark.parametrize(
    ("text", "function", "seen"),
    [
        (MODULE, "plain", True),
        (MODULE, "made", False),
        ("def deep(): pass\ndef made(): deep()\nX = made()\n", "deep", False),
        ("def wrap(f): return f\n@wrap\ndef a(): pass\n", "wrap", False),
        ("import functools\n@functools.cache\ndef kept(): pass\n", "kept", False),
        ("import functools\ndef g(): pass\n@functools.cache\ndef kept(): g()\n", "g", False),
        ("SEEN = {}\ndef put(k): SEEN[k] = 1\n", "put", False),
        ("class A:\n    def __init__(self): pass\n", "A.__init__", True),
        ("class A:\n    def __init__(self): pass\nX = A()\n", "A.__init__", False),
        (
            "import pytest\ndef g(): pass\n@pytest.fixture(scope='session')\ndef s(): g()\n",
            "g",
            False,
        ),
        ("import pytest\ndef g(): pass\n@pytest.fixture\ndef s(): g()\n", "g", True),
    ],
)
def test_code_that_runs_outside_of_its_test_is_not_left_to_testmon(
    text: str, function: str, seen: bool
) -> None:
    assert seen_in_tests([function], shared_names([shape(text)])) is seen


def test_a_file_that_does_not_parse_has_no_shape() -> None:
    assert read_shape("def (") is None
