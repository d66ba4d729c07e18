"""Every change of every zone's clocks from 2020 to 2030: each time comes once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest

from hermes.daemon.triggers.cron import Cron

FIRST, LAST = datetime(2020, 1, 1, tzinfo=UTC), datetime(2031, 1, 1, tzinfo=UTC)
STEP = 5 * 86_400
AROUND = 8 * 3_600
MINUTE = 60


def offset(moment: float, zone: ZoneInfo) -> int:
    found = datetime.fromtimestamp(moment, zone).utcoffset()
    assert found is not None
    return int(found.total_seconds())


def changes(zone: ZoneInfo) -> Iterator[tuple[int, int, int]]:
    """Yield each change: when, and the offsets before and after, in seconds."""
    for start in range(int(FIRST.timestamp()), int(LAST.timestamp()), STEP):
        low, high = start, start + STEP
        before, after = offset(low, zone), offset(high, zone)
        if before == after:
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if offset(middle, zone) == before else (low, middle)
        yield high, before, after


def distinct() -> dict[tuple[int, int, int], str]:
    """Each change there is, with one of the zones that have it."""
    found: dict[tuple[int, int, int], str] = {}
    for name in sorted(available_timezones()):
        if name != "localtime":
            for change in changes(ZoneInfo(name)):
                found.setdefault(change, name)
    return found


@pytest.fixture(scope="module")
def all_changes() -> dict[tuple[int, int, int], str]:
    return distinct()


def walls(change: int, before: int, after: int) -> list[datetime]:
    """Times of day worth a try: in what is left out or comes twice, at its edges, about it."""
    edges = sorted(
        datetime.fromtimestamp(change + o, UTC).replace(tzinfo=None) for o in (before, after)
    )
    middle = edges[0] + (edges[1] - edges[0]) / 2
    minute = timedelta(minutes=1)
    found = [
        edges[0] - 30 * minute,
        edges[0] - minute,
        *edges,
        edges[1] - minute,
        edges[1] + 30 * minute,
        middle,
    ]
    return [wall.replace(second=0, microsecond=0) for wall in found]


def test_a_time_of_day_comes_once_on_every_date(
    all_changes: dict[tuple[int, int, int], str],
) -> None:
    assert len(all_changes) > 500
    for (change, before, after), name in all_changes.items():
        zone = ZoneInfo(name)
        begin, end = change - AROUND, change + AROUND
        clock = [
            (moment, datetime.fromtimestamp(moment, zone).replace(tzinfo=None))
            for moment in range(begin, end, MINUTE)
        ]
        for wall in walls(change, before, after):
            # Told from the clock alone: the first minute that shows it, else the first beyond it.
            shows = [moment for moment, shown in clock if shown == wall]
            beyond = [moment for moment, shown in clock if shown > wall]
            expected = shows[0] if shows else beyond[0]
            cron = Cron.parse(f"{wall.minute} {wall.hour} * * *")
            assert list(cron.backwards(end, begin, zone)) == [expected], (name, change, wall)


def test_a_minute_of_every_hour_comes_each_time_the_clock_shows_it(
    all_changes: dict[tuple[int, int, int], str],
) -> None:
    cron = Cron.parse("17 * * * *")
    for (change, _, _), name in all_changes.items():
        zone = ZoneInfo(name)
        begin, end = change - AROUND, change + AROUND
        expected = [
            moment
            for moment in range(begin + MINUTE, end + 1, MINUTE)
            if datetime.fromtimestamp(moment, zone).minute == 17
        ]
        assert list(cron.backwards(end, begin, zone))[::-1] == expected, (name, change)


@pytest.mark.parametrize(
    ("text", "day", "expected"),
    [
        ("30 2 * * *", date(2026, 3, 29), ["03:00 +0200"]),  # 02:30 does not exist
        ("30 2 * * *", date(2026, 10, 25), ["02:30 +0200"]),  # 02:30 comes twice
        ("0,15,30,45 2 * * *", date(2026, 3, 29), ["03:00 +0200"]),
        ("0,30 2 * * *", date(2026, 10, 25), ["02:00 +0200", "02:30 +0200"]),
        ("30 1-3 * * *", date(2026, 3, 29), ["01:30 +0100", "03:00 +0200", "03:30 +0200"]),
    ],
)
def test_berlin_on_the_two_nights(text: str, day: date, expected: list[str]) -> None:
    zone = ZoneInfo("Europe/Berlin")
    start = datetime(day.year, day.month, day.day, tzinfo=zone).timestamp()
    times = list(Cron.parse(text).backwards(start + 20 * 3_600, start, zone))[::-1]
    assert [datetime.fromtimestamp(t, zone).strftime("%H:%M %z") for t in times] == expected


def test_a_zone_that_skips_a_whole_day_loses_no_time_of_it() -> None:
    # Samoa had no 30 December 2011: what was due then comes as the 31st begins.
    zone = ZoneInfo("Pacific/Apia")
    start = datetime(2011, 12, 29, tzinfo=zone).timestamp()
    times = list(Cron.parse("30 2 * * *").backwards(start + 40 * 3_600, start, zone))[::-1]
    assert [datetime.fromtimestamp(t, zone).strftime("%d %H:%M") for t in times] == [
        "29 02:30",
        "31 00:00",
        "31 02:30",
    ]
