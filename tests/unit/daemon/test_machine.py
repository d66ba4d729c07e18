"""When work that nobody waits for is held back."""

from __future__ import annotations

import pytest

from hermes.daemon.machine import (
    LOOK_SECONDS,
    Conditions,
    Limits,
    Machine,
    Restraint,
    Strength,
    restraint,
    why_restrained,
)


@pytest.mark.parametrize(
    ("conditions", "limits", "wanted"),
    [
        (Conditions(), Limits(), "go"),
        (Conditions(load=1.6), Limits(), "slow"),
        (Conditions(load=4.5), Limits(), "pause"),
        (Conditions(battery=True, charge=80), Limits(), "slow"),
        (Conditions(battery=True, charge=15), Limits(), "pause"),
        (Conditions(battery=True, charge=15), Limits(on_battery="go"), "go"),
        (Conditions(battery=True, charge=90), Limits(on_battery="pause"), "pause"),
        (Conditions(battery=False, charge=5), Limits(on_battery="pause"), "go"),
        (Conditions(battery=True, charge=90, load=9), Limits(on_battery="go"), "pause"),
    ],
)
def test_restraint_follows_battery_and_load(
    conditions: Conditions, limits: Limits, wanted: Restraint
) -> None:
    assert restraint(conditions, limits) == wanted
    assert bool(why_restrained(conditions, limits)) == (wanted != "go")


def test_this_machine_can_be_looked_at() -> None:
    conditions = Machine().look()
    assert conditions.rss > 1_000_000
    assert conditions.load >= 0
    assert 0 <= conditions.charge <= 100


class Standing(Machine):
    """A machine that stands as the test says."""

    def __init__(self) -> None:
        super().__init__()
        self.conditions = Conditions()
        self.looks = 0

    def look(self) -> Conditions:
        self.looks += 1
        return self.conditions


async def test_the_machine_is_looked_at_once_a_minute() -> None:
    machine = Standing()
    strength = Strength(machine, Limits(rss=1_000))
    machine.conditions = Conditions(load=5, rss=2_000)
    for second in range(0, 120, 10):
        await strength.look(1_000.0 + second)
    assert machine.looks == 2
    assert (strength.restraint, strength.of_worker, strength.overgrown) == ("pause", "go", 0)
    assert strength.next_look(1_110.0) == LOOK_SECONDS - 50
    machine.conditions = Conditions(battery=True, charge=10)
    await strength.look(2_000.0)
    assert (strength.restraint, strength.of_worker, strength.overgrown) == ("pause", "pause", 0)


async def test_a_process_that_grew_is_told_and_one_that_needs_as_much_is_only_noted() -> None:
    machine = Standing()
    strength = Strength(machine, Limits(rss=1_000))
    machine.conditions = Conditions(rss=2_000)
    await strength.look(0.0)
    await strength.look(1_000.0)
    assert strength.overgrown == 0
    assert "max_rss_mb" in strength.note
    machine.conditions = Conditions(rss=3_000)
    await strength.look(2_000.0)
    assert (strength.overgrown, strength.note) == (3_000, "")
