"""What is one step away: commits, pull requests, tickets, discussions and documents, by the names
they call each other.

A number or a key means one thing of the same repository, or of none; a sha, the one commit that it
begins. What several things may be meant by leads nowhere.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .database import Database
from .history import LISTED, State, listed
from .marks import Key
from .records import LinkKind

MOST = 30
"""Things that name one name which are followed, the newest of them."""
SHORTEST_SHA = 7

_COMMITS = (LinkKind.MERGED_AS, LinkKind.COMMIT)
_ITEMS = (LinkKind.ITEM, LinkKind.SUPERSEDES)
_EVERYWHERE = frozenset(["main", "master", "trunk", "develop", "dev", "staging", "production"])
"""Branches that everything goes through, so that they tie nothing together."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Something one step away, and what leads there."""

    repo: str
    ref: str
    """A commit's sha, or an item's reference."""
    kind: LinkKind
    name: str
    """By which the one calls the other: ``#482``, ``4f1c2d9``, ``docs/adr/0007-redis.md``."""
    inward: bool
    """Whether it is the neighbour that names the thing, and not the other way round."""

    @property
    def key(self) -> Key:
        """What it is known by."""
        return self.repo, self.ref


class Links:
    """The links of one database. Safe to share between threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def around(self, things: Collection[Key]) -> dict[Key, tuple[Neighbour, ...]]:
        """Return what is one step away from commits and items, each given by its repository and
        its sha or reference; what is known for sure first, then what texts say."""
        with self._database.reading() as db:
            return _Step(db, things).taken()

    def naming(self, kind: LinkKind, name: str, repos: Collection[str] = ()) -> list[Key]:
        """Return the items and commits, the newest, that name a file, a test or a branch."""
        with self._database.reading() as db:
            found = _holders(db, (kind,), (name,))
        return [
            (repo, ref)
            for repo, ref, _, target in found
            if target == name and (not repos or not repo or repo in repos)
        ]


@dataclass(slots=True)
class _Thing:
    """A commit or an item whose neighbours are looked for, and what it names."""

    repo: str
    ref: str
    key: str = ""
    path: str = ""
    keys: list[str] = field(default_factory=list[str])
    """Keys and numbers."""
    links: list[tuple[LinkKind, str]] = field(default_factory=list[tuple[LinkKind, str]])

    @property
    def is_commit(self) -> bool:
        return ":" not in self.ref

    def named(self, kinds: Collection[LinkKind]) -> Iterator[tuple[LinkKind, str]]:
        return ((kind, target) for kind, target in self.links if kind in kinds)


class _Step:
    """One step from some things, in a few queries for all of them."""

    def __init__(self, db: sqlite3.Connection, things: Collection[Key]) -> None:
        self._db = db
        wanted = set(things)
        self._things = [thing for thing in _things(db, things) if (thing.repo, thing.ref) in wanted]
        self._found: dict[Key, dict[Key, Neighbour]] = {
            (thing.repo, thing.ref): {} for thing in self._things
        }
        self._branches = {
            target
            for thing in self._things
            for _, target in thing.named((LinkKind.BRANCH,))
            if target.casefold() not in _EVERYWHERE
        }
        refs = [thing.ref for thing in self._things if not thing.is_commit]
        paths = [thing.path for thing in self._things if thing.path]
        self._naming = _holders(
            db, (*_ITEMS, LinkKind.PATH, LinkKind.BRANCH), {*refs, *paths, *self._branches}
        )
        """What names the things, or a branch that they name."""

    def taken(self) -> dict[Key, tuple[Neighbour, ...]]:
        """Take it."""
        self._commits()
        self._items()
        self._keys()
        self._along_branches()
        order = list(LinkKind)
        return {
            key: tuple(sorted(found.values(), key=lambda each: order.index(each.kind)))
            for key, found in self._found.items()
        }

    def _add(
        self, thing: _Thing, repo: str, ref: str, kind: LinkKind, name: str, inward: bool = False
    ) -> None:
        """Note a neighbour, once; ``kind`` and ``name`` are of the first that led there."""
        if ref != thing.ref and _meet(thing.repo, repo):
            neighbour = Neighbour(repo, ref, kind, name, inward)
            self._found[thing.repo, thing.ref].setdefault((repo, ref), neighbour)

    def _commits(self) -> None:
        """Follow shas, from who names them and from the commits that are named."""
        named = {target for thing in self._things for _, target in thing.named(_COMMITS)}
        commits = [thing for thing in self._things if thing.is_commit]
        holders = _holders_of_prefixes(self._db, {thing.ref for thing in commits})
        begun = _commits_begun(self._db, named | {target for *_, target in holders})
        for thing in self._things:
            for kind, target in thing.named(_COMMITS):
                if (one := _only(thing.repo, begun[target])) is not None:
                    self._add(thing, *one, kind, target)
        for repo, ref, kind, target in holders:
            one = _only(repo, begun[target])
            for thing in commits:
                if one is not None and one[1] == thing.ref:
                    self._add(thing, repo, ref, kind, target, inward=True)

    def _items(self) -> None:
        """Follow references and paths of documents, both ways."""
        named = {target for thing in self._things for _, target in thing.named(_ITEMS)}
        there: dict[str, list[Key]] = defaultdict(list)
        for repo, ref in self._db.execute(
            f"SELECT repo, ref FROM items WHERE ref COLLATE NOCASE IN {LISTED}", (listed(named),)
        ):
            there[ref.casefold()].append((repo, ref))
        paths = {path for thing in self._things for _, path in thing.named((LinkKind.PATH,))}
        for repo, ref, path in self._db.execute(
            f"SELECT repo, ref, path FROM items WHERE path != '' AND path IN {LISTED}",
            (listed(paths),),
        ):
            there[path].append((repo, ref))
        for thing in self._things:
            for kind, target in thing.named(_ITEMS):
                for repo, ref in there[target.casefold()]:
                    self._add(thing, repo, ref, kind, target)
            for kind, target in thing.named((LinkKind.PATH,)):
                if (file := _only(thing.repo, there[target])) is not None:
                    self._add(thing, *file, kind, target)
        of = {thing.ref.casefold(): thing for thing in self._things if not thing.is_commit}
        documents: dict[str, list[_Thing]] = defaultdict(list)
        for thing in self._things:
            if thing.path:
                documents[thing.path].append(thing)
        for repo, ref, kind, target in self._naming:
            if kind in _ITEMS and (one := of.get(target.casefold())) is not None:
                self._add(one, repo, ref, kind, target, inward=True)
            elif kind is LinkKind.PATH:
                for thing in documents.get(target, ()):  # none, where only the case is another
                    self._add(thing, repo, ref, kind, target, inward=True)

    def _keys(self) -> None:
        """Follow keys and numbers, both ways."""
        own = {thing.key for thing in self._things if thing.key}
        keys = own.union(*(thing.keys for thing in self._things))
        called: dict[str, list[Key]] = defaultdict(list)
        for repo, ref, key in self._db.execute(
            f"SELECT repo, ref, key FROM items WHERE key != '' AND key IN {LISTED}",
            (listed(keys),),
        ):
            called[key.casefold()].append((repo, ref))
        for thing in self._things:
            elsewhere = [target for _, target in thing.named((LinkKind.ITEM,))]
            for key in thing.keys:
                one = _only(thing.repo, called[key.casefold()])
                if one is not None and not _is_of_another(key, one[1], elsewhere):
                    self._add(thing, *one, LinkKind.ITEM, key)
        users = _users(self._db, own)
        for thing in self._things:
            for repo, ref, besides in users.get(thing.key, ()):
                one = _only(repo, called[thing.key.casefold()])
                if one == (thing.repo, thing.ref) and not _is_of_another(
                    thing.key, thing.ref, besides
                ):
                    self._add(thing, repo, ref, LinkKind.ITEM, thing.key, inward=True)

    def _along_branches(self) -> None:
        """Follow branches to where they stand, and to whatever else names them."""
        if not self._branches:
            return
        there: dict[str, list[Key]] = defaultdict(list)
        for repo, ref, kind, target in self._naming:
            if kind is LinkKind.BRANCH:
                there[target].append((repo, ref))
        for branch, repo, sha in self._db.execute(
            "SELECT said.value, t.repo, t.sha FROM json_each(?) said CROSS JOIN repos r"
            " CROSS JOIN tips t ON t.repo = r.id AND t.ref IN ('refs/heads/' || said.value,"
            " 'refs/remotes/origin/' || said.value)",
            (listed(self._branches),),
        ):
            there[branch].append((repo, sha))
        for thing in self._things:
            for kind, target in thing.named((LinkKind.BRANCH,)):
                for repo, ref in there.get(target, ()):
                    self._add(thing, repo, ref, kind, target)


def _things(db: sqlite3.Connection, keys: Collection[Key]) -> list[_Thing]:
    refs = (listed(ref for _, ref in keys),)
    items = {
        row[0]: _Thing(*row[1:])
        for row in db.execute(
            f"SELECT id, repo, ref, key, path FROM items WHERE ref IN {LISTED}", refs
        )
    }
    commits = {
        row[0]: _Thing(*row[1:])
        for row in db.execute(
            f"SELECT id, repo, sha FROM commits WHERE sha IN {LISTED} AND state = {State.LIVE:d}",
            refs,
        )
    }
    for of, things, keyed, linked in (
        ("item", items, "item_tickets", "item_links"),
        ("commit_id", commits, "tickets", "commit_links"),
    ):
        ids = (listed(things),)
        where = f"WHERE {of} IN {LISTED} ORDER BY {of}, position"
        for number, key in db.execute(f"SELECT {of}, key FROM {keyed} {where}", ids):
            things[number].keys.append(key)
        for number, kind, target in db.execute(
            f"SELECT {of}, kind, target FROM {linked} {where}", ids
        ):
            things[number].links.append((LinkKind(kind), target))
    return [*items.values(), *commits.values()]


def _holders(
    db: sqlite3.Connection, kinds: Sequence[LinkKind], targets: Iterable[str]
) -> list[tuple[str, str, LinkKind, str]]:
    """Return the items and commits whose links have such a target, the newest first: repository,
    reference, kind and target."""
    wanted = (listed(targets), listed(kind.value for kind in kinds))
    rows = db.execute(
        "SELECT i.repo, i.ref, l.kind, l.target, i.changed FROM json_each(?) said"
        " JOIN item_links l ON l.target = said.value JOIN items i ON i.id = l.item"
        f" WHERE l.kind IN {LISTED} UNION ALL"
        " SELECT c.repo, c.sha, l.kind, l.target, c.time FROM json_each(?) said"
        " JOIN commit_links l ON l.target = said.value JOIN commits c ON c.id = l.commit_id"
        f" WHERE l.kind IN {LISTED} AND c.state = {State.LIVE:d} ORDER BY 5 DESC LIMIT {MOST * 10}",
        (*wanted, *wanted),
    )
    return [(repo, ref, LinkKind(kind), target) for repo, ref, kind, target, _ in rows]


def _holders_of_prefixes(
    db: sqlite3.Connection, shas: Iterable[str]
) -> list[tuple[str, str, LinkKind, str]]:
    """Return the same for the links that name a commit by its sha or the beginning of it."""
    # Whatever begins a sha stands between its first digits and all of it, and hardly anything else.
    wanted = (listed(shas), listed(kind.value for kind in _COMMITS))
    between = f"l.target >= substr(said.value, 1, {SHORTEST_SHA}) AND l.target <= said.value"
    rows = db.execute(
        "SELECT i.repo, i.ref, l.kind, l.target, i.changed, said.value FROM json_each(?) said"
        f" JOIN item_links l ON {between} JOIN items i ON i.id = l.item"
        f" WHERE l.kind IN {LISTED} UNION ALL"
        " SELECT c.repo, c.sha, l.kind, l.target, c.time, said.value FROM json_each(?) said"
        f" JOIN commit_links l ON {between} JOIN commits c ON c.id = l.commit_id"
        f" WHERE l.kind IN {LISTED} AND c.state = {State.LIVE:d} ORDER BY 5 DESC LIMIT {MOST * 10}",
        (*wanted, *wanted),
    )
    return [
        (repo, ref, LinkKind(kind), target)
        for repo, ref, kind, target, _, sha in rows
        if sha.startswith(target)
    ]


def _users(
    db: sqlite3.Connection, keys: Iterable[str]
) -> dict[str, list[tuple[str, str, tuple[str, ...]]]]:
    """Return the items, then the commits that name each key, the newest first: repository,
    reference, and the references of items that it names besides."""
    said = (listed(keys),)
    found: dict[str, list[tuple[str, str, tuple[str, ...]]]] = defaultdict(list)
    for key, repo, ref, targets in db.execute(
        "SELECT said.value, i.repo, i.ref, (SELECT json_group_array(l.target) FROM item_links l"
        f" WHERE l.item = i.id AND l.kind = '{LinkKind.ITEM}') FROM json_each(?) said"
        " JOIN item_tickets t ON t.key = said.value JOIN items i ON i.id = t.item"
        f" ORDER BY i.changed DESC LIMIT {MOST * 10}",
        said,
    ):
        found[key].append((repo, ref, tuple(json.loads(targets))))
    for key, repo, sha in db.execute(
        "SELECT said.value, c.repo, c.sha FROM json_each(?) said"
        " JOIN tickets t ON t.key = said.value JOIN commits c ON c.id = t.commit_id"
        f" WHERE c.state = {State.LIVE:d} ORDER BY c.time DESC LIMIT {MOST * 10}",
        said,
    ):
        found[key].append((repo, sha, ()))
    return found


def _commits_begun(db: sqlite3.Connection, prefixes: Iterable[str]) -> Mapping[str, list[Key]]:
    """Return the commits that each prefix begins; of too many, some."""
    found: dict[str, list[Key]] = defaultdict(list)
    for prefix, repo, sha in db.execute(
        "SELECT said.value, c.repo, c.sha FROM json_each(?) said"
        " JOIN commits c ON c.sha >= said.value AND c.sha < said.value || 'g'"
        f" WHERE c.state = {State.LIVE:d} LIMIT 1000",
        (listed(prefixes),),
    ):
        found[prefix].append((repo, sha))
    return found


def _only(repo: str, candidates: Sequence[Key]) -> Key | None:
    """Return the one thing that a name means where it is used: the one of that repository, else the
    one of none, else the only one there is. A commit that two repositories have is one."""
    for some in (
        [each for each in candidates if each[0] == repo],
        [each for each in candidates if not each[0]],
        [each for each in candidates if _meet(repo, each[0])],
    ):
        if some:
            return some[0] if len({ref for _, ref in some}) == 1 else None
    return None


def _is_of_another(key: str, ref: str, elsewhere: Iterable[str]) -> bool:
    """Whether a number is said of another repository: ``acme/shop#482`` stands there, and that is
    not ``ref``."""
    said = [target for target in elsewhere if key[:1] == "#" and target.endswith(key)]
    return bool(said) and ref.casefold() not in {target.casefold() for target in said}


def _meet(one: str, other: str) -> bool:
    """Whether what is of the one repository may speak of what is of the other."""
    return not one or not other or one == other
