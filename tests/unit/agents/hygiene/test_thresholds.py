"""What the audit thinks of its measures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hermes.agents.hygiene.audit import SMALL, judge
from hermes.memory.audit import Disk, Measures, Rate

NONE = Rate(0, 1_000)
HEALTHY = Measures(
    at=0,
    repos=1,
    entries=1_000,
    chunks=3_000,
    sources=(),
    duplicates=NONE,
    near_duplicates=NONE,
    folded=0,
    ended=0,
    faded=0,
    facts=0,
    stale=NONE,
    derived=NONE,
    orphaned=NONE,
    stray=(),
    disk=Disk(index=SMALL, store=SMALL, raw=0, rest=0, live=2 * SMALL),
)


def wrong(measures: Measures, secrets: Rate = NONE) -> list[str]:
    return [check.name for check in judge(measures, secrets) if not check.ok]


def past(**counts: int) -> Measures:
    """Return healthy measures but for some rates."""
    rates = {name: Rate(count, 1_000) for name, count in counts.items()}
    return replace(
        HEALTHY,
        duplicates=rates.get("duplicates", NONE),
        near_duplicates=rates.get("near_duplicates", NONE),
        derived=rates.get("derived", NONE),
        orphaned=rates.get("orphaned", NONE),
        stale=rates.get("stale", NONE),
    )


@pytest.mark.parametrize(
    ("name", "most"),
    [("duplicates", 5), ("near_duplicates", 20), ("derived", 0), ("orphaned", 0), ("stale", 500)],
)
def test_a_rate_is_fine_up_to_its_threshold(name: str, most: int) -> None:
    assert wrong(past(**{name: most})) == []
    assert wrong(past(**{name: most + 1})) == [name.replace("_", " ")]


def test_a_single_secret_or_stray_file_is_too_many() -> None:
    assert wrong(HEALTHY, Rate(1, 2_000)) == ["secrets"]
    assert wrong(replace(HEALTHY, stray=("core",))) == ["stray files"]


def test_old_versions_count_only_where_they_are_large() -> None:
    bloated = Disk(index=SMALL, store=3 * SMALL, raw=0, rest=0, live=SMALL)
    assert wrong(replace(HEALTHY, disk=bloated)) == ["disk"]
    small = Disk(index=SMALL // 8, store=SMALL // 2, raw=0, rest=0, live=SMALL // 8)
    assert wrong(replace(HEALTHY, disk=small)) == []


def test_what_is_past_its_threshold_says_what_to_do() -> None:
    checks = judge(replace(HEALTHY, stray=("a", "b", "c", "d")), NONE)
    (stray,) = [check for check in checks if not check.ok]
    assert "a, b, c and 1 more" in stray.hint
    assert all(check.hint for check in checks if check.name != "stray files")
