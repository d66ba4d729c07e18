"""Titles by a model: kept beside the pages, asked for once, and never against what a theme says."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from hermes.agents.models.protocol import Unreachable
from hermes.agents.models.scripted import ScriptedModel
from hermes.agents.themes.folder import ThemesFolder
from hermes.agents.themes.records import Line, Page, State, Theme
from hermes.agents.themes.titling import Titling
from hermes.tests.builders.around import Around

MONDAY = date(2026, 11, 30)
SHA = "3f2a9c1" + "0" * 33
RULES_OWN = "Payments: try a payment again and stop after the third try"
BETTER = "Payments stop after the third try"


def never() -> bool:
    return False


@pytest.fixture
def folder(tmp_path: Path) -> ThemesFolder:
    folder = ThemesFolder(tmp_path / "themes")
    theme = Theme(
        key="scope:payments",
        title=RULES_OWN,
        state=State.DONE,
        what=(Line("payments stop after the third try", (SHA,)),),
        references=(SHA,),
        weight=1.0,
    )
    page = Page("5f0c2a917be34d0c", "shop", MONDAY, MONDAY, (theme,), "digest")
    folder.write([page], "Night", 1_764_500_000)
    return folder


def title(folder: ThemesFolder, *, as_made: bool = False) -> str:
    [page] = folder.pages(weeks=False, as_made=as_made)
    return page.themes[0].title


async def test_a_title_is_asked_for_once_and_the_page_stays_as_it_was_made(
    folder: ThemesFolder,
) -> None:
    model = ScriptedModel(f'{{"title": "{BETTER}"}}')
    step = await Titling(folder.path)(Around(model), never)
    assert step.counts == {"asked": 1, "made": 1}
    assert title(folder) == BETTER
    assert title(folder, as_made=True) == RULES_OWN
    again = await Titling(folder.path)(Around(model), never)
    assert again.counts == {"asked": 0, "made": 0}
    assert len(folder.log()) == 1


async def test_a_title_that_says_more_than_the_theme_does_not_stand(folder: ThemesFolder) -> None:
    model = ScriptedModel(*['{"title": "Zoe rewrote billing for ENG-99"}'] * 2)
    step = await Titling(folder.path)(Around(model), never)
    assert step.counts["made"] == 0
    assert title(folder) == RULES_OWN
    assert (await Titling(folder.path)(Around(model), never)).counts["asked"] == 0


async def test_without_a_model_or_with_one_that_is_away_the_rules_titles_stand(
    folder: ThemesFolder,
) -> None:
    assert (await Titling(folder.path)(Around(), never)).counts == {}
    step = await Titling(folder.path)(Around(ScriptedModel(Unreachable("no server"))), never)
    assert "no server" in step.notes[0]
    assert title(folder) == RULES_OWN


async def test_what_is_forgotten_takes_the_titles_with_it(folder: ThemesFolder) -> None:
    await Titling(folder.path)(Around(ScriptedModel(f'{{"title": "{BETTER}"}}')), never)
    folder.forget(["91aa17c04be34d0c"])
    assert title(folder) == RULES_OWN
