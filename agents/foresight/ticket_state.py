"""How a ticket or a pull request stands: its last move, what names it in git, where that lies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from ...memory.records import Commit, Item, ItemKind
from ..brief.pulls import squashed
from ..brief.refs import Ref, read_refs
from ..brief.wording import counted, listed, quoted
from ..evidence import Source
from ..extractive import what_happened
from ..reasons import find_reasons
from .asked import Asked
from .ground import Ground, Told, cites, local_day, told
from .taken_back import taken_back

_NO_TICKETS = frozenset(
    [
        "UTF",
        "UCS",
        "SHA",
        "MD",
        "ISO",
        "RFC",
        "CVE",
        "PEP",
        "AES",
        "RSA",
        "GPT",
        "CP",
        "WIN",
        "LATIN",
        "PY",
    ]
)
"""What looks like a ticket, and is a standard, a model or a code page."""
_ASIDE = re.compile(r"^(?:release|version|bump|changelog|v?\d+\.\d)", re.IGNORECASE)
"""Subjects of commits that name a ticket among others."""
MOST_BRANCHES = 3
MOST_PULLS = 3
MOST_MOVES = 4
_READ = 30
"""Commits whose messages are read."""
_BRANCH_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Carrier:
    """A branch with work on the ticket that the main branch has not."""

    name: str
    commits: int
    newest: Commit | None


@dataclass(frozen=True, slots=True)
class Lie:
    """Where the commits of one repository that name a ticket lie."""

    main: str
    """The main branch; empty where it can't be told."""
    landed: frozenset[str]
    """Shas that are on it."""
    carriers: Sequence[Carrier] = ()


def tell_ticket(asked: Asked, ground: Ground, question: str) -> Told | None:
    """Return how a ticket stands. None if nothing is known by that key, and it may be no ticket at
    all: it was not written like one in the ``question``."""
    key, index = asked.subject, ground.memory.index
    own = index.items.by_key(key, ground.ids)
    commits = [
        commit for commit in index.commits_by_ticket(key, ground.ids) if not _names_many(commit)
    ]
    naming = [item for item in index.items.find(ticket=key) if item not in own]
    naming = [item for item in naming if item.repo in ("", *ground.ids)]
    lies = {repo.id: _lie(repo.id, key, commits, ground) for repo in ground.repos}
    carriers = [each for lie in lies.values() for each in lie.carriers]
    if not (own or commits or naming or carriers):
        if key not in question or key.partition("-")[0] in _NO_TICKETS:
            return None
        nothing = f"Nothing that hermes has read names {key}: no ticket, no commit and no branch."
        return Told(told([nothing]).texts, relevant=False)
    texts: list[str] = []
    for item in own[:2]:
        texts += _item(item, ground)
    texts += _by_git(key, commits, lies, ground, alone=not own)
    texts += taken_back(commits, ground)
    pulls = [item for item in naming if item.kind is ItemKind.PULL]
    texts += [_pull(item, ground) for item in pulls[:MOST_PULLS]]
    threads = [item for item in naming if item.kind is ItemKind.THREAD]
    texts += _talk(threads, ground)
    return told(texts)


def _names_many(commit: Commit) -> bool:
    # A commit that names many tickets is a release or a changelog, and says nothing of one.
    return len(commit.tickets) > 8


def _item(item: Item, ground: Ground) -> list[str]:
    """Tell a ticket's state and assignee, and how it came to them."""
    cite = cites([ground.cite_item(item)])
    states = [change for change in item.changes if change.field == "state"]
    since = states[-1].at if states else item.closed or item.time
    state = item.state or ("closed" if item.closed is not None else "open")
    whose = f"assigned to {item.assignee}" if item.assignee else "assigned to nobody"
    if item.kind is ItemKind.PULL:
        whose = f"by {item.author}" if item.author else ""
    if item.closed is not None and item.assignee:
        whose = f"it was {item.assignee}'s"
    parts = [f"{item.key} {quoted(item.title)} is {state} since {local_day(since)}", whose]
    texts = [f"{', '.join(part for part in parts if part)} {cite}."]
    if len(states) > 1:
        moves = [f"{change.value or 'none'} ({local_day(change.at)})" for change in states]
        shown = moves[-MOST_MOVES:]
        before = "… " if len(moves) > len(shown) else ""
        texts.append(f"It went {before}from {' to '.join(shown)} {cite}.")
    hands = [change for change in item.changes if change.field == "assignee"]
    if len(hands) > 1 and hands[-1].value == item.assignee:
        earlier = hands[-2].value or "nobody"
        if earlier != item.assignee:
            texts.append(f"Until {local_day(hands[-1].at)} it was {earlier}'s {cite}.")
    last = max((change.at for change in item.changes), default=item.time)
    if item.changed > last + 60 and item.closed is None:
        texts.append(f"Something was last written to it on {local_day(item.changed)} {cite}.")
    return texts


