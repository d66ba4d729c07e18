"""The themes of a week in place of the single pieces of work that belong to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ...memory.memory import Memory
from ..themes.records import Page, State, Theme
from .records import Fact, Person, Reference, Scope, Section
from .wording import MOST, commit_ref, counted, cut, listed

_STATES = {State.DONE: "done", State.OPEN: "still open", State.STALLED: "stalled"}
_ASIDE = ("others", "upkeep:")
"""Beginnings of the keys of themes that are told commit by commit."""
_REFERENCES = 3


def with_themes(scope: Scope, pages: Sequence[Page]) -> tuple[list[Fact], Scope]:
    """Given a week's scope, read, and the pages of its themes, return each theme that the person had
    a part in (in a team's brief all) as one fact, title and how it stands; and the scope with what
    belongs to none of them, so that nothing is told twice."""
    names = {repo.id: repo.name for repo, _ in scope.repos}
    facts: list[Fact] = []
    told: set[str] = set()
    for page in pages:
        for theme in page.themes if page.repo in names else ():
            if theme.key.startswith(_ASIDE):
                continue
            own = _own(theme, page.repo, scope)
            if own:
                facts.append(_fact(theme, page.repo, names[page.repo], own, scope.person))
                told.update(theme.references)
    looks = [
        replace(look, own=tuple(done for done in look.own if done.sha not in told))
        for look in scope.looks or ()
    ]
    return facts, replace(scope, looks=looks)


def _own(theme: Theme, repo: str, scope: Scope) -> list[str]:
    """Return the shas of a theme's commits by the person, newest first; in a team's brief by all."""
    memory: Memory = scope.memory
    commits = memory.index.commits_for(repo, theme.references)
    wrote = scope.person.wrote
    return [c.sha for c in commits if scope.everybody or wrote(c.author, c.email)]


def _fact(theme: Theme, repo: str, name: str, own: Sequence[str], person: Person) -> Fact:
    others = [name for name in theme.people if name not in person.names]
    parts = [counted(len(own), "commit"), _STATES[theme.state]]
    if len(others) < len(theme.people) and others:
        parts.append(f"with {listed(others, 2)}")
    said = f": {', '.join(parts)}"
    tickets = [
        Reference("pull" if key.startswith(("#", "!")) else "ticket", key)
        for key in theme.tickets[:1]
    ]
    return Fact(
        key=f"week:{name}:{theme.key}",
        section=Section.FINISHED,
        text=cut(theme.title, MOST - len(said)) + said,
        references=(*tickets, *(commit_ref(sha) for sha in own[: _REFERENCES - len(tickets)])),
        weight=round(min(2.0, 0.6 + 0.35 * math.log2(1 + len(own))), 2),
        topic=f"theme:{theme.key}",
        repo=repo,
        details=tuple(line.text for line in (*theme.what, *theme.why)),
        state=f"{theme.state} {len(theme.references)}",
    )
