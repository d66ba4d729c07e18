"""What the rules of forgetting leave of commits, chunks, items and texts. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace

from .forgetting_rules import FORGOTTEN, Rule
from .records import Chunk, Commit, FileChange, Item, ItemChange, Link


@dataclass(slots=True)
class Sifted:
    """What is left of a batch."""

    commits: list[Commit] = field(default_factory=list[Commit])
    withheld: set[str] = field(default_factory=set[str])
    """Shas of the commits of which nothing but sha and parents is left."""
    items: list[Item] = field(default_factory=list[Item])
    chunks: list[Chunk] = field(default_factory=list[Chunk])
    touched: dict[int, set[str]] = field(default_factory=dict[int, set[str]])
    """By rule, the references of what it took something from."""

    def touch(self, rule: int, ref: str) -> None:
        """Note that a rule took something from there."""
        self.touched.setdefault(rule, set()).add(ref)


class Sieve:
    """All rules together, by their ids."""

    def __init__(self, rules: Iterable[tuple[int, Rule]] = ()) -> None:
        self.rules = tuple(rules)

    def __bool__(self) -> bool:
        """Say whether there is anything to leave out."""
        return bool(self.rules)

    def clean(self, text: str) -> str:
        """Return a text without what is forgotten."""
        for _, rule in self.rules:
            text = rule.clean(text)
        return text

    def is_person(self, name: str, email: str) -> bool:
        """Say whether a name, or an address, is of a forgotten person."""
        return any(rule.is_person(name, email) for _, rule in self.rules)

    def is_path(self, path: str) -> bool:
        """Say whether a path is forgotten."""
        return any(rule.is_path(path) for _, rule in self.rules)

    def commit(self, commit: Commit, sifted: Sifted) -> Commit | None:
        """Return what is left of a commit; None if nothing is."""
        for number, rule in self.rules:
            if (
                rule.is_of("git", commit.time)
                or rule.is_ref(commit.repo, commit.sha)
                or rule.is_person(commit.author, commit.email)
            ):
                sifted.touch(number, commit.sha)
                return None
            left = replace(
                commit,
                subject=rule.clean(commit.subject),
                files=tuple(_files(commit.files, rule.is_path)),
                links=tuple(link for link in commit.links if not leads_to(link, rule)),
            )
            if left != commit:
                sifted.touch(number, commit.sha)
                commit = left
        return commit

    def chunk(self, chunk: Chunk, sifted: Sifted) -> Chunk | None:
        """Return what is left of a chunk; None if nothing is."""
        for number, rule in self.rules:
            if (
                rule.is_of(chunk.source, chunk.time)
                or rule.is_chunk(chunk.id)
                or rule.is_ref(chunk.repo, chunk.ref)
                or rule.is_person(chunk.author, chunk.email)
                or (chunk.path and rule.is_path(chunk.path))
            ):
                sifted.touch(number, chunk.ref)
                return None
            same = chunk.index_text == chunk.text
            text = rule.clean(chunk.text)
            left = replace(
                chunk,
                title=rule.clean(chunk.title),
                text=text,
                index_text=text if same else rule.clean(chunk.index_text),
            )
            if left != chunk:
                sifted.touch(number, chunk.ref)
                chunk = left
        return chunk

    def item(self, item: Item, sifted: Sifted) -> Item | None:
        """Return what is left of an item; None if nothing is. What a person began goes whole; from
        what others began, what they said in it and their name."""
        for number, rule in self.rules:
            if (
                rule.is_of(item.source, item.changed)
                or rule.is_ref(item.repo, item.ref)
                or rule.is_person(item.author, item.email)
                or (item.path and rule.is_path(item.path))
            ):
                sifted.touch(number, item.ref)
                return None
            gone = [name for name, email in item.people if rule.is_person(name, email)]
            left = replace(
                item,
                title=rule.clean(item.title),
                text=rule.clean(_without_turns(item.text, gone, item.people)[0]),
                assignee="" if rule.is_person(item.assignee, "") else rule.clean(item.assignee),
                url=rule.clean(item.url),
                people=tuple(who for who in item.people if not rule.is_person(*who)),
                changes=tuple(_changes(item.changes, rule)),
                links=tuple(link for link in item.links if not leads_to(link, rule)),
            )
            if left != item:
                sifted.touch(number, item.ref)
                item = left
        return item

    def history(self, commits: Iterable[Commit], chunks: Iterable[Chunk]) -> Sifted:
        """Return what is left of commits and their chunks."""
        sifted = Sifted()
        for commit in commits:
            left = self.commit(commit, sifted)
            if left is None:
                sifted.withheld.add(commit.sha)
            sifted.commits.append(left or bare(commit))
        for chunk in chunks:
            if chunk.ref not in sifted.withheld and (kept := self.chunk(chunk, sifted)) is not None:
                sifted.chunks.append(kept)
        return sifted

    def discussions(self, items: Iterable[Item], chunks: Iterable[Chunk]) -> Sifted:
        """Return what is left of items and their chunks."""
        sifted = Sifted()
        of: dict[str, list[Chunk]] = {}
        for chunk in chunks:
            of.setdefault(chunk.ref, []).append(chunk)
        for item in items:
            left = self.item(item, sifted)
            if left is None:
                continue
            sifted.items.append(left)
            gone = [name for name, email in item.people if self.is_person(name, email)]
            drops = False
            for chunk in sorted(of.get(item.ref, ()), key=lambda chunk: chunk.part):
                text, drops = _without_turns(chunk.text, gone, item.people, drops)
                if text != chunk.text:
                    chunk = replace(chunk, text=text, index_text=text)
                if (kept := self.chunk(chunk, sifted)) is not None:
                    sifted.chunks.append(kept)
        return sifted


def bare(commit: Commit) -> Commit:
    """Return what is kept of a forgotten commit: enough to know that it was read."""
    return Commit(commit.repo, commit.sha, commit.parents, FORGOTTEN, "", 0, 0, "")


def _without_turns(
    text: str, gone: Collection[str], people: Iterable[tuple[str, str]], drops: bool = False
) -> tuple[str, bool]:
    """Take out what some people said: from a line that begins with their name and a colon, up to
    the next line that begins with anybody's. ``drops``: it begins within what one of them said.

    Return what is left, and whether it ended so.
    """
    if not gone:
        return text, False
    known = {name.casefold() for name, _ in people if name}
    out = {name.casefold() for name in gone if name}
    kept = [FORGOTTEN + "\n"] if drops else []
    for line in text.splitlines(keepends=True):
        found = _TURN.match(line)
        who = found[1].strip().casefold() if found else ""
        if who in known:
            if who in out and not drops:
                kept.append(FORGOTTEN + "\n")
            drops = who in out
        if not drops:
            kept.append(line)
    return "".join(kept).rstrip("\n") if kept[-1:] == [FORGOTTEN + "\n"] else "".join(kept), drops


def _files(files: Iterable[FileChange], is_path: Callable[[str], bool]) -> Iterable[FileChange]:
    for file in files:
        if is_path(file.path):
            continue
        if file.old_path is not None and is_path(file.old_path):
            yield replace(file, old_path=None, change="A")
        else:
            yield file


def leads_to(link: Link, rule: Rule) -> bool:
    """Say whether a link names what is forgotten: a file, a test in it, a person's branch."""
    return rule.clean(link.target) != link.target or rule.is_path(link.target.partition("::")[0])


def _changes(changes: Iterable[ItemChange], rule: Rule) -> Iterable[ItemChange]:
    for change in changes:
        value = "" if rule.is_person(change.value, "") else rule.clean(change.value)
        yield replace(change, value=value) if value != change.value else change


_TURN = re.compile(r"([^:\n<(]{1,80}?)\s*(?:<[^>\n]*>|\([^)\n]*\))?\s*:(?:\s|$)")
