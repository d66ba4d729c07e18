"""What was left half-done: operations, uncommitted work, stashes, branches, red tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...memory.drift import State
from ...memory.test_records import Colour, Standing
from ..commits.paths import role_of
from .calendar import when
from .look import Branch, Changed, Done, Look, Stash, Tree
from .looking import with_looks
from .records import Fact, Found, Period, Reference, Scope, Section
from .wording import (
    MOST,
    bare_title,
    commit_ref,
    counted,
    cut,
    files_within,
    listed,
    path_ref,
    quoted,
    says_little,
    with_title,
)

STALE = 45 * 86_400.0
"""Seconds after which a branch or a stash is told of together with others as old as it."""
MOST_TESTS = 3
MOST_STASHES = 2
_ORDER = ("code", "config", "manifest", "docs", "test", "ci", "asset", "aside")


def half_done(scope: Scope) -> Found:
    """Return what the person left, as it stands now."""
    facts: list[Fact] = []
    for look in with_looks(scope).looks or ():
        if look.failed:
            continue
        for tree in look.trees:
            facts += _operation(look, tree, scope.period)
            facts += _uncommitted(look, tree, scope.period)
        facts += _branches(look, scope.period)
        facts += _stashes(look, scope.period)
        facts += _red(look, scope)
        facts += _accepted(look, scope)
    return Found(tuple(facts))


def _operation(look: Look, tree: Tree, period: Period) -> Iterator[Fact]:
    operation = tree.operation
    conflicts = [one.path for one in tree.changed if "conflict" in one.edits]
    if operation is None and not conflicts:
        return
    if operation is None:
        text, move = "a merge has left conflicts", "resolve the conflicts"
        key, since = "conflict", 0.0
    else:
        branch = operation.branch or tree.branch
        name = f"{_article(operation.kind)} {operation.kind}" + (f" of {branch}" if branch else "")
        onto = (
            f" onto {operation.onto[:7]}" if operation.kind == "rebase" and operation.onto else ""
        )
        step = f", at {operation.step}" if operation.step else ""
        text = f"{name}{onto} began {when(operation.since, period.until, period.zone)}{step}"
        move = f"finish the {operation.kind}" + (f" of {branch}" if branch else "")
        move += (
            " or abort it" if operation.kind != "bisect" else " (git bisect log, git bisect reset)"
        )
        key, since = operation.kind, operation.since
    if conflicts:
        text += f", with conflicts in {files_within(conflicts)}"
        move += f": {files_within(conflicts)} {'conflicts' if len(conflicts) == 1 else 'conflict'}"
    onto_ref = (commit_ref(operation.onto),) if operation and operation.onto else ()
    yield Fact(
        key=f"operation:{_place(look, tree)}:{key}",
        section=Section.HALF_DONE,
        text=cut(text, MOST),
        references=(*(path_ref(path) for path in conflicts[:3]), *onto_ref),
        weight=2.0,
        topic="operation",
        repo=look.repo.id,
        move=cut(move, MOST),
        state=f"{since} {' '.join(conflicts)}",
    )


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def _uncommitted(look: Look, tree: Tree, period: Period) -> Iterator[Fact]:
    work = [one for one in tree.changed if "conflict" not in one.edits]
    if not work:
        return
    tracked = [one for one in work if any(edit != "new" for edit in one.edits)]
    shown = main_files(tracked or work)
    latest = max((one.at for one in tracked or work if one.at), default=0.0)
    staged = [one for one in work if "staged" in one.edits]
    new = len(work) - len(tracked)
    branch = f" on {tree.branch}" if tree.branch else ""
    if tracked:
        files = (
            files_within(shown, most=2)
            if len(tracked) <= 2
            else f"{files_within(shown[:2])} among {counted(len(tracked), 'file')}"
        )
        text = f"uncommitted work{branch} in {files}"
        text += (
            ", all staged"
            if len(staged) == len(work)
            else f", {len(staged)} staged"
            if staged
            else ""
        )
        text += f", and {counted(new, 'new file')}" if new else ""
    else:
        text = f"{counted(new, 'new file')}{branch} that git does not have: {files_within(shown)}"
    if latest:
        text += f"; last touched {when(latest, period.until, period.zone)}"
    fresh = latest >= period.since
    yield Fact(
        key=f"uncommitted:{_place(look, tree)}:{tree.branch}",
        section=Section.HALF_DONE,
        text=cut(text, MOST),
        references=(
            *(path_ref(path) for path in shown[:2]),
            *((Reference("branch", tree.branch),) if tree.branch else ()),
        ),
        weight=(1.4 if fresh else 0.9) if tracked else (0.8 if fresh else 0.3),
        topic="uncommitted",
        repo=look.repo.id,
        details=tuple(f"{_edit(one)} {one.path}" for one in work[:20]),
        move=f"go on with {files_within(shown[:2])}: it is not committed"
        if fresh and tracked
        else "",
        # The same work, untouched, is no news on the next day.
        state=f"{int(latest)} {' '.join(sorted(one.path for one in work))}",
    )
    yield from _notes(look, tree, work)


def _edit(one: Changed) -> str:
    return "+".join(sorted(one.edits))


def main_files(work: Sequence[Changed]) -> list[str]:
    """Return the paths of changed files: code first, what was touched last first."""
    order = sorted(work, key=lambda one: (_ORDER.index(role_of(one.path)), -(one.at or 0.0)))
    return [one.path for one in order]


def _notes(look: Look, tree: Tree, work: Iterable[Changed]) -> Iterator[Fact]:
    notes = [(one.path, note) for one in work for note in one.notes]
    if not notes:
        return
    path, note = notes[0]
    line, _, what = note.partition(": ")
    more = f" and {counted(len(notes) - 1, 'other note')}" if len(notes) > 1 else ""
    yield Fact(
        key=f"note:{_place(look, tree)}:{path}",
        section=Section.HALF_DONE,
        text=cut(f"left “{cut(what, 90)}” in {path}:{line}{more}", MOST),
        references=(path_ref(path),),
        weight=0.8,
        topic="note",
        repo=look.repo.id,
        details=tuple(f"{at}:{said}" for at, said in notes[:10]),
        state=" ".join(said for _, said in notes),
    )


def _branches(look: Look, period: Period) -> Iterator[Fact]:
    open_ones = [branch for branch in look.branches if branch.ahead]
    stale = [b for b in open_ones if period.until - b.commits[0].committed > STALE]
    for branch in open_ones:
        if branch not in stale:
            yield _branch(look, branch, period)
    if not stale:
        return
    names = [branch.name for branch in stale]
    yield Fact(
        key=f"stale:{look.repo.name}",
        section=Section.HALF_DONE,
        text=cut(
            f"{counted(len(stale), 'older branch', 'older branches')} with work that is"
            f" {_nowhere(stale[0])}: {listed(names)}",
            MOST,
        ),
        references=tuple(Reference("branch", name) for name in names[:3]),
        weight=0.3,
        topic="unpushed",
        repo=look.repo.id,
        details=tuple(f"{b.name}: {bare_title(b.commits[0].subject)}" for b in stale),
        state=" ".join(branch.tip for branch in stale),
    )


def _nowhere(branch: Branch) -> str:
    return "not pushed" if branch.upstream else "on no other branch"


def _branch(look: Look, branch: Branch, period: Period) -> Fact:
    newest = branch.commits[0]
    many = counted(branch.ahead, "commit")
    paths = sorted(branch.paths)
    told = _telling(branch).subject
    what = quoted(told, 60)
    fresh = newest.committed >= period.since
    # What was done on the main branch meanwhile is told of as finished.
    main = branch.name == look.news.name.rpartition("/")[2]
    at = when(newest.committed, period.until, period.zone)
    made = f"{'made' if branch.ahead == 1 else 'the last'} {at}"
    if branch.upstream:
        text = f"{branch.name} has {many} not pushed, {made}"
        move = f"push {branch.name}: {many} {_are(branch.ahead)} not on {branch.upstream}"
    elif branch.gone:
        text = f"{branch.name} has {many} that no remote has, and its upstream is gone"
        move = f"see whether {branch.name} was merged: its upstream is gone"
    else:
        text = f"{branch.name} has {many} on no other branch, {made}"
        move = f"go on with {branch.name}: {what}, {many} not merged"
    if not (fresh and main):
        text = with_title(text, told)
    if branch.behind:
        text += f"; {branch.upstream} has {branch.behind} more"
        move = f"bring {branch.name} together with {branch.upstream}: {branch.ahead} here, {branch.behind} there"
    return Fact(
        key=f"unpushed:{look.repo.name}:{branch.name}",
        section=Section.HALF_DONE,
        text=cut(text, MOST),
        references=(
            Reference("branch", branch.name),
            commit_ref(newest.sha),
            *(path_ref(path) for path in paths[:1]),
        ),
        weight=(1.1 if fresh else 0.7) - (0.3 if branch.gone else 0.0),
        topic="unpushed",
        repo=look.repo.id,
        details=tuple(f"{done.short} {done.subject}" for done in branch.commits[:20]),
        move=cut(move, MOST),
        state=f"{branch.tip} {branch.ahead} {branch.behind}",
    )


def _telling(branch: Branch) -> Done:
    """Return the newest commit whose subject says what was done; else the newest."""
    said = (done for done in branch.commits if not says_little(done.subject))
    return next(said, branch.commits[0])


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _stashes(look: Look, period: Period) -> Iterator[Fact]:
    if not look.stashes:
        return
    fresh = [stash for stash in look.stashes if period.until - stash.at <= STALE][:MOST_STASHES]
    for stash in fresh:
        yield _stash(look, stash, period)
    rest = look.stashes[len(fresh) :]
    if not rest:
        return
    oldest = min(rest, key=lambda stash: stash.at)
    if len(rest) == 1:
        yield _stash(look, oldest, period)
        return
    yield Fact(
        key=f"stash:{look.repo.name}:rest",
        section=Section.HALF_DONE,
        text=f"{counted(len(rest), 'older stash', 'older stashes')}, the oldest made"
        f" {when(oldest.at, period.until, period.zone)}",
        references=(Reference("stash", f"stash@{{{oldest.number}}}", oldest.sha),),
        weight=0.3,
        topic="stash",
        repo=look.repo.id,
        details=tuple(f"stash@{{{s.number}}} {s.text}" for s in rest),
        move=f"look at stash@{{{oldest.number}}}, made"
        f" {when(oldest.at, period.until, period.zone)}: take it up again or drop it",
        state=" ".join(stash.sha for stash in rest),
    )


def _stash(look: Look, stash: Stash, period: Period) -> Fact:
    on, _, words = stash.text.partition(": ")
    branch = on.removeprefix("WIP on ").removeprefix("On ")
    named = not stash.text.startswith("WIP on ")
    what = f" “{cut(words, 70)}”" if named and words else ""
    files = f" in {listed(stash.paths[:1])}" if stash.paths else ""
    files += f" and {counted(len(stash.paths) - 1, 'other file')}" if len(stash.paths) > 1 else ""
    at = when(stash.at, period.until, period.zone)
    old = period.until - stash.at > STALE
    text = f"a stash{what} on {branch} with work{files}, put aside {at}"
    return Fact(
        key=f"stash:{look.repo.name}:{stash.sha[:12]}",
        section=Section.HALF_DONE,
        text=cut(text, MOST),
        references=(
            Reference("stash", f"stash@{{{stash.number}}}", stash.sha),
            *(path_ref(path) for path in stash.paths[:1]),
        ),
        weight=0.4 if old else 0.9 if stash.at >= period.since else 0.6,
        topic="stash",
        repo=look.repo.id,
        details=stash.paths[:20],
        move=cut(
            f"take up the stash{what} on {branch} again or drop it: it was put aside {at}", MOST
        ),
        state=stash.sha,
    )


def _red(look: Look, scope: Scope) -> Iterator[Fact]:
    red = scope.work.runs.standings(look.repo.id, [Colour.RED], limit=200)
    told = red if len(red) <= MOST_TESTS else red[: MOST_TESTS - 1]
    for one in told:
        yield _test(look, one, scope.period)
    rest = red[len(told) :]
    if rest:
        yield Fact(
            key=f"red:{look.repo.name}:rest",
            section=Section.HALF_DONE,
            text=cut(
                f"{counted(len(rest), 'more test')} {'is' if len(rest) == 1 else 'are'} red:"
                f" {listed([_name(one.test) for one in rest])}",
                MOST,
            ),
            references=tuple(Reference("test", one.test) for one in rest[:3]),
            weight=1.0,
            topic="red",
            repo=look.repo.id,
            details=tuple(one.test for one in rest[:20]),
            state=" ".join(sorted(one.test for one in rest)),
        )


def _name(test: str) -> str:
    return test.rpartition("::")[2]


def _test(look: Look, one: Standing, period: Period) -> Fact:
    why = one.failure
    said = f": {why.exception}" if why and why.exception else ""
    said += f": {cut(why.message, 60)}" if why and why.message and said else ""
    note = f"; {cut(one.note, 80)}" if one.note else ""
    at = when(one.since, period.until, period.zone)
    text = f"{one.test} failed {at}{cut(said, 80) if said else ''}"
    since = (commit_ref(one.first_bad),) if one.first_bad else ()
    noted = (_noted(one.reference),) if one.reference else ()
    return Fact(
        key=f"red:{look.repo.name}:{one.test}",
        section=Section.HALF_DONE,
        text=cut(text + note, MOST),
        references=(Reference("test", one.test), *since, *noted),
        weight=1.8 if one.since >= period.since else 1.2,
        topic="red",
        repo=look.repo.id,
        details=(one.note,) if one.note else (),
        move=cut(
            f"look at {_name(one.test)} first: it is red since {at.removeprefix('on ')}{said}{note}",
            MOST,
        ),
        state=f"{one.since} {one.note}",
    )


def _noted(reference: str) -> Reference:
    sha = reference.removeprefix("commit ").strip()
    if len(sha) >= 7 and all(letter in "0123456789abcdef" for letter in sha):
        return commit_ref(sha)
    return Reference("url" if "://" in reference else "path", reference)


def _accepted(look: Look, scope: Scope) -> Iterator[Fact]:
    for one in scope.work.proposals.find(look.repo.id, (State.ACCEPTED,), 20):
        if one.why:
            continue  # a commit has it
        document = one.found.document
        yield Fact(
            key=f"accepted:{look.repo.name}:{one.id}",
            section=Section.HALF_DONE,
            text=cut(f"the fix of {document} that you accepted is not committed", MOST),
            references=(Reference("drift", f"D{one.id}"), path_ref(document)),
            weight=1.0,
            topic="accepted",
            repo=look.repo.id,
            move=cut(f"commit the fix of {document}: you accepted D{one.id}", MOST),
            state=str(one.changed),
        )


def _place(look: Look, tree: Tree) -> str:
    """A name for a working tree: the repository's, and a linked one's own."""
    return look.repo.name if tree.main else f"{look.repo.name}:{tree.path.name}"
