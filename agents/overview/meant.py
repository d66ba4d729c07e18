"""What a person means by a reference: everything that it may be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from ...ingest.mentions import mentions
from ...memory.memory import Memory
from ...memory.records import Commit, Item, LinkKind
from ...memory.standing import short
from ...memory.work import Work
from .records import SORT_OF, Sort, Subject

MOST = 20
"""What a reference may mean at most, as it is told."""
_PATHS_COMPARED = 500
_COUNCIL = re.compile(r"(?:council[ :#-]?|c)(\d{1,9})", re.IGNORECASE)
_LINE = re.compile(r"(?P<path>.+?):(?P<line>\d{1,7})(?::\d+)?")
_SHA = re.compile(r"[0-9a-f]{7,64}", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"\d{1,7}")
_RECORD = re.compile(r"adr[ #-]*\d+", re.IGNORECASE)


def meant(
    memory: Memory, work: Work | None, text: str, repos: Sequence[str], paths: Sequence[str] = ()
) -> list[Subject]:
    """Return what ``text`` may mean, the surest kind alone: a reference, a key or an address, a
    sha, a test, a file, a council.

    ``repos``: the ids that are looked in, all where there are none. ``paths``: what the text is as
    a path from a repository's root, where a person stands in a folder of it.
    """
    text = text.strip()
    return (
        _items(memory, text, repos)
        or _commits(memory, text, repos)
        or _tests(work, text, repos)
        or _files(memory, [*paths, text], repos)
        or _councils(work, text)
        or _named_only(memory, text, repos)
    )


def nearest(memory: Memory, work: Work | None, text: str, repos: Sequence[str]) -> list[str]:
    """Return what comes nearest to a reference that means nothing, in a few words each."""
    text = text.strip()
    folder, _, name = text.partition(":")[0].rpartition("/")
    found: list[str] = []
    if work is not None and "::" in text:
        wanted = text.rpartition("::")[2]
        found += [s.test for repo in _repos(memory, repos) for s in work.runs.find(repo, wanted, 3)]
    if len(name) >= 3:
        found += memory.index.paths_holding([name], repos)[:3]
    if not found and folder:
        there = memory.index.paths_holding([f"{folder}/"], repos)[:_PATHS_COMPARED]
        found += get_close_matches(text.partition(":")[0], there, 3)
    if match := re.fullmatch(r"([A-Za-z][A-Za-z0-9]*)-(\d+)|#(\d+)", text):
        found += _near_keys(memory, match[1] or "", int(match[2] or match[3]), repos)
    return list(dict.fromkeys(found))[:3]


def of_item(item: Item) -> Subject:
    """Return an item as something to tell of."""
    sort = SORT_OF[item.kind]
    name = item.key or (item.path if sort is Sort.DOCUMENT else "") or item.ref
    return Subject(sort, item.repo, item.ref, name, item.title, item.time)


def of_commit(commit: Commit) -> Subject:
    """Return a commit as something to tell of."""
    name = short(commit.sha)
    return Subject(Sort.COMMIT, commit.repo, commit.sha, name, commit.subject, commit.time)


def _items(memory: Memory, text: str, repos: Sequence[str]) -> list[Subject]:
    known = memory.index.items
    if (item := known.get(text)) is not None:
        return [of_item(item)]
    if not _is_pattern(text):
        at_path = known.get_all(known.at_path(text.removeprefix("./"), repos)).values()
        if exact := [item for item in at_path if item.path == text.removeprefix("./")]:
            return [of_item(item) for item in exact]
    said = mentions(f" {text} ")
    for link in said.links:
        if link.kind is LinkKind.ITEM and (item := known.get_in_any_case(link.target)) is not None:
            return [of_item(item)]
    for key in _keys(text, said.tickets):
        items = [
            item for item in known.by_key(key, repos) if not repos or item.repo in ("", *repos)
        ]
        if items:
            return [of_item(item) for item in items[: MOST + 1]]
    return []


def _keys(text: str, said: Sequence[str]) -> list[str]:
    """The keys that a text may be: it, or the one that it is another form of."""
    keys = [text]
    if _BARE_NUMBER.fullmatch(text):
        keys.append(f"#{text}")
    if len(said) == 1 and ("://" in text or " " not in text or _RECORD.fullmatch(text)):
        keys.append(said[0])
    return list(dict.fromkeys(keys))


def _commits(memory: Memory, text: str, repos: Sequence[str]) -> list[Subject]:
    sha = text.rpartition("/")[2] if "://" in text else text
    if not _SHA.fullmatch(sha):
        return []
    commits = memory.index.resolve_sha(sha, repos)
    return [of_commit(commit) for commit in commits[: MOST + 1]]


def _tests(work: Work | None, text: str, repos: Sequence[str]) -> list[Subject]:
    if work is None or "::" not in text:
        return []
    found = [
        standing
        for repo in (repos or work.runs.repos())
        for standing in work.runs.find(repo, text, MOST + 1)
    ]
    exact = [standing for standing in found if standing.test == text]
    return [
        Subject(Sort.TEST, each.repo, each.test, each.test, time=int(each.since))
        for each in exact or found
    ]


def _files(memory: Memory, texts: Iterable[str], repos: Sequence[str]) -> list[Subject]:
    for text in texts:
        path, line = text, 0
        if match := _LINE.fullmatch(text):
            path, line = match["path"], int(match["line"])
        path = path.removeprefix("./").rstrip("/")
        if not path or _is_pattern(path) or path == ".":
            continue
        there = [r for r in _repos(memory, repos) if memory.index.path_exists(path, (r,))]
        if there:
            return [Subject(Sort.FILE, repo, path, path, line=line) for repo in there]
    return []


def _councils(work: Work | None, text: str) -> list[Subject]:
    match = _COUNCIL.fullmatch(text)
    if work is None or match is None:
        return []
    number = int(match[1])
    return [
        Subject(
            Sort.COUNCIL,
            each.repo,
            str(each.id),
            f"council {each.id}",
            each.question,
            int(each.asked),
        )
        for each in work.councils.find(limit=10_000)
        if each.id == number
    ]


def _named_only(memory: Memory, text: str, repos: Sequence[str]) -> list[Subject]:
    """A ticket or a pull request that memory does not hold, and that others name."""
    for key in _keys(text, mentions(f" {text} ").tickets):
        commits = memory.index.commits_by_ticket(key, repos)
        items = memory.index.items.find(ticket=key, repos=(*repos, "") if repos else (), limit=1)
        if commits or items:
            at = {commit.repo for commit in commits}
            repo = at.pop() if len(at) == 1 else ""
            sort = Sort.PULL if key.startswith("#") else Sort.TICKET
            return [Subject(sort, repo, key, key, known=False)]
    return []


def _near_keys(memory: Memory, project: str, number: int, repos: Sequence[str]) -> list[str]:
    keys = memory.index.items.keys((*repos, "") if repos else ())
    prefix = f"{project.upper()}-" if project else "#"
    numbers = [
        (abs(int(key[len(prefix) :]) - number), key)
        for key in keys
        if key.upper().startswith(prefix) and key[len(prefix) :].isdecimal()
    ]
    return [key for _, key in sorted(numbers)[:3]]


def _repos(memory: Memory, repos: Sequence[str]) -> Sequence[str]:
    return repos or [repo.id for repo in memory.index.repos()]


def _is_pattern(text: str) -> bool:
    return any(character in text for character in "*?[")
