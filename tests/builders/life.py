"""A made-up life of a repository: weeks of commits, tickets, talk, tests and documents, and what is
true of them.

The same seed gives the same life, to the byte. What a night ought to find out stands in ``Truths``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path

from hermes.memory.drift import Found, State
from hermes.memory.records import Item, ItemChange, ItemKind
from hermes.memory.test_records import NewRun, Result, Run, Why
from hermes.memory.work import Work

from .git import RepoBuilder
from .life_history import History, Made
from .life_words import AREAS, CHATTER, Words
from .secrets import planted

FIRST_DAY = date(2025, 10, 20)
"""A Monday; clocks are set back in Europe on the Sunday after it."""
FORGOTTEN = ("Quentin Vale", "quentin@shop.example")
FORGOTTEN_WORDS = ("zanzibarquokka", "xylophonegnu")
"""Stand in nothing but what the person wrote who is to be forgotten: in a commit, in a discussion."""
RENAMED = ("billing", "payments")
BOT = ("renovate", "bot@renovate.example")

_PEOPLE = (
    *(("Sam Ito", "sam@shop.example"), ("Kim Noor", "kim@shop.example"), FORGOTTEN),
    *(("Ana Vidal", "ana@shop.example"), ("Jörg Baum", "joerg@shop.example")),
    *(("Lena Roe", "lena@shop.example"), ("Tomás Prado", "tomas@shop.example")),
    *(("Mei Tan", "mei@shop.example"), ("Ivo Kral", "ivo@shop.example")),
    *(("Noa Bar", "noa@shop.example"), ("Eva Lind", "eva@shop.example")),
)
_DAY, _HOUR = 86_400, 3_600

Person = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Superseded:
    """Something that was so until it was otherwise."""

    subject: str
    """``ticket:ENG-17``, or a commit's sha."""
    relation: str
    """``state``, ``assignee``, or ``holds`` of a commit that was taken back."""
    value: str
    since: int
    until: int


@dataclass(slots=True)
class Truths:
    """What was planted."""

    reverted: dict[str, str] = field(default_factory=dict[str, str])
    """Commits that are taken back, by what; those that came again are not among them."""
    again: set[str] = field(default_factory=set[str])
    """Commits that were taken back and applied again: they hold."""
    turning: set[str] = field(default_factory=set[str])
    """Commits that take back another, or apply it again: they hold the same lines."""
    picks: dict[str, str] = field(default_factory=dict[str, str])
    """Cherry-picks and rebased twins, and what stands for them."""
    bumps: list[str] = field(default_factory=list[str])
    """Commits of a robot that are alike but for numbers."""
    chatter: list[str] = field(default_factory=list[str])
    alerts: list[str] = field(default_factory=list[str])
    """Messages of a robot that are alike but for numbers."""
    copies: dict[str, str] = field(default_factory=dict[str, str])
    """Discussions that say to the letter what another says, and which."""
    superseded: list[Superseded] = field(default_factory=list[Superseded])
    closed: dict[str, int] = field(default_factory=dict[str, int])
    """Tickets that are done at the end, and since when."""
    open: set[str] = field(default_factory=set[str])
    reopened: set[str] = field(default_factory=set[str])
    evidence: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Each ticket's commits on main, by sha: what its theme is made of."""
    secrets: list[str] = field(default_factory=list[str])
    rewritten: dict[str, str] = field(default_factory=dict[str, str])
    """Commits that ``Life.rewrite`` has rewritten, and what they are now."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A test that became red or green at a commit."""

    at: int
    test: str
    green: bool
    sha: str


@dataclass(frozen=True, slots=True)
class Drifted:
    """A document that the code left behind, and what became of it."""

    at: int
    found: Found
    state: State
    closed: int


