"""Texts of every format, parted by their headings."""

from __future__ import annotations

import pytest

from hermes.ingest.documents.cleaning import clean, without_addresses
from hermes.ingest.documents.dates import day_of
from hermes.ingest.documents.decoding import NotText, decode
from hermes.ingest.documents.formats import Format, format_of
from hermes.ingest.documents.front_matter import split
from hermes.ingest.documents.notebook import NotANotebook, as_markdown
from hermes.ingest.documents.sections import outline

MARKDOWN = """intro

# Manual {#top}

above

## The `cache`

```sh
# no heading
```

text

### [Deep](x.md) **down**

deep

Other
-----

    # no heading either

> # quoted

## Empty

## Last #
end
"""
RST = """======
Manual
======

above

The ``cache``
=============

::

    no heading
    ----------

text

Deep down
---------

deep

+---+
| a |
+---+

Other
=====

=====  =====
A      B
=====  =====
x      y
=====  =====

end
"""
ASCIIDOC = """= Manual
:toc:

above

== The `cache`

----
== no heading
----

text

=== Deep down

deep

== Other

end
"""


@pytest.mark.parametrize(
    ("text", "form", "under"),
    [
        (
            MARKDOWN,
            Format.MARKDOWN,
            [(), (), ("The cache",), ("The cache", "Deep down"), ("Other",), ("Last",)],
        ),
        (RST, Format.RST, [(), ("The cache",), ("The cache", "Deep down"), ("Other",)]),
        (ASCIIDOC, Format.ASCIIDOC, [(), ("The cache",), ("The cache", "Deep down"), ("Other",)]),
    ],
    ids=["markdown", "rst", "asciidoc"],
)
def test_each_section_knows_the_headings_above_it(
    text: str, form: Format, under: list[tuple[str, ...]]
) -> None:
    found = outline(text, form)
    assert found.title == "Manual"
    assert [section.under for section in found.sections] == under
    assert "no heading" in found.sections[1 if form is not Format.MARKDOWN else 2].text


def test_a_text_without_headings_is_one_section() -> None:
    found = outline("just\nwords\n", Format.PLAIN)
    assert (found.title, [each.text for each in found.sections]) == ("", ["just\nwords"])


def test_a_text_of_five_thousand_headings_has_as_many_sections() -> None:
    text = "".join(f"# Heading {n}\n\ntext {n}\n\n" for n in range(5_000))
    assert len(outline(text, Format.MARKDOWN).sections) == 5_000


@pytest.mark.parametrize(
    ("text", "form", "left"),
    [
        ("a <!-- hidden --> b", Format.MARKDOWN, "a  b"),
        ("a <!-- hid\nden --> b", Format.MARKDOWN, "a  b"),
        ("a <!-- never closed", Format.MARKDOWN, "a <!-- never closed"),
        ("`<!-- code -->` x", Format.MARKDOWN, "`<!-- code -->` x"),
        (
            "```html\n<!-- code -->\n```\n<!-- hidden -->\n~~~\n<!-- code -->\n~~~\n",
            Format.MARKDOWN,
            "```html\n<!-- code -->\n```\n\n~~~\n<!-- code -->\n~~~\n",
        ),
        ("<!-- a --><!-- b -->c<!-- d -->", Format.MARKDOWN, "c"),
        (
            ".. hidden\n   too\n\nshown\n\n.. note:: shown\n",
            Format.RST,
            "shown\n\n.. note:: shown\n",
        ),
        ("shown\n// hidden\n////\nhidden\n////\nend", Format.ASCIIDOC, "shown\nend"),
    ],
)
def test_what_readers_do_not_see_is_left_out(text: str, form: Format, left: str) -> None:
    assert clean(text, form) == left


@pytest.mark.parametrize(
    ("text", "form", "left"),
    [
        ("see [3. Memcached](0003.md) first", Format.MARKDOWN, "see 3. Memcached first"),
        ("[![CI](a.svg)](https://ci) x", Format.MARKDOWN, "CI x"),
        ("[a](https://x.org/a_(b)) c", Format.MARKDOWN, "a c"),
        ("`a[i](x)` and [b][1]", Format.MARKDOWN, "`a[i](x)` and b"),
        ("```\na[i](x)\n```\n[b](c)", Format.MARKDOWN, "```\na[i](x)\n```\nb"),
        ("see `the guide <guide.rst>`_ and `code`", Format.RST, "see the guide and `code`"),
        ("see xref:a.adoc[the guide] at https://x.org/[X]", Format.ASCIIDOC, "see the guide at X"),
        ("[a](b)", Format.PLAIN, "[a](b)"),
    ],
)
def test_a_link_is_its_words(text: str, form: Format, left: str) -> None:
    assert without_addresses(text, form) == left