def _by_git(
    key: str, commits: Sequence[Commit], lies: dict[str, Lie], ground: Ground, *, alone: bool
) -> list[str]:
    """Tell the commits that name it, and on which branches they lie."""
    texts: list[str] = []
    by_git = "By git alone, since no tracker's word of it is in memory: " if alone else ""
    if commits:
        newest, oldest = commits[0], commits[-1]
        people = Counter(commit.author for commit in commits)
        who = listed([name for name, _ in people.most_common(3)], 3)
        source = _telling(key, commits, ground)
        last = what_happened(source, find_reasons(source.text, frozenset()))
        if len(commits) == 1:
            one = "one commit names" if by_git else "One commit names"
            texts.append(f"{by_git}{one} {key}. {last}")
        else:
            from_to = f"from {local_day(oldest.time)} to {local_day(newest.time)}"
            cited = cites([ground.cite(oldest), ground.cite(newest)])
            texts.append(f"{by_git}{len(commits)} commits by {who} name {key}, {from_to} {cited}.")
            texts.append(last)
        texts += _closing(key, commits, ground)
    elif alone:
        texts.append(f"{by_git}no commit names {key}.")
    else:
        texts.append(f"No commit names {key} yet.")
    for repo, lie in lies.items():
        texts += _where(repo, [each for each in commits if each.repo == repo], lie, ground)
    return texts


def _telling(key: str, commits: Sequence[Commit], ground: Ground) -> Source:
    """Return the commit that says most of a ticket: the one that brought its pull request, else the
    one that changed most."""
    own = [commit for commit in commits if not _ASIDE.match(commit.subject)] or list(commits)
    brought = [commit for commit in own if squashed(commit.subject) == key]
    plain = [commit for commit in own if not commit.is_merge]
    return ground.cite(brought[0] if brought else max(plain or own, key=_lines))


def _lines(commit: Commit) -> int:
    return sum((file.added or 0) + (file.removed or 0) for file in commit.files)


def _closing(key: str, commits: Sequence[Commit], ground: Ground) -> list[str]:
    """Tell with which commit it was merged, or which says that it closes it."""
    for commit in commits:
        if commit.is_merge and re.search(rf"pull request {re.escape(key)}\b", commit.subject):
            cite = cites([ground.cite(commit)])
            return [f"{commit.author} merged it on {local_day(commit.time)} {cite}."]
    closes = re.compile(
        rf"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+(?:[#\w-]+,\s*)*{re.escape(key)}\b",
        re.IGNORECASE,
    )
    for commit, source in zip(commits, ground.cite_all(commits[:_READ]), strict=False):
        if not _ASIDE.match(commit.subject) and closes.search(f"{commit.subject}\n{source.text}"):
            return [
                f"The commit of {local_day(commit.time)} says that it closes it {cites([source])}."
            ]
    return []


def _where(repo: str, commits: Sequence[Commit], lie: Lie, ground: Ground) -> list[str]:
    texts: list[str] = []
    if lie.main and commits:
        on = [commit for commit in commits if commit.sha in lie.landed]
        if len(on) == len(commits):
            what = {1: "It is", 2: "Both are"}.get(len(on), f"All {len(on)} are")
            cited = cites(ground.cite_all(on[:2]))
            texts.append(f"{what} on {lie.main} {cited}.")
        elif on:
            texts.append(
                f"{len(on)} of {len(commits)} are on {lie.main}, the last of"
                f" {local_day(on[0].time)} {cites([ground.cite(on[0])])}."
            )
        else:
            what = "It is" if len(commits) == 1 else "None of them is"
            texts.append(f"{what}{' not' if len(commits) == 1 else ''} on {lie.main} yet.")
    for carrier in lie.carriers[:MOST_BRANCHES]:
        ahead = f"carries {counted(carrier.commits, 'commit')} that {lie.main or 'main'} has not"
        if not carrier.commits:
            texts.append(f"The branch {carrier.name} has nothing that {lie.main} lacks.")
        elif carrier.newest is not None:
            last = f"the last by {carrier.newest.author} on {local_day(carrier.newest.time)}"
            cite = cites([ground.cite(carrier.newest)])
            texts.append(f"The branch {carrier.name} {ahead}, {last} {cite}.")
        else:
            texts.append(f"The branch {carrier.name} {ahead}.")
    return texts


