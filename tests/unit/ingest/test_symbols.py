"""What source files define, and what a change does to it."""

from __future__ import annotations

import pytest

from hermes.ingest.symbols import compare, symbols

FILES = {
    "a.py": (
        "import os\nLIMIT = 1\nclass Cart(Base):\n    size: int = 2\n    @cached\n"
        "    def total(self, a, /, b=1, *c, d: int = 2, **e) -> str:\n        return 1\n"
        "if os.name:\n    def _go(): pass\n"
    ),
    "a.go": (
        "package a\nconst Limit = 1\ntype Cart struct { F int }\n"
        "func (c *Cart) Total(a, b int, c ...string) (int, error) { return 1, nil }\n"
        "func open(x int) int { return x }\n"
    ),
    "a.rs": (
        "pub const LIMIT: u32 = 1;\npub struct Cart { pub f: u32 }\n"
        "impl<T> Cart<T> { pub fn total(&self, a: u32) -> u64 { 1 } }\nfn open() {}\n"
    ),
    "a.ts": (
        "export const LIMIT = 1;\nexport class Cart { total(a?: number, b = 2): string "
        '{ return "" } }\nconst open = (x: number) => x;\n'
    ),
    "a.js": "export const LIMIT = 1;\nexport class Cart { total(a, b = 2) {} }\n",
    "A.java": (
        "public class Cart { public static final int LIMIT = 1;\n"
        "  public String total(int a, String... b) { return null; } }\n"
    ),
    "a.c": "#define LIMIT 1\nstruct cart { int a; };\nint total(int a, char *b) { return 1; }\n",
    "a.rb": "module Shop\n class Cart\n  LIMIT = 1\n  def total(a, b = 2)\n  end\n end\nend\n",
}


@pytest.mark.parametrize(
    ("path", "name", "kind", "parameters"),
    [
        (
            "a.py",
            "Cart.total",
            "method",
            (("self", ""), ("a", ""), ("b", "1"), ("*c", ""), ("d", "2"), ("**e", "")),
        ),
        ("a.py", "LIMIT", "constant", ()),
        ("a.py", "Cart.size", "constant", ()),
        ("a.py", "_go", "function", ()),
        ("a.go", "Cart.Total", "method", (("a", ""), ("b", ""), ("*c", ""))),
        ("a.go", "Cart", "type", ()),
        ("a.go", "open", "function", (("x", ""),)),
        ("a.rs", "Cart.total", "method", (("a", ""),)),
        ("a.rs", "LIMIT", "constant", ()),
        ("a.ts", "Cart.total", "method", (("a", ""), ("b", "2"))),
        ("a.ts", "open", "function", (("x", ""),)),
        ("a.js", "Cart.total", "method", (("a", ""), ("b", "2"))),
        ("A.java", "Cart.total", "method", (("a", ""), ("*b", ""))),
        ("A.java", "Cart.LIMIT", "constant", ()),
        ("a.c", "total", "function", (("a", ""), ("b", ""))),
        ("a.c", "LIMIT", "constant", ()),
        ("a.rb", "Shop.Cart.total", "method", (("a", ""), ("b", "2"))),
    ],
)
def test_definitions_are_found_with_their_parameters(
    path: str, name: str, kind: str, parameters: tuple[tuple[str, str], ...]
) -> None:
    found = {each.name: each for each in symbols(path, FILES[path]) or ()}
    assert name in found
    assert (found[name].kind, found[name].parameters) == (kind, parameters)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def broken(:\n"),
        ("a.py", "print 'two'\n"),
        ("a.txt", "def f(): pass\n"),
        ("a.py", "x = 1\0\n"),
    ],
)
def test_what_can_not_be_read_is_none_and_says_nothing_of_a_change(path: str, text: str) -> None:
    assert symbols(path, text) is None
    assert compare(symbols("a.py", "def f(): pass\n"), symbols(path, text)) == ()


def test_who_is_public_follows_the_language() -> None:
    shown = {
        path: {each.short for each in symbols(path, text) or () if each.public}
        for path, text in FILES.items()
    }
    assert "_go" not in shown["a.py"]
    assert "open" not in shown["a.go"]
    assert "open" not in shown["a.rs"]
    assert "open" not in shown["a.ts"]
    assert all({"Cart", "cart"} & names or "total" in names for names in shown.values())


BODY = "    a = read(x)\n    b = a + 1\n    write(b)\n    return b\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "def f(): pass\n", [("added", "f", "")]),
        ("def f(): pass\n", "", [("removed", "f", "")]),
        (f"def f(x):\n{BODY}", f"def g(x):\n{BODY}", [("renamed", "g", "f is g now")]),
        (
            "def f(x):\n    return x\n",
            "def g(x):\n    return x\n",
            [("renamed", "g", "f is g now")],
        ),
        (
            "def f(x):\n    return x\n",
            "def g(y, z):\n    return y * z\n",
            [("removed", "f", ""), ("added", "g", "")],
        ),
        (
            "def f(a, b=1): pass\n",
            "def f(a, b=2): pass\n",
            [("default", "f", "b defaults to 2, was 1")],
        ),
        (
            "def f(a, b): pass\n",
            "def f(a, c): pass\n",
            [("signature", "f", "the parameter b of f is c now")],
        ),
        (
            "def f(a): pass\n",
            "def f(a, *, c=1): pass\n",
            [("signature", "f", "f with c")],
        ),
        (
            "def f() -> int: ...\n",
            "def f() -> str: ...\n",
            [("returns", "f", "returns str, was int")],
        ),
        ("LIMIT = 10\n", "LIMIT = 30\n", [("default", "LIMIT", "LIMIT is 30, was 10")]),
        ("LIMIT = 10\n", "MOST = 10\n", [("renamed", "MOST", "LIMIT is MOST now")]),
        ("def f():\n    return 1\n", "def f():\n    return 2\n", [("body", "f", "")]),
        ("def f():\n    return 1\n", "def f():\n        return 1\n", []),
        (
            f"class A:\n    def f(x):\n{BODY.replace('    ', '        ')}",
            f"class B:\n    def f(x):\n{BODY.replace('    ', '        ')}",
            [("renamed", "B", "A is B now")],
        ),
        ("class A:\n    def f(self): pass\n", "", [("removed", "A", "")]),
        (
            f"def f(x):\n{BODY}",
            f"def g(x, y=1):\n{BODY}",
            [("renamed", "g", "f is g now"), ("signature", "g", "g with y")],
        ),
    ],
)
def test_a_change_is_told_by_what_it_does_to_names(
    before: str, after: str, expected: list[tuple[str, str, str]]
) -> None:
    found = compare(symbols("a.py", before), symbols("a.py", after))
    assert [(each.what, each.symbol.name, each.detail) for each in found] == expected
