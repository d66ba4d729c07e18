"""What a page says of a day or a week: its themes, their titles, sentences, reasons and people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date

import pytest

from hermes.agents.themes.compose import week_page
from hermes.agents.themes.group import MOST, parts_of
from hermes.agents.themes.records import Page, State, Theme
from hermes.tests.builders.themes import SHOP, Happenings

MONDAY = date(2026, 11, 30)


def page_of(happen: Happenings) -> Page:
    return week_page(SHOP, happen.made, MONDAY, UTC)


def the_theme(happen: Happenings) -> Theme:
    (theme,) = page_of(happen).themes
    return theme


def said(theme: Theme) -> list[str]:
    return [line.text for line in theme.what]


def merged_pull(happen: Happenings) -> None:
    first = happen.commit("wip", "shop/pay.py", pull="#482")
    second = happen.commit("Back off between tries", "shop/pay.py", pull="#482")
    happen.merge("Retry failed payments", "#482", first, second)


def squashed_pull(happen: Happenings) -> None:
    first = happen.commit("Back off between tries", "shop/pay.py", pull="#482")
    second = happen.commit("More jitter", "shop/pay.py", pull="#482")
    happen.commit(
        "feat(pay): retry failed payments (#482)",
        "shop/pay.py",
        pull="#482",
        about=[first.ref, second.ref],
        lines=40,
    )


def one_commit_of_a_pull(happen: Happenings) -> None:
    only = happen.commit("Retry failed payments", "shop/pay.py", pull="#482")
    happen.merge("Retry failed payments", "#482", only)


@pytest.mark.parametrize("happened", [merged_pull, squashed_pull, one_commit_of_a_pull])
def test_a_pull_request_is_one_theme_told_once(happened: Callable[[Happenings], None]) -> None:
    happen = Happenings()
    happened(happen)
    theme = the_theme(happen)

    assert theme.title == "Retry failed payments"
    assert theme.key == "pull:#482"
    assert theme.state is State.DONE
    assert sum("etr" in text for text in said(theme)) == 1, said(theme)
    assert set(theme.references) == {each.ref for each in happen.made}


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        (["Add retries to payments (ENG-17)"], "Add retries to payments"),
        (["fix(cart): total of an empty cart, closes #12"], "Total of an empty cart"),
        (["Fix the tests I broke in #1096"], "Fix the tests I broke in #1096"),
        (["Cleaned up the routing. This fixes #279"], "Cleaned up the routing"),
        (["WIP retries (ENG-17)", "Add retries (ENG-17)"], "Add retries"),
        (["Fix the tests (ENG-17)", "Add retries (ENG-17)"], "Add retries"),
        (["Docs for retries (ENG-17)", "Add retries (ENG-17)"], "Add retries"),
        (["shop export --all option"], "shop export --all option"),
        (["retry_limit is an integer"], "retry_limit is an integer"),
        (["wip", "fix"], "Work on shop/pay.py"),
    ],
)
def test_a_theme_is_called_by_what_was_meant(titles: list[str], expected: str) -> None:
    happen = Happenings()
    for title in titles:
        happen.commit(title, "shop/pay.py")
    assert the_theme(happen).title == expected


def test_a_ticket_gives_its_title_to_the_work_that_names_it() -> None:
    happen = Happenings()
    happen.commit("Back off (ENG-17)", "shop/pay.py", called="Payments hammer the bank")
    happen.commit("Add jitter (ENG-17)", "shop/pay.py", called="Payments hammer the bank")
    happen.thread("The bank called again", "ENG-17")
    theme = the_theme(happen)

    assert theme.title == "Payments hammer the bank"
    assert theme.key == "ticket:ENG-17"
    assert theme.tickets == ("ENG-17",)


def test_what_happened_to_a_ticket_is_one_sentence() -> None:
    happen = Happenings()
    happen.ticket("ENG-17", "Payments hammer the bank", "open", "was opened")
    happen.ticket("ENG-17", "Payments hammer the bank", "open", "was assigned to Sam")
    happen.ticket("ENG-17", "Payments hammer the bank", "closed", "was done")
    theme = the_theme(happen)

    assert said(theme) == [
        "ENG-17 “Payments hammer the bank” was opened, was assigned to Sam and was done on Monday"
    ]
    assert theme.what[0].references == ("linear:ENG-17",)
    assert theme.state is State.DONE


def test_a_reverted_piece_of_work_says_so() -> None:
    happen = Happenings()
    first = happen.commit("Cache the carts", "shop/cart.py")
    happen.commit(
        'Revert "Cache the carts"',
        "shop/cart.py",
        undoes=first.ref,
        why="It served the carts of others.",
    )
    theme = the_theme(happen)

    assert theme.title == "Cache the carts (taken back)"
    assert said(theme) == ["Tried “Cache the carts” and took it back on Monday"]
    assert theme.what[0].references == (happen.made[0].ref, happen.made[1].ref)
    assert [line.text for line in theme.why] == ["It served the carts of others."]


def test_a_revert_of_older_work_names_it() -> None:
    happen = Happenings()
    happen.commit('Revert "Cache the carts (#7)"', "shop/cart.py", undoes="f" * 40)
    theme = the_theme(happen)

    assert theme.title == "Take back “Cache the carts”"
    assert said(theme) == ["Took back “Cache the carts” on Monday"]


def test_what_was_put_in_again_is_not_taken_back() -> None:
    happen = Happenings()
    first = happen.commit("Cache the carts", "shop/cart.py")
    back = happen.commit('Revert "Cache the carts"', "shop/cart.py", undoes=first.ref)
    happen.commit('Revert "Revert "Cache the carts""', "shop/cart.py", undoes=back.ref)
    theme = the_theme(happen)

    assert theme.title == "Cache the carts"
    assert said(theme) == ["Took back “Cache the carts” and put it in again on Monday"]


def test_a_test_that_was_red_for_a_while_stands_with_the_work_on_its_file() -> None:
    happen = Happenings()
    happen.commit("Retry failed payments (#482)", "shop/pay.py", "tests/test_pay.py", pull="#482")
    happen.test("tests/test_pay.py::test_retry", "red", at=happen.made[0].at + 60)
    happen.test("tests/test_pay.py::test_retry", "green", at=happen.made[0].at + 90_000)
    theme = the_theme(happen)

    assert "tests/test_pay.py::test_retry failed (KeyError) from Monday to Tuesday" in said(theme)
    assert theme.state is State.DONE


def test_a_document_that_was_left_behind_stands_with_the_commit_that_did_it() -> None:
    happen = Happenings()
    commit = happen.commit("Rename retry_limit to tries", "shop/pay.py")
    happen.drift(3, "README.md", "open", commit=commit.ref)
    theme = the_theme(happen)

    assert theme.title == "Rename retry_limit to tries"
    assert "README.md: retry_limit was left behind by the code" in said(theme)
    assert theme.state is State.DONE, "the work landed, whatever documents say of it"


def test_work_that_waits_on_a_branch_is_open_and_says_where() -> None:
    happen = Happenings()
    happen.commit("Try a queue", "shop/queue.py", landed=0, branch="queue")
    theme = the_theme(happen)

    assert theme.state is State.OPEN
    assert theme.key == "branch:queue"
    assert said(theme) == ["Try a queue (on queue): 20 lines in shop/queue.py"]


def test_upkeep_is_told_in_one_theme_behind_the_work() -> None:
    happen = Happenings()
    for name in ("cryptography", "ruff", "uvicorn"):
        happen.commit(f"Bump {name} from 1.0 to 1.1", "pyproject.toml", author="dependabot[bot]")
    happen.commit("Retry failed payments", "shop/pay.py")
    work, upkeep = page_of(happen).themes

    assert work.title == "Retry failed payments"
    assert upkeep.title == "Dependencies: cryptography, ruff and uvicorn"
    assert said(upkeep) == ["Updated cryptography, ruff and uvicorn"]
    assert work.people == ("Sam Doe",)


def test_little_upkeep_is_only_counted_where_there_is_much_work() -> None:
    happen = Happenings()
    for name in ("carts", "payments", "parcels"):
        happen.commit(f"Rewrite {name}", f"{name}/all.py")
    happen.commit("Fix typo", "README.md", lines=2)
    page = page_of(happen)

    assert len(page.themes) == 3
    assert page.more == 1


def test_releases_are_one_theme_with_each_version_once() -> None:
    happen = Happenings()
    only = happen.commit("Release 2.3.0", "shop/__init__.py", pull="#5")
    happen.merge("Release 2.3.0", "#5", only)
    happen.commit("Release 2.3.1", "shop/__init__.py")
    theme = the_theme(happen)

    assert theme.title == "Release 2.3.0 and 2.3.1"
    assert said(theme) == ["Released 2.3.0 (#5)", "Released 2.3.1"]


def test_a_release_that_names_tickets_belongs_with_none_of_them() -> None:
    happen = Happenings()
    happen.commit("Retry failed payments (ENG-17)", "shop/pay.py")
    release = happen.commit("Release 0.8.1", "pyproject.toml", "CHANGELOG.md")
    happen.made[-1] = replace(release, tickets=("ENG-17",))
    assert [theme.title for theme in page_of(happen).themes] == [
        "Retry failed payments",
        "Release 0.8.1",
    ]


def test_what_has_not_moved_is_told_apart() -> None:
    happen = Happenings()
    happen.commit("Retry failed payments", "shop/pay.py")
    happen.ticket("ENG-3", "Export of orders", "stalled", "has not moved for two weeks")
    happen.ticket("ENG-4", "Sort the parcels", "stalled", "has not moved for two weeks")
    work, stalled = page_of(happen).themes

    assert work.state is State.DONE
    assert stalled.state is State.STALLED
    assert stalled.title == "Stalled: Export of orders and Sort the parcels"
    assert said(stalled)[0] == "ENG-3 “Export of orders” has not moved for two weeks"


def test_alike_pieces_of_work_are_one_theme_with_a_topic() -> None:
    happen = Happenings()
    happen.commit("Toolbox for collections of tools", "shop/tools.py", lines=300)
    happen.commit("Reject what is no toolbox (#14)", "shop/tools.py", pull="#14")
    happen.commit("Configure a toolbox (ENG-9)", "shop/tools.py")
    for name in ("parcel", "price", "voucher", "basket", "login", "export"):
        happen.commit(f"Rewrite {name} of {name}s", f"shop/{name}.py")
    titles = [theme.title for theme in page_of(happen).themes]

    assert titles[0] == "Toolbox for collections of tools; reject what is no toolbox"
    assert page_of(happen).themes[0].references == tuple(each.ref for each in happen.made[:3])


def test_commits_of_one_scope_are_called_after_it() -> None:
    happen = Happenings()
    happen.commit("search: fold accents", "shop/fold.py", lines=90)
    happen.commit("search: rank whole names first", "shop/rank.py")
    (theme,) = page_of(happen).themes
    assert theme.title == "Search: fold accents"


def test_sentences_of_a_theme_are_all_in_the_past_or_all_as_their_authors_wrote_them() -> None:
    happen = Happenings()
    happen.commit("pay: add jitter to the pause", "shop/pay.py", lines=90)
    assert said(page_of(happen).themes[0])[0].startswith("Added jitter")
    happen.commit("pay: weigh banks by their answers", "shop/pay.py")
    lines = said(page_of(happen).themes[0])
    assert [line.partition(":")[0] for line in lines] == [
        "Add jitter to the pause",
        "Weigh banks by their answers",
    ]


def test_what_a_last_sentence_stands_for_is_listed_so_that_its_parts_are_seen() -> None:
    happen = Happenings()
    for number in range(8):
        happen.commit(f"pay: weigh bank {number}, coin {number} and card {number}", "shop/pay.py")
    last = said(page_of(happen).themes[0])[-1]
    assert last.startswith("Also: Weigh bank 4, coin 4 and card 4; weigh bank 5")


def test_much_work_in_one_part_of_the_project_is_called_after_it() -> None:
    happen = Happenings()
    for said in (
        "Cache widths",
        "Validate borders",
        "Export fonts",
        "Split sheets",
        "Archive drafts",
    ):
        happen.commit(f"{said} of a label", f"parcels/{said.split()[1]}.py")
    for name in ("amber", "birch", "cedar", "dune", "ember", "fjord"):
        happen.commit(f"Rewrite {name}", f"{name}/{name}.py", lines=90)
    theme = next(theme for theme in page_of(happen).themes if len(theme.references) == 5)

    assert theme.key == "scope:parcels"
    assert theme.title == "Parcels: cache widths of a label; validate borders of a label"


def test_a_busy_week_has_a_page_s_number_of_themes_and_loses_nothing() -> None:
    happen = Happenings()
    words = [
        "amber",
        "birch",
        "cedar",
        "dune",
        "ember",
        "fjord",
        "grove",
        "heath",
        "islet",
        "jetty",
        "knoll",
        "lagoon",
        "marsh",
        "nook",
    ]
    for number, word in enumerate(words * 3):
        happen.commit(f"Build {word}{number} of {word}", f"{word}/{number}.py", lines=10 + number)
    page = page_of(happen)

    assert len(page.themes) <= MOST
    told = {ref for theme in page.themes for ref in theme.references}
    assert len(told) + page.more == len(happen.made)
    assert all(1 <= len(theme.what) <= 5 for theme in page.themes)


def test_every_sentence_rests_on_evidence_of_its_page() -> None:
    happen = Happenings()
    merged_pull(happen)
    happen.ticket("ENG-3", "Export of orders", "open", "was opened")
    happen.drift(1, "README.md", "open")
    refs = {each.ref for each in happen.made}

    for theme in page_of(happen).themes:
        assert theme.references
        for line in (*theme.what, *theme.why):
            assert line.references
            assert set(line.references) <= set(theme.references) <= refs


def test_sentences_name_who_did_it_where_it_was_not_the_usual_person() -> None:
    happen = Happenings()
    happen.commit("Add retries (ENG-1)", "shop/pay.py", lines=300)
    happen.commit("Fix the unit of the pause (ENG-1)", "shop/pay.py", author="Kim Noor", lines=2)
    theme = the_theme(happen)

    assert said(theme) == [
        "Added retries (ENG-1): 300 lines in shop/pay.py",
        "Kim Noor fixed the unit of the pause (ENG-1): 2 lines in shop/pay.py",
    ]
    assert theme.people == ("Sam Doe", "Kim Noor")


def test_files_are_counted_beyond_those_that_are_named() -> None:
    happen = Happenings()
    happen.commit("Format all", *(f"shop/{n}.py" for n in range(12)), lines=900)
    (text,) = said(the_theme(happen))
    assert text == "Format all: 900 lines in shop/0.py, 1.py and 10 more"


def test_a_discussion_alone_is_a_theme() -> None:
    happen = Happenings()
    happen.thread("Shall we drop Python 3.10?", others=("Kim Noor", "Ana Vidal"))
    theme = the_theme(happen)

    assert theme.title == "Shall we drop Python 3.10?"
    assert said(theme) == ["Sam Doe, Kim Noor and Ana Vidal discussed “Shall we drop Python 3.10?”"]


def test_loose_commits_of_one_scope_are_one_piece_of_work() -> None:
    happen = Happenings()
    happen.commit("queue: add a limit", "shop/queue.py")
    happen.commit("queue: measure it", "shop/queue.py")
    happen.commit("cart: round prices", "shop/cart.py")

    assert len(parts_of(happen.made)) == 2
