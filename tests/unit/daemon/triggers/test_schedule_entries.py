"""The schedule's settings: what may be changed and added, and what is refused."""

from __future__ import annotations

from datetime import time
from typing import Any

import pytest

from hermes.daemon.triggers.entries import ScheduleRefused, defaults, read_entries

HOME = "/home/ada"


def test_without_settings_the_defaults_stand() -> None:
    assert read_entries({}, HOME) == list(defaults(HOME).values())


def test_a_default_changes_only_where_the_settings_say_so() -> None:
    jobs = {"upkeep": {"cron": "30 4 * * sun", "late": "skip"}}
    entries = read_entries(jobs, HOME)
    (upkeep,) = (entry for entry in entries if entry.name == "upkeep")
    assert (upkeep.cron.text, upkeep.late) == ("30 4 * * sun", "skip")
    assert (upkeep.agent, upkeep.subject, upkeep.grace) == ("indexer", "upkeep", 300.0)
    others = [entry for entry in entries if entry.name != "upkeep"]
    assert others == [entry for entry in defaults(HOME).values() if entry.name != "upkeep"]


def test_an_entry_is_added_or_switched_off() -> None:
    jobs: dict[str, dict[str, Any]] = {
        "rescan": {"cron": "off"},
        "evening": {"cron": "0 18 * * 1-5", "agent": "standup", "grace": 3600},
    }
    *others, evening = read_entries(jobs, HOME)
    assert [entry.name for entry in others] == [
        *("consolidate", "upkeep", "tests", "docs", "brief", "sources")
    ]
    assert (evening.agent, evening.subject, evening.late) == ("standup", "", "once")
    assert evening.grace == 3600.0


@pytest.mark.parametrize(
    ("begins", "cron"),
    [
        (time(9), "30 8 * * *"),
        (time(10, 15), "45 9 * * *"),
        (time(0, 10), "0 0 * * *"),
    ],
)
def test_the_brief_is_made_half_an_hour_before_work_begins_on_the_same_day(
    begins: time, cron: str
) -> None:
    (brief,) = [entry for entry in read_entries({}, HOME, begins) if entry.name == "brief"]
    assert (brief.cron.text, brief.agent, brief.late) == (cron, "standup", "once")


@pytest.mark.parametrize(
    ("jobs", "problem"),
    [
        ({"upkeep": {"cron": "61 * * * *"}}, "upkeep.cron: minute: 61 is not between 0 and 59"),
        ({"upkeep": {"cron": "0 0 31 2 *"}}, "upkeep.cron: '0 0 31 2 *' never comes"),
        ({"upkeep": {"cron": 3}}, "upkeep.cron: takes a text, not 3"),
        ({"upkeep": {"crom": "x"}}, "upkeep.crom: no such key (did you mean cron?)"),
        ({"upkeep": {"late": "twice"}}, "upkeep.late: 'twice' is none of skip, once, always"),
        ({"upkeep": {"grace": "long"}}, "upkeep.grace: takes a number of seconds, not 'long'"),
        ({"upkeep": {"grace": -1}}, "upkeep.grace: -1 is not between 0 and 604,800"),
        ({"upkeep": {"grace": True}}, "upkeep.grace: takes a number of seconds, not True"),
        ({"evening": {"agent": "standup"}}, "evening.cron: is missing"),
        ({"evening": {"cron": "@daily"}}, "evening.agent: is missing"),
        ({"My Job": {"cron": "@daily", "agent": "qa"}}, "My Job: a name is lower case letters"),
    ],
)
def test_what_does_not_hold_is_refused_by_its_key(
    jobs: dict[str, dict[str, Any]], problem: str
) -> None:
    with pytest.raises(ScheduleRefused) as refused:
        read_entries(jobs, HOME)
    assert problem in refused.value.message
    assert "\n" not in refused.value.message
