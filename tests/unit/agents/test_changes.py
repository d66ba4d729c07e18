"""What a diff says about a question."""

from __future__ import annotations

from hermes.agents.changes import telling_change

CHANGES = """@@ -1 +1,4 @@
+- ``before_first`` is deprecated. Run setup code when creating
+  the application instead. :issue:`4605`
+- Another thing.
 in the middle
+of a sentence about before_first that began above
"""


def test_sentences_of_prose_are_put_together_from_wrapped_lines() -> None:
    assert telling_change(CHANGES, "CHANGES.rst", frozenset({"before_first"})) == (
        "added",
        "``before_first`` is deprecated. Run setup code when creating the application instead.",
    )


def test_a_part_of_a_sentence_is_left_out() -> None:
    assert telling_change("+of a sentence about locks\n", "a.md", frozenset({"lock"})) is None


def test_code_is_told_by_the_line_that_matches() -> None:
    diff = "--- a/x.py\n+++ b/x.py\n-retries = 3\n+limit = 4\n"
    assert telling_change(diff, "x.py", frozenset({"retri"})) == ("took out", "retries = 3")
