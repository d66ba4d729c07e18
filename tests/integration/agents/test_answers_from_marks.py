"""Answers that cite what does not hold any more, or what is on several branches: they say so."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import pytest

from hermes.agents.answer_events import AnswerEvent, Sources, Text
from hermes.agents.hygiene.derive import derive
from hermes.agents.models.scripted import ScriptedModel
from hermes.ingest.git.command import Git
from hermes.ingest.git.ingest import ingest
from hermes.tests.builders.git import ALEX, SAM, RepoBuilder
from hermes.tests.builders.library import DAY, MARCH_2, Library, of, open_library

WHEN = "when was the rate raised to 9?"


@dataclass
class Marked:
    """The shop, in which the rate was taken back and the limiter picked onto a release branch."""

    library: Library
    back: str
    picked: str


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Generator[Marked]:
    with open_library(tmp_path_factory.mktemp("marked")) as library:
        shop, raised = RepoBuilder(library.path, existing=True), library.shas["limiter2"]
        shop.git("revert", "--no-commit", raised)
        said = f'Revert "Raise the rate to 9"\n\nThis reverts commit {raised}.\n\n'
        back = shop.commit(
            None,
            f"{said}The bank blocks us, because nine payments a second look like an attack.",
            author=ALEX,
            when=MARCH_2 + 3 * DAY,
        )
        shop.git("branch", "release-1", library.shas["queue"])
        shop.switch("release-1")
        who = {"GIT_COMMITTER_NAME": "Sam", "GIT_COMMITTER_EMAIL": "sam@example.com"}
        shop.git("cherry-pick", library.shas["limiter"], environment=who)
        picked = shop.head()
        shop.switch("main")
        repo = library.memory.index.repo(library.repo)
        assert repo is not None
        git = Git.open(library.path)
        ingest(git, library.memory, repo)
        derive(library.memory, repo.id, git, now=MARCH_2 + 30 * DAY)
        yield Marked(library, back, picked)


def said(events: list[AnswerEvent]) -> list[str]:
    return [text.text for text in of(Text, events)]


async def test_an_answer_that_cites_what_was_taken_back_says_so_and_why(marked: Marked) -> None:
    model = ScriptedModel("Sam Doe raised the rate to 9 on 2025-02-20 [1].")
    events = await marked.library.events(WHEN, model)
    sources = of(Sources, events)[0].sources
    raised, back = sources[0], sources[-1]
    assert raised.sha == marked.library.shas["limiter2"]
    assert raised.said == f"taken back by {marked.back[:10]} on 2025-03-05"
    assert back.sha == marked.back
    assert said(events)[-1] == (
        f"Alex Roe took back what [{raised.number}] did on 2025-03-05:"
        ' "The bank blocks us, because nine payments a second look like an attack."'
        f" [{back.number}]."
    )


async def test_without_a_model_too(marked: Marked) -> None:
    texts = said(await marked.library.events(WHEN))
    assert any("took back what" in text or "reverted" in text for text in texts)


async def test_a_sentence_may_tell_of_it_by_itself_with_its_date(marked: Marked) -> None:
    model = ScriptedModel(
        f"The rate was raised to 9, and taken back by {marked.back[:10]} on 2025-03-05 [1]."
    )
    texts = said(await marked.library.events(WHEN, model))
    assert texts[0].startswith("The rate was raised to 9, and taken back")


async def test_the_model_reads_what_is_known_of_a_source(marked: Marked) -> None:
    model = ScriptedModel("Sam Doe raised the rate to 9 on 2025-02-20 [1].")
    await marked.library.events(WHEN, model)
    prompt = str(model.history[0])
    assert f"known=taken back by {marked.back[:10]} on 2025-03-05>" in prompt


async def test_a_change_on_two_branches_is_one_source_that_says_where_else_it_is(
    marked: Marked,
) -> None:
    events = await marked.library.events("why do we limit requests with a token bucket?")
    limiter, *others = [
        source for source in of(Sources, events)[0].sources if "token bucket" in source.subject
    ]
    assert others == []
    assert limiter.sha == marked.library.shas["limiter"]
    assert limiter.said == f"also on release-1 as {marked.picked[:10]}"


async def test_what_holds_is_told_as_before(marked: Marked) -> None:
    events = await marked.library.events("why was the retry queue removed?")
    assert not any("took back" in text for text in said(events))
    assert all(not source.said for source in of(Sources, events)[0].sources)


async def test_who_owns_an_area_is_told_with_since_when(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with open_library(tmp_path_factory.mktemp("owned")) as library:
        shop = RepoBuilder(library.path, existing=True)
        for who, many, later in ((SAM, 6, 10), (ALEX, 14, 20)):
            for number in range(many):
                text = f"FEE = {later + number}\n"
                when = MARCH_2 + later * DAY + number
                shop.commit({"billing/fees.py": text}, "Change a fee", author=who, when=when)
        repo = library.memory.index.repo(library.repo)
        assert repo is not None
        ingest(Git.open(library.path), library.memory, repo)
        derive(library.memory, repo.id, None, now=MARCH_2 + 40 * DAY)
        texts = said(await library.events("who owns billing/fees.py?"))
    assert texts[0].startswith(
        "Going by who changes it most, Alex Roe owns billing/ since 2025-03-22 ["
    )
    assert "; before, Sam Doe did since 2025-03-12 [" in texts[0]
    assert "2 people have worked on billing/fees.py" in texts[1]


async def test_work_that_was_picked_onto_another_branch_counts_once(marked: Marked) -> None:
    texts = said(await marked.library.events("who worked on limits/rate_limiter.py?"))
    assert "Alex Roe (2 commits" in texts[0]  # the limiter, and the rate that was taken back
