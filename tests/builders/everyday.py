"""A shop in which somebody works, tests run and tickets move: all that everyday questions are about."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from hermes.daemon.foresight import Answer, Foresight
from hermes.daemon.paths import Paths, locate
from hermes.daemon.settings import Settings
from hermes.ingest.git.command import Git
from hermes.ingest.items import take_in
from hermes.memory.records import Filters, Item, ItemChange, ItemKind
from hermes.memory.test_records import NewRun, Result, Run, Why
from hermes.memory.work import Work
from hermes.tests.builders.git import ALEX, SAM, RepoBuilder
from hermes.tests.builders.ingested import Ingested

NOW = datetime(2026, 3, 18, 9, 0)
"""A Wednesday morning, local."""
DAY = 86_400
TEST = "tests/test_checkout.py::test_checkout_total"


def at(days: float) -> int:
    """Return a moment so many days before NOW."""
    return int(NOW.timestamp() - days * DAY)


def ticket(*, state: str = "In Review", changed: float = 1.0) -> Item:
    """Return ENG-17 as its tracker has it."""
    moves = (
        ItemChange(at(9), "state", "Todo"),
        ItemChange(at(8), "assignee", "Alex Roe"),
        ItemChange(at(6), "state", "In Progress"),
        ItemChange(at(5), "assignee", "Sam Doe"),
        ItemChange(at(changed), "state", state),
    )
    closed = at(changed) if state == "Done" else None
    return Item(
        *(
            "linear",
            "linear:ENG-17",
            ItemKind.TICKET,
            "",
            "Totals are wrong in euros",
            "They round.",
        ),
        *("Alex Roe", "alex@example.org", at(9), at(changed)),
        key="ENG-17",
        state=state,
        closed=closed,
        assignee="Sam Doe",
        changes=moves,
    )


@dataclass
class Everyday:
    """The shop, and who answers."""

    shop: RepoBuilder
    taken: Ingested
    work: Work
    paths: Paths
    settings: Settings
    shas: dict[str, str]
    foresight: Foresight

    def again(self, settings: Settings) -> Foresight:
        """Return another who answers, with other settings, over the same memory."""
        return _foresight(self.taken, self.work, settings, self.paths)

    def ask(self, question: str, foresight: Foresight | None = None) -> Answer | None:
        """Ask in the shop."""
        repo = self.taken.repo
        return (foresight or self.foresight).answer(question, Filters((repo.id,)), [repo])

    def texts(self, question: str) -> list[str]:
        """Ask what must be answered; return its sentences."""
        answer = self.ask(question)
        assert answer is not None
        return [event["text"] for event in answer.events if event["type"] == "text"]

    def commit(self, path: str, message: str, *, days: float, author: str = SAM) -> str:
        """Commit a change and have it read into memory."""
        content = f"{path} {message}\n" * 3
        sha = self.shop.commit({path: content}, message, author=author, when=at(days))
        self.taken.run()
        return sha

    def run_test(self, *, fails: bool, days: float, head: str) -> int:
        """Write a run of the one test down."""
        why = Why("AssertionError", "assert 3 == 4", "shop/checkout.py", 12) if fails else None
        result = Result(TEST, "failed" if fails else "passed", 0.1, why)
        state = "red" if fails else "green"
        run = Run(
            *(self.taken.repo.id, float(at(days)), 0.8, "affected", "pytest", state),
            head=head,
            clean=True,
        )
        return self.work.runs.record(NewRun(run, (result,))).id


@contextmanager
def open_everyday(folder: Path) -> Generator[Everyday]:
    """Make the shop in ``folder``, and take all of it in."""
    shop = RepoBuilder(folder / "shop")
    shop.config("user.name", "Sam Doe")
    shop.config("user.email", "sam@example.com")
    shas = {
        "old": shop.commit(
            {"shop/payments/card.py": "CARD = 1\n", "shop/checkout.py": "TOTAL = 3\n"},
            "Take cards",
            when=at(60),
        ),
        "retry": shop.commit(
            {"shop/payments/retry.py": "TRIES = 3\n"},
            "Retry payments three times\n\nThe bank drops one call in a hundred, because it restarts.",
            author=ALEX,
            when=at(12),
        ),
        "limit": shop.commit(
            {"shop/payments/retry.py": "TRIES = 5\n", "docs/payments.md": "Five.\n"},
            "Retry payments five times",
            author=ALEX,
            when=at(5),
        ),
        "broke": shop.commit(
            {"shop/checkout.py": "TOTAL = 4\n"}, "Round totals up (ENG-17)", when=at(2)
        ),
    }
    shas["branch"] = shop.commit(
        {"shop/checkout.py": "TOTAL = 5\n"},
        "Keep cents (ENG-17)",
        when=at(1),
        branch="eng-17-cents",
    )
    shop.switch("main")
    paths = locate({"HERMES_AMBIENT_HOME": str(folder / "home"), "HOME": str(folder)})
    with Ingested(paths.memory, shop.path) as taken:
        taken.run()
        take_in(taken.memory, [ticket()])
        work = Work(folder / "work.db")
        settings = Settings()
        everyday = Everyday(
            *(shop, taken, work, paths, settings, shas),
            _foresight(taken, work, settings, paths),
        )
        everyday.run_test(fails=False, days=3, head=shas["limit"])
        everyday.run_test(fails=True, days=1.9, head=shas["broke"])
        yield everyday
        work.close()


def _foresight(taken: Ingested, work: Work, settings: Settings, paths: Paths) -> Foresight:
    git = Git.open(taken.repository)
    return Foresight(
        *(taken.memory, work, settings, paths),
        lambda repos: {repo.id: git for repo in repos},
        clock=lambda: NOW,
    )
