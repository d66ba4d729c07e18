"""What happened, gathered from a real repository, a real memory and what hermes found out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, timedelta
from pathlib import Path

import pytest

from hermes.agents.hygiene.derive import derive
from hermes.agents.themes.compose import day_page, week_page
from hermes.agents.themes.evidence import gather
from hermes.agents.themes.pages import to_json
from hermes.agents.themes.records import Evidence, EvidenceKind, Page, State, Theme
from hermes.ingest.items import take_in
from hermes.memory.drift import Found
from hermes.memory.drift import State as DriftState
from hermes.memory.records import Item, ItemChange, ItemKind
from hermes.memory.work import Work
from hermes.tests.builders.git import ALEX, RepoBuilder
from hermes.tests.builders.ingested import Ingested
from hermes.tests.builders.items import thread, ticket
from hermes.tests.builders.runs import failed, passed, record
from hermes.tests.builders.themes import pages_between

MONDAY = date(2025, 1, 6)
START = 1_736_121_600
"""Its midnight, UTC."""
HOUR, DAY = 3_600, 86_400


class Week:
    """A repository, a memory and what happened in a week."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shop = RepoBuilder(folder / "shop")
        self.work = Work(folder / "work.db")
        self.items: list[Item] = []
        self.ingested: Ingested | None = None
        self.at(-30)
        self.shop.commit({"shop/__init__.py": ""}, "Begin the shop")
        self.at(0)

    def at(self, day: float) -> None:
        """Go on at 09:00 of a day, counted from the Monday."""
        self.shop.now = START + int(day * DAY) + 9 * HOUR

    @property
    def repo(self) -> str:
        """The repository's id."""
        return self.memory.repo.id

    @property
    def memory(self) -> Ingested:
        """The memory, made at the first use."""
        if self.ingested is None:
            self.ingested = Ingested(self.folder / "memory", self.shop.path)
        return self.ingested

    def evidence(self, first: date = MONDAY, days: int = 7) -> list[Evidence]:
        """Read all anew, and return what happened."""
        self.memory.run()
        take_in(self.memory.memory, self.items)
        last = first + timedelta(days - 1)
        return gather(self.memory.memory, self.work, self.memory.repo, first, last, UTC)

    def week(self) -> Page:
        """Return the week's page."""
        return week_page(self.memory.repo, self.evidence(), MONDAY, UTC)

    def day(self, number: int) -> Page:
        """Return a day's page."""
        return day_page(self.memory.repo, self.evidence(), MONDAY + timedelta(number), UTC)

    def close(self) -> None:
        """Close all."""
        self.work.close()
        if self.ingested is not None:
            self.ingested.memory.close()


@pytest.fixture
def a_week(tmp_path: Path) -> Iterator[Week]:
    week = Week(tmp_path)
    yield week
    week.close()


def texts(theme: Theme) -> list[str]:
    return [line.text for line in theme.what]


def titles(page: Page) -> list[str]:
    return [theme.title for theme in page.themes]


def commits(evidence: Sequence[Evidence]) -> list[str]:
    return [each.title for each in evidence if each.kind is EvidenceKind.COMMIT]


def test_a_merged_pull_request_is_told_once_with_its_reason_and_people(a_week: Week) -> None:
    shop = a_week.shop
    shop.commit(
        {"shop/pay.py": "tries = 3\n"},
        "Back off between tries\n\nThe bank locks us out because we call it too often.",
        branch="retry",
    )
    shop.commit({"shop/pay.py": "tries = 4\n"}, "Try once more")
    a_week.at(1)
    shop.switch("main")
    shop.merge(
        "retry",
        message="Merge pull request #482 from sam/retry\n\nRetry failed payments",
        author=ALEX,
    )
    shop.git("branch", "-D", "retry")
    (theme,) = a_week.week().themes

    assert (theme.title, theme.key, theme.state) == (
        "Retry failed payments",
        "pull:#482",
        State.DONE,
    )
    assert [line.text for line in theme.why] == [
        "The bank locks us out because we call it too often."
    ]
    assert theme.people == ("Sam Doe", "Alex Roe")
    assert theme.paths == ("shop/pay.py",)
    assert len(theme.references) == 3
    assert sum("failed payments" in text for text in texts(theme)) == 1


def test_work_is_open_on_its_day_and_done_when_it_was_merged(a_week: Week) -> None:
    shop = a_week.shop
    shop.commit({"shop/pay.py": "tries = 3\n"}, "Back off between tries", branch="retry")
    a_week.at(2)
    shop.switch("main")
    shop.merge("retry", message="Merge pull request #482 from sam/retry\n\nRetry payments")
    (monday,), (wednesday,) = a_week.day(0).themes, a_week.day(2).themes

    assert monday.state is State.OPEN
    assert wednesday.state is State.DONE
    assert wednesday.title == "Retry payments"
    assert monday.key == wednesday.key


