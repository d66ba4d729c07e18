"""From a change to checked drafts by rule: what the agent, the API and the command line share."""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

from ...ingest.git.command import Git
from ...memory.errors import HermesError
from ..project_settings import ProjectCommits
from . import facts as computing
from . import related as remembering
from . import style as learning
from . import tickets, validate, wording
from .records import Change, Draft, Facts, Problem, Sources, Style

if TYPE_CHECKING:
    from ...memory.memory import Memory

STYLES = 50
"""Styles that are kept."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Composed:
    """A change, all that is known for its message, and messages for it."""

    change: Change
    facts: Facts
    style: Style
    sources: Sources
    drafts: tuple[Draft, ...]
    """By rule and without problems, best first; empty where no rule has an honest one."""
    notes: tuple[str, ...] = ()
    """What is missing, for a person: degradations."""

    def problems(self, draft: Draft) -> list[Problem]:
        """Return what is wrong with any message for this change."""
        return validate.problems(draft, self.change, self.facts, self.style, self.sources)


class Styles:
    """The styles of repositories, learnt again when HEAD or the settings are others."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str | None, ProjectCommits], Style] = OrderedDict()
        self._lock = Lock()

    def of(self, git: Git, head: str | None, project: ProjectCommits, rev: str = "HEAD") -> Style:
        """Return the style of the history that ``rev`` reaches, which is at ``head``."""
        key = (str(git.folder), head, project)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        style = learning.learn(git, project, rev=rev)
        with self._lock:
            self._known[key] = style
            while len(self._known) > STYLES:
                self._known.popitem(last=False)
        return style


def compose(
    git: Git,
    change: Change,
    project: ProjectCommits,
    styles: Styles,
    n: int,
    *,
    memory: Memory | None = None,
    repo: str | None = None,
    rev: str = "HEAD",
) -> Composed:
    """Given a change that is not empty, return up to ``n`` drafts by rule that may stand. ``rev``
    is the history whose style it is to have. Blocks; raise a GitError subclass."""
    facts = computing.facts_of(change)
    style = styles.of(git, change.head, project, rev)
    ticket = tickets.of_branch(change.branch, style)
    notes: list[str] = []
    if change.cut:
        notes.append("the change is too large to be read whole; the message rests on its names")
    earlier: tuple[str, ...] = ()
    if memory is not None and repo is not None:
        try:
            earlier = remembering.related(memory, repo, facts, ticket)
        except HermesError as error:
            notes.append(f"without memory: {error.message}")
    place = git.worktree or git.common_dir
    allowed = remembering.branch_words(change) | {place.name}
    sources = Sources(ticket, earlier, allowed)
    composed = Composed(change, facts, style, sources, (), tuple(notes))
    standing: list[Draft] = []
    # One more than asked for, since some may not stand.
    for draft in wording.drafts(change, facts, style, sources, n + 1):
        found = composed.problems(draft)
        if found:
            logger.warning(
                "a draft by rule may not stand: %s", "; ".join(problem.rule for problem in found)
            )
        else:
            standing.append(draft)
    reasons = tuple(f"earlier: {line}" for line in earlier)
    drafts = tuple(_with_reasons(draft, reasons) for draft in standing[:n])
    return replace(composed, drafts=drafts)


def _with_reasons(draft: Draft, reasons: tuple[str, ...]) -> Draft:
    new = tuple(line for line in reasons if line not in draft.why)
    return replace(draft, why=(*draft.why, *new))
