"""Which changes testmon can be trusted with."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hermes.agents.testing.shapes import Shape, changed_functions, kept, read_shape


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


CACHED = "import functools\n@functools.cache\ndef kept():"


@pytest.mark.parametrize(
    ("files", "outlives"),
    [
        ({"a.py": MODULE}, set[str]()),
        ({"a.py": f"{CACHED} pass\n"}, {"a.py::kept"}),
        ({"a.py": f"{CACHED} return g()\ndef g(): pass\n"}, {"a.py::kept", "a.py::g"}),
        (
            {"a.py": f"from b import g\n{CACHED} return g()\n", "b.py": "def g(): return h()\n"},
            {"a.py::kept", "b.py::g"},
        ),
        # Of the same name, but not what is imported.
        ({"a.py": f"{CACHED} return g()\n", "b.py": "def g(): pass\n"}, {"a.py::kept"}),
        (
            {"a.py": f"import b\n{CACHED} return b.g()\n", "b.py": "def g(): pass\n"},
            {"a.py::kept", "b.py::g"},
        ),
        (
            {
                "a.py": f"import b\n{CACHED} return b.A().size\n",
                "b.py": "class A:\n    @property\n    def size(self): pass\n    def no(self): pass\n",
            },
            {"a.py::kept", "b.py::A.size"},
        ),
        (
            {"a.py": f"{CACHED} return A()\nclass A:\n    def __init__(self): pass\n"},
            {"a.py::kept", "a.py::A.__init__"},
        ),
        # What a variable of the module is given; not what the function does besides.
        (
            {"a.py": "X = None\ndef get():\n    global X\n    log()\n    X = made()\n"
                     "def made(): pass\ndef log(): pass\n"},
            {"a.py::get", "a.py::made"},
        ),
        (
            {"a.py": "X = {}\ndef put(k):\n    v = made()\n    X[k] = v\ndef made(): pass\n"},
            {"a.py::put", "a.py::made"},
        ),
        ({"a.py": "X = []\ndef put(k): X.append(made(k))\ndef made(k): pass\n"},
         {"a.py::put", "a.py::made"}),
        ({"test_a.py": "X = {}\ndef test_put(): X[1] = made()\ndef made(): pass\n"}, set[str]()),
    ],
)  # fmt: skip
def test_what_outlives_a_test_is_not_left_to_testmon(
    files: Mapping[str, str], outlives: set[str]
) -> None:
    shapes = {path: [shape(text)] for path, text in files.items()}
    found = kept(shapes, {"a.py": ["b.py"] if "b.py" in files else []})
    assert {"::".join(each) for each in found} == outlives


def test_a_line_is_of_a_function_with_its_decorators_and_what_is_inside_of_it() -> None:
    found = shape(
        "@a\n@b(\n  1)\ndef f():\n    def g():\n        pass\nx = 1\nclass C:\n  def m(s): 1\n"
    )
    assert [found.function_at(line) for line in range(1, 10)] == [*["f"] * 6, "", "", "C.m"]


def test_a_file_that_does_not_parse_has_no_shape() -> None:
    assert read_shape("def (") is None
