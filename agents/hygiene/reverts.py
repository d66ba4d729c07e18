"""What was taken back: commits that a later one reverts, unless they were applied again.

A wrong "taken back" is worse than none. So it is not enough that a message says so: the lines must be
taken back too, on the branch where the commit counts, and nothing may have brought them again since.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...memory.records import Commit, Mark
from .changes import Change, redone, undone
from .history import History
from .twins import Read, bare

BY_SHA, BY_WORDS = 0.5, 0.8
"""Share of a commit's lines that must be taken back, where it is named by git's own sentence and
where it is only named by its subject: code may have changed since, or a part is meant."""
AGAIN = 0.5
"""From this share of its added lines on a later commit brings it again, whatever it is called."""
WEIGHT = 0.8
"""Share of the score that is left to what was taken back: it is still how it came about."""
WHY = "taken back"

_WAITING = 365 * 86_400
"""Seconds that a commit may have waited on another branch before it was merged in after the revert."""
_LOOKED_AT = 200
"""Later commits on the same files that are looked at for whether they bring it again."""
_FEW_WORDS = 2
"""A subject of so many words names no commit in particular."""

_SENTENCE = re.compile(
    r"^\W{0,4}(?:this\s+)?(?:commit\s+)?(?:reverts?|reverting|backs?\s+out|backing\s+out|undo(?:es)?"
    r"|rolls?\s+back)\s+(?:(?:the\s+)?(?:merge\s+)?(?:commits?|changesets?|revisions?|merge):?\s+)?"
    r"(?P<shas>[0-9a-f]{7,64}\b(?:(?:\s*(?:,|and|&)\s*)+[0-9a-f]{7,64}\b)*)",
    re.IGNORECASE | re.MULTILINE,
)
_SHA = re.compile(r"\b[0-9a-f]{7,64}\b", re.IGNORECASE)
_PART = re.compile(r"\b(?:part(?:s|ly|ial|ially)?|some|portions?|half|except|but)\b", re.IGNORECASE)
_LAYER = re.compile(
    r"^(?P<what>revert|reapply|re-?land|re-?commit|re-?apply)(?:\([^)]*\))?!?:?\s+"
    r"(?:(?:commit|pr)\s+)?(?P<quote>[\"'“‘`]?)(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)


_QUOTED = re.compile(r"[\"“‘`].*[\"”’`]|(?<!\w)'.*'")


@dataclass(frozen=True, slots=True)
class Statement:
    """What a message says about other commits."""

    shas: tuple[str, ...] = ()
    """Those it reverts, perhaps short."""
    title: str = ""
    """The subject, bare, of the commit that it is about in the end; its own where it is about none."""
    layers: int = 0
    """How often that was reverted by it: ``Revert "Revert "x""`` is 2, which is done again."""
    in_part: bool = False

    @property
    def takes_back(self) -> bool:
        """Whether the subject by itself says that something is taken back."""
        return self.layers % 2 == 1


@dataclass(frozen=True, slots=True)
class Revert:
    """A commit and the one that took it back."""

    sha: str
    by: str


def read_statement(message: str) -> Statement:
    """Given a message, return what it says about other commits."""
    subject = message.partition("\n")[0].strip()
    title, layers = subject, 0
    while layer := _LAYER.match(title):
        back = layer["what"].casefold() == "revert"
        layers = layers + 1 if back else 2
        title = _unquoted(layer["rest"].strip(), layer["quote"])
        if not back:
            break
    sentences = list(_SENTENCE.finditer(message))
    shas = dict.fromkeys(sha.lower() for s in sentences for sha in _SHA.findall(s["shas"]))
    own = _QUOTED.sub("", subject)  # what is quoted are the other one's words
    around = [message[s.start() : _end_of_sentence(message, s.end())] for s in sentences]
    return Statement(
        tuple(shas), bare(title), layers, any(_PART.search(text) for text in (own, *around))
    )


def _unquoted(text: str, quote: str) -> str:
    if not quote:
        return text
    closing = {"“": "”", "‘": "’"}.get(quote, quote)
    return text[: text.rfind(closing)] if closing in text else text


def _end_of_sentence(message: str, at: int) -> int:
    found = re.compile(r"\.\s|\n\s*\n|$").search(message, at)
    return found.start() if found else len(message)


def reverts(
    history: History,
    statements: Mapping[str, Statement],
    stands_for: Mapping[str, str],
    read: Read,
) -> list[Revert]:
    """Return what was taken back and does not hold again, each with what took it back last.

    ``statements`` by sha, of all commits. ``stands_for``: what is folded, to what it is folded into.
    """
    return _Reverts(history, statements, stands_for, read).found()


class _Reverts:
    """The work of ``reverts``."""

    def __init__(
        self,
        history: History,
        statements: Mapping[str, Statement],
        stands_for: Mapping[str, str],
        read: Read,
    ) -> None:
        self._history = history
        self._statements = statements
        self._stands_for = stands_for
        self._read = read
        self._by_title: dict[str, list[str]] = defaultdict(list)
        for sha, statement in statements.items():
            self._by_title[statement.title].append(sha)
        self._reverts_of: dict[str, list[str]] = defaultdict(list)
        self._back: dict[str, str] = {}

    def found(self) -> list[Revert]:
        for sha, statement in sorted(self._statements.items()):
            if statement.in_part or not (statement.shas or statement.takes_back):
                continue
            for target in self._targets(sha, statement):
                self._reverts_of[target].append(sha)
        pairs = [(sha, self._taken_back_by(sha)) for sha in sorted(self._reverts_of)]
        return [Revert(sha, by) for sha, by in pairs if by]

    def _taken_back_by(self, sha: str) -> str:
        """The last revert of a commit that was not reverted itself; empty if there is none."""
        if sha not in self._back and sha in self._reverts_of:
            self._back[sha] = ""
            valid = [by for by in self._reverts_of[sha] if not self._taken_back_by(by)]
            last = max(valid, key=self._when, default="")
            self._back[sha] = "" if not last or self._applied_again(sha, last) else last
        return self._back.get(sha, "")

    def _when(self, sha: str) -> tuple[int, str]:
        return self._history.commits[sha].committed, sha

    def _targets(self, by: str, statement: Statement) -> set[str]:
        """The commits that a commit takes back, by what it says and by the lines."""
        named = [self._history.named(sha) for sha in statement.shas]
        least = BY_SHA
        wanted = [self._stands_for.get(sha, sha) for sha in named if sha is not None]
        if not wanted and statement.takes_back:
            least = BY_WORDS
            wanted = self._titled(by, statement)
        found: set[str] = set()
        for sha in dict.fromkeys(wanted):
            if sha == by or not self._counts_there(by, sha):
                continue
            parts = self._history.brought_by(sha) or (sha,)
            changes = self._read([self._history.commits[part] for part in (*parts, by)])
            whole = Change()
            for part in parts:
                whole.add(changes[part])
            if undone(whole, changes[by]) >= least:
                found.add(sha)
                found |= {part for part in parts if undone(changes[part], changes[by]) >= least}
        return found

    def _titled(self, by: str, statement: Statement) -> list[str]:
        """The last commit before one with the subject that it reverts."""
        if len(statement.title.split()) <= _FEW_WORDS:
            return []
        layers = statement.layers - 1
        before = [
            sha
            for sha in self._by_title[statement.title]
            if self._statements[sha].layers % 2 == layers % 2
            and self._history.commits[sha].committed <= self._history.commits[by].committed
            and sha != by
        ]
        last = max(before, key=self._when, default=None)
        return [] if last is None else [self._stands_for.get(last, last)]

    def _counts_there(self, by: str, sha: str) -> bool:
        """Whether a revert is where the commit counts: on the main branch, if that has the commit."""
        on_main = self._history.on_main
        if sha in on_main and by not in on_main:
            return False
        return self._history.reaches(by, sha)

    def _applied_again(self, sha: str, by: str) -> bool:
        """Whether a later commit brings again what was taken back, by its name or by its lines."""
        commits, on_main = self._history.commits, self._history.on_main
        title = self._statements[sha].title
        parity = self._statements[sha].layers % 2
        since = commits[by].committed - _WAITING
        paths = self._paths(sha)
        before = self._history.past_of(by, since)
        later = [
            commit
            for commit in commits.values()
            if commit.committed >= since
            and commit.sha not in before
            and commit.sha != sha
            and (sha not in on_main or commit.sha in on_main)
            and not commit.is_merge
        ]
        named = (c.sha for c in later if self._names(c.sha, title, parity))
        if any(not self._taken_back_by(named_again) for named_again in named):
            return True
        touching = [c for c in later if any(file.path in paths for file in c.files)]
        touching.sort(key=lambda commit: (commit.committed, commit.sha))
        touching = touching[:_LOOKED_AT]
        changes = self._read([*(commits[part] for part in self._parts(sha)), *touching])
        whole = Change()
        for part in self._parts(sha):
            whole.add(changes[part])
        return any(
            redone(whole, changes[commit.sha]) >= AGAIN and not self._taken_back_by(commit.sha)
            for commit in touching
        )

    def _names(self, later: str, title: str, parity: int) -> bool:
        statement = self._statements[later]
        if len(title.split()) <= _FEW_WORDS or statement.layers % 2 != parity:
            return False
        return title in statement.title

    def _parts(self, sha: str) -> Sequence[str]:
        return self._history.brought_by(sha) or (sha,)

    def _paths(self, sha: str) -> set[str]:
        files = (file for part in self._parts(sha) for file in self._history.commits[part].files)
        return {path for file in files for path in (file.path, file.old_path) if path}


def marks(repo: str, commits: Mapping[str, Commit], found: Iterable[Revert]) -> list[Mark]:
    """Return the marks of what was taken back."""
    return [
        Mark(
            repo,
            revert.sha,
            weight=WEIGHT,
            ended=commits[revert.by].committed,
            ended_by=revert.by,
            why=WHY,
        )
        for revert in found
    ]
