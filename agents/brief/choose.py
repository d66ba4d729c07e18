"""Which facts a brief tells, and in which order."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from ...memory.briefs import Told
from .records import Fact, RefKind, Section

STILL_OPEN = "still_open"
"""Key and topic of the one line for what is open as it was."""
REMIND_DAYS = 7
"""Open work that does not change speaks again after so many days when nothing else does."""
LEAST_WEIGHT = 0.2
"""What was rated down below this is only told when all is asked for."""
URGENT = 3.0
"""From this weight on something is told on a day off."""
_AGAIN = 0.75
"""What each further fact of one topic counts of the one before it, where room is short."""
_LONGEST = 50
"""Characters for one of them."""
_NAMED = 3
"""Things of open work that are named; of more, how many."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen of the facts there are."""

    told: tuple[Fact, ...] = ()
    """In the order in which they stand."""
    rest: tuple[Fact, ...] = ()
    """What found no room, or is not wanted: the best first."""
    folded: tuple[Fact, ...] = ()
    """Open work for which one of ``told`` stands."""
    silent: str = ""
    """Why nothing is shown by itself; empty where something is."""


def choose(
    facts: Sequence[Fact],
    told: Mapping[str, Told],
    factors: Mapping[str, float],
    day: date,
    room: int,
    cost: Callable[[Fact], int],
    *,
    working: bool = True,
) -> Choice:
    """Given what is so, what was ``told`` before and the topics' ``factors``, choose within
    ``room`` lines; ``cost`` says how many a fact takes."""
    weighed = _weighed(facts, factors)
    weighed = _without(weighed, {f.key for f in weighed if not _repeats(f, told, day)})
    fresh = [fact for fact in weighed if not _repeats(fact, told, day)]
    repeated = [fact for fact in weighed if _repeats(fact, told, day)]
    standing = [fact for fact in repeated if fact.section is Section.HALF_DONE]
    first = _first_move(weighed, told, day)
    news = [fact for fact in fresh if fact.section is not Section.FIRST_MOVE]
    fold = [_fold(standing, told, day)] if standing else []
    must = [*fold, *([first] if first else [])]
    kept, rest = _fitting(_spread(news), room - sum(map(cost, must)), cost)
    chosen = sorted([*kept, *must], key=lambda fact: _place(fact, factors))
    return Choice(
        tuple(chosen),
        tuple(rest),
        tuple(standing),
        _silence(kept, standing, first, told, day, working=working),
    )


def everything(facts: Sequence[Fact], factors: Mapping[str, float]) -> list[Fact]:
    """Return all facts in their order: what is asked for is told, whatever was told before."""
    kept = _without(_weighed(facts, factors), {fact.key for fact in facts})
    return sorted(kept, key=lambda fact: _place(fact, {}))


def within(facts: Sequence[Fact], room: int, cost: Callable[[Fact], int]) -> tuple[list[Fact], int]:
    """Given facts in their order, return those that fit into ``room`` lines, and how many do not.
    The lightest go first; a first move stays."""
    must = [fact for fact in facts if fact.section is Section.FIRST_MOVE]
    others = [fact for fact in facts if fact.section is not Section.FIRST_MOVE]
    order = sorted(others, key=lambda fact: -fact.weight)
    kept, rest = _fitting(order, room - sum(map(cost, must)), cost)
    keys = {fact.key for fact in [*kept, *must]}
    return [fact for fact in facts if fact.key in keys], len(rest)


def _weighed(facts: Sequence[Fact], factors: Mapping[str, float]) -> list[Fact]:
    """Return each fact once, with its weight as the person's ratings have it, heaviest first."""
    found: dict[str, Fact] = {}
    for fact in facts:
        weight = fact.weight * factors.get(fact.topic, 1.0)
        if fact.key not in found or found[fact.key].weight < weight:
            found[fact.key] = replace(fact, weight=weight)
    return sorted(found.values(), key=lambda fact: (-fact.weight, fact.key))


def _without(facts: Sequence[Fact], news: Collection[str]) -> list[Fact]:
    """Leave out the facts in whose place one of the ``news`` is told."""
    return [fact for fact in facts if not fact.behind or fact.behind not in news]


def _spread(facts: Sequence[Fact]) -> list[Fact]:
    """Return facts, heaviest first, in an order in which no topic takes all the room."""
    before: Counter[str] = Counter()
    ranked: list[tuple[float, str, Fact]] = []
    for fact in facts:
        ranked.append((-fact.weight * _AGAIN ** before[fact.topic], fact.key, fact))
        before[fact.topic] += bool(fact.topic)
    return [fact for _, _, fact in sorted(ranked, key=lambda each: each[:2])]


