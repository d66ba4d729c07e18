"""What of the commits that an answer tells of does not hold any more."""

from __future__ import annotations

from collections.abc import Sequence

from ...memory.records import Commit
from ..brief.wording import quoted
from .ground import Ground, cites, local_day

MOST = 2


def taken_back(commits: Sequence[Commit], ground: Ground) -> list[str]:
    """Return a sentence for each of the commits, newest first and only a few, that was reverted."""
    index = ground.memory.index
    marks = index.marks.of([commit.sha for commit in commits])
    texts: list[str] = []
    for commit in commits:
        mark = marks.get((commit.repo, commit.sha))
        if mark is None or mark.ended is None or len(texts) == MOST:
            continue
        by = index.commit(commit.repo, mark.ended_by)
        cited = cites(ground.cite_all([commit, *([by] if by is not None else [])]))
        texts.append(f"{quoted(commit.subject)} was taken back on {local_day(mark.ended)} {cited}.")
    return texts
