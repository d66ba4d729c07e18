"""What documents name as code, and exactly where."""

from __future__ import annotations

import pytest

from hermes.agents.documents.documents import read
from hermes.agents.documents.records import Document, Thing


def named(document: Document | None) -> set[tuple[Thing, str, int, int]]:
    assert document is not None
    return {(each.thing, each.name, each.line, each.column) for each in document.mentions}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.md", "Use `--fast` now.\n", (Thing.FLAG, "--fast", 1, 5)),
        ("a.md", "# T\n\nSet `SHOP_HOME` first.\n", (Thing.VARIABLE, "SHOP_HOME", 3, 5)),
        ("a.md", "See `shop/cart.py`.\n", (Thing.PATH, "shop/cart.py", 1, 5)),
        ("a.md", "Call `Cart.total()`.\n", (Thing.SYMBOL, "Cart.total()", 1, 6)),
        ("a.md", "In `[tests] command` it is.\n", (Thing.SETTING, "[tests] command", 1, 4)),
        ("a.md", "x\n\n```console\n$ shop sell --fast\n```\n", (Thing.FLAG, "--fast", 4, 12)),
        ("a.md", "x\n\n```sh\nshop sell now\n```\n", (Thing.COMMAND, "shop sell", 4, 0)),
        ("a.md", "```toml\n[shop]\nspeed = 1\n```\n", (Thing.SETTING, "speed", 3, 0)),
        ("a.md", "- a\n\n  ```json\n  {\"speed\": 1}\n  ```\n", (Thing.SETTING, "speed", 4, 4)),
        ("a.md", "A {func}`shop.buy` role.\n", (Thing.SYMBOL, "shop.buy", 1, 9)),
        ("a.md", "```{eval-rst}\nUse ``--fast``.\n```\n", (Thing.FLAG, "--fast", 2, 6)),
        ("a.md", "| a | b |\n|---|---|\n| `--fast` | x |\n", (Thing.FLAG, "--fast", 3, 3)),
        ("a.md", "wrapped `shop sell\n--fast` code\n", (Thing.FLAG, "--fast", 2, 0)),
        ("a.rst", "Use ``--fast`` now.\n", (Thing.FLAG, "--fast", 1, 6)),
        ("a.rst", "T\n=\n\n:func:`~shop.buy` it.\n", (Thing.SYMBOL, "shop.buy", 4, 8)),
        ("a.rst", "Run::\n\n    $ shop sell --fast\n", (Thing.FLAG, "--fast", 3, 16)),
        ("a.rst", ".. code-block:: toml\n\n   speed = 1\n", (Thing.SETTING, "speed", 3, 3)),
        ("a.rst", ".. tabs::\n\n   .. tab:: A\n\n      Use ``--fast``.\n",
         (Thing.FLAG, "--fast", 5, 12)),
        ("a.md", "Carts, a {class}`Cart`.\n", (Thing.SYMBOL, "Cart", 1, 17)),
        ("a.rst", ".. note:: Use\n   ``--fast``.\n", (Thing.FLAG, "--fast", 2, 5)),
        ("a.rst", "See :ref:`shop sell --fast <x>`.\n", (Thing.FLAG, "--fast", 1, 20)),
        ("a.py", '"""Uses `buy_now()`."""\n', (Thing.SYMBOL, "buy_now()", 1, 9)),
        ("a.py", 'def f():\n    """See :meth:`Cart.total`."""\n',
         (Thing.SYMBOL, "Cart.total", 2, 18)),
        ("README", "Use `--fast`.\n", (Thing.FLAG, "--fast", 1, 5)),
    ],
)  # fmt: skip
def test_a_name_marked_as_code_is_found_where_it_stands(
    path: str, text: str, expected: tuple[Thing, str, int, int]
) -> None:
    assert expected in named(read(path, text))


def test_plain_words_and_addresses_are_no_mentions() -> None:
    document = read("a.md", "The total of --fast things, see <https://a.example/shop/cart.py>.\n")
    assert named(document) == set()


def test_links_are_found_with_their_targets() -> None:
    text = "See [the cart](shop/cart.md#total) and [more][m].\n\n[m]: other.md\n"
    document = read("a.md", text)
    assert document is not None
    assert {(each.name, each.line, each.column) for each in document.links} == {
        ("other.md", 3, 5),
        ("shop/cart.md#total", 1, 15),
    }


def test_headings_give_the_anchors_that_links_may_use() -> None:
    document = read("a.md", "# A `--fast` sale!\n\n## Same\n\n## Same\n\n<a id='Own'></a>\n")
    assert document is not None
    assert {"a---fast-sale", "same", "same-1", "own"} <= set(document.anchors)


@pytest.mark.parametrize(
    "text",
    [
        "Use `--fast`. <!-- hermes-ignore -->\n",
        "<!-- hermes-ignore -->\nUse\n`--fast`.\n",
        "<!-- hermes-ignore -->\n```sh\n\nshop --fast\n```\n",
    ],
)
def test_a_marker_takes_out_its_line_or_the_block_after_it(text: str) -> None:
    document = read("a.md", text + "\nUse `--slow`.\n")
    assert document is not None
    live = {each.name for each in document.mentions if each.line not in document.ignored}
    assert live == {"--slow"}


@pytest.mark.parametrize(
    "text",
    [
        "## 1.2.0 (2024-01-01)\n\nUse `--fast`.\n",
        "The option `--fast` was removed.\n",
        "Since last year\n`--fast` is no longer there.\n",
    ],
)
def test_text_that_tells_of_the_past_is_marked_as_such(text: str) -> None:
    document = read("a.md", text)
    assert document is not None
    assert {each.line for each in document.mentions if each.name == "--fast"} <= document.past


def test_a_change_told_by_a_directive_is_of_the_past() -> None:
    document = read("a.rst", ".. versionadded:: 0.4\n   ``--old``\n\nUse ``--fast``.\n")
    assert document is not None
    assert {1, 2} <= document.past
    assert 4 not in document.past


def test_a_section_after_a_version_speaks_of_the_present_again() -> None:
    document = read("a.md", "## 1.2.0\n\n`--old`\n\n## Use\n\n`--fast`\n")
    assert document is not None
    assert 7 not in document.past


@pytest.mark.parametrize(
    "text",
    [
        "``unclosed\n\n.. note\n\n===\nx\n==\n\n* a\n b\n:foo:`\n\n.. figure:: /etc/passwd\n",
        ".. include:: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n\nUse ``--fast``.\n",
        ".. csv-table::\n   :file: /etc/passwd\n\n.. unknown-thing:: x\n   :odd: y\n\n   ``z``\n",
        "+---+\n| a |\n+--\n\n|sub|\n\n.. |sub| image:: x.png\n\n`a <b>`_ `c`__ d_\n",
        "\x01\x02 \ufffd ``\n" * 50,
    ],
)
def test_broken_markup_reads_no_file_and_raises_nothing(
    text: str, capfd: pytest.CaptureFixture[str]
) -> None:
    document = read("a.rst", text)
    assert document is not None
    assert "root:" not in str(document.mentions) + str(document.samples)
    assert capfd.readouterr() == ("", "")


def test_what_is_large_or_binary_is_no_document() -> None:
    assert read("a.md", "x" * 5_000_000) is None
    assert read("a.md", "a\0b") is None
    assert read("a.py", "def (") is None
    assert read("a.bin", "x") is None