def test_a_squashed_pull_request_is_not_told_again_by_its_branch(a_week: Week) -> None:
    shop = a_week.shop
    shop.commit({"shop/pay.py": "tries = 3\n"}, "Back off between tries", branch="retry")
    shop.commit({"shop/pay.py": "tries = 4\n"}, "Try once more")
    shop.switch("main")
    a_week.at(1)
    shop.commit(
        {"shop/pay.py": "tries = 4\n"},
        "Retry failed payments (#482)\n\n* Back off between tries\n\n* Try once more",
    )
    (theme,) = a_week.week().themes

    assert theme.title == "Retry failed payments"
    assert theme.state is State.DONE
    assert len(theme.references) == 3
    assert "2 commits" in texts(theme)[0]


def test_a_cherry_pick_is_counted_once_and_stands_on_the_main_branch(a_week: Week) -> None:
    shop = a_week.shop
    shop.git("branch", "1.x")
    on_main = shop.commit({"shop/cart.py": "total = 0\n"}, "Fix the total of an empty cart")
    shop.switch("1.x")
    shop.now += DAY
    shop.git(
        "cherry-pick",
        on_main,
        environment={"GIT_COMMITTER_NAME": "Sam", "GIT_COMMITTER_EMAIL": "sam@example.com"},
    )
    shop.switch("main")
    found = a_week.evidence()

    assert [each.ref for each in found] == [on_main]


def test_a_revert_says_what_it_took_back_and_why(a_week: Week) -> None:
    shop = a_week.shop
    first = shop.commit({"shop/cart.py": "cache = {}\n"}, "Cache the carts")
    a_week.at(2)
    back = shop.commit(
        {"shop/cart.py": None},
        f'Revert "Cache the carts"\n\nThis reverts commit {first}.\n\n'
        "People saw the carts of others because the key had no user in it.",
    )
    (theme,) = a_week.week().themes

    assert theme.title == "Cache the carts (taken back)"
    assert texts(theme) == ["Tried “Cache the carts” and took it back on Wednesday"]
    assert theme.references == (first, back)
    assert [line.text for line in theme.why] == [
        "People saw the carts of others because the key had no user in it."
    ]
    assert titles(a_week.day(0)) == ["Cache the carts"], "on its day nobody knew"


def test_machines_make_no_theme_of_work(a_week: Week) -> None:
    shop = a_week.shop
    for name in ("ruff", "uvicorn"):
        shop.commit(
            {"pyproject.toml": name},
            f"Bump {name} from 1.0 to 1.1",
            author="dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>",
        )
    shop.commit({"shop/cart.py": "x = 1\n"}, "Round prices in yen")
    assert titles(a_week.week()) == ["Round prices in yen", "Dependencies: ruff and uvicorn"]


def test_work_that_was_taken_in_long_after_counts_when_it_came(a_week: Week) -> None:
    shop = a_week.shop
    long_ago = START - 20 * DAY
    shop.write({"shop/old.py": "x = 1\n"})
    shop.git("add", "--all")
    shop.git(
        *("-c", "commit.gpgSign=false", "commit", "--quiet", "-m", "Translate the labels"),
        environment={
            **{f"GIT_{who}_NAME": "Ana Vidal" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "ana@example.org" for who in ("AUTHOR", "COMMITTER")},
            "GIT_AUTHOR_DATE": f"{long_ago} +0000",
            "GIT_COMMITTER_DATE": f"{START + HOUR} +0000",
        },
    )
    assert titles(a_week.day(0)) == ["Translate the labels"]


def test_a_ticket_tells_what_became_of_it_and_gives_its_title(a_week: Week) -> None:
    a_week.shop.commit({"shop/pay.py": "tries = 3\n"}, "Back off (ENG-17)")
    a_week.items = [
        ticket(
            "ENG-17",
            "Payments hammer the bank",
            time=START + HOUR,
            assignee="Sam Ito",
            state="Done",
            closed=START + 2 * DAY,
            changes=(
                ItemChange(START + 2 * HOUR, "assignee", "Sam Ito"),
                ItemChange(START + 2 * DAY, "state", "Done"),
            ),
        )
    ]
    (theme,) = a_week.week().themes

    assert (theme.title, theme.key) == ("Payments hammer the bank", "ticket:ENG-17")
    assert theme.state is State.DONE
    assert any("was assigned to Sam Ito and was done on Wednesday" in text for text in texts(theme))
    (monday,) = a_week.day(0).themes
    assert monday.state is State.OPEN
    (wednesday,) = a_week.day(2).themes
    assert wednesday.references == ("linear:ENG-17",)


