"""What a night asks of the worker, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from hermes.agents.contract import (
    Assignment,
    Context,
    Done,
    Finding,
    Hopeless,
    Lane,
    Nothing,
    NotReady,
    Preempted,
    Skipped,
)
from hermes.agents.synthesizer import Synthesizer, summary_of
from hermes.agents.themes.records import Step
from hermes.memory.errors import HermesError, NoSpace
from hermes.tests.builders.around import Around


def report(days: int = 0, weeks: int = 0, changed: int = 0, **more: Any) -> dict[str, Any]:
    """Return what the worker reports of a night."""
    steps: list[dict[str, Any]] = [
        {"name": "marks", "seconds": 1.0, "counts": {"changed": changed}, "notes": []},
        {"name": "themes", "seconds": 1.0, "counts": {"days": days, "weeks": weeks}, "notes": []},
    ]
    nothing: dict[str, Any] = {"left": 0, "skipped": [], "problems": [], "bytes": 5_000_000}
    return {"steps": steps} | nothing | more


@dataclass
class Worker(Around):
    """A context whose worker answers what it is given, or raises it; the last for all others."""

    answers: list[Mapping[str, Any] | BaseException] = field(default_factory=lambda: [report()])
    asked: list[tuple[str, str | None, float | None]] = field(
        default_factory=list[tuple[str, str | None, float | None]]
    )

    async def bulk(
        self,
        task: str,
        repo: str | None = None,
        *,
        source: str | None = None,
        seconds: float | None = None,
    ) -> Mapping[str, Any]:
        answer = self.answers[min(len(self.asked), len(self.answers) - 1)]
        self.asked.append((task, repo, seconds))
        if isinstance(answer, BaseException):
            raise answer
        return answer


def asked(subject: str = "", lane: Lane = Lane.SCHEDULED, **more: Any) -> Assignment:
    return Assignment(1, "synthesizer", subject, lane, **more)


def told(outcome: Done) -> list[Finding]:
    return [each for each in outcome.findings if not each.recovered]


async def done(answer: Mapping[str, Any], lane: Lane = Lane.SCHEDULED) -> Done:
    """Return how a night ends of which the worker reports so."""
    synthesizer = Synthesizer(seconds=1_800, most_bytes=10_000_000)
    outcome = await synthesizer.handle(asked(lane=lane), Worker(answers=[answer]))
    assert isinstance(outcome, Done)
    return outcome


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (report(), ""),
        (report(days=1), "the themes of 1 day"),
        (report(days=2, weeks=1), "the themes of 2 days and 1 week"),
        (report(changed=1), "1 mark in memory"),
        (report(weeks=53, changed=1_245), "the themes of 53 weeks, 1,245 marks in memory"),
    ],
)
def test_a_night_in_one_line(found: Mapping[str, Any], said: str) -> None:
    assert summary_of(found) == said


@pytest.mark.parametrize(
    ("assignment", "task"),
    [
        (asked(), ("consolidate", None, 1_800.0)),
        (asked(lane=Lane.ON_DEMAND), ("consolidate", None, None)),
        (asked(lane=Lane.REACTIVE, repo="shop"), ("themes", "shop", None)),
        (asked("themes", repo="shop"), ("themes", "shop", None)),
        (asked(dry_run=True), ("rehearse", None, None)),
    ],
)
async def test_what_is_asked_of_the_worker(
    assignment: Assignment, task: tuple[str, str | None, float | None]
) -> None:
    worker = Worker()
    await Synthesizer(seconds=1_800).handle(assignment, worker)
    assert worker.asked == [task]


async def test_a_task_that_it_does_not_have_is_refused() -> None:
    with pytest.raises(Hopeless, match="has no task 'dreams'"):
        await Synthesizer(seconds=1).handle(asked("dreams"), Worker())


@pytest.mark.parametrize(
    ("found", "title"),
    [
        (report(), None),
        (
            report(left=40),
            "the night ran out of its 30 minutes; left for the next: 40 pages of themes",
        ),
        (
            report(skipped=["compaction", "check"]),
            (
                "the night ran out of its 30 minutes; left for the next: packing the store, the look"
                " at the memory"
            ),
        ),
        (
            report(bytes=25_000_000),
            (
                "hermes holds 25 MB on disk, more than the 10 MB of night.size_mb; all is packed, and"
                " nothing was removed"
            ),
        ),
        (
            report(problems=[{"problem": "a table is gone", "hint": "rebuild", "serious": True}]),
            "memory: a table is gone",
        ),
        (report(problems=[{"problem": "set aside", "hint": "", "serious": False}]), None),
    ],
)
async def test_what_the_next_brief_is_to_say(found: Mapping[str, Any], title: str | None) -> None:
    outcome = await done(found)
    assert [each.title for each in told(outcome)] == ([] if title is None else [title])
    assert all(each.next_step for each in told(outcome))
    assert len(outcome.findings) == 3, "what is well again is taken back"


async def test_what_nobody_waits_for_is_silent_when_no_theme_changed() -> None:
    synthesizer = Synthesizer(seconds=1)
    assert isinstance(await synthesizer.handle(asked("themes"), Worker()), Nothing)
    outcome = await synthesizer.handle(asked("themes", Lane.ON_DEMAND), Worker())
    assert isinstance(outcome, Done)
    assert outcome.summary == "nothing has changed since the last time"


def failing(code: str) -> HermesError:
    error = HermesError("the worker said so", hint="do this")
    error.code = code
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (NoSpace("/home"), NotReady),
        (failing("store_busy"), NotReady),
        (failing("themes_damaged"), Hopeless),
        (failing("crashed"), Hopeless),
    ],
)
async def test_a_night_that_fails_says_so_in_its_first_words(
    error: HermesError, kind: type[HermesError]
) -> None:
    with pytest.raises(kind) as caught:
        await Synthesizer(seconds=1).handle(asked(), Worker(answers=[error]))
    assert caught.value.message == f"the night was not done: {error.message}"
    assert (caught.value.hint, caught.value.code) == (error.hint, error.code)


async def test_a_repository_that_has_left_memory_needs_no_themes() -> None:
    outcome = await Synthesizer(seconds=1).handle(
        asked("themes", repo="shop"), Worker(answers=[failing("not_in_memory")])
    )
    assert isinstance(outcome, Skipped)


class Clock:
    """A clock that stands still until it is told."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Answers:
    """A step after the night; it may give way first."""

    def __init__(self, clock: Clock, *raises: BaseException) -> None:
        self._clock = clock
        self._raises = list(raises)

    async def __call__(self, context: Context, should_stop: Callable[[], bool]) -> Step:
        if self._raises:
            self._clock.now += 1_000.0
            raise self._raises.pop()
        return Step("answers", counts={"kept": 0 if should_stop() else 3})


async def test_a_night_that_gave_way_has_what_is_left_of_its_minutes() -> None:
    clock = Clock()
    after = {"answers": Answers(clock, Preempted())}
    synthesizer, worker = Synthesizer(seconds=1_800, afterwards=after, clock=clock), Worker()
    with pytest.raises(Preempted):
        await synthesizer.handle(asked(), worker)
    outcome = await synthesizer.handle(asked(), worker)
    assert [seconds for _, _, seconds in worker.asked] == [1_800.0, 800.0]
    assert isinstance(outcome, Done)
    assert outcome.report["steps"][-1]["counts"] == {"kept": 3}


async def test_what_comes_after_a_night_is_left_out_when_its_minutes_are_over() -> None:
    clock = Clock()
    after = {"answers": Answers(clock, Preempted(), Preempted())}
    synthesizer = Synthesizer(seconds=1_800, afterwards=after, clock=clock)
    for _ in range(2):
        with pytest.raises(Preempted):
            await synthesizer.handle(asked(), Worker())
    outcome = await synthesizer.handle(asked(), Worker())
    assert isinstance(outcome, Done)
    assert outcome.report["skipped"] == ["answers"]
    assert "the answers of tomorrow" in told(outcome)[0].title
