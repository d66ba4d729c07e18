"""Commits as evidence: each once, with what brought it, what it takes back and why it was made."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ...memory.graph import Node
from ...memory.memory import Memory
from ...memory.records import Commit, Content, chunk_id
from ..brief.grouping import ranked
from ..brief.look import Done, File
from ..brief.pulls import squashed
from ..brief.wording import says_little
from ..reasons import find_reasons, shorten
from ..subjects import leading_verb
from .history import PUBLISHED, History, Merge, read
from .records import Evidence, EvidenceKind

WAITED = 7 * 86_400
"""Seconds between writing and committing from which on a commit counts when it came in: somebody
took it in then, and that is what happened on the day. Below, it was only rebased."""
BEFORE = 366 * 86_400
"""Seconds before the first day whose history is known: for what is taken back, or there already."""
SQUASHED_WITHIN = 90 * 86_400
MOST_PATHS = 12
MOST_TICKETS = 3
"""Tickets that a commit may name as its own; one that names more is a release or a merge of all."""
LEAST_REASON = 0.5
"""Score of a sentence that gives a reason, as agents.reasons counts."""

_FIXUP = re.compile(r"^(?:fixup|squash|amend)! ")
_REVERT = re.compile(r'^Revert "(?P<what>.+)"')
_REVERTED = re.compile(r"This reverts commit (?P<sha>[0-9a-f]{7,64})")
_BULLET = re.compile(r"^\s*[*-]\s+(?P<subject>.+)$", re.MULTILINE)
_NOISE = frozenset({Content.LOCK, Content.GENERATED, Content.VENDORED, Content.MINIFIED})


def gather_commits(memory: Memory, repo: str, since: int, until: int) -> list[Evidence]:
    """Return what was committed to a repository from ``since`` on and before ``until``."""
    nodes = memory.index.graph(repo, since - BEFORE)
    history = read(nodes, memory.index.tips(repo), since)
    return _Reading(memory, repo, history, since, until).evidence()


def happened(node: Node, history: History) -> int:
    """Return when a commit counts: when it was written, or taken in long after."""
    waited = node.sha in history.landed and node.committed - node.time >= WAITED
    return node.committed if waited else node.time


class _Reading:
    """The commits of one repository and one time."""

    def __init__(self, memory: Memory, repo: str, history: History, since: int, until: int) -> None:
        self._memory = memory
        self._repo = repo
        self._history = history
        self._since, self._until = since, until
        self._messages: dict[str, str] = {}
        self._squashes: dict[str, str] = {}

    def evidence(self) -> list[Evidence]:
        history = self._history
        within = [n for n in _once(history) if self._since <= happened(n, history) < self._until]
        within = [n for n in within if not PUBLISHED.match(history.branches.get(n.sha, ""))]
        plain = [node for node in within if len(node.parents) < 2]
        merges = [history.merges[node.sha] for node in within if node.sha in history.merges]
        shas = {node.sha for node in plain} | {sha for merge in merges for sha in merge.brings}
        commits = {c.sha: c for c in self._memory.index.commits_for(self._repo, sorted(shas))}
        self._read_messages([node.sha for node in within])
        self._squashes = self._squashed(plain)
        covers: defaultdict[str, list[str]] = defaultdict(list)
        for sha, squash in self._squashes.items():
            covers[squash].append(sha)
        found = [self._commit(commits[n.sha], n, covers[n.sha]) for n in plain if n.sha in commits]
        found += [self._merge(merge, commits) for merge in merges]
        return found

    def _commit(self, commit: Commit, node: Node, covers: Sequence[str]) -> Evidence:
        history, message = self._history, self._messages.get(commit.sha, commit.subject)
        files = [file for file in commit.files if file.content not in _NOISE]
        done = Done(
            *(commit.sha, commit.parents, commit.author, commit.email),
            *(commit.time, commit.committed, commit.subject),
            files=tuple(File(file.path, file.added, file.removed) for file in files),
        )
        squash = self._squashes.get(commit.sha, "")
        pull = history.pulls.get(commit.sha) or squashed(commit.subject)
        pull = pull or (squashed(history.nodes[squash].subject) if squash else "")
        landed = history.landed.get(commit.sha) or history.landed.get(squash, 0)
        if squashed(commit.subject):  # somewhere it was taken in
            landed = min(landed or node.committed, node.committed)
        return Evidence(
            kind=EvidenceKind.COMMIT,
            ref=commit.sha,
            at=happened(node, self._history),
            title=_title(commit.subject),
            author=commit.author,
            email=commit.email.lower(),
            paths=tuple(ranked([done])[:MOST_PATHS]),
            tickets=_own_tickets(commit.tickets, pull),
            pull=pull,
            branch="" if landed else history.branches.get(commit.sha, ""),
            why=_why(message),
            lines=sum((file.added or 0) + (file.removed or 0) for file in files),
            files=len(files),
            landed=landed,
            undoes=self._undone(node, message),
            about=tuple(covers),
        )

    def _merge(self, merge: Merge, commits: Mapping[str, Commit]) -> Evidence:
        node = self._history.nodes[merge.sha]
        brought = [commits[sha] for sha in merge.brings if sha in commits]
        done = [
            Done(
                *(c.sha, c.parents, c.author, c.email, c.time, c.committed, c.subject),
                files=tuple(
                    File(f.path, f.added, f.removed) for f in c.files if f.content not in _NOISE
                ),
            )
            for c in brought
        ]
        message = self._messages.get(merge.sha, node.subject)
        people = dict.fromkeys(c.author for c in brought if len(c.parents) < 2)
        lines = sum((f.added or 0) + (f.removed or 0) for d in done for f in d.files)
        return Evidence(
            kind=EvidenceKind.COMMIT,
            ref=merge.sha,
            at=happened(node, self._history),
            title=_title_of_merge(merge, node, message, brought),
            author=node.author,
            email=node.email.lower(),
            paths=tuple(ranked(done)[:MOST_PATHS]),
            tickets=_own_tickets([t for c in brought for t in c.tickets], merge.key),
            pull=merge.key,
            branch=merge.branch,
            state="merged",
            lines=lines,
            files=len({f.path for d in done for f in d.files}),
            landed=self._history.landed.get(merge.sha, 0),
            about=merge.brings,
            others=tuple(name for name in people if name != node.author),
        )

    def _read_messages(self, shas: Collection[str]) -> None:
        missing = {chunk_id(self._repo, sha, "", 0): sha for sha in shas}
        missing = {key: sha for key, sha in missing.items() if sha not in self._messages}
        chunks = self._memory.store.fetch(sorted(missing))
        self._messages |= {missing[key]: chunk.text for key, chunk in chunks.items()}

    def _squashed(self, plain: Sequence[Node]) -> dict[str, str]:
        """Return, for commits that wait on a branch but came to the main one as part of another,
        which that is: it has the title of the only one, or lists them."""
        history = self._history
        waiting = [node for node in plain if node.sha not in history.landed]
        by_email: defaultdict[str, list[Node]] = defaultdict(list)
        by_title: defaultdict[str, list[Node]] = defaultdict(list)
        for node in history.nodes.values() if waiting else ():
            if node.sha in history.landed and squashed(node.subject):
                by_email[node.email].append(node)
                by_title[_without_key(node.subject)].append(node)

        def near(node: Node, others: Sequence[Node]) -> list[Node]:
            until = node.time + SQUASHED_WITHIN
            return [other for other in others if node.time <= other.committed < until]

        listing = {node.sha: near(node, by_email[node.email]) for node in waiting}
        self._read_messages({other.sha for others in listing.values() for other in others})
        found: dict[str, str] = {}
        for node in waiting:
            titled = [] if says_little(node.subject) else near(node, by_title[node.subject])
            listed = [other for other in listing[node.sha] if node.subject in self._bullets(other)]
            if titled or listed:
                found[node.sha] = (titled or listed)[0].sha
        # With one commit of a branch all that was there by then was taken in.
        taken = {
            branch: history.nodes[squash]
            for sha, squash in sorted(found.items())
            if (branch := history.branches.get(sha, ""))
        }
        for node in waiting:
            squash = taken.get(history.branches.get(node.sha, ""))
            if squash is not None and node.time <= squash.committed:
                found.setdefault(node.sha, squash.sha)
        return found

    def _bullets(self, node: Node) -> set[str]:
        said = self._messages.get(node.sha, node.subject)
        return {match["subject"].strip() for match in _BULLET.finditer(said)}

    def _undone(self, node: Node, message: str) -> str:
        named = _REVERTED.search(message)
        if named is not None:
            starts = [sha for sha in self._history.nodes if sha.startswith(named["sha"])]
            if len(starts) == 1:
                return starts[0]
        match = _REVERT.match(node.subject)
        if match is None:
            return ""
        what = match["what"]
        before = [
            other
            for other in self._history.nodes.values()
            if what in (other.subject, _without_key(other.subject))
            and other.committed <= node.committed
        ]
        return before[-1].sha if before else ""


def _once(history: History) -> Iterator[Node]:
    """Yield commits without those that are there again, rebased or picked onto another branch: the
    one that stands for them is on the main branch, else the first."""
    twins: defaultdict[tuple[str, int, str], list[Node]] = defaultdict(list)
    for node in history.nodes.values():
        twins[node.subject, node.time, node.email].append(node)
    for several in twins.values():
        on_main = [node for node in several if node.sha in history.landed]
        yield min(on_main or several, key=lambda node: (node.committed, node.sha))


def _title(subject: str) -> str:
    while _FIXUP.match(subject):
        subject = _FIXUP.sub("", subject)
    return subject


def _without_key(subject: str) -> str:
    key = squashed(subject)
    return subject.removesuffix(f"({key})").rstrip() if key else subject


def _title_of_merge(merge: Merge, node: Node, message: str, brought: Sequence[Commit]) -> str:
    """Return the pull request's title; where the merge does not say it, what the largest of its
    commits is called."""
    if squashed(node.subject):
        return node.subject
    paragraph = message.partition("\n")[2].strip().partition("\n")[0].strip()
    if merge.key and paragraph and not paragraph.lower().startswith(("conflicts", "# conflicts")):
        return paragraph
    plain = [commit for commit in brought if len(commit.parents) < 2]
    if not plain:
        return node.subject
    return max(plain, key=lambda c: (_lines(c), c.committed, c.sha)).subject


def _lines(commit: Commit) -> int:
    return sum((f.added or 0) + (f.removed or 0) for f in commit.files if f.content not in _NOISE)


def _own_tickets(tickets: Iterable[str], pull: str) -> tuple[str, ...]:
    own = [ticket for ticket in dict.fromkeys(tickets) if ticket != pull]
    return tuple(own) if len(own) <= MOST_TICKETS else ()


def _why(message: str) -> str:
    steps = len(_BULLET.findall(message)) > 1
    for reason in find_reasons(message, frozenset()):
        if reason.score < LEAST_REASON:
            break
        # Steps of squashed work are no reasons: "use origin, rather than url.origin".
        whole = reason.text[:1].isupper() and reason.text.endswith((".", "!", "?"))
        if whole and not (steps and leading_verb(reason.text) is not None):
            return shorten(reason.text)
    return ""
