"""Which names and addresses are meant by a person: those that git and the items know together."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..ingest.git.command import Git
from ..memory.errors import HermesError
from ..memory.forgetting_rules import FORGOTTEN, words
from ..memory.index import Index

SHARED = 3
"""An address that so many names use is nobody's own: it joins no names."""

MAILMAP_BYTES = 1_000_000
_IDENT = re.compile(r"([^<>]*)<([^<>]*)>")


class NobodyMeant(HermesError):
    """Nobody of that name, or with that address, is in memory."""

    code = "nobody"

    def __init__(self, term: str, near: Sequence[str]) -> None:
        hint = (
            f"near: {', '.join(near)}" if near else "`hermes search --author` takes part of a name"
        )
        super().__init__(f"nobody in memory is called {term}", hint=hint)


@dataclass(frozen=True, slots=True)
class Known:
    """One name with one address, as somebody used them."""

    name: str
    email: str
    commits: int = 0
    items: int = 0
    """In which they took part."""

    @property
    def shown(self) -> str:
        """``Name <address>``."""
        return f"{self.name} <{self.email}>" if self.email else self.name


@dataclass(slots=True)
class Meant:
    """A person, by all that they are known by."""

    identities: list[Known] = field(default_factory=list[Known])
    names: set[str] = field(default_factory=set[str])
    also: set[str] = field(default_factory=set[str])
    """Names of one word that were not given, but belong to their address: they may be ordinary
    words, too."""
    addresses: set[str] = field(default_factory=set[str])
    unknown: list[str] = field(default_factory=list[str])
    """What was given and nobody is called."""
    warnings: list[str] = field(default_factory=list[str])


def known_people(index: Index, gits: Mapping[str, Git]) -> tuple[list[Known], list[set[str]]]:
    """Return everybody that memory knows, and sets of addresses that .mailmap files say are one
    person's. Blocking: reads a file of each repository."""
    found: Counter[tuple[str, str]] = Counter()
    items: Counter[tuple[str, str]] = Counter()
    together: list[set[str]] = []
    with index.reading() as db:
        rows = db.execute(
            "SELECT p.name, p.email, count(*) FROM commits c"
            " JOIN people p ON p.id = c.person GROUP BY p.id"
        ).fetchall()
        for name, email in db.execute("SELECT name, email FROM item_people"):
            items[name, email] += 1
        for (name,) in db.execute("SELECT assignee FROM items WHERE assignee != ''"):
            items[name, ""] += 1
    for name, email, count in rows:
        if name != FORGOTTEN:
            found[name, email] += count
    mapped: set[tuple[str, str]] = set()
    for git in gits.values():
        for idents in read_mailmap(git):
            mapped |= idents
            together.append({email.casefold() for _, email in idents})
    return [
        Known(name, email, found[name, email], items[name, email])
        for name, email in sorted({*found, *items, *mapped})
    ], together


def read_mailmap(git: Git) -> list[set[tuple[str, str]]]:
    """Return the names and addresses of each line of a repository's .mailmap: one person each."""
    if git.worktree is None:
        return []
    try:
        text = (git.worktree / ".mailmap").read_bytes()[:MAILMAP_BYTES].decode("utf-8", "replace")
    except OSError:
        return []
    lines = (line.partition("#")[0] for line in text.splitlines())
    found = [
        {(name.strip(), email.strip()) for name, email in _IDENT.findall(line)} for line in lines
    ]
    return [{(name, email) for name, email in idents if email} for idents in found if idents]


def who_is(terms: Sequence[str], known: Sequence[Known], together: Iterable[set[str]]) -> Meant:
    """Given names and addresses, return the person who is meant by all of them. One that nobody has
    may still stand in texts: it is ``unknown``."""
    meant = Meant()
    for term in (term.strip() for term in terms):
        found = [each for each in known if _is(term, each)]
        if not found:
            meant.unknown.append(term)
            (meant.addresses if "@" in term else meant.names).add(term)
        elif "@" in term:
            meant.addresses.add(term.casefold())
        else:
            # As it is written where it counts, not as it was typed.
            meant.names |= {each.name for each in found}
            meant.addresses |= {each.email.casefold() for each in found if each.email}
    _join(meant, together)
    _add_names(meant, known)
    given = {_key(name) for name in meant.names}
    meant.identities = [
        each
        for each in known
        if _key(each.name) in given or each.email.casefold() in meant.addresses
    ]
    _warn(meant, terms, known)
    return meant


def _join(meant: Meant, together: Iterable[set[str]]) -> None:
    """Add the addresses that .mailmap files say are theirs, too."""
    sets = list(together)
    while True:
        more = {address for some in sets if some & meant.addresses for address in some}
        if more <= meant.addresses:
            return
        meant.addresses |= more


def _add_names(meant: Meant, known: Sequence[Known]) -> None:
    """Add the names that only they go by."""
    given = {_key(name) for name in meant.names}
    by_address: dict[str, set[str]] = {}
    for each in known:
        by_address.setdefault(each.email.casefold(), set()).add(_key(each.name))
    for each in known:
        address = each.email.casefold()
        if address not in meant.addresses or _key(each.name) in given or not each.name:
            continue
        others = {
            other.email.casefold()
            for other in known
            if _key(other.name) == _key(each.name) and other.email
        } - meant.addresses
        if others:
            meant.warnings.append(
                f"the name {each.name} stays in texts: {', '.join(sorted(others))} goes by it too"
            )
        elif len(by_address[address]) >= SHARED:
            meant.warnings.append(f"{each.shown} is left: many use that address")
        elif len(words(each.name)) > 1:
            meant.names.add(each.name)
        else:
            meant.also.add(each.name)


def _warn(meant: Meant, terms: Sequence[str], known: Sequence[Known]) -> None:
    for term in terms:
        found = {each.email for each in known if "@" not in term and _is(term, each) and each.email}
        if len(found) > 1:
            meant.warnings.append(
                f"{len(found)} addresses go by {term}, and all are meant; name an address to mean"
                " only one"
            )
    meant.warnings += [
        f"{term}: nobody in memory is called so; it is taken out wherever texts have that word"
        for term in meant.unknown
    ]
    for name in sorted(meant.also):
        meant.warnings.append(
            f"{name} is taken out as an author and as @{name}; as a plain word only with"
            f" --person {name}"
        )


def _is(term: str, known: Known) -> bool:
    if "@" in term:
        return known.email.casefold() == term.casefold()
    return bool(words(term)) and _key(known.name) == _key(term)


def near(term: str, known: Sequence[Known]) -> list[str]:
    """Return who has nearly that name or address."""
    wanted = term.casefold().strip()
    inside = [each for each in known if wanted and wanted in each.shown.casefold()]
    by_name = {_key(each.name): each for each in sorted(known, key=lambda each: each.commits)}
    close = difflib.get_close_matches(_key(term), list(by_name), n=3, cutoff=0.6)
    ranked = sorted(inside, key=lambda each: -each.commits) + [by_name[name] for name in close]
    return list(dict.fromkeys(each.shown for each in ranked))[:4]


def _key(name: str) -> str:
    return " ".join(words(name))
