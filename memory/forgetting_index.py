"""The structured index without what rules forget."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from .forgetting_rules import FORGOTTEN
from .history import LISTED, State, listed
from .items import UNREAD, delete_items, insert_items
from .records import Commit, Item, Link, LinkKind
from .sieve import Sieve, Sifted, leads_to
from .withheld import note_touched


@dataclass(slots=True)
class IndexLeft:
    """What sifting the index comes to."""

    sifted: dict[str, Sifted] = field(default_factory=dict[str, Sifted])
    """By repository, under an empty id of the items: what rules took something from."""
    commits: dict[int, str] = field(default_factory=dict[int, str])
    """Row and repository of each commit of which nothing is left but sha and parents."""
    shas: set[str] = field(default_factory=set[str])
    """Theirs."""
    subjects: dict[int, str] = field(default_factory=dict[int, str])
    """What other commits are called from now on, by row."""
    paths: dict[int, str] = field(default_factory=dict[int, str])
    """Forgotten paths, by row."""
    links: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Commit's row and position of each link of a commit that names what is forgotten."""
    items: set[str] = field(default_factory=set[str])
    """References of the items that are gone."""
    altered: dict[str, Item] = field(default_factory=dict[str, Item])
    """Items of which something is left."""
    phrases: list[str] = field(default_factory=list[str])
    """What the commits and items were called that are gone."""
    facts: list[int] = field(default_factory=list[int])
    marks: int = 0

    def of(self, repo: str) -> Sifted:
        """Return what rules took something from in a repository."""
        return self.sifted.setdefault(repo, Sifted())


def look(
    db: sqlite3.Connection, sieve: Sieve, items: Collection[Item], pattern: str | None
) -> IndexLeft:
    """Return what rules forget of the index, and change nothing."""
    left = IndexLeft()
    finds = re.compile(pattern, re.IGNORECASE).search if pattern is not None else None
    for row, path in db.execute("SELECT id, path FROM paths"):
        if sieve.is_path(path):
            left.paths[row] = path
    rows = db.execute(
        "SELECT c.id, c.repo, c.sha, c.state, p.name, p.email, c.time, c.subject"
        " FROM commits c JOIN people p ON p.id = c.person WHERE p.name != ?",
        (FORGOTTEN,),
    ).fetchall()
    people: dict[tuple[str, str], bool] = {}
    for row, repo, sha, _, name, email, time, subject in rows:
        who = (name, email)
        if who not in people:
            people[who] = sieve.is_person(*who)
        old = any(rule.is_of("git", time) for _, rule in sieve.rules)
        if not people[who] and not old and finds is not None and finds(subject) is None:
            continue
        commit = Commit(repo, sha, (), name, email, time, time, subject)
        kept = sieve.commit(commit, left.of(repo))
        if kept is None:
            left.commits[row] = repo
            left.shas.add(sha)
            left.phrases.append(subject)
        elif kept.subject != subject:
            left.subjects[row] = kept.subject
    _look_at_changes(db, sieve, left)
    _look_at_links(db, sieve, left)
    for item in items:
        kept_item = sieve.item(item, left.of(""))
        if kept_item is None:
            left.items.add(item.ref)
            left.phrases.append(item.title)
        elif kept_item != item:
            left.altered[item.ref] = kept_item
    left.facts = _facts(db, sieve, left)
    left.marks = db.execute(
        f"SELECT count(*) FROM marks WHERE ref IN {LISTED}", (listed({*left.shas, *left.items}),)
    ).fetchone()[0]
    return left


def _look_at_changes(db: sqlite3.Connection, sieve: Sieve, left: IndexLeft) -> None:
    """Note which commits changed a forgotten path."""
    for sha, repo, path in db.execute(
        "SELECT DISTINCT c.sha, c.repo, n.path FROM paths n JOIN changes x"
        " ON x.path = n.id OR x.old_path = n.id JOIN commits c ON c.id = x.commit_id"
        f" WHERE n.id IN {LISTED}",
        (listed(left.paths),),
    ):
        for number, rule in sieve.rules:
            if rule.is_path(path):
                left.of(repo).touch(number, sha)


def _look_at_links(db: sqlite3.Connection, sieve: Sieve, left: IndexLeft) -> None:
    """Note which links of commits name what is forgotten."""
    for row, position, repo, sha, kind, target in db.execute(
        "SELECT l.commit_id, l.position, c.repo, c.sha, l.kind, l.target"
        " FROM commit_links l JOIN commits c ON c.id = l.commit_id"
    ):
        for number, rule in sieve.rules:
            if leads_to(Link(LinkKind(kind), target), rule):
                left.links.append((row, position))
                left.of(repo).touch(number, sha)


