"""Notes that lead an answer."""

from __future__ import annotations

from hermes.agents.leads import is_widened, split_notes, unknown_names


def test_what_was_not_found_leads_the_answer_and_other_notes_stay() -> None:
    notes = [
        "nothing matches when “last month”; searched without that",
        "no commit in memory names #4714",
        "vectors cover 40 % of the chunks",
    ]
    assert split_notes(notes) == (
        [
            "Nothing in memory matches “last month”.",
            "No commit in memory names #4714; it may be a ticket that no commit message mentions.",
        ],
        ["vectors cover 40 % of the chunks"],
    )
    assert is_widened(notes)
    assert unknown_names(notes) == ["#4714"]
