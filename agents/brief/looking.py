"""Reads a repository for a brief, all that any source needs of it."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from ...memory.records import Repo
from ..commits.ready import worktrees_of
from .bounded import Failure, bounded
from .commits import (
    COUNTS,
    MESSAGES,
    NAMES,
    SECONDS,
    by,
    existing,
    log,
    path_of,
    reflog,
    stood_at,
)
from .landed import MOST_COMMITS, landed
from .look import Branch, Done, Look, News, Stash, Tree
from .notes import notes_of
from .records import Person, Scope
from .refs import Ref, Refs, read_refs
from .withheld import without
from .worktree import read_tree, with_notes

REPOSITORY_SECONDS = 10.0
"""For all of one repository."""
MOST_OWN = 600
"""Commits of one person that are read with counts; of more, without."""
MOST_BRANCHES = 12
LANDED_SECONDS = 3.0
"""For finding out, of all branches, which are on the main one in another shape."""
MOST_TREES = 6
MOST_STASHES = 20
MOST_NEWS = 2_000
MOST_OTHERS = 10
"""Branches of others that are looked at."""
WEEK = 7 * 86_400.0


def look_at_all(scope: Scope) -> list[Look]:
    """Read all repositories of a scope. Blocking; never raises for one repository's fault."""
    answers = bounded(
        {str(git.common_dir): _Reading(scope, repo, git) for repo, git in scope.repos},
        REPOSITORY_SECONDS,
    )
    looks: list[Look] = []
    for repo, git in scope.repos:
        answer = answers[str(git.common_dir)]
        if isinstance(answer, Failure):
            answer = Look(repo, failed=answer.reason)
        looks.append(answer)
    return looks