@dataclass(slots=True)
class Life:
    """A repository on disk, and what happened around it."""

    path: Path
    days: int
    people: tuple[Person, ...]
    events: int
    tickets: list[Item]
    talk: list[Item]
    pulls: list[Item]
    """Of the repository; ``items`` says which that is."""
    turns: list[Turn]
    drift: list[Drifted]
    topic: list[Made]
    """The commits of the branch that ``rewrite`` rewrites."""
    truths: Truths

    @property
    def last_day(self) -> date:
        """The day of the last event."""
        return FIRST_DAY + timedelta(days=self.days - 1)

    @property
    def end(self) -> int:
        """The midnight after it, UTC."""
        return midnight(self.days)

    def items(self, repo: str) -> list[Item]:
        """Return all that people wrote; ``repo`` is the repository's id."""
        return [*self.tickets, *self.talk, *(replace(pull, repo=repo) for pull in self.pulls)]

    def record(self, work: Work, repo: str) -> None:
        """Write down what became of tests and documents, as the test runner and doc keeper do."""
        for number, turn in enumerate(self.turns):
            why = None if turn.green else Why("AssertionError", "assert 3 == 4", "shop.py", 12)
            result = Result(turn.test, "passed" if turn.green else "failed", 0.1, why)
            run = Run(
                *(repo, float(turn.at), 0.8, "affected", "pytest"),
                state="green" if turn.green else "red",
                by="imports",
                why="it imports what changed",
                head=turn.sha,
                job=number + 1,
            )
            work.runs.record(NewRun(run, (result,)))
        for drifted in self.drift:
            for number in work.proposals.put(repo, [drifted.found], drifted.at):
                if drifted.state is not State.OPEN:
                    work.proposals.close(number, drifted.state, drifted.closed)

    def rewrite(self) -> None:
        """Rebase the branch ``topic`` onto main: its commits are made anew, the old ones are gone."""
        repo = RepoBuilder(self.path, existing=True)
        old = repo.shas("topic", "^main")[::-1]
        with History(self.path, existing=True) as history:
            history.branch("topic", "main", files={})
            for made in self.topic:
                history.again("topic", made, committed=self.end)
        self.truths.rewritten.update(zip(old, repo.shas("topic", "^main")[::-1], strict=True))


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


