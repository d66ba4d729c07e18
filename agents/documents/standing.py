"""What has become of proposals that were stored, told by the documents and the code of now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from ...ingest.git.command import Git
from ...memory.drift import Found, Proposal, State
from .accept import blob_at_head, staged_paths
from .proposing import same_as, still_there
from .records import Drift, Thing
from .since import is_part_of, on_a_branch, parent_of

MOST_COMMITS = 10
"""Commits that one look goes back to; what other commits did is looked at another time."""

After = Callable[[str | None, str], Sequence[Drift]]
"""Given two commits, tell what lies between them made wrong."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Proposals of which something has become, each with why."""

    gone: Mapping[int, str]
    committed: Collection[int]
    """Accepted ones whose fix is in a commit."""
    undone: Sequence[Found]
    """Accepted ones whose fix was taken back."""


def standing_of(
    git: Git,
    known: Sequence[Proposal],
    seen: Collection[str],
    head: str,
    after: After,
    *,
    helped: bool,
) -> Standing:
    """Given the proposals that are not closed, and the ``same`` of those that were found just now,
    return what has become of the others. ``helped``: programs were asked for their help too.
    Raise a GitError."""
    gone: dict[int, str] = {}
    committed: list[int] = []
    undone: list[Found] = []
    staged: Collection[str] | None = None
    left: list[Proposal] = []
    for each in known:
        found = each.found
        there = still_there(blob_at_head(git, found.document), found)
        if each.state is State.ACCEPTED:
            staged = staged_paths(git) if staged is None else staged
            if not there:
                committed.append(each.id)
            elif found.document not in staged:
                undone.append(found)
        elif found.same in seen:
            continue
        elif not there:
            gone[each.id] = f"{found.document} was changed there"
        elif found.thing == Thing.HELP:
            if helped:
                gone[each.id] = "the program prints it so again"
        else:
            left.append(each)
    gone |= _by_code(git, left, head, after)
    return Standing(gone, committed, undone)


def _by_code(git: Git, left: Sequence[Proposal], head: str, after: After) -> dict[int, str]:
    """Return those of which the code says that they do not hold any more."""
    gone: dict[int, str] = {}
    by_commit: dict[str, list[Proposal]] = {}
    for each in left:
        commit = each.found.commit
        if commit is not None and not each.found.scanned:
            by_commit.setdefault(commit, []).append(each)
    for commit, proposals in list(by_commit.items())[:MOST_COMMITS]:
        if not is_part_of(git, commit, head):
            if not on_a_branch(git, commit):
                gone |= {each.id: f"{commit[:10]} is in no branch any more" for each in proposals}
            continue  # else it holds there, and is left alone
        wrong = {same_as(drift) for drift in after(parent_of(git, commit), head)}
        for each in proposals:
            if each.found.same not in wrong:
                gone[each.id] = "the code agrees with it again"
    return gone


def unseen(known: Sequence[Proposal], seen: Collection[str]) -> dict[int, str]:
    """Return the proposals of earlier scans that a new scan has not found."""
    return {
        each.id: "a scan finds nothing wrong there any more"
        for each in known
        if each.live
        and each.found.scanned
        and each.found.same not in seen
        and each.found.thing != Thing.HELP
    }
