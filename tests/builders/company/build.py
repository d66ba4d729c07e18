"""The company in a memory: a real repository, and everything else as sources bring it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from hermes.ingest.items import take_in
from hermes.ingest.sources.docs import open_source, options
from hermes.memory.embedders.protocol import Embedder
from hermes.memory.memory import Memory
from hermes.memory.records import Item, ItemChange, ItemKind, Link, LinkKind

from ..git import RepoBuilder
from ..ingested import Ingested
from .chat import CHANNELS, THREADS, Thread, everything_said, stamp_of
from .documents import DOCUMENTS
from .people import BY_NAME, EVERY, moment, people_of, talk
from .pulls import PULLS, Pull
from .tickets import TICKETS, Ticket

PLACE = "harbor/harbor"
"""Its repository on GitHub."""
_SMALL_WORK = """
    limits: Rename a variable
    payments: Log the gateway's answer code
    accounts: Drop an unused import
    shops: Sort opening hours by weekday
    billing: Round to the cent before adding up
    reports: Name the columns as accounting does
    flags: Fix a typo in a docstring
    mobile: Bump the app's minimum version
    limits: Return 429 with a body
    payments: Accept cards from Iceland
    accounts: Let support search by phone number
    shops: Import the agency's address file
    billing: Put the VAT number on every page
    reports: Send on Mondays instead of Sundays
    mobile: Show the locker's map full screen
    api: Reject bodies over a megabyte
    api: Answer HEAD requests
    worker: Shut down on SIGTERM
    worker: Count jobs by kind
    ci: Cache the wheels
    ci: Run the slow tests at night
    docs: Fix broken links
    lockers: Read the door sensor twice
    lockers: Retry a heartbeat once
    lockers: Support the wide model
    web: Make buttons larger on touch screens
    web: Translate the footer to Portuguese
    web: Remove the cookie banner's animation
    mail: Attach the pickup code as an image
    mail: Don't answer to no-reply
    db: Index parcels by state
    db: Drop the unused audit trigger
    tests: Freeze the clock
    tests: Make the fixtures smaller
    api: List parcels newest first
    shops: Hide closed ones from the map
    billing: Skip shops without parcels
    payments: Show the fee before paying
    accounts: Lower-case addresses
    worker: Say which job was slow