def _lie(repo: str, key: str, commits: Sequence[Commit], ground: Ground) -> Lie:
    """Return where a ticket's commits lie, as git has it now."""
    git = ground.gits.get(repo)
    if git is None:
        return Lie("", frozenset())
    own = [commit.sha for commit in commits if commit.repo == repo]
    with suppress(GitError):
        refs = read_refs(git)
        mains = refs.main()
        without = [f"^{ref.sha}" for ref in mains]
        off: frozenset[str] = frozenset()
        if own and mains:
            said = git.run("rev-list", *own, *without, "--", timeout=_BRANCH_SECONDS)
            off = frozenset(said.decode().split())
        named = [ref for ref in [*refs.local, *refs.remote] if ref not in mains]
        named = [ref for ref in named if _is_of(ref.short, key)]
        open_ones = [sha for sha in own if sha in off]
        if open_ones and not named:
            named = _containing(git, open_ones[0], [*refs.local, *refs.remote])
        carriers = _carriers(git, repo, _each_once(named), without, ground) if mains else []
        landed = frozenset(own) - off if mains else frozenset[str]()
        return Lie(mains[0].short if mains else "", landed, carriers)
    return Lie("", frozenset())


def _carriers(
    git: Git, repo: str, refs: Sequence[Ref], without: Sequence[str], ground: Ground
) -> list[Carrier]:
    found: list[Carrier] = []
    for ref in refs[:MOST_BRANCHES]:
        said = git.run(
            *("rev-list", "--max-count=500", "--no-merges", ref.sha, *without, "--"),
            timeout=_BRANCH_SECONDS,
        )
        shas = said.decode().split()
        newest = ground.memory.index.commit(repo, shas[0]) if shas else None
        found.append(Carrier(ref.short, len(shas), newest))
    return found


def _containing(git: Git, sha: str, refs: Sequence[Ref]) -> list[Ref]:
    said = git.run(
        *("for-each-ref", "--format=%(refname)", f"--contains={sha}", "refs/heads", "refs/remotes"),
        timeout=_BRANCH_SECONDS,
    )
    names = said.decode("utf-8", "surrogateescape").split("\n")
    return [ref for ref in refs if ref.name in names]


def _each_once(refs: Sequence[Ref]) -> list[Ref]:
    """Return branches without those of a remote that stand where a local one does."""
    found: dict[str, Ref] = {}
    for ref in refs:
        found.setdefault(ref.sha, ref)
    return list(found.values())


def _is_of(branch: str, key: str) -> bool:
    """Say whether a branch is named after a ticket: ``feature/eng-17-retries``, ``482-fix``."""
    name, bare = branch.casefold(), key.lstrip("#").casefold()
    return re.search(rf"(?<![a-z0-9]){re.escape(bare)}(?![a-z0-9])", name) is not None


def _pull(item: Item, ground: Ground) -> str:
    state = item.state or ("closed" if item.closed is not None else "open")
    when = f"since {local_day(item.closed)}" if item.closed is not None else ""
    when = when or f"last changed on {local_day(item.changed)}"
    by = f" by {item.author}" if item.author else ""
    cite = cites([ground.cite_item(item)])
    return f"Pull request {item.key} {quoted(item.title)}{by} names it: {state}, {when} {cite}."


def _talk(threads: Sequence[Item], ground: Ground) -> list[str]:
    if not threads:
        return []
    last = threads[0]
    cite = cites([ground.cite_item(last)])
    more = f", one of {len(threads)} discussions that name it" if len(threads) > 1 else ""
    on = local_day(last.changed)
    return [
        f"It was last talked about on {on} in {quoted(last.title)} ({last.source}){more} {cite}."
    ]
