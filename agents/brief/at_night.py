"""What hermes has ready or found out: drafts, drifted documents, tests of the nightly run.

Jobs that failed and what agents said come from the daemon's attention, not from here.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...memory.drift import State
from ..documents.proposing import place_of
from ..hygiene.audit import audit_line
from .look import Look
from .looking import with_looks
from .records import Fact, Found, Reference, Scope, Section
from .wording import MOST, commit_ref, counted, cut, listed, path_ref

MOST_DRIFT = 2
_UNFINISHED = {
    "timed_out": "did not end in its time",
    "overran": "was ended for what it used",
    "broken": "could not run",
    "uncollected": "could not collect all tests",
}


def at_night(scope: Scope) -> Found:
    """Return what hermes did, as its results stand now."""
    facts: list[Fact] = []
    for look in with_looks(scope).looks or ():
        facts += _drafts(look, scope)
        facts += _drift(look, scope)
        facts += _tests(look, scope)
    return Found((*facts, *_audit(scope)))


def _audit(scope: Scope) -> Iterator[Fact]:
    """Tell what the last audit of memory found past a threshold."""
    line = audit_line(scope.memory)
    if line:
        yield Fact(
            key="audit",
            section=Section.HERMES,
            text=cut(line, MOST),
            weight=0.8,
            topic="audit",
            state=line,
        )


def _drafts(look: Look, scope: Scope) -> Iterator[Fact]:
    for tree in look.trees:
        staged = [one.path for one in tree.changed if "staged" in one.edits]
        drafts = scope.work.drafts.ready(look.repo.id, str(tree.path))
        fitting = [d for d in drafts if d.head == tree.head and d.branch == tree.branch]
        if not staged or not fitting:
            continue
        draft = fitting[-1]
        files = counted(len(staged), "staged file")
        yield Fact(
            key=f"draft:{look.repo.name}:{tree.path.name}",
            section=Section.HERMES,
            text=cut(f"a message is ready for {files}: “{cut(draft.subject, 100)}”", MOST),
            references=(path_ref(staged[0]),),
            weight=1.0,
            topic="draft",
            repo=look.repo.id,
            details=tuple(line for line in draft.body.splitlines() if line)[:10],
            move=cut(f"commit {files}: the message is ready, “{cut(draft.subject, 80)}”", MOST),
            state=f"{draft.tree} {draft.subject}",
        )


def _drift(look: Look, scope: Scope) -> Iterator[Fact]:
    found = scope.work.proposals.find(look.repo.id, (State.OPEN,))
    told = found if len(found) <= MOST_DRIFT + 1 else found[:MOST_DRIFT]
    for one in told:
        ready = "draft fix ready" if one.found.edits else "no fix by rule"
        since = (commit_ref(one.found.commit),) if one.found.commit else ()
        yield Fact(
            key=f"drift:{look.repo.name}:{one.id}",
            section=Section.HERMES,
            text=cut(
                f"{place_of(one.found)} drifted: {cut(one.found.reason, 110)}; {ready}",
                MOST,
            ),
            references=(Reference("drift", f"D{one.id}"), *since, path_ref(one.found.document)),
            weight=1.0 if one.at >= scope.period.since else 0.5,
            topic="drift",
            repo=look.repo.id,
            move=cut(f"look at the fix of {one.found.document}: hermes docs show D{one.id}", MOST),
            state=f"{one.found.same} {bool(one.found.edits)}",
        )
    rest = found[len(told) :]
    if rest:
        yield Fact(
            key=f"drift:{look.repo.name}:rest",
            section=Section.HERMES,
            text=cut(
                f"{counted(len(rest), 'more place')} in documents drifted:"
                f" {listed(list(dict.fromkeys(one.found.document for one in rest)))}",
                MOST,
            ),
            references=tuple(Reference("drift", f"D{one.id}") for one in rest[:3]),
            weight=0.4,
            topic="drift",
            repo=look.repo.id,
            state=" ".join(one.found.same for one in rest),
        )


def _tests(look: Look, scope: Scope) -> Iterator[Fact]:
    runs, repo, since = scope.work.runs, look.repo.id, scope.period.since
    summary = runs.summary(repo, since)
    for name, run in (("full test run", summary.last_full), ("last test run", summary.last)):
        if run is None or run.at < since or run.state not in _UNFINISHED:
            continue
        how = _UNFINISHED[run.state]
        yield Fact(
            key=f"unfinished:{look.repo.name}",
            section=Section.HERMES,
            text=cut(f"the {name} {how}" + (f": {run.detail}" if run.detail else ""), MOST),
            weight=1.1,
            topic="full_run",
            repo=repo,
            move=f"see why the {name} {how}: hermes tests last",
            state=f"{run.state} {run.detail}",
        )
        break
    missed = [one for one in runs.missed(repo) if one.at >= since]
    if missed:
        names = [one.test for one in missed]
        yield Fact(
            key=f"missed:{look.repo.name}",
            section=Section.HERMES,
            text=cut(
                f"the full run found {counted(len(names), 'red test')} that no save had run:"
                f" {listed(names, 2)}",
                MOST,
            ),
            references=tuple(Reference("test", name) for name in names[:2]),
            weight=1.0,
            topic="missed",
            repo=repo,
            state=" ".join(sorted(names)),
        )
    again = summary.newly_green
    if again:
        yield Fact(
            key=f"green:{look.repo.name}",
            section=Section.HERMES,
            text=cut(
                f"{counted(len(again), 'test')} {'passes' if len(again) == 1 else 'pass'} again:"
                f" {listed(again, 2)}",
                MOST,
            ),
            references=tuple(Reference("test", name) for name in again[:2]),
            weight=0.5,
            topic="green",
            repo=repo,
            state=" ".join(sorted(again)),
        )
    flaky = runs.flaky(repo)
    if flaky:
        names = [one.test for one in flaky]
        yield Fact(
            key=f"flaky:{look.repo.name}",
            section=Section.HERMES,
            text=cut(
                f"{counted(len(names), 'test')} {'is' if len(names) == 1 else 'are'} flaky:"
                f" {listed(names, 2)}",
                MOST,
            ),
            references=tuple(Reference("test", name) for name in names[:2]),
            weight=0.6 if any(one.last_at >= since for one in flaky) else 0.3,
            topic="flaky",
            repo=repo,
            state=" ".join(sorted(names)),
        )
