"""Whether two commits do the same, by their lines."""

from __future__ import annotations

import pytest

from hermes.agents.hygiene.changes import Change, Lines, changed_lines, likeness, redone, undone

DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@ def f():\n unchanged\n-    old()\n+    new()\n+\n"


def change(text: str, *unread: str) -> Change:
    """Given ``+a -b``, return the change that adds a and removes b."""
    lines = Lines((word[0], word[1:]) for word in text.split())
    return Change(lines, {"x.py", *unread}, {(path, "M") for path in unread})


def test_a_diffs_lines_are_the_changed_ones_without_their_indentation() -> None:
    assert list(changed_lines(DIFF)) == [("-", "old()"), ("+", "new()")]


def test_a_removed_line_that_begins_with_dashes_is_no_heading() -> None:
    assert list(changed_lines("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n--- x")) == [("-", "-- x")]


def test_what_stands_for_a_binary_file_has_no_lines() -> None:
    assert list(changed_lines("binary file changed, 12 bytes")) == []


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (change("+a -b"), change("+a -b"), 1.0),
        (change("+a +b +c +d"), change("+a +b +c +e"), 0.75),
        (change("+a"), change("-a"), 0.0),
        (change("", "logo.png"), change("", "logo.png"), 1.0),
        (change("", "logo.png"), change("", "icon.png"), 0.0),
        (change(""), change(""), 1.0),
    ],
)
def test_likeness(one: Change, other: Change, expected: float) -> None:
    assert likeness(one, other) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("what", "by", "expected"),
    [
        ("+a -b", "-a +b", 1.0),
        ("+a +b", "-a +c", 0.5),
        ("+a +a", "-a", 0.5),
        ("+a", "+a", 0.0),
    ],
)
def test_how_much_of_a_change_is_taken_back(what: str, by: str, expected: float) -> None:
    assert undone(change(what), change(by)) == pytest.approx(expected)


def test_a_binary_file_is_taken_back_by_what_touches_it() -> None:
    assert undone(change("", "logo.png"), change("", "logo.png")) == 1.0
    assert undone(change("", "logo.png"), change("")) == 0.0


@pytest.mark.parametrize(
    ("what", "by", "expected"),
    [
        ("+a +b -c", "+a +b", 1.0),
        ("+a +b -c", "-c", 0.0),  # what it took away may go for other reasons
        ("-a -b -c +d", "-a -b", 2 / 3),  # it was there to remove
    ],
)
def test_how_much_of_a_change_is_done_again(what: str, by: str, expected: float) -> None:
    assert redone(change(what), change(by)) == pytest.approx(expected)
