"""Which lanes may start one more job beside what runs."""

from __future__ import annotations

import pytest

from hermes.agents.contract import Lane
from hermes.daemon.machine import Restraint
from hermes.daemon.slots import open_lanes

D, R, S = Lane.ON_DEMAND, Lane.REACTIVE, Lane.SCHEDULED


@pytest.mark.parametrize(
    ("running", "restraint", "wanted"),
    [
        ([], "go", {D, R, S}),
        ([R], "go", {D, R, S}),
        ([R, S], "go", {D}),  # one is always free for a person
        ([D, R], "go", {D}),
        ([D, D, R], "go", set[Lane]()),
        ([], "slow", {D, R, S}),
        ([R], "slow", {D}),
        ([D], "slow", {D, R, S}),
        ([], "pause", {D}),
        ([D, D], "pause", {D}),
    ],
)
def test_lanes_open_by_what_runs(
    running: list[Lane], restraint: Restraint, wanted: set[Lane]
) -> None:
    assert open_lanes(running, 3, restraint) == wanted