"""


@contextmanager
def company(folder: Path, embedder: Embedder | None = None) -> Generator[Ingested]:
    """Build it in a folder, and hand out the memory that knows all of it."""
    shas = make_repository(folder / "harbor")
    with Ingested(folder / "memory", folder / "harbor", embedder) as ingested:
        ingested.run()
        take_in(ingested.memory, items(ingested.repo.id, shas))
        source = open_source(
            options({"patterns": ["."], "root": str(folder / "harbor")}), None, [ingested.repo]
        )
        for page in source.fetch("", lambda: False):
            take_in(ingested.memory, page.items)
        ingested.memory.fill_vectors()
        yield ingested


def make_repository(path: Path) -> dict[int, str]:
    """Make its repository; return the commit of each pull request that was merged."""
    repo = RepoBuilder(path)
    steps = [
        (moment(when), who, {at: text}, _adds(at)) for at, (when, who, text) in DOCUMENTS.items()
    ]
    merged: dict[str, int] = {}
    for pull in PULLS:
        if pull.merged:
            message = f"{pull.title} (#{pull.number})\n\n{pull.text}"
            steps.append((moment(pull.merged), pull.by, pull.files, message))
            merged[message] = pull.number
    start = moment("2024-10-01 12:00")
    for number, line in enumerate(_SMALL_WORK.strip().splitlines()):
        area = line.strip().partition(":")[0]
        files = {f"{area}/part{number}.py": f"VALUE = {number}\n"}
        who = list(BY_NAME)[number % len(BY_NAME)]
        steps.append((start + number * 9 * 86_400, who, files, line.strip()))
    shas: dict[int, str] = {}
    for at, who, files, message in sorted(steps, key=lambda step: step[0]):
        repo.now = at
        sha = repo.commit(files, message, author="{} <{}>".format(*BY_NAME[who]))
        if message in merged:
            shas[merged[message]] = sha
    return shas


def _adds(path: str) -> str:
    return f"Write {path.rpartition('/')[2].removesuffix('.md').replace('-', ' ')}"


def items(repo: str, shas: dict[int, str]) -> list[Item]:
    """Return its pull requests, tickets and discussions as sources bring them."""
    found = [pull_item(pull, repo, shas.get(pull.number, "")) for pull in PULLS]
    found += [ticket_item(ticket) for ticket in TICKETS]
    return found + [thread_item(thread) for thread in everything_said()]


def pull_item(pull: Pull, repo: str, sha: str) -> Item:
    """Return a pull request with its review."""
    opened, end = moment(pull.opened), pull.merged or pull.closed
    closed = moment(end) if end else None
    links = [Link(LinkKind.BRANCH, pull.branch)]
    if sha:
        links.insert(0, Link(LinkKind.MERGED_AS, sha))
    author = BY_NAME[pull.by]
    return Item(
        source="github",
        ref=f"github:{PLACE}#{pull.number}",
        kind=ItemKind.PULL,
        repo=repo,
        title=pull.title,
        text=talk(pull.text, opened + 3600, pull.said),
        author=author[0],
        email=author[1],
        time=opened,
        changed=closed or opened + 3600 + EVERY * len(pull.said),
        key=f"#{pull.number}",
        state="merged" if pull.merged else "closed" if pull.closed else "open",
        closed=closed,
        url=f"https://github.com/{PLACE}/pull/{pull.number}",
        people=tuple(dict.fromkeys((author, *people_of(pull.said)))),
        links=tuple(links),
    )


def ticket_item(ticket: Ticket) -> Item:
    """Return a ticket with its comments and states."""
    opened = moment(ticket.opened)
    closed = moment(ticket.closed) if ticket.closed else None
    author = BY_NAME[ticket.by]
    last = closed or opened + 86_400
    assigned = (
        (ItemChange(opened + 60, "assignee", BY_NAME[ticket.assignee][0]),)
        if ticket.assignee
        else ()
    )
    return Item(
        source="linear",
        ref=f"linear:{ticket.key}",
        kind=ItemKind.TICKET,
        repo="",
        title=ticket.title,
        text=talk(ticket.text, opened + 7200, ticket.comments),
        author=author[0],
        email=author[1],
        time=opened,
        changed=last,
        key=ticket.key,
        state=ticket.state,
        closed=closed,
        assignee=BY_NAME[ticket.assignee][0] if ticket.assignee else "",
        url=f"https://linear.app/harbor/issue/{ticket.key}",
        people=tuple(dict.fromkeys((author, *people_of(ticket.comments)))),
        changes=(*assigned, ItemChange(last, "state", ticket.state)),
    )


def thread_item(thread: Thread) -> Item:
    """Return a discussion."""
    people = people_of(thread.said)
    began = moment(thread.began)
    stamp = stamp_of(thread)
    return Item(
        source="slack",
        ref=f"slack:{thread.channel}/{stamp}",
        kind=ItemKind.THREAD,
        repo="",
        title=f"{CHANNELS[thread.channel]}: {thread.said[0][1]}",
        text=talk("", began, thread.said),
        author=people[0][0],
        email=people[0][1],
        time=began,
        changed=began + EVERY * (len(thread.said) - 1),
        url=f"https://harbor.slack.com/archives/{thread.channel}/p{stamp.replace('.', '')}",
        people=people,
    )


def refs_of(memory: Memory) -> dict[str, str]:
    """Return the reference of each thing that a question's evidence names."""
    known = memory.index.items
    named = {item.key: item.ref for item in known.find() if item.key}
    named |= {item.path: item.ref for item in known.find() if item.path}
    return named | {f"chat:{thread.name}": thread_item(thread).ref for thread in THREADS}
