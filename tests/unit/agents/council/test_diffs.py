"""A diff as text, taken apart."""

from __future__ import annotations

import pytest

from hermes.agents.council.diffs import dependency_changes, read_diff, touched_of

GIT = """\
commit 3f2a9c1
    A message that quotes
    --- a/nothing
    +++ b/nothing

diff --git a/src/a.py b/src/a.py
index 1..2 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,4 @@ def f():
 keep
--- a/looks like a header
+++ b/looks like a header
+new

diff --git a/old.py b/new.py
similarity index 100%
rename from old.py
rename to new.py
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x
\\ No newline at end of file
diff --git a/logo.png b/logo.png
new file mode 100644
Binary files /dev/null and b/logo.png differ
diff --git "a/caf\\303\\251.md" "b/caf\\303\\251.md"
--- "a/caf\\303\\251.md"
+++ "b/caf\\303\\251.md"
@@ -0,0 +1 @@
+x
diff --git a/package-lock.json b/package-lock.json
--- a/package-lock.json
+++ b/package-lock.json
@@ -1 +1,2 @@
 {
+}
"""


def test_every_file_of_a_git_diff_is_read_with_its_counts() -> None:
    found = [
        (one.path, one.kind, one.added, one.removed, one.old_path, one.aside)
        for one in touched_of(read_diff(GIT))
    ]
    assert found == [
        ("src/a.py", "changed", 2, 1, "", False),
        ("new.py", "renamed", 0, 0, "old.py", False),
        ("gone.py", "removed", 0, 1, "", False),
        ("logo.png", "added", 0, 0, "", True),
        ("café.md", "changed", 1, 0, "", False),
        ("package-lock.json", "changed", 1, 0, "", True),
    ]


def test_a_diff_that_git_did_not_make_is_read_too() -> None:
    text = (
        "--- a.py\t2026-01-01\n+++ a.py\t2026-01-02\n@@ -1 +1,2 @@\n-x\n+y\n+z\n"
        "--- /dev/null\n+++ b.py\n@@ -0,0 +1 @@\n+x\n"
    )
    found = [(one.path, one.kind, one.added, one.removed) for one in read_diff(text)]
    assert found == [("a.py", "changed", 2, 1), ("b.py", "added", 1, 0)]


@pytest.mark.parametrize("text", ["", "no diff at all", "@@ -1 +1 @@\n+x", "diff --git a/x b/x"])
def test_what_is_no_diff_has_no_lines(text: str) -> None:
    assert sum(one.added + one.removed for one in read_diff(text)) == 0


def test_a_diff_that_was_cut_is_read_as_far_as_it_goes() -> None:
    cut = GIT[: GIT.index("+new")]
    assert [(one.path, one.added) for one in read_diff(cut)] == [("src/a.py", 1)]


def test_windows_line_ends_change_nothing() -> None:
    windows = [(one.path, one.added, one.removed) for one in read_diff(GIT.replace("\n", "\r\n"))]
    assert windows == [(one.path, one.added, one.removed) for one in read_diff(GIT)]


def test_dependencies_say_whether_they_come_go_or_change() -> None:
    text = (
        "--- a/requirements.txt\n+++ b/requirements.txt\n@@ -1,2 +1,2 @@\n"
        "-httpx==0.27\n-six==1.0\n+httpx==0.28\n+rich==13.0\n"
    )
    found = [
        (one.name, one.before, one.after, one.kind) for one in dependency_changes(read_diff(text))
    ]
    assert found == [
        ("httpx", "0.27", "0.28", "changed"),
        ("six", "1.0", "", "removed"),
        ("rich", "", "13.0", "added"),
    ]
