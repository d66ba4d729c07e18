"""Patterns to exclude, in .gitignore's language."""

from __future__ import annotations

import pytest

from hermes.ingest.git.ignored import BadPattern, Rules
from hermes.memory.records import Content


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("notes/private.md", Content.EXCLUDED),
        ("a/b/dump.sql", Content.EXCLUDED),
        ("a/keep.sql", Content.TEXT),
        ("secret.txt", Content.EXCLUDED),
        ("sub/secret.txt", Content.TEXT),
        ("api/schema.ts", Content.GENERATED),
        ("libs/copied/x.c", Content.VENDORED),
        ("src/main.c", Content.TEXT),
        ("go.sum", Content.LOCK),
    ],
)
def test_patterns_exclude_paths(path: str, content: Content) -> None:
    rules = Rules(
        ["# a comment", "", "notes/", "*.sql", "!keep.sql", "/secret.txt"],
        generated=["schema.ts"],
        vendored=["libs/copied/**"],
    )
    assert rules.by_path(path) is content


def test_a_pattern_that_means_nothing_is_refused_with_a_hint() -> None:
    with pytest.raises(BadPattern) as caught:
        Rules(["!"])
    assert ".hermesignore" in caught.value.hint
