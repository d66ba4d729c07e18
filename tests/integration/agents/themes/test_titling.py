"""Titles by a model: kept beside the pages, asked for once, and never against what a theme says."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from hermes.agents.contract import Preempted
from hermes.agents.models.protocol import Delta, Message, Unreachable
from hermes.agents.models.scripted import ScriptedModel
from hermes.agents.themes.folder import ThemesFolder
from hermes.agents.themes.records import Line, Page, State, Step, Theme
from hermes.agents.themes.titling import MOST_ASKED, SECONDS, Titling
from hermes.tests.builders.around import Around

MONDAY = date(2026, 11, 30)
AT = 1_796_000_000
SHA = "3f2a9c1" + "0" * 33
RULES_OWN = "Payments: try a payment again and stop after the third try"
BETTER = "Payments stop after the third try"
GOOD = f'{{"title": "{BETTER}"}}'
INVENTED = '{"title": "Zoe rewrote billing for ENG-99"}'
PAYMENTS = Theme(
    key="scope:payments",
    title=RULES_OWN,
    state=State.DONE,
    what=(
        Line("Payments are tried again after a pause", (SHA,)),
        Line("Payments stop after the third try", (SHA,)),
    ),
    references=(SHA,),
    weight=1.0,
)


def page_of(*themes: Theme, day: date = MONDAY) -> Page:
    return Page("5f0c2a917be34d0c", "shop", day, day, themes, f"digest {day} {len(themes)}")


@pytest.fixture
def folder(tmp_path: Path) -> ThemesFolder:
    folder = ThemesFolder(tmp_path / "themes")
    folder.write([page_of(PAYMENTS)], "Night", AT)
    return folder


async def entitle(
    folder: ThemesFolder,
    model: ScriptedModel | None,
    *,
    today: date = MONDAY,
    should_stop: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = lambda: 0.0,
) -> Step:
    return await Titling(folder.path, lambda: today, clock)(Around(model), should_stop)


def titles(folder: ThemesFolder, *, as_made: bool = False) -> list[str]:
    pages = folder.pages(weeks=False, as_made=as_made)
    return [theme.title for page in pages for theme in page.themes]


def files(folder: ThemesFolder) -> dict[str, bytes]:
    return {str(each): each.read_bytes() for each in folder.path.rglob("*") if each.is_file()}


def others(count: int) -> list[Theme]:
    """Themes of which each could have another title."""
    return [replace(PAYMENTS, key=f"scope:{n}", title=f"{RULES_OWN} {n}") for n in range(count)]


async def test_a_title_is_asked_for_once_and_the_page_stays_as_it_was_made(
    folder: ThemesFolder,
) -> None:
    step = await entitle(folder, ScriptedModel(GOOD))
    assert step.counts == {"asked": 1, "made": 1}
    assert titles(folder) == [BETTER]
    assert titles(folder, as_made=True) == [RULES_OWN]
    before = files(folder)
    again = await entitle(folder, ScriptedModel())
    assert again.counts == {"asked": 0, "made": 0}
    assert files(folder) == before
    assert len(folder.log()) == 1


@pytest.mark.parametrize(
    "answer",
    [INVENTED, f'{{"title": "{BETTER} {"and again " * 20}"}}', '{"title": ""}', "", "Sure!"],
    ids=["inventing", "too long", "empty", "nothing", "no json"],
)
async def test_a_title_that_may_not_stand_leaves_the_rules_own_and_is_not_asked_for_again(
    folder: ThemesFolder, answer: str
) -> None:
    step = await entitle(folder, ScriptedModel(answer, answer))
    assert step.counts == {"asked": 1, "made": 0}
    assert titles(folder) == [RULES_OWN]
    assert (await entitle(folder, ScriptedModel())).counts["asked"] == 0


async def test_without_a_model_or_with_one_that_is_away_the_rules_titles_stand(
    folder: ThemesFolder,
) -> None:
    before = files(folder)
    assert (await entitle(folder, None)).counts == {}
    step = await entitle(folder, ScriptedModel(Unreachable("no server")))
    assert "no server" in step.notes[0]
    assert titles(folder) == [RULES_OWN]
    assert files(folder) == before


class GivesWay(ScriptedModel):
    """Gives way to a person in its second call."""

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Mapping[str, Any] | None = None,
        stop: Sequence[str] = (),
    ) -> AsyncGenerator[Delta]:
        """See ChatModel.stream."""
        answer = super().stream(messages, max_tokens=max_tokens, schema=schema)
        async for delta in answer:
            yield delta
            if len(self.history) == 2:
                raise Preempted


async def test_one_that_gave_way_in_the_middle_keeps_what_it_has_and_goes_on(
    folder: ThemesFolder,
) -> None:
    folder.write([page_of(*others(3))], "Night", AT)
    with pytest.raises(Preempted):
        await entitle(folder, GivesWay(GOOD, GOOD))
    assert sorted(titles(folder)) == [BETTER, f"{RULES_OWN} 1", f"{RULES_OWN} 2"]
    step = await entitle(folder, ScriptedModel(GOOD, GOOD))
    assert step.counts == {"asked": 2, "made": 2}
    assert titles(folder) == [BETTER] * 3


async def test_a_night_asks_for_so_many_and_no_longer_than_it_may(folder: ThemesFolder) -> None:
    folder.write([page_of(*others(MOST_ASKED + 5))], "Night", AT)
    moments = iter([0.0, 0.0, 1.0, SECONDS])
    step = await entitle(folder, ScriptedModel(GOOD, GOOD), clock=lambda: next(moments))
    assert step.counts["asked"] == 2
    step = await entitle(folder, ScriptedModel(*[GOOD] * MOST_ASKED))
    assert step.counts["asked"] == MOST_ASKED
    stopped = await entitle(folder, ScriptedModel(), should_stop=lambda: True)
    assert stopped.counts["asked"] == 0


async def test_only_titles_that_are_read_now_and_could_tell_more_are_asked_for(
    folder: ThemesFolder,
) -> None:
    alone = replace(PAYMENTS, key="one:1", what=PAYMENTS.what[:1])
    rest = [replace(PAYMENTS, key=key, title=f"{RULES_OWN} {key}") for key in ("others", "stalled")]
    page = page_of(alone, *rest, day=MONDAY - timedelta(1))
    folder.write([page], "Night", AT)
    assert (await entitle(folder, ScriptedModel(GOOD))).counts["asked"] == 1
    week_later = MONDAY + timedelta(7)
    folder.write([page_of(*others(2))], "Night", AT)
    assert (await entitle(folder, ScriptedModel(), today=week_later)).counts["asked"] == 0


async def test_what_is_forgotten_takes_the_titles_with_it(folder: ThemesFolder) -> None:
    await entitle(folder, ScriptedModel(GOOD))
    folder.forget(["91aa17c04be34d0c"])
    assert titles(folder) == [RULES_OWN]
