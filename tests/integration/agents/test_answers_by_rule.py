"""Whole answers without a model: by rule over passages, and from the structured index."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hermes.agents.answer_events import AnswerEvent, Done, Notice, Sources, Step, Text, to_object
from hermes.agents.qa import EmptyQuestion, answer
from hermes.memory.recall import recall
from hermes.memory.records import Filters
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.ingested import Ingested
from hermes.tests.builders.library import DAY, NOW, Library, of


def said(events: list[object]) -> list[str]:
    return [event.text for event in events if isinstance(event, Text)]


@contextmanager
def ask_of(
    repository: Path, folder: Path
) -> Generator[Callable[[str], Awaitable[list[AnswerEvent]]]]:
    """Take a repository in; yield a way to ask about it without a model."""
    with Ingested(folder / "memory", repository) as taken:
        taken.run()

        async def ask(question: str) -> list[AnswerEvent]:
            events = answer(
                question,
                memory=taken.memory,
                recall=recall,
                filters=Filters(repos=(taken.repo.id,)),
                gits={},
                model=None,
                now=NOW.replace(month=6),
            )
            return [event async for event in events]

        yield ask


async def test_why_is_answered_with_who_when_and_the_authors_own_reason(library: Library) -> None:
    events = await library.events("why was the retry queue removed?")
    assert isinstance(events[0], Step)
    assert said([*events])[0] == (
        "Sam Doe removed the retry queue (#482) on 2025-03-02: "
        '"Jobs ran twice, because the broker retries on its own since version 3.1." [1].'
    )
    (sources,) = of(Sources, events)
    assert (sources.sources[0].sha, sources.sources[0].date) == (
        library.shas["dropped"],
        "2025-03-02",
    )
    (done,) = of(Done, events)
    assert (done.mode, done.relevant, done.model) == ("extractive", True, None)
    assert events[-1] is done
    assert of(Notice, events) == []


async def test_the_same_question_gives_the_same_answer(library: Library) -> None:
    first = await library.events("why was the retry queue removed?")
    second = await library.events("why was the retry queue removed?")
    assert said([*first]) == said([*second])


async def test_matched_words_are_marked(library: Library) -> None:
    events = await library.events("why was the retry queue removed?")
    text = of(Text, events)[0]
    marked = [text.text[start:end] for start, end in text.marks]
    assert marked[:3] == ["removed", "retry", "queue"]


async def test_every_sentence_cites_a_source_that_is_listed(library: Library) -> None:
    events = await library.events("how does the rate limiter work?")
    numbers = {source.number for source in of(Sources, events)[0].sources}
    assert numbers
    for text in said([*events]):
        assert any(f"[{number}]" in text for number in numbers), text


async def test_nothing_relevant_is_said_and_the_nearest_are_shown_as_such(library: Library) -> None:
    events = await library.events("why do we use kubernetes operators with terraform payments?")
    (done,) = of(Done, events)
    assert not done.relevant
    assert said([*events])[0] == "Nothing in memory clearly answers this."


async def test_who_touched_a_file_lately_is_counted_and_told(library: Library) -> None:
    events = await library.events("who has touched the rate limiter recently and why?")
    crowd, newest, before = said([*events])
    assert crowd == (
        "2 people have worked on limits/rate_limiter.py in the last 90 days: Sam Doe (1 commit, "
        "last on 2025-02-20 [1]) and Alex Roe (1 commit, last on 2025-01-31 [2])."
    )
    assert newest == "Sam Doe raised the rate to 9 on 2025-02-20 [1]."
    assert before == (
        'Alex Roe limited requests with a token bucket (#12) on 2025-01-31: "A fixed window let bursts through at its edges, because two windows add up." [2].'
    )
    assert of(Done, events)[0].mode == "index"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "when did we remove the retry queue?",
            "Sam Doe removed the retry queue (#482) on 2025-03-02: ",
        ),
        ("who wrote worker/queue.py?", "Sam Doe added a retry queue for payments on 2025-01-01: "),
        ("who deleted worker/queue.py?", "Sam Doe removed the retry queue (#482) on 2025-03-02: "),
        (
            "last change to limits/rate_limiter.py",
            "The last change to limits/rate_limiter.py: Sam Doe raised the rate to 9 on 2025-02-20 [1].",
        ),
        ("who knows limits/", "Going by commits to limits, ask Sam Doe (1 commit, last on "),
    ],
)
async def test_who_and_when_come_from_the_index(
    library: Library, question: str, answer: str
) -> None:
    events = await library.events(question)
    assert said([*events])[0].startswith(answer)
    assert of(Done, events)[0].mode == "index"


async def test_filters_confine_the_answer(library: Library) -> None:
    mine = Filters(repos=(library.repo,), author="alex")
    events = await library.events("what was done about the queue?", filters=mine)
    assert {source.author for source in of(Sources, events)[0].sources} <= {"Alex Roe"}


async def test_an_empty_question_is_refused(library: Library) -> None:
    with pytest.raises(EmptyQuestion):
        await library.events(" \n ")


async def test_a_question_of_100_kb_is_cut_and_says_so(library: Library) -> None:
    events = await library.events("why was the retry queue removed " * 3_200)
    assert "only the first 2,000 are used" in of(Notice, events)[0].text
    assert of(Done, events)


async def test_a_question_in_another_script_ends_well(library: Library) -> None:
    events = await library.events("为什么删除重试队列？")
    assert of(Done, events)


async def test_events_are_json_objects_with_their_type(library: Library) -> None:
    objects = [
        to_object(event) for event in await library.events("why was the retry queue removed?")
    ]
    assert [o["type"] for o in objects[-2:]] == ["sources", "done"]
    assert objects[-2]["sources"][0]["date"] == "2025-03-02"


FIRST_MAY = 1_746_090_000


async def test_when_added_is_the_change_that_brought_it_in_not_one_that_names_it(
    tmp_path: Path,
) -> None:
    finder = RepoBuilder(tmp_path / "finder")
    finder.commit(
        {"cli.py": "OPTIONS = []\n", "README.md": "Run a batch; exec-batch is to come.\n"},
        "First commit",
        when=FIRST_MAY,
    )
    finder.commit(
        {"cli.py": 'OPTIONS = ["--exec-batch"]\n'}, "Run many at once", when=FIRST_MAY + DAY
    )
    finder.commit(
        {"cli.py": 'OPTIONS = ["--exec-batch"]\nCODES = True\n'},
        "Respect exit codes with `--exec-batch`",
        when=FIRST_MAY + 9 * DAY,
    )
    finder.commit({"go.mod": "go 1.18\n"}, "Support min go 1.18", when=FIRST_MAY + 10 * DAY)
    finder.commit({"go.mod": "go 1.19\n"}, "Drop support for go 1.10", when=FIRST_MAY + 11 * DAY)
    with ask_of(finder.path, tmp_path) as ask:
        assert said([*await ask("when was --exec-batch added?")])[0] == (
            "The earliest change found that brings in --exec-batch: "
            'Sam Doe committed "Run many at once" on 2025-05-02 [1].'
        )
        events = await ask("when was go 1.18 support dropped?")
        assert of(Done, events)[0].mode == "extractive"
        assert "dropped support for go 1.10" not in said([*events])[0]


async def test_why_prefers_the_commit_that_did_it_and_says_a_picked_commit_once(
    tmp_path: Path,
) -> None:
    shop = RepoBuilder(tmp_path / "shop")
    shop.commit({"url.py": "import rfc\n"}, "Use rfc for URL handling", when=FIRST_MAY)
    shop.commit({"url.py": "import rfc2\n"}, "Fix the rfc version", when=FIRST_MAY + DAY)
    for days, subject in ((5, "Drop the rfc package"), (6, "Drop the rfc package (#2252)")):
        shop.commit(
            {"url.py": f"PARSER = {days}\n"},
            f"{subject}\n\nBecause parsing twice made requests slow.",
            when=FIRST_MAY + days * DAY,
        )
    with ask_of(shop.path, tmp_path) as ask:
        events = await ask("why was rfc dropped?")
        first = said([*events])[0]
        assert first.startswith("Sam Doe dropped the rfc package")
        assert first.endswith('"Because parsing twice made requests slow." [1] [2].')
        assert sum("dropped" in text for text in said([*events])) == 1
        assert len([s for s in of(Sources, events)[0].sources if "Drop" in s.subject]) == 2
        assert of(Done, events)[0].relevant


async def test_a_ticket_nobody_names_is_said_first_and_alone(library: Library) -> None:
    events = await library.events("what is #9999 about?")
    assert said([*events]) == [
        "No commit in memory names #9999; it may be a ticket that no commit message mentions."
    ]
    assert not of(Done, events)[0].relevant


async def test_when_nothing_happened_the_newest_commits_are_told_as_such(library: Library) -> None:
    texts = said([*await library.events("what happened yesterday?")])
    assert texts[:2] == ["Nothing in memory matches “yesterday”.", "The newest commits:"]
    assert texts[2] == "Sam Doe linked a file that lies elsewhere on 2025-03-04 [1]."


async def test_who_somebody_is_is_told_by_their_commits(library: Library) -> None:
    assert said([*await library.events("who is Alex Roe?")])[0] == (
        "Alex Roe has 2 commits in memory, the last on 2025-03-03 [1], "
        "most to settings.toml and limits."
    )


async def test_a_question_about_a_ticket_is_answered_by_its_commits_alone(
    library: Library,
) -> None:
    texts = said([*await library.events("what is #482?")])
    assert [text[:39] for text in texts] == ["Sam Doe removed the retry queue (#482) o"[:39]]


@pytest.mark.parametrize("name", ["alex", "Alex Roe", "alex@example.org"])
async def test_people_are_known_by_name_and_address(library: Library, name: str) -> None:
    assert said([*await library.events(f"who is {name}?")])[0].startswith("Alex Roe has 2 commits")