def test_a_hundred_thousand_brackets_take_no_time() -> None:
    assert without_addresses("[" * 100_000 + "](" * 50_000, Format.MARKDOWN)
    assert without_addresses("[a " * 50_000, Format.MARKDOWN)


def test_a_picture_that_is_written_into_a_text_is_left_out() -> None:
    text = f"![a](data:image/png;base64,{'A' * 5000})"
    assert clean(text, Format.MARKDOWN) == "![a](data:)"


def test_a_hundred_thousand_open_comments_take_no_time() -> None:
    assert clean("<!--" * 100_000, Format.MARKDOWN).startswith("<!--")


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"caf\xc3\xa9\r\nx\ry", "café\nx\ny", ""),
        (b"\xef\xbb\xbfx", "x", ""),
        ("\ufeffcafé".encode("utf-16-le"), "café", "UTF-16-LE"),
        ("\ufeffcafé".encode("utf-16-be"), "café", "UTF-16-BE"),
        (b"caf\xe9", "café", "Latin-1"),
    ],
)
def test_a_text_is_read_in_its_encoding(data: bytes, text: str, encoding: str) -> None:
    assert decode(data) == (text, encoding)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\0\0", b"\xff\x01\x02\x03" * 50, b"\xff\xfea"])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(NotText):
        decode(data)


def test_front_matter_is_read_and_taken_away() -> None:
    text = '---\ntitle: "A: b"\ntags: [x, "y"]\nservices:\n  - api\n  - web\nnested:\n  a: b\n---\n# H\n'
    fields, rest = split(text)
    assert fields == {"title": ("A: b",), "tags": ("x", "y"), "services": ("api", "web")}
    assert rest == "# H\n"
    assert split('+++\ntitle = "T"\nn = [1, 2]\n+++\nx')[0] == {"title": ("T",), "n": ("1", "2")}
    assert split("+++\nbroken\n+++\nx") == ({}, "x")
    assert split("---\nno end") == ({}, "---\nno end")


NOTEBOOK = """{"cells": [
 {"cell_type": "markdown", "source": ["# Load\\n", "why"]},
 {"cell_type": "code", "source": "1 + 1", "outputs": [
  {"output_type": "execute_result", "data": {"text/plain": ["2"]}},
  {"output_type": "display_data", "data": {"image/png": "iVBOR", "text/plain": "<Figure>"}},
  {"output_type": "stream", "text": ["%s"]},
  {"output_type": "error", "ename": "KeyError", "evalue": "'a'", "traceback": ["long"]}]},
 {"cell_type": "code", "source": []}],
 "metadata": {"kernelspec": {"language": "julia", "name": "j"}}, "nbformat": 4}"""


def test_a_notebook_is_its_cells_and_what_they_said_in_short() -> None:
    assert as_markdown(NOTEBOOK % ("x" * 500)) == (
        "# Load\nwhy\n\n```julia\n1 + 1\n```\n\n```text\n2\n```\n\n```text\nKeyError: 'a'\n```\n"
    )


def test_a_notebook_of_before_2015_is_read() -> None:
    old = '{"worksheets": [{"cells": [{"cell_type": "heading", "level": 2, "source": "Load"},'
    old += '{"cell_type": "code", "input": "1", "outputs": []}]}]}'
    assert as_markdown(old) == "## Load\n\n```python\n1\n```\n"


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"cells": [1]}', '{"cells": ' + "[" * 10_000])
def test_what_is_no_notebook_is_refused(text: str) -> None:
    with pytest.raises(NotANotebook):
        as_markdown(text)


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("docs/A.MD", Format.MARKDOWN),
        ("a.rst", Format.RST),
        ("a.adoc", Format.ASCIIDOC),
        ("a.ipynb", Format.NOTEBOOK),
        ("a.txt", Format.PLAIN),
        ("README", Format.PLAIN),
        ("docs:R1/notes/README", Format.PLAIN),
        ("a.py", None),
        ("a.md.bak", None),
        ("Makefile", None),
    ],
)
def test_a_format_is_told_by_the_name(path: str, form: Format | None) -> None:
    assert format_of(path) is form


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-03-12", 1_773_316_800),
        ("on 12 March 2026, late", 1_773_316_800),
        ("March 12th, 2026", 1_773_316_800),
        ("Thu, 12 Mar. 2026", 1_773_316_800),
        ("2026/03/12T10:00Z", 1_773_316_800),
        ("3/12/2026", None),
        ("2026-13-40", None),
        ("12 Potatoes 2026", None),
        ("", None),
    ],
)
def test_a_day_is_read_where_it_can_be_only_one(text: str, day: int | None) -> None:
    assert day_of(text) == day
