"""Which questions are read as those of every day, and which are not."""

from datetime import datetime

import pytest

from hermes.agents.foresight.asked import Asked, Kind, read

NOW = datetime(2026, 3, 18, 9, 30)  # a Wednesday


def day(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


@pytest.mark.parametrize(
    ("question", "subject", "since", "until"),
    [
        ("what happened in payments last month", "payments", "2026-02-01", "2026-03-01"),
        ("what changed in daemon/ since friday", "daemon/", "2026-03-13", None),
        (
            "What has changed in `worker/retry.py` since last week?",
            "worker/retry.py",
            "2026-03-09",
            None,
        ),
        ("what's new in the importer?", "importer", None, None),
        ("what is new in payments this week", "payments", "2026-03-16", "2026-03-23"),
        ("what happened last week in payments?", "payments", "2026-03-09", "2026-03-16"),
        ("what went on in the billing module in february", "billing", "2026-02-01", "2026-03-01"),
        ("what has been happening in shop/cart lately", "shop/cart", None, None),
        ("what did we do in payments yesterday?", "payments", "2026-03-17", "2026-03-18"),
        (
            "what have we changed in the rate limiter in the last 3 days",
            "rate limiter",
            "2026-03-15",
            None,
        ),
        ("what did the team change in search since monday", "search", "2026-03-16", None),
        ("what was done on the parser last month", "parser", "2026-02-01", "2026-03-01"),
        ("anything new in payments?", "payments", None, None),
        ("any changes in docs/ since yesterday?", "docs/", "2026-03-17", None),
        ("changes in the worker this month", "worker", "2026-03-01", "2026-04-01"),
        ("summarize changes in payments last week", "payments", "2026-03-09", "2026-03-16"),
        ("tell me what happened in payments on friday", "payments", "2026-03-13", "2026-03-14"),
        ("can you tell me what changed in api/ please", "api/", None, None),
        ("catch me up on payments", "payments", None, None),
        ("what did I miss in payments since friday", "payments", "2026-03-13", None),
        ("what is going on with the scheduler", "scheduler", None, None),
        ("has anything changed in auth since yesterday", "auth", "2026-03-17", None),
        ("what happened last week?", "", "2026-03-09", "2026-03-16"),
        ("what changed since friday", "", "2026-03-13", None),
        ("what happened yesterday", "", "2026-03-17", "2026-03-18"),
        ("what's new in this repo since yesterday", "", "2026-03-17", None),
        ("what has changed lately?", "", None, None),
        ("what did I miss since monday?", "", "2026-03-16", None),
    ],
)
def test_a_question_about_an_area_is_read(
    question: str, subject: str, since: str | None, until: str | None
) -> None:
    asked = read(question, NOW)
    assert asked is not None
    assert (asked.kind, asked.subject) == (Kind.AREA, subject)
    assert asked.since == (day(since) if since else None)
    assert asked.until == (day(until) if until else None)


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("why is test_checkout_total red", "test_checkout_total"),
        ("Why is test_checkout_total failing again?", "test_checkout_total"),
        ("why does test_checkout_total fail", "test_checkout_total"),
        ("why did tests/test_cart.py::test_total break?", "tests/test_cart.py::test_total"),
        ("why is the test test_total[eur-2] still red", "test_total[eur-2]"),
        ("why are tests/test_cart.py tests failing", "tests/test_cart.py"),
        ("why has test_total been failing", "test_total"),
        ("why isn't test_total passing?", "test_total"),
        ("what broke test_total", "test_total"),
        ("which commit broke `test_total`?", "test_total"),
        ("who broke test_total", "test_total"),
        ("what's wrong with test_total", "test_total"),
        ("since when is test_total red", "test_total"),
        ("how long has test_total been red?", "test_total"),
        ("when did test_total start failing", "test_total"),
        ("when did test_total go red", "test_total"),
        ("is test_total still red?", "test_total"),
        ("does TestCart::test_total pass now", "TestCart::test_total"),
        ("status of test_total", "test_total"),
        ("why is cart_spec.rb failing", "cart_spec.rb"),
        ("which tests are red?", ""),
        ('"why is test_total red?"', "test_total"),
        ("“which tests are red?”", ""),
        ("why are the tests red", ""),
        ("what is failing", ""),
        ("are the tests green?", ""),
    ],
)
def test_a_question_about_a_red_test_is_read(question: str, subject: str) -> None:
    assert read(question, NOW) == Asked(Kind.TEST, subject)


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("what is the state of ENG-17", "ENG-17"),
        ("What's the status of ENG-17?", "ENG-17"),
        ("what is the current status of ticket eng-17", "ENG-17"),
        ("status of #482", "#482"),
        ("where are we with ENG-17?", "ENG-17"),
        ("where do we stand on ENG-17", "ENG-17"),
        ("where does ENG-17 stand?", "ENG-17"),
        ("how is ENG-17 going", "ENG-17"),
        ("how far are we with ENG-17", "ENG-17"),
        ("is ENG-17 done yet?", "ENG-17"),
        ("is pull request #482 merged", "#482"),
        ("is PR #482 still open?", "#482"),
        ("has ENG-17 been fixed yet", "ENG-17"),
        ("did #482 land?", "#482"),
        ("did we ship ENG-17", "ENG-17"),
        ("who is working on ENG-17", "ENG-17"),
        ("who's assigned to ENG-17?", "ENG-17"),
        ("what's up with ENG-17", "ENG-17"),
        ("what happened to #482?", "#482"),
        ("any news on ENG-17", "ENG-17"),
        ("what about ENG-17?", "ENG-17"),
        ("so, what is the progress on issue ENG-17, please?", "ENG-17"),
    ],
)
def test_a_question_about_a_ticket_is_read(question: str, key: str) -> None:
    assert read(question, NOW) == Asked(Kind.TICKET, key)


@pytest.mark.parametrize(
    "question",
    [
        # reasons, people and single changes are for search, the index and the model
        "why did we drop the retry queue?",
        "why did payments change last month",
        "who touched the rate limiter recently?",
        "what is the last change to worker/",
        "what did Sam change in payments last month",
        "what changed in payments by Ana last week",
        "what happened to the retry queue?",
        "what changed between 2.0 and 2.1",
        "what changed in 0.28",
        "what changed in daemon since v1.2",
        "what changed in how we retry",
        "what happens in payments when a card is declined",
        "what would change in payments if we dropped redis",
        "what is new",
        "what happened",
        "what happened in the outage that took payments down last month",
        "how does the importer work",
        "where is the retry queue?",
        "is redis used in payments?",
        "changes in behaviour because of the new parser",
        # tests, but not whether one is red
        "why do we test with redis",
        "why is there a test for totals",
        "how do I run test_total",
        "what does test_total check",
        "why was test_total added",
        "why is the test runner slow",
        "why is redis red in the dashboard",
        "why does the latest build fail",
        "why is the contest page broken on mobile",
        "why did we skip test_total",
        # tickets, but not how they stand
        "why did we do ENG-17?",
        "what does ENG-17 say",
        "which commits mention ENG-17",
        "when was ENG-17 merged",
        "is ENG-17 related to ENG-18",
        "ENG-17",
        "what is the state of the queue",
        "what is the state of utf-8 support",
    ],
)
def test_a_question_of_another_sort_is_left_alone(question: str) -> None:
    assert read(question, NOW) is None
