"""Cron's expressions: what is understood, what is refused, and when they come."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.daemon.triggers.cron import Cron, CronRefused
from hermes.daemon.triggers.cron_words import in_words

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str, zone: ZoneInfo = BERLIN) -> float:
    return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=zone).timestamp()


def shown(times: Sequence[float], zone: ZoneInfo = BERLIN) -> list[str]:
    return [datetime.fromtimestamp(time, zone).strftime("%a %d.%m. %H:%M") for time in times]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 9 * * 1", ["Mon 05.01. 09:00", "Mon 12.01. 09:00"]),  # 1 is Monday, as cron counts
        ("0 9 * * mon", ["Mon 05.01. 09:00", "Mon 12.01. 09:00"]),
        ("0 9 * * 0", ["Sun 04.01. 09:00", "Sun 11.01. 09:00"]),
        ("0 9 * * 7", ["Sun 04.01. 09:00", "Sun 11.01. 09:00"]),
        ("0 9 * * SUN", ["Sun 04.01. 09:00", "Sun 11.01. 09:00"]),
        ("0 9 * * sat-sun", ["Sat 03.01. 09:00", "Sun 04.01. 09:00"]),
        ("0 9 * * 1-5", ["Thu 01.01. 09:00", "Fri 02.01. 09:00", "Mon 05.01. 09:00"]),
        ("@daily", ["Fri 02.01. 00:00", "Sat 03.01. 00:00"]),
        ("@hourly", ["Thu 01.01. 01:00", "Thu 01.01. 02:00"]),
        ("@weekly", ["Sun 04.01. 00:00", "Sun 11.01. 00:00"]),
        ("@monthly", ["Sun 01.02. 00:00", "Sun 01.03. 00:00"]),
        ("@yearly", ["Fri 01.01. 00:00"]),
        ("*/20 9-10 * * *", ["Thu 01.01. 09:00", "Thu 01.01. 09:20", "Thu 01.01. 09:40"]),
        ("5/30 9 * * *", ["Thu 01.01. 09:05", "Thu 01.01. 09:35", "Fri 02.01. 09:05"]),
        ("0 9 31 * *", ["Sat 31.01. 09:00", "Tue 31.03. 09:00", "Sun 31.05. 09:00"]),
        ("0 9 13 * 5", ["Fri 02.01. 09:00", "Fri 09.01. 09:00", "Tue 13.01. 09:00"]),  # either
        ("0 9 */2 * 5", ["Fri 09.01. 09:00", "Fri 23.01. 09:00"]),  # both, as one begins with *
        ("0 0 29 feb *", ["Tue 29.02. 00:00"]),
        ("0 9 1,15 jan,mar-apr *", ["Thu 01.01. 09:00", "Thu 15.01. 09:00", "Sun 01.03. 09:00"]),
    ],
)
def test_an_expression_comes_when_cron_says(text: str, expected: list[str]) -> None:
    times = Cron.parse(text).forwards(at("2026-01-01 00:00"), BERLIN)
    assert shown(list(islice(times, len(expected)))) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "cron's five fields are minute hour day month weekday; it is empty"),
        ("0 9 * *", "cron's five fields are minute hour day month weekday; '0 9 * *' is 4 of them"),
        ("0 0 9 * * *", "'0 0 9 * * *' is 6 of them"),
        ("61 * * * *", "minute: 61 is not between 0 and 59"),
        ("0 24 * * *", "hour: 24 is not between 0 and 23"),
        ("0 0 0 * *", "day: 0 is not between 1 and 31"),
        ("0 0 * 13 *", "month: 13 is not between 1 and 12"),
        ("0 0 * * 8", "weekday: 8 is not between 0 and 7"),
        ("0 0 * * moo", "weekday: 'moo' is not understood"),
        ("0 0 L * *", "day: 'L' is not understood"),
        ("*/0 * * * *", "minute: '*/0' needs a whole number above 0 behind its /"),
        ("5-1 * * * *", "minute: '5-1' runs backwards"),
        ("0 0 * * fri-mon", "weekday: 'fri-mon' runs backwards"),
        ("1,,2 * * * *", "minute: '' is not understood"),
        ("٣ * * * *", "minute: '٣' is not understood"),
        ("@reboot", "@reboot is none of @yearly"),
        ("0 0 31 2 *", "'0 0 31 2 *' never comes: no such date exists"),
        ("0 0 31 4,6,9,11 *", "never comes"),
    ],
)
def test_nonsense_is_refused_in_one_line_that_names_the_field(text: str, problem: str) -> None:
    with pytest.raises(CronRefused) as refused:
        Cron.parse(text)
    assert problem in refused.value.message
    assert "\n" not in refused.value.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("10 3 * * *", "at 03:10 every day"),
        ("17 * * * *", "at minute 17 of every hour"),
        ("* * * * *", "every minute"),
        ("*/15 * * * *", "every 15 minutes"),
        ("30 8 * * 1-5", "at 08:30 on Monday to Friday"),
        ("0 9,18 * * sun", "at 09:00 and 18:00 on Sunday"),
        ("*/10 9-17 * * *", "every 10 minutes of the hours 09 to 17 every day"),
        ("0 9 1 * 1", "at 09:00 on day 1 of the month and on every Monday"),
        ("0 0 29 2 *", "at 00:00 on day 29 of the month in February"),
    ],
)
def test_an_expression_is_explained(text: str, words: str) -> None:
    assert in_words(Cron.parse(text)) == words


FIELDS = st.tuples(
    st.sampled_from(["*", "0", "30", "*/7", "10-50/20", "59"]),
    st.sampled_from(["*", "2", "*/5", "0,23", "9-17"]),
    st.sampled_from(["*", "1", "29-31", "*/10", "15"]),
    st.sampled_from(["*", "2", "jan,jul", "*/3"]),
    st.sampled_from(["*", "0", "mon-fri", "*/2", "7"]),
)
MOMENTS = st.floats(min_value=at("2020-01-01 00:00"), max_value=at("2030-01-01 00:00"))


@settings(deadline=None)  # how long it takes says how busy the machine is
@given(FIELDS, MOMENTS, st.sampled_from(["Europe/Berlin", "America/St_Johns", "Africa/Cairo"]))
def test_times_are_the_same_forwards_and_backwards(
    fields: tuple[str, ...], moment: float, name: str
) -> None:
    zone, cron = ZoneInfo(name), Cron.parse(" ".join(fields))
    ahead = list(islice(cron.forwards(moment, zone), 5))
    assert ahead == sorted(set(ahead))
    assert ahead[0] > moment
    assert list(cron.backwards(ahead[-1], moment, zone)) == ahead[::-1]
    assert cron.next(ahead[0], zone) == ahead[1]


def test_looking_back_over_a_year_of_minutes_takes_only_what_is_asked_for() -> None:
    cron, now = Cron.parse("* * * * *"), at("2026-06-01 12:00")
    times = list(islice(cron.backwards(now, now - 365 * 86_400, BERLIN), 1_000))
    assert times[0] == now
    assert times[-1] == now - 999 * 60
    assert datetime.fromtimestamp(times[-1], UTC).second == 0
