"""What an area was about, found in pages of a real repository."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, timedelta
from pathlib import Path

import pytest

from hermes.agents.themes.evidence import gather
from hermes.agents.themes.reading import about
from hermes.agents.themes.records import Page
from hermes.ingest.items import take_in
from hermes.memory.work import Work
from hermes.tests.builders.themes import pages_between
from tests.builders.git import ALEX, RepoBuilder
from tests.builders.ingested import Ingested
from tests.builders.items import thread, ticket

MONDAY = date(2025, 1, 6)
START = 1_736_121_600
HOUR, DAY = 3_600, 86_400


class Pages:
    """The weekly pages of a shop, and the memory that they were made from."""

    def __init__(self, folder: Path) -> None:
        shop = RepoBuilder(folder / "shop")
        shop.now = START - 30 * DAY
        shop.commit({"shop/__init__.py": ""}, "Begin the shop")
        shop.now = START + 9 * HOUR
        shop.commit(
            {"shop/payments/retry.py": "x = 1\n" * 40},
            "Retry failed charges (ENG-17)\n\nBecause banks time out.",
        )
        shop.commit(
            {"shop/parcels/labels.py": "y = 1\n" * 60},
            "Print labels of parcels (ENG-17)",
            author=ALEX,
        )
        shop.commit({"shop/search/index.py": "z = 1\n" * 20}, "search: index names too")
        shop.now = START + 8 * DAY
        shop.commit({"shop/money.py": "yen = 1\n"}, "payments: round in yen")
        self.ingested = Ingested(folder / "memory", shop.path)
        self.ingested.run()
        self.work = Work(folder / "work.db")
        memory, repo = self.ingested.memory, self.ingested.repo
        items = [
            ticket("ENG-17", "Charges get lost", repo=repo.id, time=START + 8 * HOUR),
            thread(
                1, "Who knows the payments contract?", tickets=["ENG-17"], time=START + 10 * HOUR
            ),
        ]
        take_in(memory, items)
        last = MONDAY + timedelta(13)
        evidence = gather(memory, self.work, repo, MONDAY, last, UTC)
        self.made = [p for p in pages_between(repo, evidence, MONDAY, last, UTC) if p.is_week]

    def about(self, area: str) -> list[Page]:
        return about(self.made, area, self.ingested.memory.index)

    def close(self) -> None:
        self.work.close()
        self.ingested.memory.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    pages = Pages(tmp_path_factory.mktemp("reading"))
    yield pages
    pages.close()


RETRY, LABELS = "Retry failed charges", "Print labels of parcels"
YEN, NAMES = "ound in yen", "ndex names too"
CONTRACT = "Who knows the payments contract"


@pytest.mark.parametrize(
    ("area", "told"),
    [
        ("shop/payments", [RETRY, CONTRACT, YEN]),
        ("./shop/payments/", [RETRY, CONTRACT, YEN]),
        ("shop/payments/retry.py", [RETRY]),
        ("retry.py", [RETRY]),
        ("payments", [RETRY, CONTRACT, YEN]),
        ("Payment", [RETRY, CONTRACT, YEN]),
        ("parcels", [LABELS]),
        ("search", [NAMES]),
        ("ENG-17", [RETRY, LABELS, "ENG-17", CONTRACT]),
        ("eng-17", [RETRY, LABELS, "ENG-17", CONTRACT]),
        ("ticket:ENG-17", [RETRY, LABELS, "ENG-17", CONTRACT]),
        ("ENG-1", []),
        ("shop/pay", []),
        ("billing", []),
    ],
)
def test_of_a_theme_only_what_is_about_the_area_is_told(
    pages: Pages, area: str, told: list[str]
) -> None:
    lines = [
        line.text for page in pages.about(area) for theme in page.themes for line in theme.what
    ]
    assert len(lines) == len(told)
    for text in told:
        assert sum(text in line for line in lines) >= 1, (text, lines)


def test_what_is_left_of_a_theme_names_its_own_reasons_people_and_files(pages: Pages) -> None:
    page = pages.about("shop/payments")[0]
    (theme,) = page.themes
    assert [line.text for line in theme.why] == ["Because banks time out."]
    assert theme.paths == ("shop/payments/retry.py",)
    assert "Alex Roe" not in theme.people
    (page,) = pages.about("shop/parcels")
    assert page.themes[0].title == theme.title, "the theme's title is the heading"
    assert page.themes[0].why == ()
    assert page.themes[0].people == ("Alex Roe",)
