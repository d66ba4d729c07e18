"""Which questions tomorrow brings: pure, from what a person works on, what is red and what is open."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from ...memory.records import Commit
from ..brief.grouping import scope_in
from ..commits.paths import role_of
from .asked import Asked, Kind

MOST = 20
"""Questions of which a model may phrase the answer; by rule, answers cost next to nothing."""
MOST_KEPT = 90
MOST_AREAS = 12
MOST_TESTS = 6
MOST_TICKETS = 6
HALF_LIFE = 3.0
"""Days after which work in an area counts half."""
OTHERS = 0.35
"""What a commit of somebody else counts beside the person's own."""
_DEEPEST = 2
"""Folders of a path that are an area of their own."""


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A question that somebody will probably ask of one repository."""

    repo: str
    asked: Asked
    why: str
    """In a few words."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What is known of one repository in the evening."""

    repo: str
    own: Sequence[Commit] = ()
    """The person's commits of the last weeks, newest first."""
    all: Sequence[Commit] = ()
    """Everybody's, theirs too."""
    open_paths: Sequence[str] = ()
    """Files with work of the person that is not committed."""
    red: Sequence[str] = ()
    """Ids of red tests, the newest first."""
    any_runs: bool = False
    tickets: Sequence[str] = ()
    """Keys of open tickets that are the person's, of their branches or their commits; the most
    likely first."""


def foresee(signs: Sequence[Signs], now: datetime, last_working: date) -> list[Foreseen]:
    """Return the questions of the coming day, the most likely first. ``now`` is local and of that
    day; ``last_working`` is the person's last working day before it."""
    ranked: list[tuple[float, int, Foreseen]] = []
    for place, sign in enumerate(signs):
        # A repository that the person works in comes before one that only is there.
        share = 1.0 if sign.own or sign.open_paths else 0.5
        for weight, foreseen in _of(sign, now, last_working):
            ranked.append((-weight * share, place, foreseen))
    ranked.sort(key=lambda each: each[:2])
    found: dict[tuple[str, Asked], Foreseen] = {}
    for _, _, foreseen in ranked:
        found.setdefault((foreseen.repo, foreseen.asked), foreseen)
    return list(found.values())[:MOST_KEPT]


def _of(sign: Signs, now: datetime, last_working: date) -> list[tuple[float, Foreseen]]:
    found: list[tuple[float, Foreseen]] = []
    times = _times(now, last_working)

    def add(weight: float, asked: Asked, why: str) -> None:
        found.append((weight, Foreseen(sign.repo, asked, why)))

    if sign.red or sign.any_runs:
        add(1.0, Asked(Kind.TEST, ""), "tests are run")
    for place, test in enumerate(sign.red[:MOST_TESTS]):
        name = test.rpartition("::")[2] or test
        add(0.98 - 0.04 * place, Asked(Kind.TEST, name), "it is red")
        if name != test:
            add(0.5 - 0.04 * place, Asked(Kind.TEST, test), "it is red")
    for place, key in enumerate(sign.tickets[:MOST_TICKETS]):
        add(0.95 - 0.05 * place, Asked(Kind.TICKET, key.upper()), "it is open")
    for place, (since, until) in enumerate([*times, (None, None)]):
        if sign.all:
            add(0.9 - 0.06 * place, Asked(Kind.AREA, "", since, until), "every morning")
    for place, area in enumerate(areas_of(sign, now)[:MOST_AREAS]):
        weight = 0.92 - 0.05 * place
        for later, (since, until) in enumerate([(None, None), *times]):
            add(weight - 0.08 * later, Asked(Kind.AREA, area, since, until), "worked there")
    return found


def areas_of(sign: Signs, now: datetime) -> list[str]:
    """Return the areas that were worked in, most of all by the person, the one with the most of
    late first."""
    weights: defaultdict[str, float] = defaultdict(float)
    theirs = {commit.sha for commit in sign.own}
    for commit in sign.all:
        age = max(0.0, (now.timestamp() - commit.time) / 86_400)
        fresh = 0.5 ** (age / HALF_LIFE)
        if theirs and commit.sha not in theirs:
            fresh *= OTHERS
        scope = scope_in(commit.subject)
        if scope:
            weights[scope] += fresh
        places = Counter(place for file in commit.files for place in places_of(file.path))
        for place, count in places.items():
            weights[place] += fresh * min(1.0, 0.4 + 0.2 * count)
    for path in sign.open_paths:
        for place in places_of(path):
            weights[place] += 0.7
    return sorted(weights, key=lambda place: (-weights[place], place))


def places_of(path: str) -> list[str]:
    """Return what a person calls the place of a file: its folders, and the file's own name where it
    is code: ``shop/payments/retry.py`` is in ``shop``, ``shop/payments``, ``payments``, ``retry``."""
    folders = path.split("/")[:-1][:_DEEPEST]
    names = ["/".join(folders[: place + 1]) for place in range(len(folders))]
    found = [*names, *(folders[1:] if role_of(path) == "code" else ())]
    stem = path.rpartition("/")[2].partition(".")[0]
    if role_of(path) in ("code", "test") and len(stem) > 2 and not stem.startswith("__"):
        found.append(path)
        found += [stem] if role_of(path) == "code" else []
    return list(dict.fromkeys(found))


def _times(now: datetime, last_working: date) -> list[tuple[int, int | None]]:
    """Return the times that are asked about in the morning, the most likely first: since the last
    working day, last week, since and on yesterday, this week, last month, this month."""
    today = now.date()
    yesterday, monday = today - timedelta(1), today - timedelta(today.weekday())
    first = today.replace(day=1)
    before = (first - timedelta(1)).replace(day=1)
    found = [
        (_start(last_working), None),
        (_start(monday - timedelta(7)), _start(monday)),
        (_start(yesterday), None),
        (_start(yesterday), _start(today)),
        (_start(monday), None),
        (_start(before), _start(first)),
        (_start(first), None),
    ]
    return list(dict.fromkeys(found))


def _start(day: date) -> int:
    return int(datetime.combine(day, time()).timestamp())
