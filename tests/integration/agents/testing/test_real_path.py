"""From a save to what is said of it, with nothing scripted: git, pytest, the memory, the runtime."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hermes.agents.contract import Lane, Level
from hermes.daemon.ledger.records import State
from hermes.memory.memory import Memory
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.ingested import Ingested
from hermes.tests.builders.testing import bench

TOKEN = '''"""Tokens."""


def expires(issued: int, lifetime: int) -> int:
    return issued + lifetime
'''
TESTS = """from shop.token import expires


def frozen_now() -> int:
    return 1_000


def test_token_expires_after_its_lifetime() -> None:
    assert expires(frozen_now(), 60) == 1_060


def test_token_of_no_lifetime_expires_at_once() -> None:
    assert expires(frozen_now(), 0) == 1_000
"""
OTHER = """def test_cart_is_empty() -> None:
    assert not []
"""
POSTMORTEM = """# April incident: tokens expired early

On 17 April every sign-in failed for forty minutes.

## Cause

Clock skew in the `frozen_now` fixture. It hid that `test_token_expires_after_its_lifetime` compared
two clocks.

## What we do now

We freeze both clocks.
"""


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    shop = RepoBuilder(tmp_path / "shop")
    shop.commit(
        {
            "shop/__init__.py": "",
            "shop/token.py": TOKEN,
            "tests/test_token.py": TESTS,
            "tests/test_cart.py": OTHER,
            "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n'
            '[tool.pytest.ini_options]\npythonpath = ["."]\n',
        },
        "Add tokens",
    )
    shop.commit({"docs/postmortems/2025-04-17.md": POSTMORTEM}, "Write down the April incident")
    (shop.path / ".venv" / "bin").mkdir(parents=True)
    (shop.path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (shop.path / ".git" / "info" / "exclude").write_text(".venv\n")
    return shop


async def test_a_save_that_breaks_a_test_is_told_with_a_note_and_taken_back_when_mended(
    tmp_path: Path, shop: RepoBuilder
) -> None:
    with Ingested(tmp_path / "memory", shop.path) as ingested:
        ingested.run()
        memory = ingested.memory
        sha = shop.head()

        async def opened() -> Memory:
            return memory

        async with bench(tmp_path, shop.path, repo=ingested.repo.id, memory=opened) as here:
            full = await here.run(subject="full", lane=Lane.ON_DEMAND)
            assert (full.state, full.reason.split(" in ")[0]) == (State.OK, "3 tests pass")
            shop.write(
                {"shop/token.py": TOKEN.replace("issued + lifetime", "issued + lifetime - 1")}
            )
            red = await here.run("shop/token.py")
            assert red.state is State.OK
            assert red.reason.startswith("2 tests fail in shop: test_token_expires_after")
            (finding,) = here.found
            assert (finding.level, finding.next_step) == (Level.GLANCE, "hermes tests")
            assert finding.references == (f"{sha[:12]}:docs/postmortems/2025-04-17.md",)
            assert (
                "also in “April incident: tokens expired early”;"
                " cause: “Clock skew in the `frozen_now` fixture.”"
            ) in finding.body
            shop.write({"shop/token.py": TOKEN})
            green = await here.run("shop/token.py")
            assert green.reason == "2 tests pass in shop"
            assert [f.recovered for f in here.found] == [False, True]
            assert here.found[1].cause == finding.cause
