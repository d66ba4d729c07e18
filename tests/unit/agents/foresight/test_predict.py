"""Which questions are foreseen of a day, and in which order."""

from datetime import date, datetime

import pytest

from hermes.agents.foresight.asked import Asked, Kind
from hermes.agents.foresight.predict import MOST_KEPT, Signs, areas_of, foresee, places_of
from hermes.memory.records import Commit, FileChange

NOW = datetime(2026, 3, 16, 3, 0)  # a Monday
FRIDAY = date(2026, 3, 13)


def commit(number: int, *paths: str, days: float = 1.0, subject: str = "Change") -> Commit:
    at = int(NOW.timestamp() - days * 86_400)
    files = tuple(FileChange(path, "M") for path in paths)
    author = ("Sam Doe", "sam@example.com")
    return Commit("r1", f"{number:040x}", (), *author, at, at, subject, files)


def start(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


def foreseen(*signs: Signs) -> list[Asked]:
    return [each.asked for each in foresee(signs, NOW, FRIDAY)]


def test_where_nothing_is_going_on_nothing_is_foreseen() -> None:
    assert foreseen(Signs("r1")) == []


def test_red_tests_and_open_tickets_come_first() -> None:
    own = [commit(1, "shop/payments/retry.py")]
    signs = Signs("r1", own, own, red=["tests/test_a.py::test_total"], tickets=["eng-17"])
    first = foreseen(signs)[:4]
    assert Asked(Kind.TEST, "") in first
    assert Asked(Kind.TEST, "test_total") in first
    assert Asked(Kind.TICKET, "ENG-17") in first


def test_on_a_monday_the_time_since_friday_is_asked_about() -> None:
    own = [commit(1, "shop/payments/retry.py")]
    found = foreseen(Signs("r1", own, own))
    since_friday = [each.subject for each in found if each.since == start("2026-03-13")]
    assert since_friday[0] == ""
    assert {"shop", "payments"} <= set(since_friday)
    assert Asked(Kind.AREA, "", start("2026-03-09"), start("2026-03-16")) in found


def test_the_areas_of_late_come_before_those_of_long_ago() -> None:
    fresh, old = commit(1, "api/routes.py", days=0.5), commit(2, "web/login.py", days=12)
    areas = areas_of(Signs("r1", [fresh, old], [fresh, old]), NOW)
    assert areas.index("api") < areas.index("web")


def test_ones_own_areas_come_before_those_of_others() -> None:
    own, theirs = commit(1, "api/routes.py"), commit(2, "web/login.py")
    areas = areas_of(Signs("r1", [own], [own, theirs]), NOW)
    assert areas.index("api") < areas.index("web")


def test_work_that_is_not_committed_counts() -> None:
    assert areas_of(Signs("r1", open_paths=["shop/cart.py"]), NOW)[0] in (
        "cart",
        "shop",
        "shop/cart.py",
    )


def test_a_scope_that_subjects_begin_with_is_an_area() -> None:
    assert "billing" in areas_of(
        Signs("r1", [], [commit(1, "src/a.py", subject="fix(billing): round")]), NOW
    )


@pytest.mark.parametrize(
    ("path", "places"),
    [
        (
            "shop/payments/retry.py",
            ["shop", "shop/payments", "payments", "shop/payments/retry.py", "retry"],
        ),
        ("shop/__init__.py", ["shop"]),
        ("docs/payments.md", ["docs"]),
        ("tests/test_cart.py", ["tests", "tests/test_cart.py"]),
        ("main.py", ["main.py", "main"]),
    ],
)
def test_a_files_places_are_what_a_person_calls_them(path: str, places: list[str]) -> None:
    assert places_of(path) == places


def test_a_night_answers_only_so_many() -> None:
    many = [commit(n, f"part{n}/file{n}.py") for n in range(40)]
    found = foreseen(
        *(Signs(f"r{n}", many, many, red=[f"t{m}" for m in range(9)]) for n in range(5))
    )
    assert len(found) == MOST_KEPT


def test_each_question_is_foreseen_once() -> None:
    own = [commit(1, "shop/payments/retry.py")]
    found = foreseen(Signs("r1", own, own, red=["a::t", "b::t"]))
    assert len(found) == len(set(found))
