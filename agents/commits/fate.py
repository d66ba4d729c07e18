"""What became of a draft: the commit that its tree was made, and how its message compares."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from ...memory.drafts import Outcome, Stored
from .records import Draft

EDITED = 0.5
"""Likeness from which a message counts as the draft with changes, not as another one."""
_RECENT = 200
"""Commits of the newest that are looked at."""
_LONGEST = 20_000
_TOOLS = ("signed-off-by:", "change-id:", "co-authored-by:")
"""Trailers that are added without a thought for the rest."""


@dataclass(frozen=True, slots=True)
class Fate:
    """The commit a draft ended in."""

    sha: str
    outcome: Outcome
    likeness: float


def fate_of(git: Git, draft: Stored) -> Fate | None:
    """Return the commit of exactly the draft's tree on exactly its parent, if HEAD reaches one."""
    try:
        told = git.run(
            *("log", f"--max-count={_RECENT}", "--first-parent", "--format=%H %T %P"),
            *((f"{draft.head}..HEAD",) if draft.head else ("HEAD",)),
        )
        for line in told.decode("ascii", "replace").splitlines():
            sha, tree, *parents = line.split()
            if tree == draft.tree and parents == ([draft.head] if draft.head else []):
                said = git.run("log", "-1", "--encoding=UTF-8", "--format=%B", sha)
                outcome, likeness = compare(draft, said.decode("utf-8", "replace")[:_LONGEST])
                return Fate(sha, outcome, likeness)
    except GitError:  # no commit yet, or the draft's is gone
        return None
    return None


def compare(draft: Stored, message: str) -> tuple[Outcome, float]:
    """Given a draft and the message that was committed, return how they compare, 0..1 by words.
    Signatures and lines that a tool adds at the end do not count."""
    offered = _words(Draft(draft.subject, draft.body, draft.trailers).text)
    given = _words(message)
    if offered == given:
        return "accepted", 1.0
    likeness = SequenceMatcher(None, offered, given, autojunk=False).ratio()
    return ("edited" if likeness >= EDITED else "replaced"), round(likeness, 3)


def _words(text: str) -> list[str]:
    lines = (line for line in text.splitlines() if not line.lower().startswith(_TOOLS))
    return " ".join(lines).split()
