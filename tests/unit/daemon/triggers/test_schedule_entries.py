"""The schedule's settings: what may be changed and added, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from hermes.daemon.triggers.entries import ScheduleRefused, defaults, read_entries

HOME = "/home/ada"


def test_without_settings_the_defaults_stand() -> None:
    assert read_entries({}, HOME) == list(defaults(HOME).values())


def test_a_default_changes_only_where_the_settings_say_so() -> None:
    upkeep, rescan = read_entries({"upkeep": {"cron": "30 4 * * sun", "late": "skip"}}, HOME)
    assert (upkeep.cron.text, upkeep.late) == ("30 4 * * sun", "skip")
    assert (upkeep.agent, upkeep.subject, upkeep.grace) == ("indexer", "upkeep", 300.0)
    assert rescan == defaults(HOME)["rescan"]


def test_an_entry_is_added_or_switched_off() -> None:
    jobs: dict[str, dict[str, Any]] = {
        "rescan": {"cron": "off"},
        "brief": {"cron": "0 8 * * 1-5", "agent": "standup", "grace": 3600},
    }
    upkeep, brief = read_entries(jobs, HOME)
    assert upkeep.name == "upkeep"
    assert (brief.agent, brief.subject, brief.late, brief.grace) == ("standup", "", "once", 3600.0)


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
        ({"brief": {"agent": "standup"}}, "brief.cron: is missing"),
        ({"brief": {"cron": "@daily"}}, "brief.agent: is missing"),
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