class _Reading:
    """The reading of one repository."""

    def __init__(self, scope: Scope, repo: Repo, git: Git) -> None:
        self._scope = scope
        self._repo = repo
        self._git = git
        self._partly: list[str] = []
        self._again: set[str] = set()
        self._head, self._branch_name = "", ""
        self._everywhere: tuple[str, ...] = ()

    def __call__(self) -> Look:
        """Read it. Raise GitError."""
        scope, git = self._scope, self._git
        refs = read_refs(git)
        self._head, self._branch_name = refs.stands(_head_line(git))
        self._everywhere = ("--branches", "--remotes", *((self._head,) if self._head else ()))
        if not refs.all and not self._head:
            return Look(repo=self._repo, trees=self._trees(refs))
        person, since = scope.person, int(scope.period.since)
        main = refs.main()
        own, merges = self._own(person, since)
        branches = self._branches(refs, main, person, own)
        return Look(
            repo=self._repo,
            own=tuple(own),
            branches=branches,
            stashes=self._stashes() if refs.stash else (),
            trees=self._trees(refs),
            news=self._news(refs, main, own, since),
            lately=self._lately(person),
            merges=tuple(merges),
            graph=self._graph(since) if own and merges else {},
            main=tuple(ref.sha for ref in main),
            again=frozenset(self._again),
            partly=tuple(self._partly),
        )

    def _own(self, person: Person, since: int) -> tuple[Sequence[Done], Sequence[Done]]:
        """Return the commits that are told of, and all merges, both newest first."""
        until = self._scope.period.until
        if self._scope.everybody or not person.known:
            # Of many people: names alone, since counting lines costs git as much as a diff.
            found = log(self._git, NAMES, *self._everywhere, f"--max-age={since}")
            return [d for d in found if since <= d.at <= until], [d for d in found if d.is_merge]
        authors = by(person)
        found = log(
            self._git, COUNTS, *self._everywhere, f"--max-age={since}", *authors, most=MOST_OWN
        )
        own = [d for d in found if since <= d.at <= until and person.wrote(d.author, d.email)]
        if not own:
            return (), ()
        return own, log(self._git, MESSAGES, *self._everywhere, "--merges", f"--max-age={since}")

    def _graph(self, since: int) -> dict[str, tuple[str, ...]]:
        said = self._git.run(
            *("rev-list", "--parents", f"--max-age={since}", "--max-count=20000"),
            *(*self._everywhere, "--"),
            timeout=SECONDS,
        )
        lines = (line.split() for line in said.decode().splitlines())
        return {sha: tuple(parents) for sha, *parents in lines}

    def _lately(self, person: Person) -> frozenset[str]:
        """Return the files that the person's commits of the last week touch."""
        if not person.emails:
            return frozenset()
        week = f"--max-age={int(self._scope.period.until - WEEK)}"
        found = log(
            self._git, NAMES, "--branches", *self._everywhere[2:], week, *by(person), most=MOST_OWN
        )
        theirs = [done for done in found if person.wrote(done.author, done.email)]
        return frozenset(file.path for done in theirs for file in done.files)

    def _branches(
        self, refs: Refs, main: Sequence[Ref], person: Person, own: Sequence[Done]
    ) -> tuple[Branch, ...]:
        """Read the local branches with work of the person that is not on the main one, in no shape."""
        names = {ref.name for ref in main}
        mains = [ref.sha for ref in main]
        until = time.monotonic() + LANDED_SECONDS
        found: list[Branch] = []
        for ref in [ref for ref in refs.local if ref.name not in names][: 3 * MOST_BRANCHES]:
            if len(found) == MOST_BRANCHES or ref.sha in mains:
                continue
            commits = self._open(ref, mains, person, own, until)
            if commits:
                found.append(self._branch(ref, refs, commits, self._branch_name == ref.short))
        # Work on the main branch itself that was not pushed.
        local = next((ref for ref in main if ref.local), None)
        remote = [ref.sha for ref in main if not ref.local]
        if local is not None and remote:
            commits = self._open(local, remote, person, own, until)
            if commits:
                found.append(self._branch(local, refs, commits, self._branch_name == local.short))
        return tuple(found)

    def _open(
        self, ref: Ref, main: Sequence[str], person: Person, own: Sequence[Done], until: float
    ) -> tuple[Done, ...]:
        """Return the commits of a branch that are not on the main one; none if the person has no
        part in them, or if all that they change is there."""
        commits = log(
            self._git, NAMES, ref.sha, *(f"^{sha}" for sha in main), most=MOST_COMMITS + 1
        )
        if person.known and not any(person.wrote(done.author, done.email) for done in commits):
            return ()
        if len(commits) > MOST_COMMITS:
            return commits
        plain = [done.sha for done in commits if not done.is_merge]
        there = landed(self._git, ref.sha, plain, main, until)
        if there is None:
            return commits
        if there.commits & {done.sha for done in own}:
            self._again.update(plain)
        return ()

    def _branch(self, ref: Ref, refs: Refs, commits: tuple[Done, ...], current: bool) -> Branch:
        upstream = refs.all.get(ref.upstream)
        ahead, behind = len(commits), 0
        if upstream is not None:
            said = self._git.run(
                *("rev-list", "--left-right", "--count", f"{ref.sha}...{upstream.sha}", "--"),
                timeout=SECONDS,
            )
            ahead, behind = (int(word) for word in said.split())
        elif refs.remote:
            said = self._git.run(
                *("rev-list", "--count", ref.sha, "--not", "--remotes", "--"), timeout=SECONDS
            )
            ahead = int(said)
        return Branch(
            name=ref.short,
            tip=ref.sha,
            upstream=upstream.short if upstream is not None else "",
            gone=bool(ref.upstream) and upstream is None,
            ahead=ahead,
            behind=behind,
            commits=commits,
            current=current,
        )

    def _stashes(self) -> tuple[Stash, ...]:
        said = self._git.run(
            *("log", "-g", "-z", f"--max-count={MOST_STASHES}", "--no-show-signature"),
            *("--no-decorate", "--encoding=UTF-8", "-m", "--first-parent", "--name-only"),
            *(
                "--no-renames",
                "--no-ext-diff",
                "--no-textconv",
                "--format=tformat:%x01%H%x00%ct%x00%gs%x01",
            ),
            *("refs/stash", "--"),
            timeout=SECONDS,
        )
        found: list[Stash] = []
        parts = said.split(b"\x01")
        for number, place in enumerate(range(1, len(parts) - 1, 2)):
            sha, at, text = parts[place].split(b"\0", 2)
            paths = (entry.lstrip(b"\n") for entry in parts[place + 1].split(b"\0"))
            found.append(
                Stash(
                    number,
                    sha.decode(),
                    int(at),
                    text.decode("utf-8", "replace"),
                    tuple(path_of(path) for path in paths if path),
                )
            )
        return tuple(found)

    def _trees(self, refs: Refs) -> tuple[Tree, ...]:
        if self._git.is_bare:
            return ()
        found: list[Tree] = []
        for worktree in worktrees_of(self._git)[:MOST_TREES]:
            try:
                head, branch = refs.stands(worktree.at())
                tree = read_tree(self._git, worktree, head, branch, main=not found)
                found.append(with_notes(tree, notes_of(self._git, tree)))
            except (GitError, OSError) as error:
                said = error.message if isinstance(error, GitError) else str(error)
                self._partly.append(f"the files in {worktree.path.name}: {said}")
        if not found and not self._partly:
            self._partly.append("its working tree is not there")
        return tuple(found)

    def _news(self, refs: Refs, main: Sequence[Ref], own: Sequence[Done], since: int) -> News:
        """Read what came to the main branch since, and what the person's own work lacks of it."""
        if not main or not self._scope.person.known:
            return News(main[0].short if main else "main")
        wrote = self._scope.person.wrote
        shown = next((ref for ref in main if not ref.local), main[0])
        records = {ref.name: reflog(self._git, ref.name) for ref in main}
        stood = {name: stood_at(entries, since) for name, entries in records.items()}
        known = existing(self._git, [sha for sha in stood.values() if sha is not None])
        forced: tuple[str, str] | None = None
        for ref in main:
            if not ref.local:
                jumps = [e for e in records[ref.name] if e[2] >= since and "forced-update" in e[3]]
                forced = (jumps[0][0], ref.sha) if jumps else forced
        if self._scope.everybody:
            return News(shown.short, forced=forced)
        limits = [f"^{sha}" for sha in known]
        limits += [f"^{done.sha}" for done in own[:1]]
        if not all(sha in known for sha in stood.values()):
            limits.append(f"--max-age={since}")
        found = log(self._git, NAMES, *(ref.sha for ref in main), *limits, most=MOST_NEWS)
        others = tuple(done for done in found if not wrote(done.author, done.email))
        return News(shown.short, others, forced, self._others_branches(refs, main, since))

    def _others_branches(
        self, refs: Refs, main: Sequence[Ref], since: int
    ) -> tuple[tuple[str, tuple[Done, ...]], ...]:
        names = {ref.name for ref in main}
        fresh = [r for r in refs.remote if r.committed >= since and r.name not in names]
        found: list[tuple[str, tuple[Done, ...]]] = []
        wrote = self._scope.person.wrote
        for ref in fresh[:MOST_OTHERS]:
            without = [f"^{each.sha}" for each in main]
            commits = log(self._git, NAMES, ref.sha, *without, f"--max-age={since}", most=50)
            theirs = tuple(done for done in commits if not wrote(done.author, done.email))
            if theirs and len(theirs) == len(commits):
                found.append((ref.short, theirs))
        return tuple(found)


def _head_line(git: Git) -> str:
    """Return the first line of HEAD of the worktree that a repository was opened from."""
    here = next(iter(worktrees_of(git)), None) if git.worktree is not None else None
    try:
        if here is not None:
            return here.at()
        return os.fsdecode((git.common_dir / "HEAD").read_bytes().partition(b"\n")[0])
    except OSError:
        return ""


def with_looks(scope: Scope) -> Scope:
    """Return the scope with its repositories read, if they are not yet. What is forgotten is left
    out: git still has it."""
    if scope.looks is not None:
        return scope
    sieve = scope.memory.index.withheld.sieve()
    return replace(scope, looks=[without(look, sieve) for look in look_at_all(scope)])