def _facts(db: sqlite3.Connection, sieve: Sieve, left: IndexLeft) -> list[int]:
    """Return which facts tell of what is forgotten, by their place in the table's order."""
    found: list[int] = []
    gone = left.shas | left.items
    for place, (subject, value, since, ref) in enumerate(db.execute(_ALL_FACTS)):
        path = subject.partition("path:")[2].rstrip("/")
        if (
            ref in gone
            or sieve.is_person(value, value)
            or sieve.clean(value) != value
            or (path and sieve.is_path(path))
            or any(rule.is_of("", since) for _, rule in sieve.rules)
        ):
            found.append(place)
    return found


def carry_out(db: sqlite3.Connection, left: IndexLeft, sieve: Sieve) -> None:
    """Take out what `look` found, in the transaction that is open."""
    if left.commits:
        rows = listed(left.commits)
        db.execute("INSERT OR IGNORE INTO people (name, email) VALUES (?, '')", (FORGOTTEN,))
        db.execute(
            f"UPDATE commits SET state = CASE state WHEN {State.ORPHANED:d} THEN state"
            f" ELSE {State.WITHHELD:d} END, time = 0, committed = 0, subject = '', chunks = 0,"
            f" person = (SELECT id FROM people WHERE name = ? AND email = '') WHERE id IN {LISTED}",
            (FORGOTTEN, rows),
        )
        for table in ("changes", "tickets", "commit_links"):
            db.execute(f"DELETE FROM {table} WHERE commit_id IN {LISTED}", (rows,))
    db.executemany(
        "UPDATE commits SET subject = ? WHERE id = ?",
        [(subject, row) for row, subject in left.subjects.items()],
    )
    db.executemany("DELETE FROM commit_links WHERE commit_id = ? AND position = ?", left.links)
    paths = listed(left.paths)
    db.execute(f"DELETE FROM changes WHERE path IN {LISTED}", (paths,))
    db.execute(
        f"UPDATE changes SET old_path = NULL, change = 'A' WHERE old_path IN {LISTED}", (paths,)
    )
    db.execute(
        "DELETE FROM paths WHERE id NOT IN (SELECT path FROM changes)"
        " AND id NOT IN (SELECT old_path FROM changes WHERE old_path IS NOT NULL)"
    )
    db.execute("DELETE FROM people WHERE id NOT IN (SELECT person FROM commits)")
    delete_items(db, left.items)
    insert_items(db, list(left.altered.values()), dict.fromkeys(left.altered, UNREAD))
    _carry_out_around(db, left, sieve)
    for repo, sifted in left.sifted.items():
        note_touched(db, repo, sifted.touched)


def _carry_out_around(db: sqlite3.Connection, left: IndexLeft, sieve: Sieve) -> None:
    gone = listed({*left.shas, *left.items})
    db.execute(f"DELETE FROM marks WHERE ref IN {LISTED} OR folded_into IN {LISTED}", (gone, gone))
    for table, keys in (("marks", "repo, ref"), ("edits", "chunk")):
        column = "why" if table == "marks" else "text"
        for *key, text in db.execute(f"SELECT {keys}, {column} FROM {table}").fetchall():
            if text and (clean := sieve.clean(text)) != text:
                named = " AND ".join(f"{name} = ?" for name in keys.split(", "))
                db.execute(f"UPDATE {table} SET {column} = ? WHERE {named}", (clean, *key))
    db.execute(f"DELETE FROM edits WHERE ref IN {LISTED}", (gone,))
    facts = db.execute(_FACT_KEYS).fetchall()
    db.executemany(
        "DELETE FROM facts WHERE repo = ? AND subject = ? AND relation = ? AND since = ?"
        " AND value = ?",
        [facts[place] for place in left.facts],
    )


def set_chunks(
    db: sqlite3.Connection,
    repos: Mapping[str, Collection[str]],
    counts: Mapping[tuple[str, str], int],
) -> None:
    """Say of live commits how many chunks they have now."""
    for repo, shas in repos.items():
        db.executemany(
            f"UPDATE commits SET chunks = ? WHERE repo = ? AND sha = ? AND state = {State.LIVE:d}",
            [(counts.get((repo, sha), 0), repo, sha) for sha in sorted(shas)],
        )


def drop_edits(db: sqlite3.Connection, chunks: Collection[str]) -> None:
    """Forget what a person made of chunks that are gone."""
    db.execute(f"DELETE FROM edits WHERE chunk IN {LISTED}", (listed(chunks),))


_IN_ORDER = "FROM facts ORDER BY repo, subject, relation, since, value"
_ALL_FACTS = f"SELECT subject, value, since, ref {_IN_ORDER}"
_FACT_KEYS = f"SELECT repo, subject, relation, since, value {_IN_ORDER}"