def midnight(day: int) -> int:
    """Return when a day of the life begins, UTC; the first is 0."""
    return int(datetime.combine(FIRST_DAY + timedelta(days=day), time(), UTC).timestamp())


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
        self.talk: list[Item] = []
        self.pulls: list[Item] = []
        self.turns: list[Turn] = []
        self.drift: list[Drifted] = []
        self.topic: list[Made] = []
        self.truths = Truths()
        self.numbers = iter(range(1, 1 << 30))
        self.pinned = "0.0.0"
        self.renamed_at = midnight(days * 2 // 3) + 11 * _HOUR
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
            self.talk,
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
                return midnight(day) + self.dice.randrange(8 * _HOUR, 18 * _HOUR)

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
        self._on(begun + _HOUR, lambda at: ticket.set(at, "assignee", worker[0]))
        self._on(begun + _HOUR + 60, lambda at: ticket.set(at, "state", "In Progress"))
        self._on(begun + 2 * _HOUR, lambda at: self._discuss(at, ticket, other))
        at, count = begun + 3 * _HOUR, self.dice.randrange(3, 7)
        for number in range(count):
            self._on(at, lambda at, first=number == 0: self._work(at, ticket, branch, first))
            at += self.dice.randrange(_HOUR, 7 * _HOUR)
        if self.dice.random() < 0.3:
            self._plan_test(at, ticket)
        fate = self.dice.random()
        if fate < 0.15:
            third = self.dice.choice([who for who in self.people if who not in (worker, author)])
            self._on(at, lambda at: ticket.set(at, "assignee", third[0]))
            at += _HOUR
        if by_pull:
            self._on(at, lambda at: ticket.set(at, "state", "In Review"))
            self._on(at + 5 * _HOUR, lambda at: self._merge(at, ticket, branch, other))
            at += 6 * _HOUR
        if fate > 0.85:
            return  # it is left open
        self._on(at, lambda at: self._close(at, ticket))
        if self.dice.random() < 0.1:
            self._on(at + 20 * _HOUR, lambda at: self._reopen(at, ticket))
            self._on(at + 22 * _HOUR, lambda at: self._work(at, ticket, "main", False))
            if self.dice.random() < 0.5:
                self._on(at + 24 * _HOUR, lambda at: self._close(at, ticket))

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
            self._on(at, self._chat)
        elif kind < 0.6:
            self._on(at, self._alert)
        elif kind < 0.78:
            self._on(at, self._bump)
        elif kind < 0.84:
            self._on(at, self._copy)
        elif kind < 0.9:
            self._on(max(at, self.picked_from + _HOUR), self._pick)
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
            self._on(self._some_time(), lambda at, line=line: self._leak(at, line))
            self.truths.secrets.append(secret.secret)
        self._on(midnight(self.days // 2) + 9 * _HOUR, self._say_what_is_to_be_forgotten)

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
        opened = at - 5 * _HOUR
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
        self._say(at + 60, said, self.people[:2])

    def _worked_on(self, at: int) -> Made | None:
        """A commit of a piece of work that lies on main by itself, and is no day old."""
        some = [
            ticket.commits[-1]
            for ticket in self.tickets[-400:]
            if ticket.commits and at - 4 * _DAY < ticket.commits[-1].at < at
        ]
        some = [m for m in some if m.branch == "main" and self.history.holds("main", m)]
        some = [m for m in some if self.history.sha(m) not in self.truths.reverted]
        return self.dice.choice(some) if some else None

    def _take_back(self, at: int) -> None:
        made = self._worked_on(at)
        if made is None or self.history.sha(made) in self.truths.again:
            return self._chat(at)
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
            return self._chat(at)
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
        self.drift.append(Drifted(at, found, state, at + _HOUR))

    # Talk

    def _say(
        self, at: int, text: str, people: Sequence[Person], tickets: Sequence[str] = ()
    ) -> Item:
        number = len(self.talk) + 1
        item = Item(
            *("slack", f"slack:C0{number % 4}/{at}.{number:06}", ItemKind.THREAD, ""),
            title=text.partition("\n")[0],
            text=text,
            author=people[0][0],
            email=people[0][1],
            time=at,
            changed=at + 600 * text.count("\n\n"),
            url=f"https://chat.example/C0{number % 4}/p{number}",
            tickets=tuple(tickets),
            people=tuple(dict.fromkeys(people)),
        )
        self.talk.append(item)
        return item

    def _discuss(self, at: int, ticket: _Ticket, other: Person) -> None:
        people = [ticket.worker, other, self.dice.choice(self.people)]
        parts = [f"Who knows about the {ticket.thing}? I am at {ticket.key}."]
        parts.append(f"{other[0]}: {self.words.reason(ticket.thing)}")
        for _ in range(self.dice.randrange(3)):
            parts.append(f"{people[2][0]}: {self.words.answer(at // _DAY % 31)}")
        self._say(at, "\n\n".join(parts), people, (ticket.key,))

    def _chat(self, at: int) -> None:
        item = self._say(at, self.dice.choice(CHATTER), self.dice.sample(self.people, 2))
        self.truths.chatter.append(item.ref)

    def _alert(self, at: int) -> None:
        number = self.dice.randrange(100, 1000)
        text = f"Deploy of shop 1.{number}.{number % 7} to production finished in {number} seconds"
        self.truths.alerts.append(self._say(at, text, [BOT]).ref)

    def _copy(self, at: int) -> None:
        some = [item for item in self.talk[-300:] if item.tickets and item.time > at - 5 * _DAY]
        if not some:
            return self._chat(at)
        item = self.dice.choice(some)
        copy = self._say(at, item.text, item.people, item.tickets)
        self.truths.copies[copy.ref] = item.ref
        return None

    def _say_what_is_to_be_forgotten(self, at: int) -> None:
        lines = (f"# {FORGOTTEN_WORDS[0]}", *self._lines("search", "ranking"))
        message = f"search: Mind the {FORGOTTEN_WORDS[0]}\n\nSigned-off-by: {FORGOTTEN[0]}\n"
        self._commit(at, FORGOTTEN, message, "search/base.py", lines)
        self._say(at, f"Has anybody seen the {FORGOTTEN_WORDS[1]}?", [FORGOTTEN, self.people[0]])

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
