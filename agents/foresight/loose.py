"""Commits that belong to no theme, told as pieces of work: who, what, how much, and why."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...memory.records import Commit
from ..brief.finished import sentence
from ..brief.grouping import Group, group
from ..brief.look import Done, File
from ..brief.wording import counted, listed
from ..extractive import what_happened
from ..reasons import Reason, find_reasons, shorten
from .area_of import Area
from .ground import Ground, cites

MOST_CITED = 3
MOST_READ = 8
"""Messages of one piece of work in which a reason is looked for."""
_REASON = 160
_MOST_LINES = 400
"""Lines of a commit that count: one of thousands is a move or a format, and says less."""


def tell_loose(
    commits: Sequence[Commit], area: Area, ground: Ground, most: int, *, after: bool
) -> list[str]:
    """Tell commits as pieces of work, the largest first; of more than ``most``, how many. ``after``
    says that themes were told before."""
    by_sha = {commit.sha: commit for commit in commits}
    groups = sorted(group([done_of(c, area) for c in commits], {}, ()), key=_order)
    shown = groups[:most]
    read = [by_sha[done.sha] for each in shown for done in each.commits[:MOST_READ]]
    messages = ground.messages(read)
    texts = [_piece(each, by_sha, messages, ground) for each in shown]
    if len(area.paths) == 1:  # one file: what is asked about need not be said again
        here = re.compile(rf" in {re.escape(area.paths[0])}(?![\w/.-])")
        texts = [here.sub("", text, count=1) for text in texts]
    if after and texts:
        texts.insert(0, "Besides:")
    if len(groups) > most:
        rest = sum(len(each.commits) for each in groups[most:])
        texts.append(f"- and {counted(rest, 'smaller commit')}.")
    return texts


def _piece(
    each: Group, by_sha: Mapping[str, Commit], messages: Mapping[str, str], ground: Ground
) -> str:
    leading = max(each.commits, key=lambda done: (_lines(done), done.at))
    if len(each.commits) == 1:
        source = ground.cite(by_sha[leading.sha])
        return f"- {what_happened(source, reasons_of(source.text))}"
    best = max(
        (
            (reason, done)
            for done in each.commits
            for reason in reasons_of(messages.get(done.sha, ""))
        ),
        key=lambda found: (found[1] is leading, found[0].score),
        default=None,
    )
    order = {leading.sha: None, **({best[1].sha: None} if best else {})}
    order |= dict.fromkeys(done.sha for done in each.commits)
    cited = ground.cite_all([by_sha[sha] for sha in list(order)[:MOST_CITED]])
    who = listed(list(dict.fromkeys(done.author for done in each.commits)), 2)
    why = f"; “{shorten(best[0].text, _REASON)}”" if best else ""
    return f"- {who} {sentence(each)}{why} {cites(cited)}."


def reasons_of(message: str) -> list[Reason]:
    """Return the reasons that a message gives in words of its own: no links, nothing quoted."""
    found = find_reasons(message, frozenset()) if message else []
    return [each for each in found if "://" not in each.text and not each.text.startswith(">")]


def done_of(commit: Commit, area: Area) -> Done:
    """Return a commit as pieces of work are made of, with the files that lie in the area."""
    files = [file for file in commit.files if area.holds(file.path)] or commit.files
    return Done(
        sha=commit.sha,
        parents=commit.parents,
        author=commit.author,
        email=commit.email.lower(),
        at=commit.time,
        committed=commit.committed,
        subject=commit.subject,
        files=tuple(File(file.path, file.added, file.removed) for file in files),
        tickets=commit.tickets,
    )


def _order(each: Group) -> tuple[int, int]:
    return (-sum(_lines(done) for done in each.commits), -each.commits[0].at)


def _lines(done: Done) -> int:
    changed = sum((file.added or 0) + (file.removed or 0) for file in done.files)
    return min(_MOST_LINES, changed + 1)
