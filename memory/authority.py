"""Which documents decide, and which have been decided otherwise since."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

from .history import LISTED, listed
from .records import ItemKind, LinkKind, Mark

RECORD = re.compile(
    r"(?<![\w.\-])(?:ADRs?|adr)[ _#\-]{0,2}0*(?P<number>[1-9]\d{0,3})(?![\w.]*\d|\w)"
)
"""A decision record: ``ADR 7``, ``ADR-0007``, ``adr/0007``; its key is ``ADR-7``."""
ACCEPTED = "accepted"
OVER = 0.8
"""Share of its score that a document keeps in recall which does not hold any more."""

_ENDED = ("superseded", "deprecated", "rejected")
_BY = re.compile(r"^superseded by (?:ADR )?(\d+)$")


def decided_otherwise(db: sqlite3.Connection, refs: Iterable[str]) -> dict[tuple[str, str], Mark]:
    """Return the marks of those documents that do not hold any more, by repository and reference:
    they say so themselves, or one that was accepted says that it takes their place."""
    wanted = listed(refs)
    rows = db.execute(
        "SELECT repo, ref, state, changed FROM items"
        f" WHERE ref IN {LISTED} AND kind = ? AND state != ''",
        (wanted, ItemKind.DOCUMENT.value),
    ).fetchall()
    if not rows:
        return {}
    by: dict[str, tuple[str, str, str, int]] = {}
    for target, *later in db.execute(
        "SELECT o.ref, s.ref, s.key, s.title, s.time FROM item_links l"
        " JOIN items s ON s.id = l.item JOIN items o ON o.ref = l.target"
        f" WHERE l.kind = ? AND l.target IN {LISTED} AND (s.state = ? OR s.state LIKE ?)"
        " ORDER BY s.time DESC",
        (LinkKind.SUPERSEDES.value, wanted, ACCEPTED, f"{_ENDED[0]}%"),
    ):
        by[target] = (later[0], later[1], later[2], later[3])
    marks: dict[tuple[str, str], Mark] = {}
    for repo, ref, state, changed in rows:
        later = by.get(ref) or _named(db, repo, state)
        if later is not None:
            other, key, title, time = later
            why = f"superseded by {_spoken(key) or f'“{title}”'}"
        elif state.startswith(_ENDED):
            other, time, why = "", changed, state
        else:
            continue
        marks[repo, ref] = Mark(repo, ref, OVER, ended=time, ended_by=other, why=why)
    return marks


def accepted(db: sqlite3.Connection, refs: Iterable[str]) -> set[str]:
    """Return those references that are decisions which were accepted, and hold."""
    wanted = listed(refs)
    rows = db.execute(
        f"SELECT ref FROM items WHERE ref IN {LISTED} AND kind = ? AND state = ?",
        (wanted, ItemKind.DOCUMENT.value, ACCEPTED),
    )
    found = {row[0] for row in rows}
    return found - {ref for _, ref in decided_otherwise(db, found)} if found else found


def _named(db: sqlite3.Connection, repo: str, state: str) -> tuple[str, str, str, int] | None:
    """The document that a state names by its number, where it is the only one of that number."""
    said = _BY.match(state)
    if said is None:
        return None
    found = db.execute(
        "SELECT ref, key, title, time FROM items WHERE key = ? AND repo = ? AND kind = ?",
        (f"ADR-{said[1]}", repo, ItemKind.DOCUMENT.value),
    ).fetchall()
    return found[0] if len(found) == 1 else None


def _spoken(key: str) -> str:
    return key.replace("-", " ")
