"""A made-up life of a repository: weeks of commits, tickets, talk, tests and documents, and what is
true of them.

The same seed gives the same life, to the byte. What a night ought to find out stands in ``Truths``.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path

from hermes.memory.drift import Found, State
from hermes.memory.records import Item, ItemChange, ItemKind

from .git import RepoBuilder
from .life_history import History, Made
from .life_records import (
    BOT,
    DAY,
    FORGOTTEN,
    FORGOTTEN_WORDS,
    HOUR,
    RENAMED,
    Drifted,
    Life,
    Person,
    Superseded,
    Truths,
    Turn,
    midnight,
)
from .life_talk import Talk
from .life_words import AREAS, Words
from .secrets import planted

_PEOPLE = (
    *(("Sam Ito", "sam@shop.example"), ("Kim Noor", "kim@shop.example"), FORGOTTEN),
    *(("Ana Vidal", "ana@shop.example"), ("Jörg Baum", "joerg@shop.example")),
    *(("Lena Roe", "lena@shop.example"), ("Tomás Prado", "tomas@shop.example")),
    *(("Mei Tan", "mei@shop.example"), ("Ivo Kral", "ivo@shop.example")),
    *(("Noa Bar", "noa@shop.example"), ("Eva Lind", "eva@shop.example")),
)


def build_life(
    path: Path, *, days: int = 30, people: int = 6, events: int = 1_000, seed: int = 1
) -> Life:
    """Build a life of so many days, people and events at ``path``: a commit, a ticket, a change of
    one, a discussion, a test that turns, a drift are an event each. It takes 3 people at least."""
    with History(path) as history:
        life = _Living(history, random.Random(seed), days, _PEOPLE[:people]).live(events)
    RepoBuilder(path, existing=True).git("reset", "--quiet", "--hard")
    return life


def slug(text: str) -> str:
    """Return words as they stand in a name of code."""
    return text.lower().replace(" ", "_")


@dataclass(slots=True)
class _Ticket:
    """A ticket on its way, and the work on it."""

    number: int
    area: str
    thing: str
    title: str
    author: Person
    begun: int
    changes: list[ItemChange] = field(default_factory=list[ItemChange])
    commits: list[Made] = field(default_factory=list[Made])
    closed: int | None = None
    worker: Person = ("", "")

    @property
    def key(self) -> str:
        return f"ENG-{self.number}"

    @property
    def path(self) -> str:
        return f"{self.area}/{slug(self.thing)}_{self.number}.py"

    def set(self, at: int, name: str, value: str) -> None:
        self.changes.append(ItemChange(at, name, value))

    def now(self, name: str) -> str:
        return next((c.value for c in reversed(self.changes) if c.field == name), "")


class _Living:
    """Plans what happens when, and lets it happen in that order."""

    def __init__(
        self, history: History, dice: random.Random, days: int, people: tuple[Person, ...]
    ) -> None:
        self.history = history
        self.dice = dice
        self.days = days
        self.people = people
        self.words = Words(dice)
        self.plan: list[tuple[int, int, Callable[[int], None]]] = []
        self.tickets: list[_Ticket] = []
        self.pulls: list[Item] = []
        self.turns: list[Turn] = []
        self.drift: list[Drifted] = []
        self.topic: list[Made] = []
        self.truths = Truths()
        self.talk = Talk(dice, self.words, people, self.truths)
        self.numbers = iter(range(1, 1 << 30))
        self.pinned = "0.0.0"
        self.renamed_at = midnight(days * 2 // 3) + 11 * HOUR
        self.picked_from = midnight(days // 3)
        self.secrets = [secret for secret in planted(days) if len(secret.secret) >= 20]

    def live(self, events: int) -> Life:
        self._begin()
        self._plan_landmarks()
        while len(self.plan) < events * 0.72:
            self._plan_work()
        while len(self.plan) < events:
            self._plan_small()
        self.plan.sort(key=lambda step: step[:2])
        for at, _, happen in self.plan:
            happen(at)
        self._twins()
        for ticket in self.tickets:
            shas = {self.history.sha(made) for made in ticket.commits}
            self.truths.evidence[ticket.key] = shas
        return Life(
            self.history.repo.path,
            self.days,
            self.people,
            len(self.plan),
            [self._ticket_item(ticket) for ticket in self.tickets],
            self.talk.items,
            self.pulls,
            self.turns,
            self.drift,
            self.topic,
            self.truths,
        )

    # Planning

    def _on(self, at: int, happen: Callable[[int], None]) -> None:
        at = min(at, midnight(self.days) - 60)
        self.plan.append((at, len(self.plan), happen))

    def _some_time(self, first: int = 0, last: int | None = None) -> int:
        """A moment in working hours, seldom at a weekend."""
        while True:
            day = self.dice.randrange(first, self.days if last is None else last)
            if day % 7 < 5 or self.dice.random() < 0.1:
                return midnight(day) + self.dice.randrange(8 * HOUR, 18 * HOUR)

    def _plan_work(self) -> None:
        """A ticket from its first to its last day."""
        area = self.dice.choice(list(AREAS))
        thing = self.dice.choice(AREAS[area])
        begun = self._some_time(0, max(1, self.days - 2))
        author, worker, other = self.dice.sample(self.people, 3)
        ticket = _Ticket(len(self.tickets) + 101, area, thing, "", author, begun, worker=worker)
        ticket.title = self.words.title(area, thing)
        self.tickets.append(ticket)
        by_pull = area != RENAMED[0] and self.dice.random() < 0.5
        branch = f"eng-{ticket.number}" if by_pull else "main"
        self._on(begun, lambda at: ticket.set(at, "state", "Todo"))
        self._on(begun + HOUR, lambda at: ticket.set(at, "assignee", worker[0]))
        self._on(begun + HOUR + 60, lambda at: ticket.set(at, "state", "In Progress"))
        self._on(
            begun + 2 * HOUR, lambda at: self.talk.discuss(at, worker, other, thing, ticket.key)
        )
        at, count = begun + 3 * HOUR, self.dice.randrange(3, 7)
        for number in range(count):
            first = number == 0
            self._on(at, partial(self._work, ticket=ticket, branch=branch, first=first))
            at += self.dice.randrange(HOUR, 7 * HOUR)
        if self.dice.random() < 0.3:
            self._plan_test(at, ticket)
        fate = self.dice.random()
        if fate < 0.15:
            third = self.dice.choice([who for who in self.people if who not in (worker, author)])
            self._on(at, lambda at: ticket.set(at, "assignee", third[0]))
            at += HOUR
        if by_pull:
            self._on(at, lambda at: ticket.set(at, "state", "In Review"))
            self._on(at + 5 * HOUR, lambda at: self._merge(at, ticket, branch, other))
            at += 6 * HOUR
        if fate > 0.85:
            return  # it is left open
        self._on(at, lambda at: self._close(at, ticket))
        if self.dice.random() < 0.1:
            self._on(at + 20 * HOUR, lambda at: self._reopen(at, ticket))
            self._on(at + 22 * HOUR, lambda at: self._work(at, ticket, "main", False))
            if self.dice.random() < 0.5:
                self._on(at + 24 * HOUR, lambda at: self._close(at, ticket))

    def _plan_test(self, at: int, ticket: _Ticket) -> None:
        said = self.words.subject(ticket.area, ticket.thing)
        test = f"tests/test_{slug(ticket.thing)}.py::test_{slug(said)}"

        def turn(green: bool) -> Callable[[int], None]:
            def happen(at: int) -> None:
                sha = self.history.sha(ticket.commits[-1])
                self.turns.append(Turn(at, test, green, sha))

            return happen

        self._on(at - 50 * 60, turn(green=False))
        self._on(at - 10 * 60, turn(green=True))

    def _plan_small(self) -> None:
        at, kind = self._some_time(), self.dice.random()
        if kind < 0.45:
            self._on(at, self.talk.chat)
        elif kind < 0.6:
            self._on(at, self.talk.alert)
        elif kind < 0.78:
            self._on(at, self._bump)
        elif kind < 0.84:
            self._on(at, self.talk.copy)
        elif kind < 0.9:
            self._on(max(at, self.picked_from + HOUR), self._pick)
        elif kind < 0.96:
            self._on(at, self._take_back)
        else:
            self._on(at, self._drift)

    def _plan_landmarks(self) -> None:
        third = midnight(self.days // 3)
        self._on(third, lambda at: self.history.branch("release/1", "main"))
        self._on(third, lambda at: self.history.branch("kept", "main"))
        self._on(midnight(self.days // 4), self._begin_topic)
        self._on(self.renamed_at, self._rename)
        for number, secret in enumerate(self.secrets[:4]):
            line = f"{secret.line}  # {number}"
            self._on(self._some_time(), partial(self._leak, line=line))
            self.truths.secrets.append(secret.secret)
        self._on(midnight(self.days // 2) + 9 * HOUR, self._say_what_is_to_be_forgotten)

    # What happens

    def _begin(self) -> None:
        for number, area in enumerate(AREAS):
            lines = ('"""Part of a shop."""', f"NAME = {area!r}")
            self._commit(
                midnight(0) + number, self.people[0], f"Begin {area}", f"{area}/base.py", lines
            )

    def _commit(
        self,
        at: int,
        who: Person,
        message: str,
        path: str,
        lines: tuple[str, ...] = (),
        *,
        branch: str = "main",
        without: tuple[str, ...] = (),
    ) -> Made:
        if at >= self.renamed_at and path.startswith(f"{RENAMED[0]}/"):
            path = RENAMED[1] + path[len(RENAMED[0]) :]
        author = f"{who[0]} <{who[1]}>"
        return self.history.commit(branch, author, at, message, path, lines, without=without)

    def _lines(self, area: str, thing: str) -> tuple[str, ...]:
        name, number = slug(thing), next(self.numbers)
        step = self.words.subject(area, thing)
        return (
            f"def {name}_{number}(order):",
            f'    """{step}."""',
            f"    return order.{slug(step)}({self.dice.randrange(1000)})",
        )

    def _work(self, at: int, ticket: _Ticket, branch: str, first: bool) -> None:
        if first and branch != "main":
            self.history.branch(branch, "main")
        scope = RENAMED[1] if at >= self.renamed_at and ticket.area == RENAMED[0] else ticket.area
        message = f"{scope}: {self.words.subject(ticket.area, ticket.thing)}"
        message += f" ({ticket.key})\n\n{self.words.reason(ticket.thing)}\n"
        ticket.commits.append(
            self._commit(
                at,
                ticket.worker,
                message,
                ticket.path,
                self._lines(ticket.area, ticket.thing),
                branch=branch,
            )
        )

    def _merge(self, at: int, ticket: _Ticket, branch: str, by: Person) -> None:
        number = 1_000 + ticket.number
        message = f"Merge pull request #{number} from {branch}\n\n{ticket.title}\n"
        author = f"{by[0]} <{by[1]}>"
        self.history.merge("main", branch, author, at, message, ticket.path)
        opened = at - 5 * HOUR
        self.pulls.append(
            Item(
                *(
                    "github",
                    f"github:shop/{number}",
                    ItemKind.PULL,
                    "",
                    f"{ticket.title} ({ticket.key})",
                ),
                text=f"{self.words.reason(ticket.thing)}\n\n{by[0]}: Looks right to me now.",
                author=ticket.worker[0],
                email=ticket.worker[1],
                time=opened,
                changed=at,
                key=f"#{number}",
                state="merged",
                closed=at,
                tickets=(ticket.key,),
                people=tuple(dict.fromkeys((ticket.worker, by))),
                changes=(ItemChange(opened, "state", "open"), ItemChange(at, "state", "merged")),
            )
        )

    def _close(self, at: int, ticket: _Ticket) -> None:
        ticket.set(at, "state", "Done")
        ticket.closed = at

    def _reopen(self, at: int, ticket: _Ticket) -> None:
        ticket.set(at, "state", "In Progress")
        ticket.closed = None
        self.truths.reopened.add(ticket.key)

    def _rename(self, at: int) -> None:
        author = "{} <{}>".format(*self.people[0])
        self.history.rename("main", author, at, f"Call {RENAMED[0]} {RENAMED[1]}\n", *RENAMED)

    def _begin_topic(self, at: int) -> None:
        self.history.branch("topic", "main")
        for number in range(3):
            message = f"search: {self.words.subject('search', 'ranking')}\n\n"
            message += f"{self.words.reason('ranking')}\n"
            lines = self._lines("search", "ranking")
            made = self._commit(
                at + number, self.people[1], message, "search/vectors.py", lines, branch="topic"
            )
            self.topic.append(made)

    def _bump(self, at: int) -> None:
        number = next(self.numbers)
        message = f"Bump httpx from {self.pinned} to 0.{number}.0\n"
        lines, before = (f"httpx==0.{number}.0",), (f"httpx=={self.pinned}",)
        made = self._commit(at, BOT, message, "requirements.txt", lines, without=before)
        self.pinned = f"0.{number}.0"
        self.truths.bumps.append(self.history.sha(made))

    def _leak(self, at: int, line: str) -> None:
        self._commit(at, self.people[0], "admin: Try the new key\n", "admin/keys.py", (line,))
        question = f"{self.words.subject('admin', 'export')}: who has the key for it?"
        said = f"{question}\n\n{self.people[1][0]}: I have this in my shell: {line}"
        self.talk.say(at + 60, said, self.people[:2])

    def _worked_on(self, at: int) -> Made | None:
        """A commit of a piece of work that lies on main by itself, and is no day old."""
        some = [
            ticket.commits[-1]
            for ticket in self.tickets[-400:]
            if ticket.commits and at - 4 * DAY < ticket.commits[-1].at < at
        ]
        some = [m for m in some if m.branch == "main" and self.history.holds("main", m)]
        some = [m for m in some if self.history.sha(m) not in self.truths.reverted]
        return self.dice.choice(some) if some else None

    def _take_back(self, at: int) -> None:
        made = self._worked_on(at)
        if made is None or self.history.sha(made) in self.truths.again:
            return self.talk.chat(at)
        sha, subject = self.history.sha(made), made.message.partition("\n")[0]
        message = f'Revert "{subject}"\n\nThis reverts commit {sha}.\n'
        back = self._commit(at, self.people[0], message, made.path, without=made.lines)
        self.truths.turning.add(self.history.sha(back))
        if 2 * len(self.truths.again) < len(self.truths.reverted):
            message = f'Reapply "{subject}"\n\nThis reverts commit {self.history.sha(back)}.\n'
            again = self._commit(at + 30 * 60, self.people[0], message, made.path, made.lines)
            self.truths.again.add(sha)
            self.truths.turning.add(self.history.sha(again))
            return None
        self.truths.reverted[sha] = self.history.sha(back)
        self.truths.superseded.append(Superseded(sha, "holds", subject, made.at, at))
        return None

    def _pick(self, at: int) -> None:
        made = self._worked_on(at)
        if made is None or made.at < self.picked_from or self.history.sha(made) in self._picked:
            return self.talk.chat(at)
        sha = self.history.sha(made)
        message = f"{made.message}\n(cherry picked from commit {sha})\n"
        pick = self.history.again("release/1", replace(made, message=message), committed=at)
        self.truths.picks[self.history.sha(pick)] = sha
        return None

    @property
    def _picked(self) -> set[str]:
        return set(self.truths.picks.values())

    def _twins(self) -> None:
        """A branch that was kept when its commits were rebased onto main."""
        late = [t.commits[-1] for t in self.tickets if t.commits and t.commits[-1].branch == "main"]
        late = [made for made in late if made.at > self.picked_from]
        for made in late[:: max(1, len(late) // 3)][:3]:
            twin = self.history.again("kept", made, committed=made.at + 600)
            if self.history.sha(made) not in self._picked:
                self.truths.picks[self.history.sha(twin)] = self.history.sha(made)

    def _drift(self, at: int) -> None:
        area = self.dice.choice(list(AREAS))
        name = slug(self.words.subject(area, self.dice.choice(AREAS[area])))
        found = Found(
            document=f"docs/{area}.md",
            thing="function",
            name=name,
            tier="sure",
            reason=f"`{name}` is called otherwise now",
            lines=(3,),
            texts=(f"Call `{name}`.",),
            keys=(f"key {name}",),
            loose=(f"loose {name}",),
            rank=1,
        )
        state = self.dice.choice((State.OPEN, State.ACCEPTED, State.DISMISSED))
        self.drift.append(Drifted(at, found, state, at + HOUR))

    def _say_what_is_to_be_forgotten(self, at: int) -> None:
        lines = (f"# {FORGOTTEN_WORDS[0]}", *self._lines("search", "ranking"))
        message = f"search: Mind the {FORGOTTEN_WORDS[0]}\n\nSigned-off-by: {FORGOTTEN[0]}\n"
        self._commit(at, FORGOTTEN, message, "search/base.py", lines)
        self.talk.say(
            at, f"Has anybody seen the {FORGOTTEN_WORDS[1]}?", [FORGOTTEN, self.people[0]]
        )

    # What is so in the end

    def _ticket_item(self, ticket: _Ticket) -> Item:
        for name in ("state", "assignee"):
            # At one moment the last word counts.
            last = {change.at: change for change in ticket.changes if change.field == name}
            for change, later in pairwise(last.values()):
                if change.value != later.value:
                    self.truths.superseded.append(
                        Superseded(f"ticket:{ticket.key}", name, change.value, change.at, later.at)
                    )
        if ticket.closed is None:
            self.truths.open.add(ticket.key)
        else:
            self.truths.closed[ticket.key] = ticket.closed
        return Item(
            *("linear", f"linear:{ticket.key}", ItemKind.TICKET, "", ticket.title),
            text=f"{ticket.title}\n\n{self.words.reason(ticket.thing)}",
            author=ticket.author[0],
            email=ticket.author[1],
            time=ticket.begun,
            changed=max([ticket.begun, *(change.at for change in ticket.changes)]),
            key=ticket.key,
            state=ticket.now("state") or "Todo",
            closed=ticket.closed,
            assignee=ticket.now("assignee"),
            url=f"https://tracker.example/{ticket.key}",
            people=tuple(dict.fromkeys((ticket.author, ticket.worker))),
            changes=tuple(ticket.changes),
        )
