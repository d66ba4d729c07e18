"""Everyday questions: answered from facts, at once or ahead, and never from what has changed since."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Generator
from datetime import date, datetime
from pathlib import Path

import pytest

from hermes.agents.models.scripted import ScriptedModel
from hermes.agents.themes import wordings
from hermes.agents.themes.folder import ThemesFolder
from hermes.agents.themes.records import Line, Page, State, Theme, Wording
from hermes.daemon.foresight import coming_day
from hermes.daemon.sections import PersonSettings
from hermes.daemon.settings import Settings
from hermes.ingest.items import take_in
from hermes.memory.answers import Tally
from hermes.memory.forgetting_rules import RuleKind
from hermes.memory.records import Filters, Mark
from hermes.tests.builders.everyday import Everyday, at, open_everyday, ticket

AREA = "what changed in payments since monday"
RED = "why is test_checkout_total red"
STATE = "what is the state of ENG-17"


@pytest.fixture
def everyday(tmp_path: Path) -> Generator[Everyday]:
    with open_everyday(tmp_path) as made:
        yield made


def night(everyday: Everyday) -> dict[str, int]:
    """Answer ahead, as a night does; return its counts."""
    step = asyncio.run(everyday.foresight.precompute(None))
    return dict(step.counts)


def is_ahead(everyday: Everyday, question: str) -> bool:
    answer = everyday.ask(question)
    assert answer is not None
    return answer.made is not None


# Answers from facts


def test_an_area_is_told_by_who_did_what_and_why(everyday: Everyday) -> None:
    texts = everyday.texts("what happened in payments lately?")
    assert texts[0].startswith("2 commits in payments in the last 14 days by Alex Roe, the last on")
    assert "The bank drops one call in a hundred, because it restarts." in " ".join(texts)
    answer = everyday.ask("what happened in payments lately?")
    assert answer is not None
    assert {each["sha"] for each in answer.sources} == {
        everyday.shas["retry"],
        everyday.shas["limit"],
    }


def test_of_a_theme_only_what_is_about_the_area_is_told(everyday: Everyday) -> None:
    limit, broke = everyday.shas["limit"], everyday.shas["broke"]
    theme = Theme(
        "ticket:ENG-17",
        "Payments: retry five times; round totals up",
        State.OPEN,
        (
            Line("Alex Roe retried payments five times: 2 lines in retry.py", (limit,)),
            Line("Rounded totals up (ENG-17): 1 line in shop/checkout.py", (broke,)),
        ),
        references=(limit, broke),
        weight=1.0,
    )
    page = Page(
        *(everyday.taken.repo.id, "shop", date(2026, 3, 9), date(2026, 3, 15)), (theme,), "digest"
    )
    ThemesFolder(everyday.paths.themes).write([page], "Night", at(1))

    texts = everyday.texts("what happened in payments lately?")
    (told,) = [text for text in texts if "retried payments five times" in text]
    assert told.startswith("- Alex Roe retried payments five times: 2 lines in retry.py (open")
    assert not any("totals" in text.lower() for text in texts)


def test_only_the_time_that_was_asked_about_is_told(everyday: Everyday) -> None:
    (first, *_) = everyday.texts("what changed in payments last week")
    assert first == "One commit in payments from 2026-03-09 to 2026-03-15."
    answer = everyday.ask("what changed in payments last week")
    assert answer is not None
    assert {each["sha"] for each in answer.sources} == {everyday.shas["limit"]}


def test_where_nothing_happened_the_last_that_did_is_told(everyday: Everyday) -> None:
    texts = everyday.texts("what changed in shop/payments/card.py last week")
    assert texts[0] == "Nothing changed in shop/payments/card.py from 2026-03-09 to 2026-03-15."
    assert texts[1].startswith("The last before that: Sam Doe took cards on")


def test_an_area_that_nobody_knows_is_left_to_search(everyday: Everyday) -> None:
    assert everyday.ask("what happened in kubernetes last month") is None


def test_a_red_test_is_told_with_its_error_and_what_came_between(everyday: Everyday) -> None:
    texts = everyday.texts(RED)
    assert texts[0].startswith("test_checkout_total is red since 2026-03-16 11:24")
    assert "AssertionError: assert 3 == 4 (shop/checkout.py:12) [1]" in texts[0]
    assert "1 commit came between" in texts[1]
    assert texts[2].startswith("- Sam Doe") and "rounded totals up" in texts[2]
    answer = everyday.ask(RED)
    assert answer is not None
    assert answer.sources[0]["sha"].startswith("run ")
    assert everyday.shas["broke"] in [each["sha"] for each in answer.sources]


def test_the_commit_that_was_found_to_break_it_is_named(everyday: Everyday) -> None:
    repo = everyday.taken.repo.id
    everyday.work.runs.first_bad(
        repo, "pytest", "tests/test_checkout.py::test_checkout_total", everyday.shas["broke"]
    )
    everyday.work.runs.note(
        repo,
        "pytest",
        "tests/test_checkout.py::test_checkout_total",
        "it failed like this on 2025-11-02",
        everyday.shas["old"][:12],
    )
    texts = everyday.texts(RED)
    assert texts[1].startswith("It began with this: Sam Doe")
    assert texts[2].startswith("Memory says of it: it failed like this on 2025-11-02 [")


def test_a_test_that_passes_is_said_to(everyday: Everyday) -> None:
    everyday.run_test(fails=False, days=0.5, head=everyday.shas["broke"])
    texts = everyday.texts(RED)
    assert texts[0].startswith("test_checkout_total is green: it last passed on 2026-03-17 21:00")
    assert texts[1].startswith("It was red from 2026-03-16 11:24 to 2026-03-17 21:00")


def test_a_test_that_nobody_knows_is_left_to_search(everyday: Everyday) -> None:
    assert everyday.ask("why is test_nothing red") is None


def test_all_red_tests_are_listed(everyday: Everyday) -> None:
    texts = everyday.texts("which tests are red?")
    assert texts[0] == "1 test is red in shop."
    assert texts[1].startswith("- test_checkout_total since 2026-03-16 11:24: AssertionError")


def test_a_ticket_is_told_by_its_tracker_and_by_git(everyday: Everyday) -> None:
    texts = everyday.texts(STATE)
    assert texts[0] == (
        "ENG-17 “Totals are wrong in euros” is In Review since 2026-03-17, assigned to Sam Doe [1]."
    )
    assert texts[1].startswith("It went from Todo (2026-03-09) to In Progress (2026-03-12) to In")
    assert texts[2] == "Until 2026-03-13 it was Alex Roe's [1]."
    told = " ".join(texts)
    assert "2 commits by Sam Doe name ENG-17" in told
    assert "1 of 2 are on main" in told
    assert "The branch eng-17-cents carries 1 commit that main has not" in told


def test_a_ticket_that_no_tracker_told_of_is_told_by_git_alone(everyday: Everyday) -> None:
    everyday.commit("shop/cart.py", "Empty the cart (#482)", days=0.5)
    texts = everyday.texts("is #482 merged?")
    assert texts[0].startswith(
        "By git alone, since no tracker's word of it is in memory: one commit"
    )
    assert texts[-1].startswith("It is on main [")


def test_a_ticket_that_nothing_names_is_said_not_to_be_there(everyday: Everyday) -> None:
    answer = everyday.ask("what is the state of ENG-99")
    assert answer is not None
    assert "Nothing that hermes has read names ENG-99" in answer.events[0]["text"]
    assert answer.events[-1]["relevant"] is False
    assert everyday.ask("what is the state of UTF-8") is None
    assert everyday.ask("what is the state of eng-99") is None


def test_what_was_taken_back_is_said_to_be(everyday: Everyday) -> None:
    repo, shas = everyday.taken.repo.id, everyday.shas
    mark = Mark(repo, shas["limit"], ended=at(2), ended_by=shas["broke"], why="reverted")
    everyday.taken.memory.index.marks.replace(repo, [mark])
    texts = everyday.texts("what happened in payments lately")
    assert texts[-1].startswith("“Retry payments five times” was taken back on 2026-03-16 [")
    answer = everyday.ask("what happened in payments lately")
    assert answer is not None
    said = {each["sha"]: each["said"] for each in answer.sources}
    assert said[shas["limit"]].startswith("reverted by ")


# Answers made ahead


def test_a_night_answers_what_the_day_brings(everyday: Everyday) -> None:
    counts = night(everyday)
    assert counts["kept"] > 10
    for question in (AREA, RED, STATE, "which tests are red?", "what happened since yesterday"):
        assert is_ahead(everyday, question), question


def test_an_answer_of_the_night_is_the_one_that_would_be_given_now(everyday: Everyday) -> None:
    def said(question: str) -> object:
        answer = everyday.ask(question)
        assert answer is not None
        return json.loads(json.dumps(answer.events[:-1]))

    questions = (AREA, RED, STATE)
    before = [said(question) for question in questions]
    night(everyday)
    assert [said(question) for question in questions] == before
    assert all(is_ahead(everyday, question) for question in questions)


def test_a_second_night_with_nothing_new_makes_nothing(everyday: Everyday) -> None:
    first = night(everyday)
    kept = everyday.work.answers.all()
    second = night(everyday)
    assert (second["kept"], second["made"]) == (first["kept"], 0)
    assert everyday.work.answers.all() == kept


def _new_commit(everyday: Everyday) -> None:
    everyday.commit("shop/payments/retry.py", "Retry payments seven times", days=0.1)


def _commit_that_memory_has_not_read(everyday: Everyday) -> None:
    everyday.shop.commit({"shop/payments/retry.py": "TRIES = 9\n"}, "Retry payments nine times")


def _new_branch(everyday: Everyday) -> None:
    everyday.shop.git("branch", "eng-17-again", everyday.shas["branch"])


def _packed_refs(everyday: Everyday) -> None:
    everyday.shop.git("branch", "--delete", "--force", "eng-17-cents")


def _new_run(everyday: Everyday) -> None:
    everyday.run_test(fails=True, days=0.2, head=everyday.shas["broke"])


def _note(everyday: Everyday) -> None:
    everyday.work.runs.note(
        everyday.taken.repo.id,
        "pytest",
        "tests/test_checkout.py::test_checkout_total",
        "it failed like this before",
        everyday.shas["old"],
    )


def _ticket_change(everyday: Everyday) -> None:
    take_in(everyday.taken.memory, [ticket(state="Done", changed=0.1)])


def _edit(everyday: Everyday) -> None:
    memory = everyday.taken.memory
    chunk = everyday.taken.message(everyday.shas["retry"])
    memory.index.edits.put(chunk, "Retry payments, as a person put it", 1_000)


def _forget(everyday: Everyday) -> None:
    everyday.taken.memory.index.withheld.add(RuleKind.SOURCE, "slack")


def _mark(everyday: Everyday) -> None:
    repo = everyday.taken.repo.id
    mark = Mark(repo, everyday.shas["limit"], ended=1_000, ended_by=everyday.shas["broke"])
    everyday.taken.memory.index.marks.replace(repo, [mark])


def _theme(everyday: Everyday) -> None:
    ref = everyday.paths.themes / ".git" / "refs" / "heads" / "themes"
    ref.parent.mkdir(parents=True)
    ref.write_text("1" * 40 + "\n")


def _title(everyday: Everyday) -> None:
    wordings.keep(everyday.paths.themes, [Wording("1" * 32, "Payments with jitter", "scripted")])


CHANGES: list[tuple[Callable[[Everyday], None], str]] = [
    (_new_commit, AREA),
    (_new_commit, RED),
    (_new_commit, STATE),
    (_commit_that_memory_has_not_read, AREA),
    (_new_branch, STATE),
    (_packed_refs, STATE),
    (_new_run, RED),
    (_note, RED),
    (_ticket_change, STATE),
    (_edit, AREA),
    (_forget, AREA),
    (_forget, STATE),
    (_mark, AREA),
    (_theme, AREA),
    (_title, AREA),
]


@pytest.mark.parametrize(
    ("change", "question"),
    [pytest.param(*each, id=f"{each[0].__name__}-{place}") for place, each in enumerate(CHANGES)],
)
def test_what_has_changed_is_never_answered_from_the_night(
    everyday: Everyday, change: Callable[[Everyday], None], question: str
) -> None:
    night(everyday)
    assert is_ahead(everyday, question)
    change(everyday)
    assert not is_ahead(everyday, question)
    night(everyday)
    assert is_ahead(everyday, question)


def test_what_changed_is_told(everyday: Everyday) -> None:
    night(everyday)
    _ticket_change(everyday)
    assert everyday.texts(STATE)[0].startswith("ENG-17 “Totals are wrong in euros” is Done since")


def test_other_settings_give_other_answers(everyday: Everyday) -> None:
    night(everyday)
    other = everyday.again(Settings(person=PersonSettings(names=("Samuel",))))
    answer = everyday.ask(AREA, other)
    assert answer is not None
    assert answer.made is None


def test_the_same_time_in_other_words_is_the_same_question(everyday: Everyday) -> None:
    night(everyday)
    for question in (AREA, "what's new in payments this week", "anything new in shop/payments/?"):
        assert is_ahead(everyday, question), question


def test_another_scope_is_another_question(everyday: Everyday) -> None:
    night(everyday)
    repo = everyday.taken.repo
    narrow = Filters((repo.id,), path="docs")
    answer = everyday.foresight.answer("what happened since monday", narrow, [repo])
    assert answer is None or answer.made is None
    assert is_ahead(everyday, "what happened since monday")


def test_what_another_repository_does_changes_nothing(everyday: Everyday, tmp_path: Path) -> None:
    night(everyday)
    repo = everyday.taken.memory.index.add_repo("other", str(tmp_path / "o"), None, None)
    mark = Mark(repo.id, "1" * 40, weight=0.5)
    everyday.taken.memory.index.marks.replace(repo.id, [mark])
    assert is_ahead(everyday, AREA)


def test_what_was_answered_ahead_goes_with_its_repository(everyday: Everyday) -> None:
    night(everyday)
    everyday.work.forget(everyday.taken.repo.id)
    assert everyday.work.answers.all() == []


def test_it_is_counted_what_served(everyday: Everyday) -> None:
    night(everyday)
    everyday.ask(RED)
    _new_run(everyday)
    everyday.ask(RED)
    everyday.ask("what changed in docs/ since 2026-02-20")
    everyday.ask("why did we retry payments?")
    assert everyday.work.answers.tally() == [Tally("area", 0, 0, 1), Tally("test", 1, 1, 0)]


def _summed_up(everyday: Everyday, *said: str) -> list[str]:
    """Have a night in which a model says this each time; return what an answer of it is like."""
    for path, message, days in (
        ("queue/jobs.py", "Wait between jobs", 0.44),
        ("web/login.py", "Log people in by mail", 0.43),
        ("invoices/draw.py", "Draw invoices as PDF", 0.42),
        ("api/carts.py", "Serve carts from the API", 0.41),
    ):
        everyday.commit(path, message, days=days)
    model = ScriptedModel(*(said * 60))
    asyncio.run(everyday.foresight.precompute(model))
    answer = everyday.ask("what happened since yesterday")
    assert answer is not None
    assert answer.made is not None
    return [event["text"] for event in answer.events if event["type"] == "text"]


def test_a_model_may_say_what_it_comes_to_where_sources_bear_it_out(everyday: Everyday) -> None:
    texts = _summed_up(everyday, "Sam Doe served carts from the API [1].")
    assert texts[0] == "Sam Doe served carts from the API [1]."
    assert texts[1].startswith("5 commits since")
    answer = everyday.ask("what happened since yesterday")
    assert answer is not None
    assert answer.events[-1]["model"] == "scripted"


def test_what_a_model_makes_up_is_left_out(everyday: Everyday) -> None:
    texts = _summed_up(everyday, "Ada Lovelace rewrote the billing engine in Rust (ENG-99) [1].")
    assert texts[0].startswith("5 commits since")


def test_without_a_models_word_none_is_heard(everyday: Everyday) -> None:
    _summed_up(everyday, "Sam Doe served carts from the API [1].")
    repo = everyday.taken.repo
    answer = everyday.foresight.answer(
        "what happened since yesterday", Filters((repo.id,)), [repo], plain=True
    )
    assert answer is not None
    assert answer.made is None
    assert answer.events[-1]["model"] is None


def test_a_night_that_is_to_stop_leaves_what_it_has(everyday: Everyday) -> None:
    night(everyday)
    before = everyday.work.answers.all()
    step = asyncio.run(everyday.foresight.precompute(None, lambda: True))
    assert step.notes
    assert everyday.work.answers.all() == before


@pytest.mark.parametrize(
    ("then", "day"),
    [
        ("2026-03-18 03:00", "2026-03-18"),
        ("2026-03-18 12:00", "2026-03-18"),
        ("2026-03-18 23:30", "2026-03-19"),
    ],
)
def test_in_the_evening_the_next_day_is_meant(then: str, day: str) -> None:
    assert coming_day(datetime.fromisoformat(then)).date().isoformat() == day
