"""What concerns the person in tickets, pull requests and chat, from whatever source.

One fact an item: what came in since they last worked, and of what did not move what still waits, for
them or for others. What others wrote counts until the person has answered it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ...memory.items import Items
from ...memory.records import Item, ItemKind, LinkKind
from .item_done import done_by_all, done_on
from .item_news import news_of
from .item_waiting import waiting
from .mine import logins_of, names_in
from .reading import Reading, read
from .records import Fact, Found, Scope
from .unread import unread

KINDS = (ItemKind.PULL, ItemKind.TICKET, ItemKind.THREAD)
OPEN = (ItemKind.PULL, ItemKind.TICKET)


def heard(scope: Scope) -> Found:
    """Return what others said and did that concerns the person, what waits, and what they have done
    there; and which sources could not be read."""
    index = scope.memory.index
    sources = index.sources.all()
    if not sources:
        return Found()
    kinds = {row.kind for row in sources}
    if scope.everybody:
        return Found(tuple(done_by_all(_changed(scope, index.items, kinds), scope.period)))
    unreadable = tuple(unread(sources, scope.period))
    if not scope.person.known:
        return Found((), unreadable)
    aliases = index.items.called(scope.person.emails) | logins_of(scope.person)
    items = _concerning(scope, index.items, aliases, kinds)
    read_ones = [
        read(item, names_in(item, scope.person, aliases), scope.period, _pushed(scope, item))
        for item in items
    ]
    return Found(tuple(facts_of(read_ones)), unreadable)


def facts_of(items: Sequence[Reading]) -> Iterator[Fact]:
    """Yield what concerns the person in these items."""
    for one in items:
        yield from done_on(one)
        if (fact := news_of(one)) is not None:
            yield fact
    yield from waiting(items)


def _changed(scope: Scope, items: Items, sources: Collection[str]) -> list[Item]:
    return items.find(
        kinds=KINDS, sources=sources, repos=_repos(scope), since=int(scope.period.since)
    )


def _concerning(
    scope: Scope, items: Items, aliases: Collection[str], sources: Collection[str]
) -> list[Item]:
    """Return what has changed meanwhile, and what is open and the person takes part in. What only a
    source brought that was taken away since stays as it was: nothing of that is news."""
    names = {*scope.person.names, *aliases}
    found = [
        *_changed(scope, items, sources),
        *items.open_with(
            names, scope.person.emails, kinds=OPEN, sources=sources, repos=_repos(scope)
        ),
    ]
    return list({item.ref: item for item in found}.values())


def _repos(scope: Scope) -> tuple[str, ...]:
    return (*(repo.id for repo, _ in scope.repos), "")


def _pushed(scope: Scope, item: Item) -> int:
    """Return when the person's last commit of a pull request was made, as far as memory has it."""
    shas = [link.target for link in item.links if link.kind is LinkKind.COMMIT]
    if item.kind is not ItemKind.PULL or item.closed is not None or not item.repo or not shas:
        return 0
    commits = scope.memory.index.commits_for(item.repo, shas)
    own = [each for each in commits if scope.person.wrote(each.author, each.email)]
    return max((each.committed for each in own), default=0)
