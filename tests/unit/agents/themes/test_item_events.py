"""What happened to a ticket, a discussion or a pull request, and when."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hermes.agents.themes.item_evidence import STALLED_AFTER, events_of
from hermes.memory.records import Item, ItemChange, ItemKind
from hermes.tests.builders.items import thread, ticket

T = 1_700_000_000
DAY = 86_400


def pull(**fields: object) -> Item:
    made = replace(
        ticket("#482", "Retry payments", time=T, state="open"),
        kind=ItemKind.PULL,
        source="github",
        ref="github:shop/482",
    )
    return replace(made, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (
            ticket("ENG-1", "Retries", time=T, state="Todo"),
            [(0, "open", "was opened")],
        ),
        (
            pull(
                state="merged",
                closed=T + 3 * DAY,
                changed=T + 3 * DAY,
                changes=(
                    ItemChange(T, "state", "open"),
                    ItemChange(T + DAY // 2, "reviewer", "Kim Noor"),
                    ItemChange(T + DAY, "review", "changes requested by Kim Noor"),
                    ItemChange(T + DAY, "checks", "failed: tests"),
                    ItemChange(T + 2 * DAY, "review", "approved by Kim Noor"),
                    ItemChange(T + 3 * DAY, "state", "merged"),
                ),
            ),
            [
                (0, "open", "was opened"),
                (1, "open", "had changes requested by Kim Noor"),
                (2, "open", "was approved by Kim Noor"),
                (3, "closed", "was merged"),
            ],
        ),
        (
            ticket(
                "ENG-1",
                "Retries",
                time=T,
                state="Done",
                closed=T + 3 * DAY,
                changes=(
                    ItemChange(T, "state", "Todo"),
                    ItemChange(T + DAY, "assignee", "Sam Ito"),
                    ItemChange(T + 2 * DAY, "state", "In Progress"),
                    ItemChange(T + 3 * DAY, "state", "Done"),
                ),
            ),
            [
                (0, "open", "was opened"),
                (1, "open", "was assigned to Sam Ito"),
                (2, "open", "moved to In Progress"),
                (3, "closed", "was done"),
            ],
        ),
        (
            ticket(
                "ENG-1",
                "Retries",
                time=T,
                state="In Progress",
                changes=(
                    ItemChange(T + DAY, "state", "Done"),
                    ItemChange(T + 2 * DAY, "state", "In Progress"),
                ),
            ),
            [
                (0, "open", "was opened"),
                (1, "closed", "was done"),
                (2, "open", "was opened again (In Progress)"),
            ],
        ),
        (
            ticket("ENG-1", "Retries", time=T, state="Canceled", closed=T + DAY),
            [(0, "open", "was opened"), (1, "closed", "was closed")],
        ),
        (
            ticket("ENG-1", "Retries", time=T, state="In Progress", assignee="Sam Ito"),
            [(0, "open", "was opened"), (14, "stalled", "has not moved for two weeks")],
        ),
        (
            ticket("ENG-1", "Retries", time=T, state="Backlog", assignee="Sam Ito"),
            [(0, "open", "was opened")],
        ),
        (
            pull(state="merged", closed=T + DAY, changed=T + DAY),
            [(0, "open", "was opened"), (1, "closed", "was merged")],
        ),
        (pull(state="draft"), [(0, "open", "was opened")]),
        (
            replace(thread(0, time=T), changed=T + 2 * DAY),
            [(0, "", "was begun"), (2, "", "went on")],
        ),
        (thread(0, time=T), [(0, "", "was begun")]),
    ],
)
def test_an_item_tells_its_events(item: Item, expected: list[tuple[int, str, str]]) -> None:
    found = [((event.at - T) // DAY, event.state, event.note) for event in events_of(item)]
    assert found == expected
    assert STALLED_AFTER == 14 * DAY
