"""Whether work is open, done or stalled, from the last that is known of it."""

from __future__ import annotations

import pytest

from hermes.agents.themes.records import Evidence, State
from hermes.agents.themes.state import state_of
from hermes.agents.themes.taken_back import is_taken_back, undone
from hermes.tests.builders.themes import Happenings


def landed(happen: Happenings) -> None:
    happen.commit("Add retries (ENG-1)", "shop/pay.py")


def waiting(happen: Happenings) -> None:
    happen.commit("Add retries (ENG-1)", "shop/pay.py", landed=0, branch="retries")


def unfinished(happen: Happenings) -> None:
    happen.commit("WIP retries", "shop/pay.py")


def ticket_open(happen: Happenings) -> None:
    landed(happen)
    happen.ticket("ENG-1", "Retries", "open", "was opened")


def ticket_done(happen: Happenings) -> None:
    happen.ticket("ENG-1", "Retries", "open", "was opened")
    happen.ticket("ENG-1", "Retries", "closed", "was done")


def ticket_open_again(happen: Happenings) -> None:
    ticket_done(happen)
    happen.ticket("ENG-1", "Retries", "open", "was opened again (Todo)")


def ticket_done_but_work_waits(happen: Happenings) -> None:
    ticket_done(happen)
    waiting(happen)


def nobody_moved(happen: Happenings) -> None:
    happen.ticket("ENG-1", "Retries", "stalled", "has not moved for two weeks")


def red(happen: Happenings) -> None:
    landed(happen)
    happen.test("tests/test_pay.py::test_retry", "red")


def green_again(happen: Happenings) -> None:
    red(happen)
    happen.test("tests/test_pay.py::test_retry", "green")


def talk(happen: Happenings) -> None:
    happen.thread("Shall we retry?")


def document_put_right(happen: Happenings) -> None:
    happen.drift(1, "README.md", "open")
    happen.drift(1, "README.md", "accepted")


@pytest.mark.parametrize(
    ("happened", "state"),
    [
        (landed, State.DONE),
        (waiting, State.OPEN),
        (unfinished, State.OPEN),
        (ticket_open, State.OPEN),
        (ticket_done, State.DONE),
        (ticket_open_again, State.OPEN),
        (ticket_done_but_work_waits, State.OPEN),
        (nobody_moved, State.STALLED),
        (red, State.OPEN),
        (green_again, State.DONE),
        (talk, State.OPEN),
        (document_put_right, State.DONE),
    ],
    ids=lambda value: value.__name__ if callable(value) else str(value),
)
def test_work_is_in_a_state(happened: object, state: State) -> None:
    happen = Happenings()
    assert callable(happened)
    happened(happen)
    assert state_of(happen.made) is state


def _again(happen: Happenings) -> list[Evidence]:
    first = happen.commit("Add a cache", "shop/pay.py")
    back = happen.commit('Revert "Add a cache"', "shop/pay.py", undoes=first.ref)
    happen.commit('Reapply "Add a cache"', "shop/pay.py", undoes=back.ref)
    return happen.made


def test_what_was_reverted_is_taken_back_until_it_is_put_in_again() -> None:
    happen = Happenings()
    made = _again(happen)

    assert is_taken_back(made[:2])
    assert undone(made[:2]) == {made[0].ref: made[1].ref}
    assert not is_taken_back(made)
    assert undone(made) == {}


def test_work_of_which_a_part_was_reverted_is_not_taken_back() -> None:
    happen = Happenings()
    first = happen.commit("Add a cache", "shop/pay.py")
    happen.commit("Measure the cache", "shop/pay.py")
    happen.commit('Revert "Add a cache"', "shop/pay.py", undoes=first.ref)

    assert not is_taken_back(happen.made)