def test_a_ticket_that_nobody_moves_is_stalled_on_the_day_it_counts_as_that(a_week: Week) -> None:
    changed = START + 3 * DAY - 14 * DAY
    a_week.items = [
        replace(
            ticket(
                "ENG-3",
                "Export of orders",
                repo=a_week.repo,
                time=changed - DAY,
                assignee="Sam Ito",
            ),
            changed=changed,
        )
    ]
    pages = {number: a_week.day(number) for number in range(5)}

    assert [number for number, page in pages.items() if page.themes] == [3]
    assert pages[3].themes[0].state is State.STALLED


def test_talk_counts_for_the_repository_whose_ticket_or_commit_it_names(a_week: Week) -> None:
    sha = a_week.shop.commit({"shop/pay.py": "tries = 3\n"}, "Back off (ENG-17)")
    when = START + 12 * HOUR
    more = (
        "The contract says ten calls a minute, and their new gateway counts them by card, so the"
        " nightly export alone could lock every customer out until the morning."
    )
    a_week.items = [
        thread(1, f"The bank called again.\n{more}", tickets=["ENG-17"], time=when),
        thread(2, f"Is {sha[:9]} live already?\n{more}", time=when),
        thread(3, f"Who takes the parcels to the post?\n{more}", time=when),
    ]
    found = a_week.evidence()
    elsewhere = gather(a_week.memory.memory, a_week.work, None, MONDAY, MONDAY, UTC)

    assert {each.ref for each in found} == {sha, "slack:C024/1", "slack:C024/2"}
    assert [each.ref for each in elsewhere] == ["slack:C024/3"]
    page = day_page(None, elsewhere, MONDAY, UTC)
    assert (page.repo, page.name, len(page.themes)) == ("", "", 1)


def test_a_plain_number_counts_only_where_one_repository_has_it(
    a_week: Week, tmp_path: Path
) -> None:
    a_week.shop.commit({"shop/pay.py": "tries = 3\n"}, "Back off (#7)")
    text = f"Shall we merge 7 today? {'It looks good and it is small. ' * 8}"
    a_week.items = [thread(1, text, tickets=["#7"], time=START + HOUR)]
    assert len(a_week.evidence()) == 2

    other = RepoBuilder(tmp_path / "other")
    other.commit({"a.py": "x = 1\n"}, "Another thing (#7)", when=START + HOUR)
    second = Ingested.__new__(Ingested)
    second.memory = a_week.memory.memory
    second.repository = other.path
    second.progress = []
    second.repo = second.memory.index.add_repo("other", str(other.path / ".git"), None, None)
    second.run()
    assert [each.kind for each in a_week.evidence()] == [EvidenceKind.COMMIT]


def test_tests_and_documents_stand_with_the_work_that_turned_them(a_week: Week) -> None:
    sha = a_week.shop.commit(
        {"shop/pay.py": "tries = 3\n", "tests/test_pay.py": "def test_retry(): ...\n"},
        "Rename retry_limit to tries",
    )
    runs, test = a_week.work.runs, "tests/test_pay.py::test_retry"
    record(runs, *passed(test), at=START + 8 * HOUR, repo=a_week.repo)
    record(runs, *failed(test), at=START + 10 * HOUR, repo=a_week.repo)
    record(runs, *passed(test), at=START + 12 * HOUR, repo=a_week.repo)
    found = Found(
        *(
            "README.md",
            "setting",
            "retry_limit",
            "rename",
            "it was renamed",
            (3,),
            ("retry_limit",),
        ),
        *(("k",), ("k",), 1),
        commit=sha,
    )
    (number,) = a_week.work.proposals.put(a_week.repo, [found], START + 11 * HOUR)
    a_week.work.proposals.close(number, DriftState.ACCEPTED, START + 13 * HOUR)
    (theme,) = a_week.day(0).themes

    assert theme.title == "Rename retry_limit to tries"
    assert "tests/test_pay.py::test_retry failed (AssertionError) from 10:00 to 12:00" in texts(
        theme
    )
    assert any(
        text.endswith("was left behind by the code and was put right") for text in texts(theme)
    )
    assert theme.state is State.DONE
    assert f"D{number}" in theme.references


def test_what_is_asked_for_besides_changes_no_page(a_week: Week) -> None:
    shop = a_week.shop
    first = shop.commit({"shop/cart.py": "cache = {}\n"}, "Cache the carts")
    for day in range(1, 20):
        a_week.at(day)
        shop.commit({f"shop/{day}.py": "x = 1\n"}, f"Build part {day}", branch=f"part-{day}")
        shop.switch("main")
        shop.merge(
            f"part-{day}", message=f"Merge pull request #{day} from sam/part-{day}\n\nPart {day}"
        )
    shop.commit({"shop/cart.py": None}, f'Revert "Cache the carts"\n\nThis reverts commit {first}.')
    last = MONDAY + timedelta(20)
    whole = a_week.evidence(MONDAY, 21)
    at_once = [
        to_json(page) for page in pages_between(a_week.memory.repo, whole, MONDAY, last, UTC)
    ]
    by_week = [
        to_json(page)
        for week in range(3)
        for page in pages_between(
            a_week.memory.repo,
            a_week.evidence(MONDAY + timedelta(7 * week)),
            MONDAY + timedelta(7 * week),
            MONDAY + timedelta(7 * week + 6),
            UTC,
        )
    ]
    assert at_once == by_week


