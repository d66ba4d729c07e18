"""Which tests are meant by what was typed."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.daemon.test_names import NoSuchTest, chosen, the_one
from hermes.memory.records import Repo
from hermes.memory.test_runs import Runs
from hermes.memory.work import Work
from hermes.tests.builders.runs import passed, record

CART, TAX = "tests/test_cart.py::test_total", "tests/test_cart.py::test_total_tax"
ONE, TWO = "tests/test_pay.py::test_pay[1]", "tests/test_pay.py::test_pay[2]"


@pytest.fixture
def runs(tmp_path: Path) -> Generator[Runs]:
    work = Work(tmp_path / "work.db")
    record(work.runs, *passed(CART, TAX, ONE, TWO), at=1.0, kind="full")
    yield work.runs
    work.close()


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    (tmp_path / "shop" / "tests").mkdir(parents=True)
    (tmp_path / "shop" / "tests" / "test_new.py").touch()
    (tmp_path / "outside.py").touch()
    folder = tmp_path / "shop"
    return Repo("r1", "shop", str(folder / ".git"), str(folder), None, 0)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (CART, CART),
        ("pay[2]", TWO),
        ("total_tax", TAX),
        ("test_total", CART),  # also in the other's middle, but only this one ends with it
        ("tests/test_cart.py::test_total_tax", TAX),
    ],
)
def test_any_part_that_no_other_has_is_enough(
    runs: Runs, repo: Repo, typed: str, meant: str
) -> None:
    assert the_one(runs, repo, typed).test == meant


def test_a_part_of_several_names_them(runs: Runs, repo: Repo) -> None:
    with pytest.raises(NoSuchTest) as refused:
        the_one(runs, repo, "test_pay")
    assert refused.value.message == f"test_pay may be {ONE}, {TWO}"


@pytest.mark.parametrize("typed", ["nowhere", "", " "])
def test_a_part_of_none_says_so(runs: Runs, repo: Repo, typed: str) -> None:
    with pytest.raises(NoSuchTest, match="no test of shop"):
        the_one(runs, repo, typed)


def test_a_word_runs_all_whose_ids_hold_it(runs: Runs, repo: Repo) -> None:
    assert chosen(runs, repo, ["test_pay", "pay[1]"]) == (ONE, TWO)


def test_files_that_are_there_and_exact_ids_are_taken_as_they_are(runs: Runs, repo: Repo) -> None:
    asked = ["tests/test_new.py", "tests/test_new.py::test_first", CART]
    assert chosen(runs, repo, asked) == tuple(asked)


@pytest.mark.parametrize("typed", ["../outside.py", "/etc/passwd", "--pdb", "", "a\0b"])
def test_nothing_outside_and_no_option_gets_through(runs: Runs, repo: Repo, typed: str) -> None:
    with pytest.raises(NoSuchTest):
        chosen(runs, repo, [typed])
