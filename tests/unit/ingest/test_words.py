"""How changes of files read."""

from __future__ import annotations

import pytest

from hermes.ingest.git.words import decode_path, decode_text, stub_line, submodule_line, with_header
from hermes.memory.records import Content, FileChange

PLAIN = ("100644", "100644")


@pytest.mark.parametrize(
    ("file", "size", "modes", "line"),
    [
        (
            FileChange("uv.lock", "M", Content.LOCK, None, 12, 3),
            None,
            PLAIN,
            "uv.lock: lock file changed, +12 -3 lines",
        ),
        (
            FileChange("logo.png", "A", Content.BINARY),
            34_567,
            ("000000", "100644"),
            "logo.png: binary file added, 34,567 bytes",
        ),
        (FileChange("old.bin", "D", Content.BINARY), None, PLAIN, "old.bin: binary file deleted"),
        (
            FileChange("b.py", "R", Content.TEXT, "a.py"),
            None,
            PLAIN,
            "b.py: file renamed from a.py",
        ),
        (
            FileChange("run.sh", "M", Content.TEXT),
            None,
            ("100644", "100755"),
            "run.sh: file changed, mode 100644 → 100755",
        ),
    ],
)
def test_a_stub_says_in_one_line_what_happened(
    file: FileChange, size: int | None, modes: tuple[str, str], line: str
) -> None:
    assert stub_line(file, size, modes) == line


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain", "plain"),
        ("größe".encode(), "größe"),
        ("größe".encode("latin-1"), "größe"),
        (b"cut within \xe2\x82", "cut within "),
        (b"nul \0 byte", "nul � byte"),
        (b"", ""),
    ],
)
def test_bytes_of_any_encoding_become_text(raw: bytes, text: str) -> None:
    assert decode_text(raw) == text


def test_a_path_that_is_no_utf8_shows_its_odd_bytes() -> None:
    assert decode_path(b"caf\xe9/\xff.txt") == "caf\\xe9/\\xff.txt"
    assert decode_path("größe.txt".encode()) == "größe.txt"


@pytest.mark.parametrize(
    ("change", "old_path", "header"),
    [
        ("M", None, "--- a/x.py\n+++ b/x.py\n"),
        ("A", None, "--- /dev/null\n+++ b/x.py\n"),
        ("D", None, "--- a/x.py\n+++ /dev/null\n"),
        ("R", "w.py", "--- a/w.py\n+++ b/x.py\n"),
    ],
)
def test_a_diff_is_headed_by_its_file(change: str, old_path: str | None, header: str) -> None:
    assert with_header(change, "x.py", old_path, "@@ -1 +1 @@") == header + "@@ -1 +1 @@"


def test_a_submodule_says_from_where_to_where() -> None:
    hunk = f"@@ -1 +1 @@\n-Subproject commit {'a' * 40}\n+Subproject commit {'b' * 40}"
    assert submodule_line("libs/x", hunk) == f"libs/x: submodule {'a' * 12} → {'b' * 12}"
    added = f"@@ -0,0 +1 @@\n+Subproject commit {'b' * 40}"
    assert submodule_line("libs/x", added) == f"libs/x: submodule none → {'b' * 12}"