def test_a_new_commit_changes_its_day_and_its_week_alone(a_week: Week) -> None:
    shop = a_week.shop
    for day in range(3):
        a_week.at(day)
        shop.commit({f"shop/{day}.py": "x = 1\n"}, f"Build part {day}")

    def pages() -> dict[str, str]:
        found = pages_between(
            a_week.memory.repo, a_week.evidence(), MONDAY, MONDAY + timedelta(6), UTC
        )
        return {page.label: page.digest for page in found}

    before = pages()
    assert pages() == before
    a_week.at(1.2)
    shop.commit({"shop/more.py": "x = 1\n"}, "Measure all parts")
    after = pages()

    assert before.keys() == after.keys()
    assert {label for label in before if before[label] != after[label]} == {
        "2025-01-07",
        "2025-W02",
    }


def test_rewritten_work_is_told_once(a_week: Week) -> None:
    shop = a_week.shop
    shop.commit({"shop/pay.py": "tries = 3\n"}, "Back off between tries", branch="retry")
    assert len(a_week.evidence()) == 1
    shop.switch("main")
    shop.commit({"shop/cart.py": "x = 1\n"}, "Round prices")
    shop.git(
        *("rebase", "--quiet", "main", "retry"),
        environment={
            "GIT_COMMITTER_NAME": "Sam",
            "GIT_COMMITTER_EMAIL": "sam@example.com",
            "GIT_COMMITTER_DATE": f"{START + 60 * DAY} +0000",
        },
    )
    assert sorted(commits(a_week.evidence())) == ["Back off between tries", "Round prices"]


def test_what_a_machine_published_is_nobody_s_work(a_week: Week) -> None:
    a_week.shop.commit({"docs/index.md": "# Shop\n"}, "Describe the shop")
    a_week.shop.commit({"index.html": "<h1>Shop</h1>\n"}, "Build 3f2a91c", branch="gh-pages")
    assert commits(a_week.evidence()) == ["Describe the shop"]


def test_a_repository_without_commits_has_no_pages(tmp_path: Path) -> None:
    empty = RepoBuilder(tmp_path / "empty")
    work = Work(tmp_path / "work.db")
    with Ingested(tmp_path / "memory", empty.path) as ingested:
        ingested.run()
        found = gather(ingested.memory, work, ingested.repo, MONDAY, MONDAY, UTC)
        assert found == []
        assert week_page(ingested.repo, found, MONDAY, UTC).themes == ()
    work.close()


def test_a_pull_request_of_which_memory_has_the_item_is_called_by_it(a_week: Week) -> None:
    only = a_week.shop.commit({"shop/pay.py": "x = 1\n"}, "wip", branch="retry")
    a_week.shop.switch("main")
    a_week.shop.merge("retry", message="Merge pull request #482 from sam/retry")
    a_week.items = [
        Item(
            *("github", "github:shop/482", ItemKind.PULL, a_week.repo, "Retry failed payments"),
            *("Why: the bank is slow.", "Sam Doe", "sam@example.com"),
            time=START + HOUR,
            changed=START + 11 * HOUR,
            key="#482",
            state="merged",
            closed=START + 11 * HOUR,
        )
    ]
    (theme,) = a_week.week().themes

    assert theme.title == "Retry failed payments"
    assert only in theme.references
    assert "github:shop/482" in theme.references
    assert theme.state is State.DONE


def test_a_later_night_with_the_same_evidence_changes_no_page(a_week: Week) -> None:
    a_week.at(1)
    pay = a_week.shop.commit({"shop/pay.py": "x = 1\n"}, "Pay by card")
    said = "Nightly load run {} ended early"
    a_week.items = [
        thread(number, f"{said.format(number)}, see {pay[:9]}", time=START + number * DAY)
        for number in range(1, 4)
    ]

    def pages(night: int) -> list[str]:
        evidence = a_week.evidence()
        memory = a_week.memory.memory
        for repo in (a_week.repo, ""):
            derive(memory, repo, None, now=START + night * DAY)
        evidence = a_week.evidence()
        last = MONDAY + timedelta(6)
        return [
            to_json(page) for page in pages_between(a_week.memory.repo, evidence, MONDAY, last, UTC)
        ]

    first = pages(7)
    assert sum("load run" in page for page in first) == 2, "the first of them, on its day and week"
    assert pages(21) == first
    assert pages(200) == first