def _repeats(fact: Fact, told: Mapping[str, Told], day: date) -> bool:
    """Say whether a fact was told, as it is, on an earlier day."""
    known = told.get(fact.key)
    return known is not None and known.digest == fact.digest and known.first < day.isoformat()


def _first_move(facts: Iterable[Fact], told: Mapping[str, Told], day: date) -> Fact | None:
    """Return the one thing to begin with: rather one that was not suggested before."""
    found = [fact for fact in facts if fact.section is Section.FIRST_MOVE]
    return min(
        found,
        key=lambda fact: (-fact.weight * (0.5 if _repeats(fact, told, day) else 1.0), fact.key),
        default=None,
    )


def _fitting(
    facts: Sequence[Fact], room: int, cost: Callable[[Fact], int]
) -> tuple[list[Fact], list[Fact]]:
    """Given facts, heaviest first, return those that fit and the rest. One always does."""
    kept: list[Fact] = []
    rest: list[Fact] = []
    for fact in facts:
        lines = cost(fact)
        if fact.weight < LEAST_WEIGHT or (lines > room and kept):
            rest.append(fact)
            continue
        kept.append(fact)
        room -= lines
    return kept, rest


def _place(fact: Fact, factors: Mapping[str, float]) -> tuple[int, int, float, str]:
    """What is folded stands last of its section."""
    return (list(Section).index(fact.section), fact.key == STILL_OPEN, -fact.weight, fact.key)


def _silence(
    news: Sequence[Fact],
    standing: Sequence[Fact],
    first: Fact | None,
    told: Mapping[str, Told],
    day: date,
    *,
    working: bool,
) -> str:
    """Return why a brief is not shown by itself; empty if it is."""
    if not working:
        urgent = any(fact.weight >= URGENT for fact in news)
        return "" if urgent else "it is a day off"
    if news:
        return ""
    if standing:
        last = max(told[fact.key].last for fact in standing)
        waited = (day - date.fromisoformat(last)).days
        return "" if waited >= REMIND_DAYS else "nothing is new"
    if first is not None and not _repeats(first, told, day):
        return ""
    return "nothing is new" if first is not None else "there is nothing"


def _fold(standing: Sequence[Fact], told: Mapping[str, Told], day: date) -> Fact:
    """Return the one line for open work that is as it was: what, and since when."""
    order = sorted(standing, key=lambda fact: (-fact.weight, fact.key))
    since = min(told[fact.key].first for fact in order)
    topics = Counter(fact.topic for fact in order)
    words: list[str] = []
    for topic, number in topics.items():
        named = [fact for fact in order if fact.topic == topic]
        words.append(_named(named[0]) if number == 1 else _counted(topic, number))
    shown = words if len(words) <= _NAMED + 1 else words[:_NAMED]
    if len(words) > len(shown):
        shown.append(f"{len(words) - len(shown)} more")
    digest = hashlib.sha256("\0".join(sorted(fact.digest for fact in order)).encode()).hexdigest()
    return Fact(
        STILL_OPEN,
        Section.HALF_DONE,
        f"still open: {', '.join(shown)} (since {_day(date.fromisoformat(since), day)})",
        weight=1.0,
        topic=STILL_OPEN,
        details=tuple(fact.text for fact in order),
        state=digest[:16],
    )


def _named(fact: Fact) -> str:
    """Return one thing in a few words."""
    branch, path = _first(fact, "branch"), _first(fact, "path")
    match fact.topic:
        case "unpushed" if branch:
            return f"{branch} unpushed"
        case "uncommitted" if path:
            return f"work in {path}"
        case "note" if path:
            return f"a note in {path}"
        case "red" if test := _first(fact, "test"):
            return f"{test.rpartition('::')[2]} red"
        case "stash":
            return "1 stash"
        case _:
            pass
    head = fact.text.split(": ")[0].split("; ")[0].split(", ")[0].rstrip(".")
    return head if len(head) <= _LONGEST else head[: _LONGEST - 1].rstrip() + "…"


def _first(fact: Fact, kind: RefKind) -> str:
    return next((each.text for each in fact.references if each.kind == kind), "")


def _counted(topic: str, number: int) -> str:
    noun = _PLURALS.get(topic, f"{topic.replace('_', ' ')}s")
    return f"{number} {noun}"


_PLURALS = {
    "stash": "stashes",
    "unpushed": "unpushed branches",
    "uncommitted": "places with uncommitted work",
    "red": "red tests",
    "accepted": "fixes that are staged",
    "waiting": "things that wait for you",
    "open_pull": "open pull requests",
}


def _day(then: date, day: date) -> str:
    """Return ``Tue`` within a week, else ``3 Nov``."""
    if (day - then).days < 7:
        return then.strftime("%a")
    return f"{then.day} {then.strftime('%b')}"
