"""Tickets for the local page."""

from __future__ import annotations

from hermes.daemon.web_tickets import MOST, SECONDS, Tickets


class Clock:
    """A time that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_ticket_is_good_once() -> None:
    tickets = Tickets(Clock())
    ticket = tickets.give()
    assert not tickets.take(ticket[:-1])
    assert tickets.take(ticket)
    assert not tickets.take(ticket)


def test_a_ticket_is_good_for_a_minute() -> None:
    clock = Clock()
    tickets = Tickets(clock)
    first, second = tickets.give(), tickets.give()
    clock.now += SECONDS - 0.1
    assert tickets.take(first)
    clock.now += 0.2
    assert not tickets.take(second)


def test_of_too_many_the_oldest_go() -> None:
    tickets = Tickets(Clock())
    given = [tickets.give() for _ in range(MOST + 1)]
    assert len(set(given)) == MOST + 1
    assert [tickets.take(ticket) for ticket in given] == [False, *[True] * MOST]


def test_none_is_good_once_the_page_is_closed() -> None:
    tickets = Tickets(Clock())
    ticket = tickets.give()
    tickets.clear()
    assert not tickets.take(ticket)
    assert not tickets.take("\udcff")
