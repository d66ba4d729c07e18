"""Pages of themes without what is forgotten."""

from __future__ import annotations

from datetime import date

from hermes.agents.themes.forgetting import without
from hermes.agents.themes.records import Line, Page, State, Theme

DAY = date(2025, 3, 4)
MINE, THEIRS = "a" * 40, "b" * 40


def theme(*lines: Line, title: str = "Other changes: Mind the marsupials and 1 more") -> Theme:
    references = tuple(dict.fromkeys(ref for line in lines for ref in line.references))
    return Theme("scope:search", title, State.DONE, lines, references=references)


def page(*themes: Theme) -> Page:
    return Page("r", "shop", DAY, DAY, themes, "digest")


def same(text: str) -> str:
    return text


def test_a_theme_that_loses_evidence_is_not_called_by_it_any_more() -> None:
    kept = Line("Sam Ito sorted the parcels", (MINE,))
    left = without(
        page(theme(kept, Line("Jo Roe: mind the marsupials", (THEIRS,)))), {THEIRS}, same
    )
    assert left is not None
    assert [(each.title, each.what) for each in left.themes] == [(kept.text, (kept,))]


def test_a_line_that_tells_of_several_goes_with_one_of_them() -> None:
    kept = Line("Sam Ito sorted the parcels", (MINE,))
    both = Line("Sorted the parcels, mind the marsupials", (MINE, THEIRS))
    left = without(page(theme(kept, both)), {THEIRS}, same)
    assert left is not None
    assert left.themes[0].what == (kept,)
    assert without(page(theme(both)), {THEIRS}, same) is None


def test_the_next_night_makes_a_page_again_that_lost_something() -> None:
    kept = Line("Sam Ito sorted the parcels", (MINE,))
    whole = page(theme(kept, Line("Jo Roe: mind the marsupials", (THEIRS,))))
    left = without(whole, {THEIRS}, same)
    assert left is not None
    assert left.digest != whole.digest
    assert without(left, {THEIRS}, same) is left


def test_a_page_that_has_nothing_of_it_is_itself() -> None:
    whole = page(theme(Line("Sam Ito sorted the parcels", (MINE,))))
    assert without(whole, {THEIRS}, same) is whole
