"""What memory has for a packet: passages that bear on the question, and what was decided or went wrong
before. What a council said is no evidence for another: it comes as what was decided, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from ...ingest.documents.postmortems import is_postmortem
from ...memory.council_records import SOURCE, Council, Result
from ...memory.memory import Memory
from ...memory.records import Chunk, Filters, Passage, Recollection, is_item
from ...memory.tokens import terms
from ...memory.work import Work
from ..hygiene.reverts import WHY as REVERTED
from .codec import from_json
from .records import Case, Kind, Piece, Prior, Touched, Verdict, Vote
from .wish import Wish

PASSAGES = 8
MOST_PRIOR = 5
RELATED = 0.5
"""Share of the shorter question's terms that another has too, to be about the same."""
MOST_PATHS = 30
"""Files of a diff whose history is looked at."""
MOST_COMMITS = 40
_MOST_TITLE = 140

Recall = Callable[[Memory, str, Filters, int], Recollection]


def recalled(memory: Memory, recall: Recall, wish: Wish, repos: Sequence[str]) -> tuple[Piece, ...]:
    """Return what memory holds on a question, best first; nothing where it is not clearly about it."""
    found = recall(memory, wish.question, Filters(tuple(repos)), PASSAGES)
    if not found.relevant:
        return ()
    return tuple(_piece(one) for one in found.passages if one.chunk.source != SOURCE)


def _piece(passage: Passage) -> Piece:
    chunk = passage.chunk
    texts = [part.text for part in (chunk, *passage.also)]
    text = "\n".join(dict.fromkeys(text.strip() for text in texts))
    if chunk.title not in text:
        text = f"{chunk.title}\n{text}"
    kind = "commit" if chunk.source == "git" else "discussion"
    return Piece(kind, _ref(chunk), f"{_day(chunk.time)} {text}", chunk.path)


def _ref(chunk: Chunk) -> str:
    return chunk.ref[:10] if chunk.source == "git" else chunk.ref


def decided_before(work: Work, repo: str, wish: Wish) -> tuple[Prior, ...]:
    """Return earlier verdicts on about the same question, the nearest first."""
    wanted = set(terms(wish.question))
    found: list[tuple[float, float, Prior]] = []
    for council in work.councils.find(repo):
        theirs = set(terms(council.question))
        shared = len(wanted & theirs) / max(1, min(len(wanted), len(theirs)))
        prior = _verdict(work, council) if shared >= RELATED else None
        if prior is not None:
            found.append((-shared, -council.asked, prior))
    found.sort(key=lambda one: one[:2])
    return tuple(prior for _, _, prior in found[:MOST_PRIOR])


def _verdict(work: Work, council: Council) -> Prior | None:
    decided = work.councils.verdict(council.id)
    if decided is None:
        return None
    verdict, case = from_json(Verdict, decided.verdict), from_json(Case, decided.case)
    if not verdict.side:
        return None
    outcome = work.lessons.outcome(council.id)
    wrong = outcome is not None and outcome.result is Result.WRONG
    title = said_of(council.question, case.kind, verdict)
    if outcome is not None:
        title = f"{title}; it turned out {outcome.result}"
    kind = "overturned verdict" if wrong else "verdict"
    return Prior(kind, f"council {council.id}", _day(decided.at), title)


def said_of(question: str, kind: Kind, verdict: Verdict) -> str:
    """Return a verdict in one line: ``Postgres over Mongo (WARN)``, ``FAIL: is it safe to merge?``."""
    if kind is Kind.CHOICE and verdict.side and verdict.vote is not Vote.DISAGREE:
        others = [side.label for side in verdict.sides if side.label != verdict.side]
        over = f" over {', '.join(others)}" if others else ""
        return f"{verdict.side}{over} ({verdict.state.words})"
    flat = " ".join(question.split())
    short = flat if len(flat) <= _MOST_TITLE else f"{flat[: _MOST_TITLE - 1].rstrip()}…"
    side = verdict.side if kind is Kind.OPEN and verdict.side else ""
    return f"{verdict.state.words}: {short}{f' – {side}' if side else ''}"


def went_wrong(
    memory: Memory, recall: Recall, repo: str, touched: Sequence[Touched]
) -> tuple[Prior, ...]:
    """Return reverts and incidents of the files that a diff touches."""
    paths = [one.path for one in touched if not one.aside][:MOST_PATHS]
    if not paths or not repo:
        return ()
    return (*_reverts(memory, repo, paths), *_incidents(memory, recall, repo, paths))[:MOST_PRIOR]


def _reverts(memory: Memory, repo: str, paths: Sequence[str]) -> list[Prior]:
    marked = {one.ref for one in memory.index.marks.all(repo) if one.why == REVERTED}
    if not marked:
        return []
    found: dict[str, Prior] = {}
    for path in paths:
        for commit in memory.index.touching(path, (repo,), limit=MOST_COMMITS):
            if commit.sha in marked:
                known = found.get(commit.sha)
                touching = (*(known.paths if known else ()), path)
                day = _day(commit.time)
                found[commit.sha] = Prior("revert", commit.sha[:10], day, commit.subject, touching)
    return list(found.values())


def _incidents(memory: Memory, recall: Recall, repo: str, paths: Sequence[str]) -> list[Prior]:
    found: list[Prior] = []
    for passage in recall(
        memory, f"incident postmortem {' '.join(paths)}", Filters((repo,)), 12
    ).passages:
        chunk = passage.chunk
        if not is_postmortem(chunk.path or chunk.ref, chunk.title):
            continue
        item = memory.index.items.get(chunk.ref) if is_item(chunk.ref) else None
        text = chunk.text if item is None else item.text
        named = tuple(path for path in paths if path in text)
        if named:
            found.append(Prior("incident", _ref(chunk), _day(chunk.time), chunk.title, named))
    return found


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()
